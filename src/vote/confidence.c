/* confidence.c - max voting (RSVF): the tree with the largest margin decides. */
#include "vote/vote.h"

static void add(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)share, (void)weight;
  double lead;
  size_t best = svf_vote_top(k, score, &lead);
  if (lead > tally[best]) tally[best] = lead;
}

extern const char svf_code_confidence[];
static const char *const pieces[] = {svf_code_confidence, NULL};
static const svf_code_kind code = {.function = "confidence_vote", .piece = pieces};

extern const svf_vote svf_vote_confidence;
const svf_vote svf_vote_confidence = {.kind.name = "max-confidence",
                                      .kind.help = "the tree with the largest lead over its second class decides",
                                      .add = add,
                                      .kind.check = svf_vote_classes_only,
                                      .code = &code};
