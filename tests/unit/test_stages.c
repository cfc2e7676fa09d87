/* test_stages.c - the first trees of a forest say what a forest of so many trees says, and a tree alone what a forest of
 * it says: trees do not depend on how many there are. */
#include "support/forest.h"

enum { ROWS = 300, TREES = 5, MOST_CLASSES = 8 };
static svf_message message;

static svf_forest *train(const char *method, const char *vote, const svf_table *table, int first, int trees) {
  svf_settings *settings;
  svf_forest *forest;
  char text[16];
  assert_ok(svf_settings_new(method, &settings, &message), &message);
  snprintf(text, sizeof text, "%d", trees);
  assert_ok(svf_settings_set(settings, "trees", text, &message), &message);
  snprintf(text, sizeof text, "%d", first);
  assert_ok(svf_settings_set(settings, "first_tree", text, &message), &message);
  assert_ok(svf_settings_set(settings, "vote", vote, &message), &message);
  assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

/* values: n x TREES. Column `tree` must be what the smaller forest says, to the bit. */
static void compare(svf_forest *smaller, const svf_table *table, const double *values, size_t tree) {
  static double said[ROWS];
  svf_prediction out = {.values = said};
  assert_ok(svf_predict(smaller, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < ROWS; i++) assert_true(said[i] == values[i * TREES + tree]);
  svf_forest_free(smaller);
}

/* shares: n x TREES x k. The same of probabilities. */
static void compare_shares(svf_forest *smaller, const svf_table *table, const double *shares, size_t tree) {
  static double said[ROWS * MOST_CLASSES];
  svf_forest_info info;
  svf_forest_describe(smaller, &info);
  size_t k = info.classes;
  svf_prediction out = {.probabilities = said};
  assert_ok(svf_predict(smaller, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < ROWS; i++)
    assert_memory_equal(said + i * k, shares + (i * TREES + tree) * k, k * sizeof *said);
  svf_forest_free(smaller);
}

static void check_shares(const char *set, const char *method, const char *vote) {
  static double shares[ROWS * TREES * MOST_CLASSES];
  svf_synth_options options = {.rows = ROWS, .seed = 3};
  svf_table *table;
  assert_ok(svf_table_synth(set, &options, &table, NULL, &message), &message);
  svf_forest *forest = train(method, vote, table, 0, TREES);
  svf_stages out = {.shares = shares};
  assert_ok(svf_predict_stages(forest, table, NULL, &out, &message), &message);
  for (int t = 0; t < TREES; t++) compare_shares(train(method, vote, table, 0, t + 1), table, shares, (size_t)t);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void of_probabilities(void **state) {
  (void)state;
  check_shares("mixture", "rsvt-full", "majority");
  check_shares("mixture", "rsvt-full", "mean");
  check_shares("spirals", "rf", "weighted");
}

/* A number has no classes: nothing is written. */
static void no_probabilities(void **state) {
  (void)state;
  double shares[1] = {-7};
  svf_synth_options options = {.rows = ROWS, .seed = 3};
  svf_stages out = {.shares = shares};
  svf_table *table;
  assert_ok(svf_table_synth("friedman1", &options, &table, NULL, &message), &message);
  svf_forest *forest = train("rf", "mean", table, 0, TREES);
  assert_ok(svf_predict_stages(forest, table, NULL, &out, &message), &message);
  assert_true(shares[0] == -7);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void check(const char *set, const char *method, const char *vote) {
  static double values[ROWS * TREES], alone[ROWS * TREES], again[ROWS * TREES];
  svf_synth_options options = {.rows = ROWS, .seed = 3};
  svf_table *table;
  assert_ok(svf_table_synth(set, &options, &table, NULL, &message), &message);
  svf_forest *forest = train(method, vote, table, 0, TREES);
  svf_stages out = {.values = values, .alone = alone}, one = {.values = again};
  svf_run run = {.threads = 3};
  assert_ok(svf_predict_stages(forest, table, &run, &out, &message), &message);
  for (int t = 0; t < TREES; t++) {
    compare(train(method, vote, table, 0, t + 1), table, values, (size_t)t);
    compare(train(method, vote, table, t, 1), table, alone, (size_t)t);
  }
  assert_ok(svf_predict_stages(forest, table, NULL, &one, NULL), &message);
  assert_memory_equal(again, values, sizeof values);
  one = (svf_stages){.alone = again};
  assert_ok(svf_predict_stages(forest, table, NULL, &one, NULL), &message);
  assert_memory_equal(again, alone, sizeof alone);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void of_classes(void **state) {
  (void)state;
  check("mixture", "rsvt-full", "majority");
  check("mixture", "rsvt-full", "mean");
  check("spirals", "rf", "majority");
  check("spirals", "rf", "weighted");
}

static void of_numbers(void **state) {
  (void)state;
  check("friedman1", "et", "mean");
  check("friedman1", "rf", "mean");
}

static int stop(void *user, const svf_progress *progress) {
  (void)user, (void)progress;
  return 1;
}

static void refused(void **state) {
  (void)state;
  static double x[ROWS * 9], values[ROWS * TREES];
  svf_synth_options options = {.rows = ROWS};
  svf_matrix matrix = {.values = x, .rows = ROWS, .columns = 9, .row_stride = 9, .column_stride = 1};
  svf_table *table, *other;
  assert_ok(svf_table_synth("moons", &options, &table, NULL, &message), &message);
  assert_ok(svf_table_new(&matrix, NULL, &other, &message), &message);
  svf_forest *forest = train("rf", "mean", table, 0, TREES);
  svf_stages out = {.values = values};
  assert_int_equal(svf_predict_stages(forest, other, NULL, &out, &message), SVF_DATA);
  svf_run run = {.callback = stop};
  svf_status status = svf_predict_stages(forest, table, &run, &out, &message);
  assert_true(status == SVF_STOPPED || status == SVF_OK);
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_classes),       cmocka_unit_test(of_numbers), cmocka_unit_test(of_probabilities),
      cmocka_unit_test(no_probabilities), cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
