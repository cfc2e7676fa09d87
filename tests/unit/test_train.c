/* Whole forests: the same bytes for any number of threads, every legal combination of the four choices,
 * degenerate tables, what stops a run. */
#include "support/forest.h"
#include <stdbool.h>

static void same_bytes(const char *method, const char *pairs, const svf_table *table) {
  static const int threads[] = {1, 2, 3, 8, 1};
  svf_forest *first = NULL;
  for (int i = 0; i < 5; i++) {
    svf_forest *forest = test_train(method, pairs, table, threads[i]);
    size_t a, b;
    if (!first) {
      first = forest;
      continue;
    }
    const void *x = svf_forest_bytes(first, &a), *y = svf_forest_bytes(forest, &b);
    assert_int_equal(a, b);
    assert_memory_equal(x, y, a);
    svf_forest_free(forest);
  }
  svf_forest_free(first);
}

static void threads_do_not_show(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 400, 8, 4, 1);
  same_bytes("rsvt", "trees=4", table);
  same_bytes("rsvt-full", "trees=4 rows=bootstrap vote=weighted", table);
  same_bytes("rsvt-full", "rows=balanced vote=simple leaf=constant prune=0.3", table);
  same_bytes("rsvt-full", "trees=4 cpu=portable multiclass=one-vs-one rows=subsample", table);
  svf_table_free(table);
}

/* A table given up for good trains the same forest; it is gone after a refusal, too. */
static void a_table_is_given_up(void **state) {
  (void)state;
  svf_message message;
  svf_table *table = test_synth("classification", 200, 5, 3, 1);
  svf_settings *settings = test_settings("rsvt", "rows=bootstrap");
  svf_forest *kept = test_train("rsvt", "rows=bootstrap", table, 2), *forest;
  size_t a, b;
  assert_ok(svf_train_once(settings, &table, NULL, &forest, &message), &message);
  assert_null(table);
  const void *x = svf_forest_bytes(kept, &a), *y = svf_forest_bytes(forest, &b);
  assert_int_equal(a, b);
  assert_memory_equal(x, y, a);
  svf_forest_free(forest);
  table = test_synth("friedman1", 50, 0, 0, 1);
  assert_true(svf_train_once(settings, &table, NULL, &forest, &message) == SVF_USAGE);
  assert_null(table);
  assert_null(forest);
  svf_forest_free(kept);
  svf_settings_free(settings);
}

/* Leaves of most of a large table are trained one at a time, all threads at each. */
static void threads_share_a_huge_leaf(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 2100000, 2, 2, 1);
  svf_forest *one = test_train("linear-svm", "folds=3 C_grid=0.5,1", table, 1);
  svf_forest *three = test_train("linear-svm", "folds=3 C_grid=0.5,1", table, 3);
  size_t a, b;
  const void *x = svf_forest_bytes(one, &a), *y = svf_forest_bytes(three, &b);
  assert_int_equal(a, b);
  assert_memory_equal(x, y, a);
  svf_forest_free(one);
  svf_forest_free(three);
  svf_table_free(table);
}

/* Saved, loaded from bytes, and asked again: the same answers. */
static void round_trip(const svf_forest *forest, const svf_table *table) {
  svf_message message;
  svf_forest *again = NULL;
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &again, &message), &message);
  assert_true(test_result(forest, table) == test_result(again, table));
  svf_forest_free(again);
}

static void every_legal_combination(void **state) {
  (void)state;
  svf_table *tables[] = {test_synth("classification", 150, 4, 3, 1), test_synth("friedman1", 150, 0, 0, 1)};
  static const char *const rows[] = {"all", "bootstrap", "subsample", "balanced"};
  size_t kinds = svf_kind_count(), legal = 0;
  svf_kind_info info[64];
  for (size_t i = 0; i < kinds; i++) info[i] = svf_kind_at(i);
  for (size_t c = 0; c < kinds; c++)
    for (size_t l = 0; l < kinds; l++)
      for (size_t p = 0; p < kinds; p++)
        for (size_t v = 0; v < kinds; v++) {
          if (strcmp(info[c].seam, "cut") || strcmp(info[l].seam, "leaf") || strcmp(info[p].seam, "pick") ||
              strcmp(info[v].seam, "vote"))
            continue;
          for (int r = 0; r < 8; r++) {
            char pairs[200];
            snprintf(pairs, sizeof pairs, "trees=2 rows=%s cut=%s leaf=%s pick=%s vote=%s", rows[r % 4], info[c].name,
                     info[l].name, info[p].name, info[v].name);
            svf_settings *settings = test_settings("rsvt", pairs);
            const svf_table *table = tables[r / 4];
            bool fine = svf_settings_check(settings, svf_table_task(table), NULL) == SVF_OK;
            svf_settings_free(settings);
            if (!fine) continue;
            legal++;
            svf_forest *forest = test_train("rsvt", pairs, table, 2);
            double result = test_result(forest, table);
            assert_true(r / 4 ? result < 40 : result > .3);
            round_trip(forest, table);
            svf_forest_free(forest);
          }
        }
  assert_true(legal >= 70);
  svf_table_free(tables[0]);
  svf_table_free(tables[1]);
}

static svf_table *from_rows(const double *x, size_t n, size_t d, const int32_t *label, size_t classes) {
  static const char *const names[] = {"a", "b", "c"};
  svf_message message;
  svf_table *table = NULL;
  svf_matrix matrix = {x, 0, n, d, (ptrdiff_t)d, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, names, classes, &message), &message);
  return table;
}

static void degenerate_tables_work(void **state) {
  (void)state;
  const double x[] = {1, 5, 2, 5, 3, 5, 4, 5, 1e308, 5, -1e308, 5};
  const int32_t one[] = {0, 0, 0, 0, 0, 0}, two[] = {0, 1, 0, 1, 1, 0};
  const double same[] = {1, 1, 1, 1, 1, 1};
  svf_table *tables[] = {from_rows(x, 6, 2, one, 1),    from_rows(x, 6, 2, two, 2), from_rows(x, 6, 2, two, 3),
                         from_rows(same, 6, 1, two, 2), from_rows(x, 2, 6, two, 2), from_rows(x, 3, 1, two, 2)};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (size_t m = 0; m < svf_method_count(); m++) {
      svf_forest *forest = test_train(svf_method_at(m)->name, "", tables[i], 1);
      size_t n = svf_table_rows(tables[i]);
      double values[6], shares[18];
      svf_prediction out = {.values = values, .probabilities = shares};
      svf_message message;
      assert_ok(svf_predict(forest, tables[i], NULL, &out, &message), &message);
      svf_forest_info info;
      svf_forest_describe(forest, &info);
      for (size_t r = 0; r < n; r++) {
        double sum = 0;
        for (size_t c = 0; c < info.scores; c++) sum += shares[r * info.scores + c];
        assert_close(sum, 1, 1e-12);
        assert_true(values[r] >= 0 && values[r] < (double)info.scores);
      }
      svf_forest_free(forest);
    }
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) svf_table_free(tables[i]);
}

static void one_row_is_refused(void **state) {
  (void)state;
  const double x = 1;
  const int32_t label = 0;
  svf_table *table = from_rows(&x, 1, 1, &label, 1);
  svf_settings *settings = test_settings("rsvt", "");
  svf_forest *forest;
  svf_message message;
  assert_int_equal(svf_train(settings, table, NULL, &forest, &message), SVF_DATA);
  assert_null(forest);
  assert_non_null(strstr(message.text, "2 rows"));
  svf_settings_free(settings);
  svf_table_free(table);
}

static int must_rise(void *user, const svf_progress *progress) {
  double *last = user;
  assert_true(progress->done >= *last && progress->done <= 1);
  *last = progress->done;
  return 0;
}

static void progress_never_falls(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 3000, 10, 3, 1);
  svf_settings *settings = test_settings("rsvt-full", "rows=bootstrap trees=5");
  double last = 0;
  svf_run run = {.threads = 2, .callback = must_rise, .user = &last};
  svf_forest *forest;
  svf_message message;
  assert_ok(svf_train(settings, table, &run, &forest, &message), &message);
  assert_true(last > .9);
  svf_forest_free(forest);
  svf_settings_free(settings);
  svf_table_free(table);
}

/* Costs at the ends of the numbers: what cannot be solved is counted, and what is too small to matter trains. */
static void the_ends_of_the_numbers(void **state) {
  (void)state;
  static const struct {
    double weight;
    const char *settings;
    size_t unconverged;
  } cases[] = {{1e300, "C=1e12", 1}, {1e-300, "C=1e-12", 0}, {1e-320, "", 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    svf_table *table = test_synth("twonorm", 200, 5, 0, 1);
    double weight[200];
    svf_message message;
    svf_forest_info info;
    for (int i = 0; i < 200; i++) weight[i] = cases[c].weight;
    assert_ok(svf_table_set_weights(table, weight, &message), &message);
    svf_forest *forest = test_train("linear-svm", cases[c].settings, table, 1);
    svf_forest_describe(forest, &info);
    assert_int_equal(info.unconverged, cases[c].unconverged);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* Weights far below single precision still train, and values of 1e308 have a mean. */
static void extreme_weights_and_values_work(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 200, 5, 0, 1);
  double weight[200];
  svf_message message;
  for (int i = 0; i < 200; i++) weight[i] = 1e-60 * (1 + i % 3);
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  svf_forest *forest = test_train("linear-svm", "", table, 1);
  svf_leaf_info leaf;
  svf_forest_info info;
  svf_forest_leaf(forest, 0, 0, &leaf);
  svf_forest_describe(forest, &info);
  assert_true(leaf.numbers[leaf.length - 2] != 0 && info.unconverged == 0);
  svf_forest_free(forest);
  svf_table_free(table);
  const double x[] = {1, 2, 3, 4}, y[] = {1e308, -1e308, 1e308, 1e308};
  svf_matrix matrix = {x, 0, 4, 1, 1, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_values(table, y, &message), &message);
  static const char *const votes[] = {"vote=mean", "vote=simple", "vote=weighted rows=bootstrap"};
  for (size_t v = 0; v < 3; v++) { /* also of many trees, whose sum is out of range */
    char pairs[128];
    snprintf(pairs, sizeof pairs, "cut=none leaf=constant trees=50 %s", votes[v]);
    forest = test_train("rsvt", pairs, table, 1);
    double value[4];
    svf_prediction out = {.values = value};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    if (v < 2) assert_close(value[0] / 1e308, .5, 1e-12);
    assert_true(isfinite(value[0]));
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

static int stop_soon(void *user, const svf_progress *progress) {
  (void)progress;
  return ++*(int *)user > 2;
}

static void a_run_can_be_stopped(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 20000, 30, 5, 1);
  svf_settings *settings = test_settings("rsvt-full", "trees=200");
  int calls = 0;
  svf_run run = {.threads = 2, .callback = stop_soon, .user = &calls};
  svf_forest *forest;
  svf_message message;
  assert_int_equal(svf_train(settings, table, &run, &forest, &message), SVF_STOPPED);
  assert_null(forest);
  svf_settings_free(settings);
  svf_table_free(table);
}

static int stop_at_phase(void *user, const svf_progress *progress) {
  return strcmp(progress->phase, user) == 0 && progress->done == 0;
}

/* Encoding and what all trees share come before the first tree, and hear the wish to stop too. */
static void a_run_can_be_stopped_before_its_trees(void **state) {
  (void)state;
  static const char *const phases[] = {"encode", "prepare"};
  svf_table *table = test_synth("classification", 20000, 30, 5, 1);
  svf_settings *settings = test_settings("rf", "trees=2");
  for (size_t i = 0; i < 2; i++) {
    svf_run run = {.threads = 2, .callback = stop_at_phase, .user = (void *)phases[i]};
    svf_forest *forest;
    svf_message message;
    assert_int_equal(svf_train(settings, table, &run, &forest, &message), SVF_STOPPED);
    assert_null(forest);
  }
  svf_settings_free(settings);
  svf_table_free(table);
}

static void a_limit_on_memory_is_kept(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 2000, 30, 2, 1);
  svf_settings *settings = test_settings("linear-svm", "");
  svf_run run = {.memory_limit = 400000};
  svf_forest *forest;
  svf_message message;
  assert_int_equal(svf_train(settings, table, &run, &forest, &message), SVF_MEMORY);
  assert_non_null(strstr(message.text, "would need"));
  svf_settings_free(settings);
  settings = test_settings("linear-svm", "C=1 folds=100"); /* a Gram matrix for every fold */
  run.memory_limit = 1000000;
  assert_int_equal(svf_train(settings, table, &run, &forest, &message), SVF_MEMORY);
  svf_settings_free(settings);
  svf_table_free(table);
}

/* Weights count like repeats, for methods that draw nothing by row. */
static void a_weight_of_two_is_two_rows(void **state) {
  (void)state;
  enum { N = 60 };
  svf_table *table = test_synth("twonorm", N, 2, 0, 4), *doubled = NULL;
  double weight[N];
  size_t rows[2 * N], count = 0;
  for (size_t i = 0; i < N; i++) {
    weight[i] = i % 3 ? 1 : 2;
    rows[count++] = i;
    if (i % 3 == 0) rows[count++] = i;
  }
  svf_message message;
  assert_ok(svf_table_take(table, rows, count, &doubled, &message), &message);
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  const char *pairs = "C=1 folds=0 class_weight=none tolerance=1e-12";
  svf_forest *a = test_train("linear-svm", pairs, table, 1), *b = test_train("linear-svm", pairs, doubled, 1);
  svf_leaf_info la, lb;
  svf_forest_leaf(a, 0, 0, &la);
  svf_forest_leaf(b, 0, 0, &lb);
  for (size_t i = 5; i < la.length; i++) assert_close(la.numbers[i], lb.numbers[i], 1e-5);
  svf_forest_free(a);
  svf_forest_free(b);
  svf_table_free(table);
  svf_table_free(doubled);
}

static void out_of_bag_is_near_the_truth(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 800, 20, 0, 4), *fresh = test_synth("twonorm", 4000, 20, 0, 5);
  svf_forest *forest = test_train("rsvt", "rows=bootstrap trees=30", table, 2);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  assert_true(fabs(info.oob - test_result(forest, fresh)) < .03);
  for (size_t t = 0; t < 30; t++) {
    svf_tree_info tree;
    svf_forest_tree(forest, t, &tree);
    assert_true(tree.oob > .85 && tree.oob <= 1);
  }
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(fresh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_show),
                                     cmocka_unit_test(a_table_is_given_up),
                                     cmocka_unit_test(threads_share_a_huge_leaf),
                                     cmocka_unit_test(every_legal_combination),
                                     cmocka_unit_test(degenerate_tables_work),
                                     cmocka_unit_test(one_row_is_refused),
                                     cmocka_unit_test(progress_never_falls),
                                     cmocka_unit_test(extreme_weights_and_values_work),
                                     cmocka_unit_test(the_ends_of_the_numbers),
                                     cmocka_unit_test(a_run_can_be_stopped),
                                     cmocka_unit_test(a_run_can_be_stopped_before_its_trees),
                                     cmocka_unit_test(a_limit_on_memory_is_kept),
                                     cmocka_unit_test(a_weight_of_two_is_two_rows),
                                     cmocka_unit_test(out_of_bag_is_near_the_truth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
