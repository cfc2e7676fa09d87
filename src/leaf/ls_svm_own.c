/* ls_svm_own.c - the metric that a least-squares leaf learns for itself, from its own rows (ls_metric.h).
 *
 * Rows are taken in random order, at most metric_rows of them; those held out to choose width and C have no part. With
 * metric_judges some of them judge: rounds are taken on the others, the number of them with the least error at the judges is kept, none
 * being a candidate, and so many are then taken on all. As in xRFM M is divided by its largest entry. */
#include "leaf/ls_svm.h"

#include <math.h>
#include <string.h>
#include "cut/lesson.h"

enum { LEAST = 4 }; /* rows that learn, and rows that judge: of fewer nothing is learned */

static bool is_full(const svf_ls_cell *c) { return c->ground->settings->metric == SVF_METRIC_FULL; }

/* How many rows learn and judge. */
static size_t rows_wanted(const svf_ls_cell *c) {
  svf_learning_rows rows = {.n = c->site->n - c->held_out, .d = c->ground->frame->d, .targets = c->targets};
  return svf_learning_rows_within(&rows, (size_t)c->ground->settings->metric_rows, SVF_LESSON_OPERATIONS);
}

svf_status svf_ls_own_check(const svf_ls_cell *c, svf_message *message) {
  svf_learning_rows rows = {.n = rows_wanted(c), .d = c->ground->frame->d, .targets = c->targets};
  if (is_full(c) && rows.d > SVF_LESSON_COLUMNS)
    return svf_fail(
        message, SVF_USAGE,
        "metric=full would learn a matrix of %zu x %zu numbers in each leaf, and %d columns are the most; use "
        "metric=diagonal",
        rows.d, rows.d, SVF_LESSON_COLUMNS);
  return svf_check_memory(message, svf_learning_memory(&rows, is_full(c)), c->ground->memory_limit,
                          "learning the metric of a leaf");
}

/* Rows of the cell, by their number in it. False: memory ran out. */
static bool take_rows(const svf_ls_cell *c, const uint32_t *order, size_t n, svf_arena *arena,
                      svf_learning_rows *out) {
  const svf_frame *frame = c->ground->frame;
  size_t d = frame->d;
  float *x = SVF_TAKE(arena, float, n *d);
  double *y = SVF_TAKE(arena, double, c->targets *n), *weight = c->weight ? SVF_TAKE(arena, double, n) : NULL;
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++) {
    const float *from = frame->x + c->rows[order[i]] * frame->stride;
    for (size_t j = 0; j < d; j++) x[i * d + j] = from[j] == from[j] ? from[j] : frame->fill[j];
    for (size_t q = 0; q < c->targets; q++) y[q * n + i] = c->y[q * c->site->n + order[i]];
    if (weight) weight[i] = c->weight[order[i]];
  }
  *out = (svf_learning_rows){n, d, c->targets, x, y, weight};
  return true;
}

static svf_learning learning_of(const svf_ls_cell *c, const svf_learning_rows *rows, const svf_gauss_problem *machine,
                                const svf_solver *solver) {
  svf_learning learning = svf_lesson_learning(rows, machine->kernel, is_full(c), solver);
  learning.width = machine->width, learning.widths = machine->widths;
  learning.C = machine->C, learning.C_count = machine->C_count;
  learning.absolute = !machine->relative, learning.no_bias = machine->no_bias;
  learning.by_entry = true;
  return learning;
}

/* The number of rounds, `most` of them at most, with the least error at the judges; the first of equals. */
static bool judge_rounds(svf_learning *learning, const svf_learning_rows *judges, size_t most, size_t *best) {
  double least = INFINITY, error;
  *best = 0;
  if (!svf_learning_open(learning)) return false;
  for (size_t r = 0; r <= most && !svf_solver_stopped(learning->solver); r++) {
    if (!svf_learning_fit(learning) || !svf_learning_error(learning, judges, false, &error)) return false;
    if (error < least) least = error, *best = r;
    if (r < most && !svf_solver_stopped(learning->solver) && !svf_learning_turn(learning)) return false;
  }
  return true;
}

static bool choose_rounds(const svf_ls_cell *c, const svf_gauss_problem *machine, const uint32_t *order, size_t n,
                          const svf_solver *solver, size_t *rounds) {
  const svf_settings *settings = c->ground->settings;
  size_t apart = (size_t)(settings->metric_judges * (double)n + .5), most = (size_t)settings->metric_rounds;
  svf_learning_rows rows, judges;
  *rounds = n < LEAST ? 0 : most;
  if (n < LEAST || !(settings->metric_judges > 0)) return true;
  *rounds = 0;
  if (apart < LEAST || n - apart < LEAST) return true;
  svf_mark mark = svf_arena_mark(solver->arena);
  bool fine = take_rows(c, order, n - apart, solver->arena, &rows) &&
              take_rows(c, order + n - apart, apart, solver->arena, &judges);
  svf_learning learning = fine ? learning_of(c, &rows, machine, solver) : (svf_learning){0};
  fine = fine && judge_rounds(&learning, &judges, most, rounds);
  svf_arena_release(solver->arena, mark);
  return fine;
}

/* T from the learning, in single precision if the numbers of the leaf are: its rows are then mapped as later ones will be. */
static void keep(const svf_ls_cell *c, const svf_learning *learning, size_t count, double *t) {
  bool single = c->ground->settings->precision == SVF_PRECISION_SINGLE;
  for (size_t i = 0; i < count; i++) t[i] = single ? (float)learning->t[i] : learning->t[i];
}

static bool run(const svf_ls_cell *c, const svf_gauss_problem *machine, const uint32_t *order, size_t n,
                const svf_solver *solver, double *t) {
  size_t rounds, d = c->ground->frame->d, count = is_full(c) ? d * svf_padded(d) : d;
  svf_learning_rows rows;
  if (!choose_rounds(c, machine, order, n, solver, &rounds)) return false;
  if (rounds == 0 || svf_solver_stopped(solver)) return true;
  if (!take_rows(c, order, n, solver->arena, &rows)) return false;
  svf_learning learning = learning_of(c, &rows, machine, solver);
  if (!svf_learning_open(&learning) || !svf_learning_run(&learning, rounds)) return false;
  keep(c, &learning, count, t);
  return true;
}

bool svf_ls_own_learn(svf_ls_cell *c, const svf_gauss_problem *machine) {
  svf_worker *worker = c->ground->worker;
  svf_arena *arena = &worker->arena;
  svf_solver solver = {.la = c->ground->la, .stop = worker->stop, .arena = arena, .worker = worker};
  svf_random random = svf_site_random(c->ground, c->site, SVF_USE_METRIC, 0);
  size_t d = c->ground->frame->d, ld = svf_padded(d), learners = c->site->n - c->held_out;
  double *t = SVF_ZERO(arena, double, is_full(c) ? d *ld : d);
  if (!t) return false;
  for (size_t j = 0; j < d; j++) t[is_full(c) ? j * ld + j : j] = 1;
  svf_mark mark = svf_arena_mark(arena);
  uint32_t *order = SVF_TAKE(arena, uint32_t, learners);
  for (size_t i = 0; order && i < learners; i++) order[i] = (uint32_t)i;
  if (order) svf_random_shuffle(&random, order, learners);
  bool fine = order && run(c, machine, order, rows_wanted(c), &solver, t);
  svf_arena_release(arena, mark);
  c->own = (svf_metric){d, is_full(c), t};
  return fine;
}

/* ---- numbers ---- */

void svf_ls_own_write(const svf_ls_cell *c, svf_buffer *numbers) {
  size_t d = c->own.d, ld = svf_padded(d);
  for (size_t i = 0; i < d; i++) {
    if (!c->own.full) svf_ls_write(numbers, c->own.t[i]);
    for (size_t j = i; c->own.full && j < d; j++) svf_ls_write(numbers, c->own.t[i * ld + j]);
  }
}

/* Where row i of the packed upper triangle would begin if its first i entries were stored, too: add j for entry (i, j). */
static size_t row_at(const svf_ls_view *view, size_t i) { return view->map + i * view->leaf->d - i * (i + 1) / 2; }

bool svf_ls_own_take(const svf_ls_view *view, svf_arena *arena, svf_metric *metric) {
  const svf_leaf_view *leaf = view->leaf;
  size_t d = leaf->d, ld = svf_padded(d);
  double *t = SVF_ZERO(arena, double, view->full ? d *ld : d);
  *metric = (svf_metric){d, view->full, t};
  if (!t) return false;
  for (size_t i = 0; i < d; i++) {
    if (!view->full) t[i] = svf_leaf_number(leaf, view->map + i);
    for (size_t j = i; view->full && j < d; j++)
      t[i * ld + j] = t[j * ld + i] = svf_leaf_number(leaf, row_at(view, i) + j);
  }
  return true;
}

void svf_ls_own_pull(const svf_ls_view *view, double *w, double *scratch) {
  const svf_leaf_view *leaf = view->leaf;
  size_t d = leaf->d;
  memset(scratch, 0, d * sizeof *scratch);
  for (size_t i = 0; i < d; i++) {
    if (!view->full) scratch[i] = w[i] * svf_leaf_number(leaf, view->map + i);
    for (size_t j = i; view->full && j < d; j++) {
      double t = svf_leaf_number(leaf, row_at(view, i) + j);
      scratch[i] += t * w[j];
      if (j > i) scratch[j] += t * w[i];
    }
  }
  memcpy(w, scratch, d * sizeof *w);
}

double svf_ls_own_length(const svf_leaf_view *leaf, size_t column) {
  svf_ls_view view;
  double sum = 0;
  if (!svf_ls_read(leaf, &view) || !view.map) return -1;
  for (size_t i = view.full ? 0 : column; i < (view.full ? leaf->d : column + 1); i++) {
    size_t row = i < column ? i : column, other = i < column ? column : i;
    double t = svf_leaf_number(leaf, view.full ? row_at(&view, row) + other : view.map + column);
    sum += t * t;
  }
  return sum;
}
