/* level_order.c - see level_order.h. */
#include "cut/level_order.h"

#include <stdlib.h>

enum { ROUNDS = 12 }; /* of the power method: the order needs few digits */

static int by_mean(const void *a, const void *b) {
  const svf_level *x = a, *y = b;
  if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
  return (x->code > y->code) - (x->code < y->code);
}

/* The levels in the order of their codes. */
static void list_levels(const svf_ordered *o, svf_level_order *order) {
  for (size_t from = 0, to; from < o->present; from = to) {
    size_t rows = 0;
    for (to = from; to < o->present && o->item[to].rank == o->item[from].rank; to++) rows += o->item[to].rows;
    order->level[order->count++] = (svf_level){o->item[from].rank, from, to, rows, 0};
  }
}

/* The mean number, or the probability of class 1 of 2. */
static void find_means(const svf_axis *a, const svf_ordered *o, svf_level_order *order) {
  bool numbers = a->columns->target != NULL;
  for (size_t l = 0; l < order->count; l++) {
    svf_level *level = &order->level[l];
    double weight = 0, sum = 0;
    for (size_t i = level->from; i < level->to; i++) {
      weight += o->item[i].weight;
      sum += numbers ? o->item[i].sum : o->item[i].label == 1 ? o->item[i].weight : 0;
    }
    level->mean = weight > 0 ? sum / weight : 0;
  }
}

/* Class probabilities of the levels less those of all: count rows of k; and the weights of the levels. */
typedef struct cloud {
  double *point, *weight;
  size_t count, k;
} cloud;

static void make_cloud(const svf_ordered *o, const svf_level_order *order, cloud *c, double *centre) {
  double all = 0;
  for (size_t l = 0; l < c->count; l++) {
    double *p = c->point + l * c->k;
    for (size_t i = order->level[l].from; i < order->level[l].to; i++) {
      p[o->item[i].label] += o->item[i].weight;
      c->weight[l] += o->item[i].weight;
    }
    all += c->weight[l];
    for (size_t q = 0; q < c->k; q++) centre[q] += p[q];
    for (size_t q = 0; q < c->k && c->weight[l] > 0; q++) p[q] /= c->weight[l];
  }
  for (size_t l = 0; l < c->count; l++)
    for (size_t q = 0; q < c->k && all > 0; q++) c->point[l * c->k + q] -= centre[q] / all;
}

static double dot(size_t k, const double *a, const double *b) {
  double sum = 0;
  for (size_t q = 0; q < k; q++) sum += a[q] * b[q];
  return sum;
}

/* The first principal component by the power method, from the point that weighs most. */
static void find_axis(const cloud *c, double *axis, double *next) {
  double most = -1;
  for (size_t l = 0; l < c->count; l++) {
    const double *p = c->point + l * c->k;
    double size = c->weight[l] * dot(c->k, p, p);
    if (size > most) most = size, memcpy(axis, p, c->k * sizeof *axis);
  }
  for (int round = 0; round < ROUNDS; round++) {
    memset(next, 0, c->k * sizeof *next);
    for (size_t l = 0; l < c->count; l++) {
      const double *p = c->point + l * c->k;
      double along = c->weight[l] * dot(c->k, p, axis);
      for (size_t q = 0; q < c->k; q++) next[q] += along * p[q];
    }
    double length = sqrt(dot(c->k, next, next));
    if (!(length > 0)) return;
    for (size_t q = 0; q < c->k; q++) axis[q] = next[q] / length;
  }
}

static void find_projections(const svf_axis *a, const svf_ordered *o, svf_level_order *order, svf_arena *scratch) {
  cloud c = {.count = order->count, .k = a->balance.k};
  c.point = SVF_ZERO(scratch, double, c.count *c.k);
  c.weight = SVF_ZERO(scratch, double, c.count);
  double *centre = SVF_ZERO(scratch, double, c.k), *axis = SVF_ZERO(scratch, double, c.k);
  double *next = SVF_TAKE(scratch, double, c.k);
  if (svf_arena_failed(scratch) || !order->count) return;
  make_cloud(o, order, &c, centre);
  find_axis(&c, axis, next);
  for (size_t l = 0; l < c.count; l++) order->level[l].mean = dot(c.k, c.point + l * c.k, axis);
}

/* What a level of pure noise adds to the worth of the best cut of the order. A level's mean differs from the node's by its
 * standard error times a normal number z, and a cut gains E|z|^2 = 2/pi of all those squares. In units of the criterion the
 * square is the impurity of a row; of the entropy it is 1 / (2 ln 2), half a chi-square in bits. */
static double noise_of(const svf_axis *a) {
  const svf_crowd *crowd = &a->crowd;
  double sum = 0, rows = (double)crowd->all.rows;
  if (a->columns->target)
    for (size_t i = 0; i < crowd->m; i++)
      sum += crowd->weight[i] > 0 ? crowd->sum[i] * crowd->sum[i] / crowd->weight[i] : 0;
  else if (a->balance.criterion == SVF_CRITERION_GINI) sum = crowd->all.weight - crowd->all.sum / crowd->all.weight;
  else sum = crowd->all.weight / (2 * SVF_LN2);
  return 2 / 3.14159265358979323846 * sum / rows;
}

svf_level_order svf_levels_arrange(const svf_axis *a, const svf_ordered *o) {
  svf_arena *scratch = &a->ground->worker->arena;
  svf_level_order order = {.level = SVF_TAKE(scratch, svf_level, o->present)};
  if (!order.level) return order;
  list_levels(o, &order);
  if (!a->columns->target && a->balance.k > 2) find_projections(a, o, &order, scratch);
  else find_means(a, o, &order);
  qsort(order.level, order.count, sizeof *order.level, by_mean);
  if (order.count > 1) order.penalty = a->ground->settings->level_penalty * noise_of(a) * (double)(order.count - 1);
  return order;
}

void svf_levels_load(svf_axis *a, const svf_ordered *o, bool missing_left) {
  svf_balance_load(&a->balance, SVF_LEFT, &a->crowd.all);
  for (size_t i = o->present; !missing_left && i < o->count; i++)
    svf_move(&a->balance, a->balance.criterion, SVF_RIGHT, &o->item[i]);
}

bool svf_levels_better(const svf_axis *a, double penalty) {
  const svf_balance *b = &a->balance;
  size_t least = a->ground->min_leaf;
  if (b->side[SVF_LEFT].rows < least || b->side[SVF_RIGHT].rows < least) return false;
  return !a->best.found || svf_worth(b, b->criterion) - penalty > a->best.worth;
}

static int by_code(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void svf_levels_keep(svf_axis *a, const svf_column_copy *column, size_t listed, bool missing_left, double penalty) {
  a->best = (svf_candidate){.found = true,
                            .worth = svf_worth(&a->balance, a->balance.criterion) - penalty,
                            .feature = column->first,
                            .threshold = NAN,
                            .missing_left = svf_axis_missing_left(a, missing_left, a->balance.side[SVF_LEFT].rows),
                            .column = column,
                            .listed = listed,
                            .penalty = penalty};
}

void svf_levels_take(svf_axis *a, const svf_level *first) {
  size_t listed = a->best.listed;
  for (size_t l = 0; l < listed; l++) a->listed[l] = first[l].code;
  qsort(a->listed, listed, sizeof *a->listed, by_code);
}
