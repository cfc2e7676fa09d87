/* scores.c - scores, and how far they would move if the rows were drawn again (Efron's bootstrap, percentile intervals). */
#include "base/random.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 500 };
#define TAIL .025

/* ---- the scores ---- */

static void measure(const svf_outcome *o, const svf_ranks *ranks, double *weigh, double score[SVF_REPORT_SCORES]) {
  svf_class_measures m;
  svf_value_measures v;
  if (o->k) {
    svf_measure_ranked(o, ranks, weigh, &m);
    const double all[] = {m.accuracy, m.balanced_accuracy, m.f1, m.auc, m.log_loss};
    memcpy(score, all, sizeof all);
  } else {
    svf_measure_values(o, &v);
    const double all[] = {v.rmse, v.mae, v.r2, v.mse, 0};
    memcpy(score, all, sizeof all);
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- an answer that is the same for all rows ---- */

/* The most frequent class, and the shares of the classes as probabilities. */
static void compare_classes(svf_report *r, double *weight) {
  double most = 0, entropy = 0, there = 0;
  memset(weight, 0, r->rows.k * sizeof *weight);
  for (size_t i = 0; i < r->rows.n; i++)
    if (r->rows.label[i] >= 0) weight[r->rows.label[i]] += svf_report_weight(r, i);
  for (size_t c = 0; c < r->rows.k; c++) {
    double share = weight[c] / r->total;
    most = fmax(most, share);
    if (share > 0) entropy -= share * log(share), there++;
  }
  const double constant[] = {most, 1 / (there + (r->classes.unknown > 0)), NAN, .5, entropy};
  for (size_t s = 0; s < r->scores; s++) r->score[s].constant = constant[s];
  if (r->classes.unknown) r->score[4].constant = NAN;
}

/* The mean. */
static void compare_values(svf_report *r) {
  double mean = 0, square = 0, size = 0;
  for (size_t i = 0; i < r->rows.n; i++) mean += svf_report_weight(r, i) / r->total * r->rows.value[i];
  for (size_t i = 0; i < r->rows.n; i++) {
    double off = r->rows.value[i] - mean, share = svf_report_weight(r, i) / r->total;
    square += share * off * off;
    size += share * fabs(off);
  }
  const double constant[] = {sqrt(square), size, 0, square};
  for (size_t s = 0; s < r->scores; s++) r->score[s].constant = constant[s];
}

/* ---- samples of the rows ---- */

typedef struct job {
  const svf_report *r;
  double *score; /* resamples x scores */
} job;

static svf_status resample(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  const svf_report *r = j->r;
  svf_outcome o = r->rows;
  svf_mark mark = svf_arena_mark(&worker->arena);
  double *weight = SVF_ZERO(&worker->arena, double, o.n), *weigh = SVF_TAKE(&worker->arena, double, 3 * (o.k + 1));
  double score[SVF_REPORT_SCORES];
  bool fine = weight && weigh;
  if (fine) {
    svf_random random = svf_random_at(
        (svf_place){.seed = r->options->seed, .use = SVF_USE_REPORT, .tree = SVF_REPORT_BOOTSTRAP, .trial = index});
    for (size_t i = 0; i < o.n; i++) weight[svf_random_below(&random, o.n)]++;
    for (size_t i = 0; i < o.n; i++) weight[i] *= svf_report_weight(r, i);
    o.weight = weight;
    measure(&o, &r->ranks, weigh, score);
    memcpy(j->score + index * r->scores, score, r->scores * sizeof *score);
  }
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "the intervals of the scores");
}

/* Between the two nearest of the sorted numbers. */
static double quantile(const double *x, size_t n, double p) {
  double at = p * (double)(n - 1);
  size_t low = (size_t)at;
  return low + 1 < n ? x[low] + (at - (double)low) * (x[low + 1] - x[low]) : x[n - 1];
}

/* A sample in which a score has no meaning, as it lacks a class, does not count. */
static void find_interval(svf_report *r, const double *all, size_t s, double *own) {
  size_t count = 0;
  svf_score *score = &r->score[s];
  for (size_t b = 0; b < r->resamples; b++)
    if (isfinite(all[b * r->scores + s])) own[count++] = all[b * r->scores + s];
  score->low = score->high = NAN;
  if (2 * count < r->resamples || !count) return;
  qsort(own, count, sizeof *own, by_size);
  score->low = quantile(own, count, TAIL);
  score->high = quantile(own, count, 1 - TAIL);
}

svf_status svf_report_scores(svf_report *r, svf_pool *pool, svf_message *message) {
  static const char *const classes[] = {"accuracy", "balanced accuracy", "F1", "AUC", "log-loss"};
  static const char *const values[] = {"RMSE", "MAE", "R²", "MSE"};
  r->scores = r->rows.k ? 5 : 4;
  r->resamples = r->options->resamples ? r->options->resamples : RESAMPLES;
  double *weigh = SVF_TAKE(&r->memory, double, 3 * (r->rows.k + 1));
  double *all = SVF_TAKE(&r->memory, double, r->resamples * r->scores),
         *own = SVF_TAKE(&r->memory, double, r->resamples);
  if (svf_arena_failed(&r->memory)) return svf_no_memory(message, "the intervals of the scores");
  double score[SVF_REPORT_SCORES];
  svf_stage stage = {"bootstrap", .2, .35, NULL};
  job j = {r, all};
  measure(&r->rows, &r->ranks, weigh, score);
  if (r->rows.k) svf_measure_ranked(&r->rows, &r->ranks, weigh, &r->classes);
  SVF_TRY(svf_pool_run(pool, &stage, r->resamples, resample, &j, message));
  for (size_t s = 0; s < r->scores; s++) {
    r->score[s] = (svf_score){.name = (r->rows.k ? classes : values)[s], .value = score[s]};
    find_interval(r, all, s, own);
  }
  if (r->rows.k) compare_classes(r, weigh);
  else compare_values(r);
  return SVF_OK;
}
