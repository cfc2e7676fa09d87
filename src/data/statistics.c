/* statistics.c - see statistics.h. */
#include "data/statistics.h"

#include <math.h>
#include <string.h>
#include "base/random.h"

enum { FOLDS = 10, SMOOTHING = 10 };

/* ---- the target ---- */

/* Weights of the classes: as given, or balanced (rows / (classes * rows of the class) up to a factor). */
static void find_class_weights(const svf_table *table, const int32_t *label, const svf_coding *coding,
                               double *weight) {
  size_t k = table->classes.count;
  for (size_t c = 0; c < k; c++) weight[c] = coding->balanced || !table->class_weight ? 1 : table->class_weight[c];
  if (!coding->balanced) return;
  for (size_t c = 0; c < k; c++) weight[c] = 0;
  double most = 0;
  for (size_t i = 0; table->weight && i < table->n; i++) most = fmax(most, table->weight[i]);
  for (size_t i = 0; i < table->n; i++)
    if (label[i] >= 0) weight[label[i]] += table->weight ? table->weight[i] / most : 1;
  for (size_t c = 0; c < k; c++)
    if (weight[c] > 0) weight[c] = 1 / weight[c];
}

/* Divides by the mean of those above 0. */
static void to_mean_one(double *weight, size_t n) {
  double most = 0, sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, weight[i]);
  for (size_t i = 0; most > 0 && i < n; i++) {
    sum += weight[i] /= most;
    count += weight[i] > 0;
  }
  for (size_t i = 0; sum > 0 && i < n; i++) weight[i] *= (double)count / sum;
}

static bool weigh(svf_targets *t, const svf_table *table, const svf_coding *coding, svf_arena *arena) {
  bool classes = t->label && (coding->balanced || table->class_weight);
  if (!table->weight && !classes) return true;
  size_t k = table->classes.count;
  double *weight = SVF_TAKE(arena, double, t->n), *of_class = SVF_TAKE(arena, double, k + 1), most = 0;
  if (!weight || !of_class) return false;
  if (classes) find_class_weights(table, t->label, coding, of_class);
  for (size_t c = 0; classes && c < k; c++) most = fmax(most, of_class[c]);
  for (size_t i = 0; i < t->n; i++) {
    weight[i] = table->weight ? table->weight[i] : 1;
    if (classes) weight[i] *= most > 0 && t->label[i] >= 0 ? of_class[t->label[i]] / most : 0;
  }
  to_mean_one(weight, t->n);
  t->weight = weight;
  return true;
}

bool svf_targets_open(svf_targets *targets, const svf_table *table, const int32_t *label, const svf_coding *coding,
                      svf_arena *arena) {
  svf_targets t = {.n = table->n, .k = table->classes.count, .label = label, .unit = 1};
  double most = 0;
  if (!label) t.value = table->value;
  for (size_t i = 0; t.value && i < t.n; i++) most = fmax(most, fabs(t.value[i]));
  if (most > 1) t.unit = ldexp(1, ilogb(most));
  unsigned char *fold = SVF_TAKE(arena, unsigned char, t.n);
  for (size_t i = 0; fold && i < t.n; i++) {
    svf_random random = svf_random_at((svf_place){coding->seed, SVF_USE_LEVELS, 0, i, 0});
    fold[i] = (unsigned char)svf_random_below(&random, FOLDS);
  }
  t.fold = fold;
  bool fine = fold && weigh(&t, table, coding, arena);
  *targets = t;
  return fine;
}

/* ---- the columns ---- */

size_t svf_statistics_count(const svf_table *table, size_t categories) {
  size_t k = table->classes.count, share = SVF_STATISTIC_COLUMNS / (categories ? categories : 1);
  if (table->task != SVF_TASK_CLASS || k <= 2) return 1;
  return k < share ? k : share > 1 ? share : 1;
}

bool svf_statistics_roles(const svf_table *table, svf_encoded *column, size_t count, svf_arena *scratch) {
  size_t k = table->classes.count;
  size_t *rows = SVF_ZERO(scratch, size_t, k + 1);
  if (!rows) return false;
  for (size_t i = 0; table->label && i < table->n; i++)
    if (table->label[i] >= 0) rows[table->label[i]]++;
  column[count].level = SVF_ROLE_FREQUENCY;
  if (count == 1 && k <= 2) {
    column[0].level = SVF_ROLE_STATISTIC - (k == 2);
    return true;
  }
  bool *taken = SVF_ZERO(scratch, bool, k + 1);
  if (!taken) return false;
  for (size_t round = 0; round < count; round++) {
    size_t best = k;
    for (size_t c = 0; c < k; c++)
      if (!taken[c] && (best == k || rows[c] > rows[best])) best = c;
    if (best < k) taken[best] = true;
  }
  for (size_t c = 0, at = 0; c < k && at < count; c++)
    if (taken[c]) column[at++].level = SVF_ROLE_STATISTIC - (int32_t)c;
  return true;
}

static size_t group_of(int32_t level) { return level < 0 ? 0 : (size_t)level + 1; }

bool svf_by_level_make(svf_by_level *by, const int32_t *level, size_t n, size_t levels, svf_arena *arena) {
  size_t *start = SVF_ZERO(arena, size_t, levels + 3);
  uint32_t *row = SVF_TAKE(arena, uint32_t, n);
  *by = (svf_by_level){levels, row, start};
  if (!start || !row) return false;
  for (size_t i = 0; i < n; i++) start[group_of(level[i]) + 2]++;
  for (size_t g = 2; g < levels + 3; g++) start[g] += start[g - 1];
  for (size_t i = 0; i < n; i++) row[start[group_of(level[i]) + 1]++] = (uint32_t)i;
  return true;
}

/* Sums over each fold, and then over all others: none of them is a difference, so that a fold leaves no trace. */
typedef struct sums {
  double weight[FOLDS], target[FOLDS], count[FOLDS];
} sums;

static void add_row(sums *s, const svf_targets *t, int32_t role, size_t row) {
  double weight = t->weight ? t->weight[row] : 1;
  double target = !t->label ? t->value[row] / t->unit : t->label[row] == SVF_ROLE_STATISTIC - role;
  if (!(weight > 0)) return;
  s->weight[t->fold[row]] += weight;
  s->target[t->fold[row]] += weight * target;
  s->count[t->fold[row]]++;
}

static double total(const double *of) {
  double sum = 0;
  for (size_t f = 0; f < FOLDS; f++) sum += of[f];
  return sum;
}

static void leave_out(const double *of, double *others) {
  double sum = 0;
  for (size_t f = 0; f < FOLDS; f++) others[f] = sum, sum += of[f];
  sum = 0;
  for (size_t f = FOLDS; f-- > 0;) others[f] += sum, sum += of[f];
}

/* Over all rows; mean[FOLDS] is of all folds. NaN: there is no weight. */
static void find_means(const svf_targets *t, int32_t role, double mean[FOLDS + 1]) {
  sums s = {{0}, {0}, {0}}, others;
  for (size_t i = 0; i < t->n; i++) add_row(&s, t, role, i);
  leave_out(s.weight, others.weight);
  leave_out(s.target, others.target);
  for (size_t f = 0; f < FOLDS; f++) mean[f] = others.weight[f] > 0 ? others.target[f] / others.weight[f] : NAN;
  mean[FOLDS] = total(s.weight) > 0 ? total(s.target) / total(s.weight) : NAN;
}

/* What a role is of such sums. */
static double value_of(const svf_targets *t, int32_t role, double mean, double weight, double target, double count) {
  if (role == SVF_ROLE_FREQUENCY) return log1p(count);
  return (target + SMOOTHING * mean) / (weight + SMOOTHING) * t->unit;
}

void svf_statistics_of(const svf_targets *t, const svf_by_level *by, int32_t role, double *rows, double *all) {
  double mean[FOLDS + 1];
  find_means(t, role, mean);
  if (all) all[0] = value_of(t, role, mean[FOLDS], 0, 0, 0);
  for (size_t g = 0; g <= by->levels; g++) {
    sums s = {{0}, {0}, {0}}, others;
    double value[FOLDS];
    for (size_t r = by->start[g]; r < by->start[g + 1]; r++) add_row(&s, t, role, by->row[r]);
    if (all) all[g + 1] = value_of(t, role, mean[FOLDS], total(s.weight), total(s.target), total(s.count));
    if (!rows) continue;
    leave_out(s.weight, others.weight);
    leave_out(s.target, others.target);
    leave_out(s.count, others.count);
    for (size_t f = 0; f < FOLDS; f++)
      value[f] =
          value_of(t, role, mean[f], others.weight[f], others.target[f], others.count[f] * FOLDS / (FOLDS - 1));
    for (size_t r = by->start[g]; r < by->start[g + 1]; r++) rows[by->row[r]] = value[t->fold[by->row[r]]];
  }
}
