/* test_dates.c - columns of dates: from CSV and memory into a table, into a model, and asked. */
#include "support/forest.h"
#include "data/date.h"
#include "data/dates.h"
#include "data/read.h"
#include "forest/forest.h"

static svf_message message;

static svf_status read_text(const char *text, const svf_encoding *like, svf_table **table) {
  svf_bytes bytes = {(char *)(uintptr_t)text, strlen(text)};
  svf_read read = {.path = "data.csv", .like = like};
  return svf_csv_parse(&bytes, &read, table, &message);
}

static svf_table *parse(const char *text) {
  svf_table *table;
  assert_ok(read_text(text, NULL, &table), &message);
  return table;
}

static void refused(svf_status status, const char *why) {
  if (status == SVF_OK || !strstr(message.text, why)) fail_msg("%d: '%s', not '%s'", status, message.text, why);
}

static void from_text(void **state) {
  (void)state;
  svf_table *t = parse("a,b,c,d,y\n1970-01-03,NaT,20240131,x,p\n?,1970-01-01 06:00+06:00,20240201,1970-01-01,q\n");
  svf_message remark;
  assert_true(svf_table_is_date(t, 0) && svf_table_is_date(t, 1) && !svf_table_is_date(t, 2));
  assert_true(svf_table_number(t, 0, 0) == 2 && isnan(svf_table_number(t, 1, 0)));
  assert_true(isnan(svf_table_number(t, 0, 1)) && svf_table_number(t, 1, 1) == 0);
  assert_true(svf_table_number(t, 0, 2) == 20240131); /* digits alone are a number */
  assert_int_equal(t->column[3].levels.count, 2);
  assert_false(svf_table_remark(t, 0, &remark)); /* as many others as dates: not meant as dates */
  svf_table_free(t);
  t = parse("a,y\nNaT,p\nnat,q\n"); /* no date at all */
  assert_int_equal(t->column[0].levels.count, 2);
  svf_table_free(t);
}

/* One cell in ten may be broken: then the first is named, with its line and how many there are. */
static void broken(void **state) {
  (void)state;
  for (int wrong = 1; wrong <= 3; wrong++) {
    char text[1024] = "when,y\n\n";
    for (int i = 0; i < 20; i++) {
      size_t at = strlen(text);
      snprintf(text + at, sizeof text - at, i % 5 == 2 && i < 5 * wrong ? "2023-02-%02d,p\n" : "2024-02-%02d,q\n",
               i % 5 == 2 ? 29 : i + 1);
    }
    svf_message remark;
    svf_table *t = parse(text);
    assert_true(t->column[0].code && !svf_table_is_date(t, 0));
    assert_int_equal(svf_table_remark(t, 0, &remark), wrong <= 2);
    if (wrong == 2)
      assert_string_equal(
          remark.text,
          "data.csv:5: column 'when': '2023-02-29' is not a date. All but 2 of 20 cells are dates, but the "
          "column is now taken as categories; correct the others or leave them blank");
    assert_int_equal(svf_table_remark(t, 1, &remark), 0);
    svf_table_free(t);
  }
}

static void as_target(void **state) {
  (void)state;
  svf_table *table;
  refused(read_text("a,when\n1,2024-01-31\n2,2024-02-29\n", NULL, &table),
          "data.csv:2: column 'when': the target is a date; make it a number");
  table = parse("a,when\n1,2024-01-31\n2,later\n"); /* words, among them one that is a date */
  assert_int_equal(svf_table_classes(table), 2);
  svf_table_free(table);
}

/* n rows of a number, and a date some hours after the one before; the class is yes on Saturdays and Sundays. */
static svf_table *days_table(size_t n, double step, bool marked) {
  static const char *const names[] = {"x", "when"}, *const classes[] = {"no", "yes"};
  double *cell = test_calloc(2 * n, sizeof *cell);
  int32_t *label = test_calloc(n, sizeof *label);
  for (size_t i = 0; i < n; i++) {
    cell[2 * i] = (double)(i * 7 % 11);
    cell[2 * i + 1] = i % 17 == 3 ? NAN : 18000 + step * (double)i;
    label[i] = isnan(cell[2 * i + 1]) ? 0 : svf_date_moment(cell[2 * i + 1]).weekday > 5;
  }
  svf_matrix matrix = {.values = cell, .rows = n, .columns = 2, .row_stride = 2, .column_stride = 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, names, &table, &message), &message);
  if (marked) assert_ok(svf_table_set_dates(table, 1, &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  test_free(cell);
  test_free(label);
  return table;
}

static svf_forest *train(const char *method, const svf_table *table) {
  svf_settings *settings;
  svf_forest *forest;
  assert_ok(svf_settings_new(method, &settings, &message), &message);
  assert_ok(svf_settings_set(settings, "trees", "3", &message), &message);
  assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

/* Only what varies is encoded; and each part is what the calendar has. */
static void encoded(void **state) {
  (void)state;
  static const struct {
    double step;
    uint32_t width;
    int32_t role[4];
  } cases[] = {{0, 1, {SVF_ROLE_DAYS}},
               {.01, 3, {SVF_ROLE_DAYS, SVF_ROLE_WEEKDAY, SVF_ROLE_HOUR}},
               {.001, 2, {SVF_ROLE_DAYS, SVF_ROLE_HOUR}},
               {7, 2, {SVF_ROLE_DAYS, SVF_ROLE_MONTH}},
               {1, 3, {SVF_ROLE_DAYS, SVF_ROLE_MONTH, SVF_ROLE_WEEKDAY}},
               {1.3, 4, {SVF_ROLE_DAYS, SVF_ROLE_MONTH, SVF_ROLE_WEEKDAY, SVF_ROLE_HOUR}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    svf_table *table = days_table(200, cases[k].step, true);
    svf_encoding encoding;
    svf_frame frame;
    svf_coding coding = {.scale = SVF_SCALE_NONE};
    assert_ok(svf_encoding_learn(table, &coding, NULL, &encoding, &message), &message);
    assert_int_equal(encoding.feature[1].width, cases[k].width);
    assert_true(encoding.feature[1].date && !encoding.feature[0].date);
    assert_ok(svf_encode(&encoding, table, NULL, &frame, &message), &message);
    for (size_t i = 0; i < table->n; i++) {
      float x[8];
      double row[] = {svf_table_number(table, i, 0), svf_table_number(table, i, 1)};
      svf_moment m = isnan(row[1]) ? (svf_moment){0} : svf_date_moment(row[1]);
      double want[] = {row[1], m.month, m.weekday, m.hour};
      for (uint32_t c = 0; c < cases[k].width; c++) {
        float got = frame.x[i * frame.stride + 1 + c];
        assert_int_equal(encoding.column[1 + c].level, cases[k].role[c]);
        assert_int_equal(frame.origin[1 + c], 1);
        if (isnan(row[1])) assert_true(isnan(got));
        else assert_true(got == (float)want[SVF_ROLE_DAYS - cases[k].role[c]]);
      }
      assert_int_equal(svf_encode_row(&encoding, row, x), 0);
      assert_memory_equal(x, &frame.x[i * frame.stride], encoding.columns * sizeof *x);
    }
    svf_frame_free(&frame);
    svf_encoding_free(&encoding);
    svf_table_free(table);
  }
}

/* The same answers from the table, from its rows one by one, as CSV with the dates as text, and from the saved model. */
static void asked(void **state) {
  (void)state;
  static const char *const methods[] = {"rf", "ccf", "rsvt", "linear-svm", "vp-svm"};
  svf_table *table = days_table(300, 1.25, true), *back;
  assert_ok(svf_table_write(table, "dates.csv", &message), &message);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    svf_forest *forest = train(methods[k], table), *loaded;
    size_t size;
    const void *bytes = svf_forest_bytes(forest, &size);
    assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
    svf_read_options options = {.model = loaded};
    assert_ok(svf_table_read("dates.csv", &options, &back, &message), &message);
    double one[300], two[300], three[1];
    svf_prediction a = {.values = one}, b = {.values = two}, c = {.values = three};
    assert_ok(svf_predict(forest, table, NULL, &a, &message), &message);
    assert_ok(svf_predict(loaded, back, NULL, &b, &message), &message);
    assert_memory_equal(one, two, sizeof one);
    svf_predictor *predictor;
    assert_ok(svf_predictor_new(loaded, &predictor, &message), &message);
    for (size_t i = 0; i < 300; i++) {
      double row[] = {svf_table_number(table, i, 0), svf_table_number(table, i, 1)};
      assert_ok(svf_predictor_row(predictor, row, &c, &message), &message);
      assert_true(three[0] == one[i]);
    }
    assert_true(svf_forest_is_date(loaded, 1) && !svf_forest_is_date(loaded, 0));
    svf_predictor_free(predictor);
    svf_table_free(back);
    svf_forest_free(loaded);
    svf_forest_free(forest);
  }
  remove("dates.csv");
  svf_table_free(table);
}

/* A cell that is no date is refused with its line, blank cells are missing, and other columns with what is due. */
static void refusals(void **state) {
  (void)state;
  svf_table *table = days_table(100, 1.25, true), *other;
  svf_forest *forest = train("rf", table);
  double values[100];
  svf_prediction out = {.values = values};
  refused(read_text("x,when\n1,2024-01-31\n\n2,31.01.2024\n", &forest->encoding, &other),
          "data.csv:4: column 'when': '31.01.2024' is not a date");
  refused(read_text("x,when\n1,2024-01-31\n2,20240131\n", &forest->encoding, &other),
          "data.csv:3: column 'when': '20240131' is not a date");
  assert_ok(read_text("x,when\n1,20240131\n2,20240131\n", &forest->encoding, &other), &message);
  refused(svf_predict(forest, other, NULL, &out, &message),
          "the model needs dates such as 2024-01-31, and these are");
  svf_table_free(other);
  assert_ok(read_text("x,when\n1,\n2,?\n", &forest->encoding, &other), &message);
  assert_ok(svf_predict(forest, other, NULL, &out, &message), &message);
  svf_table_free(other);
  other = days_table(50, 1, false);
  refused(svf_predict(forest, other, NULL, &out, &message), "the table: column 'when': the model needs dates");
  /* text of a table in memory */
  static const char *const names[] = {"2024-01-31", "2024-02-01T12:00", "soon"};
  int32_t code[50] = {0, 1, -1};
  assert_ok(svf_table_set_categories(other, 1, code, names, 3, &message), &message);
  assert_ok(svf_predict(forest, other, NULL, &out, &message), &message);
  code[7] = 2;
  assert_ok(svf_table_set_categories(other, 1, code, names, 3, &message), &message);
  refused(svf_predict(forest, other, NULL, &out, &message), "the table: row 8, column 'when': 'soon' is not a date");
  svf_forest *words = train("rf", other);
  refused(svf_predict(words, table, NULL, &out, &message), "the model needs the categories that it was trained on");
  svf_forest_free(words);
  svf_table_free(other);
  other = days_table(50, 1, false);
  words = train("rf", other);
  refused(svf_predict(words, table, NULL, &out, &message), "the model needs numbers, and these are dates");
  svf_forest_free(words);
  refused(svf_table_set_dates(other, 2, &message), "column number 2 was asked for");
  svf_table_free(other);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void set(void **state) {
  (void)state;
  static const double cell[] = {1, 2, SVF_DATE_END, 4};
  svf_matrix matrix = {.values = cell, .rows = 2, .columns = 2, .row_stride = 1, .column_stride = 2};
  static const int32_t code[] = {0, 0};
  static const char *const names[] = {"a"};
  svf_table *table, *taken;
  assert_ok(svf_table_borrow(&matrix, NULL, &table, &message), &message);
  refused(svf_table_set_dates(table, 1, &message), "row 1, column 'x2': a date outside of the years 1 to 9999");
  assert_ok(svf_table_set_dates(table, 0, &message), &message);
  assert_ok(svf_table_add_feature(table, "m=x1*x1", &message), &message); /* of days */
  assert_true(svf_table_number(table, 1, 2) == 4);
  refused(svf_table_set_dates(table, 2, &message), "'m' is no column of days");
  assert_ok(svf_table_set_categories(table, 1, code, names, 1, &message), &message);
  refused(svf_table_set_dates(table, 1, &message), "'x2' is no column of days");
  static const size_t rows[] = {1, 1};
  assert_ok(svf_table_take(table, rows, 2, &taken, &message), &message);
  assert_true(svf_table_is_date(taken, 0) && !svf_table_is_date(taken, 1) && svf_table_number(taken, 0, 0) == 2);
  svf_table_free(taken);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_text), cmocka_unit_test(broken),   cmocka_unit_test(as_target), cmocka_unit_test(encoded),
      cmocka_unit_test(asked),     cmocka_unit_test(refusals), cmocka_unit_test(set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
