/* linear_fit.c - the fits of linear_fit.h: their memory, where they are after a step, and when they are done. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* Sums of single-precision scores make P noisy in its seventh digit: a rise within that is none. The first TRUST
 * steps may raise P: they mostly repair the guess of the active set. A fit that is not solved after PATIENCE steps is left
 * to double precision. */
#define NOISE 1e-5
/* The next stride along C, over the last: the first after w = 0, of short rows; the second; and later ones, over how the
 * last went on from the one before it. */
#define FIRST   .1
#define SECOND  .55
#define FURTHER .7
enum { TRUST = 4, PATIENCE = 25 };

/* Memory of a Newton step. */
static void open_scratch(svf_newton_scratch *scratch, const svf_shared *shared, svf_arena *arena) {
  size_t padded = shared->panels * SVF_PANEL,
         side = svf_shared_gram(shared) && shared->gram_ld > shared->ld ? shared->gram_ld : shared->ld;
  size_t abreast = svf_shared_batch(shared) ? SVF_COLUMNS : 1;
  scratch->z = SVF_ZERO(arena, float, abreast *side);
  scratch->step = SVF_ZERO(arena, float, abreast *side);
  if (svf_shared_batch(shared))
    scratch->systems = SVF_TAKE(arena, float, svf_padded(shared->p) * (shared->p / 4 + 1) * 16);
  scratch->room = shared->storage == SVF_PANELS_ONLY ? SVF_BLOCK * SVF_PANEL : padded;
  scratch->list = SVF_TAKE(arena, uint32_t, scratch->room);
  scratch->weight = SVF_TAKE(arena, float, scratch->room);
  size_t most = svf_shared_gram(shared)                    ? shared->n
                : shared->regime->step == SVF_STEP_SMALLER ? shared->p
                                                           : 0; /* active rows in an n x n step */
  if (most) {
    scratch->matrix = SVF_TAKE(arena, float, svf_padded(most) * svf_padded_single(most));
    scratch->factor = SVF_TAKE(arena, float, svf_padded(most) * svf_padded_single(most));
    scratch->spare = SVF_TAKE(arena, double, shared->ld);
    scratch->row = SVF_TAKE(arena, const float *, most);
  }
  if (svf_shared_double(shared)) {
    scratch->step_double = SVF_TAKE(arena, double, svf_padded(shared->p));
    scratch->rest = SVF_TAKE(arena, double, svf_padded(shared->p));
    svf_double_open(&scratch->addition, shared, scratch->solver);
  } else if (!svf_shared_batch(shared) && !svf_shared_gram(shared)) {
    scratch->border = SVF_TAKE(arena, float, svf_padded(shared->p) * (SVF_BORDER + 1));
  }
}

void svf_newton_scratch_open(svf_newton_scratch *scratch, const svf_shared *shared, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  *scratch = (svf_newton_scratch){.shared = shared, .solver = solver};
  scratch->sums = SVF_TAKE(arena, double, svf_newton_blocks(shared) * SVF_COLUMNS * (shared->ld + 1));
  open_scratch(scratch, shared, arena);
  if (shared->storage != SVF_ROWS_AND_PANELS) scratch->own = SVF_TAKE(arena, svf_newton_scratch, SVF_COLUMNS);
  for (size_t q = 0; scratch->own && q < SVF_COLUMNS && q < shared->folds; q++) {
    scratch->own[q] = q > 0 ? (svf_newton_scratch){.shared = shared, .solver = solver} : *scratch;
    if (q > 0) open_scratch(&scratch->own[q], shared, arena);
  }
}

/* A number for every row, 0 for those beyond the last. */
static float *open_rows(const svf_shared *shared, svf_arena *arena) {
  size_t padded = shared->panels * SVF_PANEL;
  float *x = SVF_TAKE(arena, float, padded);
  if (x) memset(x + padded - SVF_PANEL, 0, SVF_PANEL * sizeof *x);
  return x;
}

void svf_newton_open(svf_newton *fit, const svf_shared *shared, svf_arena *arena) {
  size_t padded = shared->panels * SVF_PANEL;
  *fit = (svf_newton){0};
  fit->v = open_rows(shared, arena);
  fit->w = SVF_ZERO(arena, double, shared->ld);
  fit->next_w = SVF_ZERO(arena, double, shared->ld);
  fit->last_w = SVF_ZERO(arena, double, shared->ld);
  fit->stride = SVF_ZERO(arena, double, shared->ld);
  fit->s = open_rows(shared, arena);
  fit->next_s = open_rows(shared, arena);
  fit->last_s = open_rows(shared, arena);
  fit->w32 = SVF_ZERO(arena, float, shared->ld);
  if (shared->p >= SVF_SHORT) fit->a = SVF_ZERO(arena, float, padded);
  fit->g = SVF_ZERO(arena, double, shared->ld);
  fit->set = SVF_ZERO(arena, uint64_t, shared->panels);
  fit->kept = SVF_ZERO(arena, uint64_t, shared->panels);
  if (svf_shared_batch(shared)) fit->before = SVF_ZERO(arena, uint64_t, shared->panels);
}

void svf_newton_room(svf_newton *fit, const svf_shared *shared, svf_arena *arena) {
  if (svf_shared_gram(shared)) return;
  if (svf_shared_double(shared)) {
    fit->h_double = SVF_TAKE(arena, double, svf_double_square(shared));
    fit->factor_double = SVF_TAKE(arena, double, svf_double_square(shared));
    return;
  }
  fit->h = SVF_TAKE(arena, float, svf_shared_square(shared));
  if (!svf_shared_batch(shared)) fit->factor = SVF_TAKE(arena, float, svf_shared_square(shared));
}

void svf_newton_swap(svf_newton *t) {
  double *w = t->w;
  float *s = t->s;
  t->w = t->next_w, t->next_w = w;
  t->s = t->next_s, t->next_s = s;
}

/* The derivative of P on the segment from the point before (next_*) to the point, from scores alone: a + share b for the
 * norm, a sum over rows for the loss. */
static double slope(const svf_newton *t, size_t n, double C, const double norm[2], double share) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double before = t->next_s[i], step = t->s[i] - before, c = fabsf(t->v[i]), y = t->v[i] < 0 ? -1 : 1;
    double slack = 1 - y * (before + share * step);
    if (slack > 0) sum += c * y * step * slack;
  }
  return norm[0] + share * norm[1] - 2 * C * sum;
}

/* By bisection of the slope. */
void svf_newton_go_back(svf_newton *t, const svf_shared *shared, double C) {
  const svf_la *la = shared->la;
  double old = la->dot(shared->ld, t->next_w, t->next_w), cross = la->dot(shared->ld, t->next_w, t->w);
  double norm[2] = {cross - old, old - 2 * cross + la->dot(shared->ld, t->w, t->w)}, low = 0, high = 1;
  for (int i = 0; i < 30; i++) {
    double middle = .5 * (low + high);
    if (slope(t, shared->n, C, norm, middle) > 0) high = middle;
    else low = middle;
  }
  for (size_t j = 0; j < shared->p; j++) {
    t->w[j] = t->next_w[j] + low * (t->w[j] - t->next_w[j]);
    t->w32[j] = (float)t->w[j];
  }
  for (size_t i = 0; i < shared->n; i++) t->s[i] = (float)(t->next_s[i] + low * ((double)t->s[i] - t->next_s[i]));
}

/* Is a fit solved, or given up? With tiny costs even w = 0 is close enough to the optimum; it is left all the same. */
static svf_newton_state judge(const svf_newton *t, const svf_shared *shared, const svf_solver *solver) {
  bool somewhere = t->steps > 0 || shared->la->dot(shared->ld, t->w, t->w) > 0;
  if (somewhere && t->gap <= .9 * solver->tolerance) return SVF_NEWTON_SOLVED;
  if (t->steps >= PATIENCE || t->steps >= solver->max_steps || !isfinite(t->P)) return SVF_NEWTON_FAILED;
  return SVF_NEWTON_OPEN;
}

size_t svf_newton_left(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, svf_newton **open) {
  size_t left = 0;
  for (size_t q = 0; q < count; q++) {
    if (fit[q]->state == SVF_NEWTON_OPEN) fit[q]->state = judge(fit[q], scratch->shared, scratch->solver);
    if (fit[q]->state == SVF_NEWTON_OPEN) open[left++] = fit[q];
  }
  return left;
}

void svf_newton_move(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C) {
  for (size_t q = 0; q < count; q++) {
    fit[q]->last_P = fit[q]->P;
    svf_newton_swap(fit[q]);
    fit[q]->steps++;
  }
  if (svf_shared_batch(scratch->shared) && scratch->shared->n <= SVF_GLANCE)
    svf_newton_glance(fit, count, scratch, C);
  else svf_newton_look(fit, count, scratch, C, true);
}

void svf_newton_shorten(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C) {
  for (size_t q = 0; q < count; q++) {
    if (fit[q]->steps <= TRUST || !(fit[q]->P > fit[q]->last_P * (1 + NOISE))) continue;
    /* scores between those of far points are worth little, and a glance takes the gradient before a step for exact */
    svf_newton_go_back(fit[q], scratch->shared, C);
    svf_newton_look(&fit[q], 1, scratch, C, true);
  }
}

/* How far the next stride goes, over the last, which is kept. */
static double stride(svf_newton *t, const svf_shared *shared, bool first) {
  double along = 0, square = 0;
  if (first) return shared->p < SVF_SHORTEST ? FIRST : 0;
  for (size_t j = 0; j < shared->p; j++) {
    double last = t->w[j] - t->last_w[j];
    along += last * t->stride[j];
    square += t->stride[j] * t->stride[j];
    t->stride[j] = last;
  }
  if (!(square > 0)) return SECOND;
  double share = FURTHER * along / square;
  return share > 0 && share < 1 ? share : SECOND;
}

void svf_newton_advance(svf_newton *t, const svf_newton_scratch *scratch, bool first) {
  const svf_shared *shared = scratch->shared;
  t->further = (float)stride(t, shared, first), t->ahead = true;
  for (size_t j = 0; j < shared->p; j++) t->next_w[j] = t->w[j] + t->further * (t->w[j] - t->last_w[j]);
  double *w = t->last_w;
  float *s = t->last_s;
  t->last_w = t->w, t->last_s = t->s;
  t->w = t->next_w, t->s = t->next_s;
  t->next_w = w, t->next_s = s;
}

void svf_newton_rest(svf_newton *t, const svf_shared *shared) {
  memset(t->last_s, 0, shared->panels * SVF_PANEL * sizeof *t->last_s);
}
