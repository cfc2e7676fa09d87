/* weighted.c - uneven voting: the mean vote, each tree weighted by how well it did out of bag. */
#include "vote/vote.h"

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (settings->rows != SVF_ROWS_ALL) return SVF_OK;
  return svf_fail(message, SVF_USAGE,
                  "vote=weighted weighs trees by their out-of-bag rows, and rows=all leaves none; take "
                  "rows=bootstrap or rows=subsample");
}

extern const svf_vote svf_vote_weighted;
const svf_vote svf_vote_weighted = {
    .kind.name = "weighted",
    .kind.help = "the mean vote, each tree weighted by its out-of-bag accuracy (numbers: 1 / mean squared error)",
    .kind.check = check,
    .add = svf_vote_add_shares,
    .shares = true,
    .average = true,
    .weighted = true,
};
