/* weighted.c - uneven voting: the mean vote, each tree weighted by how well it did out of bag. */
#include "vote/vote.h"

static void add(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)score;
  for (size_t c = 0; c < k; c++) tally[c] += weight * share[c];
}

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
    .add = add,
    .average = true,
    .weighted = true,
};
