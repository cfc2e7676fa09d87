/* linear_path.c - the fits of one problem on its path: where they start, what is kept of them, and which thread solves which
 * part. linear_solve.c has the path itself. */
#include "svm/linear_path.h"

#include <math.h>
#include <string.h>

/* Scores in single precision tell active rows from others as long as the slack of a support vector, about
 * 1 / (2 C c |x|^2), is well above their noise: C c |x|^2 up to COARSE; and gaps below FINE are out of their reach. */
#define COARSE 2e4
#define FINE   1e-7

bool svf_path_open(svf_path *path, svf_shared *shared, const svf_machines_options *options, const double *base,
                   bool held) {
  *path = (svf_path){.shared = shared, .options = options, .held = held, .base = base};
  for (size_t i = 0; i < shared->n; i++)
    if (base[i] > path->scale) path->scale = base[i];
  return options->loss != SVF_SQUARED_HINGE ||
         svf_shared_make(shared, &(svf_costs){base, path->scale}, options->C[options->C_count - 1] * path->scale,
                         &options->solver);
}

double *svf_fits_part_point(const svf_fits *k, size_t c, size_t part) {
  return k->part_w + (part * k->path->options->C_count + c) * k->path->shared->p;
}

/* The mean of the parts, where the whole set will start. */
static void average(const svf_fits *k) {
  const svf_shared *shared = k->path->shared;
  size_t ld = svf_padded(shared->p);
  for (size_t c = 1; c < k->path->options->C_count; c++) {
    double *w = k->result->w + c * ld;
    memset(w, 0, ld * sizeof *w);
    for (size_t f = 0; f < shared->folds; f++)
      for (size_t j = 0; j < shared->p; j++) w[j] += svf_fits_part_point(k, c, f)[j] / (double)shared->folds;
    k->result->gap[c] = INFINITY;
  }
}

bool svf_fits_keep(const svf_fits *k, const svf_newton *fit, size_t c, ptrdiff_t part) {
  const svf_shared *shared = k->path->shared;
  if (svf_solver_stopped(k->solver)) return true; /* the result is not used */
  if (fit->state == SVF_NEWTON_FAILED) return svf_fits_alone(k, c, part);
  if (part == SVF_WHOLE) {
    double *w = k->result->w + c * svf_padded(shared->p);
    memset(w, 0, svf_padded(shared->p) * sizeof *w);
    memcpy(w, fit->w, shared->p * sizeof *w);
    k->result->gap[c] = fit->gap;
  } else {
    size_t first = shared->start[part], count = shared->start[part + 1] - first;
    memcpy(k->result->held + c * shared->n + first, fit->s + first, count * sizeof *fit->s);
    memcpy(svf_fits_part_point(k, c, (size_t)part), fit->w, shared->p * sizeof *fit->w);
  }
  return true;
}

/* C number c in the unit of the costs of fits; 0: too hard for single precision. */
static double coarse(const svf_fits *k, size_t c) {
  double C = k->path->options->C[c] * k->path->scale;
  return C * k->costliest * k->path->shared->longest < COARSE && k->solver->tolerance >= FINE ? C : 0;
}

void svf_fits_solve(svf_fits *k, svf_newton *const *fits, size_t count, size_t c) {
  double C = coarse(k, c);
  if (C > 0) svf_newton_solve(fits, count, &k->scratch, C);
  for (size_t q = 0; q < count && !(C > 0); q++) fits[q]->state = SVF_NEWTON_FAILED;
}

/* v of the whole set, and the largest cost of each piece of its rows. */
typedef struct posing {
  svf_fits *fits;
  double *most;
} posing;

static void pose_rows(void *context, size_t first, size_t end) {
  const posing *p = context;
  const svf_fits *k = p->fits;
  double most = 0;
  for (size_t i = first; i < end; i++) {
    double cost = k->binary->cost[i] / k->path->scale;
    k->whole.v[i] = (float)(k->binary->sign[i] * cost);
    if (cost > most) most = cost;
  }
  p->most[first / SVF_PIECE] = most;
}

bool svf_fits_open(svf_fits *k, bool parts) {
  const svf_shared *shared = k->path->shared;
  svf_arena *arena = k->solver->arena;
  svf_newton_scratch_open(&k->scratch, shared, k->solver);
  svf_newton_open(&k->whole, shared, arena);
  posing p = {k, SVF_TAKE(arena, double, svf_pieces(shared->n))};
  svf_newton_room(&k->whole, shared, arena);
  if (parts) svf_start_open(&k->start, shared, arena);
  if (svf_arena_failed(arena)) return false;
  svf_solver_rows(k->solver, shared->n, pose_rows, &p);
  for (size_t i = 0; i < svf_pieces(shared->n); i++)
    if (p.most[i] > k->costliest) k->costliest = p.most[i];
  svf_costs costs = {k->path->base, k->path->scale};
  svf_newton_whole(&k->whole, &k->scratch, k->binary->cost == costs.base ? NULL : &costs, parts ? &k->start : NULL);
  return true;
}

void svf_fits_begin(svf_fits *k) {
  const svf_shared *shared = k->path->shared;
  double C = coarse(k, 0);
  if (k->result->begin) svf_newton_begin(&k->whole, &k->scratch, k->result->begin);
  else if (C > 0 && shared->regime->first == SVF_FIRST_GRADIENT) svf_newton_approach(&k->whole, &k->scratch, C);
  else if (C > 0 && shared->regime->first == SVF_FIRST_LEAP) svf_newton_leap(&k->whole, &k->scratch, C);
}

/* Parts first..first+count-1, from where the whole set is. */
static bool solve_parts(svf_fits *k, size_t first, size_t count) {
  svf_newton *fits[SVF_COLUMNS];
  for (size_t q = 0; q < count; q++) {
    fits[q] = &k->part[q];
    svf_newton_part(fits[q], &k->scratch, &k->whole, first + q);
  }
  return svf_fits_along(k, fits, count, (ptrdiff_t)first);
}

/* Parts side by side, in groups. */
static bool walk_together(svf_fits *k) {
  const svf_shared *shared = k->path->shared;
  svf_arena *arena = k->solver->arena;
  for (size_t q = 0; q < SVF_COLUMNS && q < shared->folds; q++) svf_newton_open(&k->part[q], shared, arena);
  for (size_t q = 0; q < SVF_COLUMNS && q < shared->folds; q++) svf_newton_room(&k->part[q], shared, arena);
  if (svf_arena_failed(arena)) return false;
  for (size_t first = 0; first < shared->folds; first += SVF_COLUMNS) {
    size_t count = shared->folds - first < SVF_COLUMNS ? shared->folds - first : SVF_COLUMNS;
    if (!solve_parts(k, first, count)) return false;
  }
  return true;
}

/* One part of many rows, by whichever thread. Alone it takes the same steps as beside others. */
static bool walk_one(void *context, size_t part, svf_worker *worker) {
  svf_fits k = *(const svf_fits *)context;
  svf_solver solver = svf_solver_on(k.solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  k.solver = &solver;
  svf_newton_scratch_open(&k.scratch, k.path->shared, &solver);
  svf_newton_open(&k.part[0], k.path->shared, solver.arena);
  svf_newton_room(&k.part[0], k.path->shared, solver.arena);
  bool fine = !svf_arena_failed(solver.arena) && solve_parts(&k, part, 1);
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_fits_parts(svf_fits *k) {
  const svf_shared *shared = k->path->shared;
  k->part_w = SVF_TAKE(k->solver->arena, double, shared->folds * k->path->options->C_count * shared->p);
  if (!k->part_w) return false;
  /* short rows that each thread can pass over by itself: different threads take different parts */
  bool apart = shared->n * shared->p >= SVF_MANY && shared->storage == SVF_ROWS_AND_PANELS && k->solver->worker;
  if (!(apart ? svf_solver_share(k->solver, shared->folds, walk_one, k) : walk_together(k))) return false;
  average(k);
  return true;
}
