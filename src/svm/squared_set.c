/* squared_set.c - active sets of squared.h and what is kept of them: H and b, whole or by fold. */
#include "svm/squared.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t groups(const svf_form *form) { return form->fold ? form->folds : 1; }
static size_t group_of(const svf_form *form, size_t row) { return form->fold ? (size_t)form->fold[row] : 0; }

void svf_start_open(svf_start *start, const svf_form *form, svf_arena *arena) {
  *start = (svf_start){0};
  if (form->dual) return;
  start->h = SVF_TAKE(arena, double, groups(form) * form->rows->ld * form->rows->ld);
  start->b = SVF_TAKE(arena, double, groups(form) * form->rows->ld);
}

void svf_active_open(svf_active *fit, const svf_form *form, const svf_binary *problem, const float *sign,
                     svf_arena *arena) {
  *fit = (svf_active){.problem = problem, .sign = sign};
  fit->cost = SVF_ZERO(arena, float, form->padded);
  fit->w = SVF_ZERO(arena, double, form->rows->ld);
  fit->next_w = SVF_ZERO(arena, double, form->rows->ld);
  fit->w32 = SVF_ZERO(arena, float, form->rows->p);
  fit->s = SVF_ZERO(arena, float, form->padded);
  fit->next_s = SVF_ZERO(arena, float, form->padded);
  fit->last = SVF_ZERO(arena, float, form->padded);
  fit->on = SVF_ZERO(arena, int32_t, form->padded);
  fit->exact = SVF_ZERO(arena, double, svf_padded(form->rows->n));
  fit->next_exact = SVF_ZERO(arena, double, svf_padded(form->rows->n));
  if (form->dual) return;
  fit->h = SVF_TAKE(arena, double, form->rows->ld * form->rows->ld);
  fit->b = SVF_TAKE(arena, double, form->rows->ld);
  fit->factor = SVF_TAKE(arena, double, form->rows->ld * form->rows->ld);
  fit->kept = SVF_ZERO(arena, int32_t, form->padded);
}

/* H += sum weight x x', b += sum weight y x over the rows listed. */
static void add(const svf_form *form, size_t count, double *h, double *b) {
  const svf_rows *rows = form->rows;
  form->la->rank(rows->p, rows->ld, count, form->row, form->weight, h);
  for (size_t q = 0; q < count; q++)
    form->la->axpy(rows->ld, form->weight[q] * form->listed_sign[q], form->row[q], b);
}

/* Lists row i with a weight as number q. */
static void list(const svf_form *form, const svf_active *fit, size_t q, size_t i, double weight) {
  form->row[q] = form->rows->x + i * form->rows->ld;
  form->weight[q] = weight;
  form->listed_sign[q] = fit->problem->sign[i];
}

/* The whole set's H and b: the sum over folds. */
static void sum_folds(svf_active *fit, const svf_form *form, const svf_start *start, int32_t without) {
  size_t square = form->rows->ld * form->rows->ld;
  memset(fit->h, 0, square * sizeof(double));
  memset(fit->b, 0, form->rows->ld * sizeof(double));
  for (size_t f = 0; f < groups(form); f++) {
    if ((int32_t)f == without) continue;
    form->la->axpy(square, 1, start->h + f * square, fit->h);
    form->la->axpy(form->rows->ld, 1, start->b + f * form->rows->ld, fit->b);
  }
}

void svf_active_whole(svf_active *fit, const svf_form *form, svf_start *start) {
  size_t n = form->rows->n, square = form->rows->ld * form->rows->ld;
  fit->scale = 0;
  for (size_t i = 0; i < n; i++) fit->scale = fmax(fit->scale, fit->problem->cost[i]);
  for (size_t i = 0; i < n; i++) {
    bool there = fit->problem->cost[i] > 0;
    fit->cost[i] = there ? fmaxf((float)(fit->problem->cost[i] / fit->scale), FLT_MIN) : 0;
    fit->on[i] = there ? -1 : 0;
  }
  if (form->dual) return;
  memcpy(start->h, form->total, groups(form) * square * sizeof(double));
  memset(start->b, 0, groups(form) * form->rows->ld * sizeof(double));
  for (size_t f = 0; f < groups(form); f++) { /* only rows whose cost differs from the shared one pay for H again */
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
      double cost = fit->problem->cost[i], base = form->base ? form->base[i] : 1;
      if (group_of(form, i) != f) continue;
      form->la->axpy(form->rows->ld, cost * fit->problem->sign[i], form->rows->x + i * form->rows->ld,
                     start->b + f * form->rows->ld);
      if (cost == base) continue;
      form->row[count] = form->rows->x + i * form->rows->ld;
      form->weight[count++] = cost - base;
    }
    form->la->rank(form->rows->p, form->rows->ld, count, form->row, form->weight, start->h + f * square);
  }
  memcpy(fit->kept, fit->on, form->padded * sizeof *fit->on);
  fit->start = start;
  sum_folds(fit, form, start, -1);
}

void svf_active_part(svf_active *fit, const svf_form *form, const svf_active *whole, const svf_start *start,
                     int32_t part) {
  fit->scale = whole->scale;
  for (size_t i = 0; i < form->rows->n; i++) {
    bool there = form->fold[i] != part;
    fit->cost[i] = there ? whole->cost[i] : 0;
    fit->on[i] = there ? whole->on[i] : 0;
  }
  if (form->dual) return;
  memcpy(fit->kept, fit->on, form->padded * sizeof *fit->on);
  fit->factor_C = 0;
  sum_folds(fit, form, start, part);
}

/* All active rows, from nothing: cheaper than an update where most rows leave. */
static void rebuild(svf_active *fit, const svf_form *form, size_t group, double *h, double *b) {
  size_t count = 0;
  memset(h, 0, form->rows->ld * form->rows->ld * sizeof(double));
  memset(b, 0, form->rows->ld * sizeof(double));
  for (size_t i = 0; i < form->rows->n; i++)
    if (fit->on[i] && (!fit->start || group_of(form, i) == group)) list(form, fit, count++, i, fit->problem->cost[i]);
  add(form, count, h, b);
}

/* The changed rows of one group (of all, where H is not kept by fold). */
static void change(svf_active *fit, const svf_form *form, size_t changed, size_t group, double *h, double *b) {
  size_t count = 0, on = 0;
  for (size_t i = 0; i < form->rows->n; i++) on += fit->on[i] && (!fit->start || group_of(form, i) == group);
  for (size_t q = 0; q < changed; q++) {
    size_t i = form->changed[q];
    if (fit->start && group_of(form, i) != group) continue;
    list(form, fit, count++, i, fit->on[i] ? fit->problem->cost[i] : -fit->problem->cost[i]);
  }
  if (count > on) rebuild(fit, form, group, h, b);
  else add(form, count, h, b);
}

void svf_active_settle(svf_active *fit, const svf_form *form) {
  if (form->dual) return;
  size_t count = form->la->differ(form->padded, fit->kept, fit->on, form->changed);
  if (count == 0) return;
  memcpy(fit->kept, fit->on, form->padded * sizeof *fit->on);
  fit->factor_C = 0;
  if (!fit->start) {
    change(fit, form, count, 0, fit->h, fit->b);
    return;
  }
  for (size_t f = 0; f < groups(form); f++)
    change(fit, form, count, f, fit->start->h + f * form->rows->ld * form->rows->ld,
           fit->start->b + f * form->rows->ld);
  sum_folds(fit, form, fit->start, -1);
}
