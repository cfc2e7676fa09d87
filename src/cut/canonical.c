/* canonical.c - see canonical.h. */
#include "cut/canonical.h"

#include <math.h>
#include <string.h>
#include "la/eigen.h"

#define COLLINEAR    1e-4       /* part of a column that must be its own */
#define UNCORRELATED 1e-12      /* squared correlations that are rounding */
enum { BLOCK = 64, GROUP = 8 }; /* rows centred together; rows between two looks at the stop flag */

/* ---- scatter ---- */

/* The first row that is there; the others are seen from it, so that a column that does not vary is exactly 0. */
static const float *origin(const svf_sample *s) {
  for (size_t i = 0; i < s->n; i++)
    if (s->weight[i] > 0) return s->x + i * s->p;
  return s->x;
}

/* Means as offsets from the origin; returns the sum of weights. */
static double find_mean(const svf_sample *s, const float *from, double *mean) {
  double total = 0;
  for (size_t j = 0; j < s->p; j++) mean[j] = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (!(s->weight[i] > 0)) continue;
    const float *x = s->x + i * s->p;
    total += s->weight[i];
    for (size_t j = 0; j < s->p; j++) mean[j] += s->weight[i] * ((double)x[j] - from[j]);
  }
  for (size_t j = 0; j < s->p && total > 0; j++) mean[j] /= total;
  return total;
}

static void centre(const svf_sample *s, const float *from, const double *mean, size_t i, double *row) {
  const float *x = s->x + i * s->p;
  for (size_t j = 0; j < s->p; j++) row[j] = ((double)x[j] - from[j]) - mean[j];
}

bool svf_scatter(const svf_la *la, const svf_sample *s, double *mean, double *h, svf_arena *arena) {
  svf_mark mark = svf_arena_mark(arena);
  size_t ld = svf_padded(s->p), held = 0;
  double *row = SVF_ZERO(arena, double, BLOCK *ld), weight[BLOCK];
  const double *at[BLOCK];
  const float *from = origin(s);
  if (!row) {
    svf_arena_release(arena, mark);
    return false;
  }
  memset(h, 0, ld * ld * sizeof *h);
  find_mean(s, from, mean);
  for (size_t i = 0; i < s->n && !svf_la_stopped(s->stop); i++) {
    if (s->weight[i] > 0) {
      at[held] = row + held * ld;
      centre(s, from, mean, i, row + held * ld);
      weight[held++] = s->weight[i];
    }
    if (held == BLOCK || (i + 1 == s->n && held)) {
      for (size_t q = 0; q < held && !svf_la_stopped(s->stop); q += GROUP)
        la->rank(s->p, ld, held - q < GROUP ? held - q : GROUP, at + q, weight + q, h);
      held = 0;
    }
  }
  for (size_t a = 0; a < s->p; a++)
    for (size_t b = 0; b < a; b++) h[a * ld + b] = h[b * ld + a];
  for (size_t j = 0; j < s->p; j++) mean[j] += from[j];
  svf_arena_release(arena, mark);
  return true;
}

/* ---- correlation ---- */

typedef struct work {
  const svf_la *la;
  const svf_sample *s;
  svf_arena *arena;
  size_t ld, rank, targets;
  double *h, *mean, *length; /* scatter matrix, then its factor; means; lengths of the centred columns */
  uint32_t *pivot;
  double *z; /* targets x ld: what each target has in common with the columns, seen through the factor */
  svf_canonical *out;
} work;

/* Rows of z for classes: sums of the centred rows of each, over the root of its weight. Classes without rows have none. */
static bool add_classes(work *w) {
  const svf_sample *s = w->s;
  double *total = SVF_ZERO(w->arena, double, s->k), *sum = SVF_ZERO(w->arena, double, s->k * s->p);
  if (svf_arena_failed(w->arena)) return false;
  for (size_t i = 0; i < s->n; i++) {
    if (!(s->weight[i] > 0)) continue;
    const float *x = s->x + i * s->p;
    double *to = sum + (size_t)s->label[i] * s->p;
    total[s->label[i]] += s->weight[i];
    for (size_t j = 0; j < s->p; j++) to[j] += s->weight[i] * (x[j] - w->mean[j]);
  }
  for (size_t c = 0; c < s->k; c++) {
    if (!(total[c] > 0)) continue;
    double *z = w->z + w->targets++ * w->ld, scale = 1 / sqrt(total[c]);
    for (size_t j = 0; j < w->rank; j++) z[j] = sum[c * s->p + w->pivot[j]] * scale / w->length[w->pivot[j]];
  }
  return true;
}

/* The one row of z for a number. */
static bool add_value(work *w) {
  const svf_sample *s = w->s;
  double total = 0, mean = 0, square = 0, *sum = SVF_ZERO(w->arena, double, s->p);
  if (!sum) return false;
  for (size_t i = 0; i < s->n; i++) total += s->weight[i], mean += s->weight[i] * s->value[i];
  mean /= total > 0 ? total : 1;
  for (size_t i = 0; i < s->n; i++) {
    if (!(s->weight[i] > 0)) continue;
    double y = s->value[i] - mean;
    square += s->weight[i] * y * y;
    for (size_t j = 0; j < s->p; j++) sum[j] += s->weight[i] * y * (s->x[i * s->p + j] - w->mean[j]);
  }
  double scale = square > 0 ? 1 / sqrt(square) : 0;
  for (size_t j = 0; j < w->rank; j++) w->z[j] = sum[w->pivot[j]] * scale / w->length[w->pivot[j]];
  w->targets = 1;
  return true;
}

/* Factors the scatter matrix of columns scaled to length 1. */
static void factor(work *w) {
  size_t p = w->s->p, ld = w->ld;
  for (size_t j = 0; j < p; j++) w->length[j] = sqrt(w->h[j * ld + j]);
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b < p; b++) {
      double scale = w->length[a] * w->length[b];
      w->h[a * ld + b] = scale > 0 ? w->h[a * ld + b] / scale : 0;
    }
  w->rank = svf_cholesky_pivoted(p, ld, w->h, COLLINEAR, w->pivot, w->s->stop);
}

/* v (rank numbers, spoilt) is an eigenvector in the factor's coordinates. */
static void add_direction(work *w, double *v, double square) {
  double *a = w->out->direction + w->out->count * w->s->p;
  svf_pivoted_backward(w->rank, w->ld, w->h, v);
  for (size_t j = 0; j < w->rank; j++) a[w->pivot[j]] = v[j] / w->length[w->pivot[j]];
  w->out->square[w->out->count++] = square;
}

/* Eigenvectors of z'z, or of zz' where that is smaller. */
static bool find_directions(work *w, size_t most) {
  bool wide = w->targets < w->rank;
  size_t m = wide ? w->targets : w->rank, ld = svf_padded(m);
  double *a = SVF_ZERO(w->arena, double, ld *ld), *value = SVF_TAKE(w->arena, double, m);
  double *v = SVF_TAKE(w->arena, double, w->ld);
  if (svf_arena_failed(w->arena)) return false;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < m; j++)
      for (size_t t = 0; t < (wide ? w->rank : w->targets); t++)
        a[i * ld + j] += wide ? w->z[i * w->ld + t] * w->z[j * w->ld + t] : w->z[t * w->ld + i] * w->z[t * w->ld + j];
  if (!svf_eigen(w->la, m, (svf_dense){a, ld}, value, w->s->stop, w->arena)) return false;
  for (size_t e = 0; e < m && e < most && value[e] > UNCORRELATED; e++) {
    for (size_t j = 0; j < w->rank; j++) v[j] = wide ? 0 : a[e * ld + j];
    for (size_t t = 0; wide && t < m; t++)
      for (size_t j = 0; j < w->rank; j++) v[j] += a[e * ld + t] * w->z[t * w->ld + j];
    add_direction(w, v, value[e]);
  }
  return true;
}

static bool find(const svf_la *la, const svf_sample *s, svf_arena *arena, svf_canonical *out) {
  size_t targets = s->label ? s->k : 1, ld = svf_padded(s->p), room = s->p < targets ? s->p : targets;
  *out = (svf_canonical){.direction = SVF_ZERO(arena, double, room * s->p), .square = SVF_TAKE(arena, double, room)};
  svf_mark mark = svf_arena_mark(arena);
  work w = {.la = la, .s = s, .arena = arena, .ld = ld, .out = out};
  w.h = SVF_TAKE(arena, double, ld *ld);
  w.mean = SVF_TAKE(arena, double, s->p);
  w.length = SVF_TAKE(arena, double, s->p);
  w.pivot = SVF_TAKE(arena, uint32_t, s->p);
  w.z = SVF_ZERO(arena, double, targets *ld);
  bool fine = !svf_arena_failed(arena) && svf_scatter(la, s, w.mean, w.h, arena);
  if (fine) {
    factor(&w);
    fine = w.rank == 0 || (s->label ? add_classes(&w) : add_value(&w));
    for (size_t t = 0; t < w.targets; t++) svf_pivoted_forward(w.rank, ld, w.h, w.z + t * ld);
    size_t most = s->label ? (w.targets ? w.targets - 1 : 0) : 1;
    if (fine && w.rank && most) fine = find_directions(&w, most);
  }
  svf_arena_release(arena, mark);
  arena->failed = !fine;
  return fine;
}

/* Lists the columns that vary; of a category with many levels few do in a small node. */
static size_t list_varying(const svf_sample *s, uint32_t *kept) {
  const float *from = origin(s);
  size_t count = 0;
  for (size_t j = 0; j < s->p; j++) kept[j] = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; s->weight[i] > 0 && j < s->p; j++) kept[j] |= s->x[i * s->p + j] != from[j];
  for (uint32_t j = 0; j < s->p; j++)
    if (kept[j]) kept[count++] = j;
  return count;
}

bool svf_canonical_find(const svf_la *la, const svf_sample *s, svf_arena *arena, svf_canonical *out) {
  uint32_t *kept = SVF_TAKE(arena, uint32_t, s->p);
  svf_sample less = *s;
  less.p = kept ? list_varying(s, kept) : s->p;
  if (less.p == s->p || !less.p) return find(la, s, arena, out);
  float *x = SVF_TAKE(arena, float, s->n *less.p);
  if (!x) return false;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < less.p; j++) x[i * less.p + j] = s->x[i * s->p + kept[j]];
  less.x = x;
  if (!find(la, &less, arena, out)) return false;
  double *direction = SVF_ZERO(arena, double, out->count * s->p);
  for (size_t q = 0; direction && q < out->count; q++)
    for (size_t j = 0; j < less.p; j++) direction[q * s->p + kept[j]] = out->direction[q * less.p + j];
  out->direction = direction;
  return direction != NULL;
}
