/* linear_squared.c - see linear_squared.h. */
#include "svm/linear_squared.h"

#include <math.h>
#include <string.h>

/* Steps without any gain in P, after which rounding is known to be in the way. */
enum { IDLE = 5 };

/* A fit in progress. */
typedef struct state {
  const svf_rows *rows;
  const svf_binary *problem;
  const svf_la *la;
  const svf_solver *solver;
  double C, objective;
  double *w, *next_w; /* ld: the point, and the Newton point */
  double *s, *next_s; /* n: their scores */
  double *matrix, *v; /* the linear system and its right-hand side */
  double *g;          /* ld: the gradient */
  const double **row; /* n: the active rows, their weights in a sum, and which they are */
  double *weight;
  uint32_t *on;
  size_t count;
} state;

static double slack_of(const state *t, const double *s, size_t i) { return 1 - t->problem->sign[i] * s[i]; }

static void list_active(state *t) {
  t->count = 0;
  for (size_t i = 0; i < t->rows->n; i++)
    if (t->problem->cost[i] > 0 && slack_of(t, t->s, i) > 0) {
      t->row[t->count] = t->rows->x + i * t->rows->ld;
      t->on[t->count++] = (uint32_t)i;
    }
}

static bool newton_primal(state *t) {
  size_t p = t->rows->p, ld = t->rows->ld;
  memset(t->matrix, 0, ld * ld * sizeof(double));
  memset(t->next_w, 0, ld * sizeof(double));
  for (size_t q = 0; q < t->count; q++) t->weight[q] = 2 * t->C * t->problem->cost[t->on[q]];
  if (!svf_solver_rank(t->solver, &(svf_rows){t->count, p, ld, NULL}, t->row, t->weight, t->matrix)) return false;
  for (size_t j = 0; j < p; j++) t->matrix[j * ld + j] += 1;
  for (size_t q = 0; q < t->count; q++) t->weight[q] *= t->problem->sign[t->on[q]];
  t->la->combine(ld, t->count, t->row, t->weight, t->next_w);
  if (!t->la->cholesky(p, ld, t->matrix, t->solver->stop)) return false;
  t->la->solve(p, ld, t->matrix, t->next_w);
  return true;
}

static bool newton_dual(state *t) {
  size_t m = t->count, side = svf_padded(m), ld = t->rows->ld;
  memset(t->matrix, 0, side * side * sizeof(double));
  memset(t->v, 0, side * sizeof(double));
  for (size_t a = 0; a < m; a++) {
    if (svf_solver_stopped(t->solver)) return false;
    for (size_t b = a; b < m; b++) t->matrix[a * side + b] = t->la->dot(ld, t->row[a], t->row[b]);
    t->matrix[a * side + a] += 1 / (2 * t->C * t->problem->cost[t->on[a]]);
    t->v[a] = t->problem->sign[t->on[a]];
  }
  if (!t->la->cholesky(m, side, t->matrix, t->solver->stop)) return false;
  t->la->solve(m, side, t->matrix, t->v);
  memset(t->next_w, 0, ld * sizeof(double));
  t->la->combine(ld, m, t->row, t->v, t->next_w);
  return true;
}

/* P of the point with scores s. */
static double height(const state *t, const double *w, const double *s) {
  double loss = 0;
  for (size_t i = 0; i < t->rows->n; i++) {
    double slack = slack_of(t, s, i);
    if (slack > 0) loss += t->problem->cost[i] * slack * slack;
  }
  return .5 * t->la->dot(t->rows->ld, w, w) + t->C * loss;
}

/* Derivative of P at w + share (next_w - w): a + share b for the norm, a sum over rows for the loss. */
static double slope(const state *t, double a, double b, double share) {
  double sum = 0;
  for (size_t i = 0; i < t->rows->n; i++) {
    double step = t->next_s[i] - t->s[i], sign = t->problem->sign[i];
    double slack = 1 - sign * (t->s[i] + share * step);
    if (slack > 0) sum += t->problem->cost[i] * sign * step * slack;
  }
  return a + share * b - 2 * t->C * sum;
}

/* To the exact minimiser of the convex P on the segment from w to the Newton point, by bisection of its slope. */
static void shorten(state *t) {
  size_t ld = t->rows->ld;
  double ww = t->la->dot(ld, t->w, t->w), wv = t->la->dot(ld, t->w, t->next_w);
  double vv = t->la->dot(ld, t->next_w, t->next_w), low = 0, high = 1;
  for (int i = 0; i < 50; i++) {
    double middle = .5 * (low + high);
    if (slope(t, wv - ww, ww - 2 * wv + vv, middle) > 0) high = middle;
    else low = middle;
  }
  for (size_t j = 0; j < ld; j++) t->next_w[j] = t->w[j] + low * (t->next_w[j] - t->w[j]);
  t->la->product(t->rows->n, ld, t->rows->x, t->next_w, t->next_s);
}

/* Half the squared gradient: the duality gap. */
static double gap_of(const state *t) {
  for (size_t q = 0; q < t->count; q++) {
    size_t i = t->on[q];
    t->weight[q] = -2 * t->C * t->problem->cost[i] * slack_of(t, t->s, i) * t->problem->sign[i];
  }
  memcpy(t->g, t->w, t->rows->ld * sizeof(double));
  t->la->combine(t->rows->ld, t->count, t->row, t->weight, t->g);
  return .5 * t->la->dot(t->rows->ld, t->g, t->g);
}

static bool step(state *t) {
  bool fine = t->rows->p > t->count ? newton_dual(t) : newton_primal(t);
  if (!fine) return false;
  t->la->product(t->rows->n, t->rows->ld, t->rows->x, t->next_w, t->next_s);
  double P = height(t, t->next_w, t->next_s);
  if (!(P <= t->objective)) {
    shorten(t);
    P = height(t, t->next_w, t->next_s);
  }
  if (!isfinite(t->la->dot(t->rows->ld, t->next_w, t->next_w))) return false; /* costs beyond what can be solved */
  double *w = t->w, *s = t->s;
  t->w = t->next_w, t->next_w = w;
  t->s = t->next_s, t->next_s = s;
  t->objective = P;
  list_active(t);
  return true;
}

static bool open_state(state *t, svf_arena *arena) {
  size_t n = t->rows->n, ld = t->rows->ld, side = ld < svf_padded(n) ? ld : svf_padded(n);
  t->w = SVF_ZERO(arena, double, ld), t->next_w = SVF_ZERO(arena, double, ld);
  t->s = SVF_ZERO(arena, double, n), t->next_s = SVF_ZERO(arena, double, n);
  t->g = SVF_TAKE(arena, double, ld), t->v = SVF_TAKE(arena, double, svf_padded(n));
  t->matrix = SVF_TAKE(arena, double, side *side);
  t->row = SVF_TAKE(arena, const double *, n), t->weight = SVF_TAKE(arena, double, n);
  t->on = SVF_TAKE(arena, uint32_t, n);
  return !svf_arena_failed(arena);
}

bool svf_squared_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                     svf_solution *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  state t = {.rows = rows, .problem = problem, .la = solver->la, .solver = solver, .C = C};
  bool fine = open_state(&t, solver->arena);
  if (fine) {
    *fit = (svf_solution){0};
    list_active(&t);
    t.objective = height(&t, t.w, t.s);
    for (size_t idle = 0; idle < IDLE; fit->steps++) {
      double before = t.objective;
      fit->gap = t.objective > 0 ? gap_of(&t) / t.objective : 0;
      if (fit->gap <= solver->tolerance || fit->steps == solver->max_steps) break;
      if (svf_solver_stopped(solver) || !step(&t)) break;
      idle = t.objective < before ? 0 : idle + 1;
    }
    fit->objective = t.objective;
    memcpy(w, t.w, rows->ld * sizeof(double));
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}
