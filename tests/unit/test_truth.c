/* test_truth.c - columns of true and false: numbers in a table, classes in a target, and categories of a model. */
#include "support/forest.h"
#include "data/read.h"
#include "data/truth.h"
#include "forest/forest.h"

static svf_message message;

static svf_table *parse(const char *text, const svf_encoding *like) {
  svf_bytes bytes = {(char *)(uintptr_t)text, strlen(text)};
  svf_read read = {.path = "data.csv", .like = like};
  svf_table *table;
  assert_ok(svf_csv_parse(&bytes, &read, &table, &message), &message);
  return table;
}

static void words(void **state) {
  (void)state;
  static const char *const others[] = {"", "t", "tru", "truely", "yes", "1", "f", "falsehood"};
  assert_int_equal(svf_truth_of("true"), 1);
  assert_int_equal(svf_truth_of("True"), 1);
  assert_int_equal(svf_truth_of("FALSE"), 0);
  assert_int_equal(svf_truth_of("fAlSe"), 0);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_int_equal(svf_truth_of(others[i]), -1);
}

static void are_numbers(void **state) {
  (void)state;
  svf_table *t = parse("a,b,c,y\nTrue,true,true,True\nFALSE,?,maybe,False\n,true,false,True\n", NULL);
  static const double a[] = {1, 0, NAN}, b[] = {1, NAN, 1};
  for (size_t i = 0; i < 3; i++) {
    double x = svf_table_number(t, i, 0), z = svf_table_number(t, i, 1);
    assert_true(isnan(a[i]) ? isnan(x) : x == a[i]);
    assert_true(isnan(b[i]) ? isnan(z) : z == b[i]);
  }
  assert_int_equal(t->column[0].levels.count, 0);
  assert_int_equal(t->column[2].levels.count, 3); /* one other word makes categories of them all */
  assert_int_equal(svf_table_task(t), SVF_TASK_CLASS);
  assert_string_equal(svf_table_class_name(t, 0), "False"); /* labels keep their spelling */
  assert_string_equal(svf_table_class_name(t, 1), "True");
  svf_table_free(t);
}

/* Every spelling at once, and more levels than there are spellings. */
static void many_levels(void **state) {
  (void)state;
  static char text[4096];
  size_t at = (size_t)sprintf(text, "a,y\n");
  for (unsigned bits = 0; bits < 48; bits++) {
    char word[] = "false";
    if (bits >= 32) strcpy(word, "true");
    for (unsigned c = 0; word[c]; c++)
      if (bits >> c & 1) word[c] = (char)(word[c] - 'a' + 'A');
    at += (size_t)sprintf(text + at, "%s,1\n", word);
  }
  svf_table *t = parse(text, NULL);
  for (size_t i = 0; i < 48; i++) assert_true(svf_table_number(t, i, 0) == (i >= 32));
  svf_table_free(t);
  at = (size_t)sprintf(text, "a,y\n");
  for (int i = 0; i < 100; i++) at += (size_t)sprintf(text + at, "true%d,1\n", i);
  t = parse(text, NULL);
  assert_int_equal(t->column[0].levels.count, 100);
  svf_table_free(t);
}

/* A model with categories True and False is asked for rows with numbers 1 and 0, and with any spelling of a label. */
static void for_model(void **state) {
  (void)state;
  static const char *const levels[] = {"False", "True", "other"}, *const classes[] = {"False", "True"};
  static const double x[] = {0, 1, NAN, 2};
  static const int32_t code[] = {0, 1, -1, 2}, label[] = {0, 1, 0, 1};
  svf_matrix matrix = {.values = x, .rows = 4, .columns = 1, .row_stride = 1, .column_stride = 1};
  const char *const names[] = {"a"};
  svf_table *table, *plain;
  assert_ok(svf_table_new(&matrix, names, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, code, levels, 3, &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  svf_settings *settings;
  svf_forest *forest;
  assert_ok(svf_settings_new("rf", &settings, &message), &message);
  assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
  assert_ok(svf_table_new(&matrix, names, &plain, &message), &message);
  double by_name[8], by_number[8];
  svf_prediction one = {.probabilities = by_name}, two = {.probabilities = by_number};
  assert_ok(svf_predict(forest, table, NULL, &one, &message), &message);
  assert_ok(svf_predict(forest, plain, NULL, &two, &message), &message);
  assert_memory_equal(by_name, by_number, 6 * sizeof *by_name);
  assert_int_equal(two.unseen, 1); /* the 2 */
  svf_table_free(plain);
  plain = parse("a,class\nTrue,TRUE\nFalse,true\nother,false\nother,no\n", &forest->encoding);
  assert_int_equal(plain->column[0].levels.count, 3); /* for this model they are categories */
  static const int32_t known[] = {1, 1, 0, -1};
  assert_memory_equal(svf_table_labels(plain), known, sizeof known);
  svf_table_free(plain);
  svf_table_free(table);
  svf_forest_free(forest);
  svf_settings_free(settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words),
      cmocka_unit_test(are_numbers),
      cmocka_unit_test(many_levels),
      cmocka_unit_test(for_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
