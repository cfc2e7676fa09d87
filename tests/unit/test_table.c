/* test_table.c - tables from memory: copies, refusals, rows taken, CSV written. */
#include "support/test.h"
#include "base/number_text.h"
#include "data/names.h"

#include <unistd.h>

static svf_message message;

static svf_table *small_table(void) { /* a: 1 NaN 1e308, b: -1 0 5e-324 */
  static const double x[] = {1, -1, NAN, 0, 1e308, 5e-324};
  static const char *const names[] = {"a", "b"};
  svf_matrix matrix = {.values = x, .rows = 3, .columns = 2, .row_stride = 2, .column_stride = 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, names, &table, &message), &message);
  return table;
}

static void strides(void **state) {
  (void)state;
  const float x[] = {1, 2, 3, 4, 5, 6};
  svf_matrix turned = {.values = x, .float32 = 1, .rows = 2, .columns = 3, .row_stride = 1, .column_stride = 2};
  svf_matrix back = {.values = x + 5, .float32 = 1, .rows = 6, .columns = 1, .row_stride = -1, .column_stride = 1};
  svf_table *table;
  assert_ok(svf_table_new(&turned, NULL, &table, &message), &message);
  assert_int_equal(svf_table_rows(table), 2);
  assert_int_equal(svf_table_columns(table), 3);
  assert_close(svf_table_number(table, 1, 2), 6, 0);
  assert_close(svf_table_number(table, 0, 1), 3, 0);
  assert_true(isnan(svf_table_number(table, 2, 0)));
  assert_string_equal(svf_table_column_name(table, 2), "x3");
  assert_null(svf_table_column_name(table, 3));
  assert_false(table->named);
  assert_int_equal(svf_table_task(table), SVF_TASK_AUTO);
  assert_null(svf_table_target_name(table));
  svf_table_free(table);
  assert_ok(svf_table_new(&back, NULL, &table, &message), &message);
  assert_close(svf_table_number(table, 5, 0), 1, 0);
  svf_table_free(table);
  svf_table_free(NULL);
}

static void refused(const svf_matrix *matrix, const char *const *names, const char *words) {
  svf_table *table = (svf_table *)matrix;
  assert_int_equal(svf_table_new(matrix, names, &table, &message), SVF_DATA);
  assert_null(table);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void bad_matrices(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, -INFINITY};
  const char *const twice[] = {"a", "a"}, *const names[] = {"a", "b"};
  svf_matrix matrix = {.values = x, .rows = 2, .columns = 2, .row_stride = 2, .column_stride = 1};
  refused(&matrix, twice, "'a' occurs twice");
  refused(&matrix, names, "row 2, column 'b'");
  refused(&(svf_matrix){.values = x, .columns = 2}, NULL, "0 and 2");
  refused(&(svf_matrix){.values = x, .rows = 2}, NULL, "2 and 0");
  refused(&(svf_matrix){.values = x, .rows = SIZE_MAX, .columns = 1}, NULL, "at most");
}

static void targets(void **state) {
  (void)state;
  svf_table *table = small_table();
  int32_t labels[] = {1, 0, 1};
  const char *const names[] = {"no", "yes"}, *const twice[] = {"no", "no"};
  assert_ok(svf_table_set_classes(table, labels, names, 2, &message), &message);
  labels[0] = 7;
  assert_int_equal(svf_table_labels(table)[0], 1);
  assert_int_equal(svf_table_classes(table), 2);
  assert_string_equal(svf_table_class_name(table, 1), "yes");
  assert_null(svf_table_class_name(table, 2));
  assert_string_equal(svf_table_target_name(table), "class");
  assert_int_equal(svf_table_set_classes(table, labels, names, 2, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "row 1: code 7"));
  labels[0] = -1;
  assert_int_equal(svf_table_set_classes(table, labels, names, 2, &message), SVF_DATA);
  labels[0] = 0;
  assert_int_equal(svf_table_set_classes(table, labels, twice, 2, &message), SVF_DATA);
  assert_int_equal(svf_table_set_classes(table, labels, names, 0, &message), SVF_USAGE);
  assert_int_equal(svf_table_labels(table)[0], 1); /* what was refused changed nothing */
  assert_ok(svf_table_set_values(table, (double[]){1, 2, 3}, &message), &message);
  assert_int_equal(svf_table_task(table), SVF_TASK_REGRESS);
  assert_null(svf_table_labels(table));
  assert_int_equal(svf_table_classes(table), 0);
  assert_int_equal(svf_table_set_values(table, (double[]){1, NAN, 3}, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "row 2"));
  assert_close(svf_table_values(table)[1], 2, 0);
  svf_table_free(table);
}

static void target_name_is_free(void **state) {
  (void)state;
  const double x[] = {1, 2, 3};
  const char *const names[] = {"value_", "value", "class"};
  svf_matrix matrix = {.values = x, .rows = 1, .columns = 3, .row_stride = 3, .column_stride = 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, names, &table, &message), &message);
  assert_ok(svf_table_set_values(table, x, &message), &message);
  assert_string_equal(svf_table_target_name(table), "value__");
  svf_table_free(table);
}

static void weights(void **state) {
  (void)state;
  svf_table *table = small_table();
  assert_null(svf_table_weights(table));
  assert_ok(svf_table_set_weights(table, (double[]){0, 1, 2}, &message), &message);
  assert_close(svf_table_weights(table)[2], 2, 0);
  assert_int_equal(svf_table_set_weights(table, (double[]){0, 0, 0}, &message), SVF_DATA);
  assert_int_equal(svf_table_set_weights(table, (double[]){1, -1, 1}, &message), SVF_DATA);
  assert_int_equal(svf_table_set_weights(table, (double[]){1, 1, NAN}, &message), SVF_DATA);
  assert_int_equal(svf_table_set_weights(table, (double[]){1e308, 1e308, 1}, &message), SVF_DATA);
  svf_table_free(table);
}

static void categories_and_rows(void **state) {
  (void)state;
  svf_table *table = small_table(), *taken;
  const char *const names[] = {"red", "blue"};
  assert_ok(svf_table_set_categories(table, 0, (int32_t[]){1, -1, 0}, names, 2, &message), &message);
  assert_int_equal(svf_table_set_categories(table, 0, (int32_t[]){1, -2, 0}, names, 2, &message), SVF_DATA);
  assert_int_equal(svf_table_set_categories(table, 0, (int32_t[]){1, 2, 0}, names, 2, &message), SVF_DATA);
  assert_int_equal(svf_table_set_categories(table, 2, (int32_t[]){1, 1, 0}, names, 2, &message), SVF_USAGE);
  assert_true(isnan(svf_table_number(table, 0, 0)));
  assert_ok(svf_table_set_classes(table, (int32_t[]){2, 1, 2}, (const char *const[]){"a", "b", "c"}, 3, &message),
            &message);
  assert_ok(svf_table_set_weights(table, (double[]){1, 2, 3}, &message), &message);
  assert_ok(svf_table_take(table, (size_t[]){2, 0, 2, 2}, 4, &taken, &message), &message);
  assert_int_equal(svf_table_rows(taken), 4);
  assert_int_equal(taken->column[0].code[0], 0);
  assert_int_equal(taken->column[0].code[1], 1);
  assert_string_equal(taken->column[0].levels.text[1], "blue");
  assert_int_equal(svf_table_classes(taken), 3);
  assert_int_equal(svf_table_labels(taken)[1], 2);
  assert_close(svf_table_weights(taken)[3], 3, 0);
  assert_true(taken->named);
  svf_table_free(taken);
  assert_int_equal(svf_table_take(table, (size_t[]){3}, 1, &taken, &message), SVF_USAGE);
  assert_null(taken);
  assert_int_equal(svf_table_take(table, NULL, 0, &taken, &message), SVF_USAGE);
  svf_table_free(table);
}

static void written(void **state) {
  (void)state;
  static const char expected[] = "\"a,\"\"b\",b,class\n"
                                 "\"two\nlines\",-1,yes\n"
                                 "NA,0,\"\"\n"
                                 "\" x\",5e-324,yes\n";
  svf_table *table = small_table();
  free(table->column[0].name);
  table->column[0].name = strdup("a,\"b");
  const char *const names[] = {" x", "two\nlines"}, *const classes[] = {"", "yes"};
  assert_ok(svf_table_set_categories(table, 0, (int32_t[]){1, -1, 0}, names, 2, &message), &message);
  assert_ok(svf_table_set_classes(table, (int32_t[]){1, 0, 1}, classes, 2, &message), &message);
  char path[] = "svf-test-table-XXXXXX", text[256];
  close(mkstemp(path));
  assert_ok(svf_table_write(table, path, &message), &message);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  unlink(path);
  assert_string_equal(text, expected);
  if (access("/dev/full", W_OK) == 0) assert_int_equal(svf_table_write(table, "/dev/full", &message), SVF_IO);
  svf_table_free(table);
}

static void many_names(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  static char text[COUNT][SVF_NUMBER_TEXT];
  static char *list[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    svf_number_text((double)(i * 7919 % COUNT), text[i]);
    list[i] = text[i];
  }
  svf_names names = {list, COUNT};
  svf_name_index index;
  assert_true(svf_name_index_make(list, COUNT, &index));
  assert_null(svf_name_index_twice(&index));
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(svf_name_index_find(&index, list[i]), i);
    if (i % 100 == 0) assert_int_equal(svf_names_find(&names, list[i], strlen(list[i])), i);
  }
  assert_int_equal(svf_name_index_find(&index, "3001"), -1);
  assert_int_equal(svf_name_index_find(&index, ""), -1);
  assert_int_equal(svf_names_find(&names, "17x", 2), svf_name_index_find(&index, "17"));
  svf_name_index_free(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strides), cmocka_unit_test(bad_matrices),
                                     cmocka_unit_test(targets), cmocka_unit_test(target_name_is_free),
                                     cmocka_unit_test(weights), cmocka_unit_test(categories_and_rows),
                                     cmocka_unit_test(written), cmocka_unit_test(many_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
