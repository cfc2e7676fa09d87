/* picks.c - the table of picks. */
#include "pick/pick.h"

extern const svf_pick svf_pick_none, svf_pick_best_scored, svf_pick_oob_drop, svf_pick_bound;

const svf_pick *const svf_picks[] = {&svf_pick_none, &svf_pick_best_scored, &svf_pick_oob_drop, &svf_pick_bound,
                                     NULL};
