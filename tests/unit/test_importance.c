/* Importance: gains recomputed from the rows that reach each node, leaf weights from the numbers, permutation from
 * shuffled tables. */
#include "support/ground.h"
#include "base/random.h"
#include "forest/forest.h"

static svf_message message;

enum { N = 300 };

typedef struct rows {
  size_t at[N], n;
} rows;

/* Weight times Gini index, or the sum of squares around the mean; w: what rows count in the tree, NULL: 1. */
static double impurity(const svf_table *table, const double *w, const rows *r) {
  const int32_t *label = svf_table_labels(table);
  const double *value = svf_table_values(table);
  double all = 0, sum = 0, squares = 0, count[8] = {0};
  for (size_t i = 0; i < r->n; i++) {
    double weight = w ? w[r->at[i]] : 1;
    all += weight;
    if (label) count[label[r->at[i]]] += weight;
    else sum += weight * value[r->at[i]];
  }
  for (size_t i = 0; value && i < r->n; i++) squares += (w ? w[r->at[i]] : 1) * pow(value[r->at[i]] - sum / all, 2);
  for (int c = 0; label && c < 8; c++) squares += count[c] * (1 - count[c] / all);
  return all > 0 ? squares : 0;
}

/* Encoded value of a cell, as encode.h says. */
static double cell(const svf_forest *forest, const svf_table *table, size_t row, size_t column) {
  svf_encoded_info info;
  svf_forest_encoded(forest, column, &info);
  return (float)((svf_table_number(table, row, info.feature) - info.shift) * info.scale);
}

/* t: the ground of the tree. */
static void walk(const svf_forest *forest, const test_ground *t, size_t number, const rows *r, double *gain) {
  const svf_table *table = t->table;
  const double *w = t->frame.weight;
  svf_node_info node;
  svf_forest_node(forest, t->ground.tree, number, &node);
  if (!node.right) return;
  rows side[2] = {{{0}, 0}, {{0}, 0}};
  for (size_t i = 0; i < r->n; i++) {
    rows *to = &side[!(cell(forest, table, r->at[i], node.terms[0].feature) < node.threshold)];
    to->at[to->n++] = r->at[i];
  }
  svf_encoded_info info;
  svf_forest_encoded(forest, node.terms[0].feature, &info);
  gain[info.feature] += impurity(table, w, r) - impurity(table, w, &side[0]) - impurity(table, w, &side[1]);
  walk(forest, t, node.left, &side[0], gain);
  walk(forest, t, node.right, &side[1], gain);
}

static void gains_agree(const svf_table *table, const char *pairs) {
  svf_forest *forest = test_train("rsvt-full", pairs, table, 2);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  double gain[16] = {0}, own[16], sum = 0;
  size_t every[N];
  svf_table *copy;
  test_ground t;
  for (size_t i = 0; i < N; i++) every[i] = i;
  assert_ok(svf_table_take(table, every, N, &copy, &message), &message);
  test_ground_open(&t, copy, "rsvt-full", pairs);
  test_ground_weigh(&t);
  for (t.ground.tree = 0; t.ground.tree < info.trees; t.ground.tree++) {
    svf_bag bag = svf_bag_draw(&t.ground);
    rows all = {{0}, bag.n};
    double tree[16] = {0}, weight = 0;
    for (size_t i = 0; i < bag.n; i++) weight += t.frame.weight ? t.frame.weight[bag.rows[i]] : 1;
    for (size_t i = 0; i < bag.n; i++) all.at[i] = bag.rows[i];
    walk(forest, &t, 0, &all, tree);
    for (size_t j = 0; j < info.features; j++) gain[j] += tree[j] / weight;
  }
  test_ground_close(&t);
  for (size_t j = 0; j < info.features; j++) sum += gain[j];
  assert_ok(svf_forest_importance(forest, own, NULL, &message), &message);
  for (size_t j = 0; j < info.features; j++) assert_close(own[j], gain[j] / sum, 1e-9);
  svf_forest_free(forest);
}

static void gains_from_the_rows(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 6, 3, 1), *numbers = test_synth("friedman1", N, 0, 0, 1);
  double weight[N];
  gains_agree(table, "trees=4 leaf=constant class_weight=none min_leaf=3");
  gains_agree(numbers, "trees=4 leaf=constant class_weight=none vote=mean min_leaf=3");
  for (int i = 0; i < N; i++) weight[i] = 1 + i % 4;
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  assert_ok(svf_table_set_weights(numbers, weight, &message), &message);
  gains_agree(table, "trees=4 leaf=constant class_weight=none min_leaf=3"); /* weights say which rows a tree has */
  gains_agree(table, "trees=4 leaf=constant class_weight=balanced min_leaf=3 rows=bootstrap");
  gains_agree(numbers, "trees=4 leaf=constant class_weight=none vote=mean min_leaf=3");
  gains_agree(table, "trees=4 C=1 class_weight=none min_leaf=3"); /* weights are in the gains */
  gains_agree(numbers, "trees=4 leaf=ls-svm class_weight=none vote=mean min_leaf=3");
  svf_table_free(table);
  svf_table_free(numbers);
}

/* A plane of two terms, weights 1 and -3, shares its gain 1 to 3; children in a tree made by hand. */
static void an_oblique_cut_shares_its_gain(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 8, 3, 2, 1), "rsvt", "");
  svf_term term[] = {{0, 1}, {2, -3}};
  uint32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7};
  int32_t label[] = {0, 0, 0, 1, 1, 1, 1, 1};
  t.frame.label = label;
  svf_site root = {.rows = row, .n = 8, .plane = {.term = term, .count = 2}}, child[2];
  for (int side = 0; side < 2; side++) {
    child[side] = (svf_site){.up = &root, .side = side, .rows = row + (side ? 4 : 0), .n = 4};
    root.child[side] = &child[side];
  }
  svf_buffer records = {0};
  assert_true(svf_gains_add(&t.ground, &root, 3, &records));
  const svf_gain_record *record = (const svf_gain_record *)records.data;
  double gain = (8 - (9 + 25) / 8.0 - (4 - (9 + 1) / 4.0) - 0) / 8;
  assert_int_equal(records.size / sizeof *record, 2);
  assert_true(record[0].feature == 0 && record[1].feature == 2);
  assert_close(record[0].gain, gain / 4, 1e-12);
  assert_close(record[1].gain, 3 * gain / 4, 1e-12);
  svf_buffer_free(&records);
  test_ground_close(&t);
}

static void weights_of_leaves(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 6, 3, 1);
  svf_forest *forest = test_train("rsvt-full", "trees=3 C=1", table, 1);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  double expected[6] = {0}, leaf[6], gain[6], sum = 0;
  for (size_t t = 0; t < info.trees; t++) {
    svf_tree_info tree;
    svf_forest_tree(forest, t, &tree);
    for (size_t l = 0; l < tree.leaves; l++) {
      svf_leaf_info at;
      svf_forest_leaf(forest, t, l, &at);
      size_t m = (size_t)at.numbers[0], machines = m == 1 ? 0 : m == 2 ? 1 : m;
      const double *w = at.numbers + 5 + m + 2 * m;
      for (size_t a = 0; a < machines; a++)
        for (size_t j = 0; j < 6; j++) expected[j] += (double)at.rows * fabs(w[a * 7 + j]) / (double)machines;
    }
  }
  for (int j = 0; j < 6; j++) sum += expected[j];
  assert_ok(svf_forest_importance(forest, gain, leaf, &message), &message);
  for (int j = 0; j < 6; j++) assert_close(leaf[j], expected[j] / sum, 1e-12);
  svf_forest_free(forest);
  forest = test_train("linear-svm", "C=1", table, 1); /* no cuts: no gain */
  assert_ok(svf_forest_importance(forest, gain, leaf, &message), &message);
  for (int j = 0; j < 6; j++) assert_true(gain[j] == 0 && leaf[j] > 0);
  svf_forest_free(forest);
  forest = test_train("rsvt", "leaf=constant", table, 1); /* no machines: no weights */
  assert_ok(svf_forest_importance(forest, gain, leaf, &message), &message);
  for (int j = 0; j < 6; j++) assert_true(leaf[j] == 0);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* The table with one column shuffled as the library does, values of row from[i] in row i. */
static svf_table *shuffled(const svf_table *table, size_t column, uint64_t seed, size_t repeat) {
  size_t d = svf_table_columns(table);
  double *x = malloc(N * d * sizeof *x);
  uint32_t from[N];
  svf_random random = svf_random_at((svf_place){seed, SVF_USE_SHUFFLE, (uint32_t)column, repeat, 0});
  for (uint32_t i = 0; i < N; i++) from[i] = i;
  svf_random_shuffle(&random, from, N);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < d; j++) x[i * d + j] = svf_table_number(table, j == column ? from[i] : i, j);
  svf_matrix matrix = {x, 0, N, d, (ptrdiff_t)d, 1};
  svf_table *made;
  assert_ok(svf_table_new(&matrix, NULL, &made, &message), &message);
  free(x);
  if (svf_table_labels(table)) {
    static const char *const names[] = {"0", "1", "2"};
    assert_ok(svf_table_set_classes(made, svf_table_labels(table), names, svf_table_classes(table), &message),
              &message);
  } else {
    assert_ok(svf_table_set_values(made, svf_table_values(table), &message), &message);
  }
  return made;
}

static void permutation_agrees(const svf_table *table, const svf_forest *forest, double sign) {
  enum { REPEATS = 3 };
  size_t d = svf_table_columns(table);
  double mean[16], deviation[16], before = test_result(forest, table);
  svf_permutation wanted = {.repeats = REPEATS, .seed = 7, .mean = mean, .deviation = deviation};
  assert_ok(svf_forest_permute(forest, table, NULL, &wanted, &message), &message);
  assert_close(wanted.result, before, 1e-12);
  for (size_t j = 0; j < d; j++) {
    double cost[REPEATS], sum = 0, square = 0;
    for (size_t r = 0; r < REPEATS; r++) {
      svf_table *other = shuffled(table, j, 7, r);
      cost[r] = sign * (before - test_result(forest, other));
      sum += cost[r];
      svf_table_free(other);
    }
    for (size_t r = 0; r < REPEATS; r++) square += pow(cost[r] - sum / REPEATS, 2);
    assert_close(mean[j], sum / REPEATS, 1e-10);
    assert_close(deviation[j], sqrt(square / (REPEATS - 1)), 1e-6);
  }
}

static void permutation_from_shuffled_tables(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 6, 3, 1), *numbers = test_synth("friedman1", N, 0, 0, 1);
  svf_forest *forest = test_train("rsvt-full", "C=1", table, 1);
  svf_forest *values = test_train("rsvt-full", "leaf=constant vote=mean min_leaf=3", numbers, 1);
  permutation_agrees(table, forest, 1);
  permutation_agrees(numbers, values, -1);
  svf_permutation none = {.repeats = 0};
  assert_int_equal(svf_forest_permute(forest, table, NULL, &none, &message), SVF_USAGE);
  svf_forest_free(forest);
  svf_forest_free(values);
  svf_table_free(table);
  svf_table_free(numbers);
}

/* Out of bag: the same for any number of threads, nothing for a column that is noise to the trees, and the unshuffled
 * result is the forest's own. friedman1 has five features that matter and five that do not. */
static void permutation_out_of_bag(void **state) {
  (void)state;
  svf_table *numbers = test_synth("friedman1", N, 0, 0, 1);
  svf_forest *forest =
      test_train("rsvt-full", "rows=bootstrap leaf=constant vote=mean min_leaf=2 trees=40", numbers, 2);
  svf_forest_info info;
  double mean[2][10], useful = 0, useless = 0;
  svf_forest_describe(forest, &info);
  for (int i = 0; i < 2; i++) {
    svf_run run = {.threads = 1 + 2 * i};
    svf_permutation wanted = {.repeats = 2, .oob = 1, .mean = mean[i]};
    assert_ok(svf_forest_permute(forest, numbers, &run, &wanted, &message), &message);
    assert_close(wanted.result, info.oob, 1e-12);
  }
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  for (int j = 0; j < 10; j++) *(j < 5 ? &useful : &useless) += mean[0][j] / 5;
  assert_true(useful > 4 * fabs(useless));
  svf_forest_free(forest);
  svf_table_free(numbers);
}

/* A gain may be as large as a double can be: so may the mean of three. */
static void gains_of_large_numbers(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", N, 5, 0, 1);
  double value[N], gain[5], sum = 0;
  for (size_t i = 0; i < N; i++) value[i] = 1e300 * svf_table_values(table)[i];
  assert_ok(svf_table_set_values(table, value, &message), &message);
  svf_forest *forest = test_train("rf", "trees=3", table, 1);
  assert_ok(svf_forest_importance(forest, gain, NULL, &message), &message);
  for (size_t j = 0; j < 5; j++) sum += gain[j];
  assert_close(sum, 1, 1e-9);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gains_from_the_rows),
                                     cmocka_unit_test(weights_of_leaves),
                                     cmocka_unit_test(an_oblique_cut_shares_its_gain),
                                     cmocka_unit_test(permutation_from_shuffled_tables),
                                     cmocka_unit_test(permutation_out_of_bag),
                                     cmocka_unit_test(gains_of_large_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
