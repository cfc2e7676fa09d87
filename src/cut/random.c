/* random.c - totally random cuts (RSVT, section 3.2): one random feature, one uniform place.
 *
 * A feature is drawn uniformly among those that vary in the node; the threshold uniformly between the node's least and
 * greatest value (range=data) or within the side of its cell (range=cell, what the consistency proof analyses). A cut that
 * leaves fewer than min_leaf rows on a side is refused:
 *   refused=stop     the node becomes a leaf (what the author's program does)
 *   refused=redraw   feature and threshold are drawn again, until one is accepted or none can be
 * Redrawing is rejection sampling. After DRAWS refusals the law it samples from is computed instead: feature j has the
 * probability of the length of its admissible interval over its range, and the threshold is uniform in that interval.
 * A row that misses the feature goes to the side with more rows. */
#include "cut/cut.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 16 };

typedef struct draw {
  const svf_ground *ground;
  const svf_site *site;
  svf_random random;
  uint32_t *feature; /* a permutation in the making */
} draw;

/* The interval a threshold is drawn from; false: the feature does not vary. */
static bool interval(const draw *d, uint32_t feature, float *low, float *high) {
  const svf_site *site = d->site;
  if (!svf_feature_range(d->ground->frame, site->rows, site->n, feature, low, high) || !(*low < *high)) return false;
  if (d->ground->settings->range == SVF_RANGE_CELL)
    svf_site_side(site, feature, d->ground->low[feature], d->ground->high[feature], low, high);
  return true;
}

/* Uniform in (low, high]: the least value falls left, the greatest right. */
static float uniform(svf_random *random, float low, float high) {
  double t = high - (double)svf_random_unit(random) * ((double)high - low);
  float threshold = (float)t;
  if (!(threshold > low)) threshold = nextafterf(low, high);
  return threshold > high ? high : threshold;
}

/* One draw of feature and threshold; false: nothing varies. */
static bool draw_one(draw *d, svf_plane *plane) {
  size_t count = d->ground->frame->d;
  for (size_t i = 0; i < count; i++) { /* a feature that does not vary is skipped, another is drawn */
    size_t j = i + (size_t)svf_random_below(&d->random, count - i);
    uint32_t feature = d->feature[j];
    d->feature[j] = d->feature[i];
    d->feature[i] = feature;
    float low, high;
    if (!interval(d, feature, &low, &high)) continue;
    plane->term[0] = (svf_term){feature, 1};
    plane->threshold = uniform(&d->random, low, high);
    return true;
  }
  return false;
}

static bool accepted(const draw *d, svf_plane *plane) {
  svf_sides sides = svf_plane_count(d->ground->frame, d->site->rows, d->site->n, plane);
  plane->missing_left = sides.left >= sides.right;
  if (plane->missing_left) sides.left += sides.missing;
  else sides.right += sides.missing;
  return sides.left >= d->ground->min_leaf && sides.right >= d->ground->min_leaf;
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The thresholds of one feature that are accepted: (low, high]. Missing rows join the larger side, so the
 * smaller one must reach min_leaf without them. False: there are none. */
static bool admissible(const draw *d, uint32_t feature, float *value, float *low, float *high) {
  const svf_frame *frame = d->ground->frame;
  size_t n = 0, least = d->ground->min_leaf;
  for (size_t i = 0; i < d->site->n; i++) {
    float x = frame->x[d->site->rows[i] * frame->stride + feature];
    if (x == x) value[n++] = x;
  }
  if (n < 2 * least) return false;
  qsort(value, n, sizeof *value, by_value);
  *low = value[least - 1];
  *high = value[n - least];
  return *low < *high;
}

/* The exact law of accepted cuts. */
static bool draw_exactly(draw *d, svf_plane *plane) {
  svf_arena *scratch = &d->ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  size_t count = d->ground->frame->d;
  float *value = SVF_TAKE(scratch, float, d->site->n), *ends = SVF_TAKE(scratch, float, 2 * count);
  double *share = SVF_TAKE(scratch, double, count), sum = 0;
  bool made = false;
  if (svf_arena_failed(scratch)) {
    d->ground->arena->failed = true;
    return false;
  }
  for (uint32_t j = 0; j < count; j++) {
    float low, high;
    share[j] = 0;
    if (!admissible(d, j, value, &ends[2 * j], &ends[2 * j + 1]) || !interval(d, j, &low, &high)) continue;
    share[j] = ((double)ends[2 * j + 1] - ends[2 * j]) / ((double)high - low);
    sum += share[j];
  }
  double place = svf_random_unit(&d->random) * sum;
  for (uint32_t j = 0; j < count && sum > 0 && !made; j++) {
    if (share[j] <= 0) continue;
    place -= share[j];
    plane->term[0] = (svf_term){j, 1};
    plane->threshold = uniform(&d->random, ends[2 * j], ends[2 * j + 1]);
    made = place < 0;
  }
  svf_arena_release(scratch, mark);
  return sum > 0 && accepted(d, plane); /* rounding may end the loop at the last feature: it is a good one too */
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (site->n < 2 * ground->min_leaf) return false;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  draw d = {ground, site, svf_site_random(ground, site, SVF_USE_CUT, trial), NULL};
  d.feature = SVF_TAKE(scratch, uint32_t, ground->frame->d);
  plane->term = SVF_TAKE(ground->arena, svf_term, 1);
  plane->count = 1;
  bool made = false;
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  if (!ground->arena->failed) {
    for (uint32_t j = 0; j < ground->frame->d; j++) d.feature[j] = j;
    bool redraw = ground->settings->refused == SVF_REFUSED_REDRAW;
    for (int i = 0; i < (redraw ? DRAWS : 1) && !made; i++) {
      if (!draw_one(&d, plane)) break;
      made = accepted(&d, plane);
    }
    if (!made && redraw) made = draw_exactly(&d, plane);
  }
  svf_arena_release(scratch, mark);
  return made;
}

static const char *const settings[] = {"max_depth", "min_leaf", "min_leaf_factor", "refused", "range", NULL};

extern const svf_cut svf_cut_random;
const svf_cut svf_cut_random = {.kind.name = "random",
                                .kind.help = "totally random: a random feature, a uniform place",
                                .kind.settings = settings,
                                .propose = propose};
