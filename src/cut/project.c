/* project.c - random projections at every node, scored by gain: the directions are drawn, the thresholds are sought.
 *
 * `features` directions are tried at a node, each over projection_size features drawn anew, with
 * standard normal weights, so that every direction in their space is as likely as any other. Breiman's Forest-RC (2001)
 * is the case of 3 features, random projections as in Rainforth's lecture that of all. */
#include "cut/oblique.h"

/* One direction over its own features; false: nothing varies, or memory ran out. */
static bool try_one(const svf_ground *ground, const svf_site *site, const svf_oblique *oblique, svf_random *random,
                    svf_best *best) {
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  int64_t size = ground->settings->projection_size; /* negative: all */
  svf_drawn columns;
  bool fine = svf_drawn_take(ground, site, oblique, size > 0 ? (size_t)size : oblique->features, random, &columns);
  float *weight = fine ? SVF_TAKE(arena, float, columns.count) : NULL;
  if (fine && !weight) ground->arena->failed = true;
  if (weight) {
    for (size_t j = 0; j < columns.count; j++) weight[j] = (float)svf_normal(random);
    svf_best_try(best, &columns, weight);
  }
  svf_arena_release(arena, mark);
  return weight != NULL;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  const svf_oblique *oblique = ground->notes;
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  svf_best best;
  bool fine = svf_best_open(&best, ground, site, oblique);
  for (size_t i = svf_oblique_wanted(ground, oblique->features); fine && i > 0; i--)
    if (!try_one(ground, site, oblique, &random, &best)) break;
  bool made = fine && svf_best_plane(&best, ground, plane);
  svf_arena_release(arena, mark);
  return made;
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, "projection_size", NULL};

extern const svf_cut svf_cut_project;
const svf_cut svf_cut_project = {.kind.name = "project",
                                 .kind.help = "random projections of the node's rows, the best threshold by gain",
                                 .kind.settings = settings,
                                 .kind.check = svf_oblique_check,
                                 .begin = svf_oblique_begin,
                                 .propose = propose};
