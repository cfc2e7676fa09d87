/* kernel_svm_cell.c - the rows of a cell as its machines see them, and what held-out rows of it say of a kernel and the
 * values of C. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "data/folds.h"
#include "leaf/kernel_svm.h"

bool svf_kernel_C_of_forest(const svf_settings *settings) {
  return settings->C == 0 && settings->C_choice == SVF_CHOOSE_FOREST;
}

size_t svf_kernel_classes(svf_kernel_cell *c) {
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

static bool gather(svf_kernel_cell *c) {
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

/* Refuses a leaf that does not fit into memory: a copy of its rows, the coefficients for every fold and C, the scores for
 * every class and C, and what the solver needs per row. */
static svf_status check_size(const svf_kernel_cell *c, size_t Cs, svf_message *message) {
  double n = (double)c->site->n, d = (double)c->ground->frame->d, m = (double)c->m;
  double machines = (double)svf_machine_count((svf_scheme)c->ground->settings->multiclass, c->m);
  double of_all = c->ground->settings->multiclass == SVF_MULTICLASS_ONE ? m - 1 : machines;
  double folds = (double)c->ground->settings->folds;
  double fits = folds * (8 * (double)Cs + 4) + 8; /* coefficients, and the numbers of their rows */
  double bytes = 4 * n * d + n * of_all * fits + 8 * n * m * (double)(Cs + 1) + 200 * n;
  char what[64];
  snprintf(what, sizeof what, "a leaf of %zu rows and %zu classes", c->site->n, c->m);
  return svf_check_memory(message, bytes, c->ground->memory_limit, what);
}

svf_status svf_kernel_ended(const svf_kernel_cell *c, bool fine, svf_message *message) {
  if (!fine) return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", c->site->n);
  return atomic_load(c->ground->worker->stop) ? svf_fail(message, SVF_STOPPED, "stopped") : SVF_OK;
}

svf_status svf_kernel_cell_open(svf_kernel_cell *c, svf_message *message) {
  svf_arena *arena = &c->ground->worker->arena;
  double C[SVF_LIST_SIZE];
  size_t Cs = svf_kernel_costs(c->ground->settings, C);
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
  return svf_kernel_ended(c, fine, message);
}

size_t svf_kernel_costs_of(const svf_kernel_cell *c, size_t candidate, double *C) {
  const svf_settings *settings = c->ground->settings;
  size_t count = svf_kernel_costs(settings, C);
  if (svf_kernel_C_of_forest(settings)) C[0] = c->all->C[candidate], count = 1;
  for (size_t i = 0; settings->C_scale == SVF_C_SCALE_ROOT && i < count; i++) C[i] *= sqrt(c->share);
  return count;
}

bool svf_kernel_try(svf_kernel_cell *c, const double *C, size_t count, size_t *best, bool *fine) {
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
