/* halve.c - a random direction in learned coordinates, cut at the median of the node's rows (median.h), until a cell has at
 * most cell_rows of them. */
#include "cut/median.h"

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (!svf_median_wanted(ground, site, trial)) return false;
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  svf_median median;
  bool fine = svf_median_open(&median, ground, site), found = fine && svf_median_draw(&median, &random, plane);
  if (!fine) ground->arena->failed = true;
  svf_arena_release(&ground->worker->arena, mark);
  return found;
}

static const char *const settings[] = {"cell_rows",       "max_depth",      "min_leaf",
                                       "min_leaf_factor", "cut_candidates", NULL};

extern const svf_cut svf_cut_halve;
const svf_cut svf_cut_halve = {.kind.name = "halve",
                               .kind.help = "random directions in learned coordinates, cut at the median",
                               .kind.settings = settings,
                               .propose = propose};
