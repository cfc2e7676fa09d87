/* test_libsvm.c - LIBSVM texts to tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "data/read.h"

static svf_message message;

static svf_status parse(const char *text, svf_read_options options, const svf_encoding *like, svf_table **table) {
  svf_bytes bytes = {(char *)text, strlen(text)};
  svf_read read = {.path = "data.svm", .options = &options, .like = like};
  return svf_libsvm_parse(&bytes, &read, table, &message);
}

static svf_table *good_like(const char *text, svf_read_options options, const svf_encoding *like) {
  svf_table *table;
  if (parse(text, options, like, &table)) fail_msg("refused: %s\n%s", message.text, text);
  return table;
}

static svf_table *good(const char *text) { return good_like(text, (svf_read_options){0}, NULL); }

static void bad(const char *text, const char *words) {
  svf_table *table;
  assert_int_equal(parse(text, (svf_read_options){0}, NULL, &table), SVF_DATA);
  assert_null(table);
  if (!strstr(message.text, words)) fail_msg("%s\ninstead of %s", message.text, words);
}

static void from_one(void **state) {
  (void)state;
  svf_table *t = good("# a comment\n+1 1:0.5 3:-2 # another\r\n-1\n\n -1\t2:1e3  3:nan \n");
  assert_int_equal(t->n, 3);
  assert_int_equal(t->d, 3);
  assert_true(t->named);
  assert_string_equal(t->column[0].name, "x1");
  assert_string_equal(t->column[2].name, "x3");
  assert_string_equal(t->target_name, "label");
  assert_int_equal(t->task, SVF_TASK_CLASS);
  assert_string_equal(t->classes.text[0], "-1");
  assert_int_equal(t->label[0], 1);
  assert_true(t->column[0].number[0] == 0.5 && t->column[1].number[0] == 0 && t->column[2].number[0] == -2);
  assert_true(t->column[0].number[1] == 0 && t->column[1].number[2] == 1000 && isnan(t->column[2].number[2]));
  svf_table_free(t);
}

static void from_zero(void **state) {
  (void)state;
  svf_table *t = good("1.5 1:1 2:2\n2.5 0:7\n");
  assert_int_equal(t->d, 3);
  assert_string_equal(t->column[0].name, "x0");
  assert_true(t->column[0].number[1] == 7 && t->column[1].number[0] == 1 && t->column[2].number[0] == 2);
  assert_int_equal(t->task, SVF_TASK_REGRESS);
  assert_true(t->value[1] == 2.5);
  svf_table_free(t);
}

static void refusals(void **state) {
  (void)state;
  bad("", "data.svm: the file is empty");
  bad("# nothing\n", "data.svm: there is no row of data");
  bad("1 1:1\n1 2:1 2:3\n", "data.svm:2: '2:3': indices must ascend");
  bad("1 1:1\n\n1 2:1 1:3\n", "data.svm:3: '1:3': indices must ascend");
  bad("1,2 1:1\n", "data.svm:1: '1,2': a row with several labels");
  bad("1 qid:3 1:1\n", "data.svm:1: 'qid:3': ranking groups");
  bad("1:1 2:1\n", "data.svm:1: '1:1': the row has no label");
  bad("x 2:1\n", "a label must be a number");
  bad("1 2:1 3:inf\n", "data.svm:1: '3:inf': the value is infinite");
  bad("1 2:1e999\n", "the value is infinite or too large");
  bad("inf 2:1\n", "the label is infinite");
  bad("1 2:1\nnan 2:1\n", "data.svm:2: column 'label': the target is missing");
  bad("1 2:\n", "the value must be a number");
  bad("1 2: 3\n", "index:value is expected");
  bad("1 2:1x\n", "the value must be a number");
  bad("1 2\n", "index:value is expected");
  bad("1 -2:1\n", "index:value is expected");
  bad("1 99999999999999999999:1\n", "data.svm:1: '99999999999999999999:1': the index is too large");
  bad("1 10000000000:1\n", "the index is too large");
  bad("1\n2\n", "no column is left");
}

static void too_wide(void **state) {
  (void)state;
  svf_table *table;
  svf_read_options limit = {.memory_limit = (size_t)8 << 30};
  assert_int_equal(parse("1 2000000000:1\n", limit, NULL, &table), SVF_MEMORY);
  assert_non_null(strstr(message.text, "data.svm: a table of 1 rows and 2000000001 columns would need"));
}

static char *classes[] = {(char *)"-1", (char *)"1"};

static void for_model(void **state) {
  (void)state;
  svf_feature features[] = {{.name = "x1"}, {.name = "x2"}};
  svf_encoding like = {.features = 2,
                       .feature = features,
                       .task = SVF_TASK_CLASS,
                       .target_name = (char *)"label",
                       .classes = {classes, 2}};
  const char *drop[] = {"label"};
  svf_read_options none = {0}, unlabelled = {.drop = drop, .drop_count = 1};
  svf_table *t = good_like("1 2:5 9:1\n3\nnan 1:1\n", none, &like); /* index 9 is none of the model's */
  assert_int_equal(t->d, 2);
  assert_true(t->column[1].number[0] == 5);
  assert_int_equal(t->label[0], 1);
  assert_int_equal(t->label[1], -1);
  assert_int_equal(t->label[2], -1);
  svf_table_free(t);
  t = good_like("0 2:5\n", unlabelled, &like);
  assert_int_equal(t->task, SVF_TASK_AUTO);
  svf_table_free(t);
  t = good_like("1 0:4 1:5\n", none, &like); /* a 0 says that it counts from there */
  assert_true(t->column[0].number[0] == 4 && t->column[1].number[0] == 5);
  svf_table_free(t);
  features[0].name = "x0";
  features[1].name = "x1";
  t = good_like("1 1:5\n", none, &like); /* and so does the model */
  assert_true(t->column[0].number[0] == 0 && t->column[1].number[0] == 5);
  svf_table_free(t);
}

static bool is(const svf_table *table, size_t j, const char *name, double first) {
  return strcmp(table->column[j].name, name) == 0 && table->column[j].number[0] == first;
}

/* A model of x1 and x3: what it was not trained on may be there or not, and is no feature of it. */
static void for_model_by_name(void **state) {
  (void)state;
  svf_feature features[] = {{.name = "x1"}, {.name = "x3"}};
  svf_encoding like = {.features = 2,
                       .feature = features,
                       .named = true,
                       .task = SVF_TASK_CLASS,
                       .target_name = (char *)"label",
                       .classes = {classes, 2}};
  const char *two[] = {"x2"}, *four[] = {"4"}, *label[] = {"label"};
  const svf_read_options options[] = {{0}, {.drop = two, .drop_count = 1}, {.drop = four, .drop_count = 1}};
  for (size_t i = 0; i < 3; i++) {
    svf_table *t = good_like("1 1:4 2:5 3:6 9:1\n-1 1:1\n", options[i], &like);
    assert_int_equal(t->d, i == 1 ? 2 : 3);
    assert_true(t->named && is(t, 0, "x1", 4) && is(t, t->d - 1, "x3", 6));
    assert_int_equal(t->label[0], 1);
    svf_table_free(t);
  }
  svf_table *t = good_like("1 0:3 1:4\n", options[0], &like); /* short, and with an x0 */
  assert_true(t->d == 4 && is(t, 1, "x1", 4) && is(t, 3, "x3", 0));
  svf_table_free(t);
  t = good_like("1 1:4\n", (svf_read_options){.drop = label, .drop_count = 1}, &like);
  assert_int_equal(t->task, SVF_TASK_AUTO);
  svf_table_free(t);
  like.target_name = (char *)"class"; /* of a CSV file: still the label here */
  t = good_like("1 1:4\n", options[0], &like);
  assert_string_equal(t->target_name, "label");
  svf_table_free(t);
  features[1].name = "label";
  like.target_name = (char *)"x5";
  t = good_like("7 1:4 5:1\n", options[0], &like);
  assert_true(t->d == 5 && is(t, 4, "label", 7) && t->label[0] == 1);
  svf_table_free(t);
  features[1].name = "age"; /* nothing here is called so: by position */
  t = good_like("1 1:4 2:5 3:6\n", options[0], &like);
  assert_true(!t->named && t->d == 2 && is(t, 1, "x2", 5) && t->label[0] == 1);
  svf_table_free(t);
}

static void roles(void **state) {
  (void)state;
  const char *drop[] = {"x2"};
  svf_table *t = good_like("1 1:1 2:2 3:3\n2 1:2 2:2 3:4\n",
                           (svf_read_options){.drop = drop, .drop_count = 1, .weight = "1"}, NULL);
  assert_int_equal(t->d, 1);
  assert_string_equal(t->column[0].name, "x3");
  assert_true(t->weight[1] == 2);
  svf_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_one), cmocka_unit_test(from_zero), cmocka_unit_test(refusals),
      cmocka_unit_test(too_wide), cmocka_unit_test(for_model), cmocka_unit_test(for_model_by_name),
      cmocka_unit_test(roles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
