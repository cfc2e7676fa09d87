/* portfolio.c - the members that a committee may have, and what each costs to train.
 *
 * Prices are arithmetic of the shape of the table, in seconds of one thread of a nominal processor, so that a plan does not depend on
 * the machine. The constants are rounded from trainings of 500 to 8000 rows with 10 to 40 features that `svforest synth` made. */
#include "forest/committee.h"

#include <math.h>

static double log_rows(const svf_shape *s) { return log2(s->rows + 2); }
static bool numbers(const svf_shape *s) { return s->classes < 2; }

/* Sorting the rows of every level by each of the features that are drawn. */
static double by_best(const svf_shape *s, const svf_settings *settings) {
  double drawn = numbers(s) ? s->features : sqrt(s->features);
  return 1e-3 + 1.2e-8 * (double)settings->trees * s->rows * log_rows(s) * drawn * (1 + s->classes / 20);
}

static double by_extra(const svf_shape *s, const svf_settings *settings) { return by_best(s, settings) / 2; }

/* Canonical directions: the covariances of the columns that are drawn, at every level. */
static double by_cca(const svf_shape *s, const svf_settings *settings) {
  double drawn = sqrt(s->columns) + 1, level = s->rows * log_rows(s) * (double)settings->trees;
  return 1e-3 + level * (numbers(s) ? 2e-7 : 1.3e-8 * drawn * (1 + s->classes / 5));
}

static double by_rotation(const svf_shape *s, const svf_settings *settings) {
  return 1e-3 + (numbers(s) ? 2e-8 : 1.1e-8) * (double)settings->trees * s->rows * log_rows(s) * s->columns *
                    (1 + s->classes / 10);
}

/* A matrix of all rows, reduced once for each of ten widths. */
static double by_squares(const svf_shape *s, const svf_settings *settings) {
  (void)settings;
  return 1e-2 + 9e-10 * s->rows * s->rows * (s->rows + 10 * s->columns);
}

/* Ten trees of cells with such a matrix each. */
static double by_cells(const svf_shape *s, const svf_settings *settings) {
  double cell = fmin(s->rows, (double)settings->cell_rows);
  return 1e-2 + (double)settings->trees * s->rows * (5e-5 + 9e-9 * cell * cell / 40 * (1 + s->columns / 200));
}

static double by_lines(const svf_shape *s, const svf_settings *settings) {
  double cell = fmin(s->rows, (double)settings->cell_rows), p = s->columns;
  return 1e-2 + 2e-9 * (double)settings->trees * s->rows * (p + 20) * fmin(p + 20, cell);
}

/* Pairs of classes, three folds, four values of C; the more support vectors the slower. */
static double by_pairs(const svf_shape *s, const svf_settings *settings) {
  (void)settings;
  return 1e-2 + 4e-8 * s->rows * s->rows * (1 + s->columns / 50) * (1 + s->classes / 10);
}

/* Rounds of small trees, one per class above two; a small table is held apart part by part first (docs/boost.md). */
static double by_rounds(const svf_shape *s, const svf_settings *settings) {
  enum { SMALL = 3000 };
  (void)settings;
  double trees = s->classes > 2 ? s->classes : 1, apart = s->rows < SMALL ? 2 : 1;
  return trees * apart * (.7 + 7e-6 * s->rows * s->features);
}

/* The choice of a metric on some rows, then machines in cells. */
static double by_metric(const svf_shape *s, const svf_settings *settings) {
  (void)settings;
  double drawn = fmin(s->rows, 2500) * (1 + s->columns / 100) * (1 + s->classes / 20);
  return 1.5 + 3e-3 * drawn + 1.5e-3 * s->rows;
}

static const svf_portfolio_row rows[] = {
    {"et", "trees=100", SVF_TASK_REGRESS, 1, by_extra},
    {"ccf", "trees=100", SVF_TASK_CLASS, 1, by_cca},
    {"rf", "trees=100", SVF_TASK_AUTO, 1, by_best},
    {"et", "trees=100", SVF_TASK_CLASS, 1, by_extra},
    {"boost", "", SVF_TASK_AUTO, 2, by_rounds},
    {"rbf-svm", "", SVF_TASK_CLASS, 2, by_pairs},
    {"tbrf-g", "", SVF_TASK_AUTO, 3, by_cells},
    {"tbrf-l", "", SVF_TASK_REGRESS, 2, by_lines},
    {"metric-forest", "", SVF_TASK_AUTO, 4, by_metric},
    {"ls-svm", "", SVF_TASK_AUTO, 4, by_squares},
    {"rotation-forest", "trees=100", SVF_TASK_AUTO, 4, by_rotation},
    {"ccf", "trees=100", SVF_TASK_REGRESS, 5, by_cca},
    {"rf", "trees=100 features=third min_leaf=3", SVF_TASK_AUTO, 5, by_best},
    {"chi2-svm", "", SVF_TASK_CLASS, 6, by_pairs},
    {"et", "trees=200 features=all min_leaf=2", SVF_TASK_CLASS, 6, by_best},
    {"rf", "trees=300 criterion=entropy", SVF_TASK_CLASS, 7, by_best},
    {"ccf", "trees=300", SVF_TASK_AUTO, 8, by_cca},
};

const svf_portfolio_row *svf_portfolio_at(size_t index) {
  return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}
