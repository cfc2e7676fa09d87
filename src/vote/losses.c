/* losses.c - the losses of vote=boost: start, gradient over second derivative, second derivative. docs/boost.md has them all. */
#include "vote/boosting.h"

#include <math.h>
#include <stdlib.h>
#include "la/elementary.h"

/* Second derivatives are kept above this, so that no step is infinite. */
#define LEAST 1e-6

/* Share of the residuals that Huber's loss takes as they are. */
#define HUBER 0.9

/* ---- numbers ---- */

static void start_mean(svf_boosting *b) {
  double all = 0, mean = 0;
  for (size_t i = 0; i < b->n; i++) {
    double weight = svf_boosting_weight(b, i);
    all += weight;
    if (weight > 0) mean += weight / all * (b->target[i] - mean);
  }
  b->start[0] = mean;
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median where every row weighs the same; else the mean, from which the first rounds find it. */
static void start_median(svf_boosting *b) {
  start_mean(b);
  if (b->frame->weight) return;
  for (size_t i = 0; i < b->n; i++) b->room[i] = b->target[i];
  qsort(b->room, b->n, sizeof *b->room, by_number);
  b->start[0] = (b->room[(b->n - 1) / 2] + b->room[b->n / 2]) / 2;
}

static double off(const svf_boosting *b, size_t row) { return b->target[row] - b->sum[row]; }

static void respond_squared(const svf_boosting *b, size_t row, double *value, double *curvature) {
  value[row] = off(b, row);
  curvature[row] = 1;
}
static double measure_squared(const svf_boosting *b, size_t row) { return off(b, row) * off(b, row) / 2; }

static void respond_absolute(const svf_boosting *b, size_t row, double *value, double *curvature) {
  double r = off(b, row);
  value[row] = (r > 0) - (r < 0);
  curvature[row] = 1;
}
static double measure_absolute(const svf_boosting *b, size_t row) { return fabs(off(b, row)); }

/* delta: the HUBER quantile of the residuals of the rows that trees see. */
static void begin_huber(svf_boosting *b) {
  size_t count = 0;
  for (size_t i = 0; i < b->n; i++)
    if (svf_boosting_weight(b, i) > 0 && !b->apart[i]) b->room[count++] = fabs(off(b, i));
  qsort(b->room, count, sizeof *b->room, by_number);
  if (count) b->delta = b->room[(size_t)(HUBER * (double)(count - 1))];
}
static void respond_huber(const svf_boosting *b, size_t row, double *value, double *curvature) {
  value[row] = fmax(-b->delta, fmin(b->delta, off(b, row)));
  curvature[row] = 1;
}
static double measure_huber(const svf_boosting *b, size_t row) {
  double r = fabs(off(b, row));
  return r <= b->delta ? r * r / 2 : b->delta * (r - b->delta / 2);
}

/* ---- classes ---- */

/* Log-odds, or the logarithms of the frequencies; an absent class counts as a millionth of all. */
static void start_classes(svf_boosting *b) {
  size_t k = b->frame->k;
  double all = 0, *of = b->room; /* k <= n: every class has a row, or more rooms are taken */
  for (size_t c = 0; c < k; c++) of[c] = 0;
  for (size_t i = 0; i < b->n; i++)
    of[b->frame->label[i]] += svf_boosting_weight(b, i), all += svf_boosting_weight(b, i);
  for (size_t c = 0; c < k; c++) of[c] = svf_log(fmax(of[c] / all, 1e-6));
  for (size_t c = 0; c < b->s; c++) b->start[c] = k == 2 ? of[1] - of[0] : k == 1 ? 0 : of[c];
}

static double logistic(double x) { return x >= 0 ? 1 / (1 + svf_exp(-x)) : svf_exp(x) / (1 + svf_exp(x)); }

void svf_boosting_probabilities(size_t k, const double *sum, double *share) {
  double most = sum[0], all = 0;
  if (k == 1) {
    share[0] = 1;
    return;
  }
  if (k == 2) {
    double p = logistic(sum[0]);
    share[0] = logistic(-sum[0]);
    share[1] = p;
    return;
  }
  for (size_t c = 1; c < k; c++) most = fmax(most, sum[c]);
  for (size_t c = 0; c < k; c++) all += share[c] = svf_exp(sum[c] - most);
  for (size_t c = 0; c < k; c++) share[c] /= all;
}

/* For more than two classes h is (k - 1) / k of what its diagonal says, the step of one sum with the others following. */
static void respond_logistic(const svf_boosting *b, size_t row, double *value, double *curvature) {
  size_t k = b->frame->k, label = (size_t)b->frame->label[row];
  const double *sum = b->sum + row * b->s;
  if (k <= 2) {
    double p = k == 2 ? logistic(sum[0]) : 0, rest = k == 2 ? logistic(-sum[0]) : 1;
    double gradient = k == 1 ? 0 : label == 1 ? -rest : p;
    curvature[row] = fmax(p * rest, LEAST);
    value[row] = -gradient / curvature[row];
    return;
  }
  double most = sum[0], all = 0;
  for (size_t c = 1; c < k; c++) most = fmax(most, sum[c]);
  for (size_t c = 0; c < k; c++) all += svf_exp(sum[c] - most);
  for (size_t c = 0; c < k; c++) {
    double p = svf_exp(sum[c] - most) / all, h = fmax(p * (1 - p) * ((double)k / (double)(k - 1)), LEAST);
    curvature[c * b->n + row] = h;
    value[c * b->n + row] = ((label == c) - p) / h;
  }
}

/* -log p of the row's class. */
static double measure_logistic(const svf_boosting *b, size_t row) {
  size_t k = b->frame->k, label = (size_t)b->frame->label[row];
  const double *sum = b->sum + row * b->s;
  double most = 0, all = 0;
  if (k == 1) return 0;
  if (k == 2) {
    double x = label == 1 ? sum[0] : -sum[0];
    return x >= 0 ? svf_log(1 + svf_exp(-x)) : svf_log(1 + svf_exp(x)) - x;
  }
  for (size_t c = 0; c < k; c++) most = fmax(most, sum[c] - sum[label]);
  for (size_t c = 0; c < k; c++) all += svf_exp(sum[c] - sum[label] - most);
  return most + svf_log(all);
}

static const svf_loss squared = {
    .name = "squared", .even = true, .start = start_mean, .respond = respond_squared, .measure = measure_squared};
static const svf_loss absolute = {.name = "absolute",
                                  .even = true,
                                  .median = true,
                                  .start = start_median,
                                  .respond = respond_absolute,
                                  .measure = measure_absolute};
static const svf_loss huber = {.name = "huber",
                               .even = true,
                               .start = start_median,
                               .begin = begin_huber,
                               .respond = respond_huber,
                               .measure = measure_huber};
static const svf_loss logistic_loss = {.name = "logistic",
                                       .classes = true,
                                       .start = start_classes,
                                       .respond = respond_logistic,
                                       .measure = measure_logistic};

const svf_loss *const svf_losses[] = {&squared, &absolute, &huber, &logistic_loss, NULL};
