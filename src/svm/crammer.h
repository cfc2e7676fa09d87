/* crammer.h - what the two Crammer-Singer solvers share; the problem in formulas stands in crammer.c. */
#ifndef SVF_SVM_CRAMMER_H
#define SVF_SVM_CRAMMER_H

#include "svm/solver.h"

typedef struct svf_crammer {
  const svf_la *la;
  const svf_solver *solver;
  size_t n, m, p, ld; /* rows with a cost, classes, columns, padded */
  const double **row; /* n */
  int32_t *label;     /* n */
  double *u;          /* n: C c_i */
  double *beta;       /* n x m: the dual point */
  double *w;          /* m x ld: the primal point */
  double *value;      /* m: scratch */
  double *way;        /* m x ld: scratch */
} svf_crammer;

/* G_ik of one row, k = 0..m-1: the gradient of the dual. */
void svf_crammer_slope(const svf_crammer *c, size_t i, double *slope);
/* to_k = sum_i (u_i 1[k = y_i] - beta_ik) x_i. */
void svf_crammer_weights(const svf_crammer *c, double *to);
/* P(w), and the gap to D(beta). */
void svf_crammer_judge(const svf_crammer *c, svf_solution *fit);

/* crammer_path.c: an interior-point method; crammer_ascent.c: row by row. Both leave w, beta and what they are
 * worth, and add their steps. False: memory ran out. */
bool svf_crammer_path(const svf_crammer *c, const svf_solver *solver, svf_solution *fit);
bool svf_crammer_ascent(const svf_crammer *c, const svf_solver *solver, svf_solution *fit);

/* The point of the simplex {v >= 0, sum v = total} nearest to v, in place; total > 0. */
void svf_simplex(size_t m, double total, double *v);
/* crammer_face.c: improves beta and w within a face. scratch: 4 n m; row: n; *limit, the most products it may
 * take, is adapted. Returns how many it took. */
size_t svf_crammer_face(const svf_crammer *c, double *scratch, uint32_t *row, size_t *limit);

#endif
