/* speak.h - what one tree says of some rows. */
#ifndef SVF_FOREST_SPEAK_H
#define SVF_FOREST_SPEAK_H

#include "forest/forest.h"

/* Leaf number (in its tree) that a row falls into. */
uint32_t svf_tree_route(const svf_parts *parts, size_t tree, const float *row);

/* A tree's word on n rows: n x k scores and shares, and leaf numbers (NULL: not wanted). Rows are grouped by
 * leaf, so that a leaf is used once for all of its rows. False: memory ran out. */
typedef struct svf_speech {
  double *score, *share;
  int32_t *leaf;
} svf_speech;
bool svf_tree_speak(const svf_parts *parts, const svf_kinds *kinds, size_t tree, const float *const *row, size_t n,
                    const float *fill, svf_arena *scratch, const svf_speech *speech);

/* Tallies of n rows over trees. */
typedef struct svf_tally {
  double *votes;  /* n x k */
  double *shares; /* n x k: sums of shares, for ties and probabilities */
  double *weight; /* n: sum of the weights of the trees that spoke */
} svf_tally;
void svf_tally_add(const svf_vote *vote, size_t k, double weight, const double *score, const double *share,
                   const svf_tally *tally, size_t row);
/* Ends a row's tally: votes and shares averaged; returns the class, or the value for k = 1 in regression. */
double svf_tally_end(const svf_vote *vote, size_t k, bool classes, const svf_tally *tally, size_t row);

#endif
