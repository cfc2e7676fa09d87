/* Cuts of categories: how sets of levels are stored, the best of all sets as oracle, several classes, 0/1 columns, the penalty. */
#include "support/mixed.h"
#include "support/naive_cut.h"
#include "cut/axis.h"

/* Lists and bits: what was written is there and nothing else, and other terms are not valid. */
static void sets_are_stored(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (size_t levels = 3; levels < 700; levels += levels < 10 ? 1 : 97)
    for (size_t part = 0; part <= 8; part++) {
      uint32_t level[700], again[700];
      svf_term term[20 + 700];
      size_t listed = 0;
      for (uint32_t l = 0; l < levels; l++)
        if (svf_random_unit(&random) < (double)(part * part) / 64) level[listed++] = l;
      size_t count = svf_levels_terms(listed, levels);
      svf_levels_write(5, level, listed, levels, term);
      assert_int_equal(term[0].feature, 5);
      assert_true(count <= 1 + (levels + 63) / 64);
      assert_true(svf_levels_valid(term, count, levels));
      assert_int_equal(svf_levels_list(term, count, levels, again), listed);
      assert_memory_equal(level, again, listed * sizeof *level);
      assert_false(svf_levels_have(term, count, (uint32_t)levels));
      assert_false(svf_levels_have(term, count, 9999));
      if (listed) assert_false(svf_levels_valid(term, count + 1, levels));
      if (listed) assert_false(svf_levels_valid(term, count, level[listed - 1])); /* one level is out of range */
      float bad[] = {-1, .5f, NAN, INFINITY, 1e9f};
      for (size_t b = 0; b < 5; b++) {
        term[0].weight = bad[b];
        assert_false(svf_levels_valid(term, count, levels));
      }
    }
}

/* A table of one category, some rows of it missing. */
static svf_table *one_category(size_t n, size_t levels, size_t classes, uint64_t seed) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH});
  double x[200], value[200], weight[200];
  int32_t code[200], label[200];
  svf_message message;
  svf_table *table = NULL;
  for (size_t i = 0; i < n; i++) {
    code[i] = (int32_t)svf_random_below(&random, levels);
    x[i] = value[i] = svf_random_normal(&random) + .3 * code[i];
    label[i] = (int32_t)svf_random_below(&random, classes ? classes : 1);
    weight[i] = .1 + svf_random_unit(&random);
    if (seed % 3 == 0 && svf_random_below(&random, 6) == 0) code[i] = -1;
  }
  svf_matrix matrix = {.values = x, .rows = n, .columns = 1, .row_stride = 1, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, code, names, levels, &message), &message);
  if (classes) assert_ok(svf_table_set_classes(table, label, names, classes, &message), &message);
  else assert_ok(svf_table_set_values(table, value, &message), &message);
  if (seed % 2) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  return table;
}

/* The best cut of the order is the best of all sets, for two classes and for numbers. */
static void the_order_has_the_best_set(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 120; seed++) {
    size_t n = 4 + seed * 3 / 2, levels = 3 + seed % 6, classes = seed % 4 < 2 ? 0 : 2;
    test_ground t;
    svf_kinds kinds;
    svf_message message;
    test_ground_open(&t, one_category(n, levels, classes, seed), "rf",
                     seed % 8 == 3 ? "rows=all level_penalty=0 criterion=entropy" : "rows=all level_penalty=0");
    assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
    svf_bag bag = svf_bag_draw(&t.ground);
    svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
    svf_plane plane = {0};
    assert_int_equal(t.frame.d, 1);
    bool made = kinds.cut->propose(&t.ground, &root, 0, &plane);
    double best = naive_best(&t, &root);
    assert_int_equal(made, best >= 0);
    if (made) {
      svf_sides sides = svf_plane_count(&t.frame, root.rows, root.n, &plane);
      assert_close(plane.gain, best, 1e-9);
      assert_close(naive_gain(&t, &root, &plane), best, 1e-9);
      assert_true(sides.right <= sides.left + sides.missing);
    }
    test_ground_close(&t);
  }
}

/* With several classes the order is good: never worse than a random set, and where levels have one class each, perfect. */
static void several_classes(void **state) {
  (void)state;
  enum { N = 120, LEVELS = 8, CLASSES = 4 };
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  double x[N];
  int32_t code[N], label[N];
  svf_message message;
  svf_table *table;
  for (size_t i = 0; i < N; i++)
    code[i] = (int32_t)(i % LEVELS), label[i] = code[i] % 2 ? 1 : code[i] % CLASSES, x[i] = 0;
  svf_matrix matrix = {.values = x, .rows = N, .columns = 1, .row_stride = 1, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, code, names, LEVELS, &message), &message);
  assert_ok(svf_table_set_classes(table, label, names, CLASSES, &message), &message);
  svf_forest *forest = test_train("rf", "trees=1 rows=all", table, 1);
  double answer[N];
  svf_prediction prediction = {.values = answer};
  assert_ok(svf_predict(forest, table, NULL, &prediction, &message), &message);
  for (size_t i = 0; i < N; i++) assert_true(answer[i] == label[i]);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* 0/1 columns, for machines in the leaves: a set is a sum of them. */
static void sets_of_one_hot_columns(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    test_ground codes, columns;
    svf_kinds kinds;
    svf_message message;
    size_t n = 20 + 3 * seed, levels = 3 + seed % 5;
    static const char *const scales[] = {"unit", "standard", "robust", "none"};
    char pairs[128];
    snprintf(pairs, sizeof pairs, "rows=all level_penalty=0 leaf=ls-svm missing_indicator=0 scale=%s",
             scales[seed % 4]);
    test_ground_open(&codes, one_category(n, levels, 0, seed), "rf", "rows=all level_penalty=0");
    test_ground_open(&columns, one_category(n, levels, 0, seed), "rf", pairs);
    assert_ok(svf_kinds_find(columns.settings, &kinds, &message), &message);
    assert_int_equal(columns.frame.d, levels);
    svf_bag bag = svf_bag_draw(&codes.ground);
    svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
    svf_plane a = {0}, b = {0};
    assert_int_equal(kinds.cut->propose(&codes.ground, &root, 0, &a),
                     kinds.cut->propose(&columns.ground, &root, 0, &b));
    unsigned char right[2][200];
    kinds.cut->sides(&codes.ground, &a, root.rows, root.n, right[0]);
    kinds.cut->sides(&columns.ground, &b, root.rows, root.n, right[1]);
    assert_memory_equal(right[0], right[1], root.n);
    test_ground_close(&codes);
    test_ground_close(&columns);
  }
}

/* A category of many levels that say nothing loses against a number that says little. */
static void noise_is_not_preferred(void **state) {
  (void)state;
  enum { N = 400, LEVELS = 100 };
  char text[LEVELS][8];
  const char *names[LEVELS];
  double x[2 * N], value[N];
  int32_t code[N];
  svf_message message;
  svf_table *table;
  svf_random random = svf_random_at((svf_place){.seed = 3});
  for (size_t l = 0; l < LEVELS; l++) snprintf(text[l], sizeof text[l], "l%02zu", l), names[l] = text[l];
  for (size_t i = 0; i < N; i++) {
    code[i] = (int32_t)svf_random_below(&random, LEVELS);
    x[2 * i] = 0, x[2 * i + 1] = svf_random_unit(&random);
    value[i] = x[2 * i + 1] + svf_random_normal(&random);
  }
  svf_matrix matrix = {.values = x, .rows = N, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, code, names, LEVELS, &message), &message);
  assert_ok(svf_table_set_values(table, value, &message), &message);
  for (int penalty = 0; penalty < 2; penalty++) {
    svf_forest *forest = test_train(
        "rf", penalty ? "rows=all trees=1 max_depth=1" : "rows=all trees=1 max_depth=1 level_penalty=0", table, 1);
    double gain[2];
    assert_ok(svf_forest_importance(forest, gain, NULL, &message), &message);
    assert_true(gain[penalty] == 1);
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sets_are_stored), cmocka_unit_test(the_order_has_the_best_set),
                                     cmocka_unit_test(several_classes), cmocka_unit_test(sets_of_one_hot_columns),
                                     cmocka_unit_test(noise_is_not_preferred)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
