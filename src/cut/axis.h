/* axis.h - what the supervised cuts along one feature share: the node's rows, the draw of features, the best
 * candidate so far and its plane. */
#ifndef SVF_CUT_AXIS_H
#define SVF_CUT_AXIS_H

#include "cut/criterion.h"
#include "cut/cut.h"
#include "cut/scored.h"

/* The node's rows as cuts weigh them: a row that a bootstrap drew several times stands once. */
typedef struct svf_crowd {
  size_t m;
  bool whole;            /* weights are counts */
  bool plain;            /* and all of them 1 */
  uint32_t *row, *count; /* count: how often it was drawn */
  uint32_t *label;       /* 0 for numbers */
  double *weight, *sum;  /* count * weight; for numbers, that times the number less the node's mean */
  svf_side all;
} svf_crowd;

typedef struct svf_candidate {
  bool found;
  double worth;
  uint32_t feature; /* encoded column */
  float threshold;  /* NaN: a cut by levels */
  bool missing_left;
  const svf_column_copy *column; /* of a cut by levels: the category, and how many of axis->listed go right */
  size_t listed;
  double penalty; /* what its worth was lowered by */
} svf_candidate;

typedef struct svf_axis {
  const svf_ground *ground;
  const svf_columns *columns;
  svf_crowd crowd;
  svf_random random;
  svf_balance balance; /* to weigh candidates on */
  void *room;          /* m times 4 bytes, for the feature at hand */
  uint32_t *count_of;  /* k: to count classes in */
  uint32_t *listed;    /* levels that go right in the best cut, where that is by levels */
  bool missing;        /* does some row miss the feature at hand? */
  svf_candidate best;  /* the first of equals */
} svf_axis;

/* Weighs cuts of one feature and keeps the best in axis->best; false: the feature does not vary in the node. */
typedef bool (*svf_look)(svf_axis *axis, const svf_column_copy *column);

/* Draws r features without repeats, and on until one varies; of the cuts that `look` weighed the best becomes the plane.
 * Trials 1, 2, ... draw again, up to cut_candidates. For svf_cut.propose. */
bool svf_axis_propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane, svf_look look);

/* Missing rows of the feature at hand go where it is better; without any, to the larger side. */
static inline bool svf_axis_missing_left(const svf_axis *axis, bool better, size_t left_rows) {
  return axis->missing ? better : 2 * left_rows >= axis->crowd.all.rows;
}

#endif
