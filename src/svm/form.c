/* form.c - see form.h. */
#include "svm/form.h"

#include <math.h>
#include <string.h>

/* A counting sort by fold; start: folds + 1. */
static void sort_rows(svf_form *form, const int32_t *fold) {
  for (size_t i = 0; i < form->n; i++) form->start[(fold ? fold[i] : 0) + 1]++;
  for (size_t f = 0; f < form->folds; f++) form->start[f + 1] += form->start[f];
  for (size_t i = 0; i < form->n; i++) form->order[form->start[fold ? fold[i] : 0]++] = (uint32_t)i;
  memmove(form->start + 1, form->start, form->folds * sizeof *form->start);
  form->start[0] = 0;
}

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
  for (size_t b = index * SVF_BLOCK; b < form->panels && b < (index + 1) * SVF_BLOCK; b++)
    gather_panel(g, b, !form->crowd ? form->x + b * SVF_PANEL * form->ld : rows);
  return true;
}

/* The lengths of the rows decide which arithmetic a fit may use. */
static void measure_rows(svf_form *form, float *square) {
  enum { ABREAST = 8 }; /* sums that do not wait for each other; rows beyond the last are 0 */
  double sum[ABREAST] = {0};
  float most[ABREAST] = {0};
  form->la->single->squares(form->panels, form->p, form->panel, square);
  for (size_t i = 0; i < form->panels * SVF_PANEL; i += ABREAST)
    for (size_t q = 0; q < ABREAST; q++) {
      sum[q] += square[i + q];
      most[q] = square[i + q] > most[q] ? square[i + q] : most[q];
    }
  for (size_t q = 0; q < ABREAST; q++) {
    form->mean_square += sum[q] / (double)form->n;
    if (most[q] > form->longest) form->longest = most[q];
  }
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
  form->many = p >= SVF_SHORT && n >= SVF_MANY / p;
  if (!form->crowd) form->x = SVF_TAKE(arena, float, form->panels *SVF_PANEL * form->ld);
  form->panel = SVF_TAKE(arena, float, form->panels *SVF_PANEL *p);
  svf_mark mark = svf_arena_mark(arena);
  float *square = SVF_TAKE(arena, float, form->panels *SVF_PANEL);
  if (svf_arena_failed(arena)) return;
  sort_rows(form, fold);
  gathering g = {form, points};
  svf_solver_share(solver, (form->panels + SVF_BLOCK - 1) / SVF_BLOCK, gather_block, &g);
  measure_rows(form, square);
  svf_arena_release(arena, mark);
  form->dual = prefer_dual(n, p, form->folds);
}

void svf_form_fetch(const svf_form *form, size_t i, double *to) {
  const float *from =
      form->x ? form->x + i * form->ld : form->panel + i / SVF_PANEL * SVF_PANEL * form->p + i % SVF_PANEL;
  size_t step = form->crowd ? SVF_PANEL : 1;
  for (size_t j = 0; j < form->p; j++) to[j] = from[j * step];
}

svf_rows svf_form_widen(const svf_form *form, svf_arena *arena) {
  svf_rows rows = {.n = form->n, .p = form->p, .ld = svf_padded(form->p)};
  double *x = SVF_ZERO(arena, double, rows.n *rows.ld);
  for (size_t i = 0; x && i < rows.n; i++) svf_form_fetch(form, i, x + i * rows.ld);
  rows.x = x;
  return rows;
}
