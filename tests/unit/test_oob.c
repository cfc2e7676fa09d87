/* Out of bag: votes recomputed by a plain loop over trees and bags, the curve, other tables refused, balanced bags. */
#include "support/ground.h"

static svf_message message;

enum { N = 240, TREES = 9 };

/* The trees of a forest as forests of one tree. */
static void one_by_one(const char *pairs, const svf_table *table, svf_forest **tree) {
  for (int t = 0; t < TREES; t++) {
    char text[200];
    snprintf(text, sizeof text, "%s trees=1 first_tree=%d", pairs, t);
    tree[t] = test_train("rsvt-full", text, table, 1);
  }
}

static svf_bag bag_of(test_ground *t, uint32_t tree) {
  t->ground.tree = tree;
  return svf_bag_draw(&t->ground);
}

typedef struct naive {
  double votes[N][3], shares[N][3], weight[N], curve[TREES], value[N];
} naive;

static double best(const naive *v, size_t i, size_t k) {
  size_t top = 0;
  for (size_t c = 1; c < k; c++)
    if (v->votes[i][c] > v->votes[i][top] ||
        (v->votes[i][c] == v->votes[i][top] && v->shares[i][c] > v->shares[i][top]))
      top = c;
  return (double)top;
}

/* Majority votes of single trees over the rows they did not see; the mean of values in a regression. */
static void count_votes(const char *pairs, const svf_table *table, size_t k, naive *v) {
  svf_forest *tree[TREES];
  test_ground t;
  size_t all[N];
  svf_table *copy;
  const int32_t *label = svf_table_labels(table);
  const double *row_weight = svf_table_weights(table);
  memset(v, 0, sizeof *v);
  one_by_one(pairs, table, tree);
  for (size_t i = 0; i < N; i++) all[i] = i;
  assert_ok(svf_table_take(table, all, N, &copy, &message), &message);
  test_ground_open(&t, copy, "rsvt-full", pairs);
  test_ground_weigh(&t);
  for (uint32_t number = 0; number < TREES; number++) {
    svf_bag bag = bag_of(&t, number);
    double value[N], share[3 * N], right = 0, weights = 0;
    svf_prediction out = {.values = value, .probabilities = label ? share : NULL};
    assert_ok(svf_predict(tree[number], table, NULL, &out, &message), &message);
    for (size_t j = 0; j < bag.judge_count; j++) {
      size_t i = bag.judges[j];
      if (label) v->votes[i][(size_t)value[i]]++;
      else v->votes[i][0] += value[i];
      for (size_t c = 0; label && c < k; c++) v->shares[i][c] += share[i * k + c];
      v->weight[i]++;
    }
    for (size_t i = 0; i < N; i++) {
      v->value[i] = !v->weight[i] ? NAN : label ? best(v, i, k) : v->votes[i][0] / v->weight[i];
      double weight = row_weight ? row_weight[i] : 1;
      if (!v->weight[i]) continue;
      weights += weight;
      right += weight * (label ? v->value[i] == label[i] : pow(v->value[i] - svf_table_values(table)[i], 2));
    }
    v->curve[number] = right / weights;
    svf_forest_free(tree[number]);
  }
  test_ground_close(&t);
}

static void agrees(const char *pairs, const svf_table *table, size_t k) {
  static naive v;
  char text[200];
  double value[N], share[3 * N], curve[TREES];
  snprintf(text, sizeof text, "%s trees=%d", pairs, TREES);
  svf_forest *forest = test_train("rsvt-full", text, table, 2);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  svf_oob_answers out = {.values = value, .probabilities = svf_table_labels(table) ? share : NULL, .curve = curve};
  assert_ok(svf_forest_oob(forest, table, NULL, &out, &message), &message);
  count_votes(pairs, table, k, &v);
  for (size_t i = 0; i < N; i++) {
    if (isnan(v.value[i])) assert_true(isnan(value[i]) && (!out.probabilities || isnan(share[i * k])));
    else assert_close(value[i], v.value[i], 1e-12);
    for (size_t c = 0; out.probabilities && v.weight[i] && c < k; c++)
      assert_close(share[i * k + c], v.shares[i][c] / v.weight[i], 1e-12);
  }
  for (int t = 0; t < TREES; t++) assert_close(curve[t], v.curve[t], 1e-12);
  assert_close(out.result, curve[TREES - 1], 1e-12);
  assert_close(out.result, info.oob, 1e-12);
  svf_forest_free(forest);
}

static void votes_by_a_plain_loop(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 5, 3, 1), *numbers = test_synth("friedman1", N, 0, 0, 1);
  agrees("rows=bootstrap C=1", table, 3);
  agrees("rows=subsample leaf=constant", table, 3);
  agrees("rows=balanced leaf=constant", table, 3);
  agrees("rows=bootstrap leaf=constant vote=mean", numbers, 1);
  double weight[N];
  for (int i = 0; i < N; i++) weight[i] = i % 5;
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  assert_ok(svf_table_set_weights(numbers, weight, &message), &message);
  agrees("rows=bootstrap C=1", table, 3);
  agrees("rows=subsample leaf=constant", table, 3);
  agrees("rows=subsample C=1", table, 3);
  agrees("rows=balanced leaf=constant class_weight=balanced", table, 3);
  agrees("rows=bootstrap leaf=constant vote=mean", numbers, 1);
  svf_table_free(table);
  svf_table_free(numbers);
}

/* Parts merged, saved and loaded give what one run gave. */
static void merged_forests_answer_too(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 5, 3, 1);
  svf_forest *whole = test_train("rsvt", "rows=bootstrap trees=6 C=1", table, 1), *merged;
  svf_forest *a = test_train("rsvt", "rows=bootstrap trees=2 C=1", table, 1);
  svf_forest *b = test_train("rsvt", "rows=bootstrap trees=4 first_tree=2 C=1", table, 1);
  const svf_forest *parts[] = {a, b};
  double x[N], y[N];
  assert_ok(svf_forest_merge(parts, 2, &merged, &message), &message);
  svf_oob_answers one = {.values = x}, two = {.values = y};
  assert_ok(svf_forest_oob(whole, table, NULL, &one, &message), &message);
  assert_ok(svf_forest_oob(merged, table, NULL, &two, &message), &message);
  assert_true(one.result == two.result);
  for (int i = 0; i < N; i++) assert_true(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
  assert_ok(svf_forest_oob(b, table, NULL, &two, &message), &message); /* a part by itself */
  svf_forest *all[] = {whole, merged, a, b};
  for (int i = 0; i < 4; i++) svf_forest_free(all[i]);
  svf_table_free(table);
}

static void refused(const svf_forest *forest, const svf_table *table, svf_status status, const char *words) {
  svf_oob_answers out = {0};
  assert_int_equal(svf_forest_oob(forest, table, NULL, &out, &message), status);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void other_tables_are_refused(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 5, 3, 1), *other = test_synth("classification", N, 5, 3, 2);
  svf_table *few = test_synth("classification", N - 1, 5, 3, 1), *turned;
  size_t rows[N];
  for (size_t i = 0; i < N; i++) rows[i] = N - 1 - i;
  assert_ok(svf_table_take(table, rows, N, &turned, &message), &message);
  svf_forest *bagged = test_train("rsvt", "rows=bootstrap leaf=constant", table, 1),
             *all = test_train("rsvt", "", table, 1);
  refused(bagged, other, SVF_DATA, "not the table that the model was trained on");
  refused(bagged, turned, SVF_DATA, "not the table that the model was trained on");
  refused(bagged, few, SVF_DATA, "it had 240 rows, not 239");
  refused(all, table, SVF_USAGE, "rows=all");
  svf_permutation shuffle = {.repeats = 1, .oob = 1};
  assert_int_equal(svf_forest_permute(bagged, turned, NULL, &shuffle, &message), SVF_DATA);
  svf_forest_free(bagged);
  svf_forest_free(all);
  svf_table *tables[] = {table, other, few, turned};
  for (int i = 0; i < 4; i++) svf_table_free(tables[i]);
}

/* 90 rows of one class, 10 and 20 of others, one class without rows: 10 of each, with repeats. */
static void balanced_bags(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "none", "c"};
  double x[120];
  int32_t label[120];
  for (int i = 0; i < 120; i++) x[i] = i, label[i] = i % 12 == 0 ? 1 : i % 6 == 1 ? 3 : 0;
  svf_matrix matrix = {x, 0, 120, 1, 1, 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, names, 4, &message), &message);
  test_ground t;
  test_ground_open(&t, table, "rsvt", "rows=balanced");
  size_t drawn[120] = {0};
  for (uint32_t tree = 0; tree < 200; tree++) {
    svf_bag bag = bag_of(&t, tree);
    size_t count[4] = {0};
    bool in[120] = {false};
    for (size_t i = 0; i < bag.n; i++) {
      assert_true(!i || bag.rows[i] >= bag.rows[i - 1]);
      count[label[bag.rows[i]]]++;
      drawn[bag.rows[i]]++;
      in[bag.rows[i]] = true;
    }
    assert_true(count[0] == 10 && count[1] == 10 && count[2] == 0 && count[3] == 10);
    for (size_t i = 0; i < bag.judge_count; i++) assert_false(in[bag.judges[i]]);
    size_t seen = 0;
    for (int i = 0; i < 120; i++) seen += in[i];
    assert_int_equal(seen + bag.judge_count, 120);
  }
  for (int i = 0; i < 120; i++) { /* 200 bags: each row about 2000 / size of its class times */
    double expected = 2000.0 / (label[i] == 0 ? 90 : label[i] == 1 ? 10 : 20);
    assert_true(fabs((double)drawn[i] - expected) < 6 * sqrt(expected));
  }
  test_ground_close(&t);
}

/* The weight of a tree is its vote's, and the forest's shares are the weighted mean of the trees'. */
static void uneven_votes(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 5, 3, 1);
  static const char *const votes[] = {"simple", "weighted"};
  for (int v = 0; v < 2; v++) {
    char pairs[100];
    static double share[3 * N], own[3 * N], sum[3 * N];
    double all = 0;
    snprintf(pairs, sizeof pairs, "rows=bootstrap leaf=constant vote=%s trees=5", votes[v]);
    svf_forest *forest = test_train("rsvt-full", pairs, table, 1);
    memset(sum, 0, sizeof sum);
    for (size_t t = 0; t < 5; t++) {
      svf_tree_info info;
      svf_forest_tree(forest, t, &info);
      assert_close(info.weight, v ? info.oob : 1 / (double)info.leaves, 1e-15);
      snprintf(pairs, sizeof pairs, "rows=bootstrap leaf=constant vote=mean trees=1 first_tree=%zu", t);
      svf_forest *alone = test_train("rsvt-full", pairs, table, 1);
      svf_prediction out = {.probabilities = own};
      assert_ok(svf_predict(alone, table, NULL, &out, &message), &message);
      for (size_t i = 0; i < 3 * N; i++) sum[i] += info.weight * own[i];
      all += info.weight;
      svf_forest_free(alone);
    }
    svf_prediction out = {.probabilities = share};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    for (size_t i = 0; i < 3 * N; i++) assert_close(share[i], sum[i] / all, 1e-12);
    svf_forest_free(forest);
  }
  svf_forest *simple = test_train("rsvt-full", "vote=simple trees=3", table, 1); /* also where all rows are seen */
  svf_tree_info info;
  svf_forest_tree(simple, 2, &info);
  assert_close(info.weight, 1 / (double)info.leaves, 1e-15);
  svf_forest_free(simple);
  svf_table_free(table);
}

/* The mean squared error of large numbers is infinite, and floats are far from some of them: it is the same table, and under
 * precision=single training saw the floats too. */
static void numbers_of_any_size(void **state) {
  (void)state;
  static const double sizes[] = {1e-50, 1, 1e15, 1e300};
  svf_table *table = test_synth("friedman1", N, 5, 0, 4);
  double value[N], given[N];
  memcpy(given, svf_table_values(table), sizeof given);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int single = 0; single < (sizes[s] > 1e30 ? 1 : 2); single++) {
      for (size_t i = 0; i < N; i++) value[i] = sizes[s] * (i % 2 ? 1 : 1 + 1e-9 * given[i]);
      assert_ok(svf_table_set_values(table, value, &message), &message);
      svf_forest *forest = test_train("rf", single ? "trees=5 precision=single" : "trees=5", table, 1);
      svf_oob_answers answers = {0};
      svf_forest_info info;
      svf_forest_describe(forest, &info);
      assert_ok(svf_forest_oob(forest, table, NULL, &answers, &message), &message);
      assert_true(answers.result == info.oob || isinf(info.oob));
      svf_forest_free(forest);
    }
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(votes_by_a_plain_loop),
                                     cmocka_unit_test(merged_forests_answer_too),
                                     cmocka_unit_test(other_tables_are_refused),
                                     cmocka_unit_test(balanced_bags),
                                     cmocka_unit_test(uneven_votes),
                                     cmocka_unit_test(numbers_of_any_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
