/* leaves.c - the table of leaves. */
#include "leaf/leaf.h"

extern const svf_leaf svf_leaf_constant, svf_leaf_linear, svf_leaf_ls, svf_leaf_kernel;

const svf_leaf *const svf_leaves[] = {&svf_leaf_constant, &svf_leaf_linear, &svf_leaf_ls, &svf_leaf_kernel, NULL};
