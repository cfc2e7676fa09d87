/* canonical.h - canonical correlation analysis of a sample: the directions whose projections go best with the classes, or with
 * a number.
 *
 * With S the scatter matrix of the rows and B the part of it that the targets explain (classes: between their means), the
 * directions a solve  B a = rho^2 S a  and rho is the canonical correlation. S = R'R by Cholesky with pivoting, columns
 * scaled to length 1 before: columns that the others determine to a relative 1e-4 are left out, as the authors of
 * canonical correlation forests do with QR. Scaling and shifting of columns changes nothing but rounding. */
#ifndef SVF_CUT_CANONICAL_H
#define SVF_CUT_CANONICAL_H

#include <stdint.h>
#include "base/arena.h"
#include "la/la.h"

/* Rows with weight 0 are not there. */
typedef struct svf_sample {
  size_t n, p;
  const float *x;       /* n x p */
  const double *weight; /* n */
  const int32_t *label; /* n codes below k, or NULL */
  const double *value;  /* n, where there are no labels */
  size_t k;
  const atomic_int *stop; /* once it is not 0 nobody uses what comes out; NULL: nobody stops */
} svf_sample;

/* Scatter matrix: sum of weight (x - mean)(x - mean)', p rows of svf_padded(p), both triangles. A column that does not vary
 * gives exactly 0. False: memory ran out. */
bool svf_scatter(const svf_la *la, const svf_sample *sample, double *mean, double *h, svf_arena *arena);

/* Directions in order of falling correlation, at most p, and fewer than there are classes (1 for a number). From the arena,
 * which keeps them. */
typedef struct svf_canonical {
  size_t count;
  double *direction; /* count x p; columns left out are 0 */
  double *square;    /* count: squared correlations */
} svf_canonical;
bool svf_canonical_find(const svf_la *la, const svf_sample *sample, svf_arena *arena, svf_canonical *canonical);

#endif
