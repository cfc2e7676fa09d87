/* Features made of columns: their text, their values, models that hold them, columns found by name. */
#include "support/forest.h"
#include "data/recipe.h"

#include <float.h>

static svf_message message;

enum { N = 200 };

static const char *const names[] = {"a", "b", "my col", "x\"y", "distance"};

static void reads_back(const char *text, const char *name, const char *canonical) {
  char *found, *again_name, whole[200];
  svf_recipe recipe, again;
  svf_buffer out = {0}, second = {0};
  assert_ok(svf_recipe_parse(text, names, 5, &found, &recipe, &message), &message);
  assert_string_equal(found, name);
  assert_true(svf_recipe_text(&recipe, names, &out) && svf_buffer_add(&out, "", 1));
  assert_string_equal((char *)out.data, canonical);
  snprintf(whole, sizeof whole, "n=%s", (char *)out.data);
  assert_ok(svf_recipe_parse(whole, names, 5, &again_name, &again, &message), &message);
  assert_true(svf_recipe_text(&again, names, &second) && svf_buffer_add(&second, "", 1));
  assert_string_equal((char *)out.data, (char *)second.data);
  free(found);
  free(again_name);
  svf_recipe_free(&recipe);
  svf_recipe_free(&again);
  svf_buffer_free(&out);
  svf_buffer_free(&second);
}

static void texts(void **state) {
  (void)state;
  reads_back("p=a*b", "p", "a*b");
  reads_back(" p = a * b * a ", "p", "a*b*a");
  reads_back("s=a^3", "s", "a*a*a");
  reads_back("s=a^2*b", "s", "a*a*b");
  reads_back("\"odd = name\"=\"my col\"*b", "odd = name", "\"my col\"*b");
  reads_back("q=my col*\"x\"\"y\"", "q", "\"my col\"*\"x\"\"y\"");
  reads_back("r=distance(a=1.5,b=-2e3)", "r", "distance(a=1.5,b=-2000)");
  reads_back("r=distance ( a = 0 )", "r", "distance(a=0)");
  reads_back("d=distance*a", "d", "distance*a");
}

static void refused(const char *text, const char *words) {
  char *name = (char *)&message;
  svf_recipe recipe = {SVF_RECIPE_PRODUCT, NULL, 3};
  if (svf_recipe_parse(text, names, 5, &name, &recipe, &message) != SVF_USAGE) fail_msg("%s was taken", text);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  assert_true(!name && !recipe.part && !recipe.count);
}

static void wrong_texts(void **state) {
  (void)state;
  refused("", "a name is missing");
  refused("p", "'=' is missing");
  refused("=a*b", "a name is missing");
  refused("p=", "a name is missing");
  refused("p=a*", "a name is missing");
  refused("p=a*c", "no column 'c'");
  refused("p=a^0", "digit from 1 to 9");
  refused("p=a^b", "digit from 1 to 9");
  refused("p=a^22", "follows its end");
  refused("p=a b", "no column 'a b'");
  refused("p=\"a", "a quote is not closed");
  refused("p=\"a\"b", "follows its end");
  refused("r=distance(a)", "a number for each column");
  refused("r=distance(a=)", "a number for each column");
  refused("r=distance(a=nan)", "a number for each column");
  refused("r=distance(a=1e999)", "a number for each column");
  refused("r=distance(a=1", "')' is missing");
  refused("r=distance()", "a name is missing");
  refused("r=distance(a=1)*b", "follows its end");
}

/* Columns width, height, depth and a class; `more`: with area, square and far computed by hand. */
static svf_table *boxes(bool more, bool named) {
  static const char *const columns[] = {"width", "height", "depth", "area", "square", "far"};
  static const char *const classes[] = {"no", "yes"};
  static double x[6 * N];
  static int32_t label[N];
  size_t d = more ? 6 : 3;
  for (size_t i = 0; i < N; i++) {
    double w = (double)(i * 7 % 31) / 4, h = (double)(i * 11 % 29) / 3 - 4, z = i % 9 ? (double)(i % 13) : NAN;
    double by_hand[] = {w, h, z, w * h, h * h, sqrt((w - 1.5) * (w - 1.5) + (h + 2) * (h + 2))};
    memcpy(x + i * d, by_hand, d * sizeof *x);
    label[i] = w * h > 2;
  }
  svf_matrix matrix = {x, 0, N, d, (ptrdiff_t)d, 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, named ? columns : NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  return table;
}

static void add(svf_table *table, const char *text) {
  assert_ok(svf_table_add_feature(table, text, &message), &message);
}

static svf_table *made(bool named) {
  svf_table *table = boxes(false, named);
  add(table, named ? "area=width*height" : "area=x1*x2");
  add(table, named ? "square=height^2" : "square=x2^2");
  add(table, named ? "far=distance(width=1.5,height=-2)" : "far=distance(x1=1.5,x2=-2)");
  return table;
}

static void same_answers(const svf_forest *a, const svf_table *for_a, const svf_forest *b, const svf_table *for_b) {
  double x[2 * N], y[2 * N];
  svf_prediction one = {.probabilities = x}, two = {.probabilities = y};
  assert_ok(svf_predict(a, for_a, NULL, &one, &message), &message);
  assert_ok(svf_predict(b, for_b, NULL, &two, &message), &message);
  assert_memory_equal(x, y, sizeof x);
}

/* A feature made by the library is a column made by hand: the same values and the same forest. The model needs only the
 * columns, by name in any order, or by position; and it survives its file. */
static void equals_columns_by_hand(void **state) {
  (void)state;
  for (int named = 0; named < 2; named++) {
    svf_table *own = made(named), *hand = boxes(true, named), *plain = boxes(false, named);
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < 6; j++) {
        double a = svf_table_number(own, i, j), b = svf_table_number(hand, i, j);
        assert_true(a == b || (isnan(a) && isnan(b)));
      }
    svf_forest *a = test_train("rsvt-full", "C=1", own, 1), *b = test_train("rsvt-full", "C=1", hand, 1), *loaded;
    size_t size;
    const void *bytes = svf_forest_bytes(a, &size);
    assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
    same_answers(a, own, b, hand);
    same_answers(a, plain, b, hand);
    same_answers(loaded, plain, b, hand);
    svf_forest_info info;
    svf_forest_describe(loaded, &info);
    assert_int_equal(info.features, 3);
    assert_int_equal(info.made, 3);
    assert_string_equal(svf_forest_feature_name(loaded, 5), "far");
    char text[64];
    size_t length = svf_forest_feature_text(loaded, 5, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, named ? "distance(width=1.5,height=-2)" : "distance(x1=1.5,x2=-2)");
    assert_int_equal(svf_forest_feature_text(loaded, 4, text, 4), named ? 13 : 5);
    assert_string_equal(text, named ? "hei" : "x2*");
    assert_int_equal(svf_forest_feature_text(loaded, 2, text, sizeof text), 0);
    svf_forest *forests[] = {a, b, loaded};
    svf_table *tables[] = {own, hand, plain};
    for (int i = 0; i < 3; i++) svf_forest_free(forests[i]), svf_table_free(tables[i]);
  }
}

/* A single row makes its features, too. */
static void single_rows(void **state) {
  (void)state;
  svf_table *own = made(true);
  svf_forest *forest = test_train("rsvt-full", "C=1", own, 1);
  svf_predictor *predictor;
  double all[2 * N], one[2];
  svf_prediction whole = {.probabilities = all}, single = {.probabilities = one};
  assert_ok(svf_predict(forest, own, NULL, &whole, &message), &message);
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < N; i++) {
    double row[] = {svf_table_number(own, i, 0), svf_table_number(own, i, 1), svf_table_number(own, i, 2)};
    assert_ok(svf_predictor_row(predictor, row, &single, &message), &message);
    assert_memory_equal(one, all + 2 * i, sizeof one);
  }
  svf_predictor_free(predictor);
  svf_forest_free(forest);
  svf_table_free(own);
}

static void columns_in_another_order(void **state) {
  (void)state;
  static const char *const turned[] = {"depth", "area", "height", "width"}; /* area: ours is made, not read */
  svf_table *own = made(true), *other;
  double x[4 * N];
  for (size_t i = 0; i < N; i++) {
    x[4 * i] = svf_table_number(own, i, 2);
    x[4 * i + 1] = -1e6;
    x[4 * i + 2] = svf_table_number(own, i, 1);
    x[4 * i + 3] = svf_table_number(own, i, 0);
  }
  svf_matrix matrix = {x, 0, N, 4, 4, 1};
  assert_ok(svf_table_new(&matrix, turned, &other, &message), &message);
  svf_forest *forest = test_train("rsvt-full", "C=1", own, 1);
  same_answers(forest, own, forest, other);
  svf_forest_free(forest);
  svf_table_free(other);
  /* rows taken from a table keep its recipes */
  size_t rows[N];
  for (size_t i = 0; i < N; i++) rows[i] = i;
  assert_ok(svf_table_take(own, rows, N, &other, &message), &message);
  svf_forest *a = test_train("rsvt-full", "C=1", own, 1), *b = test_train("rsvt-full", "C=1", other, 1);
  size_t size_a, size_b;
  const void *bytes_a = svf_forest_bytes(a, &size_a), *bytes_b = svf_forest_bytes(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
  svf_forest_free(a);
  svf_forest_free(b);
  svf_table_free(own);
  svf_table_free(other);
}

static void no_feature(svf_table *table, const char *text, const char *words) {
  size_t d = svf_table_columns(table);
  assert_int_not_equal(svf_table_add_feature(table, text, &message), SVF_OK);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  assert_int_equal(svf_table_columns(table), d);
}

static void unfit_features(void **state) {
  (void)state;
  static const char *const levels[] = {"low", "high"};
  int32_t codes[N] = {0};
  svf_table *table = boxes(false, true);
  assert_ok(svf_table_set_categories(table, 2, codes, levels, 2, &message), &message);
  no_feature(table, "v=width*depth", "column 'depth' holds categories");
  no_feature(table, "width=height^2", "there is a column of that name");
  no_feature(table, "class=height^2", "the target has that name");
  add(table, "area=width*height");
  no_feature(table, "area=width^2", "there is a column of that name");
  no_feature(table, "more=area^2", "no column 'area'"); /* made of columns only */
  assert_int_equal(svf_table_set_categories(table, 0, codes, levels, 2, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "feature 'area' is made of it"));
  assert_int_equal(svf_table_set_categories(table, 3, codes, levels, 2, &message), SVF_USAGE);
  svf_table_free(table);
}

/* Products beyond the range of a double are held at its ends, and never NaN. */
static void huge_values(void **state) {
  (void)state;
  static const char *const classes[] = {"no", "yes"};
  double x[] = {1e200, 1e200, 0, -1e200, 1e200, 1, 3, 2, 1, NAN, 1, 1};
  int32_t label[] = {0, 1, 0, 1};
  svf_matrix matrix = {x, 0, 4, 3, 3, 1};
  svf_table *table;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, classes, 2, &message), &message);
  add(table, "p=x1*x2*x3");
  add(table, "q=x1*x2");
  add(table, "r=distance(x1=-1e308,x2=1e308)");
  assert_true(svf_table_number(table, 0, 3) == 0);
  assert_true(svf_table_number(table, 1, 4) == -DBL_MAX);
  assert_true(svf_table_number(table, 2, 4) == 6);
  assert_true(isnan(svf_table_number(table, 3, 4)) && isnan(svf_table_number(table, 3, 5)));
  assert_true(isfinite(svf_table_number(table, 0, 5)));
  svf_forest *forest = test_train("rsvt", "trees=2", table, 1);
  double share[8];
  svf_prediction out = {.probabilities = share};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (int i = 0; i < 8; i++) assert_true(isfinite(share[i]));
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts),
                                     cmocka_unit_test(wrong_texts),
                                     cmocka_unit_test(equals_columns_by_hand),
                                     cmocka_unit_test(single_rows),
                                     cmocka_unit_test(columns_in_another_order),
                                     cmocka_unit_test(unfit_features),
                                     cmocka_unit_test(huge_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
