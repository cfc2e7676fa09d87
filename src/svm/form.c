/* form.c - see form.h. */
#include "svm/form.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* A counting sort by fold; start: folds + 1. */
static void sort_rows(svf_form *form, const int32_t *fold) {
  for (size_t i = 0; i < form->n; i++) form->start[(fold ? fold[i] : 0) + 1]++;
  for (size_t f = 0; f < form->folds; f++) form->start[f + 1] += form->start[f];
  for (size_t i = 0; i < form->n; i++) form->order[form->start[fold ? fold[i] : 0]++] = (uint32_t)i;
  memmove(form->start + 1, form->start, form->folds * sizeof *form->start);
  form->start[0] = 0;
}

/* Rows are gathered in blocks of that many panels, on several threads where there are many. */
enum { BLOCK = 64 };
/* That many numbers in short rows are a crowd. */
enum { CROWD = 1 << 22 };

typedef struct gathering {
  svf_form *form;
  const svf_points *points;
} gathering;

static void copy_row(const svf_form *form, const svf_points *points, const float *from, float *to) {
  memcpy(to, from, points->d * sizeof *to);
  for (size_t j = 0; points->fill && j < points->d; j++)
    if (isnan(to[j])) to[j] = points->fill[j];
  if (points->bias) to[points->d] = 1;
  memset(to + form->p, 0, (form->ld - form->p) * sizeof *to);
}

/* Rows of one panel, and that panel; rows beyond the last are 0. */
static void gather_panel(const gathering *g, size_t b, float *x) {
  enum { AHEAD = 8 }; /* rows lie anywhere: ask for them early */
  const svf_form *form = g->form;
  size_t first = b * SVF_PANEL, count = form->n - first < SVF_PANEL ? form->n - first : SVF_PANEL;
  for (size_t i = 0; i < count; i++) {
    if (first + i + AHEAD < form->n) __builtin_prefetch(svf_point(g->points, form->order[first + i + AHEAD]));
    copy_row(form, g->points, svf_point(g->points, form->order[first + i]), x + i * form->ld);
  }
  memset(x + count * form->ld, 0, (SVF_PANEL - count) * form->ld * sizeof *x);
  form->la->single->panels(1, form->p, form->ld, x, form->panel + first * form->p);
}

static bool gather_block(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  const gathering *g = context;
  const svf_form *form = g->form;
  float rows[SVF_PANEL * SVF_SHORT] __attribute__((aligned(64)));
  for (size_t b = index * BLOCK; b < form->panels && b < (index + 1) * BLOCK; b++)
    gather_panel(g, b, !form->crowd ? form->x + b * SVF_PANEL * form->ld : rows);
  return true;
}

/* The lengths of the rows decide which arithmetic a fit may use. */
static void measure_rows(svf_form *form, float *square) {
  double sum = 0, most = 0;
  form->la->single->squares(form->panels, form->p, form->panel, square);
  for (size_t i = 0; i < form->n; i++) {
    sum += square[i];
    if (square[i] > most) most = square[i];
  }
  form->longest = most;
  form->mean_square = sum / (double)form->n;
}

/* Which algebra is cheaper: a p x p factor, or one of the active rows, of which the parts have folds-1 in folds. */
static bool prefer_dual(size_t n, size_t p, size_t folds) {
  double part = folds > 1 ? (double)n * (double)(folds - 1) / (double)folds : (double)n;
  return (double)p > .8 * part;
}

void svf_form_open(svf_form *form, const svf_points *points, const int32_t *fold, size_t folds,
                   const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t n = points->n, p = points->d + points->bias;
  *form = (svf_form){.la = solver->la, .n = n, .p = p, .ld = svf_padded_single(p), .folds = fold ? folds : 1};
  form->panels = (n + SVF_PANEL - 1) / SVF_PANEL;
  form->start = SVF_ZERO(arena, size_t, form->folds + 1);
  form->order = SVF_TAKE(arena, uint32_t, n);
  form->crowd = p < SVF_SHORT && n >= CROWD / p;
  if (!form->crowd) form->x = SVF_TAKE(arena, float, form->panels *SVF_PANEL * form->ld);
  form->panel = SVF_TAKE(arena, float, form->panels *SVF_PANEL *p);
  svf_mark mark = svf_arena_mark(arena);
  float *square = SVF_TAKE(arena, float, form->panels *SVF_PANEL);
  if (svf_arena_failed(arena)) return;
  sort_rows(form, fold);
  gathering g = {form, points};
  svf_solver_share(solver, (form->panels + BLOCK - 1) / BLOCK, gather_block, &g);
  measure_rows(form, square);
  svf_arena_release(arena, mark);
  form->dual = prefer_dual(n, p, form->folds);
}

void svf_wide_open(svf_wide_scratch *scratch, const svf_form *form, svf_arena *arena) {
  scratch->x = SVF_ZERO(arena, double, SVF_WIDEN *svf_padded(form->p));
  scratch->scaled = form->p < SVF_SHORT ? NULL : SVF_ZERO(arena, double, SVF_WIDEN *svf_padded(form->p));
  scratch->row = SVF_TAKE(arena, const double *, SVF_WIDEN);
  scratch->weight = SVF_TAKE(arena, double, SVF_WIDEN);
}

static void fetch_wide(const svf_form *form, size_t i, double *to) {
  const float *from =
      form->x ? form->x + i * form->ld : form->panel + i / SVF_PANEL * SVF_PANEL * form->p + i % SVF_PANEL;
  size_t step = form->crowd ? SVF_PANEL : 1;
  for (size_t j = 0; j < form->p; j++) to[j] = from[j * step];
}

/* Long rows: H is larger than the near caches, so that each part of it should meet many rows at once. */
static void add_wide(const svf_form *form, const svf_wide_scratch *scratch, size_t count, double *h) {
  enum { ROWS = 64 }; /* of H */
  size_t ld = svf_padded(form->p);
  for (size_t q = 0; q < count; q++)
    for (size_t j = 0; j < form->p; j++) scratch->scaled[q * ld + j] = scratch->weight[q] * scratch->x[q * ld + j];
  for (size_t i = 0; i < ld; i += ROWS)
    form->la->blocked->outer(ld - i < ROWS ? ld - i : ROWS, ld - i, count, (svf_dense){scratch->x + i, ld},
                             (svf_dense){scratch->scaled + i, ld}, (svf_dense){h + i * ld + i, ld});
}

void svf_wide_rank(const svf_form *form, const svf_wide_scratch *scratch, size_t count, const uint32_t *list,
                   const float *weight, double *h) {
  size_t ld = svf_padded(form->p);
  for (size_t q = 0; q < count; q += SVF_WIDEN) {
    size_t some = count - q < SVF_WIDEN ? count - q : SVF_WIDEN;
    for (size_t i = 0; i < some; i++) {
      fetch_wide(form, list[q + i], scratch->x + i * ld);
      scratch->row[i] = scratch->x + i * ld;
      scratch->weight[i] = weight[q + i];
    }
    if (scratch->scaled && some >= SVF_WIDEN / 4) add_wide(form, scratch, some, h);
    else form->la->rank(form->p, ld, some, scratch->row, scratch->weight, h);
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

/* The totals of every fold. Where they cost most, those of long rows in double, each is made in two halves: three folds
 * alone would leave the second of two threads without work for a third of the time. */
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
  adding l = {.form = form, .costs = costs, .parts = form->wide && form->p >= SVF_SHORT ? 2 : 1};
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
  form->few = !form->dual && !form->wide && form->p >= 128 && (double)form->n <= 3.5 * (double)form->p;
  form->far = !form->wide && form->p >= LONG;
  if (form->few) open_few(form, arena);
  if (form->dual) share_dual(form, arena);
  else if (!form->far) share_totals(form, costs, solver);
}

/* The loss of a solution and its gradient, block by block. */
typedef struct proof {
  const svf_form *form;
  const svf_binary *problem;
  const double *w;
  double *loss, *pull; /* of each block: sum of cost slack^2; p numbers, the sum of sign cost slack x */
} proof;

static bool prove_block(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  enum { SOME = 8 }; /* panels that stay in the nearest cache between their two passes */
  const proof *k = context;
  const svf_form *form = k->form;
  size_t end = (index + 1) * BLOCK < form->panels ? (index + 1) * BLOCK : form->panels;
  double s[SOME * SVF_PANEL] __attribute__((aligned(64))), loss = 0;
  for (size_t b = index * BLOCK; b < end; b += SOME) {
    size_t some = end - b < SOME ? end - b : SOME, first = b * SVF_PANEL;
    size_t count = form->n - first < some * SVF_PANEL ? form->n - first : some * SVF_PANEL;
    const float *panel = form->panel + first * form->p;
    form->la->panel_scores(some, form->p, panel, k->w, s);
    for (size_t i = 0; i < count; i++) {
      double sign = k->problem->sign[first + i], slack = 1 - sign * s[i];
      if (slack < 0) slack = 0;
      double pull = k->problem->cost[first + i] * slack;
      loss += pull * slack;
      s[i] = sign * pull;
    }
    for (size_t i = count; i < some * SVF_PANEL; i++) s[i] = 0;
    form->la->panel_combine(some, form->p, panel, s, k->pull + index * form->p);
  }
  k->loss[index] = loss;
  return true;
}

bool svf_form_certify(const svf_form *form, const svf_binary *problem, double C, const svf_solver *solver,
                      const double *w, svf_fit *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  size_t blocks = (form->panels + BLOCK - 1) / BLOCK, p = form->p;
  proof k = {form, problem, w, SVF_TAKE(solver->arena, double, blocks), SVF_ZERO(solver->arena, double, blocks *p)};
  bool fine = !svf_arena_failed(solver->arena);
  if (fine) {
    double norm = 0, loss = 0, square = 0;
    svf_solver_share(solver, blocks, prove_block, &k);
    for (size_t b = 0; b < blocks; b++) loss += k.loss[b];
    for (size_t j = 0; j < p; j++) {
      double pull = 0;
      for (size_t b = 0; b < blocks; b++) pull += k.pull[b * p + j];
      norm += w[j] * w[j];
      square += (w[j] - 2 * C * pull) * (w[j] - 2 * C * pull);
    }
    fit->objective = .5 * norm + C * loss;
    fit->gap = fit->objective > 0 ? .5 * square / fit->objective : 0;
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}

svf_rows svf_form_widen(const svf_form *form, svf_arena *arena) {
  svf_rows rows = {.n = form->n, .p = form->p, .ld = svf_padded(form->p)};
  double *x = SVF_ZERO(arena, double, rows.n *rows.ld);
  for (size_t i = 0; x && i < rows.n; i++) fetch_wide(form, i, x + i * rows.ld);
  rows.x = x;
  return rows;
}
