/* ls_svm_metric.c - the metric that all least-squares leaves of a forest share, learned from some of its rows. */
#include "leaf/ls_svm_metric.h"

#include <math.h>
#include "data/draw.h"

enum { TRIES = 400 };       /* rows that choose width and C in a round */
#define OPERATIONS   1.2e10 /* of a round, about */
#define LARGEST_FULL 2048   /* columns */

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

/* T = I: of rows that are all alike in their target there is nothing to learn. */
static svf_status stay(size_t d, bool full, svf_arena *arena, svf_metric *metric, svf_message *message) {
  size_t ld = svf_padded(d);
  double *t = SVF_ZERO(arena, double, full ? d *ld : d);
  if (!t) return svf_no_memory(message, "the metric");
  for (size_t j = 0; j < d; j++) t[full ? j * ld + j : j] = 1;
  *metric = (svf_metric){d, full, t};
  return SVF_OK;
}

static svf_status check_size(const svf_ground *ground, const svf_learning_rows *rows, bool full,
                             svf_message *message) {
  if (full && rows->d > LARGEST_FULL)
    return svf_fail(message, SVF_USAGE,
                    "metric=full would learn a matrix of %zu x %zu numbers, and %d columns are the most; take "
                    "metric=diagonal",
                    rows->d, rows->d, LARGEST_FULL);
  return svf_check_memory(message, svf_learning_memory(rows, full), ground->memory_limit, "learning the metric");
}

/* From rows that were drawn; they are in random order, so the first of them are a draw, too. */
static svf_status learn_from(const svf_ground *ground, const svf_lesson *lesson, const uint32_t *row, size_t n,
                             svf_metric *metric, svf_message *message) {
  const svf_settings *settings = ground->settings;
  svf_worker *worker = ground->worker;
  svf_solver solver = {.la = ground->la, .stop = worker->stop, .arena = &worker->arena, .worker = worker};
  svf_learning_rows rows = {.n = n, .d = lesson->frame->d, .targets = lesson->targets};
  bool full = settings->metric == SVF_METRIC_FULL;
  rows.n = n = svf_learning_rows_within(&rows, n, OPERATIONS);
  SVF_TRY(check_size(ground, &rows, full, message));
  if (!svf_lesson_rows(lesson, row, n, solver.arena, &rows)) return svf_no_memory(message, "the metric");
  svf_learning learning = svf_lesson_learning(&rows, svf_ls_kernel_of(svf_ls_form_of(settings)), full, &solver);
  if (!svf_learning_open(&learning) || !svf_learning_run(&learning, (size_t)settings->metric_rounds))
    return svf_no_memory(message, "the metric");
  if (svf_worker_stopped(worker)) return svf_fail(message, SVF_STOPPED, "stopped");
  size_t ld = svf_padded(rows.d), count = full ? rows.d * ld : rows.d;
  double *t = SVF_TAKE(ground->arena, double, count);
  if (!t) return svf_no_memory(message, "the metric");
  for (size_t i = 0; i < count; i++) t[i] = learning.t[i];
  *metric = (svf_metric){rows.d, full, t};
  return SVF_OK;
}

svf_status svf_ls_learn(const svf_ground *ground, svf_metric *metric, svf_message *message) {
  const svf_settings *settings = ground->settings;
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  if (settings->metric == SVF_METRIC_NONE) return SVF_OK;
  svf_mark mark = svf_arena_mark(arena);
  svf_random random = svf_random_at((svf_place){.seed = (uint64_t)settings->seed, .use = SVF_USE_METRIC});
  svf_draw draw = {frame->n, frame->label ? frame->k : 1, frame->label, frame->weight};
  uint32_t *row = SVF_TAKE(arena, uint32_t, frame->n);
  size_t n = row ? svf_draw_rows(&draw, &random, (size_t)settings->metric_rows, arena, row) : 0;
  if (svf_arena_failed(arena)) return svf_no_memory(message, "the metric");
  svf_lesson lesson;
  svf_status status = svf_lesson_open(&lesson, frame, row, n)
                          ? learn_from(ground, &lesson, row, n, metric, message)
                          : stay(frame->d, settings->metric == SVF_METRIC_FULL, ground->arena, metric, message);
  svf_arena_release(arena, mark);
  return status;
}
