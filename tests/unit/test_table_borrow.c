/* test_table_borrow.c - a table that borrows its matrix gives what a copy of the matrix gives, whatever its layout. */
#include "support/forest.h"
#include "data/table.h"

enum { ROWS = 300, D = 4 };
static svf_message message;
static double full[ROWS * D * 2];
static float single[ROWS * D * 2];
static int32_t label[ROWS];
static const char *const classes[] = {"no", "yes"};

/* Every eleventh cell is missing. Halves, so that float and double hold the same. */
static double number(size_t i, size_t j) {
  if ((i * D + j) % 11 == 3) return NAN;
  return (double)((i * 37 + j * 101 + i * j) % 64) / 2 - 10;
}

/* The same numbers by rows, by columns, by rows from the end, with gaps; of either size. */
static svf_matrix lay_out(int layout, bool float32) {
  svf_matrix m = {.values = float32 ? (void *)single : (void *)full, .float32 = float32, .rows = ROWS, .columns = D};
  ptrdiff_t row[] = {D, 1, -D, 2 * D}, column[] = {1, ROWS, 1, 2};
  size_t start = layout == 2 ? (ROWS - 1) * D : 0, size = float32 ? sizeof(float) : sizeof(double);
  m.row_stride = row[layout];
  m.column_stride = column[layout];
  m.values = (const char *)m.values + start * size;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < D; j++) {
      ptrdiff_t at = (ptrdiff_t)start + (ptrdiff_t)i * m.row_stride + (ptrdiff_t)j * m.column_stride;
      if (float32) single[at] = (float)number(i, j);
      else full[at] = number(i, j);
    }
  for (size_t i = 0; i < ROWS; i++) label[i] = number(i, 0) + number(i, 1) > 0;
  return m;
}

static svf_forest *grow(svf_table *table) {
  svf_settings *settings;
  svf_forest *forest;
  assert_ok(svf_table_add_feature(table, "made=x1*x2", &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  assert_ok(svf_settings_new("rsvt-full", &settings, &message), &message);
  assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

static void same_answers(const svf_forest *forest, const svf_table *a, const svf_table *b) {
  static double left[ROWS * 2], right[ROWS * 2];
  svf_prediction one = {.probabilities = left}, two = {.probabilities = right};
  assert_ok(svf_predict(forest, a, NULL, &one, &message), &message);
  assert_ok(svf_predict(forest, b, NULL, &two, &message), &message);
  assert_memory_equal(left, right, sizeof left);
}

static void same_numbers(const svf_table *a, const svf_table *b) {
  const size_t rows[] = {7, 0, 7, ROWS - 1};
  svf_table *taken;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < D; j++) {
      double x = svf_table_number(a, i, j), y = svf_table_number(b, i, j);
      assert_true(x == y || (isnan(x) && isnan(y)));
    }
  assert_true(isnan(svf_table_number(b, ROWS, 0)));
  assert_ok(svf_table_take(b, rows, 4, &taken, &message), &message);
  for (size_t i = 0; i < 4; i++) {
    double x = svf_table_number(taken, i, 1), y = svf_table_number(a, rows[i], 1);
    assert_true(x == y || (isnan(x) && isnan(y)));
  }
  svf_table_free(taken);
}

static void same_model(void **state) {
  (void)state;
  for (int layout = 0; layout < 4; layout++)
    for (int float32 = 0; float32 < 2; float32++) {
      svf_matrix matrix = lay_out(layout, float32);
      svf_table *copy, *borrowed;
      assert_ok(svf_table_new(&matrix, NULL, &copy, &message), &message);
      assert_ok(svf_table_borrow(&matrix, NULL, &borrowed, &message), &message);
      assert_null(borrowed->column[0].number);
      same_numbers(copy, borrowed);
      svf_forest *one = grow(copy), *two = grow(borrowed);
      size_t size_one, size_two;
      const void *bytes_one = svf_forest_bytes(one, &size_one), *bytes_two = svf_forest_bytes(two, &size_two);
      assert_int_equal(size_one, size_two);
      assert_memory_equal(bytes_one, bytes_two, size_one);
      same_answers(one, copy, borrowed);
      svf_forest_free(one);
      svf_forest_free(two);
      svf_table_free(copy);
      svf_table_free(borrowed);
    }
}

/* Columns that lie apart, of both sizes and with a stride, are the columns of a matrix. */
static void columns_apart(void **state) {
  (void)state;
  svf_matrix matrix = lay_out(0, false), column[D];
  static float narrow[ROWS];
  const char *const names[] = {"x1", "x2", "x3", "x4"};
  const double nothing = NAN;
  svf_table *copy, *borrowed;
  for (size_t j = 0; j < D; j++)
    column[j] = (svf_matrix){.values = full + j, .rows = ROWS, .columns = 1, .row_stride = D, .column_stride = 1};
  for (size_t i = 0; i < ROWS; i++) narrow[i] = (float)number(i, 2);
  column[2] = (svf_matrix){.values = narrow, .float32 = 1, .rows = ROWS, .columns = 1, .row_stride = 1};
  assert_ok(svf_table_new(&matrix, names, &copy, &message), &message);
  assert_ok(svf_table_borrow_columns(column, D, names, &borrowed, &message), &message);
  assert_null(borrowed->column[2].number);
  same_numbers(copy, borrowed);
  svf_forest *one = grow(copy), *two = grow(borrowed);
  size_t size_one, size_two;
  const void *bytes_one = svf_forest_bytes(one, &size_one), *bytes_two = svf_forest_bytes(two, &size_two);
  assert_int_equal(size_one, size_two);
  assert_memory_equal(bytes_one, bytes_two, size_one);
  svf_table_free(borrowed);
  column[1] = (svf_matrix){.values = &nothing, .rows = ROWS, .columns = 1};
  assert_ok(svf_table_borrow_columns(column, D, NULL, &borrowed, &message), &message);
  assert_true(isnan(svf_table_number(borrowed, ROWS - 1, 1)));
  svf_forest_free(one);
  svf_forest_free(two);
  svf_table_free(copy);
  svf_table_free(borrowed);
}

static void refused_columns(void **state) {
  (void)state;
  lay_out(0, false);
  svf_matrix column[D];
  svf_table *table = (svf_table *)column;
  for (size_t j = 0; j < D; j++)
    column[j] = (svf_matrix){.values = full + j, .rows = ROWS, .columns = 1, .row_stride = D};
  full[7 * D + 2] = INFINITY;
  assert_int_equal(svf_table_borrow_columns(column, D, NULL, &table, &message), SVF_DATA);
  assert_null(table);
  assert_string_equal(message.text, "row 8, column 'x3': the value is infinite");
  column[3].rows = ROWS - 1;
  full[7 * D + 2] = 0;
  assert_int_equal(svf_table_borrow_columns(column, D, NULL, &table, &message), SVF_USAGE);
  assert_string_equal(message.text, "column 4 is a matrix of 299 x 1; it must be 300 x 1");
  assert_int_equal(svf_table_borrow_columns(column, 0, NULL, &table, &message), SVF_DATA);
  const char *const twice[] = {"a", "b", "a", "c"};
  assert_int_equal(svf_table_borrow_columns(column, D, twice, &table, &message), SVF_DATA);
}

/* Where the model knows categories, numbers are read as their names, borrowed ones too. */
static void categories(void **state) {
  (void)state;
  static const char *const levels[] = {"-10", "2.5", "other"}, *const names[] = {"a", "b", "c", "d"};
  svf_matrix matrix = lay_out(0, true);
  svf_table *table, *plain;
  int32_t code[ROWS];
  for (size_t i = 0; i < ROWS; i++) code[i] = number(i, 2) == -10 ? 0 : number(i, 2) == 2.5 ? 1 : 2;
  assert_ok(svf_table_borrow(&matrix, names, &table, &message), &message);
  assert_true(table->named);
  assert_ok(svf_table_set_categories(table, 2, code, levels, 3, &message), &message);
  assert_false(svf_column_numeric(&table->column[2]));
  assert_true(isnan(svf_table_number(table, 0, 2)));
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  svf_settings *settings;
  svf_forest *forest;
  assert_ok(svf_settings_new("rsvt", &settings, &message), &message);
  assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
  assert_ok(svf_table_borrow(&matrix, names, &plain, &message), &message);
  svf_prediction out = {0};
  size_t unseen = 0;
  for (size_t i = 0; i < ROWS; i++) unseen += code[i] == 2 && !isnan(number(i, 2));
  assert_ok(svf_predict(forest, plain, NULL, &out, &message), &message);
  assert_int_equal(out.unseen, unseen);
  svf_settings_free(settings);
  svf_forest_free(forest);
  svf_table_free(plain);
  svf_table_free(table);
}

static void refusals(void **state) {
  (void)state;
  for (int layout = 0; layout < 4; layout++)
    for (int float32 = 0; float32 < 2; float32++) {
      svf_matrix matrix = lay_out(layout, float32);
      ptrdiff_t at = 7 * matrix.row_stride + 2 * matrix.column_stride;
      svf_table *table = (svf_table *)&matrix;
      if (float32) ((float *)(uintptr_t)matrix.values)[at] = -INFINITY;
      else ((double *)(uintptr_t)matrix.values)[at] = -INFINITY;
      assert_int_equal(svf_table_borrow(&matrix, NULL, &table, &message), SVF_DATA);
      assert_null(table);
      assert_string_equal(message.text, "row 8, column 'x3': the value is infinite");
    }
  svf_table *table;
  const char *const twice[] = {"a", "b", "a", "c"};
  svf_matrix matrix = lay_out(0, false);
  assert_int_equal(svf_table_borrow(&matrix, twice, &table, &message), SVF_DATA);
  matrix.rows = 0;
  assert_int_equal(svf_table_borrow(&matrix, NULL, &table, &message), SVF_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_model), cmocka_unit_test(columns_apart), cmocka_unit_test(refused_columns),
      cmocka_unit_test(categories), cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
