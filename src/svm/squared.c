/* squared.c - the Newton iteration of squared.h, the same for both forms, for several fits side by side. */
#include "svm/squared.h"

#include <math.h>
#include <string.h>

/* Scores in single precision make P noisy in its seventh digit: a rise within that is none. A fit that is not solved
 * after PRECISE steps (a large C, large weights) gets its scores in double; after PATIENCE steps every rise counts,
 * so that no cycle can last. */
#define NOISE 1e-5
enum { PATIENCE = 20, PRECISE = 6 };

/* The derivative of P at w + t (v - w), from scores alone: a + t b for the norm, a sum over rows for the
 * loss. */
typedef struct line {
  double a, b;
} line;

static double slope(const svf_active *fit, size_t n, double C, line norm, double t) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double step = (double)fit->next_s[i] - fit->s[i];
    double slack = 1 - fit->sign[i] * (fit->s[i] + t * step);
    if (slack > 0) sum += fit->cost[i] * fit->sign[i] * step * slack;
  }
  return norm.a + t * norm.b - 2 * C * sum;
}

/* Exact minimiser of the convex P on the segment from w to the Newton point, by bisection of its slope. */
static double line_search(const svf_active *fit, const svf_form *form, double C) {
  size_t ld = form->rows->ld;
  double ww = form->la->dot(ld, fit->w, fit->w), wv = form->la->dot(ld, fit->w, fit->next_w);
  double vv = form->la->dot(ld, fit->next_w, fit->next_w);
  line norm = {wv - ww, ww - 2 * wv + vv};
  double low = 0, high = 1;
  for (int i = 0; i < 40; i++) {
    double middle = .5 * (low + high);
    if (slope(fit, form->rows->n, C, norm, middle) > 0) high = middle;
    else low = middle;
  }
  return .5 * (low + high);
}

/* The active set at these scores; returns how many rows changed and gives P. */
static size_t look(svf_active *fit, const svf_form *form, double C, const double *w, const float *s, double *P) {
  double loss;
  size_t count = form->la->activity(form->padded, s, fit->sign, fit->cost, fit->on, form->changed, &loss);
  *P = .5 * form->la->dot(form->rows->ld, w, w) + C * loss;
  return count;
}

static void shorten(svf_active *fit, const svf_form *form, double t) {
  for (size_t j = 0; j < form->rows->ld; j++) fit->next_w[j] = fit->w[j] + t * (fit->next_w[j] - fit->w[j]);
  for (size_t i = 0; i < form->padded; i++)
    fit->next_s[i] = (float)(fit->s[i] + t * ((double)fit->next_s[i] - fit->s[i]));
}

/* Moves to the Newton point (or short of it, where P would rise), brings the set up to date, and closes the
 * fit where the gap is small enough. The first step is always whole: the set at hand may come from another C.
 */
static void step(svf_active *fit, const svf_form *form, double C, const svf_solver *solver) {
  double P, noise = fit->fit.steps < PATIENCE ? NOISE : 0;
  size_t count = look(fit, form, C, fit->next_w, fit->next_s, &P);
  bool whole = !(P > fit->fit.objective * (1 + noise));
  if (!whole) {
    for (size_t q = 0; q < count; q++) fit->on[form->changed[q]] = ~fit->on[form->changed[q]];
    shorten(fit, form, line_search(fit, form, C));
    count = look(fit, form, C, fit->next_w, fit->next_s, &P);
  }
  double *w = fit->w;
  float *s = fit->s;
  fit->w = fit->next_w, fit->next_w = w;
  fit->s = fit->next_s, fit->next_s = s;
  fit->fit.steps++;
  fit->fit.objective = P;
  if (whole) fit->fit.gap = P > 0 ? svf_active_gap(fit, form, C, count) / P : 0;
  fit->open = !(whole && fit->fit.gap <= .9 * solver->tolerance) && fit->fit.steps < solver->max_steps;
}

static void score_precisely(svf_active *fit, const svf_form *form) {
  const svf_rows *rows = form->rows;
  form->la->product(rows->n, rows->ld, rows->x, fit->next_w, form->weight);
  for (size_t i = 0; i < rows->n; i++) fit->next_s[i] = (float)form->weight[i];
}

void svf_active_solve(svf_active *const *fits, size_t count, const svf_form *form, double C,
                      const svf_solver *solver) {
  for (size_t q = 0; q < count; q++) {
    fits[q]->fit = (svf_fit){.objective = INFINITY, .gap = INFINITY};
    fits[q]->open = true;
  }
  for (;;) {
    svf_active *open[SVF_COLUMNS];
    const float *w[SVF_COLUMNS];
    float *s[SVF_COLUMNS];
    size_t left = 0;
    for (size_t q = 0; q < count; q++) {
      svf_active *fit = fits[q];
      if (!fit->open || !(fit->open = svf_active_newton(fit, form, C))) continue;
      open[left] = fit;
      w[left] = fit->w32;
      s[left++] = fit->next_s;
    }
    if (left == 0 || (solver->stop && atomic_load(solver->stop))) return;
    form->la->scores(form->padded / SVF_PANEL, form->rows->p, form->panels, left, w, s);
    for (size_t q = 0; q < left; q++)
      if (open[q]->fit.steps >= PRECISE) score_precisely(open[q], form);
    for (size_t q = 0; q < left; q++) step(open[q], form, C, solver);
  }
}

void svf_active_advance(svf_active *fit, const svf_form *form, bool first) {
  const float further = .65f;
  double loss;
  float *guess = fit->next_s;
  if (!first) {
    for (size_t i = 0; i < form->padded; i++) guess[i] = fit->s[i] + further * (fit->s[i] - fit->last[i]);
    form->la->activity(form->padded, guess, fit->sign, fit->cost, fit->on, form->changed, &loss);
  }
  memcpy(fit->last, fit->s, form->padded * sizeof *fit->s);
}

/* P from the rows themselves, in double. */
static double exact_objective(const svf_rows *rows, const svf_binary *problem, double C, const svf_la *la,
                              const double *w) {
  double P = .5 * la->dot(rows->ld, w, w);
  for (size_t i = 0; i < rows->n; i++) {
    double slack = 1 - problem->sign[i] * la->dot(rows->ld, w, rows->x + i * rows->ld);
    if (slack > 0) P += C * problem->cost[i] * slack * slack;
  }
  return P;
}

bool svf_squared_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                     svf_fit *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_form form;
  svf_start start;
  svf_active active;
  svf_form_open(&form, rows, NULL, 0, problem->cost, solver);
  svf_start_open(&start, &form, solver->arena);
  float *sign = SVF_TAKE(solver->arena, float, form.padded);
  svf_active_open(&active, &form, problem, sign, solver->arena);
  bool fine = !svf_arena_failed(solver->arena);
  if (fine) {
    for (size_t i = 0; i < form.padded; i++) sign[i] = i < rows->n ? (float)problem->sign[i] : 1;
    svf_active_whole(&active, &form, &start);
    svf_active *fits[] = {&active};
    svf_active_solve(fits, 1, &form, C, solver);
    memcpy(w, active.w, rows->ld * sizeof(double));
    *fit = active.fit;
    fit->objective = exact_objective(rows, problem, C, solver->la, active.w);
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}
