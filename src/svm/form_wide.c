/* form_wide.c - rows join an H in double, which single precision would drown; see form.h. */
#include "svm/form.h"

#include <string.h>

/* Columns in a group of numbers that stand together, of H's rows and of its columns. */
enum { DOWN = 8, ACROSS = SVF_STRIP, LEAST = 16 /* rows for which that is worth it */ };

void svf_wide_open(svf_wide_scratch *scratch, const svf_form *form, svf_arena *arena) {
  size_t ld = svf_padded(form->p);
  scratch->x = SVF_TAKE(arena, double, SVF_WIDEN *ld);
  scratch->scaled = form->p < SVF_SHORT ? NULL : SVF_TAKE(arena, double, SVF_WIDEN *(ld + ACROSS));
  scratch->row = SVF_TAKE(arena, const double *, SVF_WIDEN);
  scratch->weight = SVF_TAKE(arena, double, SVF_WIDEN);
}

/* Rows in groups of columns, as they are and, in a strip of H, times their weights. */
static void pack(const svf_form *form, const svf_wide_scratch *scratch, svf_strip columns, size_t count,
                 const uint32_t *list, const float *weight) {
  for (size_t q = 0; q < count; q++) {
    const float *from = form->x + list[q] * form->ld;
    double scale = weight[q];
    for (size_t j = 0; j < columns.to; j += DOWN) {
      double *x = scratch->x + (j * count + q * DOWN);
      for (size_t c = 0; c < DOWN; c++) x[c] = from[j + c];
    }
    for (size_t j = columns.from; j < columns.to; j += DOWN) {
      double *scaled = scratch->scaled + (j / ACROSS * ACROSS * count + q * ACROSS + j % ACROSS);
      for (size_t c = 0; c < DOWN; c++) scaled[c] = scale * from[j + c];
    }
  }
}

/* Long rows: H is larger than the near caches, so that each part of it should meet many rows at once; what it meets stands
 * together. */
void svf_wide_strip(const svf_form *form, const svf_wide_scratch *scratch, svf_strip columns, size_t count,
                    const uint32_t *list, const float *weight, double *h) {
  size_t ld = svf_padded(form->p);
  pack(form, scratch, columns, count, list, weight);
  for (size_t j = columns.from; j < columns.to; j += ACROSS)
    for (size_t i = 0; i < j + ACROSS && i < columns.to; i += DOWN)
      form->la->blocked->outer(DOWN, ld - j < ACROSS ? ld - j : ACROSS, count,
                               (svf_dense){scratch->x + i * count, DOWN},
                               (svf_dense){scratch->scaled + j * count, ACROSS}, (svf_dense){h + i * ld + j, ld});
}

void svf_wide_rank(const svf_form *form, const svf_wide_scratch *scratch, size_t count, const uint32_t *list,
                   const float *weight, double *h) {
  size_t ld = svf_padded(form->p);
  for (size_t q = 0; q < count; q += SVF_WIDEN) {
    size_t some = count - q < SVF_WIDEN ? count - q : SVF_WIDEN;
    if (scratch->scaled && some >= LEAST) {
      svf_wide_strip(form, scratch, (svf_strip){0, ld}, some, list + q, weight + q, h);
      continue;
    }
    for (size_t i = 0; i < some; i++) {
      svf_form_fetch(form, list[q + i], scratch->x + i * ld);
      memset(scratch->x + i * ld + form->p, 0, (ld - form->p) * sizeof(double));
      scratch->row[i] = scratch->x + i * ld;
      scratch->weight[i] = weight[q + i];
    }
    form->la->rank(form->p, ld, some, scratch->row, scratch->weight, h);
  }
}
