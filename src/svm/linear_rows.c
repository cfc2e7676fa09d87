/* linear_rows.c - see linear_shared.h. */
#include "svm/linear_shared.h"

#include <math.h>
#include <string.h>

/* A counting sort by fold; start: folds + 1. */
static void sort_rows(svf_shared *shared, const int32_t *fold) {
  for (size_t i = 0; i < shared->n; i++) shared->start[(fold ? fold[i] : 0) + 1]++;
  for (size_t f = 0; f < shared->folds; f++) shared->start[f + 1] += shared->start[f];
  for (size_t i = 0; i < shared->n; i++) shared->order[shared->start[fold ? fold[i] : 0]++] = (uint32_t)i;
  memmove(shared->start + 1, shared->start, shared->folds * sizeof *shared->start);
  shared->start[0] = 0;
}

/* Squared lengths of the rows of a block, in sums that do not wait for each other. */
enum { ABREAST = 8 };
typedef struct lengths {
  double sum[ABREAST];
  float most[ABREAST];
} lengths;

typedef struct gathering {
  svf_shared *shared;
  const svf_points *points;
  lengths *length; /* of each block */
} gathering;

static size_t blocks_of(const svf_shared *shared) { return (shared->panels + SVF_BLOCK - 1) / SVF_BLOCK; }

static void copy_row(const svf_shared *shared, const svf_points *points, const float *from, float *to) {
  memcpy(to, from, points->d * sizeof *to);
  for (size_t j = 0; points->fill && j < points->d; j++)
    if (isnan(to[j])) to[j] = points->fill[j];
  if (points->bias) to[points->d] = 1;
  memset(to + shared->p, 0, (shared->ld - shared->p) * sizeof *to);
}

/* Rows of one panel, and that panel if there are panels; rows beyond the last are 0. */
static void gather_panel(const gathering *g, size_t b, float *x) {
  enum { AHEAD = 8 }; /* rows lie anywhere: ask for them early */
  const svf_shared *shared = g->shared;
  size_t first = b * SVF_PANEL, count = shared->n - first < SVF_PANEL ? shared->n - first : SVF_PANEL;
  for (size_t i = 0; i < count; i++) {
    if (first + i + AHEAD < shared->n) __builtin_prefetch(svf_point(g->points, shared->order[first + i + AHEAD]));
    copy_row(shared, g->points, svf_point(g->points, shared->order[first + i]), x + i * shared->ld);
  }
  memset(x + count * shared->ld, 0, (SVF_PANEL - count) * shared->ld * sizeof *x);
  if (shared->panel) shared->la->single->panels(1, shared->p, shared->ld, x, shared->panel + first * shared->p);
}

/* Lengths of the rows of some panels; rows beyond the last are 0. */
static void measure_block(const svf_shared *shared, size_t first, size_t panels, lengths *length) {
  float square[SVF_BLOCK * SVF_PANEL] __attribute__((aligned(64)));
  if (shared->panel)
    shared->la->single->squares(panels, shared->p, shared->panel + first * SVF_PANEL * shared->p, square);
  for (size_t i = 0; !shared->panel && i < panels * SVF_PANEL; i++) {
    const float *row = shared->x + (first * SVF_PANEL + i) * shared->ld;
    shared->la->single->products(shared->ld, 1, &row, row, &square[i]);
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
  const svf_shared *shared = g->shared;
  float rows[SVF_PANEL * SVF_SHORT] __attribute__((aligned(64)));
  size_t first = index * SVF_BLOCK, panels = shared->panels - first < SVF_BLOCK ? shared->panels - first : SVF_BLOCK;
  for (size_t b = first; b < first + panels; b++)
    gather_panel(g, b, shared->x ? shared->x + b * SVF_PANEL * shared->ld : rows);
  measure_block(shared, first, panels, &g->length[index]);
  return true;
}

/* The lengths of the rows decide which arithmetic a fit may use. */
static void measure_rows(svf_shared *shared, const lengths *length) {
  double sum[ABREAST] = {0};
  for (size_t b = 0; b < blocks_of(shared); b++)
    for (size_t q = 0; q < ABREAST; q++) {
      sum[q] += length[b].sum[q];
      if (length[b].most[q] > shared->longest) shared->longest = length[b].most[q];
    }
  for (size_t q = 0; q < ABREAST; q++) shared->mean_square += sum[q] / (double)shared->n;
}

void svf_shared_open(svf_shared *shared, const svf_points *points, const int32_t *fold, size_t folds,
                     const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t n = points->n, p = points->d + points->bias;
  *shared = (svf_shared){.la = solver->la, .n = n, .p = p, .ld = svf_padded_single(p), .folds = fold ? folds : 1};
  shared->panels = (n + SVF_PANEL - 1) / SVF_PANEL;
  shared->start = SVF_ZERO(arena, size_t, shared->folds + 1);
  shared->order = SVF_TAKE(arena, uint32_t, n);
  shared->storage = svf_storage_choose(n, p);
  if (shared->storage != SVF_PANELS_ONLY) shared->x = SVF_TAKE(arena, float, shared->panels *SVF_PANEL * shared->ld);
  if (shared->storage != SVF_ROWS_ONLY) shared->panel = SVF_TAKE(arena, float, shared->panels *SVF_PANEL *p);
  svf_mark mark = svf_arena_mark(arena);
  gathering g = {shared, points, SVF_TAKE(arena, lengths, blocks_of(shared))};
  if (svf_arena_failed(arena)) return;
  sort_rows(shared, fold);
  svf_solver_share(solver, blocks_of(shared), gather_block, &g);
  measure_rows(shared, g.length);
  svf_arena_release(arena, mark);
}

void svf_shared_scores(const svf_shared *shared, size_t first, size_t panels, size_t columns, const float *const *w,
                       float *const *s) {
  const svf_single *la = shared->la->single;
  size_t at = first * SVF_PANEL;
  if (shared->panel) la->scores(panels, shared->p, shared->panel + at * shared->p, columns, w, s);
  else la->row_scores(panels * SVF_PANEL, shared->ld, shared->x + at * shared->ld, columns, w, s);
}

void svf_shared_scores_double(const svf_shared *shared, size_t first, size_t panels, const double *w, double *s) {
  const svf_la *la = shared->la;
  size_t at = first * SVF_PANEL;
  if (shared->panel) la->panel_scores(panels, shared->p, shared->panel + at * shared->p, w, s);
  for (size_t i = 0; !shared->panel && i < panels * SVF_PANEL; i++)
    s[i] = la->row_score(svf_padded(shared->p), shared->x + (at + i) * shared->ld, w);
}

void svf_shared_fetch(const svf_shared *shared, size_t i, double *to) {
  const float *from =
      shared->x ? shared->x + i * shared->ld : shared->panel + i / SVF_PANEL * SVF_PANEL * shared->p + i % SVF_PANEL;
  size_t step = shared->x ? 1 : SVF_PANEL;
  for (size_t j = 0; j < shared->p; j++) to[j] = from[j * step];
}

svf_rows svf_shared_rows(const svf_shared *shared, const svf_solver *solver) {
  svf_rows rows = {.n = shared->n, .p = shared->p, .ld = svf_padded(shared->p)};
  double *x = SVF_ZERO(solver->arena, double, rows.n *rows.ld);
  for (size_t i = 0; x && i < rows.n && !svf_solver_stopped(solver); i++)
    svf_shared_fetch(shared, i, x + i * rows.ld);
  rows.x = x;
  return rows;
}
