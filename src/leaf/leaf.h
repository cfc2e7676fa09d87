/* leaf.h - the seam "what predicts inside a cell?"; one file per kind, one row in leaves.c.
 *
 * A leaf model is a flat run of numbers that only its own kind reads. For a row it gives k scores and k
 * shares: classes score about -1..1 (pure +1, absent -1) and their shares are probabilities; for regression k
 * = 1 and both are the value. */
#ifndef SVF_LEAF_LEAF_H
#define SVF_LEAF_LEAF_H

#include "base/buffer.h"
#include "cut/site.h"
#include "settings/kind.h"

/* A trained leaf, where it is used. */
typedef struct svf_leaf_view {
  const double *numbers;
  size_t length;
  size_t d, k;       /* encoded columns, scores */
  const float *fill; /* d: what stands for a missing value */
} svf_leaf_view;

typedef struct svf_leaf {
  svf_kind kind;

  /* Appends the model of the site's rows. Scratch from ground->worker->arena, which the caller releases. */
  svf_status (*train)(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

  /* Training is one pass over the rows: the thread that grew a tree trains its leaves, too. False: every leaf is
   * a job of its own. */
  bool quick;

  /* Is a run of numbers from a file safe to use below? Finite numbers are checked by the caller. */
  bool (*valid)(const svf_leaf_view *leaf);

  /* n rows of d floats (NaN: missing); score and share are n x k. Scratch is given back; false: memory ran
   * out. */
  bool (*predict)(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                  double *share);

  /* Relative duality gap of its machine. NULL: has none. */
  double (*gap)(const svf_leaf_view *leaf);

  /* Appends one line in words and numbers, without newline. */
  bool (*text)(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *text);
} svf_leaf;

/* The table of kinds, NULL-terminated. */
extern const svf_leaf *const svf_leaves[];

#endif
