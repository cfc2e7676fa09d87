/* kernel_newton.c - a step of all rows between their bounds at once.
 *
 * The rows F between their bounds span a face of the box, on which the dual of kernel.h is a quadratic function. Its top is
 * where K_FF delta = e_F - mu with sum delta = 0: two solves with one Cholesky factor. Pairs of variables find the face
 * quickly and climb it slowly where K is badly conditioned (high degrees, large C); this step does the second. It is as long
 * as is best along delta, or ends at the first bound. */
#include <math.h>
#include "svm/kernel.h"

enum { MOST_FREE = 512 };
static const double RIDGE = 1e-7; /* of the diagonal: K is rounded to single precision */

typedef struct face {
  svf_gram *gram;
  const svf_solver *solver;
  svf_climb *c;
  size_t f, ld;
  uint32_t *row;        /* f */
  double *h;            /* ld x ld: K_FF, then its factor */
  double *delta, *ones; /* ld */
  double *change;       /* padded n: K_F delta */
} face;

static size_t count_free(const svf_climb *c) {
  size_t f = 0;
  for (size_t i = 0; i < c->n; i++) f += c->rise[i] == 0 && c->fall[i] == 0;
  return f;
}

static bool open_face(face *x, svf_arena *arena) {
  const svf_climb *c = x->c;
  x->ld = svf_padded(x->f);
  x->row = SVF_TAKE(arena, uint32_t, x->f);
  x->h = SVF_ZERO(arena, double, x->ld * x->ld);
  x->delta = SVF_ZERO(arena, double, x->ld);
  x->ones = SVF_ZERO(arena, double, x->ld);
  x->change = SVF_ZERO(arena, double, x->gram->ld);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0, a = 0; i < c->n; i++)
    if (c->rise[i] == 0 && c->fall[i] == 0) x->row[a++] = (uint32_t)i;
  return true;
}

/* delta, and what it does to e; false: K_FF is not positive definite, or the result is no longer wanted. */
static bool find_direction(face *x) {
  const svf_la *la = x->gram->la;
  double sum = 0, all = 0, rest = 0;
  for (size_t a = 0; a < x->f; a++) {
    if (svf_solver_stopped(x->solver)) return false;
    const float *row = svf_gram_row(x->gram, x->row[a], x->row[a]);
    for (size_t b = a; b < x->f; b++) x->h[a * x->ld + b] = row[x->row[b]];
    x->h[a * x->ld + a] *= 1 + RIDGE;
    x->delta[a] = x->c->e[x->row[a]];
    x->ones[a] = 1;
  }
  if (!la->cholesky(x->f, x->ld, x->h, x->solver->stop)) return false;
  la->solve(x->f, x->ld, x->h, x->delta);
  la->solve(x->f, x->ld, x->h, x->ones);
  for (size_t a = 0; a < x->f; a++) sum += x->delta[a], all += x->ones[a];
  for (size_t a = 0; a < x->f; a++) rest += x->delta[a] -= sum / all * x->ones[a];
  for (size_t a = 0; a < x->f; a++) {
    x->delta[a] -= rest / (double)x->f; /* what rounding left of the sum */
    la->dual->add(x->c->n, x->delta[a], svf_gram_row(x->gram, x->row[a], x->row[a]), x->change);
  }
  return true;
}

/* How far to go, and the row whose bound ends the way (f: none does); 0: nowhere. */
static double find_length(const face *x, size_t *stop) {
  const svf_climb *c = x->c;
  double slope = 0, bend = 0;
  for (size_t a = 0; a < x->f; a++) {
    slope += x->delta[a] * c->e[x->row[a]];
    bend += x->delta[a] * x->change[x->row[a]];
  }
  *stop = x->f;
  if (!(slope > 0) || !(bend > 0) || !isfinite(slope / bend)) return 0;
  double length = slope / bend;
  for (size_t a = 0; a < x->f; a++) {
    size_t i = x->row[a];
    double room = (x->delta[a] > 0 ? c->high[i] : c->low[i]) - c->beta[i];
    if (fabs(x->delta[a]) * length > fabs(room)) length = room / x->delta[a], *stop = a;
  }
  return length;
}

static void go(const face *x, double length, size_t stop) {
  const svf_climb *c = x->c;
  for (size_t a = 0; a < x->f; a++) {
    size_t i = x->row[a];
    double next = c->beta[i] + length * x->delta[a];
    if (a == stop) next = x->delta[a] > 0 ? c->high[i] : c->low[i];
    c->beta[i] = fmin(c->high[i], fmax(c->low[i], next));
    svf_climb_sides(c, i);
  }
  x->gram->la->axpy(x->gram->ld, -length, x->change, c->e);
}

bool svf_smo_face(svf_gram *gram, svf_climb *c, const svf_solver *solver, svf_face_end *end) {
  svf_arena *arena = solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  face x = {.gram = gram, .solver = solver, .c = c, .f = count_free(c)};
  size_t stop;
  *end = (svf_face_end){.free = x.f};
  if (x.f < 2 || x.f > MOST_FREE || 2 * x.f > gram->capacity) return true;
  bool fine = open_face(&x, arena);
  if (fine && find_direction(&x)) {
    double length = find_length(&x, &stop);
    end->moved = length > 0;
    end->bounded = end->moved && stop < x.f;
    if (end->moved) go(&x, length, stop);
  }
  svf_arena_release(arena, mark);
  return fine;
}
