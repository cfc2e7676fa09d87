/* kernel_svm_code.c - kernel machines as C. */
#include "leaf/leaf_code.h"
#include "leaf/kernel_svm.h"

_Static_assert(SVF_KERNEL_LINEAR == 0 && SVF_KERNEL_POLY == 1 && SVF_KERNEL_RBF == 2 && SVF_KERNEL_CHI2 == 3 &&
                   SVF_KERNEL_PRECOMPUTED == 4 && SVF_KERNELS == 5 && SVF_FORM_VECTORS == 0,
               "code_kernel.inc has their numbers");

static size_t whole(const svf_leaf_view *leaf, int at) { return (size_t)svf_leaf_number(leaf, (size_t)at); }

static bool write(const svf_leaf_view *leaf, svf_code *number, svf_code *row, svf_code_room *room) {
  static const int kept[] = {SVF_KL_CLASSES, SVF_KL_SCHEME, SVF_KL_FORM,  SVF_KL_KERNEL,
                             SVF_KL_DEGREE,  SVF_KL_GAMMA,  SVF_KL_COEF0, SVF_KL_VECTORS};
  (void)row;
  size_t m = whole(leaf, SVF_KL_CLASSES);
  size_t machines = m > 1 ? svf_machine_count((svf_scheme)whole(leaf, SVF_KL_SCHEME), m) : 0;
  if (machines > room->machines) room->machines = machines;
  if (m > 1 && whole(leaf, SVF_KL_FORM) != SVF_FORM_VECTORS) {
    size_t monomials = (size_t)svf_monomial_count(leaf->d, (unsigned)whole(leaf, SVF_KL_DEGREE));
    if (monomials > room->monomials) room->monomials = monomials;
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    svf_code_number(number, svf_leaf_number(leaf, (size_t)kept[i]));
  for (size_t i = SVF_KL_HEAD; i < leaf->length; i++) svf_code_number(number, svf_leaf_number(leaf, i));
  return true;
}

extern const char svf_code_dot[], svf_code_machines[], svf_code_kernel[];
static const char *const pieces[] = {svf_code_dot, svf_code_machines, svf_code_kernel, NULL};
const svf_leaf_code svf_kernel_code = {{.function = "kernel_leaf", .piece = pieces, .flags = SVF_CODE_FILLED}, write};
