/* linear_hessian.c - H of a fit (linear_fit.h), in single precision or in double. */
#include "svm/linear_fit.h"

#include <string.h>

void svf_start_open(svf_start *start, const svf_shared *shared, svf_arena *arena) {
  *start = (svf_start){0};
  if (svf_shared_gram(shared)) return;
  if (svf_shared_double(shared))
    start->own_double = SVF_TAKE(arena, double, shared->folds *svf_double_square(shared));
  else start->own = SVF_TAKE(arena, float, shared->folds *svf_shared_square(shared));
}

typedef struct copying {
  const svf_shared *shared;
  const svf_start *start;
} copying;

static bool copy_fold(void *context, size_t f, svf_worker *worker) {
  (void)worker;
  const copying *k = context;
  size_t both = svf_double_square(k->shared), single = svf_shared_square(k->shared);
  if (svf_shared_double(k->shared))
    memcpy(k->start->own_double + f * both, k->start->h_double + f * both, both * sizeof(double));
  else memcpy(k->start->own + f * single, k->start->h + f * single, single * sizeof(float));
  return true;
}

/* Before H by fold changes: the totals stay what they are. */
static void own_start(svf_start *start, const svf_newton_scratch *scratch) {
  copying k = {scratch->shared, start};
  if (start->h == start->own && start->h_double == start->own_double) return;
  svf_solver_share(scratch->solver, scratch->shared->folds, copy_fold, &k);
  start->h = start->own, start->h_double = start->own_double;
}

void svf_newton_rank(svf_newton *t, const svf_newton_scratch *scratch, size_t fold, size_t count,
                     const uint32_t *list, const float *weight) {
  const svf_shared *shared = scratch->shared;
  if (count == 0) return;
  if (t->start) own_start(t->start, scratch);
  else svf_newton_make(t, scratch);
  if (svf_shared_double(shared)) {
    double *h = t->start ? t->start->h_double + fold * svf_double_square(shared) : t->h_double;
    svf_double_rank(shared, &scratch->addition, count, list, weight, h);
  } else {
    float *h = t->start ? t->start->h + fold * svf_shared_square(shared) : t->h;
    svf_shared_rank(shared, scratch->solver, count, list, weight, h);
  }
}

/* Several H become one, in parts where they are large. */
typedef struct joining {
  const svf_shared *shared;
  const svf_newton *fit;
  const svf_start *start;
  size_t without, parts;
} joining;

static bool join_part(void *context, size_t part, svf_worker *worker) {
  (void)worker;
  const joining *k = context;
  const svf_shared *shared = k->shared;
  size_t square = svf_shared_double(shared) ? svf_double_square(shared) : svf_shared_square(shared),
         each = square / k->parts;
  size_t at = part * each, fold = k->without == 0;
  if (svf_shared_double(shared))
    memcpy(k->fit->h_double + at, k->start->h_double + fold * square + at, each * sizeof(double));
  else memcpy(k->fit->h + at, k->start->h + fold * square + at, each * sizeof(float));
  while (++fold < shared->folds) {
    if (fold == k->without) continue;
    if (svf_shared_double(shared))
      shared->la->axpy(each, 1, k->start->h_double + fold * square + at, k->fit->h_double + at);
    else shared->la->single->add(each, k->start->h + fold * square + at, k->fit->h + at);
  }
  return true;
}

/* The sides of an H are multiples of 8, so that each of the parts is one of 16. */
static void join(const svf_newton *t, const svf_newton_scratch *scratch, const svf_start *start, size_t without) {
  joining k = {scratch->shared, t, start, without, scratch->shared->storage == SVF_ROWS_ONLY ? 4 : 1};
  svf_solver_share(scratch->solver, k.parts, join_part, &k);
}

void svf_newton_join(svf_newton *t, const svf_newton_scratch *scratch, const svf_start *start, size_t without) {
  if (svf_shared_double(scratch->shared)) t->addends = *start, t->without = without, t->apart = true;
  else join(t, scratch, start, without);
}

void svf_newton_make(svf_newton *t, const svf_newton_scratch *scratch) {
  if (t->apart) join(t, scratch, &t->addends, t->without);
  t->apart = false;
}

void svf_newton_clear(svf_newton *t, const svf_newton_scratch *scratch) {
  const svf_shared *shared = scratch->shared;
  t->apart = false;
  if (t->start) t->start->h = t->start->own, t->start->h_double = t->start->own_double;
  size_t square = svf_shared_double(shared) ? svf_double_square(shared) : svf_shared_square(shared),
         count = t->start ? shared->folds : 1;
  if (svf_shared_double(shared))
    memset(t->start ? t->start->h_double : t->h_double, 0, count * square * sizeof(double));
  else memset(t->start ? t->start->h : t->h, 0, count * square * sizeof(float));
}

/* With the factor of M = I + 2C H at hand, and rC in the place of C: I + 2rC H = rM - (r-1) I, so that
 *     step = sum_k (r-1)^k (rM)^-(k+1) z,      what is left of z after some terms = (r-1) (the last term).
 * Where the eigenvalues of M are far above 1, a few terms do what would take another factor. False: more would be needed than
 * that takes, or the numbers are so few that it takes next to nothing. */
#define ENOUGH 1e-2
static bool solve_again(const svf_newton *t, const svf_newton_scratch *scratch, double C) {
  enum { TERMS = 4 };
  const svf_la *la = scratch->shared->la;
  size_t p = scratch->shared->p, ld = svf_padded(p);
  double *term = scratch->rest, *step = scratch->step_double, ratio = C / t->factor_C;
  double enough = ENOUGH * ENOUGH * la->dot(ld, term, term);
  if (p < SVF_SHORT) return false;
  memset(step, 0, ld * sizeof *step);
  for (int k = 0; k < TERMS; k++) {
    la->solve(p, ld, t->factor_double, term);
    la->axpy(ld, 1 / ratio, term, step);
    for (size_t j = 0; j < ld; j++) term[j] *= (ratio - 1) / ratio;
    if (la->dot(ld, term, term) <= enough) return true;
  }
  return false;
}

/* The upper triangle of I + 2C H, and its factor. */
static bool factor_wide(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  size_t p = shared->p, ld = svf_padded(p), count = t->apart ? shared->folds : 1;
  const double *h = t->apart ? t->addends.h_double : t->h_double;
  for (size_t i = 0; i < ld; i++) {
    size_t first = i & ~(size_t)(SVF_LANES - 1), at = i * ld + first;
    memset(t->factor_double + at, 0, (ld - first) * sizeof *t->factor_double);
    for (size_t f = 0; f < count; f++)
      if (!t->apart || f != t->without)
        shared->la->axpy(ld - first, 2 * C, h + f * svf_double_square(shared) + at, t->factor_double + at);
  }
  for (size_t j = 0; j < p; j++) t->factor_double[j * ld + j] += 1;
  t->factor_C = shared->la->cholesky(p, ld, t->factor_double, scratch->solver->stop) ? C : 0;
  return t->factor_C > 0;
}

static void copy_right_side(const svf_newton_scratch *scratch, double *to) {
  size_t p = scratch->shared->p;
  for (size_t j = 0; j < p; j++) to[j] = scratch->z[j];
  memset(to + p, 0, (svf_padded(p) - p) * sizeof *to);
}

static bool solve_wide(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  size_t p = shared->p;
  copy_right_side(scratch, scratch->rest);
  if (!(t->factor_C > 0 && solve_again(t, scratch, C))) {
    if (!factor_wide(t, scratch, C)) return false;
    copy_right_side(scratch, scratch->step_double);
    shared->la->solve(p, svf_padded(p), t->factor_double, scratch->step_double);
  }
  for (size_t j = 0; j < p; j++) scratch->step[j] = (float)scratch->step_double[j];
  return true;
}

bool svf_newton_system(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  if (svf_shared_double(shared)) return solve_wide(t, scratch, C);
  t->factor_C = 0;
  svf_system system = {shared->p, shared->ld, t->h, (float)(2 * C), shared->one, scratch->solver->stop};
  if (!shared->la->single->factor(&system, t->factor, scratch->z)) return false;
  t->factor_C = C;
  shared->la->single->backward(shared->p, shared->ld, t->factor, scratch->z, scratch->step);
  return true;
}
