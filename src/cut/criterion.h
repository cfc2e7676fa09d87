/* criterion.h - how pure the two sides of a cut are, kept up to date while rows move from one side to the other.
 *
 * With weights w, class weights N_c and W = sum w, the impurity times the weight of a side is
 *     gini       W - sum N_c^2 / W            entropy    W log W - sum N_c log N_c  (base 2)
 *     variance   sum w y^2 - (sum w y)^2 / W
 * The first terms add up to the same for every cut, so the cut with the least impurity is the one with the largest sum
 * of the rest over its sides, its worth; and a cut lowers weight * impurity by its worth less that of the node. */
#ifndef SVF_CUT_CRITERION_H
#define SVF_CUT_CRITERION_H

#include "cut/columns.h"
#include "la/elementary.h"

enum { SVF_LEFT, SVF_RIGHT };

/* Some rows of one class; for numbers class 0, and sum is that of w y. */
typedef struct svf_item {
  uint32_t rank, label;
  size_t rows;
  double weight, sum;
} svf_item;

typedef struct svf_side {
  size_t rows;
  double weight;
  double sum;        /* of N_c^2, of N_c log N_c, or of w y */
  double *weight_of; /* N_c; one number, not used, for numbers */
} svf_side;

typedef struct svf_balance {
  int criterion;
  size_t k;
  const double *entropy; /* see columns.h */
  size_t entropies;
  svf_side side[2];
} svf_balance;

/* N log2 N */
static inline double svf_entropy(const svf_balance *b, double x) {
  if (b->entropy && x < (double)b->entropies) return b->entropy[(size_t)x];
  return x > 0 ? x * (svf_log(x) / SVF_LN2) : 0;
}

/* Moves rows to a side from the other. criterion: that of b, as a constant where speed matters. */
static inline void svf_move(svf_balance *b, int criterion, int to, const svf_item *item) {
  svf_side *in = &b->side[to], *out = &b->side[!to];
  double w = item->weight;
  in->rows += item->rows;
  out->rows -= item->rows;
  in->weight += w;
  out->weight -= w;
  if (criterion == SVF_CRITERION_VARIANCE) {
    in->sum += item->sum;
    out->sum -= item->sum;
    return;
  }
  double *more = &in->weight_of[item->label], *less = &out->weight_of[item->label];
  if (criterion == SVF_CRITERION_GINI) {
    in->sum += w * (2 * *more + w);
    out->sum -= w * (2 * *less - w);
  } else {
    in->sum += svf_entropy(b, *more + w) - svf_entropy(b, *more);
    out->sum += svf_entropy(b, *less - w) - svf_entropy(b, *less);
  }
  *more += w;
  *less -= w;
}

/* The worth of a side; 0 if nothing is there. */
static inline double svf_side_worth(const svf_balance *b, int criterion, const svf_side *side) {
  if (!side->rows || !(side->weight > 0)) return 0;
  if (criterion == SVF_CRITERION_GINI) return side->sum / side->weight;
  if (criterion == SVF_CRITERION_ENTROPY) return side->sum - svf_entropy(b, side->weight);
  return side->sum * side->sum / side->weight;
}

static inline double svf_worth(const svf_balance *b, int criterion) {
  return svf_side_worth(b, criterion, &b->side[SVF_LEFT]) + svf_side_worth(b, criterion, &b->side[SVF_RIGHT]);
}

/* Sets the sum of a side from its class weights. */
void svf_side_sum(const svf_balance *b, svf_side *side);

/* Empties both sides and lays everything on one of them. */
void svf_balance_load(svf_balance *b, int side, const svf_side *all);

#endif
