/* Forests with a learned metric: cells of cut=halve, the choice of kernel, metric and scale, equal bytes for any number of
 * threads and for merged parts, answers after saving, odd tables, hostile files. */
#include "forest/file/image.h"
#include "support/ground.h"
#include "support/mixed.h"

extern const svf_cut svf_cut_halve;

#define SMALL "widths=0.5,1 C_grid=1,100 trees=3 cell_rows=40 "

/* ---- cut=halve ---- */

static svf_site root_of(test_ground *t) {
  svf_site root = {.name = 1, .n = t->frame.n, .rows = SVF_TAKE(&t->arena, uint32_t, t->frame.n)};
  for (size_t i = 0; i < root.n; i++) root.rows[i] = (uint32_t)i;
  return root;
}

static void sides_are_halves(void **state) {
  (void)state;
  for (size_t n = 41; n < 60; n += 3) {
    test_ground t;
    svf_plane plane;
    test_ground_open(&t, test_synth("friedman1", n, 6, 0, n), "metric-forest",
                     "scale=robust kernel=rbf cell_rows=40");
    svf_site root = root_of(&t);
    assert_true(svf_cut_halve.propose(&t.ground, &root, 0, &plane));
    svf_sides sides = svf_plane_count(&t.frame, root.rows, n, &plane);
    assert_int_equal(sides.left + sides.right, n);
    assert_true(sides.left - n / 2 <= 1 && plane.count == 6);
    root.n = 40;
    assert_false(svf_cut_halve.propose(&t.ground, &root, 0, &plane));
    test_ground_close(&t);
  }
}

/* A column that the metric knows nothing of has no part in a cut; others have, by T u. */
static void directions_are_those_of_the_metric(void **state) {
  (void)state;
  test_ground t;
  svf_plane plane;
  const double weight[] = {1, 0, .001, 0, 0, 0};
  svf_metric metric = {6, false, weight};
  test_ground_open(&t, test_synth("friedman1", 90, 6, 0, 3), "metric-forest", "scale=robust kernel=rbf cell_rows=40");
  t.ground.metric = &metric;
  svf_site root = root_of(&t);
  for (size_t trial = 0; trial < 5; trial++) {
    assert_true(svf_cut_halve.propose(&t.ground, &root, trial, &plane));
    assert_true(plane.count == 2 && plane.term[0].feature == 0 && plane.term[1].feature == 2);
    assert_true(fabsf(plane.term[0].weight) == 1 && fabsf(plane.term[1].weight) < .2f);
  }
  test_ground_close(&t);
}

/* Ties as even as they can be; rows that coincide stay together; missing values do not stop it. */
static void ties_and_missing_values_are_cut(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    enum { N = 100 };
    test_ground t;
    svf_plane plane;
    test_ground_open(&t, test_synth("friedman1", N, 5, 0, 3), "metric-forest",
                     "scale=robust kernel=rbf cell_rows=40");
    for (size_t i = 0; i < N; i++) {
      float *x = t.frame.x + i * t.frame.stride;
      x[0] = kind == 0 ? 1 : (float)(i >= 30);
      for (size_t j = 2; j < 5; j++) x[j] = 0;
      x[1] = kind == 2 && i % 7 == 0 ? NAN : 0;
      if (kind == 3) x[0] = i % 3 ? NAN : x[0];
    }
    t.frame.missing = kind > 1;
    svf_site root = root_of(&t);
    bool cut = svf_cut_halve.propose(&t.ground, &root, 0, &plane);
    assert_true(cut == (kind > 0));
    if (cut) {
      svf_sides sides = svf_plane_count(&t.frame, root.rows, N, &plane);
      assert_int_equal(sides.left + sides.right + sides.missing, N);
      assert_int_equal(sides.left * sides.right, kind == 3 ? 10 * 24 : 30 * 70);
      assert_true(kind < 3 || plane.missing_left); /* to the smaller side */
    }
    test_ground_close(&t);
  }
}

/* ---- forests ---- */

static const char *const methods[][2] = {
    {"metric-forest", SMALL "metric_rows=80 metric_rounds=2"},
    {"metric-forest", SMALL "metric_rows=80 metric_rounds=2 cpu=portable"},
    {"metric-forest", SMALL "metric_rows=80 kernel=rbf metric=full scale=robust metric_rounds=2"},
    {"metric-forest", SMALL "metric_rows=80 kernel=manhattan metric=auto metric_rounds=1 precision=single"},
    {"tbrf-g", "trees=2 cell_rows=60 widths=1 C_grid=10 kernel=laplace metric=full metric_rounds=1"},
    {"vp-svm", "cells=3 widths=1 C_grid=10 metric=diagonal metric_rounds=1"},
    {"ls-svm", "widths=1 C_grid=10 kernel=auto metric=auto scale=auto metric_rounds=1"},
    {"xrfm", "widths=0.5,1 C_grid=1,100 trees=2 cell_rows=40 direction_rows=50 metric_rounds=2"},
    {"xrfm", "widths=0.5,1 C_grid=10 trees=3 cell_rows=40 metric=diagonal precision=single cpu=portable"},
    {"tbrf-g", "trees=2 cell_rows=60 widths=1 C_grid=10 kernel=auto metric=auto metric_scope=leaf metric_rounds=1"}};
enum { METHODS = sizeof methods / sizeof *methods };

static void same_bytes(const svf_forest *a, const svf_forest *b) {
  size_t size[2];
  const void *bytes[] = {svf_forest_bytes(a, &size[0]), svf_forest_bytes(b, &size[1])};
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
}

static svf_table *some_table(int method) {
  return method % 2 ? test_synth("classification", 150, 5, 3, 2) : test_synth("friedman1", 150, 7, 0, 1);
}

static void threads_give_the_same_bytes(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 3, 8};
  for (int m = 0; m < METHODS; m++) {
    svf_table *table = some_table(m);
    svf_forest *forest[4];
    for (int i = 0; i < 4; i++) forest[i] = test_train(methods[m][0], methods[m][1], table, threads[i]);
    for (int i = 1; i < 4; i++) same_bytes(forest[i], forest[0]);
    for (int i = 0; i < 4; i++) svf_forest_free(forest[i]);
    svf_table_free(table);
  }
}

static void parts_merge_into_the_whole(void **state) {
  (void)state;
  for (int m = 0; m < 4; m++) {
    char pairs[3][200];
    static const char *const ways[] = {"", " trees=1", " first_tree=1 trees=2"};
    svf_table *table = some_table(m);
    svf_forest *forest[4];
    svf_message message;
    for (int i = 0; i < 3; i++) {
      snprintf(pairs[i], sizeof pairs[i], "%s%s", methods[m][1], ways[i]);
      forest[i] = test_train(methods[m][0], pairs[i], table, 1);
    }
    const svf_forest *parts[] = {forest[2], forest[1]};
    assert_ok(svf_forest_merge(parts, 2, &forest[3], &message), &message);
    same_bytes(forest[3], forest[0]);
    for (int i = 0; i < 4; i++) svf_forest_free(forest[i]);
    svf_table_free(table);
  }
}

/* What was left open is settled in the model, and the image opened again says the same. */
static void choices_are_settled_and_kept(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    svf_table *table = some_table(m);
    svf_forest *forest = test_train(methods[m][0], methods[m][1], table, 2), *again;
    svf_message message;
    size_t size;
    const void *bytes = svf_forest_bytes(forest, &size);
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    assert_ok(svf_image_open(copy, size, SVF_HOLD_ALLOCATED, NULL, &again, &message), &message);
    assert_true(again->settings.kernel != SVF_KERNEL_CHOICE_AUTO && again->settings.metric != SVF_METRIC_AUTO &&
                again->settings.scale != SVF_SCALE_AUTO);
    assert_true((again->parts.metric != NULL) == (again->settings.metric != SVF_METRIC_NONE &&
                                                  again->settings.metric_scope == SVF_METRIC_SCOPE_FOREST));
    assert_true(test_result(forest, table) == test_result(again, table));
    svf_forest_free(forest);
    svf_forest_free(again);
    svf_table_free(table);
  }
}

static svf_table *table_of(size_t n, size_t d, const double *x, const double *y, const int32_t *label) {
  static const char *const names[] = {"a", "b"};
  svf_message message;
  svf_table *table;
  svf_matrix matrix = {x, 0, n, d, (ptrdiff_t)d, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  if (y) assert_ok(svf_table_set_values(table, y, &message), &message);
  else assert_ok(svf_table_set_classes(table, label, names, 2, &message), &message);
  return table;
}

/* Two of ten features matter: a learned metric is far better than none, and is chosen. */
static void a_metric_helps_where_features_do_not_matter(void **state) {
  (void)state;
  enum { N = 500, D = 10 };
  double x[N * D], y[N];
  svf_random random = svf_random_at((svf_place){.seed = 4});
  for (size_t i = 0; i < N * D; i++) x[i] = svf_random_unit(&random);
  for (size_t i = 0; i < N; i++) y[i] = sin(9 * x[i * D]) + x[i * D + 1];
  svf_table *train = table_of(300, D, x, y, NULL), *test = table_of(200, D, x + 300 * D, y + 300, NULL);
  svf_forest *plain = test_train("ls-svm", "", train, 1);
  svf_forest *learned = test_train("ls-svm", "kernel=auto metric=auto", train, 1);
  assert_true(learned->settings.metric != SVF_METRIC_NONE);
  assert_true(test_result(learned, test) < .3 * test_result(plain, test));
  svf_forest_free(plain);
  svf_forest_free(learned);
  svf_table_free(train);
  svf_table_free(test);
}

/* Constant columns, one value, few rows, more columns than rows, targets of any size, weights of 0: finite answers. */
static void odd_tables_have_answers(void **state) {
  (void)state;
  enum { N = 60, D = 4 };
  static const char *const ways[] = {"kernel=auto metric=auto scale=auto", "kernel=laplace metric=full",
                                     "kernel=manhattan metric=diagonal metric_rounds=5"};
  for (int odd = 0; odd < 8; odd++)
    for (int way = 0; way < 3; way++) {
      double x[N * D], y[N], weight[N], value[N];
      int32_t label[N];
      svf_random random = svf_random_at((svf_place){.seed = 4});
      for (size_t i = 0; i < N * D; i++)
        x[i] = odd == 0 ? 1 : odd == 1 ? (double)(i / D % 2) : svf_random_unit(&random);
      for (size_t i = 0; i < N; i++) {
        y[i] = x[i * D] * (odd == 2 ? 1e150 : odd == 3 ? 1e-150 : 1) + (odd == 4 ? svf_random_unit(&random) : 0);
        weight[i] = (double)(i % 3) * (odd == 5 ? 1 : 1e-3) + (odd != 5);
        label[i] = odd == 6 ? i == 3 : (int32_t)(i % 2);
      }
      svf_message message;
      svf_table *table = odd == 7 ? table_of(8, 30, x, y, NULL) : table_of(N, D, x, odd == 6 ? NULL : y, label);
      if (odd != 7) assert_ok(svf_table_set_weights(table, weight, &message), &message);
      svf_forest *forest = test_train("metric-forest", ways[way], table, 1);
      svf_prediction out = {.values = value};
      assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
      for (size_t i = 0; i < svf_table_rows(table); i++) assert_true(isfinite(value[i]));
      svf_forest_free(forest);
      svf_table_free(table);
    }
}

/* Root of the sum of squares of T's columns of each feature, over their sum; zeros where nothing was learned. */
static void features_weigh_what_their_columns_do(void **state) {
  (void)state;
  static const char *const ways[] = {"metric=diagonal C=1", "metric=full C=1", "C=1"};
  mixed kind = {.n = 80, .missing = true, .seed = 3};
  for (int way = 0; way < 3; way++) {
    svf_table *table = test_mixed(&kind);
    svf_forest *forest = test_train("ls-svm", ways[way], table, 1);
    size_t d = forest->encoding.columns, count = svf_table_columns(table);
    double weight[MIXED_COLUMNS], due[MIXED_COLUMNS] = {0}, sum = 0;
    assert_true(count == MIXED_COLUMNS && d > count);
    assert_int_equal(svf_forest_metric(forest, weight), way < 2);
    for (size_t j = 0; way < 2 && j < d; j++)
      for (size_t i = 0; i < d; i++) {
        double t = way == 1 ? forest->metric.t[i * svf_padded(d) + j] : i == j ? forest->metric.t[j] : 0;
        due[forest->encoding.column[j].feature] += t * t;
      }
    for (size_t f = 0; f < count; f++) sum += sqrt(due[f]);
    for (size_t f = 0; f < count; f++) assert_close(weight[f], way < 2 ? sqrt(due[f]) / sum : 0, 1e-12);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

static void wrong_maps_are_refused(void **state) {
  (void)state;
  static const char *const due[] = {"a number of its metric is wrong", "a number of its metric is wrong",
                                    "its metric does not fit its settings", "lacks the metric", "table of sections"};
  for (int wrong = 0; wrong < 5; wrong++) {
    svf_table *table = test_synth("friedman1", 60, 5, 0, 1);
    svf_forest *forest = test_train("ls-svm", wrong == 3 ? "gamma=1 C=1" : "gamma=1 C=1 metric=full", table, 1),
               *again;
    svf_message message;
    size_t size;
    svf_buffer image = {0};
    svf_settings claimed = forest->settings;
    svf_parts parts = forest->parts;
    parts.settings = &claimed;
    if (wrong == 3) claimed.metric = SVF_METRIC_FULL;
    assert_ok(svf_image_make(&parts, &image, &message), &message);
    unsigned char *copy = image.data;
    size = image.size;
    svf_image_start *start = (svf_image_start *)(void *)copy;
    char *settings = (char *)copy + start->section[SVF_SETT].offset;
    if (wrong < 2) ((double *)(void *)(copy + start->section[SVF_METR].offset))[4] = wrong ? NAN : 3;
    if (wrong == 2) memcpy(strstr(settings, "metric=full"), "metric=auto", 11);
    if (wrong == 4) start->header.sections = SVF_SECTIONS + 1;
    svf_image_seal(copy, size);
    assert_int_equal(svf_image_open(copy, size, SVF_HOLD_ALLOCATED, NULL, &again, &message), SVF_DATA);
    assert_non_null(strstr(message.text, due[wrong]));
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

static void what_has_no_meaning_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][3] = {{"ls-svm", "kernel=manhattan metric=full", "use metric=diagonal"},
                                         {"ls-svm", "metric_rows=50", "use metric=auto, diagonal or full"},
                                         {"ls-svm", "kernel=linear metric=full", "no meaning with kernel=linear"},
                                         {"ls-svm", "kernel=linear bias=no", "no meaning with kernel=linear"},
                                         {"ls-svm", "metric_scope=leaf", "use metric=auto, diagonal or full"},
                                         {"metric-forest", "metric_judges=0.2", "use metric_scope=leaf"},
                                         {"ls-svm", "kernel=linear scale=auto", "use kernel=auto"},
                                         {"ls-svm", "kernel=auto gamma=1", "leave gamma out"},
                                         {"rf", "scale=auto", "leaf=constant does not"},
                                         {"rbf-svm", "kernel=laplace", "are for leaf=ls-svm"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    svf_settings *settings = test_settings(wrong[i][0], wrong[i][1]);
    svf_message message;
    assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
    assert_non_null(strstr(message.text, wrong[i][2]));
    svf_settings_free(settings);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sides_are_halves),
                                     cmocka_unit_test(directions_are_those_of_the_metric),
                                     cmocka_unit_test(ties_and_missing_values_are_cut),
                                     cmocka_unit_test(threads_give_the_same_bytes),
                                     cmocka_unit_test(parts_merge_into_the_whole),
                                     cmocka_unit_test(choices_are_settled_and_kept),
                                     cmocka_unit_test(a_metric_helps_where_features_do_not_matter),
                                     cmocka_unit_test(odd_tables_have_answers),
                                     cmocka_unit_test(features_weigh_what_their_columns_do),
                                     cmocka_unit_test(wrong_maps_are_refused),
                                     cmocka_unit_test(what_has_no_meaning_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
