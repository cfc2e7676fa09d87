/* order.h - the rows of a node in the order of one feature. */
#ifndef SVF_CUT_ORDER_H
#define SVF_CUT_ORDER_H

#include "cut/axis.h"

typedef struct svf_ordered {
  svf_item *item; /* ascending by rank; rows of one rank and class may be one item */
  size_t present; /* items that are not missing */
  size_t count;   /* all of them; the missing ones stand last */
} svf_ordered;

/* From the worker's scratch, where failure is remembered. Nothing where the feature does not vary. */
svf_ordered svf_order(const svf_axis *axis, const svf_column_copy *column);

#endif
