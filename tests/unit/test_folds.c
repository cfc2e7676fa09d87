/* test_folds.c - folds and splits are even, by class, and the same for the same seed. */
#include "support/test.h"
#include "data/folds.h"
#include "data/table.h"

static svf_message message;

static svf_table *table_of(const int32_t *label, size_t n, size_t classes) {
  static const double zero = 0;
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  svf_matrix matrix = {.values = &zero, .rows = n, .columns = 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  if (label) assert_ok(svf_table_set_classes(table, label, names, classes, &message), &message);
  return table;
}

static void random_labels(int32_t *label, size_t n, uint64_t seed) { /* class c has weight c + 1 */
  svf_random random = svf_random_at((svf_place){.seed = seed});
  for (size_t i = 0; i < n; i++) {
    uint64_t draw = svf_random_below(&random, 21);
    label[i] = 0;
    for (uint64_t c = 1, sum = 1; c < 6 && draw >= sum; sum += ++c) label[i] = (int32_t)c;
  }
}

/* Counts how often each value of 0..bins-1 stands where the label is c (-1: anywhere). */
static void tally(const int32_t *value, const int32_t *label, size_t n, int32_t c, size_t *bin) {
  memset(bin, 0, 16 * sizeof *bin);
  for (size_t i = 0; i < n; i++)
    if (c < 0 || label[i] == c) bin[value[i]]++;
}

static void assert_even(const size_t *bin, size_t bins) {
  size_t low = SIZE_MAX, high = 0;
  for (size_t b = 0; b < bins; b++) {
    if (bin[b] < low) low = bin[b];
    if (bin[b] > high) high = bin[b];
  }
  assert_true(high - low <= 1);
}

static void even_folds(void **state) {
  (void)state;
  enum { MOST = 211 };
  int32_t label[MOST], fold[MOST], again[MOST];
  size_t bin[16];
  for (size_t n = 10; n <= MOST; n += 67)
    for (size_t folds = 2; folds <= 10; folds += 4) {
      random_labels(label, n, n);
      svf_table *table = table_of(label, n, 6);
      assert_ok(svf_table_folds(table, folds, 3, fold, &message), &message);
      for (int32_t c = -1; c < 6; c++) {
        tally(fold, label, n, c, bin);
        assert_even(bin, folds);
      }
      assert_ok(svf_table_folds(table, folds, 3, again, &message), &message);
      assert_memory_equal(fold, again, n * sizeof *fold);
      assert_ok(svf_table_folds(table, folds, 4, again, &message), &message);
      assert_memory_not_equal(fold, again, n * sizeof *fold);
      svf_table_free(table);
    }
}

static void inner_folds(void **state) {
  (void)state;
  int32_t fold[10];
  size_t bin[16];
  svf_arena arena = {0};
  svf_random random = svf_random_at((svf_place){.seed = 9});
  const int32_t label[10] = {-1, 2, 2, -1, 2, 2, 2, -1, 2, 2};
  assert_true(svf_stratified(&random, label, 10, 3, &arena, fold));
  for (int32_t c = -1; c < 3; c++) {
    tally(fold, label, 10, c, bin);
    assert_even(bin, 3);
  }
  tally(fold, NULL, 10, -1, bin);
  assert_even(bin, 3);
  assert_true(svf_stratified(&random, NULL, 10, 10, &arena, fold));
  tally(fold, NULL, 10, -1, bin);
  assert_even(bin, 10);
  assert_true(svf_stratified(&random, NULL, 0, 3, &arena, fold));
  svf_arena_free(&arena);
}

static void holdouts(void **state) {
  (void)state;
  int32_t label[150], part[150];
  size_t bin[16];
  for (int i = 0; i < 150; i++) label[i] = i < 90 ? 0 : i < 149 ? 1 : 2;
  svf_table *table = table_of(label, 150, 3), *plain = table_of(NULL, 150, 0);
  assert_ok(svf_table_holdout(table, 1.0 / 3, 1, part, &message), &message);
  tally(part, label, 150, -1, bin);
  assert_int_equal(bin[1], 50);
  tally(part, label, 150, 0, bin);
  assert_int_equal(bin[1], 30);
  tally(part, label, 150, 1, bin); /* quotas 19.67 and 0.33: the larger remainder gets the last place */
  assert_int_equal(bin[1], 20);
  assert_ok(svf_table_holdout(plain, 0.25, 1, part, &message), &message);
  tally(part, label, 150, -1, bin);
  assert_int_equal(bin[1], 38);
  assert_ok(svf_table_holdout(plain, 1e-9, 1, part, &message), &message);
  tally(part, label, 150, -1, bin);
  assert_int_equal(bin[1], 1);
  assert_ok(svf_table_holdout(plain, 1 - 1e-9, 1, part, &message), &message);
  tally(part, label, 150, -1, bin);
  assert_int_equal(bin[0], 1);
  svf_table_free(table);
  svf_table_free(plain);
}

static void refusals(void **state) {
  (void)state;
  int32_t fold[4];
  svf_table *table = table_of(NULL, 4, 0), *one = table_of(NULL, 1, 0);
  assert_int_equal(svf_table_folds(table, 1, 0, fold, &message), SVF_USAGE);
  assert_int_equal(svf_table_folds(table, 5, 0, fold, &message), SVF_USAGE);
  assert_ok(svf_table_folds(table, 4, 0, fold, &message), &message);
  const double bad[] = {0, 1, -0.5, 1.5, NAN};
  for (size_t i = 0; i < 5; i++) assert_int_equal(svf_table_holdout(table, bad[i], 0, fold, &message), SVF_USAGE);
  assert_int_equal(svf_table_holdout(one, 0.5, 0, fold, &message), SVF_DATA);
  svf_table_free(table);
  svf_table_free(one);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(even_folds), cmocka_unit_test(inner_folds),
                                     cmocka_unit_test(holdouts), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
