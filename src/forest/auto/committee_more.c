/* committee_more.c - a plan with more members: those that it has, with other settings, as the search for settings tries them
 * (tune_space.c). */
#include <stdlib.h>
#include "forest/auto/committee.h"
#include "forest/auto/tune.h"

/* How many times the work of the plan that it was made from; how many combinations of a member are looked at. */
enum { WIDER = 4, LOOKS = 100 };

/* Member m with the combination at a place of a random order; *found: there is one at that place. */
static svf_status vary(const svf_plan *plan, size_t m, uint64_t place, svf_planned *made, bool *found,
                       svf_message *message) {
  svf_space space;
  svf_tune_options none = {.folds = 0};
  *made = plan->member[m];
  SVF_TRY(svf_space_open(&space, &made->settings, plan->task, &none, message));
  *found = place < space.size;
  space.base.seed = (int64_t)((uint64_t)space.base.seed + m); /* an order of its own */
  if (*found) svf_space_at(&space, svf_space_shuffled(&space, place), &made->settings);
  svf_space_close(&space);
  made->settings.seed = plan->member[m].settings.seed;
  return SVF_OK;
}

/* A variant costs about what its member does. One that does not go together, or is too dear, is passed over. */
svf_status svf_plan_widen(svf_plan *plan, svf_message *message) {
  svf_planned *room = realloc(plan->member, SVF_MEMBERS * sizeof *room);
  if (!room) return svf_no_memory(message, "the plan");
  plan->member = room;
  size_t count = plan->count;
  double left = 0;
  for (size_t m = 0; m < count; m++) left += (WIDER - 1) * room[m].price;
  bool any = true;
  for (uint64_t place = 1; any && place <= LOOKS; place++) {
    any = false;
    for (size_t m = 0; m < count && plan->count < SVF_MEMBERS; m++) {
      svf_planned made;
      bool found;
      svf_message why;
      SVF_TRY(vary(plan, m, place, &made, &found, message));
      if (!found || made.price > left) continue;
      any = true;
      if (svf_settings_check(&made.settings, plan->task, &why) != SVF_OK) continue;
      left -= made.price;
      room[plan->count++] = made;
    }
  }
  return SVF_OK;
}
