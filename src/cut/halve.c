/* halve.c - a random direction in learned coordinates, cut at the median of the node's rows, until a cell has at most
 * cell_rows of them.
 *
 * With z = T x (svf_metric) a direction u, uniform on the sphere, is the plane u.T x = w.x with w = T u in the encoded columns.
 * Of several equal values all go to one side, the one that leaves the sides more even: rows that coincide end in one leaf. A
 * direction in which all rows have the same value is drawn again, a few times. Columns that do not vary in the node, or miss a
 * value there, have no part in it; if there are no others, the varying one that is missing least is cut alone. */
#include "cut/cut.h"
#include "cut/oblique.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 8 };

typedef struct halving {
  const svf_ground *ground;
  const svf_site *site;
  uint32_t *column; /* those that take part */
  size_t count;
  double *w, *scratch; /* padded d */
  float *value;        /* of the rows that have one */
  size_t there;
  svf_term *term;
} halving;

/* Columns that vary in the node and miss no value there; else the one of those that vary with the fewest missing. */
static void find_columns(halving *h) {
  const svf_frame *frame = h->ground->frame;
  size_t least = h->site->n + 1;
  for (uint32_t j = 0; j < frame->d; j++) {
    size_t gone = 0;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < h->site->n; i++) {
      float x = frame->x[h->site->rows[i] * frame->stride + j];
      gone += x != x;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    if (!(low < high) || (gone && least == 0) || (gone && gone >= least)) continue;
    if (gone || least) h->count = 0;
    least = gone;
    h->column[h->count++] = j;
  }
}

/* w = T u over the columns that take part; terms of weight 0 are left out. Returns how many there are. */
static size_t draw(halving *h, svf_random *random) {
  const svf_ground *ground = h->ground;
  size_t d = ground->frame->d, terms = 0;
  double most = 0;
  svf_normals(random, d, h->w);
  if (ground->metric) svf_metric_pull(ground->metric, ground->la, h->w, h->scratch);
  for (size_t c = 0; c < h->count; c++) most = fmax(most, fabs(h->w[h->column[c]]));
  for (size_t c = 0; c < h->count && most > 0; c++) {
    float weight = (float)(h->w[h->column[c]] / most);
    if (weight != 0) h->term[terms++] = (svf_term){h->column[c], weight};
  }
  return terms;
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The threshold that leaves the sides most even, the lower one of two; false: all values are the same, or a side would be
 * too small. Missing rows join the smaller side. */
static bool find_median(halving *h, svf_plane *plane) {
  size_t best = 0, gap = h->there;
  qsort(h->value, h->there, sizeof *h->value, by_value);
  for (size_t i = 1; i < h->there; i++) {
    size_t off = i < h->there - i ? h->there - 2 * i : 2 * i - h->there;
    if (h->value[i - 1] < h->value[i] && off < gap) gap = off, best = i;
  }
  if (best == 0) return false;
  float low = h->value[best - 1], high = h->value[best], middle = low / 2 + high / 2;
  plane->threshold = middle > low && middle <= high ? middle : high;
  size_t left = best, right = h->there - best, gone = h->site->n - h->there;
  plane->missing_left = left <= right;
  *(plane->missing_left ? &left : &right) += gone;
  return left >= h->ground->min_leaf && right >= h->ground->min_leaf;
}

static bool try_direction(halving *h, svf_random *random, svf_plane *plane) {
  const svf_frame *frame = h->ground->frame;
  size_t terms = draw(h, random);
  h->there = 0;
  for (size_t i = 0; i < h->site->n && terms; i++) {
    float sum = svf_terms_sum(h->term, terms, frame->x + h->site->rows[i] * frame->stride);
    if (sum == sum) h->value[h->there++] = sum;
  }
  *plane = (svf_plane){.term = h->term, .count = terms};
  return terms && find_median(h, plane);
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  svf_arena *arena = &ground->worker->arena;
  size_t d = ground->frame->d, ld = svf_padded(d);
  if (site->n <= (size_t)ground->settings->cell_rows || site->n < 2 * ground->min_leaf ||
      trial >= (size_t)ground->settings->cut_candidates)
    return false;
  svf_mark mark = svf_arena_mark(arena);
  svf_random random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  halving h = {.ground = ground,
               .site = site,
               .column = SVF_TAKE(arena, uint32_t, d),
               .w = SVF_ZERO(arena, double, ld),
               .scratch = SVF_TAKE(arena, double, ld),
               .value = SVF_TAKE(arena, float, site->n),
               .term = SVF_TAKE(ground->arena, svf_term, d)};
  bool found = false, fine = !svf_arena_failed(arena) && h.term;
  if (fine) find_columns(&h);
  for (int i = 0; fine && !found && i < DRAWS && !svf_worker_stopped(ground->worker); i++)
    found = try_direction(&h, &random, plane);
  if (!fine) ground->arena->failed = true;
  svf_arena_release(arena, mark);
  return found;
}

static const char *const settings[] = {"cell_rows",       "max_depth",      "min_leaf",
                                       "min_leaf_factor", "cut_candidates", NULL};

extern const svf_cut svf_cut_halve;
const svf_cut svf_cut_halve = {.kind.name = "halve",
                               .kind.help = "random directions in learned coordinates, cut at the median",
                               .kind.settings = settings,
                               .propose = propose};
