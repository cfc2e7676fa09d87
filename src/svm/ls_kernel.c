/* ls_kernel.c - see ls_kernel.h. */
#include "svm/ls_kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "la/band.h"

enum { REFINEMENTS = 6 };
#define TINY 1e-300 /* stands for a G_i of 0, which one row alone has */

/* Rows and columns of a matrix between two looks at the stop flag: as many as the kernels take at a time, so that the bits are
 * those of one call. */
enum { ROWS = 64, COLUMNS = 32 };
static bool stopped(const svf_ls_form *f) { return svf_la_stopped(f->stop); }

/* Columns of Q. */
static size_t inner(const svf_ls_form *f) { return f->no_bias ? f->n : f->n ? f->n - 1 : 0; }

static void weigh(svf_ls_form *f, const svf_ls_rows *rows) {
  f->strongest = 1;
  for (size_t i = 0; rows->weight && i < f->n; i++)
    f->strongest = i ? fmax(f->strongest, rows->weight[i]) : rows->weight[i];
  for (size_t i = 0; i < f->n; i++) {
    double c = rows->weight ? fmax(rows->weight[i] / f->strongest, SVF_LEAST_WEIGHT) : 1;
    f->root[i] = sqrt(c);
    f->total += c;
  }
  for (size_t q = 0; q < f->targets; q++) {
    for (size_t i = 0; i < f->n; i++) {
      f->y[q * f->wide + i] = f->root[i] * rows->y[q * rows->stride + i];
      f->middle[q] += f->root[i] * f->y[q * f->wide + i];
    }
    f->middle[q] = f->no_bias ? 0 : f->middle[q] / f->total;
  }
}

bool svf_ls_open(svf_ls_form *form, const svf_ls_rows *rows, const svf_la *la, svf_arena *arena) {
  size_t wide = svf_padded(rows->n), all = rows->targets * wide;
  *form = (svf_ls_form){.la = la, .n = rows->n, .wide = wide, .targets = rows->targets, .no_bias = rows->no_bias};
  form->root = SVF_ZERO(arena, double, wide);
  form->y = SVF_ZERO(arena, double, all);
  form->middle = SVF_ZERO(arena, double, rows->targets);
  form->basis = SVF_TAKE(arena, double, rows->n *wide);
  form->band = SVF_TAKE(arena, double, wide *SVF_BAND_ROW);
  form->edge = SVF_ZERO(arena, double, wide);
  form->along = SVF_TAKE(arena, double, all);
  if (svf_arena_failed(arena)) return false;
  weigh(form, rows);
  return true;
}

double svf_ls_memory(size_t n, size_t targets, size_t count) {
  double wide = (double)svf_padded(n), machines = (double)targets * (double)count;
  return 8 * wide *
         (2 * wide + (double)(count + 1) * SVF_BAND_ROW + 12 * SVF_BAND + 8 + (double)count + 2 * machines);
}

/* The reflection I - v v' that turns r into a multiple of the last axis; |v|^2 = 2. */
static void find_axis(const svf_ls_form *f, double *v) {
  double length = sqrt(f->total), last = f->root[f->n - 1], sum = f->total - last * last;
  double head = last + length, scale = sqrt(2 / (head * head + fmax(sum, 0)));
  memset(v, 0, f->wide * sizeof *v);
  for (size_t i = 0; i + 1 < f->n; i++) v[i] = f->root[i] * scale;
  v[f->n - 1] = head * scale;
}

/* k := R K R. */
static void scale(svf_ls_form *f, double *k) {
  double trace = 0;
  for (size_t i = 0; i < f->n && !stopped(f); i++) {
    double *row = k + i * f->wide;
    for (size_t j = 0; j < f->n; j++) row[j] *= f->root[i] * f->root[j];
    trace += row[i];
  }
  f->least = DBL_EPSILON * trace;
}

/* k := H k H, upper triangle, H = I - v v'. */
static void turn(svf_ls_form *f, double *k, const double *v, double *q) {
  const svf_la *la = f->la;
  double half = 0;
  memset(q, 0, f->wide * sizeof *q);
  for (size_t i = 0; i < f->n && !stopped(f); i += ROWS)
    la->product(f->n - i < ROWS ? f->n - i : ROWS, f->wide, k + i * f->wide, v, q + i);
  for (size_t i = 0; i < f->n; i++) half += .5 * q[i] * v[i];
  for (size_t i = 0; i < f->n; i++) q[i] -= half * v[i];
  for (size_t i = 0; i < f->n && !stopped(f); i++) {
    size_t from = i & ~(size_t)(SVF_LANES - 1);
    double *row = k + i * f->wide + from;
    la->axpy(f->wide - from, -v[i], q + from, row);
    la->axpy(f->wide - from, -q[i], v + from, row);
  }
}

/* H r = -|r| times the last axis, so the last column of H R K R H, in the basis, is what r sees of R K R Q. */
static void find_edge(svf_ls_form *f, double *column) {
  size_t m = inner(f);
  f->la->product(m, f->wide, f->basis, column, f->edge);
  for (size_t e = 0; e < m; e++) f->edge[e] /= -sqrt(f->total);
}

/* The basis in the turned coordinates becomes that of the rows: P'H without its last row, P' being 0 in the last column. */
static void turn_back(svf_ls_form *f, double *v) {
  size_t m = inner(f), last = m;
  double tip = v[last];
  v[last] = 0;
  for (size_t e = 0; e < m && !stopped(f); e++) {
    double *row = f->basis + e * f->wide, along = f->la->dot(f->wide, row, v);
    f->la->axpy(f->wide, -along, v, row);
    row[last] = -along * tip;
  }
}

/* On the space orthogonal to r, which has no part in a machine with a bias. */
static bool reduce_within(svf_ls_form *f, double *k, svf_arena *scratch) {
  double *v = SVF_TAKE(scratch, double, f->wide), *q = SVF_TAKE(scratch, double, f->wide);
  double *column = SVF_ZERO(scratch, double, f->wide);
  size_t m = inner(f), last = m;
  if (svf_arena_failed(scratch)) return false;
  find_axis(f, v);
  turn(f, k, v, q);
  for (size_t i = 0; i < m; i++) {
    column[i] = k[i * f->wide + last];
    k[i * f->wide + last] = 0;
  }
  if (!svf_band_reduce(f->la, m, f->wide, k, f->band, f->basis, f->stop, scratch)) return false;
  if (stopped(f)) return true;
  find_edge(f, column);
  turn_back(f, v);
  return true;
}

bool svf_ls_reduce(svf_ls_form *f, double *k, svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  size_t m = inner(f);
  bool fine = true;
  if (m > 0) {
    scale(f, k);
    fine = f->no_bias ? svf_band_reduce(f->la, m, f->wide, k, f->band, f->basis, f->stop, scratch)
                      : reduce_within(f, k, scratch);
  }
  if (fine && m > 0 && !stopped(f)) {
    memset(f->along, 0, f->targets * f->wide * sizeof *f->along);
    f->la->blocked->dots(m, f->wide, f->targets, (svf_dense){f->basis, f->wide}, (svf_dense){f->y, f->wide},
                         (svf_dense){f->along, f->wide});
  }
  svf_arena_release(scratch, mark);
  return fine;
}

/* 1/C as it stands beside R K R. */
static double shift_of(const svf_ls_form *f, double C) { return svf_ridge(C, f->strongest); }

/* Where rounding has made B + I/C indefinite it gets as much more as rounding may have taken. */
static void factorise(const svf_ls_form *f, double C, double *factor) {
  double shift = shift_of(f, C), more = f->least;
  while (!svf_band_factor(inner(f), f->band, shift, factor) && more < 1e300) shift += more, more *= 4;
}

/* Machine number i of a path: the step along the basis, and the bias. The steps of all machines stand side by side. */
static void take_step(const svf_ls_form *f, const double *factor, size_t q, double *step, double *bias) {
  memcpy(step, f->along + q * f->wide, f->wide * sizeof *step);
  svf_band_solve(inner(f), factor, step);
  *bias = f->middle[q] - f->la->dot(f->wide, f->edge, step);
}

static bool open_path(const svf_ls_form *f, svf_ls_path *path, svf_arena *arena) {
  size_t machines = path->count * f->targets;
  path->factor = SVF_TAKE(arena, double, path->count * f->wide * SVF_BAND_ROW);
  path->beta = SVF_ZERO(arena, double, machines * f->wide);
  path->bias = SVF_TAKE(arena, double, machines);
  path->gain = SVF_ZERO(arena, double, path->count * f->wide);
  path->step = SVF_TAKE(arena, double, f->wide);
  return !svf_arena_failed(arena);
}

/* beta += across' basis, for all machines. */
static void combine(const svf_ls_form *f, size_t machines, double *across, double *beta) {
  for (size_t e = 0, m = inner(f); e < m && !stopped(f); e += ROWS)
    f->la->blocked->outer(machines, f->wide, m - e < ROWS ? m - e : ROWS,
                          (svf_dense){across + e * machines, machines}, (svf_dense){f->basis + e * f->wide, f->wide},
                          (svf_dense){beta, f->wide});
}

/* The diagonal of G for every C. */
static void find_gains(const svf_ls_form *f, const svf_ls_path *path) {
  svf_dense factor = {path->factor, f->wide * SVF_BAND_ROW};
  for (size_t j = 0; j < f->wide && !stopped(f); j += COLUMNS)
    f->la->blocked->band_squares(inner(f), f->wide - j < COLUMNS ? f->wide - j : COLUMNS, path->count, factor,
                                 (svf_dense){f->basis + j, f->wide}, (svf_dense){path->gain + j, f->wide});
}

bool svf_ls_walk(const svf_ls_form *f, svf_ls_path *path, bool left_out, svf_arena *arena) {
  if (!open_path(f, path, arena)) return false;
  size_t m = inner(f), machines = path->count * f->targets, each = f->wide * SVF_BAND_ROW;
  svf_mark mark = svf_arena_mark(arena);
  double *across = SVF_TAKE(arena, double, m *machines), *step = path->step;
  bool fine = !svf_arena_failed(arena);
  for (size_t c = 0; fine && c < path->count; c++) {
    factorise(f, path->C[c], path->factor + c * each);
    for (size_t q = 0; q < f->targets; q++) {
      size_t i = c * f->targets + q;
      take_step(f, path->factor + c * each, q, step, &path->bias[i]);
      for (size_t e = 0; e < m; e++) across[e * machines + i] = step[e];
    }
  }
  if (fine) combine(f, machines, across, path->beta);
  if (fine && left_out) find_gains(f, path);
  svf_arena_release(arena, mark);
  return fine;
}

double svf_ls_error(const svf_ls_form *f, const svf_ls_path *path, size_t c, double *left_out) {
  const double *beta = path->beta + c * f->targets * f->wide, *gain = path->gain + c * f->wide;
  double sum = 0;
  for (size_t q = 0; q < f->targets; q++)
    for (size_t i = 0; i < f->n; i++) {
      double error = beta[q * f->wide + i] / fmax(gain[i], TINY);
      sum += error * error;
      if (left_out) left_out[q * f->n + i] = error / f->root[i];
    }
  return sum / (f->total * (double)f->targets);
}

/* What is left of the system of one target goes to `rest`; returns its squared size. */
static double residual(const svf_ls_form *f, svf_ls_path *path, const double *k, size_t q, double *alpha,
                       double *rest) {
  double *beta = path->beta + q * f->wide, *bias = &path->bias[q], *y = f->y + q * f->wide, slope = 0, size = 0;
  memset(rest, 0, f->wide * sizeof *rest);
  for (size_t i = 0; i < f->n && !f->no_bias; i++) slope += f->root[i] * beta[i];
  for (size_t i = 0; i < f->n && !f->no_bias; i++) beta[i] -= slope / f->total * f->root[i];
  for (size_t i = 0; i < f->wide; i++) alpha[i] = f->root[i] * beta[i];
  f->la->product(f->n, f->wide, k, alpha, rest);
  *bias = 0;
  for (size_t i = 0; i < f->n; i++) {
    rest[i] = y[i] - f->root[i] * rest[i];
    if (!f->no_bias) *bias += f->root[i] * rest[i] / f->total;
  }
  for (size_t i = 0; i < f->n; i++) {
    rest[i] -= shift_of(f, path->C[0]) * beta[i] + *bias * f->root[i];
    size += rest[i] * rest[i];
  }
  return size;
}

void svf_ls_refine(svf_ls_form *f, svf_ls_path *path, const double *k, double *alpha) {
  svf_dense basis = {f->basis, f->wide};
  for (size_t q = 0; q < f->targets; q++) {
    double last = INFINITY, *rest = f->along + q * f->wide, *step = path->step;
    for (int round = 0; !stopped(f); round++) {
      double size = residual(f, path, k, q, alpha + q * f->wide, rest);
      if (!(size < .25 * last) || round == REFINEMENTS) break; /* what is left is rounding */
      last = size;
      memset(step, 0, f->wide * sizeof *step);
      f->la->blocked->dots(inner(f), f->wide, 1, basis, (svf_dense){rest, f->wide}, (svf_dense){step, f->wide});
      svf_band_solve(inner(f), path->factor, step);
      f->la->blocked->outer(1, f->wide, inner(f), (svf_dense){step, 1}, basis,
                            (svf_dense){path->beta + q * f->wide, f->wide});
    }
  }
}
