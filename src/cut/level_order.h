/* level_order.h - the levels of a category in a node, in the order of their mean targets.
 *
 * For numbers and for two classes the best of all divisions of the levels into two sets is a cut of this order (Fisher 1958;
 * Breiman et al., Classification and regression trees, 1984, theorem 4.5), with missing rows on a fixed side, too. For more
 * classes the levels' class probabilities are projected on their first principal component (Coppersmith, Hong and Hosking,
 * Partitioning nominal attributes in decision trees, 1999), which is a good order, not always the best.
 *
 * An order by the targets themselves fits noise, the more so the more levels there are. So the worth of such a cut is lowered
 * by level_penalty times what ordering as many levels of pure noise would gain. */
#ifndef SVF_CUT_LEVEL_ORDER_H
#define SVF_CUT_LEVEL_ORDER_H

#include "cut/order.h"

typedef struct svf_level {
  uint32_t code;
  size_t from, to; /* its items */
  size_t rows;
  double mean;
} svf_level;

typedef struct svf_level_order {
  svf_level *level; /* ascending by mean, equal ones by code */
  size_t count;
  double penalty; /* of a cut of the order */
} svf_level_order;

/* From the worker's scratch, where failure is remembered. */
svf_level_order svf_levels_arrange(const svf_axis *axis, const svf_ordered *ordered);

/* Moves the rows of one level to a side. */
static inline void svf_level_move(svf_axis *axis, const svf_ordered *ordered, const svf_level *level, int to) {
  for (size_t i = level->from; i < level->to; i++)
    svf_move(&axis->balance, axis->balance.criterion, to, &ordered->item[i]);
}

/* Everything to the left, then missing rows to the right unless they stay. */
void svf_levels_load(svf_axis *axis, const svf_ordered *ordered, bool missing_left);

/* Is axis->balance better than the best candidate so far? */
bool svf_levels_better(const svf_axis *axis, double penalty);
/* Then it becomes that, with so many levels on the right side; svf_levels_take says which, once for all candidates of an order:
 * those from `first` on. */
void svf_levels_keep(svf_axis *axis, const svf_column_copy *column, size_t listed, bool missing_left, double penalty);
void svf_levels_take(svf_axis *axis, const svf_level *first);

#endif
