/* crammer.c - one machine for all classes.
 *
 * With u_i = C c_i > 0 (rows without cost are left out) and e_ik = 1[k != y_i]:
 *
 *   primal   min  1/2 sum_k |w_k|^2 + sum_i u_i (max_k G_ik - G_iy),      G_ik = w_k.x_i + e_ik
 *   dual     max  sum_ik beta_ik e_ik - 1/2 sum_k |v_k|^2,                v_k = sum_i (u_i 1[k = y_i] -
 * beta_ik) x_i beta_ik >= 0,  sum_k beta_ik = u_i
 *
 * (Crammer and Singer 2001, with beta for what their dual lacks to its bound). At the solution w = v.
 * Whatever w and beta,
 *
 *   P(w) - D(beta) = 1/2 |w - v|^2 + sum_ik beta_ik (max_l G_il - G_ik),
 *
 * a sum without cancellation, which is what both solvers stop by. */
#include "svm/crammer.h"

#include <math.h>
#include <string.h>

/* The interior-point method needs few steps whatever the data, but their cost grows with the cube of the unknowns m
 * ld: it is for up to MOST of them, and where they are more than FEW the rows are tried one by one first. */
enum { FEW = 256, MOST = 2048, TRIAL = 400 };

void svf_crammer_slope(const svf_crammer *c, size_t i, double *slope) {
  c->la->product(c->m, c->ld, c->w, c->row[i], slope);
  for (int32_t k = 0; k < (int32_t)c->m; k++) slope[k] += k != c->label[i];
}

void svf_crammer_weights(const svf_crammer *c, double *to) {
  memset(to, 0, c->m * c->ld * sizeof *to);
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < c->m; k++) {
      double alpha = (k == (size_t)c->label[i] ? c->u[i] : 0) - c->beta[i * c->m + k];
      if (alpha != 0) c->la->axpy(c->ld, alpha, c->row[i], to + k * c->ld);
    }
}

void svf_crammer_judge(const svf_crammer *c, svf_solution *fit) {
  size_t size = c->m * c->ld;
  double loss = 0, *slope = c->value;
  svf_crammer_weights(c, c->way);
  c->la->axpy(size, -1, c->w, c->way);
  double gap = 0.5 * c->la->dot(size, c->way, c->way);
  for (size_t i = 0; i < c->n; i++) {
    svf_crammer_slope(c, i, slope);
    double top = slope[0];
    for (size_t k = 1; k < c->m; k++) top = fmax(top, slope[k]);
    for (size_t k = 0; k < c->m; k++) gap += c->beta[i * c->m + k] * (top - slope[k]);
    loss += c->u[i] * (top - slope[c->label[i]]);
  }
  fit->objective = 0.5 * c->la->dot(size, c->w, c->w) + loss;
  fit->gap = fit->objective > 0 ? gap / fit->objective : 0;
}

/* The rows that have a cost. */
static void gather(svf_crammer *c, const svf_rows *rows, const int32_t *label, const double *cost, double C) {
  size_t i = 0;
  for (size_t r = 0; r < rows->n; r++) {
    if (!(C * cost[r] > 0)) continue;
    c->row[i] = rows->x + r * rows->ld;
    c->label[i] = label[r];
    c->u[i++] = C * cost[r];
  }
  svf_bound_costs(c->n, c->u);
}

static bool take(svf_crammer *c, svf_arena *arena) {
  c->row = SVF_TAKE(arena, const double *, c->n);
  c->label = SVF_TAKE(arena, int32_t, c->n);
  c->u = SVF_TAKE(arena, double, c->n);
  c->value = SVF_TAKE(arena, double, c->m);
  c->beta = SVF_ZERO(arena, double, c->n * c->m);
  c->way = SVF_TAKE(arena, double, c->m * c->ld);
  return !svf_arena_failed(arena);
}

static bool solve(const svf_crammer *c, const svf_solver *solver, svf_solution *fit) {
  size_t size = c->m * c->ld;
  svf_solver trial = *solver;
  if (size <= MOST && trial.max_steps > TRIAL) trial.max_steps = TRIAL;
  if (size > FEW && !svf_crammer_ascent(c, &trial, fit)) return false;
  bool done = size > FEW && (fit->gap <= solver->tolerance || fit->steps >= solver->max_steps);
  if (size > MOST || done || svf_solver_stopped(solver)) return true;
  return svf_crammer_path(c, solver, fit);
}

bool svf_crammer_fit(const svf_rows *rows, const int32_t *label, size_t m, const double *cost, double C,
                     const svf_solver *solver, double *w, svf_solution *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_crammer c = {.la = solver->la, .solver = solver, .m = m, .p = rows->p, .ld = rows->ld, .w = w};
  *fit = (svf_solution){0};
  memset(w, 0, m * rows->ld * sizeof *w);
  if (svf_solver_stopped(solver)) return true; /* the next of many machines need not begin */
  for (size_t i = 0; i < rows->n; i++) c.n += C * cost[i] > 0;
  bool there = take(&c, solver->arena);
  if (there && c.n && m > 1) {
    gather(&c, rows, label, cost, C);
    there = solve(&c, solver, fit);
  }
  svf_arena_release(solver->arena, mark);
  return there;
}
