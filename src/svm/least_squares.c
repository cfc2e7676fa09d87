/* least_squares.c - see least_squares.h.
 *
 * With rows and targets centred by their weighted means and multiplied by sqrt(c_i), the bias is gone and the machine's
 * values are  sum_e f_e t_e (t_e . y),  one term per eigenvalue l_e:
 *     scatter matrix X'X, eigenvectors v_e:   t_e = X v_e,  f_e = 1 / (l_e + 1/C)
 *     Gram matrix XX', eigenvectors u_e:      t_e = u_e,    f_e = l_e / (l_e + 1/C)
 * h_i is the diagonal of that sum, and c_i / sum c for the bias. */
#include "svm/least_squares.h"

#include <math.h>
#include <string.h>
#include "la/eigen.h"

#define CERTAIN 1e-10 /* 1 - h_i cannot be told from 0 below this */

typedef struct work {
  const svf_squares_problem *problem;
  const svf_solver *solver;
  const svf_la *la;
  svf_arena *arena;
  size_t n, p, ld, wide; /* wide: n, padded */
  bool by_rows;          /* the Gram matrix is the smaller one */
  double *x;             /* n x ld: centred and weighted */
  double *y;             /* targets x wide: the same */
  double *root;          /* n: sqrt of c_i over the largest */
  double *mean_x, *mean_y, total, strongest;
  size_t terms;
  double *value; /* terms: eigenvalues */
  double *basis; /* terms rows: v_e (ld numbers), or u_e (wide numbers) */
  double *t;     /* terms x wide */
  double *along; /* targets x terms: t_e . y */
  double *share; /* wide: h_i */
  double *fit;   /* wide */
} work;

static void *take(work *w, size_t count) { return SVF_ZERO(w->arena, double, count); }

/* On the first n rows. */
static bool open_work(work *w, size_t n) {
  size_t targets = w->problem->targets;
  w->n = n, w->p = w->problem->rows.p, w->ld = w->problem->rows.ld;
  w->wide = svf_padded(w->n);
  w->by_rows = w->n < w->p;
  w->terms = w->by_rows ? w->n : w->p;
  w->x = take(w, w->n * w->ld);
  w->y = take(w, targets * w->wide);
  w->root = take(w, w->n);
  w->mean_x = take(w, w->ld);
  w->mean_y = take(w, targets);
  w->value = take(w, w->terms);
  w->basis = take(w, svf_padded(w->terms) * svf_padded(w->terms));
  w->t = w->by_rows ? w->basis : take(w, w->terms * w->wide);
  w->along = take(w, targets * w->terms);
  w->share = take(w, w->wide);
  w->fit = take(w, w->wide);
  return !svf_arena_failed(w->arena);
}

static void centre(work *w) {
  const svf_squares_problem *problem = w->problem;
  w->strongest = 1;
  for (size_t i = 0; problem->weight && i < w->n; i++)
    w->strongest = i ? fmax(w->strongest, problem->weight[i]) : problem->weight[i];
  for (size_t i = 0; i < w->n; i++) {
    double c = problem->weight ? fmax(problem->weight[i] / w->strongest, SVF_LEAST_WEIGHT) : 1;
    w->root[i] = sqrt(c);
    w->total += c;
    w->la->axpy(w->ld, c, problem->rows.x + i * w->ld, w->mean_x);
    for (size_t q = 0; q < problem->targets; q++) w->mean_y[q] += c * problem->y[q * problem->rows.n + i];
  }
  for (size_t j = 0; j < w->ld; j++) w->mean_x[j] /= w->total;
  for (size_t q = 0; q < problem->targets; q++) w->mean_y[q] /= w->total;
  for (size_t i = 0; i < w->n; i++) {
    const double *from = problem->rows.x + i * w->ld;
    for (size_t j = 0; j < w->p; j++) w->x[i * w->ld + j] = w->root[i] * (from[j] - w->mean_x[j]);
    for (size_t q = 0; q < problem->targets; q++)
      w->y[q * w->wide + i] = w->root[i] * (problem->y[q * problem->rows.n + i] - w->mean_y[q]);
  }
}

/* Upper triangle of X'X into the basis. */
static bool scatter(work *w) {
  svf_mark mark = svf_arena_mark(w->arena);
  const double **row = SVF_TAKE(w->arena, const double *, w->n);
  double *one = SVF_TAKE(w->arena, double, w->n);
  bool fine = !svf_arena_failed(w->arena);
  for (size_t i = 0; fine && i < w->n; i++) row[i] = w->x + i * w->ld, one[i] = 1;
  if (fine) svf_solver_rank(w->solver, &(svf_rows){w->n, w->p, w->ld, NULL}, row, one, w->basis);
  svf_arena_release(w->arena, mark);
  return fine;
}

/* Upper triangle of XX' into the basis. */
static void products(work *w) {
  for (size_t i = 0; i < w->n && !svf_solver_stopped(w->solver); i++)
    for (size_t j = i; j < w->n; j++)
      w->basis[i * w->wide + j] = w->la->dot(w->ld, w->x + i * w->ld, w->x + j * w->ld);
}

static bool decompose(work *w) {
  size_t m = w->terms, ld = w->by_rows ? w->wide : w->ld;
  if (w->by_rows) products(w);
  else if (!scatter(w)) return false;
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b < a; b++) w->basis[a * ld + b] = w->basis[b * ld + a];
  if (!svf_eigen(w->la, m, (svf_dense){w->basis, ld}, w->value, w->solver->stop, w->arena)) return false;
  for (size_t e = 0; e < m && !svf_solver_stopped(w->solver); e++) {
    if (w->value[e] < 0) w->value[e] = 0; /* rounding: both matrices are positive semidefinite */
    if (!w->by_rows) w->la->product(w->n, w->ld, w->x, w->basis + e * ld, w->t + e * w->wide);
    for (size_t q = 0; q < w->problem->targets; q++)
      w->along[q * m + e] = w->la->dot(w->wide, w->t + e * w->wide, w->y + q * w->wide);
  }
  return true;
}

/* l_e + 1/C, never 0. */
static double stiffness(const work *w, size_t e, double C) {
  double sum = w->value[e] + svf_ridge(C, w->strongest);
  return sum > 0 ? sum : 1e-300;
}

static double factor(const work *w, size_t e, double C) {
  return (w->by_rows ? w->value[e] : 1) / stiffness(w, e, C);
}

static void find_shares(work *w, double C) {
  for (size_t i = 0; i < w->n; i++) w->share[i] = w->root[i] * w->root[i] / w->total;
  for (size_t e = 0; e < w->terms; e++) {
    const double *t = w->t + e * w->wide;
    double f = factor(w, e, C);
    for (size_t i = 0; i < w->n; i++) w->share[i] += f * t[i] * t[i];
  }
}

/* Left-out errors of one target; returns their weighted mean square. */
static double leave_out(work *w, double C, size_t q, double *left_out) {
  double sum = 0;
  memset(w->fit, 0, w->wide * sizeof *w->fit);
  for (size_t e = 0; e < w->terms; e++)
    w->la->axpy(w->wide, factor(w, e, C) * w->along[q * w->terms + e], w->t + e * w->wide, w->fit);
  for (size_t i = 0; i < w->n; i++) {
    double error = (w->y[q * w->wide + i] - w->fit[i]) / fmax(1 - w->share[i], CERTAIN);
    if (left_out) left_out[i] = error / w->root[i];
    sum += error * error;
  }
  return sum / w->total;
}

static double try_C(work *w, double C, double *left_out) {
  double sum = 0;
  find_shares(w, C);
  for (size_t q = 0; q < w->problem->targets; q++) sum += leave_out(w, C, q, left_out ? left_out + q * w->n : NULL);
  return sum / (double)w->problem->targets;
}

/* w = sum_e g_e v_e, or X' sum_e g_e u_e, with g_e = (t_e . y) / (l_e + 1/C). */
static void write_machine(work *w, double C, size_t q, double *out, double *bias) {
  double *to = w->by_rows ? w->fit : out;
  memset(to, 0, (w->by_rows ? w->wide : w->ld) * sizeof *to);
  for (size_t e = 0; e < w->terms; e++)
    w->la->axpy(w->by_rows ? w->wide : w->ld, w->along[q * w->terms + e] / stiffness(w, e, C),
                w->basis + e * (w->by_rows ? w->wide : w->ld), to);
  if (w->by_rows) {
    memset(out, 0, w->ld * sizeof *out);
    for (size_t i = 0; i < w->n; i++) w->la->axpy(w->ld, w->fit[i], w->x + i * w->ld, out);
  }
  *bias = w->mean_y[q] - w->la->dot(w->ld, out, w->mean_x);
}

/* Mean squared error of C on the rows held out, by weight. */
static double judge(work *w, double C, double *machine) {
  const svf_squares_problem *problem = w->problem;
  double sum = 0, total = 0, bias;
  for (size_t q = 0; q < problem->targets; q++) {
    write_machine(w, C, q, machine, &bias);
    for (size_t i = w->n; i < problem->rows.n; i++) {
      double weight = problem->weight ? problem->weight[i] / w->strongest : 1;
      double error = problem->y[q * problem->rows.n + i] - w->la->dot(w->ld, machine, problem->rows.x + i * w->ld);
      sum += weight * (error - bias) * (error - bias);
      total += weight;
    }
  }
  return sum / total;
}

static bool begin(work *w, const svf_squares_problem *problem, const svf_solver *solver, size_t n) {
  *w = (work){.problem = problem, .solver = solver, .la = solver->la, .arena = solver->arena};
  if (!open_work(w, n)) return false;
  centre(w);
  return decompose(w);
}

/* The C with the least error of those that w's rows, all or some, are tried with. */
static double choose(work *w, const svf_solver *solver, double *machine) {
  const svf_squares_problem *problem = w->problem;
  double best = 0, C = problem->C[0];
  for (size_t i = 0; i < problem->C_count && !svf_solver_stopped(solver); i++) {
    double error = problem->held_out ? judge(w, problem->C[i], machine) : try_C(w, problem->C[i], NULL);
    if (i == 0 || error < best) best = error, C = problem->C[i];
  }
  return C;
}

bool svf_least_squares(const svf_squares_problem *problem, const svf_solver *solver, svf_squares *result) {
  svf_arena *arena = solver->arena;
  size_t targets = problem->targets, held = problem->held_out;
  *result = (svf_squares){.w = SVF_TAKE(arena, double, targets * problem->rows.ld),
                          .bias = SVF_TAKE(arena, double, targets),
                          .left_out = SVF_TAKE(arena, double, targets * problem->rows.n)};
  svf_mark mark = svf_arena_mark(arena);
  work w;
  bool fine = !svf_arena_failed(arena) && begin(&w, problem, solver, problem->rows.n - held);
  if (fine) result->C = choose(&w, solver, result->w);
  if (fine && held) {
    svf_arena_release(arena, mark);
    fine = begin(&w, problem, solver, problem->rows.n);
  }
  if (fine) {
    result->error = try_C(&w, result->C, result->left_out);
    for (size_t q = 0; q < targets; q++)
      write_machine(&w, result->C, q, result->w + q * problem->rows.ld, &result->bias[q]);
  }
  svf_arena_release(arena, mark);
  if (!fine) arena->failed = true;
  return fine;
}
