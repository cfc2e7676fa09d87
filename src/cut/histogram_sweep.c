/* histogram_sweep.c - the best cut of one column from the sums of its bins. */
#include "cut/histogram.h"

#include <stdlib.h>
#include <string.h>

/* Bins that have rows, in the order in which they are moved to the left side; and what is there. */
typedef struct sweep {
  const svf_binned *t;
  const svf_bin_sum *cell;
  const double *of;
  const svf_bin_column *column;
  uint32_t order[SVF_MOST_BINS + 1];
  size_t count;
  svf_bin_sum left, right;
  double *of_left; /* k */
  const double *of_all;
  svf_bin_cut best;
} sweep;

static double worth(double sum, double weight) { return weight > 0 ? sum * sum / weight : 0; }

static double worth_of_sides(const sweep *s) {
  const svf_binned *t = s->t;
  if (!t->k) return worth(s->left.sum, s->left.weight + t->prior) + worth(s->right.sum, s->right.weight + t->prior);
  double left = 0, right = 0;
  for (size_t c = 0; c < t->k; c++) {
    double rest = s->of_all[c] - s->of_left[c];
    left += s->of_left[c] * s->of_left[c];
    right += rest * rest;
  }
  return (s->left.weight > 0 ? left / s->left.weight : 0) + (s->right.weight > 0 ? right / s->right.weight : 0);
}

static void move_left(sweep *s, uint32_t bin) {
  const svf_bin_sum *c = &s->cell[bin];
  s->left.sum += c->sum;
  s->left.weight += c->weight;
  s->left.rows += c->rows;
  s->right.sum -= c->sum;
  s->right.weight -= c->weight;
  s->right.rows -= c->rows;
  for (size_t q = 0; q < s->t->k; q++) s->of_left[q] += s->of[bin * s->t->k + q];
}

static void start(sweep *s, const svf_histogram *h, bool missing_left) {
  s->left = (svf_bin_sum){0};
  s->right = h->all;
  s->of_all = h->of_all;
  for (size_t q = 0; q < s->t->k; q++) s->of_left[q] = 0;
  if (missing_left) move_left(s, s->column->bins);
}

/* Is the cut behind bin number `at` of the order the best so far? */
static inline void weigh(sweep *s, size_t at, bool missing_left, double penalty) {
  size_t least = s->t->ground->min_leaf;
  if (s->left.rows < least || s->right.rows < least) return;
  double now = worth_of_sides(s) - penalty;
  if (s->best.found && !(now > s->best.worth)) return;
  s->best.found = true;
  s->best.worth = now;
  s->best.penalty = penalty;
  s->best.missing_left = missing_left;
  s->best.left = s->left.rows;
  s->best.below = s->order[at];
  s->best.above = at + 1 < s->count ? s->order[at + 1] : s->column->bins;
}

static void list_bins(sweep *s, const svf_bin_cells *cells) {
  for (uint32_t b = 0; b < s->column->bins && !cells->few; b++)
    if (s->cell[b].rows) s->order[s->count++] = b;
  for (uint32_t word = 0; word < 4 && cells->few; word++)
    for (uint64_t bits = cells->used[word]; bits; bits &= bits - 1) {
      uint32_t b = 64 * word + (uint32_t)__builtin_ctzll(bits);
      if (b < s->column->bins) s->order[s->count++] = b;
    }
}

typedef struct ranked {
  double mean;
  uint32_t bin;
} ranked;

static int by_mean(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
  return (x->bin > y->bin) - (x->bin < y->bin);
}

/* The heaviest class of the node, whose probability the levels are ordered by. */
static size_t heaviest(const svf_histogram *h, size_t k) {
  size_t most = 0;
  for (size_t c = 1; c < k; c++)
    if (h->of_all[c] > h->of_all[most]) most = c;
  return most;
}

/* Levels by their mean, drawn towards the node's by level_smoothing rows of its mean weight. */
static void order_levels(sweep *s, const svf_histogram *h) {
  ranked item[SVF_MOST_BINS];
  size_t k = s->t->k, class = heaviest(h, k);
  double extra = s->t->ground->settings->level_smoothing * h->all.weight / (double)h->all.rows;
  double centre = h->all.weight > 0 ? (k ? h->of_all[class] : h->all.sum) / h->all.weight : 0;
  for (size_t i = 0; i < s->count; i++) {
    uint32_t b = s->order[i];
    double sum = k ? s->of[b * k + class] : s->cell[b].sum, weight = s->cell[b].weight + extra;
    item[i] = (ranked){weight > 0 ? (sum + extra * centre) / weight : 0, b};
  }
  qsort(item, s->count, sizeof *item, by_mean);
  for (size_t i = 0; i < s->count; i++) s->order[i] = item[i].bin;
}

/* The bins behind `below` in the order go right. */
static void mark_right(sweep *s) {
  bool right = false;
  for (size_t i = 0; i < s->count; i++) {
    uint32_t b = s->order[i];
    if (right) s->best.right[b / 64] |= UINT64_C(1) << b % 64;
    right |= b == s->best.below;
  }
}

svf_bin_cut svf_bins_sweep(const svf_binned *t, uint32_t column, const svf_histogram *h, const svf_bin_cells *cells) {
  const svf_bin_column *c = &t->bins->column[column];
  sweep s = {.t = t, .cell = cells->cell, .of = cells->of, .column = c, .of_left = cells->room};
  s.best = (svf_bin_cut){.column = column};
  bool missing = s.cell[c->bins].rows > 0, category = c->levels.category;
  list_bins(&s, cells);
  if (s.count + missing < 2) return s.best;
  if (category) order_levels(&s, h);
  double penalty =
      category && s.count > 1 ? t->ground->settings->level_penalty * h->noise * (double)(s.count - 1) : 0;
  for (int missing_left = 0; missing_left <= missing; missing_left++) {
    size_t end = missing && !missing_left ? s.count : s.count - 1;
    start(&s, h, missing_left);
    for (size_t i = 0; i < end; i++) {
      move_left(&s, s.order[i]);
      weigh(&s, i, missing_left, i + 1 < s.count ? penalty : 0);
    }
  }
  if (s.best.found && category) mark_right(&s);
  if (!missing) s.best.missing_left = 2 * s.best.left >= h->all.rows; /* a row to come goes to the larger side */
  return s.best;
}
