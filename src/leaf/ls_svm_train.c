/* ls_svm_train.c - the least-squares leaf in training: its targets, and the linear machines.
 *
 * Numbers are scaled to -1..1 within the cell, so that C means the same in every cell; for machines without a bias their mean
 * becomes 0. */
#include "leaf/ls_svm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELD_OUT .3 /* share of the rows that choose under selection=holdout, as in Hang et al. (2019) */

static bool find_classes(svf_ls_cell *c) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  unsigned char *there = SVF_ZERO(arena, unsigned char, frame->k);
  c->present = SVF_TAKE(arena, int32_t, frame->k);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; frame->label && i < c->site->n; i++) there[frame->label[c->site->rows[i]]] = 1;
  for (size_t k = 0; frame->label && k < frame->k; k++)
    if (there[k]) c->present[c->m++] = (int32_t)k;
  c->targets = svf_ls_machines(c->m);
  return true;
}

/* The order in which the machines see the rows. */
static bool arrange(svf_ls_cell *c) {
  size_t n = c->site->n;
  c->rows = c->site->rows;
  if (c->ground->settings->selection != SVF_SELECTION_HOLDOUT || n < 2) return true;
  uint32_t *order = SVF_TAKE(&c->ground->worker->arena, uint32_t, n);
  if (!order) return false;
  memcpy(order, c->site->rows, n * sizeof *order);
  svf_random random = svf_site_random(c->ground, c->site, SVF_USE_LEAF, 0);
  svf_random_shuffle(&random, order, n);
  c->rows = order;
  c->held_out = (size_t)(HELD_OUT * (double)n + .5);
  if (c->held_out == 0) c->held_out = 1;
  return true;
}

/* The weighted mean of the target: what a machine without a bias predicts far from its rows. Differences are taken of
 * halves, so that those of values near +-1e308 do not overflow. */
static double mean_value(const svf_ls_cell *c) {
  const double *value = c->ground->frame->value;
  double sum = 0, mean = 0;
  for (size_t i = 0; i < c->site->n; i++) {
    double weight = c->weight ? c->weight[i] : 1;
    sum += weight;
    mean += 2 * (weight / sum) * (value[c->rows[i]] / 2 - mean / 2);
  }
  return mean;
}

/* The scaled targets, computed with halves for the same reason. */
static void take_values(svf_ls_cell *c) {
  const double *value = c->ground->frame->value;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < c->site->n; i++) {
    low = fmin(low, value[c->rows[i]]);
    high = fmax(high, value[c->rows[i]]);
  }
  c->middle = low / 2 + high / 2;
  c->scale = high / 2 - low / 2;
  if (c->ground->settings->bias == SVF_BIAS_NO) c->middle = mean_value(c);
  for (size_t i = 0; i < c->site->n; i++)
    c->y[i] = c->scale > 0 ? (value[c->rows[i]] / 2 - c->middle / 2) / c->scale * 2 : 0;
}

static void take_labels(svf_ls_cell *c) {
  size_t n = c->site->n;
  for (size_t q = 0; q < c->targets; q++) {
    int32_t code = c->present[c->targets == 1 ? 1 : q];
    for (size_t i = 0; i < n; i++) c->y[q * n + i] = c->ground->frame->label[c->rows[i]] == code ? 1 : -1;
  }
  c->scale = 1;
}

static bool take_targets(svf_ls_cell *c) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  size_t n = c->site->n;
  c->y = SVF_TAKE(arena, double, c->targets *n);
  c->weight = frame->weight ? SVF_TAKE(arena, double, n) : NULL;
  if (svf_arena_failed(arena) || !arrange(c)) return false;
  for (size_t i = 0; frame->weight && i < n; i++) c->weight[i] = frame->weight[c->rows[i]];
  if (c->m) take_labels(c);
  else take_values(c);
  return true;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void take_costs(svf_ls_cell *c) {
  const svf_settings *settings = c->ground->settings;
  c->C[0] = settings->C;
  c->C_count = 1;
  if (settings->C > 0) return;
  c->C_count = settings->C_grid.count;
  memcpy(c->C, settings->C_grid.item, c->C_count * sizeof *c->C);
  qsort(c->C, c->C_count, sizeof *c->C, by_value);
}

int svf_ls_form_of(const svf_settings *settings) {
  switch (settings->kernel) {
  case SVF_KERNEL_CHOICE_AUTO: /* not chosen yet */
  case SVF_KERNEL_CHOICE_RBF:
    return SVF_LS_RBF;
  case SVF_KERNEL_CHOICE_LAPLACE:
    return SVF_LS_LAPLACE;
  case SVF_KERNEL_CHOICE_MANHATTAN:
    return SVF_LS_MANHATTAN;
  default:
    return settings->leaf_features == SVF_LEAF_FEATURES_QUADRATIC ? SVF_LS_QUADRATIC : SVF_LS_LINEAR;
  }
}

svf_status svf_ls_train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  svf_ls_cell c = {.ground = ground, .site = site};
  int form = svf_ls_form_of(ground->settings);
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m && ground->settings->calibration == SVF_CALIBRATION_LOGISTIC &&
      !(c.curve = SVF_TAKE(&ground->worker->arena, double, svf_ls_curve(c.m) + 1)))
    return svf_no_memory(message, "a leaf");
  if (c.m == 1) {
    svf_ls_write_head(&c, form, 0, 0, numbers);
    return numbers->failed ? svf_no_memory(message, "a leaf") : SVF_OK;
  }
  if (!take_targets(&c)) return svf_no_memory(message, "a leaf");
  take_costs(&c);
  if (ground->frame->step) SVF_TRY(svf_ls_train_step(&c, numbers, message));
  else SVF_TRY((svf_ls_has_rows(form) ? svf_ls_train_gauss : svf_ls_train_linear)(&c, numbers, message));
  return numbers->failed ? svf_no_memory(message, "a leaf") : SVF_OK;
}

/* ---- numbers ---- */

double svf_ls_bound(double value) { return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value; }

void svf_ls_write(svf_buffer *numbers, double value) {
  value = svf_ls_bound(value);
  svf_buffer_add(numbers, &value, sizeof value);
}

void svf_ls_write_error(svf_buffer *numbers, double squared, double unit) {
  double error = squared * unit * unit;
  bool fits = squared == 0 || (error >= DBL_MIN && error <= DBL_MAX);
  svf_ls_write(numbers, fits ? error : -sqrt(squared) * unit);
}

void svf_ls_write_head(const svf_ls_cell *c, int form, double C, double error, svf_buffer *numbers) {
  svf_ls_write(numbers, (double)c->m);
  int own = !c->own.t ? 0 : c->own.full ? 4 : 2;
  svf_ls_write(numbers, form + (own + (c->curve != NULL)) * SVF_LS_FORMS);
  svf_ls_write(numbers, C);
  svf_ls_write_error(numbers, error, c->scale);
  for (size_t k = 0; k < c->m; k++) svf_ls_write(numbers, c->present[k]);
  if (c->curve) svf_ls_write(numbers, (double)c->site->n);
  for (size_t i = 0; c->curve && i < svf_ls_curve(c->m); i++) svf_ls_write(numbers, c->curve[i]);
}

void svf_ls_write_machine(const svf_ls_cell *c, const double *coefficient, size_t count, double bias,
                          svf_buffer *numbers) {
  for (size_t j = 0; j < count; j++) svf_ls_write(numbers, coefficient[j] * c->scale);
  svf_ls_write(numbers, bias * c->scale + c->middle);
}

/* ---- linear machines ---- */

/* Rows twice, their images, the eigenvectors with what finding them takes: refused before it starts if it cannot fit. */
static svf_status check_size(const svf_ls_cell *c, int form, svf_message *message) {
  double d = (double)c->ground->frame->d, n = (double)c->site->n, targets = (double)c->targets;
  double p = form == SVF_LS_QUADRATIC ? d + d * (d + 1) / 2 : d, side = n < p ? n : p;
  char what[64];
  snprintf(what, sizeof what, "a leaf of %zu rows", c->site->n);
  return svf_check_memory(message, 8 * (2 * n * p + n * side + 3 * side * side + targets * (3 * n + 2 * p)),
                          c->ground->memory_limit, what);
}

svf_status svf_ls_train_linear(svf_ls_cell *c, svf_buffer *numbers, svf_message *message) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  int form = c->ground->settings->leaf_features;
  SVF_TRY(check_size(c, form, message));
  svf_rows rows = {.n = c->site->n, .p = svf_ls_width(frame->d, form)};
  rows.ld = svf_padded(rows.p);
  double *x = SVF_ZERO(arena, double, rows.n *rows.ld);
  for (size_t i = 0; x && i < rows.n; i++)
    svf_ls_expand(frame->d, form, frame->x + c->rows[i] * frame->stride, frame->fill, x + i * rows.ld);
  rows.x = x;
  svf_squares_problem problem = {rows, c->targets, c->y, c->weight, c->C, c->C_count, c->held_out};
  svf_solver solver = {.la = c->ground->la, .stop = c->ground->worker->stop, .arena = arena};
  svf_squares result;
  if (!x || !svf_least_squares(&problem, &solver, &result) || !svf_ls_calibrate(c, result.left_out))
    return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", c->site->n);
  if (atomic_load(solver.stop)) return svf_fail(message, SVF_STOPPED, "stopped");
  svf_ls_write_head(c, form, result.C, result.error, numbers);
  for (size_t q = 0; q < c->targets; q++)
    svf_ls_write_machine(c, result.w + q * rows.ld, rows.p, result.bias[q], numbers);
  return SVF_OK;
}
