/* mean.c - the mean of what the trees say: class probabilities, or values. */
#include "vote/vote.h"

static void add(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)score;
  for (size_t c = 0; c < k; c++) tally[c] += weight * share[c];
}

extern const svf_vote svf_vote_mean;
const svf_vote svf_vote_mean = {
    .kind.name = "mean",
    .kind.help = "mean of the trees' class probabilities, or of their values",
    .add = add,
    .average = true,
};
