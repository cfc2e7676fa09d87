/* extra.c - the best of r random cuts (Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 2006).
 *
 * Each of r random features gets one threshold, uniform between the node's least and greatest value; a category, one
 * random cut of its levels in the order of their mean targets (level_order.h). The cut that lowers the impurity most is taken. Missing rows are
 * tried on both sides; where all others are alike they are cut off. */
#include "cut/level_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SPARSE = 16 };

/* One candidate, and what it is drawn from. */
typedef struct toss {
  float *x;        /* m: numbers of the node's rows; NaN: missing */
  float low, high; /* of those that are there */
  uint32_t feature;
  float threshold;
  float from; /* x >= from goes right */
} toss;

/* False: the feature does not vary in the node. */
static bool gather_numbers(svf_axis *a, const svf_column_copy *column, toss *t) {
  const svf_frame *frame = a->ground->frame;
  const uint32_t *row = a->crowd.row;
  bool by_rows = a->crowd.m < frame->n / SPARSE;
  const float *from = by_rows ? frame->x + column->first : column->number;
  size_t stride = by_rows ? frame->stride : 1;
  float *x = t->x = a->room, low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < a->crowd.m; i++) {
    x[i] = from[row[i] * stride];
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  a->missing = false;
  for (size_t i = 0; frame->missing && i < a->crowd.m; i++) a->missing |= x[i] != x[i];
  t->low = low;
  t->high = high;
  return low < high || (low == high && a->missing);
}

/* Uniform in (low, high]: the least value falls left, the greatest right. */
static float uniform(svf_random *random, float low, float high) {
  float threshold = (float)(high - svf_random_unit(random) * ((double)high - low));
  return threshold > low ? threshold : nextafterf(low, high);
}

static void draw_number(svf_axis *a, const svf_column_copy *column, toss *t) {
  t->feature = column->first;
  t->threshold =
      t->low < t->high ? uniform(&a->random, t->low, t->high) : FLT_MAX; /* or all left, the missing right */
  t->from = t->threshold;
}

static svf_item item_of(const svf_axis *a, size_t i) {
  const svf_crowd *crowd = &a->crowd;
  return (svf_item){0, crowd->label[i], crowd->count[i], crowd->weight[i], a->columns->target ? crowd->sum[i] : 0};
}

/* Lays the rows that go right, one by one; missing ones stay on the left. */
static void lay_few(svf_axis *a, const toss *t) {
  svf_balance *b = &a->balance;
  svf_balance_load(b, SVF_LEFT, &a->crowd.all);
  for (size_t i = 0; i < a->crowd.m; i++) {
    if (!(t->x[i] >= t->from)) continue;
    svf_item item = item_of(a, i);
    svf_move(b, b->criterion, SVF_RIGHT, &item);
  }
}

/* The loops below have no branches, which would be guessed wrong for half of the rows. */
static const double factor[2] = {0, 1};

static size_t sum_rows(const svf_crowd *crowd, const toss *t) {
  uint32_t sum = 0;
  if (crowd->plain)
    for (size_t i = 0; i < crowd->m; i++) sum += t->x[i] >= t->from;
  else
    for (size_t i = 0; i < crowd->m; i++) sum += (t->x[i] >= t->from) * crowd->count[i];
  return sum;
}

/* Class weights of the right side. Whole numbers are added faster than doubles: a sum that was just stored is ready sooner. */
static void sum_classes(const svf_axis *a, const toss *t, svf_side *right) {
  const svf_crowd *crowd = &a->crowd;
  size_t k = a->balance.k;
  memset(right->weight_of, 0, k * sizeof *right->weight_of);
  memset(a->count_of, 0, k * sizeof *a->count_of);
  if (crowd->plain && k == 2) {
    uint32_t ones = 0;
    for (size_t i = 0; i < crowd->m; i++) ones += (t->x[i] >= t->from) * crowd->label[i];
    a->count_of[0] = (uint32_t)right->rows - ones;
    a->count_of[1] = ones;
  } else if (crowd->plain) {
    for (size_t i = 0; i < crowd->m; i++) a->count_of[crowd->label[i]] += t->x[i] >= t->from;
  } else if (crowd->whole) {
    for (size_t i = 0; i < crowd->m; i++) a->count_of[crowd->label[i]] += (t->x[i] >= t->from) * crowd->count[i];
  } else {
    for (size_t i = 0; i < crowd->m; i++)
      right->weight_of[crowd->label[i]] += factor[t->x[i] >= t->from] * crowd->weight[i];
  }
  for (size_t c = 0; c < k; c++) right->weight += right->weight_of[c] += a->count_of[c];
}

/* Two numbers at a time. */
typedef float floats __attribute__((vector_size(2 * sizeof(float))));
typedef double doubles __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t flags __attribute__((vector_size(2 * sizeof(int64_t))));

/* The sum of those that go right, and how many they are: two sums that need not wait for each other. */
static double sum_double(const toss *t, const double *value, size_t m, size_t *rows) {
  doubles sum = {0, 0}, two;
  flags count = {0, 0};
  const doubles from = {t->from, t->from};
  for (size_t i = 0; i + 1 < m; i += 2) {
    floats x;
    memcpy(&x, t->x + i, sizeof x);
    memcpy(&two, value + i, sizeof two);
    flags right = __builtin_convertvector(x, doubles) >= from; /* widening numbers is cheaper than widening flags */
    sum += (doubles)((flags)two & right);
    count -= right;
  }
  bool last = m & 1 && t->x[m - 1] >= t->from;
  *rows = (size_t)(count[0] + count[1]) + last;
  return sum[0] + (last ? value[m - 1] : 0) + sum[1];
}

static void lay_many(svf_axis *a, const toss *t) {
  const svf_crowd *crowd = &a->crowd;
  const svf_side *all = &crowd->all;
  svf_balance *b = &a->balance;
  svf_side *right = &b->side[SVF_RIGHT], *left = &b->side[SVF_LEFT];
  right->weight = right->sum = 0;
  if (a->columns->target) {
    size_t rows;
    right->sum = sum_double(t, crowd->sum, crowd->m, &rows);
    right->weight = crowd->plain ? (double)rows : sum_double(t, crowd->weight, crowd->m, &rows);
    right->rows = crowd->plain ? rows : sum_rows(crowd, t);
  } else {
    right->rows = sum_rows(crowd, t);
    sum_classes(a, t, right);
    for (size_t c = 0; c < b->k; c++) left->weight_of[c] = all->weight_of[c] - right->weight_of[c];
    svf_side_sum(b, left);
    svf_side_sum(b, right);
  }
  left->rows = all->rows - right->rows;
  left->weight = all->weight - right->weight;
  if (a->columns->target) left->sum = all->sum - right->sum;
}

static void weigh(svf_axis *a, const toss *t, bool missing_left) {
  const svf_balance *b = &a->balance;
  size_t left = b->side[SVF_LEFT].rows, right = b->side[SVF_RIGHT].rows, least = a->ground->min_leaf;
  if (left < least || right < least) return;
  double worth = svf_worth(b, b->criterion);
  if (a->best.found && !(worth > a->best.worth)) return;
  a->best = (svf_candidate){true, worth, t->feature, t->threshold, svf_axis_missing_left(a, missing_left, left),
                            NULL, 0,     0};
}

static void weigh_both(svf_axis *a, const toss *t) {
  if (a->crowd.m < a->balance.k && !a->columns->target) lay_few(a, t);
  else lay_many(a, t);
  weigh(a, t, true);
  for (size_t i = 0; a->missing && i < a->crowd.m; i++) {
    svf_item item = item_of(a, i);
    if (t->x[i] != t->x[i]) svf_move(&a->balance, a->balance.criterion, SVF_RIGHT, &item);
  }
  if (a->missing) weigh(a, t, false);
}

/* A cut of the order of the levels, each as likely; the side with fewer rows is listed. */
static void toss_levels(svf_axis *a, const svf_column_copy *column, const svf_ordered *o,
                        const svf_level_order *order) {
  size_t listed = order->count > 1 ? 1 + (size_t)svf_random_below(&a->random, order->count - 1) : 0, rows[2] = {0};
  for (size_t l = 0; l < order->count; l++) rows[l < listed] += order->level[l].rows;
  bool last = rows[1] > rows[0] && listed;
  const svf_level *first = order->level + (last ? listed : 0);
  if (last) listed = order->count - listed;
  double penalty = listed ? order->penalty : 0;
  for (int missing_left = 0; missing_left <= a->missing; missing_left++) {
    svf_levels_load(a, o, missing_left);
    for (size_t l = 0; l < listed; l++) svf_level_move(a, o, &first[l], SVF_RIGHT);
    if (!svf_levels_better(a, penalty)) continue;
    svf_levels_keep(a, column, listed, missing_left, penalty);
    svf_levels_take(a, first);
  }
}

static bool look_at_levels(svf_axis *a, const svf_column_copy *column) {
  svf_arena *scratch = &a->ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  svf_ordered o = svf_order(a, column);
  svf_level_order order = {0};
  if (o.count && !svf_arena_failed(scratch)) order = svf_levels_arrange(a, &o);
  bool failed = svf_arena_failed(scratch);
  a->missing = o.present < o.count;
  if (o.count && !failed) toss_levels(a, column, &o, &order);
  svf_arena_release(scratch, mark);
  if (failed) scratch->failed = true;
  return o.count > 0;
}

static bool look(svf_axis *a, const svf_column_copy *column) {
  toss t = {0};
  if (column->category) return look_at_levels(a, column);
  if (!gather_numbers(a, column, &t)) return false;
  draw_number(a, column, &t);
  weigh_both(a, &t);
  return true;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  return svf_axis_propose(ground, site, trial, plane, look);
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, "level_penalty", NULL};

extern const svf_cut svf_cut_extra;
const svf_cut svf_cut_extra = {.kind.name = "extra",
                               .kind.help = "the best of r random cuts, one random threshold for each of r features",
                               .kind.settings = settings,
                               .kind.check = svf_criterion_check,
                               .prepare = svf_columns_copy,
                               .propose = propose,
                               .sides = svf_columns_sides,
                               .divides_levels = true};
