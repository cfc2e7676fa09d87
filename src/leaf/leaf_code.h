/* leaf_code.h - how leaves of a kind are written as C; one file per kind, KIND_code.c, and the pieces code_*.inc. */
#ifndef SVF_LEAF_LEAF_CODE_H
#define SVF_LEAF_LEAF_CODE_H

#include "base/code.h"
#include "leaf/leaf.h"

/* Room that an answer takes, the most of any leaf. */
typedef struct svf_code_room {
  size_t machines, monomials;
} svf_code_room;

struct svf_leaf_code {
  svf_code_kind
      kind; /* its function: void NAME(const forest *, const leaf *, const point *, number *score, number *share) */
  /* Appends the numbers of one leaf as the function reads them, and its training rows. False: this leaf cannot be written. */
  bool (*write)(const svf_leaf_view *leaf, svf_code *number, svf_code *row, svf_code_room *room);
};

extern const svf_leaf_code svf_constant_code, svf_linear_code, svf_kernel_code, svf_ls_code;

#endif
