/* linear_svm.c - a linear support vector machine in the cell (RSVT, section 3.3), several for more than two classes:
 * training. linear_svm_predict.c has the rest, linear_svm.h what the numbers mean. svm/linear_solve.c solves them, in a
 * way that svm/linear_regime.c chooses. */
#include "leaf/leaf_code.h"
#include "leaf/linear_svm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/folds.h"
#include "la/elementary.h"

/* The site's rows as the solver wants them. */
typedef struct gathered {
  svf_machines_problem problem;
  double *weight, *class_weight;
  int32_t *label, *fold;
  int32_t *present; /* m class codes */
} gathered;

/* Marks the classes of the site; returns how many. place[c]: position among the present ones, or -1. */
static size_t find_classes(const svf_ground *ground, const svf_site *site, int32_t *place, int32_t *present) {
  const svf_frame *frame = ground->frame;
  size_t m = 0;
  for (size_t c = 0; c < frame->k; c++) place[c] = -1;
  for (size_t i = 0; i < site->n; i++) place[frame->label[site->rows[i]]] = 0;
  for (size_t c = 0; c < frame->k; c++)
    if (place[c] == 0) {
      place[c] = (int32_t)m;
      present[m++] = (int32_t)c;
    }
  return m;
}

/* The given weights of the classes present; NULL: none are asked for, or memory ran out. */
static double *take_class_weights(const svf_ground *ground, const gathered *g) {
  const double *given = ground->frame->class_weight;
  if (ground->settings->class_weight != SVF_CLASS_WEIGHT_GIVEN || !given) return NULL;
  double *weight = SVF_TAKE(&ground->worker->arena, double, g->problem.m);
  for (size_t c = 0; weight && c < g->problem.m; c++) weight[c] = given[g->present[c]];
  return weight;
}

static bool gather(const svf_ground *ground, const svf_site *site, const int32_t *place, gathered *g) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  g->label = SVF_TAKE(arena, int32_t, site->n);
  g->weight = frame->weight ? SVF_TAKE(arena, double, site->n) : NULL;
  g->class_weight = take_class_weights(ground, g);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    g->label[i] = place[frame->label[row]];
    if (g->weight) g->weight[i] = frame->weight[row];
  }
  g->problem.points = (svf_points){.n = site->n,
                                   .d = frame->d,
                                   .bias = ground->settings->bias == SVF_BIAS_YES,
                                   .x = frame->x,
                                   .stride = frame->stride,
                                   .list = site->rows,
                                   .fill = frame->missing ? frame->fill : NULL};
  g->problem.label = g->label;
  g->problem.weight = g->weight;
  return true;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The values of C to try, ascending: the one given, random draws, or the grid. */
static size_t C_values(const svf_settings *settings, svf_random *random, double *C) {
  const svf_list *grid = &settings->C_grid;
  if (settings->C > 0) {
    C[0] = settings->C;
    return 1;
  }
  memcpy(C, grid->item, grid->count * sizeof *C);
  size_t count = grid->count;
  qsort(C, count, sizeof *C, by_value);
  if (settings->C_draws) {
    double low = svf_log(C[0]), high = svf_log(C[count - 1]);
    count = (size_t)settings->C_draws;
    for (size_t i = 0; i < count; i++) C[i] = svf_exp(low + svf_random_unit(random) * (high - low));
    qsort(C, count, sizeof *C, by_value);
  }
  return count;
}

static bool deal_folds(const svf_ground *ground, svf_random *random, gathered *g) {
  svf_arena *arena = &ground->worker->arena;
  size_t folds = (size_t)ground->settings->folds, n = g->problem.points.n;
  if (folds > n) folds = n;
  if (folds < 2) return true;
  g->fold = SVF_TAKE(arena, int32_t, n);
  if (svf_arena_failed(arena) || !svf_stratified(random, g->label, n, folds, arena, g->fold)) return false;
  g->problem.fold = g->fold;
  g->problem.folds = folds;
  return true;
}

static bool append(svf_buffer *numbers, double value) { return svf_buffer_add(numbers, &value, sizeof value); }

static bool write_head(svf_buffer *numbers, const gathered *g, const svf_machines *machines, int scheme) {
  size_t m = g->problem.m;
  append(numbers, (double)m);
  append(numbers, scheme);
  append(numbers, m > 1 ? machines->C : 0);
  append(numbers, m > 1 ? fmin(machines->gap, DBL_MAX) : 0);
  append(numbers, m > 1 && machines->held_out == machines->held_out ? machines->held_out : -1);
  for (size_t c = 0; c < m; c++) append(numbers, g->present[c]);
  return !numbers->failed;
}

static bool write_machines(svf_buffer *numbers, const gathered *g, const svf_machines *machines, size_t d) {
  svf_buffer_add(numbers, machines->sigmoid, 2 * g->problem.m * sizeof(double));
  for (size_t a = 0; a < machines->count; a++) {
    svf_buffer_add(numbers, machines->w + a * machines->ld, d * sizeof(double));
    append(numbers, g->problem.points.bias ? machines->w[a * machines->ld + d] : 0);
  }
  return !numbers->failed;
}

/* Rows (as rows and in panels), results of every machine and C, Gram matrices of the folds and of the fits in
 * progress: refused before it starts if it cannot fit. */
static svf_status check_size(const svf_ground *ground, const svf_site *site, size_t m, size_t C_count,
                             svf_message *message) {
  double n = (double)site->n, p = (double)ground->frame->d + 1, side = n < p ? n : p;
  double folds = (double)ground->settings->folds, fits = SVF_COLUMNS + 1;
  double machines = (double)svf_machine_count((svf_scheme)ground->settings->multiclass, m);
  double bytes = 8 * n * p + machines * (double)C_count * (4 * n + 8 * p) + 4 * (2 * folds + 2 * fits) * side * side +
                 n * (8 * (double)m + 28 * fits + 60) + (p >= 128 && n <= 3.5 * p ? 4 * n * n : 0);
  char what[64];
  snprintf(what, sizeof what, "a leaf of %zu rows and %zu classes", site->n, m);
  return svf_check_memory(message, bytes, ground->memory_limit, what);
}

static svf_machines_options make_options(const svf_ground *ground, const double *C, size_t C_count) {
  const svf_settings *settings = ground->settings;
  return (svf_machines_options){.loss = (svf_loss)settings->loss,
                                .scheme = (svf_scheme)settings->multiclass,
                                .balanced = settings->class_weight == SVF_CLASS_WEIGHT_BALANCED,
                                .rest_class = settings->rest_weight == SVF_REST_WEIGHT_CLASS,
                                .C = C,
                                .C_count = C_count,
                                .solver = {.la = ground->la,
                                           .tolerance = settings->tolerance,
                                           .max_steps = (size_t)settings->max_steps,
                                           .stop = ground->worker->stop,
                                           .arena = &ground->worker->arena,
                                           .worker = ground->worker}};
}

static svf_status train_machines(const svf_ground *ground, const svf_site *site, const int32_t *place, gathered *g,
                                 svf_machines *machines, svf_message *message) {
  double C[SVF_LIST_SIZE];
  svf_random random = svf_site_random(ground, site, SVF_USE_LEAF, 0);
  size_t C_count = C_values(ground->settings, &random, C);
  SVF_TRY(check_size(ground, site, g->problem.m, C_count, message));
  svf_machines_options options = make_options(ground, C, C_count);
  bool fine = gather(ground, site, place, g) && deal_folds(ground, &random, g);
  options.given = g->class_weight;
  g->problem.begin = svf_linear_begin(ground, site, g->problem.m, g->present);
  if (!fine || !svf_machines_train(&g->problem, &options, machines))
    return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", site->n);
  return atomic_load(ground->worker->stop) ? svf_fail(message, SVF_STOPPED, "stopped") : SVF_OK;
}

static svf_status train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  svf_arena *arena = &ground->worker->arena;
  gathered g = {0};
  svf_machines machines = {0};
  int32_t *place = SVF_TAKE(arena, int32_t, ground->frame->k);
  g.present = SVF_TAKE(arena, int32_t, ground->frame->k);
  if (svf_arena_failed(arena)) return svf_no_memory(message, "a leaf");
  g.problem.m = find_classes(ground, site, place, g.present);
  if (g.problem.m > 1) SVF_TRY(train_machines(ground, site, place, &g, &machines, message));
  bool fine = write_head(numbers, &g, &machines, ground->settings->multiclass) &&
              (g.problem.m == 1 || write_machines(numbers, &g, &machines, ground->frame->d));
  return fine ? SVF_OK : svf_no_memory(message, "a leaf");
}

/* Settings given by hand that another one makes void. */
static svf_status check_unread(const svf_settings *settings, svf_message *message) {
  bool rest = settings->multiclass == SVF_MULTICLASS_REST, weighted = settings->class_weight != SVF_CLASS_WEIGHT_NONE;
  const struct {
    bool wrong;
    const char *what;
  } rules[] = {
      {settings->C > 0 && settings->given[SVF_SET_C_grid], "C_grid has no meaning where C is given"},
      {settings->C > 0 && settings->given[SVF_SET_C_draws], "C_draws has no meaning where C is given"},
      {!rest && settings->given[SVF_SET_rest_weight], "rest_weight has a meaning for multiclass=one-vs-rest only"},
      {!weighted && settings->given[SVF_SET_rest_weight], "rest_weight has no meaning with class_weight=none"},
      {settings->multiclass == SVF_MULTICLASS_CRAMMER && settings->given[SVF_SET_loss],
       "loss has no meaning with multiclass=crammer-singer, which has its own"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].wrong) return svf_fail(message, SVF_USAGE, "%s: leave it out", rules[i].what);
  return SVF_OK;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  if (task == SVF_TASK_REGRESS)
    return svf_fail(message, SVF_USAGE,
                    "leaf=linear-svm classifies, and the target is a number; use a leaf for regression (-s "
                    "leaf=ls-svm -s vote=mean, or leaf=constant), or treat its values as classes (--task class)");
  if (settings->C == 0 && settings->folds < 2)
    return svf_fail(message, SVF_USAGE, "C is chosen by cross-validation, which needs folds=2 or more; or give C");
  return check_unread(settings, message);
}

static const char *const settings_read[] = {"loss",    "bias",  "multiclass", "rest_weight", "C", "C_grid",
                                            "C_draws", "folds", "tolerance",  "max_steps",   NULL};

extern const svf_leaf svf_leaf_linear;
const svf_leaf svf_leaf_linear = {.kind.name = "linear-svm",
                                  .kind.help = "linear support vector machines, C by cross-validation in the cell",
                                  .kind.settings = settings_read,
                                  .kind.check = check,
                                  .train = train,
                                  .valid = svf_linear_valid,
                                  .predict = svf_linear_predict,
                                  .class_costs = true,
                                  .shares = true,
                                  .gap = svf_linear_gap,
                                  .weights = svf_linear_weights,
                                  .text = svf_linear_text,
                                  .code = &svf_linear_code};
