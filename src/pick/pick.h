/* pick.h - the seam "which candidate survives?"; one file per kind, one row in picks.c.
 *
 * Cut proposes, and a pick other than none replaces the cut's own score. */
#ifndef SVF_PICK_PICK_H
#define SVF_PICK_PICK_H

#include "leaf/leaf.h"

/* A leaf of a grown tree with its candidates. */
typedef struct svf_leaf_case {
  const svf_site *site;
  double weight; /* of its rows */
  const svf_draft *draft;
  size_t drafts;
  size_t taken; /* out: number of the draft that stays */
} svf_leaf_case;

typedef struct svf_pick {
  svf_kind kind;

  /* At a node: the worth of a proposed plane; the best one is taken if it is above 0, the first of equals.
   * Memory failure is remembered in ground->arena. NULL: the cut's own first proposal stands. */
  double (*node)(const svf_ground *ground, const svf_site *site, const svf_plane *plane);

  /* The same for all candidates at once, by picks that share work among them; then `node` is NULL. Gives the number of
   * the best, or planes->count where none is better than nothing. It may leave models that it trained in site->ready,
   * and for the children of the best in ready[2] (zeroed before); their memory comes from ground->arena. */
  size_t (*best)(const svf_ground *ground, svf_site *site, const svf_planes *planes, svf_ready ready[2]);

  /* At a cell: how bad a candidate with so many splits and this empirical risk is; of the tree_candidates of a cell the
   * least is taken, the first of equals. For cuts that go by cells. NULL: their first candidate stands. */
  double (*cell)(const svf_ground *ground, size_t splits, double risk);

  /* At the leaves of a tree, in preorder: sets `taken` of each. Legal with leaves that have drafts and cuts that draw
   * features. NULL: a leaf trains what it chooses itself. */
  void (*leaves)(const svf_ground *ground, svf_leaf_case *leaf, size_t count);

  /* Does it judge by rows that the tree does not train on? Then sites carry judges, and rows=all is illegal.
   */
  bool judges;
} svf_pick;

/* The table of kinds, NULL-terminated. */
extern const svf_pick *const svf_picks[];

#endif
