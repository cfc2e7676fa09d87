/* squared_form.c - the algebra of squared.h: p x p (primal) and n x n (dual). */
#include "svm/squared.h"

#include <math.h>
#include <string.h>

/* Fewer features than this: a new factor costs no more than a correction. */
enum { CORRECT_FROM = 96 };

static void fill_panels(float *panels, const svf_rows *rows) {
  for (size_t i = 0; i < rows->n; i++) {
    float *to = panels + i / SVF_PANEL * SVF_PANEL * rows->p + i % SVF_PANEL;
    const double *from = rows->x + i * rows->ld;
    for (size_t j = 0; j < rows->p; j++) to[j * SVF_PANEL] = (float)from[j];
  }
}

/* K = XX' as a sum of outer products of the columns of X, `columns` = its transpose. */
static void make_gram(svf_form *form, double *columns) {
  const svf_rows *rows = form->rows;
  size_t n = rows->n, ld = form->gram_ld;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < rows->p; j++) columns[j * ld + i] = rows->x[i * rows->ld + j];
  for (size_t j = 0; j < rows->p; j++) form->row[j] = columns + j * ld, form->weight[j] = 1;
  form->la->rank(n, ld, rows->p, form->row, form->weight, form->gram);
}

/* Which algebra is cheaper: a p x p factor, or one of the active rows, of which the parts have folds-1 in
 * folds. */
static bool prefer_dual(size_t n, size_t p, size_t folds) {
  double part = folds > 1 ? (double)n * (double)(folds - 1) / (double)folds : (double)n;
  return (double)p > .8 * part;
}

static void make_totals(svf_form *form) {
  const svf_rows *rows = form->rows;
  size_t square = rows->ld * rows->ld;
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

void svf_form_open(svf_form *form, const svf_rows *rows, const int32_t *fold, size_t folds, const double *base,
                   const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t n = rows->n, ld = rows->ld, longest = n > rows->p ? n : rows->p;
  *form = (svf_form){.rows = rows, .la = solver->la, .fold = fold, .folds = folds, .base = base};
  form->dual = prefer_dual(n, rows->p, fold ? folds : 0);
  form->gram_ld = svf_padded(n);
  for (size_t i = 0; i < n; i++)
    form->longest = fmax(form->longest, solver->la->dot(ld, rows->x + i * ld, rows->x + i * ld));
  form->padded = (n + SVF_PANEL - 1) / SVF_PANEL * SVF_PANEL;
  form->panels = SVF_ZERO(arena, float, form->padded * rows->p);
  size_t side = form->dual ? form->gram_ld : ld, square = side * side, groups = fold ? folds : 1;
  if (form->dual) form->gram = SVF_ZERO(arena, double, square);
  else form->total = SVF_ZERO(arena, double, groups *square);
  if (form->dual) form->matrix = SVF_TAKE(arena, double, square);
  else form->border = SVF_TAKE(arena, double, SVF_BORDER *ld);
  form->vector = SVF_ZERO(arena, double, side > ld ? side : ld);
  form->weight = SVF_TAKE(arena, double, longest);
  form->listed_sign = SVF_TAKE(arena, double, n);
  form->row = SVF_TAKE(arena, const double *, longest);
  form->changed = SVF_TAKE(arena, uint32_t, form->padded + 1);
  svf_mark mark = svf_arena_mark(arena);
  double *columns = form->dual ? SVF_ZERO(arena, double, rows->p *side) : NULL;
  if (svf_arena_failed(arena)) return;
  if (form->dual) make_gram(form, columns);
  else make_totals(form);
  svf_arena_release(arena, mark);
  fill_panels(form->panels, rows);
}

static bool factor(svf_active *fit, const svf_form *form, double C) {
  size_t p = form->rows->p, ld = form->rows->ld;
  svf_active_settle(fit, form);
  for (size_t i = 0; i < p; i++) {
    const double *h = fit->h + i * ld;
    double *m = fit->factor + i * ld;
    for (size_t j = i & ~(size_t)(SVF_LANES - 1); j < ld; j++) m[j] = 2 * C * h[j];
    m[i] += 1;
  }
  for (size_t i = p; i < ld; i++) memset(fit->factor + i * ld, 0, ld * sizeof(double));
  bool fine = form->la->cholesky(p, ld, fit->factor);
  fit->factor_C = fine ? C : 0;
  return fine;
}

/* Solves the small system S z = t in place by elimination with row exchanges; S is symmetric, not definite. */
static bool eliminate(size_t n, double s[SVF_BORDER][SVF_BORDER], double *t) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(s[i][k]) > fabs(s[best][k])) best = i;
    if (s[best][k] == 0) return false;
    for (size_t j = 0; j < n && best != k; j++) {
      double swap = s[k][j];
      s[k][j] = s[best][j], s[best][j] = swap;
    }
    double swap = t[k];
    t[k] = t[best], t[best] = swap;
    for (size_t i = k + 1; i < n; i++) {
      double f = s[i][k] / s[k][k];
      for (size_t j = k; j < n; j++) s[i][j] -= f * s[k][j];
      t[i] -= f * t[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) t[k] -= s[k][j] * t[j];
    t[k] /= s[k][k];
  }
  return true;
}

/* The low-rank correction for rows changed[0..count). */
static bool correct(svf_active *fit, const svf_form *form, double C, size_t count) {
  const svf_la *la = form->la;
  size_t p = form->rows->p, ld = form->rows->ld;
  double *v[SVF_BORDER + 1], s[SVF_BORDER][SVF_BORDER], t[SVF_BORDER], *y = fit->next_w;
  for (size_t q = 0; q < count; q++) {
    v[q] = form->border + q * ld;
    memcpy(v[q], form->rows->x + form->changed[q] * ld, ld * sizeof(double));
  }
  v[count] = y;
  for (size_t j = 0; j < ld; j++) y[j] = 2 * C * fit->b[j];
  for (size_t q = 0; q < count; q++) {
    size_t i = form->changed[q];
    double cost = fit->on[i] ? fit->problem->cost[i] : -fit->problem->cost[i];
    la->axpy(ld, 2 * C * cost * fit->problem->sign[i], v[q], y);
  }
  la->forward(p, ld, fit->factor, count + 1, v);
  for (size_t q = 0; q < count; q++) {
    size_t i = form->changed[q];
    for (size_t r = 0; r <= q; r++) s[q][r] = s[r][q] = la->dot(ld, v[q], v[r]);
    s[q][q] += (fit->on[i] ? 1 : -1) / (2 * C * fit->problem->cost[i]);
    t[q] = la->dot(ld, v[q], y);
  }
  if (!eliminate(count, s, t)) return false;
  for (size_t q = 0; q < count; q++) la->axpy(ld, -t[q], v[q], y);
  la->backward(p, ld, fit->factor, y);
  return true;
}

static bool newton_primal(svf_active *fit, const svf_form *form, double C) {
  size_t p = form->rows->p, ld = form->rows->ld;
  if (p >= CORRECT_FROM && fit->factor_C == C) {
    size_t count = form->la->differ(form->padded, fit->kept, fit->on, form->changed);
    if (count <= SVF_BORDER && correct(fit, form, C, count)) return true;
  }
  if (!factor(fit, form, C)) return false;
  for (size_t j = 0; j < ld; j++) fit->next_w[j] = 2 * C * fit->b[j];
  form->la->solve(p, ld, fit->factor, fit->next_w);
  return true;
}

static bool newton_dual(svf_active *fit, const svf_form *form, double C) {
  size_t n = form->rows->n, ld = form->rows->ld, count = 0;
  uint32_t *on = form->changed;
  for (size_t i = 0; i < n; i++)
    if (fit->on[i]) on[count++] = (uint32_t)i;
  size_t wide = svf_padded(count);
  double *beta = form->vector;
  for (size_t a = 0; a < count; a++) {
    const double *k = form->gram + on[a] * form->gram_ld;
    double *m = form->matrix + a * wide;
    for (size_t b = a; b < count; b++) m[b] = k[on[b]];
    for (size_t b = count; b < wide; b++) m[b] = 0;
    m[a] += 1 / (2 * C * fit->problem->cost[on[a]]);
    beta[a] = fit->problem->sign[on[a]];
    form->row[a] = form->rows->x + on[a] * ld;
  }
  memset(form->matrix + count * wide, 0, (wide - count) * wide * sizeof(double));
  for (size_t a = count; a < wide; a++) beta[a] = 0;
  if (!form->la->cholesky(count, wide, form->matrix)) return false;
  form->la->solve(count, wide, form->matrix, beta);
  memset(fit->next_w, 0, ld * sizeof(double));
  form->la->combine(ld, count, form->row, beta, fit->next_w);
  return true;
}

bool svf_active_newton(svf_active *fit, const svf_form *form, double C) {
  if (!(form->dual ? newton_dual(fit, form, C) : newton_primal(fit, form, C))) return false;
  for (size_t j = 0; j < form->rows->p; j++) fit->w32[j] = (float)fit->next_w[j];
  return true;
}

double svf_active_gap(const svf_active *fit, const svf_form *form, double C, size_t count) {
  const svf_rows *rows = form->rows;
  double *g = form->vector;
  for (size_t q = 0; q < count; q++) {
    size_t i = form->changed[q];
    double pull = 2 * C * fit->problem->cost[i] * (fit->problem->sign[i] - fit->s[i]);
    form->weight[q] = fit->on[i] ? -pull : pull;
    form->row[q] = rows->x + i * rows->ld;
  }
  memset(g, 0, rows->ld * sizeof(double));
  form->la->combine(rows->ld, count, form->row, form->weight, g);
  return .5 * form->la->dot(rows->ld, g, g);
}
