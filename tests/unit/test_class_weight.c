/* Class weights: given and balanced ones against row weights computed by hand. */
#include "support/forest.h"

#include <stdbool.h>
#include "base/random.h"

static svf_message message;

enum { N = 150 };

/* Two or three classes, uneven. */
static svf_table *uneven(size_t classes) {
  static const char *const names[] = {"a", "b", "c"};
  svf_table *whole = test_synth("classification", 4 * N, 5, classes, 1), *taken;
  const int32_t *label = svf_table_labels(whole);
  size_t rows[N], count = 0;
  for (size_t i = 0; count < N; i++)
    if (label[i] == 0 || i % (size_t)(2 * label[i]) == 0) rows[count++] = i;
  assert_ok(svf_table_take(whole, rows, N, &taken, &message), &message);
  int32_t own[N];
  memcpy(own, svf_table_labels(taken), sizeof own);
  assert_ok(svf_table_set_classes(taken, own, names, classes, &message), &message);
  svf_table_free(whole);
  return taken;
}

/* Row weights: those of the classes, times 1 + i % 3 if `mixed`. */
static void weigh_rows(svf_table *table, const double *class_weight, bool mixed) {
  double weight[N];
  for (size_t i = 0; i < N; i++)
    weight[i] = (class_weight ? class_weight[svf_table_labels(table)[i]] : 1) * (mixed ? 1 + (double)(i % 3) : 1);
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
}

/* The leaves hold the same numbers; C of a machine is compared too. */
static void same_leaves(const svf_forest *a, const svf_forest *b, double tolerance) {
  svf_forest_info info;
  svf_forest_describe(a, &info);
  for (size_t t = 0; t < info.trees; t++) {
    svf_tree_info tree;
    svf_forest_tree(a, t, &tree);
    for (size_t l = 0; l < tree.leaves; l++) {
      svf_leaf_info x, y;
      svf_forest_leaf(a, t, l, &x);
      svf_forest_leaf(b, t, l, &y);
      assert_int_equal(x.length, y.length);
      for (size_t i = 0; i < x.length; i++) assert_close(x.numbers[i], y.numbers[i], tolerance);
    }
  }
}

static void given_weights_are_row_weights(void **state) {
  (void)state;
  static const double weight[] = {1, 2.5, 4};
  svf_table *one = uneven(3), *two = uneven(3);
  assert_ok(svf_table_set_class_weights(one, weight, &message), &message);
  weigh_rows(one, NULL, true);
  weigh_rows(two, weight, true);
  svf_forest *a = test_train("rsvt", "leaf=constant class_weight=given", one, 1);
  svf_forest *b = test_train("rsvt", "leaf=constant class_weight=none", two, 1);
  same_leaves(a, b, 1e-12);
  assert_close(svf_forest_class_weight(a, 1), 2.5, 0);
  assert_close(svf_forest_class_weight(b, 1), 1, 0);
  svf_forest_free(a);
  svf_forest_free(b);
  /* machines: one against one has both sides at their class weights */
  const char *linear = "multiclass=one-vs-one C=1 folds=0 tolerance=1e-10";
  char pairs[120];
  snprintf(pairs, sizeof pairs, "%s class_weight=given", linear);
  a = test_train("rsvt", pairs, one, 1);
  snprintf(pairs, sizeof pairs, "%s class_weight=none", linear);
  b = test_train("rsvt", pairs, two, 1);
  same_leaves(a, b, 1e-4);
  svf_forest_free(a);
  svf_forest_free(b);
  svf_table_free(one);
  svf_table_free(two);
}

static void balanced_weights_are_row_weights(void **state) {
  (void)state;
  svf_table *one = uneven(3), *two = uneven(3);
  double count[3] = {0}, weight[3];
  for (size_t i = 0; i < N; i++) count[svf_table_labels(one)[i]]++;
  for (int c = 0; c < 3; c++) weight[c] = N / (3 * count[c]);
  assert_true(count[0] > 1.3 * count[2]);
  weigh_rows(two, weight, false);
  svf_forest *a = test_train("rsvt", "rows=bootstrap leaf=constant class_weight=balanced", one, 1);
  svf_forest *b = test_train("rsvt", "rows=bootstrap leaf=constant class_weight=none", two, 1);
  same_leaves(a, b, 1e-12);
  svf_forest_info info;
  svf_forest_describe(a, &info);
  double values[N], judged = 0;
  svf_oob_answers out = {.values = values};
  assert_ok(svf_forest_oob(a, one, NULL, &out, &message), &message); /* bags as in training, measures unweighted */
  assert_close(out.result, info.oob, 1e-12);
  for (int i = 0; i < N; i++) judged += !isnan(values[i]);
  double right = info.oob * judged;
  assert_true(judged > N / 2 && fabs(right - round(right)) < 1e-9); /* a row counts 1, whatever its class */
  svf_forest_free(a);
  svf_forest_free(b);
  svf_table_free(one);
  svf_table_free(two);
}

/* A row of weight 2 counts as two rows, in the balance of the classes too; for a scale that repeats do not change. */
static void weights_are_repeats(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"rbf-svm", "scale=unit gamma=0.7 C=2 folds=0 tolerance=1e-8"},
                                        {"linear-svm", "multiclass=one-vs-one C=2 folds=0 tolerance=1e-8"},
                                        {"rsvt", "cut=none leaf=constant"}};
  svf_table *one = uneven(3), *two;
  double weight[N], value[2][3 * N];
  size_t rows[2 * N], count = 0;
  for (size_t i = 0; i < N; i++) {
    weight[i] = svf_table_labels(one)[i] == 1 ? 2 : 1;
    for (int k = 0; k < weight[i]; k++) rows[count++] = i;
  }
  assert_ok(svf_table_take(one, rows, count, &two, &message), &message);
  assert_ok(svf_table_set_weights(one, weight, &message), &message);
  for (size_t w = 0; w < 3; w++) {
    char pairs[120];
    snprintf(pairs, sizeof pairs, "%s class_weight=balanced", ways[w][1]);
    svf_forest *a = test_train(ways[w][0], pairs, one, 1), *b = test_train(ways[w][0], pairs, two, 1);
    svf_prediction out[] = {{.probabilities = value[0]}, {.probabilities = value[1]}};
    assert_ok(svf_predict(a, one, NULL, &out[0], &message), &message);
    assert_ok(svf_predict(b, one, NULL, &out[1], &message), &message);
    for (size_t i = 0; i < 3 * N; i++)
      if (!(fabs(value[0][i] - value[1][i]) <= 1e-4)) fail_msg("%s: %g, %g", ways[w][0], value[0][i], value[1][i]);
    svf_forest_free(a);
    svf_forest_free(b);
  }
  svf_table_free(one);
  svf_table_free(two);
}

static void a_model_keeps_given_weights(void **state) {
  (void)state;
  static const double weight[] = {1, 2.5, 4}, other[] = {1, 2, 4};
  svf_table *table = uneven(3);
  assert_ok(svf_table_set_class_weights(table, weight, &message), &message);
  svf_forest *a = test_train("rsvt", "class_weight=given trees=1", table, 1), *loaded, *merged;
  size_t size;
  const void *bytes = svf_forest_bytes(a, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
  for (size_t c = 0; c < 3; c++) assert_true(svf_forest_class_weight(loaded, c) == weight[c]);
  assert_ok(svf_table_set_class_weights(table, other, &message), &message);
  svf_forest *b = test_train("rsvt", "class_weight=given trees=1 first_tree=1", table, 1);
  const svf_forest *parts[] = {a, b};
  assert_int_equal(svf_forest_merge(parts, 2, &merged, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "classes or their weights"));
  svf_forest *all[] = {a, b, loaded};
  for (int i = 0; i < 3; i++) svf_forest_free(all[i]);
  svf_table_free(table);
}

enum { NOISY = 500, FRESH = 1000, WIDE = 4 };

/* Four normals; the class is drawn by the logistic function of the sum of two. */
static svf_table *noisy(size_t n, uint64_t seed) {
  static const char *const names[] = {"a", "b"};
  static double x[FRESH * WIDE];
  static int32_t label[FRESH];
  svf_random random = svf_random_at((svf_place){seed, 99, 0, 0, 0});
  svf_table *table;
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < WIDE; j++) x[i * WIDE + (size_t)j] = svf_random_normal(&random);
    double sum = x[i * WIDE] + x[i * WIDE + 1];
    label[i] = svf_random_unit(&random) < 1 / (1 + exp(-sum));
  }
  svf_matrix matrix = {.values = x, .rows = n, .columns = WIDE, .row_stride = WIDE, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, names, 2, &message), &message);
  return table;
}

/* Share of class 1 in the predictions for new rows, that class having some weight. */
static double share_of_one(const char *method, const char *pairs, double weight) {
  const double by_class[] = {1, weight};
  double value[FRESH], sum = 0;
  svf_table *table = noisy(NOISY, 7), *fresh = noisy(FRESH, 8);
  char text[200];
  assert_ok(svf_table_set_class_weights(table, by_class, &message), &message);
  snprintf(text, sizeof text, "%s class_weight=given", pairs);
  svf_forest *forest = test_train(method, text, table, 2);
  svf_prediction out = {.values = value};
  assert_ok(svf_predict(forest, fresh, NULL, &out, &message), &message);
  for (int i = 0; i < FRESH; i++) sum += value[i];
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(fresh);
  return sum / FRESH;
}

/* However trees are grown, more weight gives more predictions. */
static void a_heavier_class_is_predicted_more(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"rf", ""},
                                        {"et", ""},
                                        {"ccf", "trees=50"},
                                        {"rsvt", ""},
                                        {"ls-svm", ""},
                                        {"rsvf", "trees=10"},
                                        {"rotation-forest", "trees=30"},
                                        {"tbrf-c", ""},
                                        {"rf", "rows=balanced"},
                                        {"rf", "rows=subsample"},
                                        {"rf", "leaf=linear-svm trees=20"},
                                        {"rsvt-full", "leaf=constant vote=mean min_leaf_factor=0"}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    double share[3];
    for (int i = 0; i < 3; i++) share[i] = share_of_one(ways[w][0], ways[w][1], pow(5, i - 1));
    if (!(share[0] + .05 < share[1] && share[1] + .05 < share[2]))
      fail_msg("%s %s: %g %g %g", ways[w][0], ways[w][1], share[0], share[1], share[2]);
  }
}

/* The same with numbers: where high ones weigh more, predictions are higher. */
static void heavier_numbers_are_predicted_more(void **state) {
  (void)state;
  enum { ROWS = 400 };
  static const char *const methods[] = {"rf", "et", "ccf", "ls-svm", "tbrf-c"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    double mean[2] = {0}, weight[ROWS], value[ROWS];
    for (int heavy = 0; heavy < 2; heavy++) {
      svf_table *table = test_synth("friedman1", ROWS, 0, 0, 1), *fresh = test_synth("friedman1", ROWS, 0, 0, 2);
      svf_random random = svf_random_at((svf_place){3, 99, 0, 0, 0});
      double y[ROWS];
      for (int i = 0; i < ROWS; i++) y[i] = svf_table_values(table)[i] + 10 * svf_random_normal(&random);
      for (int i = 0; i < ROWS; i++) weight[i] = heavy && y[i] > 14 ? 5 : 1;
      assert_ok(svf_table_set_values(table, y, &message), &message);
      assert_ok(svf_table_set_weights(table, weight, &message), &message);
      svf_forest *forest = test_train(methods[m], "", table, 2);
      svf_prediction out = {.values = value};
      assert_ok(svf_predict(forest, fresh, NULL, &out, &message), &message);
      for (int i = 0; i < ROWS; i++) mean[heavy] += value[i] / ROWS;
      svf_forest_free(forest);
      svf_table_free(table);
      svf_table_free(fresh);
    }
    if (!(mean[1] > mean[0] + 1)) fail_msg("%s: %g %g", methods[m], mean[0], mean[1]);
  }
}

/* A class of weight 0 is in no tree: the model is that of rows of weight 0, and a file keeps it. */
static void a_class_of_weight_zero_is_left_out(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"rf", "trees=5"},
                                        {"et", "trees=5"},
                                        {"rsvt", ""},
                                        {"rsvf", "trees=3"},
                                        {"ls-svm", ""},
                                        {"rbf-svm", "multiclass=one-vs-one"},
                                        {"rf", "trees=5 rows=balanced"},
                                        {"tbrf-c", "trees=3"}};
  static const double zero[] = {1, 0, 1};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    svf_table *one = uneven(3), *two = uneven(3);
    char pairs[200];
    assert_ok(svf_table_set_class_weights(one, zero, &message), &message);
    weigh_rows(two, zero, false);
    snprintf(pairs, sizeof pairs, "%s class_weight=given", ways[w][1]);
    svf_forest *a = test_train(ways[w][0], pairs, one, 1), *loaded;
    snprintf(pairs, sizeof pairs, "%s class_weight=none", ways[w][1]);
    svf_forest *b = test_train(ways[w][0], pairs, two, 1);
    double value[N], score[2][3 * N];
    svf_prediction out = {.values = value, .scores = score[0]}, other = {.scores = score[1]};
    assert_ok(svf_predict(a, one, NULL, &out, &message), &message);
    assert_ok(svf_predict(b, one, NULL, &other, &message), &message);
    for (int i = 0; i < 3 * N; i++) assert_close(score[0][i], score[1][i], 1e-9);
    for (int i = 0; i < N; i++) assert_true(value[i] != 1);
    size_t size;
    const void *bytes = svf_forest_bytes(a, &size);
    assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
    assert_true(svf_forest_class_weight(loaded, 1) == 0);
    svf_forest *all[] = {a, b, loaded};
    for (int i = 0; i < 3; i++) svf_forest_free(all[i]);
    svf_table_free(one);
    svf_table_free(two);
  }
}

/* A file keeps no class weights that are all 1; the bags drawn again then are those of training. */
static void given_weights_of_one_are_none(void **state) {
  (void)state;
  static const double one[] = {1, 1, 1};
  svf_table *table = uneven(3);
  assert_ok(svf_table_set_class_weights(table, one, &message), &message);
  svf_forest *a = test_train("rf", "class_weight=given trees=5", table, 1), *loaded;
  svf_forest_info info;
  svf_oob_answers out = {0};
  size_t size;
  const void *bytes = svf_forest_bytes(a, &size);
  svf_forest_describe(a, &info);
  assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
  assert_ok(svf_forest_oob(loaded, table, NULL, &out, &message), &message);
  assert_close(out.result, info.oob, 1e-12);
  svf_forest_free(a);
  svf_forest_free(loaded);
  svf_table_free(table);
}

/* Nothing is left where the rows of the only class with a weight have none. */
static void no_weight_at_all(void **state) {
  (void)state;
  static const double first[] = {1, 0, 0}, rest[] = {0, 1, 1};
  static const char *const methods[] = {"rf", "rsvt"};
  svf_table *table = uneven(3);
  assert_ok(svf_table_set_class_weights(table, first, &message), &message);
  weigh_rows(table, rest, false);
  for (int m = 0; m < 2; m++) {
    svf_settings *settings = test_settings(methods[m], "class_weight=given");
    svf_forest *forest;
    assert_int_equal(svf_train(settings, table, NULL, &forest, &message), SVF_DATA);
    assert_non_null(strstr(message.text, "times class weights are 0 in every row"));
    svf_settings_free(settings);
  }
  svf_table_free(table);
}

static void no_training(const svf_table *table, const char *pairs, const char *words) {
  svf_settings *settings = test_settings("rsvt", pairs);
  svf_forest *forest;
  assert_int_equal(svf_train(settings, table, NULL, &forest, &message), SVF_USAGE);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  svf_settings_free(settings);
}

static void wrong_weights(void **state) {
  (void)state;
  static const double bad[][3] = {{0, 0, 0}, {1, -1, 1}, {1, NAN, 1}, {1, 1, INFINITY}}, good[] = {1, 2, 3};
  svf_table *table = uneven(3), *numbers = test_synth("friedman1", N, 0, 0, 1), *taken;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(svf_table_set_class_weights(table, bad[i], &message), SVF_DATA);
    assert_non_null(strstr(message.text, i ? "must be finite and not negative" : "are all 0"));
  }
  assert_null(svf_table_class_weights(table));
  assert_int_equal(svf_table_set_class_weights(numbers, good, &message), SVF_USAGE);
  no_training(table, "class_weight=given", "--class-weight");
  no_training(numbers, "leaf=constant vote=mean class_weight=balanced", "the target is a number");
  no_training(numbers, "leaf=constant vote=mean rows=balanced", "the target is a number");
  assert_ok(svf_table_set_class_weights(table, good, &message), &message);
  no_training(table, "", "set class_weight=given");
  size_t rows[] = {0, 1, 2};
  assert_ok(svf_table_take(table, rows, 3, &taken, &message), &message);
  assert_true(svf_table_class_weights(taken)[2] == 3);
  svf_table_free(taken);
  int32_t label[N] = {0};
  static const char *const names[] = {"only"};
  assert_ok(svf_table_set_classes(table, label, names, 1, &message), &message);
  assert_null(svf_table_class_weights(table)); /* another target, other classes */
  svf_table_free(table);
  svf_table_free(numbers);
}

/* Balanced classes count alike, whatever their rows weigh; and one heavy row beside light ones is trained, if not solved. */
static void weights_of_any_size(void **state) {
  (void)state;
  static const double sizes[] = {1, 1e-9, 1e-290, 1e-318, 1e9};
  svf_table *table = uneven(2);
  double weight[N], first = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t i = 0; i < N; i++) weight[i] = svf_table_labels(table)[i] ? 1 : sizes[s];
    assert_ok(svf_table_set_weights(table, weight, &message), &message);
    svf_forest *forest = test_train("linear-svm", "C=1", table, 1);
    double result = test_result(forest, table);
    if (s == 0) first = result;
    assert_close(result, first, .02);
    svf_forest_free(forest);
  }
  for (size_t i = 0; i < N; i++) weight[i] = i ? 1e-300 : 1e300;
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  svf_forest_free(test_train("linear-svm", "C=1", table, 1));
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(given_weights_are_row_weights),
                                     cmocka_unit_test(balanced_weights_are_row_weights),
                                     cmocka_unit_test(weights_are_repeats),
                                     cmocka_unit_test(a_model_keeps_given_weights),
                                     cmocka_unit_test(a_heavier_class_is_predicted_more),
                                     cmocka_unit_test(heavier_numbers_are_predicted_more),
                                     cmocka_unit_test(a_class_of_weight_zero_is_left_out),
                                     cmocka_unit_test(given_weights_of_one_are_none),
                                     cmocka_unit_test(no_weight_at_all),
                                     cmocka_unit_test(wrong_weights),
                                     cmocka_unit_test(weights_of_any_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
