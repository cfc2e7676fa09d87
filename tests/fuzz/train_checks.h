/* train_checks.h - what must be true of every forest that was trained: all its answers are finite, and each way to ask for
 * them gives the same. */
#ifndef SVF_FUZZ_TRAIN_CHECKS_H
#define SVF_FUZZ_TRAIN_CHECKS_H

#include "train_refusals.h"

enum { ROUNDS = 3, TREES = ROUNDS * CLASSES, FEATURES = COLUMNS + 1, PROBES = 3 };

typedef struct answers {
  double values[ROWS], scores[ROWS * CLASSES], probabilities[ROWS * CLASSES], spreads[ROWS];
  int32_t leaves[ROWS * TREES];
} answers;

/* Has the forest trees that are added up, and so no spread? */
static inline bool adds_up(const svf_forest *forest) {
  return has_setting(svf_forest_settings(forest), "vote=boost");
}

static inline svf_prediction wanted(const sample *s, const svf_forest *forest, answers *a) {
  for (size_t i = 0; i < ROWS; i++) a->spreads[i] = 0;
  return (svf_prediction){.values = a->values,
                          .scores = a->scores,
                          .probabilities = s->classes ? a->probabilities : NULL,
                          .leaves = a->leaves,
                          .spreads = s->classes || adds_up(forest) ? NULL : a->spreads};
}

/* Leaves of precision=single hold theirs as floats. */
static inline void check_probabilities(const double *p, size_t k) {
  double sum = 0;
  for (size_t c = 0; c < k; c++) fuzz_demand(p[c] >= 0 && p[c] <= 1), sum += p[c];
  fuzz_demand(fabs(sum - 1) <= 1e-6);
}

static inline void check_answers(const sample *s, const svf_forest_info *info, const answers *a, size_t n) {
  for (size_t i = 0; i < n; i++) {
    fuzz_demand(isfinite(a->values[i]));
    if (s->classes) {
      fuzz_demand(a->values[i] >= 0 && a->values[i] < (double)s->classes && a->values[i] == floor(a->values[i]));
      check_probabilities(a->probabilities + i * s->classes, s->classes);
    } else fuzz_demand(isfinite(a->spreads[i]) && a->spreads[i] >= 0);
  }
  for (size_t i = 0; i < n * info->scores; i++) fuzz_demand(isfinite(a->scores[i]));
  for (size_t i = 0; i < n * info->trees; i++) fuzz_demand(a->leaves[i] >= 0);
}

/* Numbers as large and as small as there are, missing values, categories that there are not. */
static inline void check_far_rows(const sample *s, const svf_forest *forest, const svf_forest_info *info,
                                  svf_predictor *predictor) {
  static const double far[PROBES][3] = {{1e308, -1e308, 0}, {DBL_TRUE_MIN, 1, NAN}, {-DBL_MAX, 2.5, 1e15}};
  for (size_t p = 0; p < PROBES; p++) {
    double row[COLUMNS];
    answers a;
    svf_prediction want = wanted(s, forest, &a);
    for (size_t j = 0; j < s->d; j++) row[j] = far[p][j % 3];
    fuzz_demand(svf_predictor_row(predictor, row, &want, NULL) == SVF_OK);
    check_answers(s, info, &a, 1);
  }
}

/* A row alone has the same bits as in a table. */
static inline void check_rows(const sample *s, const svf_forest *forest, const svf_forest_info *info,
                              const answers *all) {
  svf_predictor *predictor;
  fuzz_demand(svf_predictor_new(forest, &predictor, NULL) == SVF_OK);
  for (size_t i = 0; i < s->n; i += 7) {
    answers a;
    svf_prediction want = wanted(s, forest, &a);
    fuzz_demand(svf_predictor_row(predictor, s->x + i * s->d, &want, NULL) == SVF_OK);
    fuzz_demand(!memcmp(a.values, all->values + i, sizeof *a.values));
    fuzz_demand(!memcmp(a.scores, all->scores + i * info->scores, info->scores * sizeof *a.scores));
    if (s->classes)
      fuzz_demand(!memcmp(a.probabilities, all->probabilities + i * s->classes, s->classes * sizeof *a.scores));
    else fuzz_demand(!memcmp(a.spreads, all->spreads + i, sizeof *a.spreads));
  }
  check_far_rows(s, forest, info, predictor);
  svf_predictor_free(predictor);
}

/* What the last tree brings is the answer of all. */
static inline void check_stages(const sample *s, const svf_forest *forest, const svf_forest_info *info,
                                const answers *all) {
  double values[ROWS * TREES], alone[ROWS * TREES], shares[ROWS * TREES * CLASSES];
  svf_stages stages = {.values = values, .alone = alone, .shares = s->classes ? shares : NULL};
  fuzz_demand(svf_predict_stages(forest, s->table, &(svf_run){.threads = 1}, &stages, NULL) == SVF_OK);
  for (size_t i = 0; i < s->n * info->trees; i++) fuzz_demand(isfinite(values[i]) && isfinite(alone[i]));
  for (size_t i = 0; i < s->n; i++) fuzz_demand(values[(i + 1) * info->trees - 1] == all->values[i]);
}

static inline void check_predictions(const sample *s, const svf_forest *forest, const svf_forest_info *info,
                                     answers *all) {
  svf_prediction want = wanted(s, forest, all);
  fuzz_demand(svf_predict(forest, s->table, &(svf_run){.threads = 1}, &want, NULL) == SVF_OK);
  fuzz_demand(want.unseen == 0);
  check_answers(s, info, all, s->n);
  check_rows(s, forest, info, all);
  check_stages(s, forest, info, all);
}

/* Rows in no bag have an answer, and all others NaN. */
static inline void check_oob(const sample *s, const svf_forest *forest, const svf_forest_info *info) {
  double values[ROWS], scores[ROWS * CLASSES], shares[ROWS * CLASSES], curve[TREES];
  svf_oob_answers want = {
      .values = values, .scores = scores, .probabilities = s->classes ? shares : NULL, .curve = curve};
  svf_message message;
  svf_status status = svf_forest_oob(forest, s->table, &(svf_run){.threads = 1}, &want, &message);
  if (status) {
    demand_reason(s, svf_forest_settings(forest), status, &message);
    return;
  }
  for (size_t i = 0; i < s->n; i++) {
    fuzz_demand(!isinf(values[i]));
    for (size_t c = 0; c < info->scores; c++)
      fuzz_demand(isfinite(scores[i * info->scores + c]) == isfinite(values[i]));
    if (s->classes && isfinite(values[i])) check_probabilities(shares + i * s->classes, s->classes);
  }
  fuzz_demand(want.result >= 0 || isnan(want.result));
  if (s->classes) fuzz_demand(!(want.result > 1));
  fuzz_demand(want.result == info->oob || (isnan(want.result) && isnan(info->oob)));
}

static inline void check_sum(const double *part, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) fuzz_demand(part[i] >= 0 && part[i] <= 1), sum += part[i];
  fuzz_demand(sum == 0 || fabs(sum - 1) <= 1e-9);
}

static inline void check_importance(const sample *s, const svf_forest *forest, bool oob) {
  double gain[FEATURES], leaf[FEATURES], mean[FEATURES];
  size_t count = s->d + s->made;
  svf_permutation permutation = {.repeats = 1, .seed = 1, .oob = oob, .mean = mean};
  fuzz_demand(svf_forest_importance(forest, gain, leaf, NULL) == SVF_OK);
  check_sum(gain, count);
  check_sum(leaf, count);
  svf_message message;
  svf_status status = svf_forest_permute(forest, s->table, &(svf_run){.threads = 1}, &permutation, &message);
  if (status) {
    demand_reason(s, svf_forest_settings(forest), status, &message);
    return;
  }
  for (size_t j = 0; s->classes && !isnan(permutation.result) && j < count; j++)
    fuzz_demand(mean[j] >= -1 && mean[j] <= 1);
}

static inline void check_bound(const sample *s, const svf_forest *forest) {
  svf_message message;
  svf_bound bound = {0};
  svf_status status = svf_forest_bound(forest, s->table, &(svf_run){.threads = 1}, &bound, &message);
  if (status) demand_reason(s, svf_forest_settings(forest), status, &message);
  else fuzz_demand(bound.error >= 0 && bound.error <= 1 && bound.bound >= 0);
}

#endif
