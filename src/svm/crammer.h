/* crammer.h - the state that the two halves of the Crammer-Singer solver share; the problem is in crammer.c.
 */
#ifndef SVF_SVM_CRAMMER_H
#define SVF_SVM_CRAMMER_H

#include "svm/linear.h"

typedef struct svf_crammer {
  const svf_la *la;
  size_t n, m, ld;      /* rows with a cost, classes, columns */
  const double **row;   /* n */
  int32_t *label;       /* n */
  double *u, *norm;     /* n: C c_i and |x_i|^2 */
  double *beta;         /* n x m: the dual point */
  double *w;            /* m x ld: belongs to beta */
  double *value;        /* scratch: m */
  uint32_t *order;      /* scratch: n */
  unsigned char *still; /* scratch: n, visits since the row moved */
  double *face;         /* scratch: 4 n m */
  double *way;          /* scratch: m x ld */
} svf_crammer;

/* G_ik of one row, k = 0..m-1: the gradient of the dual. */
void svf_crammer_slope(const svf_crammer *c, size_t i, double *slope);
/* The point of the simplex {v >= 0, sum v = total} nearest to v, in place; total > 0. */
void svf_simplex(size_t m, double total, double *v);
/* crammer_face.c: improves the point by conjugate gradients within its face; returns how many products it
 * took. *limit, the most it may take, is adapted. */
size_t svf_crammer_face(const svf_crammer *c, size_t *limit);

#endif
