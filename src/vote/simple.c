/* simple.c - uneven voting: the mean vote, each tree weighted by its simplicity, 1 / leaves. */
#include "vote/vote.h"

static double weight(const svf_vote_tree *tree) { return 1 / (double)tree->leaves; }

extern const svf_vote svf_vote_simple;
const svf_vote svf_vote_simple = {
    .kind.name = "simple",
    .kind.help = "the mean vote, each tree weighted by 1 / its leaves: simpler trees count more",
    .add = svf_vote_add_shares,
    .shares = true,
    .average = true,
    .sums = true,
    .weight = weight,
    .code = &svf_shares_code,
};
