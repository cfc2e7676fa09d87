/* The classic forests as a whole: bytes, hard tables, what they can learn. */
#include "support/mixed.h"

static void *bytes_of(const char *method, const char *pairs, const svf_table *table, int threads, size_t *size) {
  svf_forest *forest = test_train(method, pairs, table, threads);
  const void *bytes = svf_forest_bytes(forest, size);
  void *copy = malloc(*size);
  memcpy(copy, bytes, *size);
  svf_forest_free(forest);
  return copy;
}

static void threads_do_not_show(void **state) {
  (void)state;
  static const char *const methods[] = {"rf", "et", "et-svm"};
  for (size_t i = 0; i < 12; i++) {
    mixed m = {300, i & 1 || i % 3 == 2 ? 3 : 0, i & 2, i & 4, i};
    svf_table *table = test_mixed(&m);
    size_t size, other;
    void *one = bytes_of(methods[i % 3], "trees=9", table, 1, &size);
    for (int threads = 2; threads <= 8; threads += 3) {
      void *many = bytes_of(methods[i % 3], "trees=9", table, threads, &other);
      assert_int_equal(size, other);
      assert_memory_equal(one, many, size);
      free(many);
    }
    free(one);
    svf_table_free(table);
  }
}

/* Fully grown trees on all rows know distinct training rows by heart. */
static void full_trees_fit_the_training_rows(void **state) {
  (void)state;
  svf_table *tables[] = {test_synth("classification", 300, 5, 4, 1), test_synth("friedman1", 300, 0, 0, 1)};
  static const char *const methods[] = {"rf", "et"};
  for (int i = 0; i < 4; i++) {
    svf_forest *forest = test_train(methods[i & 1], "trees=5 rows=all", tables[i / 2], 2);
    assert_close(test_result(forest, tables[i / 2]), i / 2 ? 0 : 1, 1e-12);
    svf_forest_free(forest);
  }
  svf_table_free(tables[0]);
  svf_table_free(tables[1]);
}

static void they_learn(void **state) {
  (void)state;
  svf_table *rings[] = {test_synth("rings", 600, 0, 0, 1), test_synth("rings", 2000, 0, 0, 2)};
  svf_table *sums[] = {test_synth("friedman1", 600, 0, 0, 1), test_synth("friedman1", 2000, 0, 0, 2)};
  static const char *const methods[] = {"rf", "et"};
  for (int i = 0; i < 2; i++) {
    svf_forest *forest = test_train(methods[i], "", rings[0], 2);
    assert_true(test_result(forest, rings[1]) > .9);
    svf_forest_free(forest);
    forest = test_train(methods[i], "", sums[0], 2);
    assert_true(test_result(forest, sums[1]) < 7); /* the variance is about 25 */
    svf_forest_free(forest);
  }
  for (int i = 0; i < 2; i++) svf_table_free(rings[i]), svf_table_free(sums[i]);
}

static svf_table *made(const double *x, size_t n, size_t d, const double *y) {
  svf_message message;
  svf_table *table = NULL;
  svf_matrix matrix = {x, 0, n, d, (ptrdiff_t)d, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_values(table, y, &message), &message);
  return table;
}

static void hard_targets_and_columns(void **state) {
  (void)state;
  const double x[] = {1, NAN, 5, 2, NAN, 5, 3, NAN, 5, 4, NAN, 5, 5, NAN, 5, 6, NAN, 5};
  const double same[] = {3, 3, 3, 3, 3, 3}, huge[] = {4e307, -4e307, 4e307, -4e307, 4e307, -4e307};
  const double tiny[] = {1e-300, 2e-300, 0, 5e-300, 1e-300, 0};
  static const char *const methods[] = {"rf", "et"};
  for (int i = 0; i < 2; i++) {
    svf_table *tables[] = {made(x, 6, 3, same), made(x, 6, 3, huge), made(x, 6, 3, tiny)};
    for (int j = 0; j < 3; j++) {
      svf_forest *forest = test_train(methods[i], "rows=all trees=4", tables[j], 1);
      double value[6];
      svf_message message;
      svf_prediction out = {.values = value};
      assert_ok(svf_predict(forest, tables[j], NULL, &out, &message), &message);
      const double *y = svf_table_values(tables[j]);
      for (int r = 0; r < 6; r++) assert_true(fabs(value[r] / 2 - y[r] / 2) <= 1e-12 * fabs(y[r]));
      svf_forest_free(forest);
      svf_table_free(tables[j]);
    }
  }
}

static void a_thousand_categories(void **state) {
  (void)state;
  enum { N = 3000, LEVELS = 1000 };
  static char text[LEVELS][8];
  static const char *names[LEVELS], *const classes[] = {"no", "yes"};
  double *x = calloc(N, sizeof *x);
  int32_t code[N], label[N];
  for (int l = 0; l < LEVELS; l++) names[l] = text[l], snprintf(text[l], sizeof text[l], "l%d", l);
  for (int i = 0; i < N; i++) code[i] = i % LEVELS, label[i] = code[i] % 7 == 3;
  svf_message message;
  svf_table *table = NULL;
  svf_matrix matrix = {x, 0, N, 1, 1, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, code, names, LEVELS, &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  static const char *const methods[] = {"rf", "et"};
  for (int i = 0; i < 2; i++) {
    svf_forest *forest = test_train(methods[i], "trees=3 rows=all", table, 2);
    assert_true(test_result(forest, table) == 1);
    svf_forest_free(forest);
  }
  svf_table_free(table);
  free(x);
}

/* The cuts of two forests are the same. */
static void same_cuts(const svf_forest *a, const svf_forest *b) {
  svf_forest_info info;
  svf_forest_describe(a, &info);
  for (size_t t = 0; t < info.trees; t++) {
    svf_tree_info tree, other;
    svf_forest_tree(a, t, &tree);
    svf_forest_tree(b, t, &other);
    assert_int_equal(tree.nodes, other.nodes);
    for (size_t n = 0; n < tree.nodes; n++) {
      svf_node_info x, y;
      svf_forest_node(a, t, n, &x);
      svf_forest_node(b, t, n, &y);
      assert_true(x.right == y.right && x.missing_left == y.missing_left && x.by_levels == y.by_levels);
      if (x.right) assert_int_equal(x.terms[0].feature, y.terms[0].feature);
      if (!x.by_levels) assert_true(x.threshold == y.threshold);
      uint32_t level[2][64];
      size_t count = svf_forest_node_levels(a, t, n, level[0]);
      assert_int_equal(svf_forest_node_levels(b, t, n, level[1]), count);
      assert_memory_equal(level[0], level[1], count * sizeof **level);
    }
  }
}

/* In trees of machines weights of 2 are repeats for the cuts, and weights far below single precision still cut. */
static void weights_count(void **state) {
  (void)state;
  mixed m = {80, 3, true, false, 4};
  svf_table *table = test_mixed(&m), *doubled = NULL;
  svf_message message;
  size_t rows[160], count = 0;
  double weight[80];
  for (size_t i = 0; i < 80; i++) {
    weight[i] = 1e-200 * (i % 3 ? 1 : 2);
    rows[count++] = i;
    if (i % 3 == 0) rows[count++] = i;
  }
  assert_ok(svf_table_take(table, rows, count, &doubled, &message), &message);
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  /* level_penalty counts rows */
  const char *pairs = "rows=all trees=4 features=all max_depth=3 level_penalty=0 leaf=linear-svm C=1";
  svf_forest *a = test_train("rf", pairs, table, 1), *b = test_train("rf", pairs, doubled, 1);
  same_cuts(a, b);
  svf_forest_free(a);
  svf_forest_free(b);
  svf_table_free(table);
  svf_table_free(doubled);
}

/* Only how weights compare matters to trees of constant leaves, which draw their rows by them. */
static void the_unit_of_weights_does_not_show(void **state) {
  (void)state;
  static const char *const ways[][2] = {
      {"rf", "trees=3"}, {"et", "trees=3"}, {"rf", "trees=3 rows=balanced"}, {"rf", "trees=3 rows=subsample"}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    svf_forest *forest[2];
    svf_message message;
    double weight[80];
    mixed m = {80, 3, true, false, 4};
    svf_table *table = test_mixed(&m);
    for (int unit = 0; unit < 2; unit++) {
      for (size_t i = 0; i < 80; i++) weight[i] = (unit ? 0x1p-600 : 1) * (double)(i % 5 + 1);
      assert_ok(svf_table_set_weights(table, weight, &message), &message);
      forest[unit] = test_train(ways[w][0], ways[w][1], table, 1 + unit);
    }
    same_cuts(forest[0], forest[1]);
    svf_forest_free(forest[0]);
    svf_forest_free(forest[1]);
    svf_table_free(table);
  }
}

static void illegal(const char *pairs, svf_task task, const char *word) {
  svf_settings *settings = test_settings("rf", pairs);
  svf_message message = {""};
  assert_int_equal(svf_settings_check(settings, task, &message), SVF_USAGE);
  if (!strstr(message.text, word)) fail_msg("'%s' does not say '%s'", message.text, word);
  svf_settings_free(settings);
}

static void criteria_fit_the_task(void **state) {
  (void)state;
  illegal("criterion=variance", SVF_TASK_CLASS, "classes");
  illegal("criterion=gini", SVF_TASK_REGRESS, "variance");
  illegal("cut=extra criterion=entropy", SVF_TASK_REGRESS, "variance");
  illegal("cut=random features=3", SVF_TASK_CLASS, "features has no meaning");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_show),
                                     cmocka_unit_test(full_trees_fit_the_training_rows),
                                     cmocka_unit_test(they_learn),
                                     cmocka_unit_test(hard_targets_and_columns),
                                     cmocka_unit_test(a_thousand_categories),
                                     cmocka_unit_test(weights_count),
                                     cmocka_unit_test(the_unit_of_weights_does_not_show),
                                     cmocka_unit_test(criteria_fit_the_task)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
