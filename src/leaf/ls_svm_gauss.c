/* ls_svm_gauss.c - the least-squares leaf with a kernel of distances in training. */
#include "leaf/ls_svm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine's memory, and the bound that was set: both are looked at before anything is taken. */
static svf_status check_size(const svf_ls_cell *c, svf_message *message) {
  size_t n = c->site->n;
  double bytes = svf_gauss_memory(n, c->targets, c->C_count),
         bound = (double)c->ground->settings->kernel_memory * 1048576;
  char what[64];
  if (bytes > bound)
    return svf_fail(
        message, SVF_MEMORY,
        "the kernel matrices of a leaf of %zu rows would need %.0f MB, and kernel_memory is %lld; cut into "
        "smaller cells, or set kernel_memory higher",
        n, ceil(bytes / 1048576), (long long)c->ground->settings->kernel_memory);
  snprintf(what, sizeof what, "a leaf of %zu rows", n);
  return svf_check_memory(message, bytes + 12 * (double)n * (double)c->ground->frame->d, c->ground->memory_limit,
                          what);
}

typedef struct widths {
  double item[SVF_LIST_SIZE];
  size_t count;
  bool relative;
} widths;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* gamma is 1 / (2 sigma^2), or 1 / sigma. */
static widths take_widths(const svf_settings *settings) {
  bool squared = settings->kernel == SVF_KERNEL_CHOICE_RBF;
  widths w = {{squared ? sqrt(.5 / settings->gamma) : 1 / settings->gamma}, 1, false};
  if (settings->gamma > 0) return w;
  w.count = settings->widths.count;
  w.relative = settings->width_unit == SVF_WIDTH_UNIT_CELL;
  memcpy(w.item, settings->widths.item, w.count * sizeof *w.item);
  qsort(w.item, w.count, sizeof *w.item, by_value);
  return w;
}

/* The rows one after the other, and in panes; in learned coordinates, those of the leaf or of the forest, if there are any. */
static bool gather(const svf_ls_cell *c, svf_gauss_problem *problem, float **pane) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  size_t n = c->site->n, d = frame->d;
  const svf_metric *metric = c->own.t ? &c->own : c->ground->metric;
  float *x = SVF_TAKE(arena, float, n *d), *row = SVF_TAKE(arena, float, d);
  double *sums = SVF_TAKE(arena, double, svf_padded(d));
  *pane = SVF_ZERO(arena, float, svf_padded(n) * d);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n && !svf_worker_stopped(c->ground->worker); i++) {
    const float *from = frame->x + c->rows[i] * frame->stride;
    for (size_t j = 0; j < d; j++) row[j] = from[j] == from[j] ? from[j] : frame->fill[j];
    if (metric) svf_metric_apply(metric, c->ground->la, row, sums, x + i * d);
    else memcpy(x + i * d, row, d * sizeof *row);
    for (size_t j = 0; j < d; j++) (*pane)[(i / SVF_LANES * d + j) * SVF_LANES + i % SVF_LANES] = x[i * d + j];
  }
  problem->rows = (svf_asked){x, n, d, d};
  problem->pane = *pane;
  return true;
}

/* Two floats are the bits of one double; the second one's exponent is not all ones, so that neither is the double's. */
static void write_rows(const svf_ls_cell *c, const float *pane, size_t count, svf_buffer *numbers) {
  if (c->ground->settings->precision == SVF_PRECISION_DOUBLE) svf_buffer_add(numbers, pane, count * sizeof *pane);
  else
    for (size_t i = 0; i < count; i++) svf_ls_write(numbers, pane[i]);
}

/* A constant target needs no rows. */
static void write_constant(const svf_ls_cell *c, svf_buffer *numbers) {
  svf_ls_write_head(c, svf_ls_form_of(c->ground->settings), c->C[0], 0, numbers);
  svf_ls_write(numbers, 1);
  svf_ls_write(numbers, 0);
  svf_ls_write_machine(c, NULL, 0, 0, numbers);
}

/* Alpha may be C times the targets: what a file is refused for (svf_ls_valid) is not written. The solver sees targets of at
 * most 1, so it is at fault, and not the target, if its own solution is not finite. */
static svf_status check_answers(const svf_ls_cell *c, const svf_gauss *result, svf_message *message) {
  size_t n = c->site->n, wide = svf_padded(n);
  for (size_t q = 0; q < c->targets; q++) {
    double most = fabs(result->bias[q] * c->scale + c->middle), own = fabs(result->bias[q]);
    for (size_t i = 0; i < n; i++) {
      most += fabs(result->alpha[q * wide + i] * c->scale);
      own += fabs(result->alpha[q * wide + i]);
    }
    if (!isfinite(own))
      return svf_fail(message, SVF_DATA,
                      "the solver of a leaf of %zu rows failed with sigma %.3g and C %.3g; please report this table",
                      n, result->sigma, result->C);
    if (!isfinite(most))
      return svf_fail(message, SVF_DATA,
                      "the target has numbers around %.3g, too large for the weights of a leaf of %zu rows: divide "
                      "them by a power of ten",
                      c->scale, n);
  }
  return SVF_OK;
}

/* A row's cost, the largest C times its weight, is at most this, the largest C there is. Alpha is up to the cost times the
 * target where an equal row has another target; much larger costs leave no digit of what such rows cancel, and alpha the
 * range of a double. */
#define MOST_COST 1e12

static void bound_weights(svf_ls_cell *c) {
  double most = MOST_COST / c->C[c->C_count - 1];
  for (size_t i = 0; c->weight && i < c->site->n; i++) c->weight[i] = fmin(c->weight[i], most);
}

svf_status svf_ls_train_gauss(svf_ls_cell *c, svf_buffer *numbers, svf_message *message) {
  widths w = take_widths(c->ground->settings);
  svf_worker *worker = c->ground->worker;
  int form = svf_ls_form_of(c->ground->settings);
  svf_gauss_problem problem = {.kernel = svf_ls_kernel_of(form),
                               .targets = c->targets,
                               .y = c->y,
                               .weight = c->weight,
                               .width = w.item,
                               .widths = w.count,
                               .relative = w.relative,
                               .C = c->C,
                               .C_count = c->C_count,
                               .held_out = c->held_out,
                               .no_bias = c->ground->settings->bias == SVF_BIAS_NO};
  svf_solver solver = {.la = c->ground->la, .stop = worker->stop, .arena = &worker->arena, .worker = worker};
  svf_gauss result;
  float *pane;
  size_t n = c->site->n, wide = svf_padded(n);
  if (!(c->scale > 0)) {
    write_constant(c, numbers);
    return SVF_OK;
  }
  SVF_TRY(check_size(c, message));
  bound_weights(c);
  if (c->ground->settings->metric != SVF_METRIC_NONE && c->ground->settings->metric_scope == SVF_METRIC_SCOPE_LEAF) {
    SVF_TRY(svf_ls_own_check(c, message));
    if (!svf_ls_own_learn(c, &problem))
      return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", n);
  }
  if (!gather(c, &problem, &pane) || !svf_gauss_fit(&problem, &solver, &result) ||
      !svf_ls_calibrate(c, result.left_out))
    return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", n);
  if (atomic_load(solver.stop)) return svf_fail(message, SVF_STOPPED, "stopped");
  SVF_TRY(check_answers(c, &result, message));
  svf_ls_write_head(c, form, result.C, result.error, numbers);
  svf_ls_write(numbers, result.sigma);
  svf_ls_write(numbers, (double)n);
  for (size_t q = 0; q < c->targets; q++)
    svf_ls_write_machine(c, result.alpha + q * wide, n, result.bias[q], numbers);
  if (c->own.t) svf_ls_own_write(c, numbers);
  write_rows(c, pane, wide * c->ground->frame->d, numbers);
  return SVF_OK;
}
