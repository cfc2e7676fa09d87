/* ls_kernel.c - see ls_kernel.h. */
#include "svm/ls_kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "la/band.h"

enum { REFINEMENTS = 6 };
#define TINY 1e-300 /* stands for a G_i of 0, which one row alone has */

static size_t inner(const svf_ls_form *f) { return f->n ? f->n - 1 : 0; }

static void weigh(svf_ls_form *f, const svf_ls_rows *rows) {
  f->strongest = 1;
  for (size_t i = 0; rows->weight && i < f->n; i++)
    f->strongest = i ? fmax(f->strongest, rows->weight[i]) : rows->weight[i];
  for (size_t i = 0; i < f->n; i++) {
    double c = rows->weight ? rows->weight[i] / f->strongest : 1;
    f->root[i] = sqrt(c);
    f->total += c;
  }
  for (size_t q = 0; q < f->targets; q++) {
    for (size_t i = 0; i < f->n; i++) {
      f->y[q * f->wide + i] = f->root[i] * rows->y[q * rows->stride + i];
      f->middle[q] += f->root[i] * f->y[q * f->wide + i];
    }
    f->middle[q] /= f->total;
  }
}

bool svf_ls_open(svf_ls_form *form, const svf_ls_rows *rows, const svf_la *la, svf_arena *arena) {
  size_t wide = svf_padded(rows->n), all = rows->targets * wide;
  *form = (svf_ls_form){.la = la, .n = rows->n, .wide = wide, .targets = rows->targets};
  form->root = SVF_ZERO(arena, double, wide);
  form->y = SVF_ZERO(arena, double, all);
  form->middle = SVF_ZERO(arena, double, rows->targets);
  form->basis = SVF_TAKE(arena, double, rows->n *wide);
  form->band = SVF_TAKE(arena, double, wide *SVF_BAND_ROW);
  form->factor = SVF_TAKE(arena, double, wide *SVF_BAND_ROW);
  form->edge = SVF_ZERO(arena, double, wide);
  form->along = SVF_TAKE(arena, double, all);
  form->step = SVF_TAKE(arena, double, all);
  form->beta = SVF_TAKE(arena, double, all);
  form->gain = SVF_ZERO(arena, double, wide);
  form->bias = SVF_TAKE(arena, double, rows->targets);
  if (svf_arena_failed(arena)) return false;
  weigh(form, rows);
  return true;
}

double svf_ls_memory(size_t n, size_t targets) {
  double wide = (double)svf_padded(n);
  return 8 * wide * (2 * wide + 2 * SVF_BAND_ROW + 7 * SVF_BAND + 8 + 5 * (double)targets);
}

/* The reflection I - v v' that turns r into a multiple of the last axis; |v|^2 = 2. */
static void find_axis(const svf_ls_form *f, double *v) {
  double length = sqrt(f->total), last = f->root[f->n - 1], sum = f->total - last * last;
  double head = last + length, scale = sqrt(2 / (head * head + fmax(sum, 0)));
  memset(v, 0, f->wide * sizeof *v);
  for (size_t i = 0; i + 1 < f->n; i++) v[i] = f->root[i] * scale;
  v[f->n - 1] = head * scale;
}

/* k := H R K R H, upper triangle, H = I - v v'. */
static void turn(svf_ls_form *f, double *k, const double *v, double *q) {
  const svf_la *la = f->la;
  double half = 0, trace = 0;
  for (size_t i = 0; i < f->n; i++) {
    double *row = k + i * f->wide;
    for (size_t j = 0; j < f->n; j++) row[j] *= f->root[i] * f->root[j];
    trace += row[i];
  }
  f->least = DBL_EPSILON * trace;
  memset(q, 0, f->wide * sizeof *q);
  la->product(f->n, f->wide, k, v, q);
  for (size_t i = 0; i < f->n; i++) half += .5 * q[i] * v[i];
  for (size_t i = 0; i < f->n; i++) q[i] -= half * v[i];
  for (size_t i = 0; i < f->n; i++) {
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

bool svf_ls_reduce(svf_ls_form *f, double *k, svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  double *v = SVF_TAKE(scratch, double, f->wide), *column = SVF_ZERO(scratch, double, f->wide);
  size_t m = inner(f), last = m;
  bool fine = !svf_arena_failed(scratch);
  if (fine && m > 0) {
    find_axis(f, v);
    turn(f, k, v, f->gain);
    for (size_t i = 0; i < m; i++) {
      column[i] = k[i * f->wide + last];
      k[i * f->wide + last] = 0;
    }
    fine = svf_band_reduce(f->la, m, f->wide, k, f->band, f->basis, scratch);
  }
  if (fine && m > 0) {
    find_edge(f, column);
    double tip = v[last];
    v[last] = 0;
    for (size_t e = 0; e < m; e++) { /* the basis is P'H without its last row: P' is 0 in the last column */
      double *row = f->basis + e * f->wide, along = f->la->dot(f->wide, row, v);
      f->la->axpy(f->wide, -along, v, row);
      row[last] = -along * tip;
    }
    memset(f->along, 0, f->targets * f->wide * sizeof *f->along);
    f->la->blocked->dots(m, f->wide, f->targets, (svf_dense){f->basis, f->wide}, (svf_dense){f->y, f->wide},
                         (svf_dense){f->along, f->wide});
  }
  svf_arena_release(scratch, mark);
  return fine;
}

/* 1/C as it stands beside R K R. */
static double shift_of(const svf_ls_form *f, double C) { return 1 / (C * f->strongest); }

/* Where rounding has made B + I/C indefinite it gets as much more as rounding may have taken. */
static void factorise(svf_ls_form *f, double C) {
  double shift = shift_of(f, C), more = f->least;
  while (!svf_band_factor(inner(f), f->band, shift, f->factor) && more < 1e300) shift += more, more *= 4;
}

/* out += Q step, for `count` steps of wide numbers. */
static void combine(const svf_ls_form *f, size_t count, const double *step, double *out) {
  for (size_t q = 0; q < count; q++)
    f->la->blocked->outer(1, f->wide, inner(f), (svf_dense){(double *)step + q * f->wide, 1},
                          (svf_dense){f->basis, f->wide}, (svf_dense){out + q * f->wide, f->wide});
}

static double left_out_error(const svf_ls_form *f, double *left_out) {
  double sum = 0;
  for (size_t q = 0; q < f->targets; q++)
    for (size_t i = 0; i < f->n; i++) {
      double error = f->beta[q * f->wide + i] / fmax(f->gain[i], TINY);
      sum += error * error;
      if (left_out) left_out[q * f->n + i] = error / f->root[i];
    }
  return sum / (f->total * (double)f->targets);
}

double svf_ls_try(svf_ls_form *f, double C, bool left_out) {
  size_t all = f->targets * f->wide;
  memset(f->beta, 0, all * sizeof *f->beta);
  factorise(f, C);
  if (f->n > 1) memcpy(f->step, f->along, all * sizeof *f->step);
  for (size_t q = 0; q < f->targets; q++) {
    double *step = f->step + q * f->wide;
    f->bias[q] = f->middle[q];
    if (f->n < 2) continue;
    svf_band_solve(inner(f), f->factor, step);
    f->bias[q] -= f->la->dot(f->wide, f->edge, step);
  }
  if (f->n > 1) combine(f, f->targets, f->step, f->beta);
  if (!left_out) return 0;
  if (f->n > 1) f->la->blocked->band_squares(inner(f), f->wide, f->factor, (svf_dense){f->basis, f->wide}, f->gain);
  return left_out_error(f, NULL);
}

/* One step of refinement of one target; returns the size of what was left. alpha: wide numbers of scratch. */
static double refine(svf_ls_form *f, double C, const double *k, size_t q, double *alpha) {
  const svf_la *la = f->la;
  double *beta = f->beta + q * f->wide, *step = f->step + q * f->wide, *y = f->y + q * f->wide, slope = 0, size = 0;
  double *rest = f->along + q * f->wide; /* nobody needs it any more */
  memset(rest, 0, f->wide * sizeof *rest);
  for (size_t i = 0; i < f->n; i++) slope += f->root[i] * beta[i];
  for (size_t i = 0; i < f->n; i++) beta[i] -= slope / f->total * f->root[i];
  for (size_t i = 0; i < f->wide; i++) alpha[i] = f->root[i] * beta[i];
  la->product(f->n, f->wide, k, alpha, rest);
  f->bias[q] = 0;
  for (size_t i = 0; i < f->n; i++) {
    rest[i] = y[i] - f->root[i] * rest[i];
    f->bias[q] += f->root[i] * rest[i] / f->total;
  }
  for (size_t i = 0; i < f->n; i++) {
    rest[i] -= shift_of(f, C) * beta[i] + f->bias[q] * f->root[i];
    size += rest[i] * rest[i];
  }
  if (f->n < 2) return 0;
  memset(step, 0, f->wide * sizeof *step);
  la->blocked->dots(inner(f), f->wide, 1, (svf_dense){f->basis, f->wide}, (svf_dense){rest, f->wide},
                    (svf_dense){step, f->wide});
  svf_band_solve(inner(f), f->factor, step);
  return size;
}

double svf_ls_solve(svf_ls_form *f, double C, const double *k, double *alpha, double *left_out) {
  svf_ls_try(f, C, true);
  for (size_t q = 0; q < f->targets; q++) {
    double last = INFINITY, *own = alpha + q * f->wide;
    for (int round = 0; round < REFINEMENTS; round++) {
      double size = refine(f, C, k, q, own);
      if (!(size < .25 * last)) break; /* what is left is rounding */
      last = size;
      if (round + 1 < REFINEMENTS) combine(f, 1, f->step + q * f->wide, f->beta + q * f->wide);
    }
  }
  return left_out_error(f, left_out);
}
