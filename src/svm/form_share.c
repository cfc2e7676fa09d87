/* form_share.c - the matrices that the fits of a form share: totals of the folds, Gram matrix. */
#include "svm/form.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* Columns in a group of numbers that stand together, of H's rows and of its columns. */
enum { DOWN = 8, ACROSS = 16, LEAST_WIDE = 16 /* rows for which that is worth it */ };

void svf_wide_open(svf_wide_scratch *scratch, const svf_form *form, svf_arena *arena) {
  size_t ld = svf_padded(form->p);
  scratch->x = SVF_ZERO(arena, double, SVF_WIDEN *ld);
  scratch->scaled = form->p < SVF_SHORT ? NULL : SVF_ZERO(arena, double, SVF_WIDEN *(ld + ACROSS));
  scratch->row = SVF_TAKE(arena, const double *, SVF_WIDEN);
  scratch->weight = SVF_TAKE(arena, double, SVF_WIDEN);
}

/* Rows in groups of columns, as they are and times their weights. */
static void pack(const svf_form *form, const svf_wide_scratch *scratch, size_t count, const uint32_t *list,
                 const float *weight) {
  size_t ld = svf_padded(form->p);
  for (size_t q = 0; q < count; q++) {
    const float *from = form->x + list[q] * form->ld;
    double scale = weight[q];
    for (size_t j = 0; j < ld; j += DOWN) {
      double *x = scratch->x + (j * count + q * DOWN);
      double *scaled = scratch->scaled + (j / ACROSS * ACROSS * count + q * ACROSS + j % ACROSS);
      for (size_t c = 0; c < DOWN; c++) x[c] = from[j + c], scaled[c] = scale * from[j + c];
    }
  }
}

/* Long rows: H is larger than the near caches, so that each part of it should meet many rows at once; what it meets stands
 * together. */
static void add_wide(const svf_form *form, const svf_wide_scratch *scratch, size_t count, double *h) {
  size_t ld = svf_padded(form->p);
  for (size_t j = 0; j < ld; j += ACROSS)
    for (size_t i = 0; i < j + ACROSS && i < ld; i += DOWN)
      form->la->blocked->outer(DOWN, ld - j < ACROSS ? ld - j : ACROSS, count,
                               (svf_dense){scratch->x + i * count, DOWN},
                               (svf_dense){scratch->scaled + j * count, ACROSS}, (svf_dense){h + i * ld + j, ld});
}

void svf_wide_rank(const svf_form *form, const svf_wide_scratch *scratch, size_t count, const uint32_t *list,
                   const float *weight, double *h) {
  size_t ld = svf_padded(form->p);
  for (size_t q = 0; q < count; q += SVF_WIDEN) {
    size_t some = count - q < SVF_WIDEN ? count - q : SVF_WIDEN;
    if (scratch->scaled && some >= LEAST_WIDE) {
      pack(form, scratch, some, list + q, weight + q);
      add_wide(form, scratch, some, h);
      continue;
    }
    for (size_t i = 0; i < some; i++) {
      svf_form_fetch(form, list[q + i], scratch->x + i * ld);
      memset(scratch->x + i * ld + form->p, 0, (ld - form->p) * sizeof(double));
      scratch->row[i] = scratch->x + i * ld;
      scratch->weight[i] = weight[q + i];
    }
    form->la->rank(form->p, ld, some, scratch->row, scratch->weight, h);
  }
}

enum { LIST = 512 }; /* rows named at a time */

void svf_form_rank(const svf_form *form, size_t count, const uint32_t *list, const float *weight, float *h) {
  const float *row[LIST];
  for (size_t q = 0; q < count; q += LIST) {
    size_t some = count - q < LIST ? count - q : LIST;
    for (size_t i = 0; i < some; i++) row[i] = form->x + list[q + i] * form->ld;
    form->la->single->rank(form->p, form->ld, some, row, weight + q, h);
  }
}

/* The totals of every fold. Where they cost most, those of long rows or of a crowd in double, each is made in two halves:
 * three folds alone would leave the second of two threads without work for a third of the time. */
typedef struct adding {
  svf_form *form;
  const svf_costs *costs;
  size_t parts;              /* of each fold: 1 or 2 */
  svf_wide_scratch *scratch; /* of each part of each fold, where H is in double */
  double *second;            /* the second halves; the first stand in the totals */
} adding;

static double *wide_part(const adding *l, size_t f, size_t part) {
  return (part ? l->second : l->form->wide_total) + f * svf_wide_square(l->form);
}

static bool add_total(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  const adding *l = context;
  const svf_form *form = l->form;
  size_t f = index / l->parts, part = index % l->parts, rows = form->start[f + 1] - form->start[f];
  size_t first = form->start[f] + rows * part / l->parts, end = form->start[f] + rows * (part + 1) / l->parts;
  uint32_t list[LIST];
  float weight[LIST];
  for (; first < end; first += LIST) {
    size_t some = end - first < LIST ? end - first : LIST;
    for (size_t i = 0; i < some; i++) list[i] = (uint32_t)(first + i), weight[i] = svf_cost(l->costs, first + i);
    if (form->wide) svf_wide_rank(form, &l->scratch[index], some, list, weight, wide_part(l, f, part));
    else svf_form_rank(form, some, list, weight, form->total + f * svf_form_square(form));
  }
  return true;
}

static bool join_halves(void *context, size_t f, svf_worker *worker) {
  (void)worker;
  const adding *l = context;
  l->form->la->axpy(svf_wide_square(l->form), 1, wide_part(l, f, 1), wide_part(l, f, 0));
  return true;
}

/* K as a sum of outer products of the columns of X, which are made first. Its upper triangle. */
static void add_gram(svf_form *form, float *columns, const float **row, float *weight) {
  size_t n = form->n, ld = form->gram_ld;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < form->p; j++) columns[j * ld + i] = form->x[i * form->ld + j];
  for (size_t j = 0; j < form->p; j++) row[j] = columns + j * ld, weight[j] = 1;
  form->la->single->rank(n, ld, form->p, row, weight, form->gram);
}

/* Rows of K that have been made, and who is at it. */
struct svf_known {
  atomic_flag busy;
  unsigned char *row; /* n */
};

void svf_form_know(const svf_form *form, const uint32_t *list, size_t count) {
  if (!form->few) return;
  const float *x[SVF_COLUMNS];
  float *k[SVF_COLUMNS];
  size_t some = 0;
  while (atomic_flag_test_and_set_explicit(&form->known->busy, memory_order_acquire)) sched_yield();
  for (size_t q = 0; q < count; q++) {
    if (!form->known->row[list[q]]) {
      form->known->row[list[q]] = 1;
      x[some] = form->x + list[q] * form->ld;
      k[some++] = form->gram + list[q] * form->gram_ld;
    }
    if (some == SVF_COLUMNS || (some > 0 && q + 1 == count)) {
      form->la->single->scores(form->panels, form->p, form->panel, some, x, k);
      some = 0;
    }
  }
  atomic_flag_clear_explicit(&form->known->busy, memory_order_release);
}

static void open_few(svf_form *form, svf_arena *arena) {
  form->gram_ld = form->panels * SVF_PANEL;
  form->gram = SVF_TAKE(arena, float, form->n * form->gram_ld);
  form->known = SVF_TAKE(arena, struct svf_known, 1);
  unsigned char *row = SVF_ZERO(arena, unsigned char, form->n);
  if (svf_arena_failed(arena)) return;
  form->known->row = row;
  atomic_flag_clear(&form->known->busy);
}

/* The largest eigenvalue of 2C H is below 2C sum base |x|^2. Its rounding in single precision must stay far below the 1
 * of the I beside it: H may have eigenvalues of 0. */
static bool too_many(const svf_form *form, const svf_costs *costs, double C) {
  const double most = 1e6;
  double sum = 0;
  for (size_t i = 0; i < form->n; i++) sum += costs->base[i];
  return 2 * C * (sum / costs->unit) * form->mean_square > most;
}

/* From that many numbers in a row on, the first fit begins by passes over the rows instead of with their totals. */
enum { LONG = 80 };

static void share_dual(svf_form *form, svf_arena *arena) {
  form->gram_ld = svf_padded_single(form->n);
  form->gram = SVF_ZERO(arena, float, svf_padded(form->n) * form->gram_ld);
  svf_mark mark = svf_arena_mark(arena);
  float *columns = SVF_ZERO(arena, float, form->p * form->gram_ld), *weight = SVF_TAKE(arena, float, form->p);
  const float **row = SVF_TAKE(arena, const float *, form->p);
  if (svf_arena_failed(arena)) return;
  add_gram(form, columns, row, weight);
  svf_arena_release(arena, mark);
}

static void share_totals(svf_form *form, const svf_costs *costs, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  if (form->wide) form->wide_total = SVF_ZERO(arena, double, form->folds *svf_wide_square(form));
  else form->total = SVF_ZERO(arena, float, form->folds *svf_form_square(form));
  svf_mark mark = svf_arena_mark(arena);
  adding l = {.form = form, .costs = costs, .parts = form->wide && (form->crowd || form->p >= SVF_SHORT) ? 2 : 1};
  size_t pieces = form->folds * l.parts;
  l.scratch = SVF_ZERO(arena, svf_wide_scratch, pieces);
  if (l.parts == 2) l.second = SVF_ZERO(arena, double, form->folds *svf_wide_square(form));
  for (size_t i = 0; l.scratch && form->wide && i < pieces; i++) svf_wide_open(&l.scratch[i], form, arena);
  if (svf_arena_failed(arena)) return;
  svf_solver_share(solver, pieces, add_total, &l);
  if (l.parts == 2) svf_solver_share(solver, form->folds, join_halves, &l);
  svf_arena_release(arena, mark);
}

void svf_form_share(svf_form *form, const svf_costs *costs, double C, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  form->one = SVF_TAKE(arena, float, svf_padded(form->p));
  if (svf_arena_failed(arena)) return;
  for (size_t j = 0; j < svf_padded(form->p); j++) form->one[j] = 1;
  form->wide = !form->dual && (form->crowd || too_many(form, costs, C));
  form->small = !form->dual && !form->wide && form->p < SVF_SMALL;
  form->few = !form->dual && !form->wide && form->p >= 128 && (double)form->n <= 3.5 * (double)form->p;
  form->far = !form->wide && form->p >= LONG;
  if (form->few) open_few(form, arena);
  if (form->dual) share_dual(form, arena);
  else if (!form->far) share_totals(form, costs, solver);
}
