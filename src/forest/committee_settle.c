/* committee_settle.c - weights and curve of a committee, chosen on the held-out answers of its members.
 *
 * How good the whole is, is measured by a second level of folds: weights and curve from the other folds' rows answer for those
 * of each. The same answers decide whether a single member is as good as the sum, and whether a fitted curve helps. */
#include "forest/committee_assembly.h"

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
enum { SINGLE, SUM, SINGLE_CURVED, SUM_CURVED, WAYS };

typedef struct second_level {
  double *answer[WAYS]; /* n x k */
  size_t single;        /* of the finished members: the best one on all rows */
} second_level;

static size_t rows_of(const svf_assembly *a, int32_t fold, bool inside, uint32_t *rows) {
  size_t count = 0;
  for (size_t i = 0; i < a->bench.n; i++)
    if ((a->fold[i] == fold) == inside) rows[count++] = (uint32_t)i;
  return count;
}

static svf_status answer_second(svf_assembly *a, const svf_finished *f, int32_t fold, double *sum, second_level *s) {
  double weight[SVF_MEMBERS];
  size_t k = a->bench.k, others = rows_of(a, fold, false, a->part);
  if (!svf_committee_weigh(&a->bench, f->answer, f->count, a->part, others, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  blend(a, f, weight, a->all, a->bench.n, sum);
  const double *from[] = {f->answer[s->single], sum};
  svf_curve curve[2] = {{.kind = SVF_CURVE_NONE}, {.kind = SVF_CURVE_NONE}};
  for (int w = 0; w < 2 && a->bench.label; w++)
    curve[w] = svf_curve_fit(&a->bench, a->la, from[w], a->part, others, &a->arena);
  size_t count = rows_of(a, fold, true, a->part);
  for (size_t i = 0; i < count; i++)
    for (int w = 0; w < 2; w++) {
      size_t at = a->part[i] * k;
      memcpy(s->answer[w] + at, from[w] + at, k * sizeof(double));
      memcpy(s->answer[SINGLE_CURVED + w] + at, from[w] + at, k * sizeof(double));
      svf_curve_apply(&curve[w], k, s->answer[SINGLE_CURVED + w] + at);
    }
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}

static size_t best_single(const svf_assembly *a, const svf_finished *f) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t m = 0; m < f->count; m++) {
    double loss = svf_bench_loss(&a->bench, f->answer[m], a->all, a->bench.n, a->ranked);
    if (loss < least) least = loss, best = m;
  }
  return best;
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

/* Judges the ways. The curve is judged by the log-loss, whatever the aim: it is there for the probabilities. */
static svf_status judge_ways(svf_assembly *a, const svf_finished *f, second_level *s, int *way) {
  svf_bench loss = a->bench;
  size_t cells = a->bench.n * a->bench.k;
  double *sum = SVF_TAKE(&a->arena, double, cells), value[WAYS], log_loss[WAYS];
  for (int w = 0; w < WAYS; w++) s->answer[w] = SVF_TAKE(&a->arena, double, cells);
  if (svf_arena_failed(&a->arena)) return svf_no_memory(a->message, "the weights of a committee");
  SVF_TRY(svf_table_folds(a->table, a->plan.folds, (uint64_t)a->settings->seed, a->fold, a->message));
  s->single = best_single(a, f);
  for (size_t fold = 0; fold < a->plan.folds; fold++) SVF_TRY(answer_second(a, f, (int32_t)fold, sum, s));
  for (int w = 0; w < WAYS; w++) value[w] = svf_bench_loss(&a->bench, s->answer[w], a->all, a->bench.n, a->ranked);
  *way = value[SUM] < value[SINGLE] || isnan(value[SINGLE]) ? SUM : SINGLE;
  if (!a->bench.label) return SVF_OK;
  loss.aim = SVF_AIM_LOG_LOSS;
  for (int w = 0; w < WAYS; w++) log_loss[w] = svf_bench_loss(&loss, s->answer[w], a->all, a->bench.n, a->ranked);
  if (log_loss[*way + SINGLE_CURVED] < log_loss[*way]) *way += SINGLE_CURVED;
  return SVF_OK;
}

svf_status svf_committee_settle(svf_assembly *a, const svf_finished *f, double *weight, svf_committee_parts *parts) {
  second_level s = {.single = 0};
  int way = SINGLE;
  SVF_TRY(judge_ways(a, f, &s, &way));
  score_folds(a, s.answer[way], &parts->whole_score, &parts->whole_deviation);
  bool sum = way == SUM || way == SUM_CURVED;
  for (size_t m = 0; m < f->count; m++) weight[m] = m == s.single;
  if (sum &&
      !svf_committee_weigh(&a->bench, f->answer, f->count, a->all, a->bench.n, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  if (way < SINGLE_CURVED) {
    if (a->bench.label) parts->curve = svf_curve_smooth(a->bench.smooth);
    return SVF_OK;
  }
  blend(a, f, weight, a->all, a->bench.n, s.answer[SUM]);
  parts->curve = svf_curve_fit(&a->bench, a->la, s.answer[SUM], a->all, a->bench.n, &a->arena);
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}
