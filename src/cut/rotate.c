/* rotate.c - axis cuts in a space that each tree turns its own way: one linear map per tree, then at every node the best
 * threshold by gain over `features` axes drawn at random. An axis that does not vary in the node is skipped, another is
 * drawn. In the model such a cut is a plane over the unrotated features. */
#include "cut/oblique.h"
#include "cut/rotation.h"

#include <math.h>
#include <string.h>

typedef struct notes {
  svf_oblique oblique;
  svf_rotation rotation;
} notes;

static const void *begin(const svf_ground *ground, const svf_site *root) {
  notes *made = SVF_TAKE(&ground->worker->arena, notes, 1);
  if (!made) ground->arena->failed = true;
  return made && svf_oblique_fill(&made->oblique, ground, root) && svf_rotation_make(ground, root, &made->rotation)
             ? made
             : NULL;
}

/* The node's values along an axis; false: they do not vary. */
static bool gather(const svf_site *site, const float *axis, float *value) {
  bool varies = false;
  float first = NAN;
  for (size_t i = 0; i < site->n; i++) {
    float x = value[i] = axis[site->rows[i]];
    if (first != first) first = x;
    varies |= x == x && x != first;
  }
  return varies;
}

/* Position of the best axis, or their number: none. */
static size_t find(const svf_ground *ground, const svf_site *site, size_t trial, svf_found *found) {
  const notes *n = ground->notes;
  svf_arena *arena = &ground->worker->arena;
  size_t axes = n->rotation.axes, best = axes;
  size_t wanted = svf_features_wanted(ground->settings, axes, ground->frame->label != NULL);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  uint32_t *axis = SVF_TAKE(arena, uint32_t, axes);
  float *value = SVF_TAKE(arena, float, site->n);
  svf_search search;
  if (!svf_search_open(&search, ground, site, n->oblique.xlogx)) return axes;
  found->gain = search.least;
  for (uint32_t j = 0; j < axes; j++) axis[j] = j;
  for (size_t i = 0, seen = 0; i < axes && seen < wanted && !svf_worker_stopped(ground->worker); i++) {
    size_t j = i + svf_below(&random, (uint32_t)(axes - i));
    uint32_t a = axis[j];
    axis[j] = axis[i];
    if (!gather(site, n->rotation.value[a], value)) continue;
    seen++;
    if (svf_search_column(&search, value, found)) best = a;
  }
  return best;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  const svf_rotation *rotation = &((const notes *)ground->notes)->rotation;
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  svf_found found = {0};
  size_t axis = find(ground, site, trial, &found);
  svf_arena_release(&ground->worker->arena, mark);
  if (axis == rotation->axes) return false;
  size_t start = rotation->start[axis];
  *plane = (svf_plane){.term = rotation->term + start,
                       .count = rotation->start[axis + 1] - start,
                       .threshold = found.threshold,
                       .missing_left = found.missing_left,
                       .gain = found.gain};
  return true;
}

/* The axis of a plane that `propose` made: its terms stand where the axis has them. */
static size_t axis_of(const svf_rotation *rotation, const svf_plane *plane) {
  size_t place = (size_t)(plane->term - rotation->term), low = 0, high = rotation->axes;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (rotation->start[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

static void sides(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                  unsigned char *right) {
  const svf_rotation *rotation = &((const notes *)ground->notes)->rotation;
  const float *value = rotation->value[axis_of(rotation, plane)];
  for (size_t i = 0; i < n; i++) {
    float x = value[rows[i]];
    right[i] = x == x ? x >= plane->threshold : !plane->missing_left;
  }
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  bool pca = settings->rotation == SVF_ROTATION_PCA;
  if (!pca && (settings->given[SVF_SET_group_size] || settings->given[SVF_SET_group_fraction]))
    return svf_fail(message, SVF_USAGE, "group_size and group_fraction are for rotation=pca only: leave them out");
  return svf_criterion_check(settings, task, message);
}

static const char *const settings_read[] = {SVF_GAIN_SETTINGS, "rotation", "group_size", "group_fraction", NULL};

extern const svf_cut svf_cut_rotate;
const svf_cut svf_cut_rotate = {.kind.name = "rotate",
                                .kind.help = "axis cuts in a space that each tree rotates, with the best threshold",
                                .kind.settings = settings_read,
                                .kind.check = check,
                                .begin = begin,
                                .propose = propose,
                                .sides = sides};
