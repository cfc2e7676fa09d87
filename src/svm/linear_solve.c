/* linear_solve.c - the linear solver from the rows of a set to its machines. Read it from the end upwards.
 *
 *     P(w) = 1/2 |w|^2 + C sum_i c_i max(0, 1 - y_i w.x_i)^2
 *
 *   svf_machines_train   gathers the rows, poses the two-class problems (linear_problems.h), chooses the regime and makes the
 *                        matrices that all fits share (linear_regime.h, linear_totals.c), follows the path of every machine,
 *                        chooses C by the held-out scores (linear_choice.h), and solves and certifies the machines for it.
 *   svf_path_run         one machine: the whole set at the smallest C, and from there every part, which leaves out one fold,
 *                        along all values of C (linear_path.h).
 *   svf_newton_solve     some fits at one C, side by side, by Newton steps on the active set (linear_fit.h):
 *                            (I + 2C H) delta = -g,   g = grad P,   H = sum_A c_i x_i x_i',   A = {i: y_i w.x_i < 1},
 *                        until the duality gap, 1/2 |g|^2, is at most the tolerance times P.
 *   certify              the gap of a machine that is kept, from its rows in double (linear_certify.c).
 *
 * The hinge, Crammer-Singer's machines, and fits that are too hard for single precision are solved one at a time in double
 * (linear_alone.c). */
#include <math.h>
#include "svm/linear_choice.h"
#include "svm/linear_path.h"
#include "svm/linear_problems.h"
#include "svm/linear_squared.h"

void svf_newton_solve(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C) {
  svf_newton *open[SVF_COLUMNS];
  size_t left;
  for (size_t q = 0; q < count; q++) fit[q]->steps = 0, fit[q]->state = SVF_NEWTON_OPEN;
  svf_newton_look(fit, count, scratch, C, false);
  while ((left = svf_newton_left(fit, count, scratch, open)) > 0 && !svf_solver_stopped(scratch->solver)) {
    left = svf_newton_step(open, left, scratch, C); /* without those whose matrix is not positive definite */
    if (left > 0) svf_newton_move(open, left, scratch, C);
    svf_newton_shorten(open, left, scratch, C); /* those whose P has risen */
  }
}

/* All values of C for the parts from `part` on, or, after the smallest C, for the whole set. */
bool svf_fits_along(svf_fits *k, svf_newton *const *fit, size_t count, ptrdiff_t part) {
  for (size_t c = part == SVF_WHOLE ? 1 : 0; c < k->path->options->C_count; c++) {
    for (size_t q = 0; c > 0 && q < count; q++) svf_newton_advance(fit[q], &k->scratch, c == 1);
    svf_fits_solve(k, fit, count, c);
    for (size_t q = 0; q < count; q++)
      if (!svf_fits_keep(k, fit[q], c, part == SVF_WHOLE ? part : part + (ptrdiff_t)q)) return false;
  }
  return true;
}

/* The whole set at the smallest C; then all values of C, for the parts if there are folds, else for the whole set. */
static bool squared_path(svf_fits *k) {
  svf_newton *whole = &k->whole;
  if (!svf_fits_open(k, k->path->held)) return false;
  svf_fits_begin(k); /* a starting point, as the regime says */
  svf_fits_solve(k, &whole, 1, 0);
  if (!svf_fits_keep(k, whole, 0, SVF_WHOLE)) return false;
  if (whole->state != SVF_NEWTON_FAILED && !svf_newton_few(whole, k->path->shared))
    svf_newton_settle(whole, &k->scratch);
  if (k->path->held) return svf_fits_parts(k);
  svf_newton_rest(whole, k->path->shared);
  return svf_fits_along(k, &whole, 1, SVF_WHOLE);
}

bool svf_path_run(const svf_path *path, const svf_binary *binary, const svf_solver *solver,
                  const svf_path_result *result) {
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_fits k = {.path = path, .binary = binary, .solver = solver, .result = result};
  bool fine = path->options->loss == SVF_SQUARED_HINGE ? squared_path(&k) : svf_fits_hinge(&k);
  svf_arena_release(solver->arena, mark);
  return fine;
}

bool svf_path_finish(const svf_path *path, const svf_binary *binary, const svf_solver *solver, size_t c,
                     const svf_path_result *result) {
  if (path->options->loss == SVF_HINGE || result->gap[c] <= solver->tolerance) return true; /* all steps were taken */
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_fits k = {.path = path, .binary = binary, .solver = solver, .result = result};
  svf_newton *whole = &k.whole;
  bool fine = svf_fits_open(&k, false);
  if (fine) {
    svf_newton_begin(whole, &k.scratch, result->w + c * svf_padded(path->shared->p));
    svf_fits_solve(&k, &whole, 1, c);
    fine = svf_fits_keep(&k, whole, c, SVF_WHOLE);
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}

static bool follow(const svf_work *k, const svf_binary *binary, const svf_solver *solver, svf_path_result *result) {
  return svf_path_run(&k->path, binary, solver, result);
}

/* A machine of the whole set for the chosen C. If its gap is too large in double, it is trained again in double. */
static bool certify(const svf_work *k, const svf_binary *binary, const svf_solver *solver, svf_path_result *result) {
  double *w = result->w + k->chosen * k->ld, C = k->options->C[k->chosen];
  svf_solution fit;
  if (!svf_path_finish(&k->path, binary, solver, k->chosen, result)) return false;
  if (k->options->loss != SVF_SQUARED_HINGE) return true;
  if (!svf_shared_certify(&k->shared, binary, C, solver, w, &fit)) return false;
  if (!(fit.gap <= solver->tolerance) && !svf_solver_stopped(solver)) {
    svf_rows rows = svf_shared_rows(&k->shared, solver);
    if (svf_arena_failed(solver->arena) || !svf_squared_fit(&rows, binary, C, solver, w, &fit)) return false;
  }
  result->gap[k->chosen] = isnan(fit.gap) ? INFINITY : fit.gap; /* an objective beyond all numbers is not solved */
  return true;
}

bool svf_machines_train(const svf_machines_problem *problem, const svf_machines_options *options,
                        svf_machines *machines) {
  const svf_solver *solver = &options->solver;
  svf_arena *arena = solver->arena;
  bool joint = options->scheme == SVF_CRAMMER_SINGER;
  svf_machines_open(problem, options, machines);
  svf_mark mark = svf_arena_mark(arena);
  svf_work k;
  if (!svf_work_open(&k, problem, options, machines)) return false; /* rows, labels, costs */
  if (joint) {
    if (!svf_work_joint(&k)) return false;
  } else { /* the regime and the shared matrices; then every machine, for all values of C */
    if (!svf_path_open(&k.path, &k.shared, options, svf_work_base(&k), k.held != NULL)) return false;
    if (!svf_work_each(&k, follow)) return false;
  }
  if (!svf_solver_stopped(solver)) {
    if (k.held && !svf_work_choose(&k, machines)) return false; /* C, and the sigmoids */
    if (!joint && !svf_work_each(&k, certify)) return false;
    svf_work_keep(&k, machines);
  }
  svf_arena_release(arena, mark);
  return true;
}
