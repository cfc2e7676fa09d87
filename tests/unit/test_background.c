/* test_background.c - the rows that a model keeps for explanations: which they are, in the file, in merged models and in
 * committees. */
#include "support/mixed.h"
#include "forest/file/image.h"

static svf_message message;

static svf_table *table_of(size_t n) {
  return test_mixed(&(mixed){.n = n, .classes = 2, .missing = true, .seed = 4});
}

/* Every kept row is one of the table, in its order; returns how many. */
static size_t rows_are_of(const svf_forest *forest, const svf_table *table) {
  size_t at = 0, d = table->d;
  for (size_t b = 0; b < forest->parts.backgrounds; b++, at++) {
    const double *row = forest->parts.background + b * d;
    for (bool same = false; !same; at += !same) {
      assert_true(at < table->n);
      same = true;
      for (size_t j = 0; j < d; j++) {
        const svf_column *c = &table->column[j];
        double x = c->code ? c->code[at] < 0 ? (double)NAN : c->code[at] : c->number[at];
        same &= isnan(x) ? isnan(row[j]) : x == row[j];
      }
    }
  }
  return forest->parts.backgrounds;
}

static void drawn(void **state) {
  (void)state;
  svf_table *table = table_of(40);
  static const struct {
    const char *pairs;
    size_t rows;
  } cases[] = {
      {"trees=1", 0}, {"trees=1 background=1", 1}, {"trees=1 background=15", 15}, {"trees=1 background=90", 40}};
  for (size_t i = 0; i < 4; i++) {
    svf_forest *forest = test_train("rf", cases[i].pairs, table, 1);
    assert_int_equal(rows_are_of(forest, table), cases[i].rows);
    svf_forest_free(forest);
  }
  svf_forest *one = test_train("rf", "trees=1 background=15 seed=1", table, 1);
  svf_forest *other = test_train("rf", "trees=1 background=15 seed=2", table, 1);
  size_t bytes = 15 * table->d * sizeof(double);
  assert_memory_not_equal(one->parts.background, other->parts.background, bytes);
  svf_forest_free(one);
  svf_forest_free(other);
  svf_table_free(table);
}

/* An explanation by kept rows is that by a table of them. */
static void explains(const svf_forest *forest, const svf_table *table, size_t n) {
  svf_table *kept;
  double own[64], given[64];
  svf_explanation e = {.contributions = own};
  svf_matrix none = {.values = forest->parts.background,
                     .rows = n,
                     .columns = table->d,
                     .row_stride = (ptrdiff_t)table->d,
                     .column_stride = 1};
  assert_ok(svf_table_new(&none, NULL, &kept, &message), &message);
  int32_t code[8];
  for (size_t j = 4; j < 6; j++) {
    for (size_t i = 0; i < n; i++) {
      double x = forest->parts.background[i * table->d + j];
      code[i] = isnan(x) ? -1 : (int32_t)x;
    }
    const svf_names *levels = &table->column[j].levels;
    assert_ok(svf_table_set_categories(kept, j, code, (const char *const *)levels->text, levels->count, &message),
              &message);
  }
  size_t row[] = {3, 1, 4};
  svf_table *rows;
  assert_ok(svf_table_take(table, row, 3, &rows, &message), &message);
  assert_ok(svf_explain(forest, rows, NULL, &e, &message), &message);
  assert_int_equal(e.background_rows, n);
  e.background = kept;
  e.contributions = given;
  assert_ok(svf_explain(forest, rows, NULL, &e, &message), &message);
  assert_memory_equal(own, given, 3 * table->d * sizeof(double));
  svf_table_free(kept);
  svf_table_free(rows);
}

static void kept(void **state) {
  (void)state;
  svf_table *table = table_of(40);
  svf_forest *forest = test_train("rf", "trees=3 background=5", table, 2);
  explains(forest, table, 5);
  svf_forest_free(forest);
  forest = test_train("auto", "effort=1 background=5", table, 2);
  assert_int_equal(rows_are_of(forest, table), 5);
  explains(forest, table, 5);
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  svf_forest *again;
  assert_ok(svf_forest_from_bytes(bytes, size, &again, &message), &message);
  assert_int_equal(rows_are_of(again, table), 5);
  svf_forest_free(forest);
  svf_forest_free(again);
  svf_table_free(table);
}

/* Parts have the same rows, and so has the whole. */
static void merged(void **state) {
  (void)state;
  svf_table *table = table_of(40);
  const svf_forest *part[] = {test_train("rf", "trees=1 background=5", table, 1),
                              test_train("rf", "trees=1 first_tree=1 background=5", table, 1)};
  svf_forest *whole = test_train("rf", "trees=2 background=5", table, 1), *joined;
  assert_ok(svf_forest_merge(part, 2, &joined, &message), &message);
  assert_int_equal(whole->size, joined->size);
  assert_memory_equal(whole->image, joined->image, whole->size);
  svf_forest_free((svf_forest *)part[0]);
  svf_forest_free((svf_forest *)part[1]);
  svf_forest_free(whole);
  svf_forest_free(joined);
  svf_table_free(table);
}

static void refused(unsigned char *bytes, size_t size, const char *words) {
  svf_forest *forest;
  svf_image_seal(bytes, size);
  assert_int_equal(svf_forest_from_bytes(bytes, size, &forest, &message), SVF_DATA);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

/* A cell that cannot be, and settings that speak of other rows. */
static void spoilt(void **state) {
  (void)state;
  svf_table *table = table_of(40);
  svf_forest *forest = test_train("rf", "trees=1 background=5", table, 1), *fine;
  size_t size = forest->size;
  unsigned char *bytes = malloc(size);
  double *cell = (double *)(void *)(bytes + ((const unsigned char *)forest->parts.background - forest->image));
  static const struct {
    int at;
    double x;
  } bad[] = {{0, INFINITY}, {4, 5}, {4, -1}, {4, .5}, {5, 2}, {10, 1e300}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    memcpy(bytes, forest->image, size);
    cell[bad[i].at] = bad[i].x;
    refused(bytes, size, "a background row is wrong");
  }
  memcpy(bytes, forest->image, size);
  cell[0] = 1e300;
  svf_image_seal(bytes, size);
  assert_ok(svf_forest_from_bytes(bytes, size, &fine, &message), &message);
  svf_forest_free(fine);
  memcpy(bytes, forest->image, size);
  char *setting = strstr((char *)svf_section_data(bytes, SVF_SETT), "background=5");
  assert_non_null(setting);
  setting[11] = '6';
  refused(bytes, size, "not as many");
  free(bytes);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drawn), cmocka_unit_test(kept), cmocka_unit_test(merged),
                                     cmocka_unit_test(spoilt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
