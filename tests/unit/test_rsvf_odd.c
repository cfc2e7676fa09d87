/* rsvf on odd tables, in every way to choose a cut: classes that a child, or a bootstrap, has not got, columns that never
 * vary, rows that repeat, missing values, wild weights, two rows, more columns than rows. Same bytes for any number of
 * threads, and shares that are shares. */
#include "support/forest.h"
#include <math.h>
#include <stdbool.h>
#include "base/random.h"

enum { MOST = 120, WIDEST = 60, TREES = 5 };

typedef struct odd {
  const char *what;
  size_t n, d, k;
  double x[MOST][WIDEST], weight[MOST];
  int32_t label[MOST];
  bool weighted, leaf; /* leaf: there is nothing to divide */
} odd;

/* Normal rows; classes by the signs of the first columns, so that most cuts are worth something. */
static void plain(odd *t, const char *what, size_t n, size_t d, size_t k) {
  svf_random random = svf_random_at((svf_place){.seed = n + d + k});
  *t = (odd){.what = what, .n = n, .d = d, .k = k};
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < d; j++) t->x[i][j] = svf_random_normal(&random);
    t->label[i] = (int32_t)(i < k ? i : (size_t)((t->x[i][0] > 0) + (t->x[i][1 % d] > 0)) % k);
    t->weight[i] = 1;
  }
}

static bool make(odd *t, int number) {
  switch (number) {
  case 0:
    plain(t, "two rows", 2, 2, 2);
    return true;
  case 1:
    plain(t, "five rows", 5, 3, 2);
    return true;
  case 2:
    plain(t, "more columns than rows", 20, WIDEST, 3);
    return true;
  case 3:
    plain(t, "as many classes as rows", 30, 3, 30);
    return true;
  case 4:
    plain(t, "one class", 40, 3, 1), t->leaf = true;
    return true;
  case 5:
    plain(t, "nothing varies", 60, 3, 3), t->leaf = true;
    for (size_t i = 0; i < t->n; i++) t->x[i][0] = t->x[i][1] = t->x[i][2] = 1;
    return true;
  case 6:
    plain(t, "a class of one row, two columns alike, one constant", MOST, 4, 3);
    for (size_t i = 0; i < t->n; i++) {
      t->x[i][2] = t->x[i][0], t->x[i][3] = -7;
      if (i != 2 && t->label[i] == 2) t->label[i] = 0;
    }
    return true;
  case 7:
    plain(t, "rows that repeat, with other classes", MOST, 3, 3);
    for (size_t i = 12; i < t->n; i++) memcpy(t->x[i], t->x[i % 12], sizeof t->x[i]);
    return true;
  case 8:
    plain(t, "missing values, a column of them", MOST, 4, 3);
    for (size_t i = 0; i < t->n; i++) t->x[i][i % 3] = t->x[i][3] = NAN;
    return true;
  case 9:
    plain(t, "wild weights", MOST, 3, 3), t->weighted = true;
    for (size_t i = 0; i < t->n; i++) t->weight[i] = i % 7 ? pow(10, (double)(i % 9) - 4) : 0;
    return true;
  default:
    return false;
  }
}

static svf_table *table_of(const odd *t) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
                                      "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "0", "1", "2", "3"};
  svf_matrix matrix = {t->x, 0, t->n, t->d, WIDEST, 1};
  svf_table *table = NULL;
  svf_message message;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, t->label, names, t->k, &message), &message);
  if (t->weighted) assert_ok(svf_table_set_weights(table, t->weight, &message), &message);
  return table;
}

static void shares_are_shares(const odd *t, const svf_forest *forest, const svf_table *table) {
  static double share[MOST * 30];
  svf_prediction out = {.probabilities = share};
  svf_message message;
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < t->n; i++) {
    double sum = 0;
    for (size_t c = 0; c < t->k; c++) {
      assert_true(share[i * t->k + c] >= 0);
      sum += share[i * t->k + c];
    }
    assert_close(sum, 1, 1e-9);
  }
}

static void train_all(const odd *t, const char *pairs) {
  svf_table *table = table_of(t);
  svf_forest *one = test_train("rsvf", pairs, table, 1);
  svf_forest_info info;
  size_t size, other;
  svf_forest_describe(one, &info);
  if (t->leaf ? info.leaves != TREES : info.leaves < TREES) fail_msg("%s: %zu leaves", t->what, info.leaves);
  shares_are_shares(t, one, table);
  for (int threads = 2; threads <= 4; threads += 2) {
    svf_forest *many = test_train("rsvf", pairs, table, threads);
    const void *a = svf_forest_bytes(one, &size), *b = svf_forest_bytes(many, &other);
    if (size != other || memcmp(a, b, size) != 0) fail_msg("%s, %s: %d threads differ", t->what, pairs, threads);
    svf_forest_free(many);
  }
  svf_forest_free(one);
  svf_table_free(table);
}

static void odd_tables(void **state) {
  (void)state;
  static const char *const pairs[] = {"trees=5", "trees=5 keep=0",
                                      "trees=5 doubt=1000000 overlap=0.1 projection_size=2",
                                      "trees=5 screen=exact cut_candidates=2 threshold_candidates=3",
                                      "trees=5 keep=2 leaf=constant class_weight=balanced"};
  static odd t;
  for (int number = 0; make(&t, number); number++)
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) train_all(&t, pairs[p]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(odd_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
