/* squared.c - the Newton iteration of squared.h, the same for both forms, for several fits side by side. */
#include "svm/squared.h"

#include <math.h>
#include <string.h>

/* Scores in single precision make P noisy in its seventh digit: a rise within that is none. They tell active rows from
 * others as long as the slack of a support vector, about 1 / (2 C c |x|^2), is well above that: C c |x|^2 up to COARSE. A
 * fit beyond it, or one that is not solved after PATIENCE steps, has its scores in double; there every rise counts, so
 * that no cycle can last. */
#define NOISE  1e-5
#define COARSE 2e4
enum { PATIENCE = 8 };

/* The cost of a row in this part. */
static double cost_of(const svf_active *fit, size_t i) { return fit->cost[i] > 0 ? fit->problem->cost[i] : 0; }

/* The derivative of P at w + t (v - w), from scores alone: a + t b for the norm, a sum over rows for the loss. */
typedef struct line {
  double a, b;
} line;

static double slope(const svf_active *fit, size_t n, double C, line norm, double t) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double s = fit->precise ? fit->exact[i] : fit->s[i];
    double step = (fit->precise ? fit->next_exact[i] : fit->next_s[i]) - s;
    double slack = 1 - fit->sign[i] * (s + t * step);
    if (slack > 0) sum += cost_of(fit, i) * fit->sign[i] * step * slack;
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
  for (int i = 0; i < 50; i++) {
    double middle = .5 * (low + high);
    if (slope(fit, form->rows->n, C, norm, middle) > 0) high = middle;
    else low = middle;
  }
  return .5 * (low + high);
}

/* The loss of the Newton point by scores in double, and the rows that change their state there. */
static size_t look_precisely(svf_active *fit, const svf_form *form, double *loss) {
  size_t count = 0;
  *loss = 0;
  for (size_t i = 0; i < form->rows->n; i++) {
    double slack = 1 - fit->sign[i] * fit->next_exact[i], cost = cost_of(fit, i);
    int32_t on = cost > 0 && slack > 0 ? -1 : 0;
    if (on) *loss += cost * slack * slack;
    if (on != fit->on[i]) form->changed[count++] = (uint32_t)i;
    fit->on[i] = on;
  }
  return count;
}

/* The active set at the Newton point; returns how many rows changed and gives P. */
static size_t look(svf_active *fit, const svf_form *form, double C, double *P) {
  double loss;
  size_t count;
  if (fit->precise) {
    count = look_precisely(fit, form, &loss);
  } else {
    count = form->la->activity(form->padded, fit->next_s, fit->sign, fit->cost, fit->on, form->changed, &loss);
    loss *= fit->scale;
  }
  *P = .5 * form->la->dot(form->rows->ld, fit->next_w, fit->next_w) + C * loss;
  return count;
}

static void shorten(svf_active *fit, const svf_form *form, double t) {
  for (size_t j = 0; j < form->rows->ld; j++) fit->next_w[j] = fit->w[j] + t * (fit->next_w[j] - fit->w[j]);
  for (size_t i = 0; i < form->rows->n; i++) {
    fit->next_exact[i] = fit->exact[i] + t * (fit->next_exact[i] - fit->exact[i]);
    fit->next_s[i] = (float)(fit->s[i] + t * ((double)fit->next_s[i] - fit->s[i]));
  }
}

/* Half the squared gradient from all rows, by scores in double. */
static double whole_gap(const svf_active *fit, const svf_form *form, double C) {
  const svf_rows *rows = form->rows;
  double *g = form->vector;
  size_t count = 0;
  memcpy(g, fit->w, rows->ld * sizeof(double));
  for (size_t i = 0; i < rows->n; i++) {
    if (!fit->on[i]) continue;
    form->row[count] = rows->x + i * rows->ld;
    form->weight[count++] = -2 * C * cost_of(fit, i) * (fit->problem->sign[i] - fit->exact[i]);
  }
  form->la->combine(rows->ld, count, form->row, form->weight, g);
  return .5 * form->la->dot(rows->ld, g, g);
}

static void move(svf_active *fit) {
  double *w = fit->w, *exact = fit->exact;
  float *s = fit->s;
  fit->w = fit->next_w, fit->next_w = w;
  fit->s = fit->next_s, fit->next_s = s;
  fit->exact = fit->next_exact, fit->next_exact = exact;
}

/* Moves to the Newton point, or short of it where P would rise, and closes the fit where the gap is small enough. The
 * first step is always whole: the set at hand may come from another C. */
static void step(svf_active *fit, const svf_form *form, double C, const svf_solver *solver) {
  double P;
  size_t count = look(fit, form, C, &P);
  bool whole = !(P > fit->fit.objective * (1 + (fit->precise ? 0 : NOISE)));
  if (!whole) {
    for (size_t q = 0; q < count; q++) fit->on[form->changed[q]] = ~fit->on[form->changed[q]];
    shorten(fit, form, line_search(fit, form, C));
    count = look(fit, form, C, &P);
  }
  move(fit);
  fit->fit.steps++;
  fit->fit.objective = P;
  if (fit->precise) fit->fit.gap = whole_gap(fit, form, C) / P;
  else if (whole) fit->fit.gap = svf_active_gap(fit, form, C, count) / P;
  bool solved = (whole || fit->precise) && (P == 0 || fit->fit.gap <= .9 * solver->tolerance);
  fit->open = !solved && fit->fit.steps < solver->max_steps;
}

/* Scores of the Newton point in double. A fit that turns precise begins anew: its P and scores so far are coarse. */
static void score_precisely(svf_active *fit, const svf_form *form) {
  const svf_rows *rows = form->rows;
  form->la->product(rows->n, rows->ld, rows->x, fit->next_w, fit->next_exact);
  for (size_t i = 0; i < rows->n; i++) fit->next_s[i] = (float)fit->next_exact[i];
  if (!fit->precise) fit->fit.objective = INFINITY;
  fit->precise = true;
}

static void score(svf_active *const *open, size_t count, const svf_form *form) {
  const float *w[SVF_COLUMNS];
  float *s[SVF_COLUMNS];
  size_t coarse = 0;
  for (size_t q = 0; q < count; q++) {
    if (open[q]->precise || open[q]->fit.steps >= PATIENCE) {
      score_precisely(open[q], form);
      continue;
    }
    w[coarse] = open[q]->w32;
    s[coarse++] = open[q]->next_s;
  }
  if (coarse) form->la->scores(form->padded / SVF_PANEL, form->rows->p, form->panels, coarse, w, s);
}

void svf_active_solve(svf_active *const *fits, size_t count, const svf_form *form, double C,
                      const svf_solver *solver) {
  for (size_t q = 0; q < count; q++) {
    fits[q]->fit = (svf_fit){.objective = INFINITY, .gap = INFINITY};
    fits[q]->open = true;
    fits[q]->precise = fits[q]->precise || !(C * fits[q]->scale * form->longest < COARSE);
  }
  while (!(solver->stop && atomic_load(solver->stop))) {
    svf_active *open[SVF_COLUMNS];
    size_t left = 0;
    for (size_t q = 0; q < count; q++) {
      svf_active *fit = fits[q];
      if (!fit->open || !(fit->open = svf_active_newton(fit, form, C))) continue;
      open[left++] = fit;
    }
    if (left == 0) return;
    score(open, left, form);
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

bool svf_squared_certify(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver,
                         const double *w, svf_fit *fit) {
  const svf_la *la = solver->la;
  svf_mark mark = svf_arena_mark(solver->arena);
  double *g = SVF_TAKE(solver->arena, double, rows->ld), *s = SVF_TAKE(solver->arena, double, rows->n);
  const double **row = SVF_TAKE(solver->arena, const double *, rows->n);
  bool fine = !svf_arena_failed(solver->arena);
  if (fine) {
    size_t count = 0;
    double P = .5 * la->dot(rows->ld, w, w);
    la->product(rows->n, rows->ld, rows->x, w, s);
    for (size_t i = 0; i < rows->n; i++) {
      double slack = 1 - problem->sign[i] * s[i];
      if (!(slack > 0) || problem->cost[i] == 0) continue;
      P += C * problem->cost[i] * slack * slack;
      row[count] = rows->x + i * rows->ld;
      s[count++] = -2 * C * problem->cost[i] * slack * problem->sign[i];
    }
    memcpy(g, w, rows->ld * sizeof(double));
    la->combine(rows->ld, count, row, s, g);
    fit->objective = P;
    fit->gap = P > 0 ? .5 * la->dot(rows->ld, g, g) / P : 0;
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}

bool svf_squared_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                     svf_fit *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_form form;
  svf_start start;
  svf_active active, *fits[] = {&active};
  svf_form_open(&form, rows, NULL, 0, problem->cost, solver);
  svf_start_open(&start, &form, solver->arena);
  float *sign = SVF_TAKE(solver->arena, float, form.padded);
  svf_active_open(&active, &form, problem, sign, solver->arena);
  bool fine = !svf_arena_failed(solver->arena);
  if (fine) {
    for (size_t i = 0; i < form.padded; i++) sign[i] = i < rows->n ? (float)problem->sign[i] : 1;
    svf_active_whole(&active, &form, &start);
    svf_active_solve(fits, 1, &form, C, solver);
    *fit = active.fit;
    fine = svf_squared_certify(rows, problem, C, solver, active.w, fit);
    if (fine && fit->gap > solver->tolerance && !active.precise) { /* single precision was not enough after all */
      active.precise = true;
      svf_active_solve(fits, 1, &form, C, solver);
      fine = svf_squared_certify(rows, problem, C, solver, active.w, fit);
    }
    memcpy(w, active.w, rows->ld * sizeof(double));
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}
