/* committee_settle.c - weights and curve of a committee, chosen on the held-out answers of its members.
 *
 * How good the whole is, is measured by a second level of folds: weights and curve from the other folds' rows answer for
 * those of each. The same answers decide whether a fitted curve helps. The best single member is no candidate: on small
 * tables it is the best by luck. */
#include "forest/auto/committee_assembly.h"

#include <math.h>
#include <string.h>

static void blend(const svf_assembly *a, const svf_finished *f, const double *weight, const uint32_t *rows,
                  size_t count, double *sum) {
  size_t k = a->bench.k;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < k; c++) {
      double all = 0;
      for (size_t m = 0; m < f->count; m++) all += weight[m] * f->answer[m][rows[i] * k + c];
      sum[rows[i] * k + c] = all;
    }
}

/* Ways to answer, each judged on rows that had no say in its weights and its curve. */
enum { SMOOTHED, CURVED, WAYS };

static size_t rows_of(const svf_assembly *a, int32_t fold, bool inside, uint32_t *rows) {
  size_t count = 0;
  for (size_t i = 0; i < a->bench.n; i++)
    if ((a->fold[i] == fold) == inside) rows[count++] = (uint32_t)i;
  return count;
}

/* answer: n x k for each way; sum: scratch. */
static svf_status answer_second(svf_assembly *a, const svf_finished *f, int32_t fold, double *sum,
                                double *const *answer) {
  double weight[SVF_MEMBERS];
  size_t k = a->bench.k, others = rows_of(a, fold, false, a->part);
  if (!svf_committee_weigh(&a->bench, f->answer, f->count, a->part, others, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  blend(a, f, weight, a->all, a->bench.n, sum);
  svf_curve curve = {.kind = SVF_CURVE_NONE};
  if (a->bench.label) curve = svf_curve_fit(&a->bench, a->la, sum, a->part, others, &a->arena);
  size_t count = rows_of(a, fold, true, a->part);
  for (size_t i = 0; i < count; i++) {
    size_t at = a->part[i] * k;
    for (int w = 0; w < WAYS; w++) memcpy(answer[w] + at, sum + at, k * sizeof(double));
    svf_curve_apply(&curve, k, answer[CURVED] + at);
  }
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}

/* Mean over the folds and its standard error, in the words of the user. */
static void score_folds(svf_assembly *a, const double *answer, double *score, double *deviation) {
  double sum = 0, square = 0, folds = (double)a->plan.folds;
  for (size_t f = 0; f < a->plan.folds; f++) {
    size_t count = rows_of(a, (int32_t)f, true, a->part);
    double one = svf_bench_score(&a->bench, svf_bench_loss(&a->bench, answer, a->part, count, a->ranked));
    sum += one, square += one * one;
  }
  *deviation = sqrt(fmax(square / folds - sum * sum / folds / folds, 0) / (folds - 1));
  *score = svf_bench_score(&a->bench, svf_bench_loss(&a->bench, answer, a->all, a->bench.n, a->ranked));
}

/* Judges the ways, by the log-loss, whatever the aim: the curve is there for the probabilities. */
static svf_status judge_ways(svf_assembly *a, const svf_finished *f, double *sum, double **answer, int *way) {
  svf_bench loss = a->bench;
  double value[WAYS];
  SVF_TRY(svf_table_folds(a->table, a->plan.folds, (uint64_t)a->settings->seed, a->fold, a->message));
  for (size_t fold = 0; fold < a->plan.folds; fold++) SVF_TRY(answer_second(a, f, (int32_t)fold, sum, answer));
  *way = SMOOTHED;
  if (!a->bench.label) return SVF_OK;
  loss.aim = SVF_AIM_LOG_LOSS;
  for (int w = 0; w < WAYS; w++) value[w] = svf_bench_loss(&loss, answer[w], a->all, a->bench.n, a->ranked);
  if (value[CURVED] < value[SMOOTHED]) *way = CURVED;
  return SVF_OK;
}

svf_status svf_committee_settle(svf_assembly *a, const svf_finished *f, double *weight, svf_committee_parts *parts) {
  size_t n = a->bench.n, cells = n * a->bench.k;
  int way = SMOOTHED;
  double *sum = SVF_TAKE(&a->arena, double, cells), *answer[WAYS];
  for (int w = 0; w < WAYS; w++) answer[w] = SVF_TAKE(&a->arena, double, cells);
  if (svf_arena_failed(&a->arena)) return svf_no_memory(a->message, "the weights of a committee");
  SVF_TRY(judge_ways(a, f, sum, answer, &way));
  score_folds(a, answer[way], &parts->whole_score, &parts->whole_deviation);
  if (!svf_committee_weigh(&a->bench, f->answer, f->count, a->all, n, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  if (way == SMOOTHED) {
    if (a->bench.label) parts->curve = svf_curve_smooth(a->bench.smooth);
    return SVF_OK;
  }
  blend(a, f, weight, a->all, n, sum);
  parts->curve = svf_curve_fit(&a->bench, a->la, sum, a->all, n, &a->arena);
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}
