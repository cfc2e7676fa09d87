/* linear_double.c - rows join an H in double, which single precision would drown; see linear_shared.h.
 *
 * Long rows make H of sums of SVF_DOUBLE_ROWS terms in single precision, which are added up in double, where that is exact enough
 * (SVF_H_SUMS). */
#include "svm/linear_shared.h"

#include <string.h>

/* Columns in a group of numbers that stand together, of H's rows and of its columns. */
enum { DOWN = SVF_LANES, ACROSS = SVF_STRIP, LEAST = 16 /* rows for which that is worth it */ };

/* Numbers from one group of columns to the next: not a power of two, of which the caches would keep few. */
static size_t group_of(size_t count, size_t columns) { return count * columns + 16; }

void svf_double_open(svf_double_scratch *scratch, const svf_shared *shared, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  size_t most = shared->regime->matrix == SVF_H_SUMS ? LEAST : SVF_DOUBLE_ROWS;
  *scratch = (svf_double_scratch){.solver = solver, .x = SVF_TAKE(arena, double, most *svf_padded(shared->p))};
  scratch->row = SVF_TAKE(arena, const double *, most);
  scratch->weight = SVF_TAKE(arena, double, most);
  if (shared->regime->matrix != SVF_H_SUMS) return;
  scratch->packed = SVF_TAKE(arena, float, (shared->ld / DOWN) * group_of(SVF_DOUBLE_ROWS, DOWN));
  scratch->scaled = SVF_TAKE(arena, float, (shared->ld / ACROSS + 1) * group_of(SVF_DOUBLE_ROWS, ACROSS));
}

/* Rows in groups of columns, as they are and, in a strip of H, times their weights. */
static void pack(const svf_shared *shared, const svf_double_scratch *scratch, svf_strip columns, size_t count,
                 const uint32_t *list, const float *weight) {
  size_t down = group_of(count, DOWN), across = group_of(count, ACROSS);
  for (size_t q = 0; q < count; q++) {
    const float *from = shared->x + list[q] * shared->ld;
    for (size_t j = 0; j < columns.to; j += DOWN)
      memcpy(scratch->packed + (j / DOWN * down + q * DOWN), from + j, DOWN * sizeof *from);
    for (size_t j = columns.from; j < columns.to; j += DOWN) {
      size_t at = j - columns.from;
      float *scaled = scratch->scaled + (at / ACROSS * across + q * ACROSS + at % ACROSS);
      for (size_t c = 0; c < DOWN; c++) scaled[c] = weight[q] * from[j + c];
    }
  }
}

/* H is larger than the near caches, so that each part of it should meet many rows at once; what it meets stands together. */
void svf_double_strip(const svf_shared *shared, const svf_double_scratch *scratch, svf_strip columns, size_t count,
                      const uint32_t *list, const float *weight, double *h) {
  size_t ld = svf_padded(shared->p), down = group_of(count, DOWN);
  const float *scaled = scratch->scaled;
  pack(shared, scratch, columns, count, list, weight);
  for (size_t j = columns.from; j < columns.to; j += ACROSS, scaled += group_of(count, ACROSS)) {
    if (svf_solver_stopped(scratch->solver)) return;
    for (size_t i = 0; i < j + ACROSS && i < columns.to; i += DOWN)
      shared->la->single->outer(columns.to - j < ACROSS ? columns.to - j : ACROSS, count,
                                scratch->packed + i / DOWN * down, scaled, h + i * ld + j, ld);
  }
}

/* In double: up to LEAST rows beside sums, else SVF_DOUBLE_ROWS. */
static void add_some(const svf_shared *shared, const svf_double_scratch *scratch, size_t count, const uint32_t *list,
                     const float *weight, double *h) {
  size_t ld = svf_padded(shared->p);
  for (size_t i = 0; i < count; i++) {
    svf_shared_fetch(shared, list[i], scratch->x + i * ld);
    memset(scratch->x + i * ld + shared->p, 0, (ld - shared->p) * sizeof(double));
    scratch->row[i] = scratch->x + i * ld;
    scratch->weight[i] = weight[i];
  }
  svf_solver_rank(scratch->solver, &(svf_rows){count, shared->p, ld, NULL}, scratch->row, scratch->weight, h);
}

void svf_double_rank(const svf_shared *shared, const svf_double_scratch *scratch, size_t count, const uint32_t *list,
                     const float *weight, double *h) {
  for (size_t q = 0; q < count; q += SVF_DOUBLE_ROWS) {
    size_t some = count - q < SVF_DOUBLE_ROWS ? count - q : SVF_DOUBLE_ROWS;
    if (shared->regime->matrix == SVF_H_SUMS && some > LEAST)
      svf_double_strip(shared, scratch, (svf_strip){0, svf_padded(shared->p)}, some, list + q, weight + q, h);
    else add_some(shared, scratch, some, list + q, weight + q, h);
  }
}
