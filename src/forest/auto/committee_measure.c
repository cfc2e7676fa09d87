/* committee_measure.c - how good answers on held-out rows are: the losses that a committee's weights may minimise. */
#include "forest/auto/committee.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "la/elementary.h"

int svf_aim_of(const svf_settings *settings, svf_task task) {
  if (settings->aim != SVF_AIM_AUTO) return settings->aim;
  return task == SVF_TASK_CLASS ? SVF_AIM_LOG_LOSS : SVF_AIM_MSE;
}

static size_t top(const double *p, size_t k) {
  size_t best = 0;
  for (size_t c = 1; c < k; c++)
    if (p[c] > p[best]) best = c;
  return best;
}

/* The loss of one row. */
static double row_loss(const svf_bench *bench, const double *answer, size_t row) {
  const double *p = answer + row * bench->k;
  double off = bench->label ? 0 : *p / bench->unit - bench->value[row] / bench->unit;
  switch (bench->aim) {
  case SVF_AIM_LOG_LOSS:
    return -svf_log(svf_bench_smooth(bench, p[bench->label[row]]));
  case SVF_AIM_ACCURACY:
    return top(p, bench->k) != (size_t)bench->label[row];
  case SVF_AIM_MAE:
    return fabs(off);
  default:
    return off * off;
  }
}

static int by_answer(const void *left, const void *right) {
  double a = ((const svf_ranked *)left)->answer, b = ((const svf_ranked *)right)->answer;
  return (a > b) - (a < b);
}

/* The chance that a row of the class is placed above a row of another, ties counting half; NaN: one kind of rows only. */
static double auc_of(svf_ranked *row, size_t count) {
  double below = 0, hits = 0, pairs = 0;
  qsort(row, count, sizeof *row, by_answer);
  for (size_t i = 0, end; i < count; i = end) {
    double hit = 0, miss = 0;
    for (end = i; end < count && row[end].answer == row[i].answer; end++)
      *(row[end].hit ? &hit : &miss) += row[end].weight;
    pairs += hit * (below + miss / 2);
    below += miss, hits += hit;
  }
  return pairs / (hits * below);
}

/* Each class against the rest, the mean over the classes that have both. Two classes need one. */
static double auc_loss(const svf_bench *bench, const double *answer, const uint32_t *rows, size_t count,
                       svf_ranked *scratch) {
  double sum = 0, classes = 0;
  for (size_t c = bench->k == 2; c < bench->k; c++) {
    for (size_t i = 0; i < count; i++)
      scratch[i] =
          (svf_ranked){answer[rows[i] * bench->k + c], bench->weight[rows[i]], bench->label[rows[i]] == (int32_t)c};
    double auc = auc_of(scratch, count);
    if (!isnan(auc)) sum += auc, classes++;
  }
  return classes > 0 ? 1 - sum / classes : .5;
}

double svf_bench_loss(const svf_bench *bench, const double *answer, const uint32_t *rows, size_t count,
                      svf_ranked *scratch) {
  double sum = 0, all = 0;
  if (bench->aim == SVF_AIM_AUC) return auc_loss(bench, answer, rows, count, scratch);
  for (size_t i = 0; i < count; i++) {
    double weight = bench->weight[rows[i]];
    if (!(weight > 0)) continue;
    sum += weight * row_loss(bench, answer, rows[i]);
    all += weight;
  }
  return all > 0 ? sum / all : (double)NAN;
}

double svf_bench_score(const svf_bench *bench, double loss) {
  if (bench->aim == SVF_AIM_ACCURACY || bench->aim == SVF_AIM_AUC) return 1 - loss;
  if (bench->aim == SVF_AIM_MAE) return fmin(loss * bench->unit, DBL_MAX);
  return bench->aim == SVF_AIM_MSE ? fmin(loss * bench->unit * bench->unit, DBL_MAX) : loss;
}
