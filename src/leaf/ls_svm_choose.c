/* ls_svm_choose.c - kernel, metric, rounds and scale of least-squares leaves, where the settings leave them open.
 *
 * Leave-one-out would flatter a metric that was learned from the same rows, so candidates are judged by their squared errors on
 * rows apart: 70% of the drawn rows learn, 30% judge. A candidate is a course: one scale, one kernel and one kind of metric,
 * judged after each round; before the first round it has no metric. All courses run on few rows, then the best few on all
 * drawn rows, in two partitions. Scores of classes are judged after the scaling that suits them best: it is their order that
 * counts. A diagonal metric must be better than none by 0.5%, a full one by 1%. */
#include "leaf/ls_svm.h"

#include <math.h>
#include <string.h>

enum { SCALES = 8, KERNELS = 3, KINDS = 2, COURSES = SCALES * KERNELS * KINDS };
enum { FEW = 1200, BEST = 4, PARTITIONS = 2, LEAST = 40, ROUNDS = 8, WIDEST_FULL = 500 };
#define APART .3

/* A pass over the courses: at most so many rows, partitions, rows that choose width and C, operations of a round (about). */
typedef struct pass {
  size_t rows, partitions, tries;
  double operations;
} pass;
static const pass quick = {FEW, 1, 250, 1e9}, thorough = {SIZE_MAX, PARTITIONS, 400, 4e9};

typedef struct course {
  size_t frame;
  svf_ls_kernel kernel;
  bool full;
  double error[ROUNDS + 1]; /* after each round */
} course;

typedef struct choice {
  const svf_choosing *outer;
  const svf_settings *settings;
  size_t from, to; /* rounds that may be chosen */
  course item[COURSES];
  size_t count;
  const uint32_t *row;
  size_t n;
  const pass *pass;
  svf_lesson lesson[SCALES];
  double (*error)[ROUNDS + 1]; /* partitions x courses */
} choice;

static bool open_kind(const svf_settings *s, size_t d, svf_ls_kernel kernel, bool full) {
  if (full && kernel == SVF_LS_KERNEL_MANHATTAN) return false;
  if (s->metric == SVF_METRIC_AUTO) return !full || d <= WIDEST_FULL;
  return full == (s->metric == SVF_METRIC_FULL);
}

static void list_courses(choice *c) {
  const svf_settings *s = c->settings;
  bool any = s->kernel == SVF_KERNEL_CHOICE_AUTO;
  for (size_t f = 0; f < c->outer->count; f++)
    for (int kernel = 0; kernel < KERNELS; kernel++)
      for (int full = 0; full < KINDS; full++)
        if ((any || (int)svf_ls_kernel_of(svf_ls_form_of(s)) == kernel) &&
            open_kind(s, c->outer->frame[f].d, (svf_ls_kernel)kernel, full))
          c->item[c->count++] = (course){.frame = f, .kernel = (svf_ls_kernel)kernel, .full = full};
}

/* One course in one partition: the window of rows that judge moves on by half of all. */
static svf_status run_course(const choice *c, const course *way, size_t partition, svf_worker *worker,
                             double *error) {
  svf_arena *arena = &worker->arena;
  svf_solver solver = {.la = c->outer->la, .stop = worker->stop, .arena = arena};
  const svf_lesson *lesson = &c->lesson[way->frame];
  svf_learning_rows learn = {.n = c->n, .d = lesson->frame->d, .targets = lesson->targets}, judge;
  size_t apart = (size_t)(APART * (double)c->n), start = partition * c->n / PARTITIONS, most = c->n - apart;
  learn.n = most;
  size_t n = svf_learning_rows_within(&learn, most, c->pass->operations);
  uint32_t *row = SVF_TAKE(arena, uint32_t, c->n);
  if (!row) return SVF_MEMORY;
  for (size_t i = 0; i < c->n; i++) row[i] = c->row[(start + i) % c->n];
  if (!svf_lesson_rows(lesson, row, apart, arena, &judge) || !svf_lesson_rows(lesson, row + apart, n, arena, &learn))
    return SVF_MEMORY;
  svf_learning learning = svf_lesson_learning(&learn, way->kernel, way->full, &solver);
  learning.tries = c->pass->tries;
  if (!svf_learning_open(&learning)) return SVF_MEMORY;
  for (size_t r = 0; r <= c->to && !svf_worker_stopped(worker); r++) {
    if (!svf_learning_fit(&learning)) return SVF_MEMORY;
    if (r >= c->from && !svf_learning_error(&learning, &judge, lesson->frame->label != NULL, &error[r]))
      return SVF_MEMORY;
    if (r < c->to && !svf_learning_turn(&learning)) return SVF_MEMORY;
  }
  return SVF_OK;
}

static svf_status job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const choice *c = context;
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status =
      run_course(c, &c->item[index / c->pass->partitions], index % c->pass->partitions, worker, c->error[index]);
  svf_arena_release(&worker->arena, mark);
  return status ? svf_no_memory(message, "the choice of a metric") : SVF_OK;
}

/* What a course is worth after a round: its error, and what more freedom must gain at least. */
static double worth(const course *way, size_t round) {
  return way->error[round] * (round == 0 ? 1 : way->full ? 1.01 : 1.005);
}
static size_t best_round(const choice *c, const course *way) {
  size_t best = c->from;
  for (size_t r = c->from + 1; r <= c->to; r++)
    if (worth(way, r) < worth(way, best)) best = r;
  return best;
}

/* Runs the courses and puts the best ones first. */
static svf_status run_all(choice *c, const pass *kind, svf_arena *arena, svf_message *message) {
  size_t partitions = kind->partitions;
  c->n = c->outer->n < kind->rows ? c->outer->n : kind->rows, c->pass = kind;
  c->error = svf_arena_zero(arena, c->count * partitions, sizeof *c->error);
  if (!c->error) return svf_no_memory(message, "the choice of a metric");
  SVF_TRY(svf_pool_once(c->outer->run, "metric", c->count * partitions, job, c, message));
  for (size_t i = 0; i < c->count; i++)
    for (size_t r = 0; r <= c->to; r++) {
      c->item[i].error[r] = 0;
      for (size_t p = 0; p < partitions; p++) c->item[i].error[r] += c->error[i * partitions + p][r];
    }
  for (size_t i = 1; i < c->count; i++) /* by insertion: equal ones keep their order */
    for (size_t j = i; j > 0; j--) {
      course *a = &c->item[j - 1], *b = &c->item[j], swap = *a;
      if (!(worth(b, best_round(c, b)) < worth(a, best_round(c, a)))) break;
      *a = *b, *b = swap;
    }
  return SVF_OK;
}

static const int choices[KERNELS] = {SVF_KERNEL_CHOICE_RBF, SVF_KERNEL_CHOICE_LAPLACE, SVF_KERNEL_CHOICE_MANHATTAN};

static void settle(svf_settings *settings, const choice *c, size_t *frame) {
  const course *way = &c->item[0];
  size_t round = best_round(c, way);
  *frame = way->frame;
  settings->kernel = choices[way->kernel];
  if (settings->metric != SVF_METRIC_AUTO) return;
  settings->metric = round == 0 ? SVF_METRIC_NONE : way->full ? SVF_METRIC_FULL : SVF_METRIC_DIAGONAL;
  if (round) settings->metric_rounds = (int64_t)round;
}

/* Too few rows to judge by: the plainest. */
static void settle_plainly(svf_settings *settings, size_t frames, size_t *frame) {
  *frame = frames - 1;
  if (settings->kernel == SVF_KERNEL_CHOICE_AUTO) settings->kernel = SVF_KERNEL_CHOICE_RBF;
  if (settings->metric == SVF_METRIC_AUTO) settings->metric = SVF_METRIC_NONE;
}

bool svf_ls_chooses(const svf_settings *s) {
  return s->kernel == SVF_KERNEL_CHOICE_AUTO || s->metric == SVF_METRIC_AUTO || s->scale == SVF_SCALE_AUTO;
}

svf_status svf_ls_choose(const svf_choosing *choosing, svf_settings *settings, size_t *frame, svf_message *message) {
  svf_arena arena = {0};
  choice c = {.outer = choosing, .settings = settings, .row = choosing->row};
  c.to = settings->metric == SVF_METRIC_NONE ? 0 : (size_t)settings->metric_rounds;
  if (c.to > ROUNDS) c.to = ROUNDS;
  c.from = settings->metric == SVF_METRIC_AUTO ? 0 : c.to;
  bool varies = choosing->n >= LEAST;
  for (size_t f = 0; f < choosing->count; f++)
    varies = varies && svf_lesson_open(&c.lesson[f], &choosing->frame[f], choosing->row, choosing->n);
  list_courses(&c);
  if (!varies || !c.count) {
    settle_plainly(settings, choosing->count, frame);
    return SVF_OK;
  }
  svf_status status = run_all(&c, choosing->n > FEW ? &quick : &thorough, &arena, message);
  if (c.count > BEST) c.count = BEST;
  if (status == SVF_OK && choosing->n > FEW) status = run_all(&c, &thorough, &arena, message);
  if (status == SVF_OK) settle(settings, &c, frame);
  svf_arena_free(&arena);
  return status;
}
