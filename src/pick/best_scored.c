/* best_scored.c - of the candidates of a cell the one with the least regularised empirical risk (TBRF, section 2.2.2):
 *
 *     split_penalty * splits^2 + risk
 *
 * The risk is the mean squared error on the cell's own rows (of class shares: the Gini index), of constant answers or of
 * the leaves that would be trained (candidate_risk). With prefixes=yes each candidate stands for all the trees that it is
 * on its way; else only for the last, and then the penalty decides where some of their splits came to nothing. */
#include "pick/pick.h"

static double cell(const svf_ground *ground, size_t splits, double risk) {
  return ground->settings->split_penalty * (double)splits * (double)splits + risk;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (settings->prefixes && settings->candidate_risk == SVF_CANDIDATE_RISK_LEAF)
    return svf_fail(message, SVF_USAGE,
                    "candidate_risk=leaf would train new leaves for every prefix: use prefixes=no, or "
                    "candidate_risk=constant");
  return SVF_OK;
}

static const char *const settings[] = {"tree_candidates", "split_penalty", "prefixes", "candidate_risk", NULL};

extern const svf_pick svf_pick_best_scored;
const svf_pick svf_pick_best_scored = {.kind.name = "best-scored",
                                       .kind.help = "the candidate tree of a cell with the smallest penalised risk",
                                       .kind.settings = settings,
                                       .kind.check = check,
                                       .cell = cell};
