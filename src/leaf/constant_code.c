/* constant_code.c - constant leaves as C. */
#include "leaf/leaf_code.h"

/* Of a number only the mean: nobody asks for its error there. */
static bool write(const svf_leaf_view *leaf, svf_code *number, svf_code *row, svf_code_room *room) {
  (void)row, (void)room;
  size_t count = leaf->k == 1 ? 1 : leaf->length;
  for (size_t i = 0; i < count; i++) svf_code_number(number, svf_leaf_number(leaf, i));
  return true;
}

extern const char svf_code_constant[];
static const char *const pieces[] = {svf_code_constant, NULL};
const svf_leaf_code svf_constant_code = {{.function = "constant_leaf", .piece = pieces}, write};
