/* mean.c - the mean of what the trees say: class probabilities, or values. */
#include "vote/vote.h"

extern const svf_vote svf_vote_mean;
const svf_vote svf_vote_mean = {
    .kind.name = "mean",
    .kind.help = "mean of the trees' class probabilities, or of their numbers",
    .add = svf_vote_add_shares,
    .shares = true,
    .average = true,
    .sums = true,
    .code = &svf_shares_code,
};
