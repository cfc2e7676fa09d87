/* oblique.c - see oblique.h. */
#include "cut/oblique.h"

#include <math.h>
#include <string.h>
#include "la/elementary.h"

void svf_normals(svf_random *random, size_t count,
                 double *out) { /* Marsaglia's polar method: two at a time, no cosine */
  for (size_t i = 0; i < count;) {
    double u = 2 * svf_random_unit(random) - 1, v = 2 * svf_random_unit(random) - 1, square = u * u + v * v;
    if (square >= 1 || square == 0) continue;
    double scale = sqrt(-2 * svf_log(square) / square);
    out[i++] = u * scale;
    if (i < count) out[i++] = v * scale;
  }
}

uint32_t svf_below(svf_random *random, uint32_t bound) {
  uint64_t product = (uint64_t)svf_random_u32(random) * bound;
  if ((uint32_t)product < bound) {
    uint32_t rest = -bound % bound; /* 2^32 mod bound: draws that fall there are drawn again */
    while ((uint32_t)product < rest) product = (uint64_t)svf_random_u32(random) * bound;
  }
  return (uint32_t)(product >> 32);
}

bool svf_oblique_fill(svf_oblique *oblique, const svf_ground *ground, const svf_site *root) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  uint32_t *first = SVF_TAKE(arena, uint32_t, frame->d + 1);
  *oblique = (svf_oblique){.first = first};
  for (uint32_t j = 0; first && j < frame->d; j++)
    if (j == 0 || frame->origin[j] != frame->origin[j - 1]) first[oblique->features++] = j;
  if (first) first[oblique->features] = (uint32_t)frame->d;
  if (!frame->weight && frame->label) oblique->xlogx = svf_xlogx(arena, root->n);
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  return !ground->arena->failed;
}

const void *svf_oblique_begin(const svf_ground *ground, const svf_site *root) {
  svf_oblique *oblique = SVF_TAKE(&ground->worker->arena, svf_oblique, 1);
  if (!oblique) ground->arena->failed = true;
  return oblique && svf_oblique_fill(oblique, ground, root) ? oblique : NULL;
}

/* ---- columns ---- */

static bool varies(const svf_frame *frame, const svf_site *site, uint32_t column) {
  float first = NAN;
  for (size_t i = 0; i < site->n; i++) {
    float x = frame->x[site->rows[i] * frame->stride + column];
    if (x != x) continue;
    if (first != first) first = x;
    else if (x != first) return true;
  }
  return false;
}

/* Does the feature leave enough rows whole? Then those that miss it are whole no more. */
static bool joins(const svf_frame *frame, const svf_site *site, uint32_t column, svf_drawn *c) {
  size_t left = 0;
  if (!frame->missing) return true;
  for (size_t i = 0; i < site->n; i++) {
    float x = frame->x[site->rows[i] * frame->stride + column];
    left += c->whole[i] && x == x;
  }
  if (c->count == 0) c->first = left;
  else if (2 * left < c->first) return false;
  for (size_t i = 0; i < site->n; i++) {
    float x = frame->x[site->rows[i] * frame->stride + column];
    if (x != x) c->whole[i] = 0;
  }
  c->rows = left;
  return true;
}

/* Adds the encoded columns of one feature that vary; a category is missing in all of them at once. */
static bool add_feature(const svf_ground *ground, const svf_site *site, const uint32_t ends[2], svf_drawn *c) {
  size_t before = c->count;
  for (uint32_t j = ends[0]; j < ends[1] && !svf_worker_stopped(ground->worker); j++) {
    if (!varies(ground->frame, site, j)) continue;
    if (c->count == before && !joins(ground->frame, site, j, c)) return false;
    c->column[c->count++] = j;
  }
  return c->count > before;
}

static void sort(uint32_t *item, size_t count) { /* a few, nearly always */
  for (size_t i = 1; i < count; i++) {
    uint32_t moving = item[i];
    size_t j = i;
    for (; j > 0 && item[j - 1] > moving; j--) item[j] = item[j - 1];
    item[j] = moving;
  }
}

static bool copy_rows(const svf_ground *ground, const svf_site *site, svf_drawn *c) {
  const svf_frame *frame = ground->frame;
  c->x = SVF_TAKE(&ground->worker->arena, float, site->n * c->count);
  if (!c->x) return false;
  float *to = c->x;
  for (size_t i = 0; i < site->n && !svf_worker_stopped(ground->worker); i++) {
    const float *from = frame->x + site->rows[i] * frame->stride;
    for (size_t j = 0; j < c->count; j++) *to++ = from[c->column[j]];
  }
  return true;
}

bool svf_drawn_take(const svf_ground *ground, const svf_site *site, const svf_oblique *oblique, size_t wanted,
                    svf_random *random, svf_drawn *c) {
  svf_arena *arena = &ground->worker->arena;
  uint32_t *feature = SVF_TAKE(arena, uint32_t, oblique->features), count = (uint32_t)oblique->features;
  *c = (svf_drawn){.column = SVF_TAKE(arena, uint32_t, ground->frame->d),
                   .whole = SVF_TAKE(arena, unsigned char, site->n),
                   .rows = site->n};
  if (!svf_arena_failed(arena)) {
    memset(c->whole, 1, site->n);
    for (uint32_t f = 0; f < count; f++) feature[f] = f;
    for (uint32_t i = 0, taken = 0; i < count && taken < wanted; i++) {
      uint32_t j = i + svf_below(random, count - i), f = feature[j];
      feature[j] = feature[i];
      taken += add_feature(ground, site, oblique->first + f, c);
    }
    sort(c->column, c->count);
    if (c->count) copy_rows(ground, site, c);
  }
  if (svf_arena_failed(arena)) ground->arena->failed = true;
  return !ground->arena->failed && c->count > 0;
}

/* ---- directions ---- */

bool svf_best_open(svf_best *best, const svf_ground *ground, const svf_site *site, const svf_oblique *oblique) {
  svf_arena *arena = &ground->worker->arena;
  *best = (svf_best){.term = SVF_TAKE(arena, svf_term, ground->frame->d),
                     .value = SVF_TAKE(arena, float, SVF_ABREAST * site->n)};
  if (!svf_search_open(&best->search, ground, site, oblique->xlogx)) return false;
  best->found.gain = best->search.least;
  return true;
}

/* One row along one direction, terms of weight 0 left out as a plane leaves them out: they may be missing. */
static float along(const float *x, const float *weight, size_t count) {
  float sum = 0;
  for (size_t j = 0; j < count; j++)
    if (weight[j] != 0) sum += weight[j] * x[j];
  return sum;
}

/* Every row along some directions at once; turned: the weights, columns x SVF_ABREAST. */
static void project(const svf_best *best, const svf_worker *worker, const svf_drawn *c, const float *weight,
                    size_t count, float *turned) {
  enum { LOOK = 256 }; /* rows between two looks at the stop flag */
  size_t n = best->search.n;
  memset(turned, 0, c->count * SVF_ABREAST * sizeof *turned);
  for (size_t q = 0; q < count; q++)
    for (size_t j = 0; j < c->count; j++) turned[j * SVF_ABREAST + q] = weight[q * c->count + j];
  for (size_t i = 0; i < n; i++) {
    if (i % LOOK == 0 && svf_worker_stopped(worker)) return;
    const float *x = c->x + i * c->count;
    float sum[SVF_ABREAST] = {0};
    for (size_t j = 0; j < c->count; j++)
      for (size_t q = 0; q < SVF_ABREAST; q++) sum[q] += turned[j * SVF_ABREAST + q] * x[j];
    for (size_t q = 0; q < count; q++)
      best->value[q * n + i] = c->whole[i] ? sum[q] : along(x, weight + q * c->count, c->count);
  }
}

static void keep(svf_best *best, const svf_drawn *c, const float *weight) {
  best->count = 0;
  for (size_t j = 0; j < c->count; j++)
    if (weight[j] != 0) best->term[best->count++] = (svf_term){c->column[j], weight[j]};
}

bool svf_best_try(svf_best *best, const svf_ground *ground, const svf_drawn *c, const float *weight, size_t count) {
  svf_arena *arena = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  float *turned = SVF_TAKE(arena, float, c->count *SVF_ABREAST);
  if (!turned) ground->arena->failed = true;
  for (size_t first = 0; turned && first < count && !svf_worker_stopped(ground->worker); first += SVF_ABREAST) {
    size_t some = count - first < SVF_ABREAST ? count - first : SVF_ABREAST;
    const float *rows = weight + first * c->count;
    project(best, ground->worker, c, rows, some, turned);
    for (size_t q = 0; q < some; q++)
      if (svf_search_column(&best->search, best->value + q * best->search.n, &best->found))
        keep(best, c, rows + q * c->count);
  }
  svf_arena_release(arena, mark);
  return turned != NULL;
}

bool svf_best_plane(const svf_best *best, const svf_ground *ground, svf_plane *plane) {
  if (!best->count) return false;
  *plane = (svf_plane){.term = SVF_TAKE(ground->arena, svf_term, best->count),
                       .count = best->count,
                       .threshold = best->found.threshold,
                       .missing_left = best->found.missing_left,
                       .gain = best->found.gain};
  if (plane->term) memcpy(plane->term, best->term, best->count * sizeof *plane->term);
  return plane->term != NULL;
}
