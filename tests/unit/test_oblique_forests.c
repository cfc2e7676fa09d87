/* Forests of oblique cuts, whole: threads, odd tables, missing values, weights, numbers, and what they are better at. */
#include "support/forest.h"
#include "base/random.h"

static const char *const methods[] = {"random-rotation", "random-projection", "rotation-forest", "ccf", "rsvt-ccf"};
enum { METHODS = 5 };

static void threads_do_not_show(void **state) {
  (void)state;
  static const char *const leaves[] = {"trees=5", "trees=5 leaf=ls-svm cpu=portable",
                                       "trees=5 leaf=linear-svm rows=bootstrap min_leaf=20"};
  svf_table *table = test_synth("classification", 400, 8, 4, 1);
  for (int m = 0; m < METHODS; m++)
    for (int l = 0; l < 3; l++) {
      svf_forest *one = test_train(methods[m], leaves[l], table, 1);
      for (int threads = 2; threads < 9; threads += 3) {
        svf_forest *many = test_train(methods[m], leaves[l], table, threads);
        size_t a, b;
        const void *x = svf_forest_bytes(one, &a), *y = svf_forest_bytes(many, &b);
        assert_int_equal(a, b);
        assert_memory_equal(x, y, a);
        svf_forest_free(many);
      }
      svf_forest_free(one);
    }
  svf_table_free(table);
}

/* What every table below must survive: training, finite predictions, a loaded copy that says the same. */
static void survive(const char *method, const char *pairs, const svf_table *table) {
  svf_forest *forest = test_train(method, pairs, table, 2), *again = NULL;
  size_t n = svf_table_rows(table), size;
  double *value = malloc(n * sizeof *value);
  svf_prediction out = {.values = value};
  svf_message message;
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < n; i++) assert_true(isfinite(value[i]));
  const void *bytes = svf_forest_bytes(forest, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &again, &message), &message);
  assert_true(test_result(forest, table) == test_result(again, table));
  free(value);
  svf_forest_free(again);
  svf_forest_free(forest);
}

static svf_table *numbers(const double *x, size_t n, size_t d) {
  svf_table *table = NULL;
  svf_message message;
  svf_matrix matrix = {x, 0, n, d, (ptrdiff_t)d, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  return table;
}

/* Tables of N rows; classes follow the first column where it varies. */
static void odd_tables_are_safe(void **state) {
  (void)state;
  enum { N = 30, D = 6, KINDS = 7 };
  static const char *const names[] = {"a", "b", "c"};
  svf_random random = svf_random_at((svf_place){.seed = 4});
  for (int kind = 0; kind < KINDS; kind++) {
    double x[N * D], y[N];
    int32_t label[N];
    size_t d = kind == 0 ? 1 : D;
    for (size_t i = 0; i < N; i++) {
      double first = svf_random_normal(&random);
      for (size_t j = 0; j < d; j++) {
        double *to = &x[i * d + j];
        *to = j ? svf_random_normal(&random) : first;
        if (kind == 1) *to = 3;                                   /* constants */
        if (kind == 2) *to = first * (double)(j + 1) + 1;         /* collinear */
        if (kind == 3 && (j == 2 || (i + j) % 3 == 0)) *to = NAN; /* gaps, and a column that is one */
        if (kind == 4) *to *= j % 2 ? 1e300 : 1e-300;             /* far from 1 */
        if (kind == 5) *to = NAN;                                 /* nothing at all */
        if (kind == 6) *to = (double)(i % 2);                     /* two different rows */
      }
      label[i] = kind == 6 ? (int32_t)(i % 2) : first > 0;
      y[i] = kind == 4 ? (first > 0 ? 1e306 : -1e306) : first;
    }
    for (int m = 0; m < METHODS; m++)
      for (int leaf = 0; leaf < 3; leaf++) {
        const char *pairs[] = {"trees=3 min_leaf_factor=0", "trees=3 leaf=ls-svm vote=mean",
                               "trees=3 leaf=ls-svm leaf_features=quadratic rows=bootstrap vote=mean"};
        svf_message message;
        svf_table *table = numbers(x, N, d);
        assert_ok(svf_table_set_classes(table, label, names, 2, &message), &message);
        survive(methods[m], pairs[leaf], table);
        svf_table_free(table);
        table = numbers(x, N, d);
        assert_ok(svf_table_set_values(table, y, &message), &message);
        survive(methods[m], leaf ? pairs[leaf] : "trees=3 leaf=constant vote=mean", table);
        svf_table_free(table);
      }
  }
}

/* Weights: rows of weight 0 have no say, tiny weights are weights. */
static void weights_count(void **state) {
  (void)state;
  enum { N = 200 };
  for (int m = 0; m < METHODS; m++) {
    svf_table *table = test_synth("twonorm", N, 6, 0, 1), *other = test_synth("twonorm", N, 6, 0, 1);
    int32_t flipped[N];
    double weight[N], tiny[N];
    static const char *const names[] = {"a", "b"};
    svf_message message;
    for (int i = 0; i < N; i++) {
      weight[i] = i % 4 != 0;
      tiny[i] = weight[i] * 1e-100;
      flipped[i] = weight[i] > 0 ? svf_table_labels(table)[i] : 1 - svf_table_labels(table)[i];
    }
    assert_ok(svf_table_set_weights(table, weight, &message), &message);
    assert_ok(svf_table_set_weights(other, tiny, &message), &message);
    assert_ok(svf_table_set_classes(other, flipped, names, 2, &message), &message);
    const char *pairs = m < 4 ? "trees=20" : "trees=20 leaf=constant";
    svf_forest *a = test_train(methods[m], pairs, table, 1), *b = test_train(methods[m], pairs, other, 1);
    assert_true(test_result(a, table) > .8);
    assert_close(test_result(a, table), test_result(b, table), .01);
    svf_forest_free(a);
    svf_forest_free(b);
    svf_table_free(table);
    svf_table_free(other);
  }
}

/* Classes that only the sum of the features tells apart: a canonical cut finds it, axes do not. */
static void oblique_boundaries_are_found(void **state) {
  (void)state;
  static const double least[] = {.90, .90, .84, .94, .94};
  svf_table *train = test_synth("twonorm", 300, 20, 0, 1), *test = test_synth("twonorm", 2000, 20, 0, 2);
  for (int m = 0; m < METHODS; m++) {
    svf_forest *forest = test_train(methods[m], "trees=30", train, 2);
    assert_true(test_result(forest, test) > least[m]);
    svf_forest_free(forest);
  }
  svf_table_free(train);
  svf_table_free(test);
}

/* friedman1 has variance 25 and noise 1; quadratic leaves are much nearer to it than constant ones. */
static void numbers_are_learned(void **state) {
  (void)state;
  svf_table *train = test_synth("friedman1", 1000, 0, 0, 1), *test = test_synth("friedman1", 1000, 0, 0, 2);
  for (int m = 0; m < 4; m++) {
    svf_forest *forest = test_train(methods[m], "trees=30", train, 2);
    double constant = test_result(forest, test);
    assert_true(constant < 8);
    svf_forest_free(forest);
    forest = test_train(
        methods[m], "trees=30 leaf=ls-svm leaf_features=quadratic min_leaf=50 C_grid=0.01,0.1,1,10,100", train, 2);
    assert_true(test_result(forest, test) < .7 * constant);
    svf_forest_free(forest);
  }
  svf_table_free(train);
  svf_table_free(test);
}

static void illegal_settings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *pairs, *reason;
    svf_task task;
  } cases[] = {
      {"random-rotation", "group_size=2", "rotation=pca", SVF_TASK_CLASS},
      {"ccf", "projection_size=2", "has no meaning", SVF_TASK_CLASS},
      {"ccf", "rotation=pca", "has no meaning", SVF_TASK_CLASS},
      {"random-projection", "criterion=entropy", "criterion=variance", SVF_TASK_REGRESS},
      {"rotation-forest", "criterion=variance", "for numbers", SVF_TASK_CLASS},
      {"ccf", "leaf=ls-svm C=1 C_grid=1,2", "C_grid is not used", SVF_TASK_CLASS},
      {"ccf", "leaf=ls-svm folds=3", "has no meaning", SVF_TASK_CLASS},
      {"ccf", "leaf=linear-svm", "classifies", SVF_TASK_REGRESS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    svf_settings *settings = test_settings(cases[i].method, cases[i].pairs);
    svf_message message;
    assert_int_equal(svf_settings_check(settings, cases[i].task, &message), SVF_USAGE);
    if (!strstr(message.text, cases[i].reason)) fail_msg("%s: %s", cases[i].pairs, message.text);
    svf_settings_free(settings);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_show), cmocka_unit_test(odd_tables_are_safe),
      cmocka_unit_test(weights_count),       cmocka_unit_test(oblique_boundaries_are_found),
      cmocka_unit_test(numbers_are_learned), cmocka_unit_test(illegal_settings_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
