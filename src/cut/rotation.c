/* rotation.c - see rotation.h. */
#include "cut/rotation.h"

#include <math.h>
#include <string.h>
#include "cut/canonical.h"
#include "cut/oblique.h"
#include "la/eigen.h"

enum { BLOCK = 64 };

typedef struct making {
  const svf_ground *ground;
  const svf_site *root;
  svf_rotation *rotation;
  uint32_t *turned, *kept; /* columns that are rotated, and those that are axes as they are */
  size_t turned_count, kept_count, terms;
  svf_random random;
} making;

/* Does the column vary in the tree's rows, and is it there in all of them? */
static void look(const making *m, uint32_t column, bool *varies, bool *whole) {
  const svf_frame *frame = m->ground->frame;
  float first = NAN;
  *varies = false;
  *whole = true;
  for (size_t i = 0; i < m->root->n; i++) {
    float x = frame->x[m->root->rows[i] * frame->stride + column];
    if (x != x) *whole = false;
    else if (first != first) first = x;
    else if (x != first) *varies = true;
  }
}

static void sort_out(making *m) {
  const svf_frame *frame = m->ground->frame;
  bool all = m->ground->settings->rotation == SVF_ROTATION_PCA;
  for (uint32_t j = 0; j < frame->d; j++) {
    bool varies, whole,
        single = (j == 0 || frame->origin[j - 1] != frame->origin[j]) &&
                 (j + 1 == frame->d || frame->origin[j + 1] != frame->origin[j]);
    look(m, j, &varies, &whole);
    if (!varies) continue;
    if (whole && (all || single)) m->turned[m->turned_count++] = j;
    else m->kept[m->kept_count++] = j;
  }
}

static void add_axis(making *m, const uint32_t *column, const double *weight, size_t count) {
  svf_rotation *r = m->rotation;
  for (size_t j = 0; j < count; j++)
    if ((float)weight[j] != 0) r->term[m->terms++] = (svf_term){column[j], (float)weight[j]};
  r->start[++r->axes] = m->terms;
}

/* ---- random ---- */

/* Row k of a matrix whose earlier rows are orthonormal: what is left of a normal vector, scaled to length 1. Taken off
 * twice, so that rounding leaves nothing. This is the QR decomposition with a positive diagonal, hence Haar's measure. */
static void next_row(making *m, size_t n, size_t ld, double *q, size_t k) {
  const svf_la *la = m->ground->la;
  double *row = q + k * ld, length = 0;
  svf_normals(&m->random, n, row);
  for (int twice = 0; twice < 2; twice++)
    for (size_t i = 0; i < k; i++) la->axpy(ld, -la->dot(ld, row, q + i * ld), q + i * ld, row);
  length = sqrt(la->dot(ld, row, row));
  for (size_t j = 0; j < n; j++) row[j] /= length;
}

static bool turn_at_random(making *m) {
  size_t n = m->turned_count, ld = svf_padded(n);
  double *q = SVF_ZERO(&m->ground->worker->arena, double, n *ld);
  if (!q) return false;
  for (size_t k = 0; k < n && !atomic_load(m->ground->worker->stop); k++) next_row(m, n, ld, q, k);
  for (size_t k = 0; k < n; k++) add_axis(m, m->turned, q + k * ld, n);
  return true;
}

/* ---- principal components ---- */

/* Marks some of the classes of the tree's rows, at least one that has rows. */
static void draw_classes(making *m, unsigned char *chosen) {
  const svf_frame *frame = m->ground->frame;
  size_t rows = 0;
  while (rows == 0) {
    for (size_t c = 0; c < frame->k; c++) chosen[c] = svf_below(&m->random, 2) != 0;
    for (size_t i = 0; i < m->root->n; i++) rows += chosen[frame->label[m->root->rows[i]]];
  }
}

/* A bootstrap of the rows of some classes: how often each of the tree's rows is drawn. rows: scratch. */
static void draw_rows(making *m, unsigned char *chosen, uint32_t *rows, double *count) {
  const svf_frame *frame = m->ground->frame;
  size_t n = 0;
  if (frame->label) draw_classes(m, chosen);
  for (size_t i = 0; i < m->root->n; i++)
    if (!frame->label || chosen[frame->label[m->root->rows[i]]]) rows[n++] = (uint32_t)i;
  size_t draws = (size_t)ceil(m->ground->settings->group_fraction * (double)n);
  memset(count, 0, m->root->n * sizeof *count);
  for (size_t i = 0; i < draws; i++) count[rows[svf_below(&m->random, (uint32_t)n)]]++;
}

/* Takes the rows of one group of columns, and their principal components: rows of h. */
static bool components(making *m, const uint32_t *column, svf_sample *sample, float *x, double *h) {
  const svf_frame *frame = m->ground->frame;
  svf_arena *arena = &m->ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t g = sample->p;
  double *mean = SVF_TAKE(arena, double, g), *value = SVF_TAKE(arena, double, g);
  bool fine = !svf_arena_failed(arena);
  for (size_t i = 0; i < sample->n; i++)
    for (size_t j = 0; j < g; j++) x[i * g + j] = frame->x[m->root->rows[i] * frame->stride + column[j]];
  fine = fine && svf_scatter(m->ground->la, sample, mean, h, arena) &&
         svf_eigen(m->ground->la, g, (svf_dense){h, svf_padded(g)}, value, sample->stop, arena);
  svf_arena_release(arena, mark);
  return fine;
}

static bool turn_groups(making *m) {
  const svf_ground *ground = m->ground;
  svf_arena *arena = &ground->worker->arena;
  size_t size = (size_t)ground->settings->group_size, n = m->root->n;
  if (size > m->turned_count) size = m->turned_count;
  unsigned char *chosen = SVF_TAKE(arena, unsigned char, ground->frame->k);
  uint32_t *rows = SVF_TAKE(arena, uint32_t, n);
  double *weight = SVF_TAKE(arena, double, n), *h = SVF_TAKE(arena, double, svf_padded(size) * svf_padded(size));
  float *x = SVF_TAKE(arena, float, n *size);
  if (svf_arena_failed(arena)) return false;
  svf_random_shuffle(&m->random, m->turned, m->turned_count);
  for (size_t first = 0; first < m->turned_count && !atomic_load(ground->worker->stop); first += size) {
    size_t g = m->turned_count - first < size ? m->turned_count - first : size;
    svf_sample sample = {.n = n, .p = g, .x = x, .weight = weight, .stop = ground->worker->stop};
    draw_rows(m, chosen, rows, weight);
    if (!components(m, m->turned + first, &sample, x, h)) return false;
    for (size_t a = 0; a < g; a++) add_axis(m, m->turned + first, h + a * svf_padded(g), g);
  }
  return true;
}

/* ---- the rows in the rotated space ---- */

/* The sum in the order of the terms, in single precision: what svf_plane_side does, for a block of rows at a time. */
static void turn_block(const making *m, size_t first, size_t n, float *x) {
  const svf_frame *frame = m->ground->frame;
  const svf_rotation *r = m->rotation;
  for (size_t i = 0; i < BLOCK; i++)
    for (size_t j = 0; j < frame->d; j++) x[j * BLOCK + i] = i < n ? frame->x[(first + i) * frame->stride + j] : 0;
  for (size_t a = 0; a < r->axes; a++) {
    float sum[BLOCK] = {0};
    for (size_t t = r->start[a]; t < r->start[a + 1]; t++) {
      const float *column = x + r->term[t].feature * BLOCK, weight = r->term[t].weight;
      for (size_t i = 0; i < BLOCK; i++) sum[i] += weight * column[i];
    }
    memcpy(r->value[a] + first, sum, n * sizeof *sum);
  }
}

static bool turn_rows(making *m) {
  svf_arena *arena = &m->ground->worker->arena;
  svf_rotation *r = m->rotation;
  size_t n = m->ground->frame->n;
  r->value = SVF_TAKE(arena, float *, r->axes);
  for (size_t a = 0; r->value && a < r->axes; a++) r->value[a] = SVF_TAKE(arena, float, n);
  float *x = SVF_TAKE(arena, float, m->ground->frame->d *BLOCK);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n && !atomic_load(m->ground->worker->stop); i += BLOCK)
    turn_block(m, i, n - i < BLOCK ? n - i : BLOCK, x);
  return true;
}

bool svf_rotation_make(const svf_ground *ground, const svf_site *root, svf_rotation *rotation) {
  svf_arena *arena = &ground->worker->arena;
  size_t d = ground->frame->d;
  bool pca = ground->settings->rotation == SVF_ROTATION_PCA;
  making m = {.ground = ground, .root = root, .rotation = rotation};
  m.random = svf_site_random(ground, root, SVF_USE_CUT, SIZE_MAX); /* a stream that no trial of the root has */
  m.turned = SVF_TAKE(arena, uint32_t, d);
  m.kept = SVF_TAKE(arena, uint32_t, d);
  *rotation = (svf_rotation){.start = SVF_ZERO(arena, size_t, d + 1)};
  bool fine = !svf_arena_failed(arena);
  if (fine) {
    sort_out(&m);
    size_t group = pca ? (size_t)ground->settings->group_size : m.turned_count;
    if (group > m.turned_count) group = m.turned_count;
    rotation->term = SVF_TAKE(ground->arena, svf_term, m.turned_count * group + m.kept_count);
    static const double one = 1;
    fine = rotation->term && (pca ? turn_groups(&m) : turn_at_random(&m));
    for (size_t j = 0; fine && j < m.kept_count; j++) add_axis(&m, &m.kept[j], &one, 1);
    fine = fine && turn_rows(&m);
  }
  if (!fine) ground->arena->failed = true;
  return fine;
}
