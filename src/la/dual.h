/* dual.h - the kernels of the dual solver (svm/kernel_smo.c) and of kernel functions, one table per instruction set.
 *
 * Arrays have svf_padded(n) numbers. `rise` is 0 where a dual variable may grow and -inf where not, `fall` 0 where it may
 * shrink and +inf where not; pads can do neither. */
#ifndef SVF_LA_DUAL_H
#define SVF_LA_DUAL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The most violating pair of first order: the first row with the largest e that may rise, the smallest e that may fall. */
typedef struct svf_lead {
  size_t at;
  double up, low; /* -inf, +inf: none may */
} svf_lead;

/* Steps on pairs of variables (svm/kernel_smo.c): the row that leads, and the partner that may fall with the largest gain
 * (e_i - e_j)^2 / (K_ii + K_jj - 2 K_ij) among those with e_j < e_i, the first of equals; gains are compared in single
 * precision. */
typedef struct svf_climb {
  size_t n;
  const float *const *row; /* n rows of the kernel matrix; NULL: not there yet */
  unsigned char *recent;   /* n: set where a row was used */
  const float *diagonal;
  const double *low, *high; /* bounds of the variables */
  double *beta, *e, *rise, *fall;
  float least; /* curvatures below this count as this */
  double eps;  /* ends where lead.up is no more than this above lead.low */
  svf_lead lead;
  size_t want, keep; /* SVF_CLIMB_ROW: row `want` is not there; the other row of the step is `keep` */
} svf_climb;
/* What variable i may do now. */
static inline void svf_climb_sides(const svf_climb *c, size_t i) {
  c->rise[i] = c->beta[i] < c->high[i] ? 0 : -INFINITY;
  c->fall[i] = c->beta[i] > c->low[i] ? 0 : INFINITY;
}
typedef enum svf_climb_end {
  SVF_CLIMB_TOP,  /* up to eps, or no pair can gain */
  SVF_CLIMB_TIME, /* after the steps it was given */
  SVF_CLIMB_ROW
} svf_climb_end;

/* Some rows of a kernel matrix, each times `count` factors. Reads up to a multiple of SVF_LANES numbers of a row from any
 * address, and writes as many. */
typedef struct svf_weighing {
  size_t n, count, room; /* room: numbers from one q to the next */
  size_t terms;
  const uint32_t *row; /* terms */
  const double *a;     /* terms x count */
  const float *k;
  size_t stride;
} svf_weighing;

typedef struct svf_dual {
  svf_lead (*lead)(size_t n, const double *e, const double *rise, const double *fall);
  /* Up to `most` steps from c->lead on; *steps is counted up. */
  svf_climb_end (*climb)(svf_climb *c, size_t most, size_t *steps);
  /* y += a x */
  void (*add)(size_t n, double a, const float *x, double *y);
  /* out[q * room + i] += sum_t a[t * count + q] k[row_t * stride + i], i < n; see below. */
  void (*weigh)(const svf_weighing *w, double *out);
  /* z = (gamma z + coef0)^degree */
  void (*powers)(size_t n, double gamma, double coef0, unsigned degree, double *z);
  /* z = exp(-gamma z), 0 where that is below 1e-217 */
  void (*decays)(size_t n, double gamma, double *z);
  /* out[i] = sum_j (x_ij - y_j)^2 / (x_ij + y_j) over n rows of ld floats, negative numbers counted as 0 */
  void (*chi)(size_t n, size_t ld, const float *x, const float *y, double *out);
} svf_dual;

#endif
