/* svf_forest_bound: every term again from what the public interface tells of a forest of one tree; what is refused. */
#include <math.h>
#include "support/forest.h"

enum { N = 240, F = 6, MOST = 64 };
static svf_message message;

static size_t depth_of(const svf_forest *forest, size_t node, size_t leaf, size_t depth) {
  svf_node_info info;
  svf_forest_node(forest, 0, node, &info);
  if (!info.right) return info.leaf == leaf ? depth : SIZE_MAX;
  size_t left = depth_of(forest, info.left, leaf, depth + 1);
  return left != SIZE_MAX ? left : depth_of(forest, info.right, leaf, depth + 1);
}

/* Binomial(F + degree, degree) of the degree that the leaf's text names; one class: that of degree 1. */
static double dimension_of(const svf_forest *forest, size_t leaf) {
  char text[300];
  unsigned degree = 1;
  double count = 1;
  assert_true(svf_forest_leaf_text(forest, 0, leaf, text, sizeof text) > 0);
  const char *at = strstr(text, "degree ");
  if (at) assert_int_equal(sscanf(at, "degree %u", &degree), 1);
  else assert_non_null(strstr(text, "only "));
  for (unsigned k = 1; k <= degree; k++) count = count * (F + k) / k;
  return count;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static svf_bound_tree naive(const svf_forest *forest, const svf_table *table, double rho, double scale) {
  double value[N], right[MOST] = {0}, rows[MOST] = {0}, excess[MOST], m = N, c = 3, r = 2, p = 3;
  int32_t leaf[N];
  size_t beyond = 0;
  svf_tree_info info;
  svf_prediction out = {.values = value, .leaves = leaf};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  svf_forest_tree(forest, 0, &info);
  svf_bound_tree t = {.leaves = info.leaves};
  for (size_t i = 0; i < N; i++) {
    rows[leaf[i]]++;
    right[leaf[i]] += value[i] == svf_table_labels(table)[i];
  }
  for (size_t k = 0; k < t.leaves; k++) {
    double v = dimension_of(forest, k), depth = (double)depth_of(forest, 0, k, 0);
    double A = sqrt(2 * depth * (r * log(exp(1) * F / r) + log(2 * m * r)) / m) +
               sqrt(2 * (v < m ? fmin(log(2), v * log(exp(1) * m / v) / m) : log(2)));
    t.error += (rows[k] - right[k]) / m;
    t.complexity += fmin(8 * c * A, right[k] / m);
    t.criterion += (rows[k] - right[k]) / m + fmin(8 * c * scale * A, right[k] / m);
    if (right[k] / m > 8 * c * A) excess[beyond++] = right[k] / m - 8 * c * A;
  }
  qsort(excess, beyond, sizeof *excess, ascending);
  for (size_t k = 0; (double)k < (double)beyond - 1 / rho; k++) t.remainder += excess[k];
  double pl = log(p * (double)t.leaves);
  t.margin = 2 / (c * rho) * sqrt(pl / m) +
             sqrt(fmax(0, ceil(4 / rho / rho * log(c * c * rho * rho * m / 4 / pl))) * pl / m);
  t.confidence = sqrt(log(2 / .05) / 2 / m);
  t.bound = t.error + t.complexity + t.remainder + t.margin + t.confidence;
  return t;
}

static void terms(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, F, 3, 4);
  static const double rhos[] = {0, .9, .3, .01};
  for (int depth = 1; depth < 5; depth++) {
    char pairs[100];
    snprintf(pairs, sizeof pairs, "trees=1 degrees=1,2,5 C=1 vote=majority precision=double max_depth=%d", depth);
    svf_forest *forest = test_train("rcf", pairs, table, 1);
    for (size_t i = 0; i < 4; i++) {
      svf_bound_tree tree;
      svf_bound bound = {.rho = rhos[i], .tree = &tree};
      assert_ok(svf_forest_bound(forest, table, NULL, &bound, &message), &message);
      svf_bound_tree again = naive(forest, table, rhos[i] > 0 ? rhos[i] : pow(2, -depth), .001);
      assert_true(bound.guarantee && bound.families == 3 && bound.drawn == 2 && bound.features == F);
      assert_int_equal(tree.leaves, again.leaves);
      assert_close(tree.error, again.error, 1e-12);
      assert_close(tree.complexity, again.complexity, 1e-12);
      assert_close(tree.remainder, again.remainder, 1e-12);
      assert_close(tree.margin, again.margin, 1e-12);
      assert_close(tree.confidence, again.confidence, 1e-12);
      assert_close(tree.criterion, again.criterion, 1e-12);
      assert_close(tree.bound, again.bound, 1e-12);
      assert_close(bound.bound, again.bound, 1e-12);
      assert_close(bound.error, again.error, 1e-12);
    }
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

/* A forest's is twice the mean of its trees', whatever the threads; its vote errs at most twice as often as they do. */
static void forests(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, F, 3, 5);
  svf_forest *forest = test_train("rcf", "trees=5 degrees=1,3 C=1 max_depth=2", table, 2);
  svf_bound_tree tree[2][5];
  svf_bound bound[2] = {{.tree = tree[0]}, {.tree = tree[1]}};
  double sum = 0, error = 0;
  for (int i = 0; i < 2; i++) {
    svf_run run = {.threads = 1 + 2 * i};
    assert_ok(svf_forest_bound(forest, table, &run, &bound[i], &message), &message);
  }
  assert_memory_equal(tree[0], tree[1], sizeof tree[0]);
  for (size_t t = 0; t < 5; t++) sum += tree[0][t].bound, error += tree[0][t].error;
  assert_close(bound[0].bound, 2 * sum / 5, 1e-12);
  assert_true(bound[0].error <= 2 * error / 5);
  assert_close(tree[0][0].confidence, sqrt(log(2 * 5 / .05) / (2 * N)), 1e-12);
  double weight[N]; /* equal weights say what none say, but guarantee nothing */
  for (int i = 0; i < N; i++) weight[i] = 1e9;
  assert_true(bound[0].guarantee);
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  bound[1] = (svf_bound){0};
  assert_ok(svf_forest_bound(forest, table, NULL, &bound[1], &message), &message);
  assert_false(bound[1].guarantee);
  assert_close(bound[1].rows, N, 1e-12);
  assert_close(bound[1].bound, bound[0].bound, 1e-12);
  weight[0] = 1e11; /* one row that outweighs the others is worth less than all */
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  assert_ok(svf_forest_bound(forest, table, NULL, &bound[1], &message), &message);
  assert_true(bound[1].rows < N);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void refused(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, F, 3, 5), *other = test_synth("classification", 50, F, 3, 5);
  svf_forest *plain = test_train("rf", "trees=2", table, 1), *kernel = test_train("rbf-svm", "C=1", table, 1);
  svf_forest *open = test_train("rcf", "trees=2 degrees=1,2 C=1 max_depth=0 min_leaf=20 rows=bootstrap", table, 1);
  svf_bound bound = {0};
  assert_int_equal(svf_forest_bound(plain, table, NULL, &bound, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "leaf=constant"));
  assert_int_equal(svf_forest_bound(kernel, other, NULL, &bound, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "240 rows"));
  svf_table *twin = test_synth("classification", N, F, 3, 6); /* as many rows, and others */
  svf_forest *forest = test_train("rcf", "trees=3 degrees=1,2 C=1 max_depth=3", table, 1);
  assert_int_equal(svf_forest_bound(forest, twin, NULL, &bound, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "the table that the model was trained on"));
  svf_forest *pruned = test_train("rcf", "trees=3 degrees=1,2 C=1 max_depth=3 prune=0.3", table, 1);
  assert_ok(svf_forest_bound(pruned, table, NULL, &bound, &message), &message);
  double weight[N]; /* rows that do not count are in no tree */
  for (size_t i = 0; i < N; i++) weight[i] = i % 5 ? 1 : 0;
  assert_ok(svf_table_set_weights(twin, weight, &message), &message);
  svf_forest *fewer = test_train("rcf", "trees=3 degrees=1,2 C=1 max_depth=3", twin, 1);
  assert_ok(svf_forest_bound(fewer, twin, NULL, &bound, &message), &message);
  svf_forest_free(fewer);
  svf_forest_free(pruned);
  svf_forest_free(forest);
  svf_table_free(twin);
  assert_ok(svf_forest_bound(kernel, table, NULL, &bound, &message), &message); /* no cut, infinite dimension */
  assert_true(isfinite(bound.bound));
  static const double wrong[][2] = {{2, 0}, {INFINITY, 0}, {NAN, 0}, {-1, 0}, {0, 5}, {0, NAN}, {0, -1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    bound = (svf_bound){.delta = wrong[i][0], .rho = wrong[i][1]};
    assert_int_equal(svf_forest_bound(kernel, table, NULL, &bound, &message), SVF_USAGE);
  }
  bound = (svf_bound){0};
  assert_ok(svf_forest_bound(open, table, NULL, &bound, &message), &message);
  assert_false(bound.guarantee);
  svf_forest_free(plain);
  svf_forest_free(kernel);
  svf_forest_free(open);
  svf_table_free(table);
  svf_table_free(other);
}

/* Weights count by what they are to each other: the bound of tiny ones is that of others, and the table is the same one. */
static void weights_of_any_size(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, F, 3, 2);
  double weight[N], first = 0;
  for (int size = 0; size < 3; size++) {
    for (size_t i = 0; i < N; i++)
      weight[i] = (1 + (double)(i % 3)) * (size == 0 ? 1 : size == 1 ? 0x1p-1072 : 0x1p200);
    assert_ok(svf_table_set_weights(table, weight, &message), &message);
    svf_forest *forest = test_train("rf-svm", "trees=1 kernel=linear C=1 max_depth=1", table, 1);
    svf_bound bound = {0};
    assert_ok(svf_forest_bound(forest, table, NULL, &bound, &message), &message);
    assert_true(isfinite(bound.bound) && bound.bound > 0 && bound.error <= 1);
    if (size == 0) first = bound.rows;
    assert_close(bound.rows, first, 1e-9);
    svf_forest_free(forest);
  }
  for (size_t i = 0; i < N; i++) weight[i] = i % 2 ? 1e90 : 1e-300; /* that is too small to count, but it is there */
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  svf_forest *forest = test_train("rf-svm", "trees=1 kernel=linear C=1 max_depth=1", table, 1);
  svf_bound bound = {0};
  assert_ok(svf_forest_bound(forest, table, NULL, &bound, &message), &message);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(terms), cmocka_unit_test(forests), cmocka_unit_test(refused),
                                     cmocka_unit_test(weights_of_any_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
