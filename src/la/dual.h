/* dual.h - the kernels of the dual solver (svm/kernel_smo.c) and of kernel functions, one table per instruction set.
 *
 * Arrays have svf_padded(n) numbers. `rise` is 0 where a dual variable may grow and -inf where not, `fall` 0 where it may
 * shrink and +inf where not; pads can do neither. */
#ifndef SVF_LA_DUAL_H
#define SVF_LA_DUAL_H

#include <stddef.h>

/* The most violating pair of first order: the first row with the largest e that may rise, the smallest e that may fall. */
typedef struct svf_lead {
  size_t at;
  double up, low; /* -inf, +inf: none may */
} svf_lead;

/* A row that looks for its partner. */
typedef struct svf_seeker {
  const float *k; /* its row of the kernel matrix */
  double e;
  float own;   /* its diagonal entry */
  float least; /* curvatures below this count as this */
} svf_seeker;

typedef struct svf_dual {
  svf_lead (*lead)(size_t n, const double *e, const double *rise, const double *fall);
  /* e -= delta (ki - kj), and the lead of the new e. */
  svf_lead (*move)(size_t n, double delta, const float *ki, const float *kj, const double *rise, const double *fall,
                   double *e);
  /* The partner that may fall with the largest gain (e_i - e_j)^2 / (K_ii + K_jj - 2 K_ij) among those with e_j < e_i,
   * the first of equals; n where there is none. Gains are compared in single precision. */
  size_t (*pair)(size_t n, const svf_seeker *seeker, const double *e, const double *fall, const float *diagonal);
  /* y += a x */
  void (*add)(size_t n, double a, const float *x, double *y);
  /* out[q] += sum_i a_qi x_i for `count` rows a_q of `stride` numbers each; n a multiple of SVF_LANES, x at any
   * address. */
  void (*blend)(size_t n, size_t count, size_t stride, const double *a, const float *x, double *out);
  /* z = (gamma z + coef0)^degree */
  void (*powers)(size_t n, double gamma, double coef0, unsigned degree, double *z);
  /* z = exp(-gamma z), 0 where that is below 1e-217 */
  void (*decays)(size_t n, double gamma, double *z);
  /* out[i] = sum_j (x_ij - y_j)^2 / (x_ij + y_j) over n rows of ld floats, negative numbers counted as 0 */
  void (*chi)(size_t n, size_t ld, const float *x, const float *y, double *out);
} svf_dual;

#endif
