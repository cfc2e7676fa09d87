/* median.c - see median.h. */
#include "cut/median.h"

#include <math.h>
#include <stdlib.h>
#include "cut/oblique.h"

enum { DRAWS = 8 };

bool svf_median_wanted(const svf_ground *ground, const svf_site *site, size_t trial) {
  return site->n > (size_t)ground->settings->cell_rows && site->n >= 2 * ground->min_leaf &&
         trial < (size_t)ground->settings->cut_candidates;
}

/* Columns that vary in the node and miss no value there; else the one of those that vary with the fewest missing. */
static void find_columns(svf_median *m) {
  const svf_frame *frame = m->ground->frame;
  size_t least = m->site->n + 1;
  for (uint32_t j = 0; j < frame->d; j++) {
    size_t gone = 0;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < m->site->n; i++) {
      float x = frame->x[m->site->rows[i] * frame->stride + j];
      gone += x != x;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    if (!(low < high) || (gone && least == 0) || (gone && gone >= least)) continue;
    if (gone || least) m->count = 0;
    least = gone;
    m->column[m->count++] = j;
  }
}

bool svf_median_open(svf_median *m, const svf_ground *ground, const svf_site *site) {
  svf_arena *arena = &ground->worker->arena;
  size_t d = ground->frame->d, ld = svf_padded(d);
  *m = (svf_median){.ground = ground,
                    .site = site,
                    .column = SVF_TAKE(arena, uint32_t, d),
                    .w = SVF_ZERO(arena, double, ld),
                    .scratch = SVF_TAKE(arena, double, ld),
                    .value = SVF_TAKE(arena, float, site->n),
                    .term = SVF_TAKE(ground->arena, svf_term, d)};
  if (svf_arena_failed(arena) || !m->term) return false;
  find_columns(m);
  return true;
}

/* w = T u over the columns that take part; terms of weight 0 are left out. Returns how many there are. */
static size_t take_terms(svf_median *m) {
  const svf_ground *ground = m->ground;
  size_t terms = 0;
  double most = 0;
  if (ground->metric) svf_metric_pull(ground->metric, ground->la, m->w, m->scratch);
  for (size_t c = 0; c < m->count; c++) most = fmax(most, fabs(m->w[m->column[c]]));
  for (size_t c = 0; c < m->count && most > 0; c++) {
    float weight = (float)(m->w[m->column[c]] / most);
    if (weight != 0) m->term[terms++] = (svf_term){m->column[c], weight};
  }
  return terms;
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The threshold that leaves the sides most even, the lower one of two. Missing rows join the smaller side. */
static bool find_threshold(svf_median *m, svf_plane *plane) {
  size_t best = 0, gap = m->there;
  qsort(m->value, m->there, sizeof *m->value, by_value);
  for (size_t i = 1; i < m->there; i++) {
    size_t off = i < m->there - i ? m->there - 2 * i : 2 * i - m->there;
    if (m->value[i - 1] < m->value[i] && off < gap) gap = off, best = i;
  }
  if (best == 0) return false;
  float low = m->value[best - 1], high = m->value[best], middle = low / 2 + high / 2;
  plane->threshold = middle > low && middle <= high ? middle : high;
  size_t left = best, right = m->there - best, gone = m->site->n - m->there;
  plane->missing_left = left <= right;
  *(plane->missing_left ? &left : &right) += gone;
  return left >= m->ground->min_leaf && right >= m->ground->min_leaf;
}

bool svf_median_try(svf_median *m, svf_plane *plane) {
  const svf_frame *frame = m->ground->frame;
  size_t terms = take_terms(m);
  m->there = 0;
  for (size_t i = 0; i < m->site->n && terms; i++) {
    float sum = svf_terms_sum(m->term, terms, frame->x + m->site->rows[i] * frame->stride);
    if (sum == sum) m->value[m->there++] = sum;
  }
  *plane = (svf_plane){.term = m->term, .count = terms};
  return terms && find_threshold(m, plane);
}

bool svf_median_draw(svf_median *m, svf_random *random, svf_plane *plane) {
  bool found = false;
  for (int i = 0; !found && i < DRAWS && !svf_worker_stopped(m->ground->worker); i++) {
    svf_normals(random, m->ground->frame->d, m->w);
    found = svf_median_try(m, plane);
  }
  return found;
}
