/* votes.c - the table of votes, and functions that several votes use. */
#include "vote/vote.h"

#include <math.h>

extern const svf_vote svf_vote_majority, svf_vote_mean, svf_vote_confidence, svf_vote_weighted, svf_vote_simple,
    svf_vote_boost;

const svf_vote *const svf_votes[] = {&svf_vote_majority,
                                     &svf_vote_mean,
                                     &svf_vote_confidence,
                                     &svf_vote_weighted,
                                     &svf_vote_simple,
                                     &svf_vote_boost,
                                     NULL};

extern const char svf_code_shares[];
static const char *const pieces[] = {svf_code_shares, NULL};
const svf_code_kind svf_shares_code = {.function = "shares_vote", .piece = pieces};

void svf_vote_add_shares(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)score;
  for (size_t c = 0; c < k; c++) tally[c] += weight * share[c];
}

svf_status svf_vote_classes_only(const svf_settings *settings, svf_task task, svf_message *message) {
  if (task != SVF_TASK_REGRESS) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "vote=%s is for classes, and the target is a number; use vote=mean",
                  settings->vote);
}

size_t svf_vote_top(size_t k, const double *score, double *lead) {
  size_t best = 0;
  double second = -INFINITY;
  for (size_t c = 1; c < k; c++) {
    if (score[c] > score[best]) second = score[best], best = c;
    else if (score[c] > second) second = score[c];
  }
  *lead = k > 1 ? score[best] - second : 0;
  return best;
}
