/* kernel_svm_common.c - what all leaves of a forest of kernel machines share: candidates and the values of C, what the data
 * must be like, which settings are legal. */
#include "leaf/kernel_svm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 512 }; /* pairs of rows whose distance is looked at */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t svf_kernel_costs(const svf_settings *settings, double *C) {
  C[0] = settings->C;
  if (settings->C > 0) return 1;
  memcpy(C, settings->C_grid.item, settings->C_grid.count * sizeof *C);
  qsort(C, settings->C_grid.count, sizeof *C, by_value);
  return settings->C_grid.count;
}

size_t svf_kernel_candidates(const svf_settings *settings) {
  size_t degrees = settings->degrees.count, gamma_factors = settings->gamma_factors.count;
  switch (settings->kernel) {
  case SVF_KERNEL_CHOICE_POLY:
    return degrees;
  case SVF_KERNEL_CHOICE_RBF:
  case SVF_KERNEL_CHOICE_CHI2:
    return gamma_factors;
  case SVF_KERNEL_CHOICE_MIXED:
    return 1 + degrees + gamma_factors;
  default:
    return 1;
  }
}

/* Kernels are numbered as the choices of the setting are. */
_Static_assert((int)SVF_KERNEL_CHOICE_LINEAR == SVF_KERNEL_LINEAR && (int)SVF_KERNEL_CHOICE_POLY == SVF_KERNEL_POLY &&
                   (int)SVF_KERNEL_CHOICE_RBF == SVF_KERNEL_RBF && (int)SVF_KERNEL_CHOICE_CHI2 == SVF_KERNEL_CHI2 &&
                   (int)SVF_KERNEL_CHOICE_PRECOMPUTED == SVF_KERNEL_PRECOMPUTED,
               "kernels and choices have the same order");

static void list_candidates(const svf_settings *settings, double gamma, svf_kernel_common *all) {
  bool mixed = settings->kernel == SVF_KERNEL_CHOICE_MIXED;
  svf_kernel_kind kind = mixed ? SVF_KERNEL_RBF : (svf_kernel_kind)settings->kernel;
  if (mixed || kind == SVF_KERNEL_LINEAR)
    all->kernel[all->count++] = (svf_kernel){.kind = SVF_KERNEL_LINEAR, .degree = 1};
  for (size_t i = 0; (mixed || kind == SVF_KERNEL_POLY) && i < settings->degrees.count; i++)
    all->kernel[all->count++] =
        (svf_kernel){SVF_KERNEL_POLY, gamma, settings->coef0, (unsigned)settings->degrees.item[i]};
  for (size_t i = 0; (kind == SVF_KERNEL_RBF || kind == SVF_KERNEL_CHI2) && i < settings->gamma_factors.count; i++)
    all->kernel[all->count++] = (svf_kernel){kind, gamma * settings->gamma_factors.item[i], 0, 1};
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
            "kernel=chi2 is for counts or frequencies, and feature %u of row %zu is negative; use kernel=rbf, "
            "or scale=unit",
            frame->origin[j] + 1, i + 1);
  return SVF_OK;
}

static svf_status check_pair(const svf_frame *frame, size_t i, size_t j, svf_message *message) {
  double a = frame->x[i * frame->stride + j], b = frame->x[j * frame->stride + i];
  if (isnan(a) || isnan(b))
    return svf_fail(message, SVF_DATA,
                    "kernel=precomputed needs all similarities, and column %zu of row %zu is missing: fill it in",
                    (isnan(a) ? j : i) + 1, (isnan(a) ? i : j) + 1);
  if (fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b))) return SVF_OK;
  return svf_fail(
      message, SVF_DATA,
      "kernel=precomputed needs a symmetric table: column %zu of row %zu is %g, column %zu of row %zu is %g; "
      "put columns into the order of the rows, or use the mean of the two",
      j + 1, i + 1, a, i + 1, j + 1, b);
}

static svf_status check_matrix(const svf_frame *frame, svf_message *message) {
  if (frame->d != frame->n)
    return svf_fail(
        message, SVF_DATA,
        "kernel=precomputed reads column j of a row as its similarity to row j of the training table, and "
        "this has %zu rows and %zu columns: give it one column per row, and nothing else but the target "
        "(--drop NAME leaves a column out)",
        frame->n, frame->d);
  for (size_t i = 0; i < frame->n; i++)
    for (size_t j = 0; j <= i; j++) SVF_TRY(check_pair(frame, i, j, message));
  return SVF_OK;
}

svf_status svf_kernel_prepare(const svf_frame *frame, const svf_settings *settings, svf_arena *arena, void **shared,
                              svf_message *message) {
  svf_kernel_common *all = SVF_ZERO(arena, svf_kernel_common, 1);
  double gamma = settings->gamma, C[SVF_LIST_SIZE];
  if (!all) return svf_no_memory(message, "the kernels");
  if (settings->kernel == SVF_KERNEL_CHOICE_CHI2) SVF_TRY(check_chi(frame, message));
  if (settings->kernel == SVF_KERNEL_CHOICE_PRECOMPUTED) SVF_TRY(check_matrix(frame, message));
  if (gamma == 0) gamma = settings->kernel == SVF_KERNEL_CHOICE_CHI2 ? chi_gamma(frame) : usual_gamma(frame);
  list_candidates(settings, gamma, all);
  size_t count = svf_kernel_costs(settings, C);
  for (size_t i = 0; i < all->count; i++) all->C[i] = C[count / 2]; /* until it is chosen */
  *shared = all;
  return SVF_OK;
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
      {!wide && s->given[SVF_SET_gamma_factors], "gamma_factors are for kernel=rbf, kernel=chi2 and kernel=mixed"},
      {!poly && !wide && s->given[SVF_SET_gamma], "gamma has no meaning with this kernel"},
      {s->multiclass == SVF_MULTICLASS_ONE && s->given[SVF_SET_rest_weight],
       "rest_weight has a meaning for multiclass=one-vs-rest only"},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].wrong) return svf_fail(message, SVF_USAGE, "%s: leave it out", rules[i].what);
  return SVF_OK;
}

svf_status svf_kernel_check(const svf_settings *settings, svf_task task, svf_message *message) {
  bool several = svf_kernel_candidates(settings) > 1 && settings->kernel_choice != SVF_CHOOSE_RANDOM;
  if (task == SVF_TASK_REGRESS)
    return svf_fail(
        message, SVF_USAGE,
        "leaf=kernel-svm classifies, and the target is a number; use a method for numbers (-m ls-svm: one machine; "
        "-m tbrf-l: machines in the leaves of a forest), or treat its values as classes (--task class)");
  if (settings->multiclass == SVF_MULTICLASS_CRAMMER)
    return svf_fail(message, SVF_USAGE,
                    "leaf=kernel-svm has no multiclass=crammer-singer; use one-vs-one or one-vs-rest");
  if (settings->kernel > SVF_KERNEL_CHOICE_MIXED)
    return svf_fail(
        message, SVF_USAGE,
        "kernel=laplace, manhattan and auto are for leaf=ls-svm; with leaf=kernel-svm take linear, poly, rbf or "
        "chi2");
  if (!whole(&settings->degrees)) return svf_fail(message, SVF_USAGE, "degrees must be whole numbers");
  bool kept = settings->scale == SVF_SCALE_UNIT || settings->scale == SVF_SCALE_NONE;
  if (settings->kernel == SVF_KERNEL_CHOICE_CHI2 && !kept)
    return svf_fail(
        message, SVF_USAGE,
        "kernel=chi2 is for non-negative numbers; use scale=unit, or scale=none if no number is negative");
  if (settings->kernel == SVF_KERNEL_CHOICE_PRECOMPUTED && settings->scale != SVF_SCALE_NONE)
    return svf_fail(message, SVF_USAGE, "kernel=precomputed reads similarities as they are; use scale=none");
  if ((settings->C == 0 || several) && settings->folds < 2)
    return svf_fail(message, SVF_USAGE,
                    "C or the kernel is chosen by cross-validation, which needs folds=2 or more; or give C and one "
                    "kernel");
  return check_unread(settings, message);
}
