/* committee_portfolio.c - the members that a committee may have, and what each costs to train.
 *
 * Prices are arithmetic of the shape of the table, in seconds of one thread of a nominal processor, so that a plan does not
 * depend on the machine. The constants are rounded from trainings of 500 to 8000 rows with 10 to 40 features that `svforest
 * synth` made. */
#include "forest/auto/committee.h"

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

/* Some hundred rounds of small trees, one per class above two. */
static double by_rounds(const svf_shape *s, const svf_settings *settings) {
  double trees = s->classes > 2 ? 1 + s->classes / 3 : 1;
  (void)settings;
  return trees * (.04 + 1e-5 * s->rows * s->features);
}

/* Their number, with rows held apart once; of a small table part by part (docs/boost.md). */
static double choose_rounds(const svf_shape *s) {
  enum { SMALL = 3000 };
  return (s->rows < SMALL ? 6 : 1.2) * by_rounds(s, NULL);
}

/* Trees of machines in cells of at most 1000 rows, after the rounds of the metric. */
static double by_metric(const svf_shape *s, const svf_settings *settings) {
  double cells = (double)settings->trees * s->rows * fmin(s->rows, 800);
  return 1e-2 + 2.2e-7 * cells * (1 + s->columns / 500) * (1 + s->classes / 40);
}

/* The metric, kernel and scale are tried on some of the rows. */
static double choose_metric(const svf_shape *s) {
  double drawn = fmin(s->rows, 1200);
  return 1.6e-6 * drawn * drawn * (1 + s->columns / 100) * (1 + s->classes / 20);
}

/* Trees of a table that is one cell are all the same: one does, and what a single machine answers is no second member. */
static bool one_cell(const svf_shape *s, const svf_settings *settings) {
  return s->rows <= (double)settings->cell_rows;
}
static bool many_cells(const svf_shape *s, const svf_settings *settings) { return !one_cell(s, settings); }

static const svf_portfolio_row rows[] = {
    {"et", "trees=100", SVF_TASK_REGRESS, 1, by_extra, NULL, NULL},
    {"ccf", "trees=100", SVF_TASK_CLASS, 1, by_cca, NULL, NULL},
    {"metric-forest", "trees=1", SVF_TASK_AUTO, 2, by_metric, choose_metric, one_cell},
    {"metric-forest", "", SVF_TASK_AUTO, 2, by_metric, choose_metric, many_cells},
    {"boost", "", SVF_TASK_AUTO, 2, by_rounds, choose_rounds, NULL},
    {"rf", "trees=100", SVF_TASK_AUTO, 1, by_best, NULL, NULL},
    {"et", "trees=100", SVF_TASK_CLASS, 1, by_extra, NULL, NULL},
    {"rbf-svm", "", SVF_TASK_CLASS, 3, by_pairs, NULL, NULL},
    {"tbrf-g", "", SVF_TASK_AUTO, 3, by_cells, NULL, many_cells},
    {"tbrf-l", "", SVF_TASK_REGRESS, 3, by_lines, NULL, NULL},
    {"boost-l", "", SVF_TASK_AUTO, 4, by_rounds, choose_rounds, NULL},
    {"ls-svm", "", SVF_TASK_AUTO, 4, by_squares, NULL, NULL},
    {"rotation-forest", "trees=100", SVF_TASK_AUTO, 4, by_rotation, NULL, NULL},
    {"ccf", "trees=100", SVF_TASK_REGRESS, 5, by_cca, NULL, NULL},
    {"rf", "trees=100 features=third min_leaf=3", SVF_TASK_AUTO, 5, by_best, NULL, NULL},
    {"chi2-svm", "", SVF_TASK_CLASS, 6, by_pairs, NULL, NULL},
    {"et", "trees=200 features=all min_leaf=2", SVF_TASK_CLASS, 6, by_best, NULL, NULL},
    {"rf", "trees=300 criterion=entropy", SVF_TASK_CLASS, 7, by_best, NULL, NULL},
    {"ccf", "trees=300", SVF_TASK_AUTO, 8, by_cca, NULL, NULL},
};

const svf_portfolio_row *svf_portfolio_at(size_t index) {
  return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}
