/* crammer_face.c - a long step for the Crammer-Singer dual: conjugate gradients within a face.
 *
 * The face of a point: beta_ik = 0 stays 0, sum_k beta_ik stays, so only rows that share their cost among
 * several classes move. Within it the dual is a quadratic without bounds,
 *
 *   max over d   sum_ik g_ik d_ik - 1/2 sum_k |sum_i d_ik x_i|^2,
 *
 * g being G less its mean over the row's open classes. What conjugate gradients find is brought back into the
 * simplices row by row and taken if the dual rises, else halved (More and Toraldo 1991). */
#include "svm/crammer.h"

#include <math.h>
#include <string.h>

static const double ENOUGH = 1e-6;    /* of the first squared residual */
static const double STRAIGHT = 1e-14; /* |way|^2 over |q|^2 */
static const double FAR = 1e6;
enum { LEAST_LIMIT = 10, LARGEST_LIMIT = 10000 };

typedef struct face {
  const svf_crammer *c;
  size_t count;          /* rows that may move */
  const uint32_t *row;   /* which */
  double *g, *r, *q, *d; /* count x m: gradient, residual, direction, step; 0 for closed classes */
} face;

/* Takes the mean of the open classes off, and sets the others to 0. */
static void settle(const double *beta, size_t m, double *v) {
  double sum = 0, open = 0;
  for (size_t k = 0; k < m; k++)
    if (beta[k] > 0) sum += v[k], open++;
  for (size_t k = 0; k < m; k++) v[k] = beta[k] > 0 ? v[k] - sum / open : 0;
}

static void find(face *f, uint32_t *row) {
  const svf_crammer *c = f->c;
  for (size_t i = 0; i < c->n; i++) {
    size_t open = 0;
    for (size_t k = 0; k < c->m; k++) open += c->beta[i * c->m + k] > 0;
    if (open > 1) row[f->count++] = (uint32_t)i;
  }
  f->row = row;
}

/* way_k = sum_i v_ik x_i; returns sum_k |way_k|^2. */
static double spread(const face *f, const double *v) {
  const svf_crammer *c = f->c;
  memset(c->way, 0, c->m * c->ld * sizeof *c->way);
  for (size_t q = 0; q < f->count; q++)
    for (size_t k = 0; k < c->m; k++)
      if (v[q * c->m + k] != 0) c->la->axpy(c->ld, v[q * c->m + k], c->row[f->row[q]], c->way + k * c->ld);
  return c->la->dot(c->m * c->ld, c->way, c->way);
}

static double dot(const face *f, const double *a, const double *b) {
  double sum = 0;
  for (size_t q = 0; q < f->count * f->c->m; q++) sum += a[q] * b[q];
  return sum;
}

/* d for the quadratic, from at most `limit` products. A direction along which the quadratic does not bend (twin rows
 * of different classes) is followed far beyond the walls and ends the search. */
static size_t conjugate(const face *f, size_t limit) {
  const svf_crammer *c = f->c;
  size_t m = c->m, size = f->count * m, step = 0;
  memset(f->d, 0, size * sizeof *f->d);
  memcpy(f->r, f->g, size * sizeof *f->r);
  memcpy(f->q, f->g, size * sizeof *f->q);
  double first = dot(f, f->r, f->r), now = first;
  while (step < limit && now > ENOUGH * first && !svf_solver_stopped(c->solver)) {
    double bend = spread(f, f->q);
    bool straight = !(bend > STRAIGHT * dot(f, f->q, f->q));
    double length = straight ? FAR : now / bend;
    step++;
    for (size_t i = 0; i < size; i++) f->d[i] += length * f->q[i];
    if (straight) break;
    for (size_t q = 0; q < f->count; q++) {
      c->la->product(m, c->ld, c->way, c->row[f->row[q]], c->value);
      settle(c->beta + f->row[q] * m, m, c->value);
      for (size_t k = 0; k < m; k++) f->r[q * m + k] -= length * c->value[k];
    }
    double next = dot(f, f->r, f->r);
    for (size_t i = 0; i < size; i++) f->q[i] = f->r[i] + next / now * f->q[i];
    now = next;
  }
  return step;
}

/* The step of the given length brought back into the simplices, in q; what the dual gains by it. */
static double bent(const face *f, double length) {
  const svf_crammer *c = f->c;
  size_t m = c->m;
  for (size_t q = 0; q < f->count; q++) {
    const double *beta = c->beta + f->row[q] * m;
    double *v = f->q + q * m;
    for (size_t k = 0; k < m; k++) v[k] = beta[k] + length * f->d[q * m + k];
    svf_simplex(m, c->u[f->row[q]], v);
    for (size_t k = 0; k < m; k++) v[k] -= beta[k];
  }
  return dot(f, f->g, f->q) - 0.5 * spread(f, f->q);
}

static void go(const face *f) {
  const svf_crammer *c = f->c;
  for (size_t q = 0; q < f->count; q++)
    for (size_t k = 0; k < c->m; k++) c->beta[f->row[q] * c->m + k] += f->q[q * c->m + k];
  c->la->axpy(c->m * c->ld, -1, c->way, c->w);
}

size_t svf_crammer_face(const svf_crammer *c, double *scratch, uint32_t *row, size_t *limit) {
  size_t size = c->n * c->m;
  face f = {.c = c, .g = scratch, .r = scratch + size, .q = scratch + 2 * size, .d = scratch + 3 * size};
  find(&f, row);
  for (size_t q = 0; q < f.count; q++) {
    svf_crammer_slope(c, f.row[q], f.g + q * c->m);
    settle(c->beta + f.row[q] * c->m, c->m, f.g + q * c->m);
  }
  size_t steps = conjugate(&f, *limit);
  bool all = steps == *limit;
  double length = 1;
  while (length > 1e-3 && !svf_solver_stopped(c->solver) && !(bent(&f, length) > 0)) length /= 2, steps++;
  if (length > 1e-3) go(&f);
  if (all && length == 1 && *limit < LARGEST_LIMIT) *limit *= 2;
  if (length < 0.5 && *limit > LEAST_LIMIT) *limit /= 2;
  return steps;
}
