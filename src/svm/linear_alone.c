/* linear_alone.c - fits that are solved by themselves in double: those too hard for single precision, every fit of the hinge, and
 * the joint machines of Crammer and Singer. */
#include <string.h>
#include "svm/linear_problems.h"
#include "svm/linear_squared.h"

/* A fit in double, on the whole set (part < 0) or without a fold; w: ld. */
static bool fit_apart(const svf_fits *k, size_t c, ptrdiff_t part, double *w, svf_solution *fit) {
  const svf_shared *shared = k->path->shared;
  svf_arena *arena = k->solver->arena;
  svf_rows rows = svf_shared_rows(shared, k->solver);
  double *cost = SVF_TAKE(arena, double, shared->n);
  if (svf_arena_failed(arena)) return false;
  memcpy(cost, k->binary->cost, shared->n * sizeof *cost);
  if (part >= 0)
    memset(cost + shared->start[part], 0, (shared->start[part + 1] - shared->start[part]) * sizeof *cost);
  svf_binary problem = {k->binary->sign, cost};
  double C = k->path->options->C[c];
  return k->path->options->loss == SVF_HINGE ? svf_hinge_fit(&rows, &problem, C, k->solver, w, fit)
                                             : svf_squared_fit(&rows, &problem, C, k->solver, w, fit);
}

bool svf_fits_alone(const svf_fits *k, size_t c, ptrdiff_t part) {
  if (svf_solver_stopped(k->solver)) return true; /* the result is not used */
  const svf_shared *shared = k->path->shared;
  svf_arena *arena = k->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t ld = svf_padded(shared->p);
  double *w = SVF_TAKE(arena, double, ld), *s = SVF_TAKE(arena, double, shared->panels *SVF_PANEL);
  svf_solution fit;
  if (svf_arena_failed(arena) || !fit_apart(k, c, part, w, &fit)) return false;
  if (part < 0) {
    memcpy(k->result->w + c * ld, w, ld * sizeof *w);
    k->result->gap[c] = fit.gap;
  } else {
    svf_shared_scores_double(shared, 0, shared->panels, w, s);
    for (size_t i = shared->start[part]; i < shared->start[part + 1]; i++)
      k->result->held[c * shared->n + i] = (float)s[i];
    if (k->part_w) memcpy(svf_fits_part_point(k, c, (size_t)part), w, shared->p * sizeof *w);
  }
  svf_arena_release(arena, mark);
  return true;
}

bool svf_fits_hinge(const svf_fits *k) {
  for (size_t c = 0; c < k->path->options->C_count; c++) {
    if (!svf_fits_alone(k, c, -1)) return false;
    for (size_t f = 0; k->path->held && f < k->path->shared->folds; f++)
      if (!svf_fits_alone(k, c, (ptrdiff_t)f)) return false;
  }
  return true;
}

/* Held-out scores of all classes from the joint machines w of the part without fold f. */
static void keep_joint(const svf_work *k, const svf_rows *rows, size_t C, size_t f, const double *w) {
  for (size_t a = 0; a < k->machines; a++) {
    float *held = k->held + svf_work_at(k, a, C) * k->n;
    for (size_t i = k->shared.start[f]; i < k->shared.start[f + 1]; i++)
      held[i] = (float)k->options->solver.la->dot(k->ld, w + a * k->ld, rows->x + i * k->ld);
  }
}

bool svf_work_joint(svf_work *k) {
  const svf_solver *solver = &k->options->solver;
  size_t m = k->problem->m;
  svf_rows rows = svf_shared_rows(&k->shared, solver);
  double *part = SVF_TAKE(solver->arena, double, k->n), *w = SVF_TAKE(solver->arena, double, m * k->ld);
  if (svf_arena_failed(solver->arena)) return false;
  for (size_t c = 0; c < k->options->C_count; c++) {
    double C = k->options->C[c];
    svf_solution fit;
    if (!svf_crammer_fit(&rows, k->label, m, k->cost, C, solver, w, &fit)) return false;
    for (size_t a = 0; a < m; a++) {
      memcpy(k->w + svf_work_at(k, a, c) * k->ld, w + a * k->ld, k->ld * sizeof(double));
      k->gap[svf_work_at(k, a, c)] = fit.gap;
    }
    for (size_t f = 0; k->held && f < k->shared.folds; f++) {
      memcpy(part, k->cost, k->n * sizeof *part);
      for (size_t i = k->shared.start[f]; i < k->shared.start[f + 1]; i++) part[i] = 0;
      if (!svf_crammer_fit(&rows, k->label, m, part, C, solver, w, &fit)) return false;
      keep_joint(k, &rows, c, f, w);
    }
  }
  return true;
}
