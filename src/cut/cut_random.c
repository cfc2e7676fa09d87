/* cut_random.c - totally random cuts (RSVT, section 3.2): one random feature, one uniform place.
 *
 * A feature is drawn uniformly among those that vary in the node; the threshold uniformly between the node's least and
 * greatest value (range=data) or within the side of its cell (range=cell, what the consistency proof analyses). A cut that
 * leaves fewer than min_leaf rows on a side is refused:
 *   refused=stop     the node becomes a leaf (what the author's program does)
 *   refused=redraw   feature and threshold are drawn again, until one is accepted or none can be
 * Redrawing is rejection sampling. A feature that was refused is looked at once: the rows that must be left on either side
 * say which thresholds are accepted. After DRAWS refusals the law that this samples from is computed instead: feature j has
 * the probability of the length of its accepted interval over its range, and the threshold is uniform in that interval.
 * A row that misses the feature goes to the side with more rows. */
#include "cut/cut.h"

#include <math.h>
#include "base/select.h"

enum { DRAWS = 16 };

/* What the rows of the site say of a feature. */
typedef struct law {
  bool known, varies;
  float low, high; /* the interval a threshold is drawn from */
  float from, to;  /* thresholds in (from, to] are accepted; none unless from < to */
} law;

typedef struct draw {
  const svf_ground *ground;
  const svf_site *site;
  svf_random random;
  uint32_t *feature; /* a permutation in the making */
  law *law;          /* of each feature */
  float *value;      /* n: the feature that was fetched last; a pass over the table costs more than all else */
  uint32_t fetched;
  float *spare; /* 2 n, for redrawing */
} draw;

static void fetch(draw *d, uint32_t feature) {
  const svf_frame *frame = d->ground->frame;
  const float *column = frame->x + feature;
  for (size_t i = 0; i < d->site->n; i++) d->value[i] = column[d->site->rows[i] * frame->stride];
  d->fetched = feature;
}

/* Smallest and largest value of a feature in the site; false: all are missing. */
static bool range(draw *d, uint32_t feature, float *low, float *high) {
  fetch(d, feature);
  *low = INFINITY, *high = -INFINITY;
  for (size_t i = 0; i < d->site->n; i++) {
    float x = d->value[i];
    *low = x < *low ? x : *low;
    *high = x > *high ? x : *high;
  }
  return *low <= *high;
}

/* The interval a threshold is drawn from; false: the feature does not vary. */
static bool interval(draw *d, uint32_t feature, float *low, float *high) {
  if (!range(d, feature, low, high) || !(*low < *high)) return false;
  if (d->ground->settings->range == SVF_RANGE_CELL)
    svf_site_side(d->site, feature, d->ground->low[feature], d->ground->high[feature], low, high);
  return true;
}

/* Uniform in (low, high]: the least value falls left, the greatest right. */
static float uniform(svf_random *random, float low, float high) {
  double t = high - (double)svf_random_unit(random) * ((double)high - low);
  float threshold = (float)t;
  if (!(threshold > low)) threshold = nextafterf(low, high);
  return threshold > high ? high : threshold;
}

/* Which thresholds of the feature fetched last are accepted. Missing rows join the larger side, so the smaller one must reach
 * min_leaf without them. */
static void learn(draw *d, law *its) {
  size_t n = 0, least = d->ground->min_leaf;
  float *x = d->spare, ends[2];
  for (size_t i = 0; i < d->site->n; i++) x[n] = d->value[i], n += d->value[i] == d->value[i];
  its->known = true;
  if (!its->varies || n < 2 * least) return;
  svf_select_ends(x, n, least - 1, d->spare + d->site->n, ends);
  its->from = ends[0], its->to = ends[1];
}

/* One draw of feature and threshold; false: nothing varies. */
static bool draw_one(draw *d, svf_plane *plane) {
  size_t count = d->ground->frame->d;
  for (size_t i = 0; i < count && !svf_worker_stopped(d->ground->worker);
       i++) { /* a feature that does not vary is skipped, another is drawn */
    size_t j = i + (size_t)svf_random_below(&d->random, count - i);
    uint32_t feature = d->feature[j];
    law *its = &d->law[feature];
    d->feature[j] = d->feature[i];
    d->feature[i] = feature;
    if (!its->known) its->varies = interval(d, feature, &its->low, &its->high);
    if (!its->varies) continue;
    plane->term[0] = (svf_term){feature, 1};
    plane->threshold = uniform(&d->random, its->low, its->high);
    return true;
  }
  return false;
}

/* Sides of all rows, once the cut is accepted. */
static void note_sides(const draw *d, svf_plane *plane) {
  unsigned char *right = d->site->right;
  plane->noted = right != NULL;
  if (!right) return;
  if (plane->missing_left)
    for (size_t i = 0; i < d->site->n; i++) right[i] = d->value[i] >= plane->threshold;
  else
    for (size_t i = 0; i < d->site->n; i++) right[i] = !(d->value[i] < plane->threshold);
}

static bool accepted(draw *d, svf_plane *plane) {
  const law *its = &d->law[plane->term[0].feature];
  if (its->known && !(plane->threshold > its->from && plane->threshold <= its->to)) return false;
  if (d->fetched != plane->term[0].feature) fetch(d, plane->term[0].feature);
  size_t left = 0, right = 0;
  for (size_t i = 0; i < d->site->n; i++) {
    left += d->value[i] < plane->threshold;
    right += d->value[i] >= plane->threshold;
  }
  size_t missing = d->site->n - left - right;
  plane->missing_left = left >= right;
  if (plane->missing_left) left += missing;
  else right += missing;
  if (left < d->ground->min_leaf || right < d->ground->min_leaf) return false;
  note_sides(d, plane);
  return true;
}

static double share_of(const law *its) {
  return its->varies && its->from < its->to ? ((double)its->to - its->from) / ((double)its->high - its->low) : 0;
}

/* The exact law of accepted cuts. */
static bool draw_exactly(draw *d, svf_plane *plane) {
  size_t count = d->ground->frame->d;
  double sum = 0;
  for (uint32_t j = 0; j < count; j++) {
    law *its = &d->law[j];
    if (svf_worker_stopped(d->ground->worker)) return false;
    if (its->known) continue;
    its->varies = interval(d, j, &its->low, &its->high);
    learn(d, its);
  }
  for (uint32_t j = 0; j < count; j++) sum += share_of(&d->law[j]);
  double place = svf_random_unit(&d->random) * sum;
  bool made = false;
  for (uint32_t j = 0; j < count && sum > 0 && !made; j++) {
    const law *its = &d->law[j];
    if (share_of(its) <= 0) continue;
    place -= share_of(its);
    plane->term[0] = (svf_term){j, 1};
    plane->threshold = uniform(&d->random, its->from, its->to);
    made = place < 0;
  }
  return sum > 0 && accepted(d, plane); /* rounding may end the loop at the last feature: it is a good one too */
}

/* Draws again and again, as said above. */
static bool redraw(draw *d, svf_plane *plane) {
  d->spare = SVF_TAKE(&d->ground->worker->arena, float, 2 * d->site->n);
  if (!d->spare) {
    d->ground->arena->failed = true;
    return false;
  }
  for (int i = 0; i < DRAWS; i++) {
    if (!draw_one(d, plane)) break;
    if (accepted(d, plane)) return true;
    law *its = &d->law[plane->term[0].feature];
    if (!its->known) learn(d, its);
  }
  return draw_exactly(d, plane);
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  draw d = {.ground = ground, .site = site, .random = svf_site_random(ground, site, SVF_USE_CUT, trial)};
  d.feature = SVF_TAKE(scratch, uint32_t, ground->frame->d);
  d.law = SVF_ZERO(scratch, law, ground->frame->d);
  d.value = SVF_TAKE(scratch, float, site->n);
  plane->term = SVF_TAKE(ground->arena, svf_term, 1);
  plane->count = 1;
  bool made = false;
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  if (!ground->arena->failed) {
    for (uint32_t j = 0; j < ground->frame->d; j++) d.feature[j] = j;
    bool again = ground->settings->refused == SVF_REFUSED_REDRAW;
    made = again ? redraw(&d, plane) : draw_one(&d, plane) && accepted(&d, plane);
  }
  svf_arena_release(scratch, mark);
  return made;
}

static const char *const settings[] = {"max_depth",      "min_leaf", "min_leaf_factor", "refused", "range",
                                       "cut_candidates", NULL};

extern const svf_cut svf_cut_random;
const svf_cut svf_cut_random = {.kind.name = "random",
                                .kind.help = "a random feature and a random threshold",
                                .kind.settings = settings,
                                .propose = propose};
