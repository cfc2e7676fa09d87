/* majority.c - one tree, one vote (RSVT, section 3.4). */
#include "vote/vote.h"

static void add(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)share;
  double lead;
  tally[svf_vote_top(k, score, &lead)] += weight;
}

extern const char svf_code_majority[];
static const char *const pieces[] = {svf_code_majority, NULL};
static const svf_code_kind code = {.function = "majority_vote", .piece = pieces};

extern const svf_vote svf_vote_majority;
const svf_vote svf_vote_majority = {.kind.name = "majority",
                                    .kind.help =
                                        "each tree votes for its class; of equals, the largest sum of probabilities",
                                    .add = add,
                                    .kind.check = svf_vote_classes_only,
                                    .average = true,
                                    .sums = true,
                                    .code = &code};
