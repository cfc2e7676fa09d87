/* The constant leaf: shares and means recomputed, the short form of a pure leaf, and what a file may not say. */
#include "support/mixed.h"
#include "support/ground.h"

static const svf_leaf *open_leaf(test_ground *t, const mixed *m) {
  svf_kinds kinds;
  svf_message message;
  test_ground_open(t, test_mixed(m), "rf", "");
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  return kinds.leaf;
}

static double spread; /* what the last leaf said of itself; numbers only */

/* What the leaf of these rows says, and how many numbers it takes to say it. */
static size_t say(const test_ground *t, const svf_leaf *leaf, uint32_t *rows, size_t n, double *score,
                  double *share) {
  svf_site site = {.rows = rows, .n = n};
  svf_buffer numbers = {0};
  svf_message message;
  assert_ok(leaf->train(&t->ground, &site, &numbers, &message), &message);
  svf_leaf_view view = {.numbers = (const double *)(const void *)numbers.data,
                        .length = numbers.size / sizeof(double),
                        .d = t->frame.d,
                        .k = t->frame.k};
  const float *row = t->frame.x;
  assert_true(leaf->valid(&view));
  assert_true(leaf->predict(&view, &row, 1, t->ground.arena, score, share));
  if (t->frame.value) spread = leaf->spread(&view);
  svf_buffer_free(&numbers);
  return view.length;
}

static void shares_and_pure_leaves(void **state) {
  (void)state;
  test_ground t;
  mixed m = {60, 4, false, true, 3};
  const svf_leaf *leaf = open_leaf(&t, &m);
  for (size_t from = 0; from < 50; from++)
    for (size_t n = 1; n < 10; n++) {
      uint32_t rows[10];
      double of[4] = {0}, all = 0, score[4], share[4];
      size_t used = 0, classes = 0;
      for (size_t i = from; used < n && i < 60; i++)
        if (t.frame.weight[i] > 0) rows[used++] = (uint32_t)i;
      for (size_t i = 0; i < used; i++)
        of[t.frame.label[rows[i]]] += t.frame.weight[rows[i]], all += t.frame.weight[rows[i]];
      for (int c = 0; c < 4; c++) classes += of[c] > 0;
      assert_int_equal(say(&t, leaf, rows, used, score, share), classes == 1 ? 1 : 4);
      for (int c = 0; c < 4; c++) {
        assert_close(share[c], of[c] / all, 1e-15);
        assert_close(score[c], 2 * share[c] - 1, 1e-15);
      }
    }
  test_ground_close(&t);
}

static void means(void **state) {
  (void)state;
  test_ground t;
  mixed m = {60, 0, false, true, 3};
  const svf_leaf *leaf = open_leaf(&t, &m);
  uint32_t rows[60];
  double sum = 0, all = 0, errors = 0, score, share;
  size_t n = 0;
  for (uint32_t i = 0; i < 60; i++)
    if (t.frame.weight[i] > 0) rows[n++] = i, sum += t.frame.weight[i] * t.frame.value[i], all += t.frame.weight[i];
  assert_int_equal(say(&t, leaf, rows, n, &score, &share), 2);
  assert_close(score, sum / all, 1e-14);
  assert_true(score == share);
  for (size_t i = 0; i < n; i++) {
    double w = t.frame.weight[rows[i]], y = t.frame.value[rows[i]], others = (sum - w * y) / (all - w);
    errors += w * (y - others) * (y - others);
  }
  assert_close(spread, sqrt(errors / all), 1e-12);
  assert_int_equal(say(&t, leaf, rows, 1, &score, &share), 1); /* one row, or rows that do not differ: none */
  assert_true(spread == 0 && score == t.frame.value[rows[0]]);
  uint32_t twice[] = {rows[0], rows[0]};
  assert_int_equal(say(&t, leaf, twice, 2, &score, &share), 1);
  assert_true(spread == 0);
  test_ground_close(&t);
}

/* The error of values as large as numbers get is a number. */
static void far_values_have_an_error(void **state) {
  (void)state;
  test_ground t;
  mixed m = {60, 0, false, false, 3};
  const svf_leaf *leaf = open_leaf(&t, &m);
  double *value = (double *)t.frame.value, score, share;
  uint32_t rows[] = {0, 1, 2};
  value[0] = 1e308, value[1] = -1e308, value[2] = -1e308;
  assert_int_equal(say(&t, leaf, rows, 3, &score, &share), 2);
  assert_close(spread / 1e308, sqrt(2), 1e-12);
  test_ground_close(&t);
}

static void wrong_numbers_are_refused(void **state) {
  (void)state;
  test_ground t;
  mixed m = {60, 4, false, false, 3};
  const svf_leaf *leaf = open_leaf(&t, &m);
  static const double bad[] = {-1, 4, .5, 1e300}, good[] = {0, 1, 2, 3};
  for (int i = 0; i < 4; i++) {
    svf_leaf_view view = {.numbers = &bad[i], .length = 1, .d = t.frame.d, .k = 4};
    assert_false(leaf->valid(&view));
    view.numbers = &good[i];
    assert_true(leaf->valid(&view));
    view.length = (size_t)i == 1 ? 5 : (size_t)i; /* 0, 5, 2, 3 */
    view.numbers = good;
    assert_false(leaf->valid(&view));
  }
  const double value[] = {5, -1, 2};
  svf_leaf_view view = {.numbers = value, .length = 2, .k = 1};
  assert_false(leaf->valid(&view)); /* an error below 0 */
  view.numbers = value + 1;
  assert_true(leaf->valid(&view));
  view.numbers = value, view.length = 3;
  assert_false(leaf->valid(&view));
  test_ground_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shares_and_pure_leaves), cmocka_unit_test(means),
                                     cmocka_unit_test(far_values_have_an_error),
                                     cmocka_unit_test(wrong_numbers_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
