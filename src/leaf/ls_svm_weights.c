/* ls_svm_weights.c - how much the answers of a least-squares leaf change with each column: the sizes of linear weights, or
 * the mean size of the slope at some of the rows that a Gaussian machine keeps; the mean over the machines. */
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

static double value(const svf_ls_view *view, size_t row, size_t column) {
  const svf_leaf_view *leaf = view->leaf;
  size_t at = (row / SVF_LANES * leaf->d + column) * SVF_LANES + row % SVF_LANES;
  if (leaf->singles) return leaf->singles[view->pane + at];
  float pair[2];
  memcpy(pair, leaf->numbers + view->pane + at / 2, sizeof pair);
  return pair[at % 2];
}

/* sum_i alpha_i k(x_i, x) (x_i - x) / sigma^2 for columns from.. of machine q at row number x. */
static void slope(const svf_ls_view *view, size_t q, size_t x, size_t from, double *out) {
  size_t count = view->leaf->d - from < COLUMNS ? view->leaf->d - from : COLUMNS;
  memset(out, 0, COLUMNS * sizeof *out);
  for (size_t i = 0; i < view->each; i++) {
    double alpha = svf_leaf_number(view->leaf, view->first + q * (view->each + 1) + i), square = 0;
    for (size_t j = 0; j < view->leaf->d; j++) {
      double step = (value(view, i, j) - value(view, x, j)) / view->sigma;
      square += step * step;
    }
    double pull = alpha * svf_exp(-square / 2) / view->sigma / view->sigma;
    pull = fmax(-MOST, fmin(MOST, pull)); /* of targets beyond 1e280 nothing but the order is kept */
    for (size_t j = 0; j < count; j++) out[j] += pull * (value(view, i, from + j) - value(view, x, from + j));
  }
}

static void gauss(const svf_ls_view *view, double *sum) {
  size_t probes = view->each < PROBES ? view->each : PROBES, d = view->leaf->d;
  double part = probes ? 1 / ((double)probes * (double)view->machines) : 0, out[COLUMNS];
  for (size_t q = 0; q < view->machines; q++)
    for (size_t p = 0; p < probes; p++)
      for (size_t from = 0; from < d; from += COLUMNS) {
        slope(view, q, p * view->each / probes, from, out);
        for (size_t j = from; j < d && j < from + COLUMNS; j++) sum[j] += part * fabs(out[j - from]);
      }
}

void svf_ls_weights(const svf_leaf_view *leaf, double *sum) {
  svf_ls_view view;
  svf_ls_read(leaf, &view);
  if (view.form == SVF_LS_RBF) gauss(&view, sum);
  else linear(&view, sum);
}
