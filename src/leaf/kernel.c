/* kernel.c - kernel support vector machines in the cell, one degree or width of several: choice and training. kernel.h says
 * what the numbers mean.
 *
 * Candidates are the degrees of poly, the widths of rbf or chi2, or all of them (mixed). Held-out rows of the cell decide
 * which candidate and which C, or those of all cells of a few trees together (DeSalvo and Mohri, Random composite
 * forests, AAAI 2016, choose C per degree once, and use sqrt(m_k / m) C in a leaf with m_k of m rows); or a pick does. */
#include "leaf/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/folds.h"

enum { MOST_CANDIDATES = 2 * SVF_LIST_SIZE + 1, SAMPLE = 512 };

/* What all leaves share. */
typedef struct common {
  size_t count;
  svf_kernel kernel[MOST_CANDIDATES];
  double C[MOST_CANDIDATES]; /* where they are chosen for the forest */
  size_t taken;              /* the candidate, where it is */
} common;

/* ---- for the whole forest ---- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The values of C to try, ascending. */
static size_t C_values(const svf_settings *settings, double *C) {
  C[0] = settings->C;
  if (settings->C > 0) return 1;
  memcpy(C, settings->C_grid.item, settings->C_grid.count * sizeof *C);
  qsort(C, settings->C_grid.count, sizeof *C, by_value);
  return settings->C_grid.count;
}

static size_t candidate_count(const svf_settings *settings) {
  size_t degrees = settings->degrees.count, widths = settings->widths.count;
  switch (settings->kernel) {
  case SVF_KERNEL_CHOICE_POLY:
    return degrees;
  case SVF_KERNEL_CHOICE_RBF:
  case SVF_KERNEL_CHOICE_CHI2:
    return widths;
  case SVF_KERNEL_CHOICE_MIXED:
    return 1 + degrees + widths;
  default:
    return 1;
  }
}

static void list_candidates(const svf_settings *settings, double gamma, common *all) {
  bool mixed = settings->kernel == SVF_KERNEL_CHOICE_MIXED;
  svf_kernel_kind kind = mixed ? SVF_KERNEL_RBF : (svf_kernel_kind)settings->kernel;
  if (mixed || kind == SVF_KERNEL_LINEAR)
    all->kernel[all->count++] = (svf_kernel){.kind = SVF_KERNEL_LINEAR, .degree = 1};
  for (size_t i = 0; (mixed || kind == SVF_KERNEL_POLY) && i < settings->degrees.count; i++)
    all->kernel[all->count++] =
        (svf_kernel){SVF_KERNEL_POLY, gamma, settings->coef0, (unsigned)settings->degrees.item[i]};
  for (size_t i = 0; (kind == SVF_KERNEL_RBF || kind == SVF_KERNEL_CHI2) && i < settings->widths.count; i++)
    all->kernel[all->count++] = (svf_kernel){kind, gamma * settings->widths.item[i], 0, 1};
  if (kind == SVF_KERNEL_PRECOMPUTED) all->kernel[all->count++] = (svf_kernel){.kind = kind, .degree = 1};
}

static double seen(const svf_frame *frame, size_t i, size_t j) {
  float x = frame->x[i * frame->stride + j];
  return x == x ? x : frame->fill[j];
}

/* 1 / (columns * variance of all numbers); where nothing varies, 1. */
static double usual_gamma(const svf_frame *frame) {
  double sum = 0, squares = 0, cells = (double)frame->n * (double)frame->d;
  for (size_t i = 0; i < frame->n; i++)
    for (size_t j = 0; j < frame->d; j++) sum += seen(frame, i, j);
  for (size_t i = 0; i < frame->n; i++)
    for (size_t j = 0; j < frame->d; j++) squares += pow(seen(frame, i, j) - sum / cells, 2);
  double spread = squares / (double)frame->n;
  return spread > 0 ? 1 / spread : 1;
}

/* 1 / mean distance of some pairs of rows. */
static double chi_gamma(const svf_frame *frame) {
  double sum = 0;
  size_t half = frame->n / 2, step = half / SAMPLE + 1, count = 0;
  for (size_t i = 0; i < half; i += step, count++)
    for (size_t j = 0; j < frame->d; j++) {
      double a = seen(frame, i, j), b = seen(frame, i + half, j);
      if (a + b > 0) sum += (a - b) * (a - b) / (a + b);
    }
  return sum > 0 ? (double)count / sum : 1;
}

static svf_status check_chi(const svf_frame *frame, svf_message *message) {
  for (size_t i = 0; i < frame->n; i++)
    for (size_t j = 0; j < frame->d; j++)
      if (seen(frame, i, j) < 0)
        return svf_fail(
            message, SVF_DATA,
            "kernel=chi2 compares counts or shares, and feature %u of row %zu is negative; take kernel=rbf, "
            "or scale=unit",
            frame->origin[j] + 1, i + 1);
  return SVF_OK;
}

static svf_status check_matrix(const svf_frame *frame, svf_message *message) {
  if (frame->d != frame->n)
    return svf_fail(
        message, SVF_DATA,
        "kernel=precomputed reads column j of a row as its similarity to row j of the training table, and "
        "this has %zu rows and %zu columns",
        frame->n, frame->d);
  if (frame->missing) return svf_fail(message, SVF_DATA, "kernel=precomputed cannot do with missing similarities");
  for (size_t i = 0; i < frame->n; i++)
    for (size_t j = 0; j < i; j++) {
      double a = frame->x[i * frame->stride + j], b = frame->x[j * frame->stride + i];
      if (fabs(a - b) > 1e-5 * fmax(fabs(a), fabs(b)))
        return svf_fail(
            message, SVF_DATA,
            "kernel=precomputed needs a symmetric table: column %zu of row %zu is %g, column %zu of row %zu "
            "is %g",
            j + 1, i + 1, a, i + 1, j + 1, b);
    }
  return SVF_OK;
}

static svf_status prepare(const svf_frame *frame, const svf_settings *settings, svf_arena *arena, void **shared,
                          svf_message *message) {
  common *all = SVF_ZERO(arena, common, 1);
  double gamma = settings->gamma, C[SVF_LIST_SIZE];
  if (!all) return svf_no_memory(message, "the kernels");
  if (settings->kernel == SVF_KERNEL_CHOICE_CHI2) SVF_TRY(check_chi(frame, message));
  if (settings->kernel == SVF_KERNEL_CHOICE_PRECOMPUTED) SVF_TRY(check_matrix(frame, message));
  if (gamma == 0) gamma = settings->kernel == SVF_KERNEL_CHOICE_CHI2 ? chi_gamma(frame) : usual_gamma(frame);
  list_candidates(settings, gamma, all);
  size_t count = C_values(settings, C);
  for (size_t i = 0; i < all->count; i++) all->C[i] = C[count / 2]; /* until it is chosen */
  *shared = all;
  return SVF_OK;
}

static bool C_of_forest(const svf_settings *settings) {
  return settings->C == 0 && settings->C_choice == SVF_CHOOSE_FOREST;
}

static bool kernel_of_forest(const svf_settings *settings) {
  return settings->kernel_choice == SVF_CHOOSE_FOREST && candidate_count(settings) > 1;
}

static size_t ballots(const svf_settings *settings) {
  double C[SVF_LIST_SIZE];
  bool any = C_of_forest(settings) || kernel_of_forest(settings);
  return any ? candidate_count(settings) * C_values(settings, C) : 0;
}

/* ---- one cell ---- */

typedef struct cell {
  const svf_ground *ground;
  const svf_site *site;
  const common *all;
  svf_kernel_problem problem;
  svf_kernel_set set;
  size_t m;
  int32_t *present;
  double share;    /* of the tree's rows */
  double *held;    /* n x m: scores of the best so far; NULL: no folds */
  double *scores;  /* of one candidate: [C][n][m] */
  double held_out; /* share of the best's rows that are right; -1: not measured */
  double *sigmoid;
} cell;

static size_t find_classes(cell *c) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  unsigned char *there = SVF_ZERO(arena, unsigned char, frame->k);
  c->present = SVF_TAKE(arena, int32_t, frame->k);
  if (svf_arena_failed(arena)) return 0;
  for (size_t i = 0; i < c->site->n; i++) there[frame->label[c->site->rows[i]]] = 1;
  for (size_t k = 0; k < frame->k; k++)
    if (there[k]) c->present[c->m++] = (int32_t)k;
  return c->m;
}

static bool gather(cell *c) {
  const svf_frame *frame = c->ground->frame;
  const svf_settings *settings = c->ground->settings;
  svf_arena *arena = &c->ground->worker->arena;
  size_t n = c->site->n, folds = (size_t)settings->folds < n ? (size_t)settings->folds : n;
  const float **row = SVF_TAKE(arena, const float *, n);
  int32_t *label = SVF_TAKE(arena, int32_t, n), *place = SVF_TAKE(arena, int32_t, frame->k);
  double *weight = SVF_TAKE(arena, double, n), *given = SVF_TAKE(arena, double, c->m), sum = 0;
  int32_t *fold = folds > 1 ? SVF_TAKE(arena, int32_t, n) : NULL;
  svf_random random = svf_site_random(c->ground, c->site, SVF_USE_LEAF, 0);
  if (svf_arena_failed(arena)) return false;
  for (size_t k = 0; k < c->m; k++) {
    place[c->present[k]] = (int32_t)k;
    given[k] = frame->class_weight ? frame->class_weight[c->present[k]] : 1;
  }
  for (size_t i = 0; i < n; i++) {
    size_t from = c->site->rows[i];
    row[i] = frame->x + from * frame->stride;
    label[i] = place[frame->label[from]];
    sum += weight[i] = frame->weight ? frame->weight[from] : 1;
  }
  if (fold && !svf_stratified(&random, label, n, folds, arena, fold)) return false;
  c->share = sum / c->ground->weight;
  c->problem = (svf_kernel_problem){.n = n,
                                    .d = frame->d,
                                    .row = row,
                                    .fill = frame->missing ? frame->fill : NULL,
                                    .id = c->site->rows,
                                    .label = label,
                                    .m = c->m,
                                    .weight = weight,
                                    .fold = fold,
                                    .folds = folds,
                                    .scheme = (svf_scheme)settings->multiclass,
                                    .balanced = settings->class_weight == SVF_CLASS_WEIGHT_BALANCED,
                                    .given = settings->class_weight == SVF_CLASS_WEIGHT_GIVEN ? given : NULL,
                                    .rest_class = settings->rest_weight == SVF_REST_WEIGHT_CLASS,
                                    .bytes = c->ground->memory_limit / 4,
                                    .solver = {.la = c->ground->la,
                                               .tolerance = settings->tolerance,
                                               .max_steps = (size_t)settings->max_steps,
                                               .stop = c->ground->worker->stop,
                                               .arena = arena,
                                               .worker = c->ground->worker}};
  return true;
}

/* The rows twice, the coefficients of every fold and C, and three rows of a matrix at least. */
static svf_status check_size(const cell *c, size_t Cs, svf_message *message) {
  double n = (double)c->site->n, d = (double)c->ground->frame->d, m = (double)c->m;
  double machines = (double)svf_machine_count((svf_scheme)c->ground->settings->multiclass, c->m);
  double of_all = c->ground->settings->multiclass == SVF_MULTICLASS_ONE ? m - 1 : machines;
  double folds = (double)c->ground->settings->folds;
  double bytes = 4 * n * d + 8 * n * of_all * (folds * (double)Cs + 1) + 8 * n * m * (double)(Cs + 1) + 200 * n;
  char what[64];
  snprintf(what, sizeof what, "a leaf of %zu rows and %zu classes", c->site->n, c->m);
  return svf_check_memory(message, bytes, c->ground->memory_limit, what);
}

static svf_status ended(const cell *c, bool fine, svf_message *message) {
  if (!fine) return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", c->site->n);
  return atomic_load(c->ground->worker->stop) ? svf_fail(message, SVF_STOPPED, "stopped") : SVF_OK;
}

/* Everything that candidates need; the leaf has at least two classes. */
static svf_status open_cell(cell *c, svf_message *message) {
  svf_arena *arena = &c->ground->worker->arena;
  double C[SVF_LIST_SIZE];
  size_t Cs = C_values(c->ground->settings, C);
  SVF_TRY(check_size(c, Cs, message));
  bool fine = gather(c) && svf_kernel_open(&c->set, &c->problem);
  c->held_out = -1;
  c->sigmoid = SVF_TAKE(arena, double, 2 * c->m);
  if (c->problem.fold) {
    c->held = SVF_TAKE(arena, double, c->site->n * c->m);
    c->scores = SVF_TAKE(arena, double, Cs * c->site->n * c->m);
  }
  fine = fine && !svf_arena_failed(arena);
  for (size_t k = 0; fine && k < c->m; k++) c->sigmoid[2 * k] = -2, c->sigmoid[2 * k + 1] = 0;
  return ended(c, fine, message);
}

/* The costs that a candidate is tried with in this leaf. */
static size_t costs_of(const cell *c, size_t candidate, double *C) {
  const svf_settings *settings = c->ground->settings;
  size_t count = C_values(settings, C);
  if (C_of_forest(settings)) C[0] = c->all->C[candidate], count = 1;
  for (size_t i = 0; settings->C_scale == SVF_C_SCALE_ROOT && i < count; i++) C[i] *= sqrt(c->share);
  return count;
}

/* The best C of the kernel in use by held-out rows; true: better than the best so far, whose scores are kept. */
static bool try_costs(cell *c, const double *C, size_t count, size_t *best, bool *fine) {
  size_t each = c->site->n * c->m;
  double most = -1, all = 0;
  *best = 0;
  *fine = svf_kernel_hold(&c->set, C, count, c->scores);
  for (size_t i = 0; i < c->site->n; i++) all += c->set.weight[i];
  for (size_t q = 0; *fine && q < count; q++) {
    double right = svf_kernel_right(&c->set, c->scores + q * each);
    if (right > most) most = right, *best = q;
  }
  if (!*fine || !(most / all > c->held_out)) return false;
  c->held_out = most / all;
  memcpy(c->held, c->scores + *best * each, each * sizeof *c->held);
  return true;
}

/* Trains the kernel in use and appends its numbers. */
static bool make(cell *c, double C, svf_buffer *numbers, svf_kernel_machines *machines) {
  if (!svf_kernel_train(&c->set, C, machines)) return false;
  svf_kernel_result result = {&c->set, machines, c->present, c->held_out, c->sigmoid};
  return svf_kernel_write(&result, numbers);
}

/* First and last candidate that are tried here. */
static void candidates_of(const cell *c, size_t *first, size_t *end) {
  const svf_settings *settings = c->ground->settings;
  *first = 0, *end = c->all->count;
  if (settings->kernel_choice == SVF_CHOOSE_LEAF || *end == 1) return;
  svf_random random = svf_site_random(c->ground, c->site, SVF_USE_LEAF, 1);
  *first = settings->kernel_choice == SVF_CHOOSE_FOREST ? c->all->taken : svf_random_below(&random, *end);
  *end = *first + 1;
}

static bool choose_and_make(cell *c, svf_buffer *numbers) {
  double C[SVF_LIST_SIZE], best_C = 0;
  size_t first, end, best = 0, at, last = MOST_CANDIDATES;
  svf_kernel_machines machines;
  bool fine = true;
  candidates_of(c, &first, &end);
  for (size_t q = first; fine && q < end; q++) {
    size_t count = costs_of(c, q, C);
    if (q == first) best = q, best_C = C[0];
    if (!c->problem.fold) break;
    fine = svf_kernel_take(&c->set, &c->all->kernel[q]);
    last = q;
    if (fine && try_costs(c, C, count, &at, &fine)) best = q, best_C = C[at];
  }
  if (fine && last != best) fine = svf_kernel_take(&c->set, &c->all->kernel[best]);
  if (fine && c->held_out >= 0) fine = svf_kernel_calibrate(&c->set, c->held, c->sigmoid);
  return fine && make(c, best_C, numbers, &machines);
}

static svf_status train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  cell c = {.ground = ground, .site = site, .all = ground->shared};
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return svf_kernel_write_pure(c.present[0], numbers) ? SVF_OK : svf_no_memory(message, "a leaf");
  SVF_TRY(open_cell(&c, message));
  return ended(&c, choose_and_make(&c, numbers), message);
}

/* ---- a vote on C, and on the kernel, over the whole forest ---- */

static svf_status ballot(const svf_ground *ground, const svf_site *site, double *tally, svf_message *message) {
  cell c = {.ground = ground, .site = site, .all = ground->shared};
  double C[SVF_LIST_SIZE];
  size_t count = C_values(ground->settings, C);
  bool fine = true;
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return SVF_OK; /* right whatever is chosen */
  SVF_TRY(open_cell(&c, message));
  if (!c.problem.fold) return SVF_OK; /* a leaf of one row */
  for (size_t i = 0; ground->settings->C_scale == SVF_C_SCALE_ROOT && i < count; i++) C[i] *= sqrt(c.share);
  for (size_t q = 0; fine && q < c.all->count; q++) {
    fine = svf_kernel_take(&c.set, &c.all->kernel[q]) && svf_kernel_hold(&c.set, C, count, c.scores);
    for (size_t i = 0; fine && i < count; i++)
      tally[q * count + i] += svf_kernel_right(&c.set, c.scores + i * site->n * c.m);
  }
  return ended(&c, fine, message);
}

static void settle(const svf_settings *settings, const double *tally, void *shared) {
  common *all = shared;
  double C[SVF_LIST_SIZE], most = -1;
  size_t count = C_values(settings, C);
  for (size_t q = 0; q < all->count; q++) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
      if (tally[q * count + i] > tally[q * count + best]) best = i;
    all->C[q] = C[best];
    if (tally[q * count + best] > most) most = tally[q * count + best], all->taken = q;
  }
}

/* ---- for a pick that chooses among the candidates ---- */

static bool draft_one(cell *c, size_t q, svf_draft *draft) {
  double C[SVF_LIST_SIZE];
  size_t count = costs_of(c, q, C), at = 0;
  svf_kernel_machines machines;
  svf_arena *arena = &c->ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  bool fine = svf_kernel_take(&c->set, &c->all->kernel[q]);
  c->held_out = -1;
  if (fine && count > 1) try_costs(c, C, count, &at, &fine);
  fine = fine && make(c, C[at], &draft->numbers, &machines);
  double *own = SVF_TAKE(arena, double, c->site->n * c->m);
  fine = fine && own && svf_kernel_ask(&c->set, &machines, own);
  if (fine) draft->right = svf_kernel_right(&c->set, own);
  draft->capacity = svf_kernel_dimension(&c->all->kernel[q], c->ground->frame->d);
  svf_arena_release(arena, mark);
  return fine;
}

static svf_status draft(const svf_ground *ground, const svf_site *site, svf_draft *drafts, svf_message *message) {
  cell c = {.ground = ground, .site = site, .all = ground->shared};
  bool fine = true;
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m > 1) SVF_TRY(open_cell(&c, message));
  for (size_t q = 0; fine && q < c.all->count; q++) {
    if (c.m > 1) {
      fine = draft_one(&c, q, &drafts[q]);
      continue;
    }
    fine = svf_kernel_write_pure(c.present[0], &drafts[q].numbers);
    drafts[q].capacity = svf_kernel_dimension(&c.all->kernel[q], ground->frame->d);
    for (size_t i = 0; i < site->n; i++)
      drafts[q].right += ground->frame->weight ? ground->frame->weight[site->rows[i]] : 1;
  }
  return ended(&c, fine, message);
}

/* Sigmoids from held-out rows, into the places that they have in the numbers. */
static svf_status finish(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  cell c = {.ground = ground, .site = site, .all = ground->shared};
  double *number = (double *)(void *)numbers->data;
  size_t at;
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return SVF_OK;
  SVF_TRY(open_cell(&c, message));
  if (!c.problem.fold) return SVF_OK;
  svf_kernel kernel = {(svf_kernel_kind)number[SVF_KL_KERNEL], number[SVF_KL_GAMMA], number[SVF_KL_COEF0],
                       (unsigned)number[SVF_KL_DEGREE]};
  bool fine = svf_kernel_take(&c.set, &kernel);
  if (fine) try_costs(&c, &number[SVF_KL_COST], 1, &at, &fine);
  fine = fine && svf_kernel_calibrate(&c.set, c.held, c.sigmoid);
  if (fine) memcpy(number + SVF_KL_HEAD + c.m, c.sigmoid, 2 * c.m * sizeof *number);
  if (fine) number[SVF_KL_HELD_OUT] = c.held_out;
  return ended(&c, fine, message);
}

/* ---- settings ---- */

static bool whole(const svf_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->item[i] != floor(list->item[i])) return false;
  return true;
}

static svf_status check_unread(const svf_settings *s, svf_message *message) {
  bool poly = s->kernel == SVF_KERNEL_CHOICE_POLY || s->kernel == SVF_KERNEL_CHOICE_MIXED;
  bool wide = s->kernel == SVF_KERNEL_CHOICE_RBF || s->kernel == SVF_KERNEL_CHOICE_CHI2 ||
              s->kernel == SVF_KERNEL_CHOICE_MIXED;
  const struct {
    bool wrong;
    const char *what;
  } rules[] = {
      {s->C > 0 && s->given[SVF_SET_C_grid], "C_grid has no meaning where C is given"},
      {s->C > 0 && s->given[SVF_SET_C_choice], "C_choice has no meaning where C is given"},
      {!poly && s->given[SVF_SET_degrees], "degrees are for kernel=poly and kernel=mixed"},
      {!poly && s->given[SVF_SET_coef0], "coef0 is for kernel=poly and kernel=mixed"},
      {!wide && s->given[SVF_SET_widths], "widths are for kernel=rbf, kernel=chi2 and kernel=mixed"},
      {!poly && !wide && s->given[SVF_SET_gamma], "gamma has no meaning with this kernel"},
      {s->multiclass == SVF_MULTICLASS_ONE && s->given[SVF_SET_rest_weight],
       "rest_weight has a meaning for multiclass=one-vs-rest only"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].wrong) return svf_fail(message, SVF_USAGE, "%s: leave it out", rules[i].what);
  return SVF_OK;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  bool several = candidate_count(settings) > 1 && settings->kernel_choice != SVF_CHOOSE_RANDOM;
  if (task == SVF_TASK_REGRESS)
    return svf_fail(
        message, SVF_USAGE,
        "leaf=kernel-svm classifies, and the target is a number; take a leaf for regression (-s leaf=ls-svm "
        "-s vote=mean, or leaf=constant), or treat its values as classes (--task class)");
  if (settings->multiclass == SVF_MULTICLASS_CRAMMER)
    return svf_fail(message, SVF_USAGE,
                    "leaf=kernel-svm has no multiclass=crammer-singer; take one-vs-one or one-vs-rest");
  if (!whole(&settings->degrees)) return svf_fail(message, SVF_USAGE, "degrees must be whole numbers");
  if (settings->kernel == SVF_KERNEL_CHOICE_CHI2 && settings->scale == SVF_SCALE_STANDARD)
    return svf_fail(
        message, SVF_USAGE,
        "kernel=chi2 is for numbers that are not negative, and scale=standard makes half of them so; take "
        "scale=none or scale=unit");
  if (settings->kernel == SVF_KERNEL_CHOICE_PRECOMPUTED && settings->scale != SVF_SCALE_NONE)
    return svf_fail(message, SVF_USAGE, "kernel=precomputed reads similarities as they are; take scale=none");
  if ((settings->C == 0 || several) && settings->folds < 2)
    return svf_fail(message, SVF_USAGE,
                    "C or the kernel is chosen by cross-validation, which needs folds=2 or more; or give C and one "
                    "kernel");
  return check_unread(settings, message);
}

static const char *const settings_read[] = {
    "kernel",   "degrees",       "gamma",   "widths", "coef0",     "multiclass", "rest_weight",  "C", "C_grid",
    "C_choice", "kernel_choice", "C_scale", "folds",  "tolerance", "max_steps",  "choice_trees", NULL};

extern const svf_leaf svf_leaf_kernel;
const svf_leaf svf_leaf_kernel = {.kind.name = "kernel-svm",
                                  .kind.help = "kernel machines, degree or width and C by cross-validation",
                                  .kind.settings = settings_read,
                                  .kind.check = check,
                                  .prepare = prepare,
                                  .ballots = ballots,
                                  .ballot = ballot,
                                  .settle = settle,
                                  .drafts = candidate_count,
                                  .draft = draft,
                                  .finish = finish,
                                  .train = train,
                                  .valid = svf_kernel_valid,
                                  .predict = svf_kernel_predict,
                                  .class_costs = true,
                                  .capacity = svf_kernel_capacity,
                                  .gap = svf_kernel_gap,
                                  .text = svf_kernel_text};
