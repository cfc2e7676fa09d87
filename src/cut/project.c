/* project.c - random projections at every node, scored by gain: the directions are drawn, the thresholds are sought.
 *
 * `features` directions are tried at a node, each over projection_size features drawn anew, with
 * standard normal weights, so that every direction in their space is as likely as any other. Breiman's Forest-RC (2001)
 * is the case of 3 features, random projections as in Rainforth's lecture that of all. */
#include "cut/oblique.h"

/* Some directions over features drawn for them; false: nothing varies, or memory ran out. */
static bool try_some(const svf_ground *ground, const svf_site *site, size_t size, size_t count, svf_random *random,
                     svf_best *best) {
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_drawn columns;
  bool fine = svf_drawn_take(ground, site, ground->notes, size, random, &columns);
  size_t weights = fine ? count * columns.count : 0;
  float *weight = SVF_TAKE(arena, float, weights);
  double *normal = SVF_TAKE(arena, double, weights);
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  fine = fine && !ground->arena->failed;
  if (fine) svf_normals(random, weights, normal);
  for (size_t j = 0; fine && j < weights; j++) weight[j] = (float)normal[j];
  fine = fine && svf_best_try(best, ground, &columns, weight, count);
  svf_arena_release(arena, mark);
  return fine;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  const svf_oblique *oblique = ground->notes;
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  svf_best best;
  bool fine = svf_best_open(&best, ground, site, oblique);
  size_t count = svf_features_wanted(ground->settings, oblique->features, ground->frame->label != NULL);
  int64_t size = ground->settings->projection_size; /* negative: all */
  if (size < 0 || (size_t)size >= oblique->features) {
    if (fine) try_some(ground, site, oblique->features, count, &random, &best);
  } else {
    for (size_t i = 0; fine && i < count; i++)
      if (!try_some(ground, site, (size_t)size, 1, &random, &best)) break;
  }
  bool made = fine && svf_best_plane(&best, ground, plane);
  svf_arena_release(arena, mark);
  return made;
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, "projection_size", NULL};

extern const svf_cut svf_cut_project;
const svf_cut svf_cut_project = {.kind.name = "project",
                                 .kind.help = "random projections of the node's rows, the best threshold by gain",
                                 .kind.settings = settings,
                                 .kind.check = svf_criterion_check,
                                 .begin = svf_oblique_begin,
                                 .propose = propose};
