/* crammer.c - one machine for all classes, by coordinate ascent on its dual.
 *
 * With u_i = C c_i > 0 (rows without cost are left out) and e_ik = 1[k != y_i]:
 *
 *   primal   min  1/2 sum_k |w_k|^2 + sum_i u_i (max_k G_ik - G_iy),      G_ik = w_k.x_i + e_ik
 *   dual     max  sum_ik beta_ik e_ik - 1/2 sum_k |w_k|^2,                w_k = sum_i (u_i 1[k = y_i] -
 * beta_ik) x_i beta_ik >= 0,  sum_k beta_ik = u_i
 *
 * (Crammer and Singer 2001, with beta for what their dual lacks to its bound). G is the gradient of the dual,
 * so that the best beta_i for one row, the others fixed, is the point of its simplex nearest to beta_i + G_i
 * / |x_i|^2 (Keerthi et al. 2008). Rows are visited in random order; those that did not move twice running
 * rest until the next check. Where classes overlap this alone is slow, so that after each check conjugate
 * gradients move the rows that share their cost among several classes (crammer_face.c).
 *
 * Stop: P - D = sum_ik beta_ik (max_l G_il - G_ik), a sum without cancellation, from w made anew. */
#include "svm/crammer.h"

#include <math.h>
#include <string.h>

enum { VISITS = 10 }; /* passes between two checks */

void svf_simplex(size_t m, double total, double *v) {
  double top = v[0], sum = 0, level = 0;
  for (size_t k = 1; k < m; k++) top = fmax(top, v[k]);
  for (size_t k = 0; k < m; k++)
    sum += v[k] -= top; /* so that the largest, 0, stays above the level for sure */
  for (size_t above = m + 1, left = m; left < above;) {
    above = left;
    level = (sum - total) / (double)above;
    sum = 0, left = 0;
    for (size_t k = 0; k < m; k++)
      if (v[k] > level) sum += v[k], left++;
  }
  for (size_t k = 0; k < m; k++) v[k] = fmax(0, v[k] - level);
}

void svf_crammer_slope(const svf_crammer *c, size_t i, double *slope) {
  c->la->product(c->m, c->ld, c->w, c->row[i], slope);
  for (int32_t k = 0; k < (int32_t)c->m; k++) slope[k] += k != c->label[i];
}

/* The rows that have a cost, each with all of it on its own class: w = 0. A row of zeros pays whatever w is,
 * so its cost goes to another class at once. */
static void gather(svf_crammer *c, const svf_rows *rows, const int32_t *label, const double *cost, double C) {
  size_t i = 0;
  for (size_t r = 0; r < rows->n; r++) {
    if (!(C * cost[r] > 0)) continue;
    const double *x = rows->x + r * rows->ld;
    double norm = c->la->dot(c->ld, x, x);
    c->row[i] = x, c->norm[i] = norm, c->u[i] = C * cost[r], c->label[i] = label[r];
    size_t class = norm > 0 ? (size_t)label[r] : (size_t)(label[r] == 0);
    c->beta[i * c->m + class] = c->u[i];
    i++;
  }
}

/* Solves for one row; did it move? */
static bool visit(const svf_crammer *c, size_t i) {
  double *beta = c->beta + i * c->m, *v = c->value;
  bool moved = false;
  svf_crammer_slope(c, i, v);
  for (size_t k = 0; k < c->m; k++) v[k] = beta[k] + v[k] / c->norm[i];
  svf_simplex(c->m, c->u[i], v);
  for (size_t k = 0; k < c->m; k++) {
    if (v[k] == beta[k]) continue;
    c->la->axpy(c->ld, beta[k] - v[k], c->row[i], c->w + k * c->ld);
    beta[k] = v[k];
    moved = true;
  }
  return moved;
}

/* Passes over the rows that still move. */
static void ascend(const svf_crammer *c, svf_random *random, size_t passes) {
  size_t count = 0;
  for (size_t i = 0; i < c->n; i++)
    if (c->norm[i] > 0) c->order[count++] = (uint32_t)i;
  memset(c->still, 0, c->n);
  for (size_t pass = 0; pass < passes && count; pass++) {
    svf_random_shuffle(random, c->order, count);
    size_t kept = 0;
    for (size_t q = 0; q < count; q++) {
      uint32_t i = c->order[q];
      c->still[i] = visit(c, i) ? 0 : (unsigned char)(c->still[i] + 1);
      if (c->still[i] < 2) c->order[kept++] = i;
    }
    count = kept;
  }
}

/* w from beta, then P and the gap. */
static void judge(const svf_crammer *c, svf_fit *fit) {
  double loss = 0, gap = 0, *slope = c->value;
  memset(c->w, 0, c->m * c->ld * sizeof *c->w);
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < c->m; k++) {
      double alpha = (k == (size_t)c->label[i] ? c->u[i] : 0) - c->beta[i * c->m + k];
      if (alpha != 0) c->la->axpy(c->ld, alpha, c->row[i], c->w + k * c->ld);
    }
  for (size_t i = 0; i < c->n; i++) {
    svf_crammer_slope(c, i, slope);
    double top = slope[0];
    for (size_t k = 1; k < c->m; k++) top = fmax(top, slope[k]);
    for (size_t k = 0; k < c->m; k++) gap += c->beta[i * c->m + k] * (top - slope[k]);
    loss += c->u[i] * (top - slope[c->label[i]]);
  }
  fit->objective = 0.5 * c->la->dot(c->m * c->ld, c->w, c->w) + loss;
  fit->gap = fit->objective > 0 ? gap / fit->objective : 0;
}

static bool take(svf_crammer *c, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  c->la = solver->la;
  c->row = SVF_TAKE(arena, const double *, c->n);
  c->label = SVF_TAKE(arena, int32_t, c->n);
  c->order = SVF_TAKE(arena, uint32_t, c->n);
  c->still = SVF_TAKE(arena, unsigned char, c->n);
  c->u = SVF_TAKE(arena, double, c->n);
  c->norm = SVF_TAKE(arena, double, c->n);
  c->value = SVF_TAKE(arena, double, c->m);
  c->beta = SVF_ZERO(arena, double, c->n * c->m);
  c->face = SVF_TAKE(arena, double, 4 * c->n * c->m);
  c->way = SVF_TAKE(arena, double, c->m * c->ld);
  return !svf_arena_failed(arena);
}

static void climb(const svf_crammer *c, const svf_solver *solver, svf_fit *fit) {
  svf_random random = svf_random_at((svf_place){.use = SVF_USE_SOLVER});
  judge(c, fit);
  size_t limit = 20;
  while (!(fit->gap <= solver->tolerance) && fit->steps < solver->max_steps) {
    if (solver->stop && atomic_load_explicit(solver->stop, memory_order_relaxed)) return;
    ascend(c, &random, VISITS);
    fit->steps += VISITS;
    judge(c, fit);
    if (fit->gap <= solver->tolerance) continue;
    fit->steps += svf_crammer_face(c, &limit);
    judge(c, fit);
  }
}

bool svf_crammer_fit(const svf_rows *rows, const int32_t *label, size_t m, const double *cost, double C,
                     const svf_solver *solver, double *w, svf_fit *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_crammer c = {.m = m, .ld = rows->ld, .w = w};
  *fit = (svf_fit){0};
  memset(w, 0, m * rows->ld * sizeof *w);
  for (size_t i = 0; i < rows->n; i++) c.n += C * cost[i] > 0;
  bool there = take(&c, solver);
  if (there && c.n && m > 1) {
    gather(&c, rows, label, cost, C);
    climb(&c, solver, fit);
  }
  svf_arena_release(solver->arena, mark);
  return there;
}
