/* linear_totals.c - the matrices that all fits on a set of rows share: totals of the folds, Gram matrix. */
#include "svm/linear_shared.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { LIST = 512 }; /* rows named at a time */

/* Rows of so many numbers that make an H of side^2 between two looks at the stop flag, up to LIST. */
static size_t rows_at_once(size_t side) {
  enum { WORK = 1 << 28, LEAST = 16 }; /* multiplications; rows that the kernel takes together */
  size_t some = WORK / (side * side) / LEAST * LEAST + LEAST;
  return some < LIST ? some : LIST;
}

void svf_shared_rank(const svf_shared *shared, const svf_solver *solver, size_t count, const uint32_t *list,
                     const float *weight, float *h) {
  const float *row[LIST];
  size_t most = rows_at_once(shared->ld);
  for (size_t q = 0; q < count && !svf_solver_stopped(solver); q += most) {
    size_t some = count - q < most ? count - q : most;
    for (size_t i = 0; i < some; i++) row[i] = shared->x + list[q + i] * shared->ld;
    shared->la->single->rank(shared->p, shared->ld, some, row, weight + q, h);
  }
}

/* The totals of every fold. If they cost much, each is computed in two halves: three folds alone would leave one of two threads
 * without work for a third of the time. With SVF_PANELS_ONLY, a half has half of the rows; with SVF_H_SUMS, the left or the
 * right columns of H, which are half of the work each. */
typedef struct adding {
  svf_shared *shared;
  const svf_costs *costs;
  const svf_solver *solver;
  size_t halves;  /* 1 or 2 */
  double *second; /* SVF_PANELS_ONLY: the second halves; the totals hold the first */
  double *error;  /* SVF_H_SUMS: the error of each half (see measure_half) */
} adding;

/* One of them: rows first..end-1 of a fold, added to some columns of H. */
typedef struct half {
  size_t fold, first, end;
  svf_strip columns;
  double *h; /* in double; else the total itself */
} half;

/* Column j of the upper triangle has j numbers: half of all stand left of the side over the root of 2. */
static half half_of(const adding *l, size_t index) {
  const svf_shared *shared = l->shared;
  size_t f = index / l->halves, ld = svf_padded(shared->p), middle = svf_padded(ld * 181 / 256);
  bool second = index % l->halves;
  half part = {f, shared->start[f], shared->start[f + 1], {0, ld}, NULL};
  if (svf_shared_double(shared))
    part.h = (second && l->second ? l->second : shared->total_double) + f * svf_double_square(shared);
  if (l->second) *(second ? &part.first : &part.end) = part.first + (part.end - part.first) / 2;
  else if (l->halves == 2) *(second ? &part.columns.from : &part.columns.to) = middle;
  return part;
}

/* Row by row: where a matrix is large, the first touch of its memory takes long. */
static void clear_rows(float *x, size_t rows, size_t ld, const svf_solver *solver) {
  for (size_t i = 0; i < rows && !svf_solver_stopped(solver); i++) memset(x + i * ld, 0, ld * sizeof *x);
}

static void clear_half(const svf_shared *shared, const half *part, const svf_solver *solver) {
  size_t ld = svf_padded(shared->p);
  if (!svf_shared_double(shared))
    clear_rows(shared->total + part->fold * svf_shared_square(shared), ld, shared->ld, solver);
  for (size_t i = 0; svf_shared_double(shared) && i < ld && !svf_solver_stopped(solver); i++)
    memset(part->h + i * ld + part->columns.from, 0, (part->columns.to - part->columns.from) * sizeof(double));
}

static void add_rows(const svf_shared *shared, const svf_double_scratch *scratch, const half *part, size_t count,
                     const uint32_t *list, const float *weight) {
  if (!svf_shared_double(shared)) {
    svf_shared_rank(shared, scratch->solver, count, list, weight,
                    shared->total + part->fold * svf_shared_square(shared));
  } else if (part->columns.to - part->columns.from == svf_padded(shared->p)) {
    svf_double_rank(shared, scratch, count, list, weight, part->h);
  } else {
    for (size_t q = 0; q < count; q += SVF_DOUBLE_ROWS) {
      size_t some = count - q < SVF_DOUBLE_ROWS ? count - q : SVF_DOUBLE_ROWS;
      svf_double_strip(shared, scratch, part->columns, some, list + q, weight + q, part->h);
    }
  }
}

/* Some numbers on the diagonal of H again, in double alone: the mean square of what sums in single precision are off, over
 * the numbers. */
static double measure_half(const adding *l, const half *part) {
  enum { GROUPS = 4 };
  const svf_shared *shared = l->shared;
  size_t ld = svf_padded(shared->p), width = part->columns.to - part->columns.from, count = 0;
  double error = 0;
  for (size_t g = 0; g < GROUPS; g++) {
    size_t at = part->columns.from + width * g / GROUPS / SVF_LANES * SVF_LANES;
    double sum[SVF_LANES] = {0};
    for (size_t i = part->first; i < part->end; i++)
      for (size_t c = 0; c < SVF_LANES; c++) {
        double x = shared->x[i * shared->ld + at + c];
        sum[c] += svf_cost(l->costs, i) * (x * x);
      }
    for (size_t c = 0; c < SVF_LANES; c++) {
      double off = part->h[(at + c) * ld + at + c] - sum[c];
      if (sum[c] > 0) error += off * off / (sum[c] * sum[c]), count++;
    }
  }
  return count ? error / (double)count : 0;
}

static bool add_half(void *context, size_t index, svf_worker *worker) {
  const adding *l = context;
  const svf_shared *shared = l->shared;
  half part = half_of(l, index);
  svf_solver solver = svf_solver_on(l->solver, worker);
  svf_arena *arena = solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_double_scratch scratch = {.solver = &solver};
  uint32_t list[LIST];
  float weight[LIST];
  if (svf_shared_double(shared)) svf_double_open(&scratch, shared, &solver);
  bool fine = !svf_arena_failed(arena);
  if (fine) clear_half(shared, &part, &solver);
  for (size_t first = part.first; fine && first < part.end && !svf_solver_stopped(&solver); first += LIST) {
    size_t some = part.end - first < LIST ? part.end - first : LIST;
    for (size_t i = 0; i < some; i++) list[i] = (uint32_t)(first + i), weight[i] = svf_cost(l->costs, first + i);
    add_rows(shared, &scratch, &part, some, list, weight);
  }
  if (fine && shared->regime->matrix == SVF_H_SUMS) l->error[index] = measure_half(l, &part);
  svf_arena_release(arena, mark);
  return fine;
}

static bool join_halves(void *context, size_t f, svf_worker *worker) {
  (void)worker;
  const adding *l = context;
  size_t square = svf_double_square(l->shared);
  l->shared->la->axpy(square, 1, l->second + f * square, l->shared->total_double + f * square);
  return true;
}

/* K as a sum of outer products of the columns of X, which are made first. Its upper triangle. */
static void add_gram(svf_shared *shared, const svf_solver *solver, float *columns, const float **row, float *weight) {
  size_t n = shared->n, ld = shared->gram_ld, most = rows_at_once(ld);
  for (size_t i = 0; i < n && !svf_solver_stopped(solver); i++)
    for (size_t j = 0; j < shared->p; j++) columns[j * ld + i] = shared->x[i * shared->ld + j];
  for (size_t j = 0; j < shared->p; j++) {
    memset(columns + j * ld + n, 0, (ld - n) * sizeof *columns);
    row[j] = columns + j * ld, weight[j] = 1;
  }
  for (size_t j = 0; j < shared->p && !svf_solver_stopped(solver); j += most)
    shared->la->single->rank(n, ld, shared->p - j < most ? shared->p - j : most, row + j, weight + j, shared->gram);
}

/* Rows of K that have been made, and who is at it. */
struct svf_known {
  atomic_flag busy;
  unsigned char *row; /* n */
};

void svf_shared_know(const svf_shared *shared, const svf_solver *solver, const uint32_t *list, size_t count) {
  if (shared->regime->step != SVF_STEP_SMALLER) return;
  const float *x[SVF_COLUMNS];
  float *k[SVF_COLUMNS];
  size_t some = 0;
  while (atomic_flag_test_and_set_explicit(&shared->known->busy, memory_order_acquire)) sched_yield();
  for (size_t q = 0; q < count && !svf_solver_stopped(solver); q++) {
    if (!shared->known->row[list[q]]) {
      shared->known->row[list[q]] = 1;
      x[some] = shared->x + list[q] * shared->ld;
      k[some++] = shared->gram + list[q] * shared->gram_ld;
    }
    if (some == SVF_COLUMNS || (some > 0 && q + 1 == count)) {
      svf_shared_scores(shared, 0, shared->panels, some, x, k);
      some = 0;
    }
  }
  atomic_flag_clear_explicit(&shared->known->busy, memory_order_release);
}

static void open_few(svf_shared *shared, svf_arena *arena) {
  shared->gram_ld = shared->panels * SVF_PANEL;
  shared->gram = SVF_TAKE(arena, float, shared->n * shared->gram_ld);
  shared->known = SVF_TAKE(arena, struct svf_known, 1);
  unsigned char *row = SVF_ZERO(arena, unsigned char, shared->n);
  if (svf_arena_failed(arena)) return;
  shared->known->row = row;
  atomic_flag_clear(&shared->known->busy);
}

/* The largest eigenvalue of 2C H is below 2C sum base |x|^2: that. */
static double eigenvalue_below(const svf_shared *shared, const svf_costs *costs, double C) {
  double sum = 0;
  for (size_t i = 0; i < shared->n; i++) sum += costs->base[i];
  return 2 * C * (sum / costs->unit) * shared->mean_square;
}

static void share_gram(svf_shared *shared, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  shared->gram_ld = svf_padded_single(shared->n);
  shared->gram = SVF_TAKE(arena, float, svf_padded(shared->n) * shared->gram_ld);
  svf_mark mark = svf_arena_mark(arena);
  float *columns = SVF_TAKE(arena, float, shared->p * shared->gram_ld), *weight = SVF_TAKE(arena, float, shared->p);
  const float **row = SVF_TAKE(arena, const float *, shared->p);
  if (svf_arena_failed(arena)) return;
  clear_rows(shared->gram, svf_padded(shared->n), shared->gram_ld, solver);
  add_gram(shared, solver, columns, row, weight);
  svf_arena_release(arena, mark);
}

static bool add_totals(adding *l) {
  svf_shared *shared = l->shared;
  l->halves = l->second || shared->regime->matrix == SVF_H_SUMS ? 2 : 1;
  return svf_solver_share(l->solver, shared->folds * l->halves, add_half, l);
}

/* If rows repeat, their errors add up instead of cancelling. Then the totals are computed again in double. */
static bool judge_sums(adding *l, const svf_extent *extent) {
  double square = 0;
  for (size_t i = 0; i < l->shared->folds * l->halves; i++)
    square += l->error[i] / (double)(l->shared->folds * l->halves);
  if (svf_regime_sums(extent, sqrt(square))) return true;
  l->shared->regime = &svf_regimes[SVF_REGIME_DOUBLE];
  return add_totals(l);
}

static bool share_totals(svf_shared *shared, const svf_costs *costs, const svf_extent *extent,
                         const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  bool sums = shared->regime->matrix == SVF_H_SUMS;
  if (svf_shared_double(shared))
    shared->total_double = SVF_TAKE(arena, double, shared->folds *svf_double_square(shared));
  else shared->total = SVF_TAKE(arena, float, shared->folds *svf_shared_square(shared));
  svf_mark mark = svf_arena_mark(arena);
  adding l = {.shared = shared, .costs = costs, .solver = solver};
  if (shared->storage == SVF_PANELS_ONLY)
    l.second = SVF_TAKE(arena, double, shared->folds *svf_double_square(shared));
  if (sums) l.error = SVF_TAKE(arena, double, 2 * shared->folds);
  if (svf_arena_failed(arena)) return false;
  bool fine = add_totals(&l);
  if (fine && sums) fine = judge_sums(&l, extent);
  if (fine && l.second) svf_solver_share(solver, shared->folds, join_halves, &l);
  svf_arena_release(arena, mark);
  return fine;
}

bool svf_shared_make(svf_shared *shared, const svf_costs *costs, double C, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  shared->one = SVF_TAKE(arena, float, svf_padded(shared->p));
  if (svf_arena_failed(arena)) return false;
  for (size_t j = 0; j < svf_padded(shared->p); j++) shared->one[j] = 1;
  svf_extent extent = {shared->n, shared->p, shared->folds, eigenvalue_below(shared, costs, C)};
  shared->regime = svf_regime_choose(&extent);
  if (shared->regime->step == SVF_STEP_SMALLER) open_few(shared, arena);
  if (svf_shared_gram(shared)) share_gram(shared, solver);
  else if (shared->regime->first != SVF_FIRST_GRADIENT) return share_totals(shared, costs, &extent, solver);
  return !svf_arena_failed(arena);
}
