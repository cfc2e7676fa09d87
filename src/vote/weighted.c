/* weighted.c - uneven voting: the mean vote, each tree weighted by how well it did out of bag. */
#include "vote/vote.h"

#include <math.h>

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (settings->rows != SVF_ROWS_ALL) return SVF_OK;
  return svf_fail(message, SVF_USAGE,
                  "vote=weighted needs out-of-bag rows, and rows=all leaves none; use "
                  "rows=bootstrap or rows=subsample, or vote=simple");
}

/* Limited to 1e-3..1e12. A tree without out-of-bag rows gets the weight of a bad one. */
static double weight(const svf_vote_tree *tree) {
  if (isnan(tree->oob)) return 1e-3;
  double good = tree->classes ? tree->oob : 1 / fmax(tree->oob, 1e-12);
  return fmin(fmax(good, 1e-3), 1e12);
}

extern const svf_vote svf_vote_weighted;
const svf_vote svf_vote_weighted = {
    .kind.name = "weighted",
    .kind.help = "the mean vote, each tree weighted by its out-of-bag accuracy (numbers: 1 / mean squared error)",
    .kind.check = check,
    .add = svf_vote_add_shares,
    .shares = true,
    .average = true,
    .sums = true,
    .weight = weight,
    .code = &svf_shares_code,
};
