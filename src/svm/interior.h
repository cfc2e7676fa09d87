/* interior.h - what the interior-point solvers share: pairs of positive variables x_i y_i that go to 0
 * together.
 *
 * Both follow the path where all products equal mu, by the predictor and corrector of Mehrotra (1992). */
#ifndef SVF_SVM_INTERIOR_H
#define SVF_SVM_INTERIOR_H

#include <math.h>
#include <stddef.h>

/* Where the products claim a gap this much smaller than the true one, rounding has had the last word. */
#define SVF_ROUNDING 1e-4

/* The larger of `limit` and the rate max_i -dx_i / x_i; 1 / rate is how long a step may be that keeps x
 * positive. */
static inline double svf_interior_rate(size_t n, const double *x, const double *dx, double limit) {
  for (size_t i = 0; i < n; i++) limit = fmax(limit, -dx[i] / x[i]);
  return limit;
}

/* The length to take for a rate: short of the wall, at most 1. */
static inline double svf_interior_length(double rate) { return fmin(1, 0.99 / rate); }

/* The products' sum after a step of the given length. */
static inline double svf_interior_sum(size_t n, const double *x, const double *dx, const double *y, const double *dy,
                                      double length) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (x[i] + length * dx[i]) * (y[i] + length * dy[i]);
  return sum;
}

/* The mu to aim at, given what a step straight at 0 could reach. Lower than mu / 100 would leave the path. */
static inline double svf_interior_aim(double mu, double reached) {
  double ratio = reached / mu;
  return mu * fmax(0.01, ratio * ratio * ratio);
}

static inline void svf_interior_add(size_t n, double length, const double *dx, double *x) {
  for (size_t i = 0; i < n; i++) x[i] += length * dx[i];
}

#endif
