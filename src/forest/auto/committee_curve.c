/* committee_curve.c - from the sum of a committee to calibrated probabilities, fitted to held-out rows.
 *
 * Two classes: Platt's sigmoid of the log-odds z = log(p_1 / p_0) (svm/platt.c). More: one temperature,
 *
 *   q_c = p_c^t / sum_b p_b^t,     min over u = log t   F(u) = -sum_i v_i log q_{y_i}(e^u) + 4 v u^2,
 *
 * v the mean weight, p smoothed first, so that no logarithm is infinite. The last term keeps the temperature of few rows near
 * 1. The zero of F' is enclosed: Newton's steps that leave the interval are replaced by its middle. */
#include "forest/auto/committee.h"

#include <math.h>
#include "la/elementary.h"
#include "svm/solver.h"

#define MOST_POWER 3. /* |log t| */
#define PRIOR      4.

static double log_odds(const svf_bench *bench, const double *p) {
  return svf_log(svf_bench_smooth(bench, p[1])) - svf_log(svf_bench_smooth(bench, p[0]));
}

static svf_curve fit_logistic(const svf_bench *bench, const svf_la *la, const double *answer, const uint32_t *rows,
                              size_t count, svf_arena *scratch) {
  svf_curve curve = {.kind = SVF_CURVE_LOGISTIC, .smooth = bench->smooth};
  double *z = SVF_TAKE(scratch, double, count), *weight = SVF_TAKE(scratch, double, count);
  unsigned char *hit = SVF_TAKE(scratch, unsigned char, count);
  if (svf_arena_failed(scratch)) return curve;
  for (size_t i = 0; i < count; i++) {
    z[i] = log_odds(bench, answer + 2 * rows[i]);
    hit[i] = bench->label[rows[i]] == 1;
    weight[i] = bench->weight[rows[i]];
  }
  svf_calibrate(la, count, z, hit, weight, &curve.slope, &curve.shift);
  return curve;
}

/* First and second derivative by t of what one row adds. */
static void add_row(const svf_bench *bench, const double *p, int32_t label, double t, double *log_p, double d[2]) {
  double most = -INFINITY, sum = 0, mean = 0, square = 0;
  for (size_t c = 0; c < bench->k; c++) {
    log_p[c] = svf_log(svf_bench_smooth(bench, p[c]));
    most = fmax(most, log_p[c]);
  }
  for (size_t c = 0; c < bench->k; c++) {
    double q = svf_exp(t * (log_p[c] - most));
    sum += q, mean += q * log_p[c], square += q * log_p[c] * log_p[c];
  }
  mean /= sum;
  d[0] = mean - log_p[label];
  d[1] = square / sum - mean * mean;
}

/* First and second derivative of F by u. */
static void derive(const svf_bench *bench, const double *answer, const uint32_t *rows, size_t count, double u,
                   double *log_p, double d[2]) {
  double t = svf_exp(u), by_t[2] = {0}, all = 0, counted = 0;
  for (size_t i = 0; i < count; i++) {
    double one[2], weight = bench->weight[rows[i]];
    if (!(weight > 0)) continue;
    add_row(bench, answer + rows[i] * bench->k, bench->label[rows[i]], t, log_p, one);
    by_t[0] += weight * one[0], by_t[1] += weight * one[1], all += weight, counted++;
  }
  double prior = counted > 0 ? PRIOR * all / counted : 1;
  d[0] = by_t[0] * t + 2 * prior * u;
  d[1] = by_t[1] * t * t + by_t[0] * t + 2 * prior;
}

static svf_curve fit_temperature(const svf_bench *bench, const double *answer, const uint32_t *rows, size_t count,
                                 svf_arena *scratch) {
  enum { STEPS = 60 };
  svf_curve curve = {.kind = SVF_CURVE_TEMPERATURE, .smooth = bench->smooth, .slope = 1};
  double low = -MOST_POWER, high = MOST_POWER, u = 0, *log_p = SVF_TAKE(scratch, double, bench->k);
  if (!log_p) return curve;
  for (int step = 0; step < STEPS && high - low > 1e-9; step++) {
    double d[2], last = u;
    derive(bench, answer, rows, count, u, log_p, d);
    *(d[0] > 0 ? &high : &low) = u;
    double next = d[1] > 0 ? u - d[0] / d[1] : NAN;
    u = next > low && next < high ? next : (low + high) / 2;
    if (fabs(u - last) <= 1e-9) break;
  }
  curve.slope = svf_exp(u);
  return curve;
}

svf_curve svf_curve_fit(const svf_bench *bench, const svf_la *la, const double *answer, const uint32_t *rows,
                        size_t count, svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  svf_curve curve = bench->k == 2 ? fit_logistic(bench, la, answer, rows, count, scratch)
                                  : fit_temperature(bench, answer, rows, count, scratch);
  if (svf_arena_failed(scratch)) return curve; /* the caller asks */
  svf_arena_release(scratch, mark);
  return curve;
}

void svf_curve_apply(const svf_curve *curve, size_t k, double *p) {
  svf_bench bench = {.k = k, .smooth = curve->smooth};
  if (curve->kind == SVF_CURVE_LOGISTIC) {
    double z = curve->slope * log_odds(&bench, p) + curve->shift, e = svf_exp(-fabs(z));
    p[z > 0 ? 0 : 1] = 1 / (1 + e);
    p[z > 0 ? 1 : 0] = e / (1 + e);
  } else if (curve->kind == SVF_CURVE_TEMPERATURE) {
    double most = 0, sum = 0;
    for (size_t c = 0; c < k; c++) most = fmax(most, p[c] = svf_bench_smooth(&bench, p[c]));
    for (size_t c = 0; c < k; c++) sum += p[c] = svf_exp(curve->slope * svf_log(p[c] / most));
    for (size_t c = 0; c < k; c++) p[c] /= sum;
  }
}
