/* best.c - the best cut of r random features (Breiman, Random forests, Machine Learning 2001).
 *
 * For numbers every place between two neighbouring values of the node is tried, and the cut stands halfway between
 * them; for categories, the best cut of the levels in the order of their mean targets (level_order.h). Missing rows are tried on
 * both sides, and alone against all others. The impurity is Gini's, the entropy, or the variance (criterion.h). */
#include "cut/level_order.h"

#include <float.h>
#include <math.h>

/* Halfway between two neighbours, above the one and not above the other: the left side is x < threshold. */
static float halfway(const svf_column_copy *column, uint32_t below, uint32_t above) {
  if (above == column->ranks) return FLT_MAX; /* all numbers left, the missing right */
  float low = column->value[below], high = column->value[above], middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

/* Moves the items to the left side, rank by rank, and weighs the cut after each. */
static inline void sweep(svf_axis *a, const svf_column_copy *column, const svf_ordered *o, bool missing_left,
                         int criterion) {
  svf_balance b = a->balance;
  size_t min_leaf = a->ground->min_leaf, end = o->present - (a->missing && !missing_left ? 0 : 1), at = 0, left = 0;
  double worth = a->best.found ? a->best.worth : -INFINITY;
  bool found = false;
  for (size_t i = 0; i < end; i++) {
    svf_move(&b, criterion, SVF_LEFT, &o->item[i]);
    if (i + 1 < o->present && o->item[i + 1].rank == o->item[i].rank) continue;
    if (b.side[SVF_LEFT].rows < min_leaf || b.side[SVF_RIGHT].rows < min_leaf) continue;
    double now = svf_worth(&b, criterion);
    if (now > worth) worth = now, at = i, left = b.side[SVF_LEFT].rows, found = true;
  }
  if (!found) return;
  uint32_t above = at + 1 < o->present ? o->item[at + 1].rank : column->ranks;
  a->best = (svf_candidate){true,
                            worth,
                            column->first,
                            halfway(column, o->item[at].rank, above),
                            svf_axis_missing_left(a, missing_left, left),
                            NULL,
                            0,
                            0};
}

static void sweep_numbers(svf_axis *a, const svf_column_copy *column, const svf_ordered *o, bool missing_left) {
  svf_balance_load(&a->balance, SVF_RIGHT, &a->crowd.all);
  for (size_t i = o->present; missing_left && i < o->count; i++)
    svf_move(&a->balance, a->balance.criterion, SVF_LEFT, &o->item[i]);
  if (a->balance.criterion == SVF_CRITERION_GINI) sweep(a, column, o, missing_left, SVF_CRITERION_GINI);
  else if (a->balance.criterion == SVF_CRITERION_ENTROPY) sweep(a, column, o, missing_left, SVF_CRITERION_ENTROPY);
  else sweep(a, column, o, missing_left, SVF_CRITERION_VARIANCE);
}

/* Moves levels to the right side, from one end of their order on, as long as it has no more rows than the left one: the
 * other cuts are met from the other end. */
static void sweep_levels(svf_axis *a, const svf_column_copy *column, const svf_ordered *o,
                         const svf_level_order *order, bool missing_left) {
  const svf_side *side = a->balance.side;
  const svf_level *first = NULL;
  for (int end = 0; end < 2; end++) {
    svf_levels_load(a, o, missing_left);
    if (end == 0 && a->missing && !missing_left && svf_levels_better(a, 0))
      svf_levels_keep(a, column, 0, missing_left, 0), first = order->level;
    for (size_t l = 0; l < order->count; l++) {
      const svf_level *level = &order->level[end ? order->count - 1 - l : l];
      svf_level_move(a, o, level, SVF_RIGHT);
      if (side[SVF_RIGHT].rows > side[SVF_LEFT].rows) break;
      if (svf_levels_better(a, order->penalty))
        svf_levels_keep(a, column, l + 1, missing_left, order->penalty), first = end ? level : order->level;
    }
  }
  if (first) svf_levels_take(a, first);
}

static bool look(svf_axis *a, const svf_column_copy *column) {
  svf_arena *scratch = &a->ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  svf_ordered o = svf_order(a, column);
  bool failed = svf_arena_failed(scratch);
  svf_level_order order = {0};
  if (column->category && !failed && o.count) order = svf_levels_arrange(a, &o), failed = svf_arena_failed(scratch);
  a->missing = o.present < o.count;
  for (int missing_left = 0; missing_left <= a->missing && o.count && !failed; missing_left++) {
    if (column->category) sweep_levels(a, column, &o, &order, missing_left);
    else sweep_numbers(a, column, &o, missing_left);
  }
  svf_arena_release(scratch, mark);
  if (failed) scratch->failed = true;
  return o.count > 0;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  return svf_axis_propose(ground, site, trial, plane, look);
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, "level_penalty", NULL};

extern const svf_cut svf_cut_best;
const svf_cut svf_cut_best = {.kind.name = "best",
                              .kind.help = "the best cut of r random features",
                              .kind.settings = settings,
                              .kind.check = svf_criterion_check,
                              .prepare = svf_columns_rank,
                              .propose = propose,
                              .sides = svf_columns_sides,
                              .divides_levels = true,
                              .draws_features = true};
