/* threshold.h - the best threshold of one column of values: every place between neighbours is tried.
 *
 * Gain is the fall of weight * impurity that a cut brings:
 *     gain = W I(node) - W_left I(left) - W_right I(right)
 * I is the entropy in bits, the Gini index, or for numbers the variance. A row whose value is missing goes to the side
 * where it gains more. */
#ifndef SVF_CUT_THRESHOLD_H
#define SVF_CUT_THRESHOLD_H

#include "cut/site.h"

/* What a sweep keeps of one side: its weight, and the sum over classes of x log x or x^2, or the sum of values. */
typedef struct svf_half {
  double weight, sum;
} svf_half;

/* What is known of a node before any column is looked at; memory from the worker's arena. */
typedef struct svf_search {
  size_t n, k, min_leaf;
  bool entropy;         /* of the two criteria for classes */
  const int32_t *label; /* of the node's rows in their order; NULL: values */
  const double *value;  /* centred and scaled to -1..1; NULL: labels */
  const double *weight; /* scaled to at most 1; NULL: all 1 */
  const double *xlogx;  /* i log i for i = 0..n, or NULL: computed as needed */
  double *whole;        /* k: weight of each class in the node */
  double *side[2];      /* k: the same left and right of a place */
  svf_half sum;         /* the node */
  double unit;          /* what turns a fall of the sums into a gain */
  double least;         /* gains must be above this: what min_gain asks for, or what rounding alone may give */
  uint64_t *key, *spare;
  uint32_t *missing;
} svf_search;

/* The best place so far. */
typedef struct svf_found {
  double gain; /* start with search->least */
  float threshold;
  bool missing_left;
} svf_found;

/* i log i for i = 0..n, for trees whose rows all count 1. */
double *svf_xlogx(svf_arena *arena, size_t n);

/* False: the worker's arena ran out, which is remembered in ground->arena. xlogx may be NULL. */
bool svf_search_open(svf_search *search, const svf_ground *ground, const svf_site *site, const double *xlogx);

/* value[i] is what is cut for row i of the site, NaN: missing. True: a place is better than `found`, and was put there.
 * Both sides keep min_leaf rows, missing ones included. */
bool svf_search_column(svf_search *search, const float *value, svf_found *found);

#endif
