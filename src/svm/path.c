/* path.c - one two-class problem along the values of C, on the whole set and on the parts without one fold.
 */
#include "svm/machines.h"

#include <math.h>
#include <string.h>
#include "svm/squared.h"

struct svf_path_shared {
  const svf_machines_problem *problem;
  const svf_machines_options *options;
  svf_form form; /* squared hinge: Gram matrices that every class, fold and C uses */
};

svf_path_shared *svf_path_open(const svf_machines_problem *problem, const svf_machines_options *options,
                               const double *base) {
  svf_arena *arena = options->solver.arena;
  svf_path_shared *shared = SVF_ZERO(arena, svf_path_shared, 1);
  if (!shared) return NULL;
  shared->problem = problem;
  shared->options = options;
  if (options->loss == SVF_SQUARED_HINGE)
    svf_form_open(&shared->form, &problem->rows, problem->fold, problem->folds, base, &options->solver);
  return svf_arena_failed(arena) ? NULL : shared;
}

/* Costs of the part that leaves out a fold. */
static void leave_out(const svf_machines_problem *problem, int32_t fold, const double *cost, double *part) {
  for (size_t i = 0; i < problem->rows.n; i++) part[i] = problem->fold[i] == fold ? 0 : cost[i];
}

static void keep_held(const svf_machines_problem *problem, int32_t fold, const double *score, float *held) {
  for (size_t i = 0; i < problem->rows.n; i++)
    if (problem->fold[i] == fold) held[i] = (float)score[i];
}

/* The fits of one problem: the whole set, and a group of parts that go along the path together. */
typedef struct walk {
  const svf_path_shared *shared;
  svf_active whole, part[SVF_COLUMNS];
  svf_start start;
  float *held;
  double *w, *gap;
} walk;

static void keep_whole(walk *k, size_t c) {
  size_t ld = k->shared->problem->rows.ld;
  memcpy(k->w + c * ld, k->whole.w, ld * sizeof(double));
  k->gap[c] = k->whole.fit.gap;
}

static void keep_parts(walk *k, size_t first, size_t count, size_t c) {
  const svf_machines_problem *problem = k->shared->problem;
  float *held = k->held + c * problem->rows.n;
  for (size_t i = 0; i < problem->rows.n; i++) {
    size_t part = (size_t)problem->fold[i] - first;
    if (part < count) held[i] = k->part[part].s[i];
  }
}

/* All values of C for parts first..first+count-1; the whole set, solved at the smallest C, joins the last
 * group. */
static void along(walk *k, size_t first, size_t count, bool with_whole) {
  const svf_machines_options *options = k->shared->options;
  const svf_form *form = &k->shared->form;
  svf_active *fits[SVF_COLUMNS];
  for (size_t c = 0; c < options->C_count; c++) {
    size_t open = 0;
    for (size_t q = 0; q < count; q++) fits[open++] = &k->part[q];
    if (with_whole && c > 0) fits[open++] = &k->whole;
    for (size_t q = 0; c > 0 && q < open; q++) svf_active_advance(fits[q], form, c == 1);
    svf_active_solve(fits, open, form, options->C[c], &options->solver);
    if (count) keep_parts(k, first, count, c);
    if (with_whole && c > 0) keep_whole(k, c);
  }
}

static bool open_walk(walk *k, const svf_binary *binary, float *sign, size_t parts) {
  const svf_form *form = &k->shared->form;
  svf_arena *arena = k->shared->options->solver.arena;
  svf_start_open(&k->start, form, arena);
  svf_active_open(&k->whole, form, binary, sign, arena);
  for (size_t q = 0; q < SVF_COLUMNS && q < parts; q++) svf_active_open(&k->part[q], form, binary, sign, arena);
  return !svf_arena_failed(arena);
}

static bool squared_path(svf_path_shared *shared, const svf_binary *binary, double *w, float *held, double *gap) {
  const svf_machines_options *options = shared->options;
  const svf_form *form = &shared->form;
  size_t parts = held ? shared->problem->folds : 0;
  walk k = {.shared = shared, .w = w, .held = held, .gap = gap};
  float *sign = SVF_TAKE(options->solver.arena, float, form->padded);
  if (!open_walk(&k, binary, sign, parts)) return false;
  for (size_t i = 0; i < form->padded; i++) sign[i] = i < shared->problem->rows.n ? (float)binary->sign[i] : 1;

  svf_active *whole = &k.whole;
  svf_active_whole(whole, form, &k.start);
  svf_active_solve(&whole, 1, form, options->C[0], &options->solver);
  keep_whole(&k, 0);
  svf_active_settle(whole, form);
  whole->start = NULL;
  for (size_t first = 0;;) { /* the smallest C of the whole set starts every part */
    size_t room = SVF_COLUMNS - 1, count = parts - first < room ? parts - first : room;
    for (size_t q = 0; q < count; q++) svf_active_part(&k.part[q], form, whole, &k.start, (int32_t)(first + q));
    along(&k, first, count, first + count == parts);
    first += count;
    if (first == parts) return true;
  }
}

static bool hinge_path(svf_path_shared *shared, const svf_binary *binary, double *w, float *held, double *gap) {
  const svf_machines_problem *problem = shared->problem;
  const svf_machines_options *options = shared->options;
  const svf_rows *rows = &problem->rows;
  svf_arena *arena = options->solver.arena;
  double *cost = SVF_TAKE(arena, double, rows->n), *score = SVF_TAKE(arena, double, rows->n);
  double *part_w = SVF_TAKE(arena, double, rows->ld);
  if (svf_arena_failed(arena)) return false;
  svf_binary part = {binary->sign, cost};
  for (size_t c = 0; c < options->C_count; c++) {
    svf_fit fit;
    if (!svf_hinge_fit(rows, binary, options->C[c], &options->solver, w + c * rows->ld, &fit)) return false;
    gap[c] = fit.gap;
    for (size_t f = 0; held && f < problem->folds; f++) {
      leave_out(problem, (int32_t)f, binary->cost, cost);
      if (!svf_hinge_fit(rows, &part, options->C[c], &options->solver, part_w, &fit)) return false;
      options->solver.la->product(rows->n, rows->ld, rows->x, part_w, score);
      keep_held(problem, (int32_t)f, score, held + c * rows->n);
    }
  }
  return true;
}

bool svf_path_run(svf_path_shared *shared, const svf_binary *binary, double *w, float *held, double *gap) {
  svf_arena *arena = shared->options->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  bool fine = shared->options->loss == SVF_SQUARED_HINGE ? squared_path(shared, binary, w, held, gap)
                                                         : hinge_path(shared, binary, w, held, gap);
  svf_arena_release(arena, mark);
  return fine;
}
