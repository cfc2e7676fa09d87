/* linear_svm_code.c - linear machines as C. */
#include "leaf/leaf_code.h"
#include "leaf/linear_svm.h"

_Static_assert(SVF_ONE_VS_REST == 0 && SVF_ONE_VS_ONE == 1, "code_machines.inc has their numbers");

static bool write(const svf_leaf_view *leaf, svf_code *number, svf_code *row, svf_code_room *room) {
  (void)row;
  size_t m = (size_t)svf_leaf_number(leaf, SVF_LINEAR_CLASSES);
  svf_scheme scheme = (svf_scheme)svf_leaf_number(leaf, SVF_LINEAR_SCHEME);
  size_t machines = m > 1 ? svf_machine_count(scheme, m) : 0;
  if (machines > room->machines) room->machines = machines;
  svf_code_number(number, (double)m);
  svf_code_number(number, scheme);
  for (size_t i = SVF_LINEAR_HEAD; i < leaf->length; i++) svf_code_number(number, svf_leaf_number(leaf, i));
  return true;
}

extern const char svf_code_dot[], svf_code_machines[], svf_code_linear[];
static const char *const pieces[] = {svf_code_dot, svf_code_machines, svf_code_linear, NULL};
const svf_leaf_code svf_linear_code = {{.function = "linear_leaf", .piece = pieces, .flags = SVF_CODE_FILLED}, write};
