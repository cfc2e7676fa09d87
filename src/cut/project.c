/* project.c - random projections at every node: the directions are drawn; the thresholds are sought by gain, or drawn as
 * well and left to a pick.
 *
 * By gain (threshold_candidates=best): `features` directions are tried at a node, each over projection_size features drawn
 * anew, with standard normal weights, so that every direction in their space is as likely as any other. Breiman's
 * Forest-RC (2001) is the case of 3 features, random projections as in Rainforth's lecture that of all.
 *
 * Drawn (RSVF): cut_candidates directions, on each threshold_candidates thresholds that are values of rows of the node. A
 * direction of few values, such as an indicator, has fewer, each once; then further directions are drawn, until they have
 * cut_candidates x threshold_candidates thresholds together. */
#include "cut/oblique.h"

#include <math.h>

static void draw_weights(const svf_ground *ground, svf_random *random, size_t count, double *weight) {
  if (ground->settings->projection_weights == SVF_WEIGHTS_NORMAL) svf_normals(random, count, weight);
  else
    for (size_t j = 0; j < count; j++) weight[j] = svf_random_unit(random);
}

/* Some directions over features drawn for them; false: nothing varies, or memory ran out. */
static bool try_some(const svf_ground *ground, const svf_site *site, size_t size, size_t count, svf_random *random,
                     svf_best *best) {
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_drawn columns;
  bool fine = svf_drawn_take(ground, site, ground->notes, size, random, &columns);
  size_t weights = fine ? count * columns.count : 0;
  float *weight = SVF_TAKE(arena, float, weights);
  double *drawn = SVF_TAKE(arena, double, weights);
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  fine = fine && !ground->arena->failed;
  if (fine) draw_weights(ground, random, weights, drawn);
  for (size_t j = 0; fine && j < weights; j++) weight[j] = (float)drawn[j];
  fine = fine && svf_best_try(best, ground, &columns, weight, count);
  svf_arena_release(arena, mark);
  return fine;
}

/* Features that a direction combines. */
static size_t size_of(const svf_ground *ground) {
  const svf_oblique *oblique = ground->notes;
  int64_t size = ground->settings->projection_size; /* negative: all */
  return size < 0 || (size_t)size >= oblique->features ? oblique->features : (size_t)size;
}

static bool propose_best(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  const svf_oblique *oblique = ground->notes;
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  svf_best best;
  bool fine = svf_best_open(&best, ground, site, oblique);
  size_t count = svf_features_wanted(ground->settings, oblique->features, ground->frame->label != NULL);
  size_t size = size_of(ground);
  if (size == oblique->features) {
    if (fine) try_some(ground, site, size, count, &random, &best);
  } else {
    for (size_t i = 0; fine && i < count; i++)
      if (!try_some(ground, site, size, 1, &random, &best)) break;
  }
  bool made = fine && svf_best_plane(&best, ground, plane);
  svf_arena_release(arena, mark);
  return made;
}

/* ---- drawn thresholds ---- */

/* Terms of one direction; one column alone has weight 1, as any other weight would cut the same. */
static void draw_terms(const svf_ground *ground, svf_random *random, const svf_drawn *columns, double *drawn,
                       svf_plane *plane) {
  plane->count = 0;
  drawn[0] = 1;
  if (columns->count > 1) draw_weights(ground, random, columns->count, drawn);
  for (size_t j = 0; j < columns->count; j++)
    if ((float)drawn[j] != 0) plane->term[plane->count++] = (svf_term){columns->column[j], (float)drawn[j]};
}

/* The values of the rows along the plane and their range; false: none is there. */
static bool project(const svf_frame *frame, const svf_site *site, const svf_plane *plane, float *value,
                    float *range) {
  float low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < site->n; i++) {
    float v = svf_plane_value(plane, frame->x + site->rows[i] * frame->stride);
    value[i] = v;
    if (isinf(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  *range = high - low;
  return high > low;
}

/* Both sides keep min_leaf rows, and at most a quarter of the rows are in the band: else trees would have more and more
 * rows from level to level without an end. */
static bool divides(const svf_ground *ground, const svf_plane *plane, const float *value, size_t n) {
  const float threshold = plane->threshold, low = threshold - plane->band, high = threshold + plane->band;
  uint32_t below = 0, left = 0, right = 0; /* 32 bits as the values have: several to an instruction */
  for (size_t i = 0; i < n; i++) {
    below += value[i] < threshold;
    left += value[i] < high;
    right += value[i] >= low;
  }
  return below >= ground->min_leaf && n - below >= ground->min_leaf && 4 * ((size_t)left + right - n) <= n &&
         left < n && right < n;
}

/* Lists the values, that of missing rows among them, each once, in the order of the rows; at most `most` of them. */
static size_t list_values(const float *value, size_t n, size_t most, float *listed) {
  size_t count = 0;
  for (size_t i = 0; i < n && count < most; i++) {
    size_t j = 0;
    while (j < count && listed[j] != value[i]) j++;
    if (j == count) listed[count++] = value[i];
  }
  return count;
}

static bool same_terms(const svf_plane *a, const svf_plane *b) {
  bool same = a->count == b->count;
  for (size_t j = 0; same && a->term != b->term && j < a->count; j++)
    same = a->term[j].feature == b->term[j].feature && a->term[j].weight == b->term[j].weight;
  return same;
}

/* Is that cut among the planes? Where nothing is missing, the side of missing rows makes no other cut. */
static bool is_there(const svf_planes *planes, const svf_plane *plane, bool missing) {
  for (size_t i = planes->count; i-- > 0;) {
    const svf_plane *other = &planes->item[i];
    if (other->threshold == plane->threshold && same_terms(other, plane) &&
        (!missing || other->missing_left == plane->missing_left))
      return true;
  }
  return false;
}

/* Appends the cuts of one direction that divide, at most `wanted`, and returns how many thresholds the direction takes of
 * the node's: as many, or as its values allow. If these are few, each is drawn once, and no cut is there twice. */
static size_t add_thresholds(const svf_ground *ground, const svf_site *site, svf_random *random, const float *value,
                             size_t wanted, svf_plane *plane, svf_planes *planes) {
  float *listed = SVF_TAKE(&ground->worker->arena, float, wanted + 2);
  if (!listed) return 0;
  size_t values = list_values(value, site->n, wanted + 2, listed);
  bool few = values < wanted + 2;
  for (size_t t = 0; t < (few ? values : wanted); t++) {
    size_t at = svf_random_below(random, few ? values - t : site->n);
    plane->threshold = few ? listed[at] : value[at];
    if (few) listed[at] = listed[values - 1 - t]; /* the last takes its place */
    if (few && is_there(planes, plane, ground->frame->missing)) continue;
    if (isfinite(plane->threshold) && divides(ground, plane, value, site->n)) planes->item[planes->count++] = *plane;
  }
  return few ? values - 1 : wanted;
}

/* Appends the planes of one direction, at most `wanted`. A coin decides where rows that miss a feature go; the pick judges
 * what came of it. Returns how many thresholds it has; 0: nothing varies, or memory ran out. */
static size_t add_direction(const svf_ground *ground, const svf_site *site, size_t number, float *value,
                            size_t wanted, svf_planes *planes) {
  svf_arena *arena = &ground->worker->arena;
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, number);
  svf_plane plane = {.term = SVF_TAKE(arena, svf_term, ground->frame->d)};
  svf_mark mark = svf_arena_mark(arena);
  svf_drawn columns;
  bool fine = plane.term && svf_drawn_take(ground, site, ground->notes, size_of(ground), &random, &columns);
  double *drawn = fine ? SVF_TAKE(arena, double, columns.count) : NULL;
  float range;
  size_t thresholds = drawn != NULL; /* also where the terms cancel each other */
  if (drawn) {
    draw_terms(ground, &random, &columns, drawn, &plane);
    plane.missing_left = svf_random_below(&random, 2);
    if (project(ground->frame, site, &plane, value, &range)) {
      plane.band = (float)ground->settings->overlap.item[0] * range;
      thresholds = add_thresholds(ground, site, &random, value, wanted, &plane, planes);
    }
  }
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  svf_arena_release(arena, mark);
  return thresholds;
}

/* By gain: the best of each trial. */
static void add_best(const svf_ground *ground, const svf_site *site, svf_planes *planes) {
  while (propose_best(ground, site, planes->count, &planes->item[planes->count])) planes->count++;
}

static void add_drawn(const svf_ground *ground, const svf_site *site, size_t most, float *value, svf_planes *planes) {
  size_t wanted = (size_t)ground->settings->threshold_candidates, some = 1;
  for (size_t i = 0, left = most; left && some && !ground->arena->failed && !svf_worker_stopped(ground->worker);
       i++, left -= some)
    some = add_direction(ground, site, i, value, wanted < left ? wanted : left, planes);
}

static svf_planes candidates(const svf_ground *ground, const svf_site *site) {
  svf_arena *arena = &ground->worker->arena;
  int64_t thresholds = ground->settings->threshold_candidates;
  size_t most = (size_t)ground->settings->cut_candidates * (size_t)(thresholds < 0 ? 1 : thresholds);
  svf_planes planes = {SVF_ZERO(arena, svf_plane, most + 1), 0};
  float *value = SVF_TAKE(arena, float, site->n);
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  if (ground->arena->failed || site->n < 2 * ground->min_leaf) return planes;
  if (thresholds < 0) add_best(ground, site, &planes);
  else add_drawn(ground, site, most, value, &planes);
  return planes;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (ground->settings->threshold_candidates == SVF_THRESHOLDS_BEST) return propose_best(ground, site, trial, plane);
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_planes planes = candidates(ground, site);
  bool there = trial < planes.count && svf_plane_copy(&planes.item[trial], ground->arena, plane);
  svf_arena_release(arena, mark);
  return there;
}

static const char *const settings_read[] = {SVF_GAIN_SETTINGS,      "projection_size", "projection_weights",
                                            "threshold_candidates", "overlap",         NULL};

static bool overlaps(const svf_settings *s) { return s->overlap.count > 1 || s->overlap.item[0] > 0; }

static svf_status check(const svf_settings *s, svf_task task, svf_message *message) {
  bool drawn = s->threshold_candidates != SVF_THRESHOLDS_BEST;
  const struct {
    bool wrong;
    const char *what;
  } rules[] = {
      {drawn && s->given[SVF_SET_features], "features"},
      {drawn && s->given[SVF_SET_criterion], "criterion"},
      {drawn && s->given[SVF_SET_min_gain], "min_gain"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].wrong)
      return svf_fail(message, SVF_USAGE,
                      "%s is not used when thresholds are drawn (threshold_candidates): leave it out", rules[i].what);
  if (!drawn && overlaps(s))
    return svf_fail(message, SVF_USAGE,
                    "overlap is for drawn thresholds; give their number (threshold_candidates=10)");
  return svf_criterion_check(s, task, message);
}

static svf_list *several(svf_settings *s) { return &s->overlap; }

extern const svf_cut svf_cut_project;
const svf_cut svf_cut_project = {.kind.name = "project",
                                 .kind.help = "random projections of the node's rows; thresholds by gain, or drawn",
                                 .kind.settings = settings_read,
                                 .kind.check = check,
                                 .several = several,
                                 .overlaps = overlaps,
                                 .begin = svf_oblique_begin,
                                 .candidates = candidates,
                                 .propose = propose};
