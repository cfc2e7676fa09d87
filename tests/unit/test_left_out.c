/* test_left_out.c - columns of names and ids: left out with a remark, and asked for no more. */
#include "support/forest.h"
#include "forest/forest.h"
#include "forest/file/image.h"

enum { N = 200, TEXT = 12 };

static svf_message message;
static char names[N][TEXT];
static const char *text[N];

/* A number, and text of which `distinct` values are there; the last `missing` rows have none. */
static svf_table *make(size_t distinct, size_t missing, bool classes) {
  static const char *const label[] = {"no", "yes"};
  double x[2 * N], value[N];
  int32_t code[N], class[N];
  svf_random random = svf_random_at((svf_place){.seed = distinct});
  svf_table *table;
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], TEXT, "id%zu", i), text[i] = names[i];
    x[2 * i] = svf_random_normal(&random), x[2 * i + 1] = 0;
    value[i] = x[2 * i] + svf_random_normal(&random);
    class[i] = value[i] > 0;
    code[i] = i + missing >= N ? -1 : (int32_t)(i * 7 % N % distinct);
  }
  svf_matrix matrix = {.values = x, .rows = N, .columns = 2, .row_stride = 2, .column_stride = 1};
  static const char *const columns[] = {"x", "name"};
  assert_ok(svf_table_new(&matrix, columns, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 1, code, text, N, &message), &message);
  if (classes) assert_ok(svf_table_set_classes(table, class, label, 2, &message), &message);
  else assert_ok(svf_table_set_values(table, value, &message), &message);
  return table;
}

/* The column alone in another form: numbers. columns: 1 leaves the names away. */
static svf_table *make_other(size_t columns) {
  double x[2 * N];
  svf_random random = svf_random_at((svf_place){.seed = 1});
  static const char *const name[] = {"x", "name"};
  svf_table *table;
  for (size_t i = 0; i < N; i++) x[2 * i] = svf_random_normal(&random), x[2 * i + 1] = i % 3 ? (double)i : NAN;
  svf_matrix matrix = {.values = x, .rows = N, .columns = columns, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, name, &table, &message), &message);
  return table;
}

static void note(void *user, const char *remark) {
  size_t *count = user;
  *count += strstr(remark, "column 'name': nearly every row has a text of its own") != NULL;
}

/* Is the column left out? */
static bool is_left_out(const char *method, const char *pairs, const svf_table *table) {
  size_t remarks = 0;
  svf_run run = {.threads = 1, .remark = note, .user = &remarks};
  svf_settings *settings = test_settings(method, pairs);
  svf_forest *forest;
  assert_ok(svf_train(settings, table, &run, &forest, &message), &message);
  bool left_out = svf_forest_is_left_out(forest, 1);
  assert_int_equal(remarks, left_out);
  assert_int_equal(svf_forest_categories(forest, 1) == 0, left_out);
  assert_false(svf_forest_is_left_out(forest, 0) || svf_forest_is_left_out(forest, 2));
  svf_forest_free(forest);
  svf_settings_free(settings);
  return left_out;
}

static void threshold(void **state) {
  (void)state;
  struct {
    size_t distinct, missing;
    const char *pairs;
    bool left_out;
  } tries[] = {{N, 0, "trees=1", true},
               {N * 9 / 10, 0, "trees=1", false},
               {N * 9 / 10 + 1, 0, "trees=1", true},
               {N * 9 / 10 + 1, 0, "trees=1 name_levels=0.95", false},
               {30, 0, "trees=1 name_levels=0.1", true},
               {N, 0, "trees=1 name_levels=1", false},
               {N, N - 20, "trees=1", true},
               {N, N - 19, "trees=1", false}, /* too few to tell */
               {N, N, "trees=1", false}};
  for (size_t t = 0; t < sizeof tries / sizeof *tries; t++)
    for (int classes = 0; classes < 2; classes++) {
      svf_table *table = make(tries[t].distinct, tries[t].missing, classes);
      assert_int_equal(is_left_out("rf", tries[t].pairs, table), tries[t].left_out);
      assert_int_equal(is_left_out("tbrf-l", tries[t].pairs, table), tries[t].left_out);
      svf_table_free(table);
    }
}

static void same_answers(const svf_forest *a, const svf_table *of_a, const svf_forest *b, const svf_table *of_b) {
  double one[N], two[N];
  svf_prediction first = {.values = one}, second = {.values = two};
  assert_ok(svf_predict(a, of_a, NULL, &first, &message), &message);
  assert_ok(svf_predict(b, of_b, NULL, &second, &message), &message);
  assert_memory_equal(one, two, sizeof one);
  assert_int_equal(first.unseen + second.unseen, 0);
}

/* The answers are those of a table with other names, with numbers there or without the column; from rows one by one, and from
 * the file. */
static void asked(void **state) {
  (void)state;
  static const char *const methods[] = {"rf", "et", "ccf", "rsvt", "linear-svm", "tbrf-g", "ls-svm", "boost"};
  svf_table *table = make(N, 0, true), *numbers = make_other(2), *without = make_other(1);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    svf_forest *forest = test_train(methods[m], "", table, 2), *loaded;
    size_t size;
    const void *bytes = svf_forest_bytes(forest, &size);
    assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
    assert_true(svf_forest_is_left_out(loaded, 1));
    same_answers(forest, table, loaded, table);
    same_answers(forest, numbers, loaded, without);
    svf_predictor *predictor;
    assert_ok(svf_predictor_new(loaded, &predictor, &message), &message);
    double all[N], one[1];
    svf_prediction every = {.values = all}, single = {.values = one};
    assert_ok(svf_predict(forest, numbers, NULL, &every, &message), &message);
    for (size_t i = 0; i < N; i++) {
      double row[] = {svf_table_number(numbers, i, 0), i % 2 ? NAN : 1e9};
      assert_ok(svf_predictor_row(predictor, row, &single, &message), &message);
      assert_true(one[0] == all[i]);
    }
    svf_predictor_free(predictor);
    svf_forest_free(loaded);
    svf_forest_free(forest);
  }
  svf_table_free(without);
  svf_table_free(numbers);
  svf_table_free(table);
}

/* A file whose column of names has anything in it is refused. */
static void spoilt(void **state) {
  (void)state;
  svf_table *table = make(N, 0, true);
  svf_forest *forest = test_train("rf", "trees=2", table, 1), *again;
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  unsigned char *copy = malloc(size);
  assert_non_null(copy);
  for (int part = 0; part < 4; part++) {
    memcpy(copy, bytes, size);
    svf_column_record *record = (svf_column_record *)svf_section_data(copy, SVF_COLS) + (part == 3 ? 0 : 1);
    if (part == 0) record->scale = 1;
    else if (part == 1) record->shift = 1;
    else if (part == 2) record->fill = 1;
    else record->level = SVF_ROLE_LEFT_OUT; /* the number, which has a scale */
    svf_image_seal(copy, size);
    assert_int_equal(svf_forest_from_bytes(copy, size, &again, &message), SVF_DATA);
    assert_non_null(strstr(message.text, "do not fit its columns"));
  }
  free(copy);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threshold), cmocka_unit_test(asked), cmocka_unit_test(spoilt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
