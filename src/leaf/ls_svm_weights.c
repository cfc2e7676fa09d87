/* ls_svm_weights.c - how much the answers of a least-squares leaf change with each column: the sizes of linear weights, or
 * the mean size of the slope at some of the rows that a machine with a kernel keeps; the mean over the machines. */
#include "leaf/ls_svm.h"

#include <math.h>
#include <string.h>
#include "la/elementary.h"

#define MOST 1e280

enum { PROBES = 32, COLUMNS = 64 }; /* rows looked at, evenly spaced; columns at a time */

/* A product of two features counts half for each. */
static void linear(const svf_ls_view *view, double *sum) {
  const svf_leaf_view *leaf = view->leaf;
  size_t at = view->first;
  for (size_t q = 0; q < view->machines; q++, at++) {
    for (size_t j = 0; j < leaf->d; j++) sum[j] += fabs(svf_leaf_number(leaf, at++)) / (double)view->machines;
    for (size_t a = 0; view->form == SVF_LS_QUADRATIC && a < leaf->d; a++)
      for (size_t b = a; b < leaf->d; b++) {
        double half = fabs(svf_leaf_number(leaf, at++)) / (double)view->machines / 2;
        sum[a] += half, sum[b] += half;
      }
  }
}

static void steps(const svf_ls_view *view, double *sum) {
  for (size_t j = 0; j < view->each; j++) {
    size_t at = view->first + j * SVF_LS_STEP_EACH;
    sum[(size_t)svf_leaf_number(view->leaf, at)] += fabs(svf_leaf_number(view->leaf, at + SVF_LS_STEP_EACH - 1));
  }
}

static double value(const svf_ls_view *view, size_t row, size_t column) {
  const svf_leaf_view *leaf = view->leaf;
  size_t at = (row / SVF_LANES * leaf->d + column) * SVF_LANES + row % SVF_LANES;
  if (leaf->singles || view->apart) return svf_leaf_number(leaf, view->pane + at);
  float pair[2];
  memcpy(pair, leaf->numbers + view->pane + at / 2, sizeof pair);
  return pair[at % 2];
}

/* The size of an answer changes by `pull` times x_i - x (rbf, laplace) or its sign (manhattan), summed over the rows:
 *     rbf  alpha_i k / sigma^2,   laplace  alpha_i k / (sigma |x_i - x|), 0 where they coincide,   manhattan  alpha_i k / sigma */
static double pull_of(const svf_ls_view *view, double alpha, size_t i, size_t x) {
  svf_ls_kernel kernel = svf_ls_kernel_of(view->form);
  double sum = 0;
  for (size_t j = 0; j < view->leaf->d; j++) {
    double step = (value(view, i, j) - value(view, x, j)) / view->sigma;
    sum += kernel == SVF_LS_KERNEL_MANHATTAN ? fabs(step) : step * step;
  }
  double far = kernel == SVF_LS_KERNEL_LAPLACE ? sqrt(sum) : sum;
  double pull = alpha * svf_exp(kernel == SVF_LS_KERNEL_RBF ? -sum / 2 : -far) / view->sigma;
  if (kernel == SVF_LS_KERNEL_RBF) pull /= view->sigma;
  if (kernel == SVF_LS_KERNEL_LAPLACE) pull = far > 0 ? pull / (far * view->sigma) : 0;
  return fmax(-MOST, fmin(MOST, pull)); /* of targets beyond 1e280 nothing but the order is kept */
}

/* The slope for columns from.. of machine q at row number x. */
static void slope(const svf_ls_view *view, size_t q, size_t x, size_t from, double *out) {
  size_t count = view->leaf->d - from < COLUMNS ? view->leaf->d - from : COLUMNS;
  bool city = view->form == SVF_LS_MANHATTAN;
  memset(out, 0, COLUMNS * sizeof *out);
  for (size_t i = 0; i < view->each; i++) {
    double pull = pull_of(view, svf_leaf_number(view->leaf, view->first + q * (view->each + 1) + i), i, x);
    for (size_t j = 0; j < count; j++) {
      double step = value(view, i, from + j) - value(view, x, from + j);
      out[j] += pull * (city ? (step > 0) - (step < 0) : step);
    }
  }
}

/* In learned coordinates z = T x, then in those of the rows: grad = T grad_z. */
static void slopes(const svf_ls_view *view, double *scratch, double *sum) {
  const svf_leaf_view *leaf = view->leaf;
  size_t probes = view->each < PROBES ? view->each : PROBES, d = leaf->d;
  double part = probes ? 1 / ((double)probes * (double)view->machines) : 0, out[COLUMNS], *all = scratch;
  for (size_t q = 0; q < view->machines; q++)
    for (size_t p = 0; p < probes; p++) {
      for (size_t from = 0; from < d; from += COLUMNS) {
        slope(view, q, p * view->each / probes, from, out);
        for (size_t j = from; j < d && j < from + COLUMNS; j++) all[j] = out[j - from];
      }
      if (view->map) svf_ls_own_pull(view, all, scratch + svf_padded(d));
      else if (leaf->metric) svf_metric_pull(leaf->metric, leaf->la, all, scratch + svf_padded(d));
      for (size_t j = 0; j < d; j++) sum[j] += part * fabs(all[j]);
    }
}

void svf_ls_weights(const svf_leaf_view *leaf, double *scratch, double *sum) {
  svf_ls_view view;
  svf_ls_read(leaf, &view);
  if (view.form == SVF_LS_STEP) steps(&view, sum);
  else if (svf_ls_has_rows(view.form)) slopes(&view, scratch, sum);
  else linear(&view, sum);
}

bool svf_ls_linear(const svf_leaf_view *leaf, double *w) {
  svf_ls_view view;
  svf_ls_read(leaf, &view);
  if (view.m != 0 || view.form != SVF_LS_LINEAR) return false;
  for (size_t j = 0; w && j <= leaf->d; j++) w[j] = svf_leaf_number(leaf, view.first + j);
  return true;
}
