/* test_tbrf.c - what the papers promise: jumps at the cells' borders shrink as trees come in, and are there in one partition
 * (Figure 4 of Hang, Chen and Suykens); and the spread of predictions holds about as many answers as it says. */
#include "support/forest.h"

#include "base/random.h"

enum { N = 600, GRID = 4000, TEST = 800 };

static svf_message message;

static svf_table *table_of(double *x, size_t rows, size_t columns, const double *y) {
  svf_matrix matrix = {
      .values = x, .rows = rows, .columns = columns, .row_stride = (ptrdiff_t)columns, .column_stride = 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  if (y) assert_ok(svf_table_set_values(table, y, &message), &message);
  return table;
}

/* The largest step between two neighbours of a fine grid: a jump, where the function itself moves by little. */
static double largest_step(const char *method, const char *pairs, const svf_table *table) {
  static double grid[GRID], value[GRID];
  double most = 0;
  for (size_t i = 0; i < GRID; i++) grid[i] = (double)i / (GRID - 1);
  svf_table *points = table_of(grid, GRID, 1, NULL);
  svf_forest *forest = test_train(method, pairs, table, 2);
  svf_prediction out = {.values = value};
  assert_ok(svf_predict(forest, points, NULL, &out, &message), &message);
  for (size_t i = 1; i < GRID; i++) most = fmax(most, fabs(value[i] - value[i - 1]));
  svf_forest_free(forest);
  svf_table_free(points);
  return most;
}

#define QUICK "cells=8 widths=0.5,1 C_grid=1,10,100"

/* Over forests of three seeds: where the cells' borders fall is chance. */
static double mean_step(const char *method, int trees, const char *pairs, const svf_table *table) {
  double sum = 0;
  for (int seed = 1; seed <= 3; seed++) {
    char all[128];
    snprintf(all, sizeof all, "%s trees=%d seed=%d", pairs, trees, seed);
    sum += largest_step(method, all, table) / 3;
  }
  return sum;
}

/* Borders of different trees stand in different places: four times the trees leave a step about a quarter as high. Returns
 * that of 64 trees. */
static double shrinks(const char *method, const char *pairs, const svf_table *table) {
  double first = mean_step(method, 1, pairs, table), before = first, now = first;
  for (int trees = 4; trees <= 64; trees *= 4, before = now) {
    now = mean_step(method, trees, pairs, table);
    if (!(now < .55 * before)) fail_msg("%s: %d trees have a step of %g after %g", method, trees, now, before);
  }
  if (!(now < .08 * first)) fail_msg("%s: a step of %g is left of %g", method, now, first);
  return now;
}

static void jumps(void **state) {
  (void)state;
  static double x[N], y[N];
  svf_random random = svf_random_at((svf_place){.seed = 1, .use = SVF_USE_SYNTH});
  for (size_t i = 0; i < N; i++) {
    x[i] = svf_random_unit(&random);
    y[i] = sin(12 * x[i]) + .3 * svf_random_normal(&random);
  }
  svf_table *table = table_of(x, N, 1, y);
  double voronoi = mean_step("vp-svm", 1, QUICK, table),
         smooth = 12. / (GRID - 1); /* what the function itself moves */
  assert_true(voronoi > 50 * smooth);
  double left = shrinks("tbrf-g", "splits_per_row=0 " QUICK, table);
  assert_true(left < .1 * voronoi && left < 10 * smooth);
  shrinks("tbrf-c", "splits_per_row=0 cells=8", table);
  shrinks("tbrf-l", "splits_per_row=0 cells=8", table);
  svf_table_free(table);
}

/* Share of the test rows within z spreads of their prediction. */
static double coverage(const char *method, const char *pairs, double z) {
  svf_table *table = test_synth("friedman1", TEST, 10, 0, 1), *test = test_synth("friedman1", TEST, 10, 0, 2);
  static double value[TEST], spread[TEST];
  size_t inside = 0;
  svf_forest *forest = test_train(method, pairs, table, 2);
  svf_prediction out = {.values = value, .spreads = spread};
  assert_ok(svf_predict(forest, test, NULL, &out, &message), &message);
  for (size_t i = 0; i < TEST; i++) {
    assert_true(isfinite(spread[i]) && spread[i] >= 0);
    inside += fabs(svf_table_values(test)[i] - value[i]) <= z * spread[i];
  }
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(test);
  return (double)inside / TEST;
}

/* Near what they promise, and too wide rather than too narrow. */
static void spreads(void **state) {
  (void)state;
  const struct {
    const char *method, *pairs;
  } forest[] = {{"tbrf-c", "trees=40"},
                {"tbrf-l", "trees=20"},
                {"tbrf-g", "trees=6 widths=0.5,1,2 C_grid=10,1000"},
                {"vp-svm", "widths=0.5,1,2 C_grid=10,1000"}};
  for (size_t i = 0; i < 4; i++) {
    double half = coverage(forest[i].method, forest[i].pairs, .6745),
           most = coverage(forest[i].method, forest[i].pairs, 1.645);
    if (!(half > .45 && half < .65)) fail_msg("%s: 50%% interval holds %.3f", forest[i].method, half);
    if (!(most > .88 && most < .98)) fail_msg("%s: 90%% interval holds %.3f", forest[i].method, most);
  }
}

/* Numbers near the largest there are, or so small that they have no square: values and spreads in another unit. A Gaussian
 * machine's weights are C times larger. */
static void large_numbers(void **state) {
  (void)state;
  enum { ROWS = 120 };
  const struct {
    const char *method, *pairs;
    int most; /* power of two */
  } forest[] = {{"tbrf-c", "trees=5", 1010},
                {"tbrf-l", "trees=3 cell_rows=40 range=cell", 1000},
                {"tbrf-g", "trees=2 cell_rows=40 widths=1 C_grid=10 range=cell splits_per_row=0.1", 1000},
                {"vp-svm", "cell_rows=40 widths=1 C_grid=10", 1000}};
  static double value[2][ROWS], spread[2][ROWS], y[ROWS];
  for (size_t m = 0; m < 4; m++)
    for (size_t p = 0; p < 3; p++) {
      int power = p == 0 ? -600 : p == 1 ? 532 : forest[m].most;
      for (int large = 0; large < 2; large++) {
        svf_table *table = test_synth("friedman1", ROWS, 5, 0, 1);
        for (size_t i = 0; i < ROWS; i++) y[i] = ldexp(svf_table_values(table)[i], large ? power : 0);
        assert_ok(svf_table_set_values(table, y, &message), &message);
        svf_forest *f = test_train(forest[m].method, forest[m].pairs, table, 1);
        svf_prediction out = {.values = value[large], .spreads = spread[large]};
        assert_ok(svf_predict(f, table, NULL, &out, &message), &message);
        svf_forest_free(f);
        svf_table_free(table);
      }
      for (size_t i = 0; i < ROWS; i++) {
        assert_close(ldexp(value[1][i], -power), value[0][i], 1e-12);
        assert_close(ldexp(spread[1][i], -power), spread[0][i], 1e-12);
      }
    }
}

/* Weights that are no numbers are not written: the target is at fault, and the message says so. */
static void too_large_numbers(void **state) {
  (void)state;
  static double y[60];
  svf_table *table = test_synth("friedman1", 60, 5, 0, 1);
  for (size_t i = 0; i < 60; i++) y[i] = svf_table_values(table)[i] * 1e306;
  assert_ok(svf_table_set_values(table, y, &message), &message);
  svf_settings *settings = test_settings("vp-svm", "widths=0.1 C=100000");
  svf_forest *forest;
  assert_int_equal(svf_train(settings, table, NULL, &forest, &message), SVF_DATA);
  assert_null(forest);
  assert_non_null(strstr(message.text, "power of ten"));
  svf_settings_free(settings);
  svf_table_free(table);
}

/* The spread by the trees' own answers and by what the leaves say of themselves. */
static void spread_of_leaves(void **state) {
  (void)state;
  enum { TREES = 5, ROWS = 150 };
  static double value[ROWS], spread[ROWS];
  static int32_t leaf[ROWS * TREES];
  svf_table *table = test_synth("friedman1", ROWS, 5, 0, 4);
  svf_forest *forest = test_train("tbrf-c", "trees=5", table, 1);
  svf_prediction out = {.values = value, .spreads = spread, .leaves = leaf};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  size_t by_leaves = 0, by_trees = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double variance = 0, own = 0, known = 0;
    for (size_t t = 0; t < TREES; t++) {
      svf_leaf_info info;
      svf_forest_leaf(forest, t, (size_t)leaf[i * TREES + t], &info);
      variance += pow(info.numbers[0] - value[i], 2) / TREES;
      if (info.length > 1) own += pow(info.numbers[1], 2), known++;
    }
    double rest = known > 0 ? own / known - variance : 0;
    by_leaves += rest > variance;
    by_trees += rest < variance;
    assert_close(spread[i], sqrt(fmax(rest, variance)), 1e-9);
  }
  assert_true(by_leaves > 10 && by_trees > 10);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* The same where leaves of one row know nothing. */
static void spread_of_trees(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", 100, 5, 0, 3);
  enum { TREES = 7 };
  static double value[100], spread[100];
  static int32_t leaf[100 * TREES];
  svf_forest *forest =
      test_train("rf", "rows=all trees=7", table, 1); /* leaves of one row expect no error of their own */
  svf_prediction out = {.values = value, .spreads = spread, .leaves = leaf};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  svf_predictor *predictor;
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < 100; i++) {
    double squares = 0, row[5], again;
    for (size_t t = 0; t < TREES; t++) {
      svf_leaf_info info;
      svf_forest_leaf(forest, t, (size_t)leaf[i * TREES + t], &info);
      squares += pow(info.numbers[0] - value[i], 2) / TREES;
    }
    assert_close(spread[i], sqrt(squares), 1e-9);
    for (size_t j = 0; j < 5; j++) row[j] = svf_table_number(table, i, j);
    svf_prediction one = {.spreads = &again};
    assert_ok(svf_predictor_row(predictor, row, &one, &message), &message);
    assert_true(again == spread[i]);
  }
  svf_predictor_free(predictor);
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table *classes = test_synth("moons", 50, 2, 2, 1);
  forest = test_train("rf", "trees=2", classes, 1);
  svf_prediction wrong = {.spreads = spread};
  assert_int_equal(svf_predict(forest, classes, NULL, &wrong, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "probabilities"));
  svf_forest_free(forest);
  svf_table_free(classes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps),         cmocka_unit_test(spreads),           cmocka_unit_test(spread_of_leaves),
      cmocka_unit_test(large_numbers), cmocka_unit_test(too_large_numbers), cmocka_unit_test(spread_of_trees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
