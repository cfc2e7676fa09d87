/* lesson.c - see lesson.h. */
#include "cut/lesson.h"

#include <math.h>

enum { TRIES = 400 }; /* rows that choose width and C in a round */

static const double widths[] = {.25, .5, 1, 2, 4}, costs[] = {1, 10, 100, 1000, 10000};

bool svf_lesson_open(svf_lesson *lesson, const svf_frame *frame, const uint32_t *row, size_t n) {
  double low = INFINITY, high = -INFINITY;
  int32_t first = n && frame->label ? frame->label[row[0]] : 0;
  bool varies = false;
  *lesson = (svf_lesson){.frame = frame, .targets = svf_ls_machines(frame->label ? frame->k : 0)};
  for (size_t i = 0; i < n; i++) {
    if (frame->label) varies |= frame->label[row[i]] != first;
    else low = fmin(low, frame->value[row[i]]), high = fmax(high, frame->value[row[i]]);
  }
  if (frame->label) return varies && lesson->targets > 0;
  lesson->middle = low / 2 + high / 2; /* in halves, so that +-1e308 have a difference */
  lesson->scale = high / 2 - low / 2;
  return lesson->scale > 0;
}

bool svf_lesson_rows(const svf_lesson *lesson, const uint32_t *row, size_t n, svf_arena *arena,
                     svf_learning_rows *out) {
  const svf_frame *frame = lesson->frame;
  size_t d = frame->d, targets = lesson->targets;
  float *x = SVF_TAKE(arena, float, n *d);
  double *y = SVF_TAKE(arena, double, targets *n), *weight = frame->weight ? SVF_TAKE(arena, double, n) : NULL;
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++) {
    const float *from = frame->x + row[i] * frame->stride;
    for (size_t j = 0; j < d; j++) x[i * d + j] = from[j] == from[j] ? from[j] : frame->fill[j];
    if (weight) weight[i] = frame->weight[row[i]];
    for (size_t q = 0; q < targets; q++)
      y[q * n + i] = !frame->label ? (frame->value[row[i]] / 2 - lesson->middle / 2) / lesson->scale * 2
                     : frame->label[row[i]] == (int32_t)(targets == 1 ? 1 : q) ? 1
                                                                               : -1;
  }
  *out = (svf_learning_rows){n, d, targets, x, y, weight};
  return true;
}

svf_learning svf_lesson_learning(const svf_learning_rows *rows, svf_ls_kernel kernel, bool full,
                                 const svf_solver *solver) {
  return (svf_learning){.rows = *rows,
                        .kernel = kernel,
                        .full = full,
                        .tries = TRIES,
                        .width = widths,
                        .widths = sizeof widths / sizeof *widths,
                        .C = costs,
                        .C_count = sizeof costs / sizeof *costs,
                        .solver = solver};
}
