/* ls_svm_metric.c - the metric that all least-squares leaves of a forest share, learned from some of its rows. */
#include "leaf/ls_svm.h"

#include <math.h>
#include "cut/lesson.h"
#include "data/draw.h"

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
  if (full && rows->d > SVF_LESSON_COLUMNS)
    return svf_fail(message, SVF_USAGE,
                    "metric=full would learn a matrix of %zu x %zu numbers, and the limit is %d columns; use "
                    "metric=diagonal",
                    rows->d, rows->d, SVF_LESSON_COLUMNS);
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
  rows.n = n = svf_learning_rows_within(&rows, n, SVF_LESSON_OPERATIONS);
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
  if (settings->metric == SVF_METRIC_NONE || settings->metric_scope == SVF_METRIC_SCOPE_LEAF) return SVF_OK;
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
