/* synth_classification.c - the generator of Guyon (Design of experiments of the NIPS 2003 variable selection
 * benchmark), with the usual sizes: two clusters per class on corners of a cube, two redundant columns.
 *
 * Two classes have 2 informative columns, k > 2 classes k of them. A row of a cluster is z A + corner, z
 * normal, A uniform in [-1, 1] and the cluster's own. Redundant columns are combinations of the informative
 * ones, all others are normal noise; the order of the columns is random. One label in a hundred is drawn
 * anew. */
#include "data/synth.h"

static const double FLIP = 0.01;
enum { REDUNDANT = 2, CLUSTERS_PER_CLASS = 2, CORNER_BITS = 62 };
enum { CORNERS, SHAPES, MIXES, COLUMNS }; /* what rows share */

typedef struct parts {
  size_t informative, redundant;
  double *corner;   /* groups x informative, each -1 or +1 */
  double *shape;    /* groups x informative x informative: A */
  double *mix;      /* redundant x informative */
  uint32_t *column; /* d: where each column goes */
  double *row;      /* d: a row in the old order */
} parts;

/* A corner that no earlier cluster has. The first CORNER_BITS coordinates tell corners apart: there are more
 * than enough of them. */
static uint64_t new_corner(svf_random *random, const uint64_t *taken, size_t count, uint64_t corners) {
  for (;;) {
    uint64_t corner = svf_random_below(random, corners);
    size_t i = 0;
    while (i < count && taken[i] != corner) i++;
    if (i == count) return corner;
  }
}

static bool draw_corners(const svf_synth *synth, const parts *own) {
  svf_random random = svf_synth_stream(synth, SVF_SYNTH_SHARED, CORNERS);
  uint64_t *taken = SVF_TAKE(synth->arena, uint64_t, synth->groups);
  if (!taken) return false;
  size_t told = own->informative < CORNER_BITS ? own->informative : CORNER_BITS;
  double *corner = own->corner;
  for (size_t g = 0; g < synth->groups; g++) {
    taken[g] = new_corner(&random, taken, g, (uint64_t)1 << told);
    for (size_t j = 0; j < own->informative; j++) {
      uint64_t bit = j < told ? taken[g] >> j & 1 : svf_random_below(&random, 2);
      *corner++ = bit ? 1 : -1;
    }
  }
  return true;
}

static void draw_uniform(const svf_synth *synth, uint64_t number, double *to, size_t count) {
  svf_random random = svf_synth_stream(synth, SVF_SYNTH_SHARED, number);
  for (size_t i = 0; i < count; i++) to[i] = 2 * svf_random_unit(&random) - 1;
}

static void draw_columns(const svf_synth *synth, uint32_t *column) {
  svf_random random = svf_synth_stream(synth, SVF_SYNTH_SHARED, COLUMNS);
  for (size_t j = 0; j < synth->d; j++) column[j] = (uint32_t)j;
  svf_random_shuffle(&random, column, synth->d);
}

svf_status svf_synth_classification_prepare(svf_synth *synth, svf_message *message) {
  size_t m = synth->classes, spare = synth->d - m;
  if (synth->d < m)
    return svf_fail(message, SVF_USAGE, "classification with %zu classes needs at least %zu features", m, m);
  synth->groups = CLUSTERS_PER_CLASS * synth->classes;
  parts *own = synth->own = SVF_TAKE(synth->arena, parts, 1);
  if (!own) return svf_no_memory(message, "the synthetic set");
  *own = (parts){.informative = m,
                 .redundant = spare < REDUNDANT ? spare : REDUNDANT,
                 .corner = SVF_TAKE(synth->arena, double, synth->groups *m),
                 .shape = SVF_TAKE(synth->arena, double, synth->groups *m *m),
                 .mix = SVF_TAKE(synth->arena, double, REDUNDANT *m),
                 .column = SVF_TAKE(synth->arena, uint32_t, synth->d),
                 .row = SVF_TAKE(synth->arena, double, synth->d)};
  if (svf_arena_failed(synth->arena) || !draw_corners(synth, own)) return svf_no_memory(message, "the synthetic set");
  draw_uniform(synth, SHAPES, own->shape, synth->groups * m * m);
  draw_uniform(synth, MIXES, own->mix, REDUNDANT * m);
  draw_columns(synth, own->column);
  return SVF_OK;
}

/* to = from' A + start, A m x m by rows. */
static void transform(const double *from, const double *A, const double *start, size_t m, double *to) {
  for (size_t j = 0; j < m; j++) {
    to[j] = start[j];
    for (size_t i = 0; i < m; i++) to[j] += from[i] * A[i * m + j];
  }
}

double svf_synth_classification(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  const parts *own = synth->own;
  size_t m = own->informative;
  double *row = own->row;
  svf_synth_noise(random, x, 0, m);
  transform(x, own->shape + group * m * m, own->corner + group * m, m, row);
  for (size_t r = 0; r < own->redundant; r++) {
    row[m + r] = 0;
    for (size_t j = 0; j < m; j++) row[m + r] += own->mix[r * m + j] * row[j];
  }
  svf_synth_noise(random, row, m + own->redundant, synth->d);
  for (size_t j = 0; j < synth->d; j++) x[own->column[j]] = row[j];
  bool flip = svf_random_unit(random) < FLIP;
  return (double)(flip ? svf_random_below(random, synth->classes) : group % synth->classes);
}
