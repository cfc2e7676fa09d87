/* squared_form.c - the algebra of squared.h: p x p (primal) and n x n (dual). */
#include "svm/squared.h"

#include <string.h>

/* Rows of `width` numbers into panels of single precision. */
static void fill_panels(float *panels, const double *x, size_t n, size_t ld, size_t width) {
  for (size_t i = 0; i < n; i++) {
    float *to = panels + i / SVF_PANEL * SVF_PANEL * width + i % SVF_PANEL;
    const double *from = x + i * ld;
    for (size_t j = 0; j < width; j++) to[j * SVF_PANEL] = (float)from[j];
  }
}

static void make_gram(svf_form *form) {
  const svf_rows *rows = form->rows;
  for (size_t i = 0; i < rows->n; i++)
    form->la->product(rows->n, rows->ld, rows->x, rows->x + i * rows->ld, form->gram + i * form->size);
}

static void make_totals(svf_form *form) {
  const svf_rows *rows = form->rows;
  size_t square = form->size * form->size;
  for (size_t f = 0; f < (form->fold ? form->folds : 1); f++) {
    size_t count = 0;
    for (size_t i = 0; i < rows->n; i++) {
      if (form->fold && form->fold[i] != (int32_t)f) continue;
      form->row[count] = rows->x + i * rows->ld;
      form->weight[count++] = form->base ? form->base[i] : 1;
    }
    form->la->rank(rows->p, rows->ld, count, form->row, form->weight, form->total + f * square);
  }
}

void svf_form_open(svf_form *form, const svf_rows *rows, const int32_t *fold, size_t folds,
                   const double *base, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t n = rows->n;
  *form = (svf_form){
      .rows = rows, .la = solver->la, .dual = rows->p > n, .fold = fold, .folds = folds, .base = base};
  form->size = form->dual ? svf_padded(n) : rows->ld;
  form->width = form->dual ? n : rows->p;
  form->padded = (n + SVF_PANEL - 1) / SVF_PANEL * SVF_PANEL;
  form->panels = SVF_ZERO(arena, float, form->padded * form->width);
  size_t square = form->size * form->size;
  if (form->dual)
    form->gram = SVF_ZERO(arena, double, square);
  else
    form->total = SVF_ZERO(arena, double, square *(fold ? folds : 1));
  form->matrix = SVF_TAKE(arena, double, square);
  form->vector = SVF_ZERO(arena, double, form->size);
  form->weight = SVF_TAKE(arena, double, n);
  form->listed_sign = SVF_TAKE(arena, double, n);
  form->row = SVF_TAKE(arena, const double *, n);
  form->changed = SVF_TAKE(arena, uint32_t, form->padded + 1);
  if (svf_arena_failed(arena)) return;
  if (form->dual)
    make_gram(form);
  else
    make_totals(form);
  if (form->dual)
    fill_panels(form->panels, form->gram, n, form->size, n);
  else
    fill_panels(form->panels, rows->x, n, rows->ld, rows->p);
}

static bool newton_primal(svf_active *fit, const svf_form *form, double C) {
  size_t p = form->rows->p, ld = form->size;
  for (size_t i = 0; i < p; i++) {
    const double *h = fit->h + i * ld;
    double *m = form->matrix + i * ld;
    for (size_t j = i & ~(size_t)(SVF_LANES - 1); j < ld; j++) m[j] = 2 * C * h[j];
    m[i] += 1;
  }
  for (size_t i = p; i < ld; i++) memset(form->matrix + i * ld, 0, ld * sizeof(double));
  if (!form->la->cholesky(p, ld, form->matrix)) return false;
  for (size_t j = 0; j < ld; j++) fit->next_u[j] = 2 * C * fit->b[j];
  form->la->solve(p, ld, form->matrix, fit->next_u);
  return true;
}

static bool newton_dual(svf_active *fit, const svf_form *form, double C) {
  size_t n = form->rows->n, ld = form->size, count = 0;
  uint32_t *on = form->changed;
  for (size_t i = 0; i < n; i++)
    if (fit->on[i]) on[count++] = (uint32_t)i;
  size_t wide = svf_padded(count);
  double *right = form->vector;
  for (size_t a = 0; a < count; a++) {
    const double *k = form->gram + on[a] * ld;
    double *m = form->matrix + a * wide;
    for (size_t b = a & ~(size_t)(SVF_LANES - 1); b < count; b++) m[b] = k[on[b]];
    for (size_t b = count; b < wide; b++) m[b] = 0;
    m[a] += 1 / (2 * C * fit->problem->cost[on[a]]);
    right[a] = fit->problem->sign[on[a]];
  }
  memset(form->matrix + count * wide, 0, (wide - count) * wide * sizeof(double));
  for (size_t a = count; a < wide; a++) right[a] = 0;
  if (!form->la->cholesky(count, wide, form->matrix)) return false;
  form->la->solve(count, wide, form->matrix, right);
  memset(fit->next_u, 0, ld * sizeof(double));
  for (size_t a = 0; a < count; a++) fit->next_u[on[a]] = right[a];
  return true;
}

bool svf_active_newton(svf_active *fit, const svf_form *form, double C) {
  if (!(form->dual ? newton_dual(fit, form, C) : newton_primal(fit, form, C))) return false;
  for (size_t j = 0; j < form->width; j++) fit->u32[j] = (float)fit->next_u[j];
  return true;
}

/* 2 C c_i (y_i - s_i): what an active row contributes to w = sum of them times x_i at the solution. */
static double pull(const svf_active *fit, size_t i, double C) {
  return 2 * C * fit->problem->cost[i] * (fit->problem->sign[i] - fit->s[i]);
}

static double gap_primal(const svf_active *fit, const svf_form *form, double C, size_t count) {
  const svf_rows *rows = form->rows;
  double *g = form->vector;
  memset(g, 0, form->size * sizeof(double));
  for (size_t q = 0; q < count; q++) {
    size_t i = form->changed[q];
    form->la->axpy(rows->ld, fit->on[i] ? -pull(fit, i, C) : pull(fit, i, C), rows->x + i * rows->ld, g);
  }
  return .5 * form->la->dot(form->size, g, g);
}

static double gap_dual(const svf_active *fit, const svf_form *form, double C, size_t count) {
  double sum = 0;
  for (size_t q = 0; q < count; q++) {
    size_t i = form->changed[q];
    form->weight[q] = fit->on[i] ? -pull(fit, i, C) : fit->u[i];
  }
  for (size_t q = 0; q < count; q++) {
    const double *k = form->gram + form->changed[q] * form->size;
    double row = 0;
    for (size_t r = 0; r < count; r++) row += form->weight[r] * k[form->changed[r]];
    sum += form->weight[q] * row;
  }
  return sum > 0 ? .5 * sum : 0;
}

double svf_active_gap(const svf_active *fit, const svf_form *form, double C, size_t count) {
  return form->dual ? gap_dual(fit, form, C, count) : gap_primal(fit, form, C, count);
}

double svf_form_inner(const svf_form *form, const double *u, const double *v, const float *v_scores) {
  if (!form->dual) return form->la->dot(form->size, u, v);
  double sum = 0;
  for (size_t i = 0; i < form->rows->n; i++) sum += u[i] * v_scores[i];
  return sum;
}

void svf_form_weights(const svf_form *form, const double *u, double *w) {
  size_t ld = form->rows->ld;
  memset(w, 0, ld * sizeof(double));
  if (!form->dual) memcpy(w, u, ld * sizeof(double));
  for (size_t i = 0; form->dual && i < form->rows->n; i++)
    if (u[i] != 0) form->la->axpy(ld, u[i], form->rows->x + i * ld, w);
}
