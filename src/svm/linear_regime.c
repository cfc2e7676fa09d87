/* linear_regime.c - see linear_regime.h. */
#include "svm/linear_regime.h"

#include <math.h>

const svf_regime svf_regimes[SVF_REGIMES] = {
    [SVF_REGIME_GRAM] = {"gram", SVF_GRAM, SVF_STEP_ROWS, SVF_FIRST_ZERO},
    [SVF_REGIME_GRAM_LONG] = {"gram-long", SVF_GRAM, SVF_STEP_ROWS, SVF_FIRST_GRADIENT},
    [SVF_REGIME_BRIEF] = {"brief", SVF_H_SINGLE, SVF_STEP_BATCH, SVF_FIRST_LEAP},
    [SVF_REGIME_SHORT] = {"short", SVF_H_SINGLE, SVF_STEP_BATCH, SVF_FIRST_ZERO},
    [SVF_REGIME_MIDDLE] = {"middle", SVF_H_SINGLE, SVF_STEP_FEATURES, SVF_FIRST_ZERO},
    [SVF_REGIME_LONG] = {"long", SVF_H_SINGLE, SVF_STEP_FEATURES, SVF_FIRST_GRADIENT},
    [SVF_REGIME_LONG_FEW] = {"long-few", SVF_H_SINGLE, SVF_STEP_SMALLER, SVF_FIRST_GRADIENT},
    [SVF_REGIME_DOUBLE] = {"double", SVF_H_DOUBLE, SVF_STEP_FEATURES, SVF_FIRST_ZERO},
    [SVF_REGIME_SUMS] = {"sums", SVF_H_SUMS, SVF_STEP_FEATURES, SVF_FIRST_ZERO},
    [SVF_REGIME_CROWD] = {"crowd", SVF_H_DOUBLE, SVF_STEP_FEATURES, SVF_FIRST_ZERO},
};

svf_storage svf_storage_choose(size_t n, size_t p) {
  enum { CROWD = 1 << 22 };
  if (p < SVF_SHORT) return n >= CROWD / p ? SVF_PANELS_ONLY : SVF_ROWS_AND_PANELS;
  return n >= SVF_MANY / p ? SVF_ROWS_ONLY : SVF_ROWS_AND_PANELS;
}

/* Rounding errors of 2C H must stay far below the 1 of the I that is added to it, as H may have eigenvalues of 0. In single
 * precision they are a fraction of the largest eigenvalue. Sums in double have a relative error e in each number of H; those on
 * the diagonal are about 1 / p of the bound, and errors of either sign in p x p numbers have eigenvalues up to 2 sqrt(p) of
 * one. */
static const double single_most = 1e6, sums_most = .25;

bool svf_regime_sums(const svf_extent *extent, double e) {
  return 2 * e * extent->bound / sqrt((double)extent->p) <= sums_most;
}

/* If rows differ from each other, e is about this. If they repeat, it is larger: linear_totals.c measures it. */
static double error_of_sums(size_t n) { return 1.5e-6 / sqrt((double)n); }

const svf_regime *svf_regime_choose(const svf_extent *extent) {
  size_t n = extent->n, p = extent->p, folds = extent->folds;
  double part = folds > 1 ? (double)n * (double)(folds - 1) / (double)folds : (double)n; /* rows without a fold */
  bool few_rows = (double)p > .8 * part, few_active = p >= 128 && (double)n <= 3.5 * (double)p;
  if (few_rows) return &svf_regimes[p < SVF_LONG ? SVF_REGIME_GRAM : SVF_REGIME_GRAM_LONG];
  if (svf_storage_choose(n, p) == SVF_PANELS_ONLY) return &svf_regimes[SVF_REGIME_CROWD];
  if (extent->bound > single_most) {
    bool sums = p >= SVF_SHORT && svf_regime_sums(extent, error_of_sums(n));
    return &svf_regimes[sums ? SVF_REGIME_SUMS : SVF_REGIME_DOUBLE];
  }
  if (p < SVF_SHORT) return &svf_regimes[p < SVF_SHORTEST ? SVF_REGIME_BRIEF : SVF_REGIME_SHORT];
  if (p < SVF_LONG) return &svf_regimes[SVF_REGIME_MIDDLE];
  return &svf_regimes[few_active ? SVF_REGIME_LONG_FEW : SVF_REGIME_LONG];
}
