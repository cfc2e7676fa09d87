/* crammer_ascent.c - the Crammer-Singer dual row by row, with a long step now and then.
 *
 * G is the gradient of the dual, so that the best beta_i for one row, the others fixed, is the point of its
 * simplex nearest to beta_i + G_i / |x_i|^2 (Keerthi et al. 2008). Rows are visited in random order; those
 * that did not move twice running rest until the next check. Where classes overlap this alone is slow, so
 * that after each check conjugate gradients move the rows that share their cost among several classes
 * (crammer_face.c). */
#include "svm/crammer.h"

#include <math.h>
#include <string.h>

enum { VISITS = 10, FIRST_LIMIT = 20 }; /* passes between two checks; products of the first long step */
enum { LOOK = 256 };                    /* rows between two looks at the stop flag */

typedef struct climb {
  const svf_crammer *c;
  double *norm;         /* n: |x_i|^2 */
  uint32_t *order;      /* n: rows to visit */
  unsigned char *still; /* n: visits since the row moved */
  double *scratch;      /* 4 n m */
  svf_random random;
} climb;

void svf_simplex(size_t m, double total, double *v) {
  double top = v[0], sum = 0, level = 0;
  for (size_t k = 1; k < m; k++) top = fmax(top, v[k]);
  for (size_t k = 0; k < m; k++) sum += v[k] -= top; /* so that the largest, 0, stays above the level for sure */
  for (size_t above = m + 1, left = m; left < above;) {
    above = left;
    level = (sum - total) / (double)above;
    sum = 0, left = 0;
    for (size_t k = 0; k < m; k++)
      if (v[k] > level) sum += v[k], left++;
  }
  for (size_t k = 0; k < m; k++) v[k] = fmax(0, v[k] - level);
}

/* Solves for one row; did it move? */
static bool visit(const climb *on, size_t i) {
  const svf_crammer *c = on->c;
  double *beta = c->beta + i * c->m, *v = c->value;
  bool moved = false;
  svf_crammer_slope(c, i, v);
  for (size_t k = 0; k < c->m; k++) v[k] = beta[k] + v[k] / on->norm[i];
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
static void ascend(climb *on, size_t passes) {
  const svf_crammer *c = on->c;
  size_t count = 0;
  for (size_t i = 0; i < c->n; i++)
    if (on->norm[i] > 0) on->order[count++] = (uint32_t)i;
  memset(on->still, 0, c->n);
  for (size_t pass = 0; pass < passes && count; pass++) {
    svf_random_shuffle(&on->random, on->order, count);
    size_t kept = 0;
    for (size_t q = 0; q < count; q++) {
      uint32_t i = on->order[q];
      if (q % LOOK == 0 && svf_solver_stopped(c->solver)) return;
      on->still[i] = visit(on, i) ? 0 : (unsigned char)(on->still[i] + 1);
      if (on->still[i] < 2) on->order[kept++] = i;
    }
    count = kept;
  }
}

/* Each row has its whole cost on its own class: w = 0. A row of zeros pays whatever w is, so its cost goes to
 * another class at once. */
static void start(climb *on) {
  const svf_crammer *c = on->c;
  on->random = svf_random_at((svf_place){.use = SVF_USE_SOLVER});
  memset(c->beta, 0, c->n * c->m * sizeof *c->beta);
  for (size_t i = 0; i < c->n; i++) {
    on->norm[i] = c->la->dot(c->ld, c->row[i], c->row[i]);
    size_t class = on->norm[i] > 0 ? (size_t)c->label[i] : (size_t)(c->label[i] == 0);
    c->beta[i * c->m + class] = c->u[i];
  }
}

static void check(const climb *on, svf_solution *fit) {
  svf_crammer_weights(on->c, on->c->w);
  svf_crammer_judge(on->c, fit);
}

bool svf_crammer_ascent(const svf_crammer *c, const svf_solver *solver, svf_solution *fit) {
  svf_arena *arena = solver->arena;
  climb on = {.c = c,
              .norm = SVF_TAKE(arena, double, c->n),
              .order = SVF_TAKE(arena, uint32_t, c->n),
              .still = SVF_TAKE(arena, unsigned char, c->n),
              .scratch = SVF_TAKE(arena, double, 4 * c->n * c->m)};
  if (svf_arena_failed(arena)) return false;
  size_t limit = FIRST_LIMIT;
  start(&on);
  check(&on, fit);
  while (!(fit->gap <= solver->tolerance) && fit->steps < solver->max_steps) {
    ascend(&on, VISITS);
    if (svf_solver_stopped(solver)) break;
    fit->steps += VISITS;
    check(&on, fit);
    if (fit->gap <= solver->tolerance) break;
    fit->steps += svf_crammer_face(c, on.scratch, on.order, &limit);
    if (svf_solver_stopped(solver)) break;
    check(&on, fit);
  }
  return true;
}
