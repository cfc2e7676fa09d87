/* cut_none.c - no cut: the root is the leaf, so a forest of one tree is a single machine. */
#include "cut/cut.h"

extern const svf_cut svf_cut_none;
const svf_cut svf_cut_none = {.kind.name = "none", .kind.help = "no cut: the root is the leaf"};
