/* cut.h - the seam "how is the space divided?"; one file per kind, one row in cuts.c. */
#ifndef SVF_CUT_CUT_H
#define SVF_CUT_CUT_H

#include "cut/site.h"
#include "settings/kind.h"

/* How bad a candidate for a cell is, with so many splits and this empirical risk. */
typedef double svf_cell_score(const svf_ground *ground, size_t splits, double risk);

typedef struct svf_cut {
  svf_kind kind;

  /* Makes what all trees of a forest share, in the arena; sites then see it as ground->prepared. NULL: nothing. */
  svf_status (*prepare)(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                        const void **prepared, svf_message *message);

  /* Once per tree, before its root is cut: what all its nodes share; they find it in ground->notes. Memory from
   * ground->worker->arena lasts until the tree is grown. A failure is remembered in ground->arena. NULL: nothing. */
  const void *(*begin)(const svf_ground *ground, const svf_site *root);

  /* Proposes candidate number `trial` for the site: fills the plane (terms from ground->arena) and returns
   * true; false: there is no such candidate. Under pick none only trial 0 is asked for and its answer stands,
   * so a cut with a score of its own gives its best there. Under another pick, trials 0, 1, ... are asked for
   * until the cut has no more. The plane must leave ground->min_leaf rows on each side once missing rows have
   * gone to their side. Memory failure is remembered in the arena. NULL: never cuts, the root is the leaf. */
  bool (*propose)(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane);

  /* A site was divided and its children, which may be cut, have their rows: what the cut noted of the site it may pass on
   * to them, in svf_site.note, for their own proposals. NULL: nothing. */
  void (*divided)(const svf_ground *ground, svf_site *site);

  /* The site stays a leaf; its note is not needed any more. NULL: nothing. */
  void (*closed)(const svf_ground *ground, svf_site *site);

  /* All candidates of a site at once, from ground->worker->arena, for picks: a direction is then drawn once for all its
   * thresholds. The planes are as `propose` gives them. NULL: propose is asked for trials 0, 1, ... until it has no
   * more. */
  svf_planes (*candidates)(const svf_ground *ground, const svf_site *site);

  /* Where rows go: right[i] becomes 0 or 1. NULL: read off the frame; a cut that holds the features in a better
   * order for this fills it in. The answer must be the same. */
  void (*sides)(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                unsigned char *right);

  /* Grows the tree below its root by itself; then only `prepare` and `begin` are asked for besides. score: how bad a candidate
   * for a cell is (svf_pick.cell); NULL: the first stands. False: memory ran out or the wish to stop. NULL: the tree grows
   * node by node, by `propose`. */
  bool (*grow)(const svf_ground *ground, svf_cell_score *score, svf_site *root);

  /* Does `grow` try several candidates for a cell, so that a pick may choose? Then cells may also be without rows
   * (svf_site.filler). */
  bool by_cells;

  /* The setting of which several values may be given, so that cross-validation chooses one for the whole forest. NULL: there is
   * none. */
  svf_list *(*several)(svf_settings *settings);

  /* With these settings, may rows go to both sides of a cut in training? NULL: never. */
  bool (*overlaps)(const svf_settings *settings);

  /* Can it divide the levels of a column of codes (levels.h)? */
  bool divides_levels;

  /* Does it read labels and values from the frame of each tree, and not in `prepare`? Boosting changes them. */
  bool follows;

  /* Does it share out the work on one node among threads that have no tree of their own (svf_share)? */
  bool shares;

  /* Are its cuts thresholds on one of r random features (svf_features_wanted)? Bounds count them. */
  bool draws_features;

  /* Which of the open sites is cut next. NULL: depth first, left before right. */
  size_t (*next)(const svf_ground *ground, svf_site *const *open, size_t count);
} svf_cut;

/* The table of kinds, NULL-terminated. */
extern const svf_cut *const svf_cuts[];

#endif
