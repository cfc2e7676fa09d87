/* vote.h - the seam "how do trees speak together?"; one file per kind, one row in votes.c.
 *
 * Every tree says k scores and k shares of a row (leaf.h). A vote adds them to a tally, tree by tree in
 * order. The class with the largest tally wins; of equals the one with the largest sum of shares; of equals
 * the first. */
#ifndef SVF_VOTE_VOTE_H
#define SVF_VOTE_VOTE_H

#include "base/code.h"
#include "data/encode.h"
#include "settings/kind.h"

/* What a vote may weigh a tree by. */
typedef struct svf_vote_tree {
  bool classes;  /* else the target is a number */
  double oob;    /* accuracy or mean squared error on the rows it did not see; NaN: saw all */
  size_t leaves; /* at least 1 */
} svf_vote_tree;

typedef struct svf_boosting svf_boosting; /* boosting.h */

/* For a vote whose trees correct each other. The prediction for a row is computed from s sums. A round has one tree for
 * each sum; it is trained on a frame whose target is the response, and its leaves predict steps. Trees of a round follow
 * each other in the file. */
typedef struct svf_rounds {
  /* Returns s, for k classes, or for regression if k = 1. */
  size_t (*sums)(size_t k);

  /* Sets all sums to their start values, computed from the frame of the table. All memory is from the arena. */
  svf_status (*open)(const svf_settings *settings, const svf_frame *frame, svf_arena *arena, svf_boosting **boosting,
                     svf_message *message);

  /* Called in this order before each round: begin, for what concerns all rows; respond, which computes the next response
   * of rows first..end-1; frame, which returns the frame of each sum. */
  void (*begin)(svf_boosting *boosting);
  void (*respond)(svf_boosting *boosting, size_t first, size_t end);
  svf_frame (*frame)(const svf_boosting *boosting, size_t sum);

  /* Mean loss of the held-out rows. */
  double (*measure)(const svf_boosting *boosting);

  /* Turns the s sums of a row into k votes and k probabilities (share; NULL: not wanted). */
  void (*link)(size_t k, bool classes, double *vote, double *share);
} svf_rounds;

typedef struct svf_vote {
  svf_kind kind;

  /* Adds the prediction of one tree for one row to the tally, which starts at 0. weight: that of the tree, in any unit
   * if `average` is set. share may be NULL unless `shares` is set. */
  void (*add)(size_t k, const double *score, const double *share, double weight, double *tally);

  /* The weight of a tree, above 0 and finite. NULL: 1. */
  double (*weight)(const svf_vote_tree *tree);

  const svf_rounds *rounds; /* NULL: trees are independent of each other */

  bool shares;  /* add reads the shares; if not set, they are used only for ties and probabilities */
  bool average; /* the tally is divided by the sum of weights at the end */
  bool sums;    /* what add adds does not depend on the tally, so it can be stored with each leaf and used again */

  /* Its C code in an exported model:
   *   void NAME(uint32_t k, const number *score, const number *share, number weight, number *votes).
   * NULL: a model with such a vote cannot be exported. */
  const svf_code_kind *code;
} svf_vote;

/* The table of kinds, NULL-terminated. */
extern const svf_vote *const svf_votes[];

/* For `add`: the shares, weighted; and the same as C. */
void svf_vote_add_shares(size_t k, const double *score, const double *share, double weight, double *tally);

extern const svf_code_kind svf_shares_code;

/* For checks: votes that count classes have nothing to say about numbers. */
svf_status svf_vote_classes_only(const svf_settings *settings, svf_task task, svf_message *message);

/* Class with the largest score, the first of equals, and its lead over the second. */
size_t svf_vote_top(size_t k, const double *score, double *lead);

#endif
