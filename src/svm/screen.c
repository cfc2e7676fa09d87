/* screen.c - see screen.h: what a node's sweeps share, the order of the blocks, and the judging. */
#include "svm/screen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 4 }; /* panels judged at a time: their scores stay in the cache */

static float number_of(const svf_points *points, size_t i, size_t j) {
  float x = svf_point(points, i)[j];
  return x == x || !points->fill ? x : points->fill[j];
}

static void gather_rows(svf_screen *s) {
  const svf_points *points = &s->rows.points;
  for (size_t i = 0; i < points->n && !svf_la_stopped(s->stop); i++) {
    double *x = s->x + i * s->ld;
    for (size_t j = 0; j < points->d; j++) x[j] = (double)number_of(points, i, j);
    for (size_t j = points->d; j < s->ld; j++) x[j] = j < s->p; /* the constant, and the pad */
    size_t c = s->rows.label ? (size_t)s->rows.label[i] : 0;
    s->count[c]++;
    s->mass[c] += s->rows.weight[i];
  }
}

static void gather_judges(const svf_screen *s, float *x, size_t ld) {
  const svf_points *points = &s->judges.points;
  for (size_t i = 0; i < points->n && !svf_la_stopped(s->stop); i++, x += ld) {
    for (size_t j = 0; j < points->d; j++) x[j] = number_of(points, i, j);
    for (size_t j = points->d; j < ld; j++) x[j] = j == points->d; /* the constant, and the pad */
  }
}

/* K, and of every judge its row of K. */
static bool open_gram(svf_screen *s, svf_arena *arena) {
  size_t n = s->rows.points.n, judges = s->judges.points.n;
  s->k_ld = svf_padded(n);
  s->width = n;
  s->judge_ld = svf_padded_single(n);
  s->k_rows = SVF_TAKE(arena, double, n * s->k_ld);
  s->judge = SVF_TAKE(arena, float, judges * s->judge_ld);
  svf_mark mark = svf_arena_mark(arena);
  float *x = SVF_TAKE(arena, float, judges * s->ld);
  double *row = SVF_TAKE(arena, double, n);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n && !svf_la_stopped(s->stop); i++) {
    s->la->product(n, s->ld, s->x, s->x + i * s->ld, s->k_rows + i * s->k_ld);
    for (size_t j = n; j < s->k_ld; j++) s->k_rows[i * s->k_ld + j] = 0;
  }
  gather_judges(s, x, s->ld);
  for (size_t i = 0; i < judges && !svf_la_stopped(s->stop); i++) {
    s->la->answers(1, s->ld, x + i * s->ld, n, s->x, row);
    for (size_t j = 0; j < s->judge_ld; j++) s->judge[i * s->judge_ld + j] = j < n ? (float)row[j] : 0;
  }
  svf_arena_release(arena, mark);
  return true;
}

/* Judges as they are, and the sums over all rows. */
static bool open_sums(svf_screen *s, svf_arena *arena) {
  size_t n = s->rows.points.n;
  s->width = s->judges.points.d + 1;
  s->judge_ld = svf_padded_single(s->width);
  s->judge = SVF_TAKE(arena, float, s->judges.points.n * s->judge_ld);
  s->a = SVF_ZERO(arena, double, s->ld * s->ld);
  s->b = SVF_ZERO(arena, double, s->k * s->ld);
  svf_mark mark = svf_arena_mark(arena);
  const double **row = SVF_TAKE(arena, const double *, n);
  if (svf_arena_failed(arena)) return false;
  gather_judges(s, s->judge, s->judge_ld);
  for (size_t i = 0; i < n; i++) {
    row[i] = s->x + i * s->ld;
    double weight = s->rows.weight[i], *sum = s->b + (s->rows.label ? (size_t)s->rows.label[i] : 0) * s->ld;
    s->la->axpy(s->ld, s->rows.value ? weight * s->rows.value[i] : weight, row[i], sum);
  }
  svf_screen_rank(s, n, row, s->rows.weight, s->a);
  svf_arena_release(arena, mark);
  return true;
}

bool svf_screen_open(svf_screen *s, svf_arena *arena) {
  s->gram = s->rows.points.d >= s->rows.points.n;
  s->p = s->rows.points.d + (s->gram || s->rows.value);
  s->ld = svf_padded(s->p);
  s->x = SVF_TAKE(arena, double, s->rows.points.n * s->ld);
  s->count = SVF_ZERO(arena, double, s->k);
  s->mass = SVF_ZERO(arena, double, s->k);
  s->error = SVF_ZERO(arena, double, s->judges.points.n);
  if (svf_arena_failed(arena)) return false;
  gather_rows(s);
  return s->gram ? open_gram(s, arena) : open_sums(s, arena);
}

/* ---- judging ---- */

void svf_screen_present(svf_screening *s) {
  s->m = 0;
  for (size_t c = 0; c < s->screen->k; c++) {
    s->place[c] = SIZE_MAX;
    if (s->count[c] > 0) s->place[c] = s->m, s->present[s->m++] = c;
  }
}

/* Takes the scores of the judges' own classes out of all scores: those of the others are then a plain maximum. */
static void take_own(const svf_screening *s, const int32_t *label, size_t rows) {
  float *score = s->score, *own = s->own;
  for (size_t i = 0; i < rows; i++) {
    size_t q = s->place[label[i]];
    own[i] = -FLT_MAX;
    if (q == SIZE_MAX) continue;
    own[i] = score[q * rows + i];
    score[q * rows + i] = -FLT_MAX;
  }
}

/* Scores of some panels of judges: that of their own class (of the first, for numbers), and the largest of the others. */
static void ask(const svf_screening *s, size_t first, size_t panels) {
  const svf_screen *screen = s->screen;
  size_t rows = panels * SVF_PANEL;
  const int32_t *label = s->judge_label + first * SVF_PANEL;
  for (size_t a = 0; a < s->m; a += SVF_COLUMNS) {
    size_t some = s->m - a < SVF_COLUMNS ? s->m - a : SVF_COLUMNS;
    const float *w[SVF_COLUMNS];
    float *score[SVF_COLUMNS];
    for (size_t q = 0; q < some; q++) w[q] = s->w + (a + q) * screen->judge_ld, score[q] = s->score + (a + q) * rows;
    screen->la->single->scores(panels, screen->width, s->panel + first * screen->width * SVF_PANEL, some, w, score);
  }
  take_own(s, label, rows);
  screen->la->single->largest(rows, s->m, s->score, s->other);
}

/* Errors of one chunk of judges, from the one numbered `from` to before `to`: added to sum[0], the squares of their
 * changes to sum[1]. */
static void judge_chunk(const svf_screening *s, size_t first, size_t from, size_t to, double sum[2]) {
  const svf_screen_set *judges = &s->screen->judges;
  size_t start = first * SVF_PANEL, rows = to - start;
  if (judges->label) {
    for (size_t i = 0; i < rows; i++) s->chance[i] = (double)s->own[i] - (double)s->other[i];
    s->screen->la->sigmoids(svf_padded(rows), s->chance);
  } else {
    for (size_t i = from; i < to; i++) {
      double off = (double)s->own[i - start] - judges->value[s->judge_order[i]];
      s->chance[i - start] = off * off;
    }
  }
  for (size_t i = from; i < to; i++) {
    size_t judge = s->judge_order[i];
    double error = s->chance[i - start], change = error - s->screen->error[judge];
    sum[0] += judges->weight[judge] * error;
    sum[1] += judges->weight[judge] * change * change;
    if (s->error) s->error[judge] = error;
  }
}

void svf_screen_judge(const svf_screening *s, size_t boundary, int side, bool fine) {
  size_t at = side ? s->judge_start[boundary] : 0, to = side ? s->screen->judges.points.n : s->judge_start[boundary];
  double sum[2] = {fine ? 0 : NAN, 0};
  for (size_t end; fine && at < to; at = end) {
    size_t first = at / SVF_PANEL, panels = (to + SVF_PANEL - 1) / SVF_PANEL - first;
    if (panels > CHUNK) panels = CHUNK;
    end = (first + panels) * SVF_PANEL < to ? (first + panels) * SVF_PANEL : to;
    ask(s, first, panels);
    judge_chunk(s, first, at, end, sum);
  }
  s->wrong[2 * boundary + (size_t)side] = sum[0];
  s->change[2 * boundary + (size_t)side] = sum[1];
}

/* ---- a sweep ---- */

/* Items in the order of their blocks, within a block in their own. */
static void sort_blocks(const uint32_t *block, size_t n, size_t blocks, uint32_t *order, uint32_t *start) {
  memset(start, 0, (blocks + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) start[block[i] + 1]++;
  for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
  for (size_t i = 0; i < n; i++) order[start[block[i]]++] = (uint32_t)i;
  for (size_t b = blocks; b > 0; b--) start[b] = start[b - 1];
  start[0] = 0;
}

static bool make_panels(svf_screening *s) {
  const svf_screen *screen = s->screen;
  size_t judges = screen->judges.points.n, ld = screen->judge_ld, panels = (judges + SVF_PANEL - 1) / SVF_PANEL;
  size_t rows = panels * SVF_PANEL;
  s->panel = SVF_TAKE(s->arena, float, rows * screen->width);
  svf_mark mark = svf_arena_mark(s->arena);
  float *x = SVF_TAKE(s->arena, float, rows *ld);
  if (svf_arena_failed(s->arena)) return false;
  for (size_t i = 0; i < judges && !svf_la_stopped(screen->stop); i++)
    memcpy(x + i * ld, screen->judge + s->judge_order[i] * ld, ld * sizeof *x);
  memset(x + judges * ld, 0, (rows - judges) * ld * sizeof *x);
  screen->la->single->panels(panels, screen->width, ld, x, s->panel);
  svf_arena_release(s->arena, mark);
  return true;
}

static bool open_screening(svf_screening *s) {
  const svf_screen *screen = s->screen;
  const svf_sweep *sweep = s->sweep;
  svf_arena *arena = s->arena;
  size_t n = screen->rows.points.n, judges = screen->judges.points.n, blocks = sweep->blocks;
  s->order = SVF_TAKE(arena, uint32_t, n);
  s->start = SVF_TAKE(arena, uint32_t, blocks + 1);
  s->judge_order = SVF_TAKE(arena, uint32_t, judges);
  s->judge_start = SVF_TAKE(arena, uint32_t, blocks + 1);
  s->wanted = SVF_ZERO(arena, unsigned char, 2 * (blocks + 1));
  s->wrong = SVF_ZERO(arena, double, 2 * (blocks + 1));
  s->change = SVF_ZERO(arena, double, 2 * (blocks + 1));
  s->w = SVF_ZERO(arena, float, screen->k * screen->judge_ld);
  s->present = SVF_TAKE(arena, size_t, screen->k);
  s->place = SVF_TAKE(arena, size_t, screen->k);
  s->score = SVF_TAKE(arena, float, screen->k *CHUNK *SVF_PANEL);
  s->own = SVF_TAKE(arena, float, CHUNK *SVF_PANEL);
  s->other = SVF_TAKE(arena, float, CHUNK *SVF_PANEL);
  s->chance = SVF_ZERO(arena, double, CHUNK *SVF_PANEL);
  s->judge_label = SVF_ZERO(arena, int32_t, judges + SVF_PANEL);
  s->count = SVF_TAKE(arena, double, screen->k);
  s->mass = SVF_TAKE(arena, double, screen->k);
  if (svf_arena_failed(arena)) return false;
  sort_blocks(sweep->block, n, blocks, s->order, s->start);
  sort_blocks(sweep->judge_block, judges, blocks, s->judge_order, s->judge_start);
  for (size_t i = 0; screen->judges.label && i < judges; i++)
    s->judge_label[i] = screen->judges.label[s->judge_order[i]];
  for (size_t q = 0; q < sweep->count; q++)
    s->wanted[2 * sweep->left_end[q]] = s->wanted[2 * sweep->right_start[q] + 1] = 1;
  return make_panels(s);
}

static bool sweep_all(const svf_screen *screen, const svf_sweep *sweep, double *error, svf_arena *arena) {
  svf_mark mark = svf_arena_mark(arena);
  svf_screening s = {.screen = screen, .sweep = sweep, .error = error, .arena = arena};
  bool fine = open_screening(&s) && (screen->gram ? svf_screen_gram(&s) : svf_screen_sums(&s));
  for (size_t q = 0; fine && q < sweep->count; q++) {
    sweep->wrong[2 * q] = s.wrong[2 * sweep->left_end[q]];
    sweep->wrong[2 * q + 1] = s.wrong[2 * sweep->right_start[q] + 1];
    sweep->change[2 * q] = s.change[2 * sweep->left_end[q]];
    sweep->change[2 * q + 1] = s.change[2 * sweep->right_start[q] + 1];
  }
  svf_arena_release(arena, mark);
  return fine;
}

bool svf_screen_sweep(const svf_screen *screen, const svf_sweep *sweep, svf_arena *arena) {
  return sweep_all(screen, sweep, NULL, arena);
}

bool svf_screen_whole(svf_screen *screen, svf_arena *arena, double *wrong) {
  svf_mark mark = svf_arena_mark(arena);
  size_t n = screen->rows.points.n, judges = screen->judges.points.n;
  const uint32_t *zero = SVF_ZERO(arena, uint32_t, n > judges ? n : judges), start = 0;
  double both[2], change[2];
  svf_sweep sweep = {1, 1, zero, zero, &start, &start, both, change}; /* right of the first block is everything */
  bool fine = zero && sweep_all(screen, &sweep, screen->error, arena);
  if (fine) *wrong = both[1];
  svf_arena_release(arena, mark);
  return fine;
}
