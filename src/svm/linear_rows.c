/* linear_rows.c - see linear_rows.h. */
#include "svm/linear_rows.h"

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

/* Squared lengths of the rows of a block, in sums that do not wait for each other. */
enum { ABREAST = 8 };
typedef struct lengths {
  double sum[ABREAST];
  float most[ABREAST];
} lengths;

typedef struct gathering {
  svf_form *form;
  const svf_points *points;
  lengths *length; /* of each block */
} gathering;

static size_t blocks_of(const svf_form *form) { return (form->panels + SVF_BLOCK - 1) / SVF_BLOCK; }

static void copy_row(const svf_form *form, const svf_points *points, const float *from, float *to) {
  memcpy(to, from, points->d * sizeof *to);
  for (size_t j = 0; points->fill && j < points->d; j++)
    if (isnan(to[j])) to[j] = points->fill[j];
  if (points->bias) to[points->d] = 1;
  memset(to + form->p, 0, (form->ld - form->p) * sizeof *to);
}

/* Rows of one panel, and that panel if there are panels; rows beyond the last are 0. */
static void gather_panel(const gathering *g, size_t b, float *x) {
  enum { AHEAD = 8 }; /* rows lie anywhere: ask for them early */
  const svf_form *form = g->form;
  size_t first = b * SVF_PANEL, count = form->n - first < SVF_PANEL ? form->n - first : SVF_PANEL;
  for (size_t i = 0; i < count; i++) {
    if (first + i + AHEAD < form->n) __builtin_prefetch(svf_point(g->points, form->order[first + i + AHEAD]));
    copy_row(form, g->points, svf_point(g->points, form->order[first + i]), x + i * form->ld);
  }
  memset(x + count * form->ld, 0, (SVF_PANEL - count) * form->ld * sizeof *x);
  if (form->panel) form->la->single->panels(1, form->p, form->ld, x, form->panel + first * form->p);
}

/* Of some panels; rows beyond the last are 0. */
static void measure_block(const svf_form *form, size_t first, size_t panels, lengths *length) {
  float square[SVF_BLOCK * SVF_PANEL] __attribute__((aligned(64)));
  if (form->panel) form->la->single->squares(panels, form->p, form->panel + first * SVF_PANEL * form->p, square);
  for (size_t i = 0; !form->panel && i < panels * SVF_PANEL; i++) {
    const float *row = form->x + (first * SVF_PANEL + i) * form->ld;
    form->la->single->products(form->ld, 1, &row, row, &square[i]);
  }
  *length = (lengths){{0}, {0}};
  for (size_t i = 0; i < panels * SVF_PANEL; i += ABREAST)
    for (size_t q = 0; q < ABREAST; q++) {
      length->sum[q] += square[i + q];
      length->most[q] = square[i + q] > length->most[q] ? square[i + q] : length->most[q];
    }
}

static bool gather_block(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  const gathering *g = context;
  const svf_form *form = g->form;
  float rows[SVF_PANEL * SVF_SHORT] __attribute__((aligned(64)));
  size_t first = index * SVF_BLOCK, panels = form->panels - first < SVF_BLOCK ? form->panels - first : SVF_BLOCK;
  for (size_t b = first; b < first + panels; b++)
    gather_panel(g, b, form->x ? form->x + b * SVF_PANEL * form->ld : rows);
  measure_block(form, first, panels, &g->length[index]);
  return true;
}

/* The lengths of the rows decide which arithmetic a fit may use. */
static void measure_rows(svf_form *form, const lengths *length) {
  double sum[ABREAST] = {0};
  for (size_t b = 0; b < blocks_of(form); b++)
    for (size_t q = 0; q < ABREAST; q++) {
      sum[q] += length[b].sum[q];
      if (length[b].most[q] > form->longest) form->longest = length[b].most[q];
    }
  for (size_t q = 0; q < ABREAST; q++) form->mean_square += sum[q] / (double)form->n;
}

void svf_form_open(svf_form *form, const svf_points *points, const int32_t *fold, size_t folds,
                   const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t n = points->n, p = points->d + points->bias;
  *form = (svf_form){.la = solver->la, .n = n, .p = p, .ld = svf_padded_single(p), .folds = fold ? folds : 1};
  form->panels = (n + SVF_PANEL - 1) / SVF_PANEL;
  form->start = SVF_ZERO(arena, size_t, form->folds + 1);
  form->order = SVF_TAKE(arena, uint32_t, n);
  form->storage = svf_storage_choose(n, p);
  if (form->storage != SVF_PANELS_ONLY) form->x = SVF_TAKE(arena, float, form->panels *SVF_PANEL * form->ld);
  if (form->storage != SVF_ROWS_ONLY) form->panel = SVF_TAKE(arena, float, form->panels *SVF_PANEL *p);
  svf_mark mark = svf_arena_mark(arena);
  gathering g = {form, points, SVF_TAKE(arena, lengths, blocks_of(form))};
  if (svf_arena_failed(arena)) return;
  sort_rows(form, fold);
  svf_solver_share(solver, blocks_of(form), gather_block, &g);
  measure_rows(form, g.length);
  svf_arena_release(arena, mark);
}

void svf_form_scores(const svf_form *form, size_t first, size_t panels, size_t columns, const float *const *w,
                     float *const *s) {
  const svf_single *la = form->la->single;
  size_t at = first * SVF_PANEL;
  if (form->panel) la->scores(panels, form->p, form->panel + at * form->p, columns, w, s);
  else la->row_scores(panels * SVF_PANEL, form->ld, form->x + at * form->ld, columns, w, s);
}

void svf_form_scores_wide(const svf_form *form, size_t first, size_t panels, const double *w, double *s) {
  const svf_la *la = form->la;
  size_t at = first * SVF_PANEL;
  if (form->panel) la->panel_scores(panels, form->p, form->panel + at * form->p, w, s);
  for (size_t i = 0; !form->panel && i < panels * SVF_PANEL; i++)
    s[i] = la->row_score(svf_padded(form->p), form->x + (at + i) * form->ld, w);
}

void svf_form_fetch(const svf_form *form, size_t i, double *to) {
  const float *from =
      form->x ? form->x + i * form->ld : form->panel + i / SVF_PANEL * SVF_PANEL * form->p + i % SVF_PANEL;
  size_t step = form->x ? 1 : SVF_PANEL;
  for (size_t j = 0; j < form->p; j++) to[j] = from[j * step];
}

svf_rows svf_form_widen(const svf_form *form, const svf_solver *solver) {
  svf_rows rows = {.n = form->n, .p = form->p, .ld = svf_padded(form->p)};
  double *x = SVF_ZERO(solver->arena, double, rows.n *rows.ld);
  for (size_t i = 0; x && i < rows.n && !svf_solver_stopped(solver); i++) svf_form_fetch(form, i, x + i * rows.ld);
  rows.x = x;
  return rows;
}
