/* pick_none.c - no choice: the cut's own first proposal stands. */
#include "pick/pick.h"

extern const svf_pick svf_pick_none;
const svf_pick svf_pick_none = {.kind.name = "none", .kind.help = "no choice: the cut's own proposal is used"};
