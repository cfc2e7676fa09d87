/* best.c - the best cut of r random features (Breiman, Random forests, Machine Learning 2001).
 *
 * For numbers every place between two neighbouring values of the node is tried, and the cut stands halfway between
 * them; for categories, every level against the others. Missing rows are tried on both sides, and alone against all
 * others. The impurity is Gini's, the entropy, or the variance (criterion.h). */
#include "cut/order.h"

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
  a->best = (svf_candidate){true, worth, column->first, halfway(column, o->item[at].rank, above),
                            svf_axis_missing_left(a, missing_left, left)};
}

static void sweep_numbers(svf_axis *a, const svf_column_copy *column, const svf_ordered *o, bool missing_left) {
  svf_balance_load(&a->balance, SVF_RIGHT, &a->crowd.all);
  for (size_t i = o->present; missing_left && i < o->count; i++)
    svf_move(&a->balance, a->balance.criterion, SVF_LEFT, &o->item[i]);
  if (a->balance.criterion == SVF_CRITERION_GINI) sweep(a, column, o, missing_left, SVF_CRITERION_GINI);
  else if (a->balance.criterion == SVF_CRITERION_ENTROPY) sweep(a, column, o, missing_left, SVF_CRITERION_ENTROPY);
  else sweep(a, column, o, missing_left, SVF_CRITERION_VARIANCE);
}

static void offer_level(svf_axis *a, uint32_t feature, float threshold, bool missing_left) {
  const svf_balance *b = &a->balance;
  size_t left = b->side[SVF_LEFT].rows, least = a->ground->min_leaf;
  if (left < least || b->side[SVF_RIGHT].rows < least) return;
  double worth = svf_worth(b, b->criterion);
  if (a->best.found && !(worth > a->best.worth)) return;
  a->best = (svf_candidate){true, worth, feature, threshold, svf_axis_missing_left(a, missing_left, left)};
}

/* The missing alone on the right side; then each level, with them or without. */
static void sweep_levels(svf_axis *a, const svf_column_copy *column, const svf_ordered *o, bool missing_left) {
  svf_balance *b = &a->balance;
  svf_balance_load(b, SVF_LEFT, &a->crowd.all);
  for (size_t i = o->present; !missing_left && i < o->count; i++) svf_move(b, b->criterion, SVF_RIGHT, &o->item[i]);
  if (a->missing && !missing_left) offer_level(a, column->first, FLT_MAX, false);
  for (size_t from = 0, to; from < o->present; from = to) {
    uint32_t level = o->item[from].rank;
    for (to = from; to < o->present && o->item[to].rank == level; to++)
      svf_move(b, b->criterion, SVF_RIGHT, &o->item[to]);
    offer_level(a, column->first + level, column->value[level], missing_left);
    for (size_t i = from; i < to; i++) svf_move(b, b->criterion, SVF_LEFT, &o->item[i]);
  }
}

static bool look(svf_axis *a, const svf_column_copy *column) {
  svf_arena *scratch = &a->ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  svf_ordered o = svf_order(a, column);
  bool failed = svf_arena_failed(scratch);
  a->missing = o.present < o.count;
  for (int missing_left = 0; missing_left <= a->missing && o.count; missing_left++) {
    if (column->category) sweep_levels(a, column, &o, missing_left);
    else sweep_numbers(a, column, &o, missing_left);
  }
  svf_arena_release(scratch, mark);
  if (failed) scratch->failed = true;
  return o.count > 0;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  return svf_axis_propose(ground, site, trial, plane, look);
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, NULL};

extern const svf_cut svf_cut_best;
const svf_cut svf_cut_best = {.kind.name = "best",
                              .kind.help = "the best cut of r random features",
                              .kind.settings = settings,
                              .kind.check = svf_criterion_check,
                              .prepare = svf_columns_rank,
                              .propose = propose,
                              .sides = svf_columns_sides,
                              .draws_features = true};
