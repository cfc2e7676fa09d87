/* test_encode.c - encodings: scaled columns, categories, columns matched, and numbers at the edge. */
#include "support/test.h"
#include "base/random.h"
#include "data/encode.h"
#include "data/input.h"
#include "data/scale.h"

#include <float.h>

static svf_message message;

static svf_table *table_of(const double *x, size_t n, size_t d, const char *const *names) {
  svf_matrix matrix = {.values = x, .rows = n, .columns = d, .row_stride = (ptrdiff_t)d, .column_stride = 1};
  svf_table *table;
  double *zeros = calloc(n, sizeof *zeros);
  assert_ok(svf_table_new(&matrix, names, &table, &message), &message);
  assert_ok(svf_table_set_values(table, zeros, &message), &message);
  free(zeros);
  return table;
}

static svf_encoding learn(const svf_table *table, svf_scale scale) {
  svf_encoding encoding;
  assert_ok(svf_encoding_learn(table, &(svf_coding){.scale = scale}, NULL, &encoding, &message), &message);
  return encoding;
}

static svf_frame encode(const svf_encoding *encoding, const svf_table *table) {
  svf_frame frame;
  assert_ok(svf_encode(encoding, table, NULL, &frame, &message), &message);
  assert_int_equal((uintptr_t)frame.x % 64, 0);
  return frame;
}

static svf_frame learn_and_encode(const svf_table *table, svf_scale scale, svf_encoding *encoding) {
  *encoding = learn(table, scale);
  return encode(encoding, table);
}

static void refused(const svf_encoding *encoding, const svf_table *table, const char *words) {
  svf_frame frame;
  assert_int_equal(svf_encode(encoding, table, NULL, &frame, &message), SVF_DATA);
  assert_null(frame.x);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void numbers(void **state) {
  (void)state;
  const double x[] = {2, 5, 4, NAN, 8, 5, 4, 5};
  svf_table *table = table_of(x, 4, 2, NULL);
  svf_encoding encoding;
  svf_frame frame = learn_and_encode(table, SVF_SCALE_UNIT, &encoding);
  const float expected[] = {0, 0, 1.0f / 3, NAN, 1, 0, 1.0f / 3, 0};
  assert_int_equal(frame.d, 2);
  assert_int_equal(frame.stride, 4);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 2; j++) {
      float got = frame.x[i * 4 + j];
      if (i == 1 && j == 1) assert_true(isnan(got));
      else assert_close(got, expected[2 * i + j], 1e-7);
      assert_close(frame.x[i * 4 + 2 + j], 0, 0);
    }
  assert_close(frame.fill[0], 1.0 / 3, 1e-7);
  assert_close(frame.fill[1], 0, 0);
  assert_close(encoding.column[1].scale, 0, 0);
  assert_true(frame.missing);
  assert_int_equal(frame.k, 1);
  assert_ptr_equal(frame.value, table->value);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  frame = learn_and_encode(table, SVF_SCALE_STANDARD, &encoding); /* mean 4.5, variance 4.75 */
  assert_close(frame.x[8], 3.5 / sqrt(4.75), 1e-6);
  assert_close(encoding.column[0].fill, -0.5 / sqrt(4.75), 1e-12);
  assert_close(frame.x[9], 0, 0);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  frame = learn_and_encode(table, SVF_SCALE_NONE, &encoding);
  assert_close(frame.x[8], 8, 0);
  assert_close(frame.x[9], 5, 0);
  assert_close(frame.fill[0], 4, 0);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

/* Cells of many columns, encoded in blocks, are what a row by itself is: categories first, last and among numbers, columns of
 * blanks and of gaps. */
static void blocks_as_rows(void **state) {
  (void)state;
  enum { ROWS = 515, COLUMNS = 37 };
  static const char *const levels[] = {"red", "green", "blue", ""};
  char *text = malloc((ROWS + 1) * COLUMNS * 24), *at = text;
  svf_random random = svf_random_at((svf_place){.seed = 6});
  for (int j = 0; j < COLUMNS; j++) at += sprintf(at, "c%d,", j);
  at += sprintf(at, "y\n");
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      bool text_column = j == 0 || j == 15 || j == 16 || j == COLUMNS - 1,
           gap = j == 20 || (j % 7 == 3 && i % 11 == 0);
      if (text_column) at += sprintf(at, "%s,", levels[svf_random_below(&random, j == 15 ? 2 : 4)]);
      else at += gap ? sprintf(at, ",") : sprintf(at, "%.6f,", (j + 1) * svf_random_normal(&random));
    }
    at += sprintf(at, "%d\n", i % 2);
  }
  svf_bytes bytes = {text, (size_t)(at - text)};
  svf_read_options options = {.threads = 1};
  svf_read read = {.path = "text", .options = &options};
  svf_table *table;
  svf_encoding encoding;
  assert_ok(svf_csv_parse(&bytes, &read, &table, &message), &message);
  svf_frame frame = learn_and_encode(table, SVF_SCALE_STANDARD, &encoding);
  assert_int_equal(encoding.features, COLUMNS);
  assert_true(frame.missing && frame.d > COLUMNS + 3);
  for (size_t i = 0; i < ROWS; i++) {
    double row[COLUMNS];
    float x[COLUMNS + 16];
    for (size_t j = 0; j < COLUMNS; j++) {
      const svf_column *column = &table->column[j];
      row[j] = column->number ? column->number[i] : column->code && column->code[i] >= 0 ? column->code[i] : NAN;
    }
    assert_int_equal(svf_encode_row(&encoding, row, x), 0);
    for (size_t c = 0; c < frame.d; c++) {
      float cell = frame.x[i * frame.stride + c];
      assert_true(cell == x[c] || (isnan(cell) && isnan(x[c])));
    }
  }
  svf_frame_free(&frame);
  double *number = table->column[5].number; /* a column without anything: all of it is missing */
  table->column[5].number = NULL;
  frame = encode(&encoding, table);
  for (size_t i = 0; i < ROWS; i++) assert_true(isnan(frame.x[i * frame.stride + encoding.feature[5].first]));
  table->column[5].number = number;
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
  free(text);
}

/* The columns of a table under mixed are those under unit if they have two values, else those under standard. */
static void mixed(void **state) {
  (void)state;
  const double x[] = {2, 5, 3, -1, 4, NAN, 3, -1, 8, 7, 3, -1, 4, 5, 3, 0, 2, 7, 3, -1, 4, 5, 3, -1};
  const svf_scale as[] = {SVF_SCALE_STANDARD, SVF_SCALE_UNIT, SVF_SCALE_UNIT,
                          SVF_SCALE_UNIT}; /* 5 and 7; 3; -1 and 0 */
  svf_table *table = table_of(x, 6, 4, NULL);
  svf_encoding encoding = learn(table, SVF_SCALE_MIXED);
  for (size_t j = 0; j < 4; j++) {
    svf_encoding other = learn(table, as[j]);
    assert_memory_equal(&encoding.column[j], &other.column[j], sizeof *other.column);
    svf_encoding_free(&other);
  }
  assert_true(encoding.column[1].shift == 5 && encoding.column[1].scale == 0.5 && encoding.column[2].scale == 0);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

/* A column that enough rows miss has one more column that says where, and nowhere else does anything change. */
static void indicators(void **state) {
  (void)state;
  static char text[] = "a,b,c,d,e,y\n1,red,,1,,1\n,red,,2,x,2\n3,,,3,y,3\n4,blue,,4,x,4\n5,green,,5,x,5\n";
  svf_bytes bytes = {text, strlen(text)};
  svf_read_options options = {.threads = 1};
  svf_read read = {.path = "text", .options = &options};
  svf_table *table;
  assert_ok(svf_csv_parse(&bytes, &read, &table, &message), &message);
  for (svf_scale scale = SVF_SCALE_UNIT; scale <= SVF_SCALE_ROBUST; scale++) {
    svf_encoding encoding, plain = learn(table, scale);
    svf_coding coding = {.scale = scale, .indicator = 0.2};
    assert_ok(svf_encoding_learn(table, &coding, NULL, &encoding, &message), &message);
    svf_frame frame = encode(&encoding, table), without = encode(&plain, table);
    static const size_t from[] = {0, 7, 1, 2, 3, 7, 4, 5, 6, 7}; /* 7: an indicator */
    assert_int_equal(plain.columns, 7);
    assert_int_equal(encoding.columns, 10);
    assert_true(encoding.feature[0].indicator && encoding.feature[1].indicator && encoding.feature[4].indicator);
    assert_false(encoding.feature[2].indicator || encoding.feature[3].indicator);
    const bool missing[3][5] = {
        {false, true, false, false, false}, {false, false, true, false, false}, {true, false, false, false, false}};
    static const size_t column[3] = {1, 5, 9};
    for (size_t f = 0; f < 3; f++) {
      const svf_encoded *encoded = &encoding.column[column[f]];
      assert_int_equal(encoded->level, SVF_ROLE_MISSING);
      assert_int_equal(frame.role[column[f]], SVF_ROLE_MISSING);
      assert_int_equal(frame.origin[column[f]], frame.origin[column[f] - 1]);
      for (size_t i = 0; i < 5; i++)
        assert_close(frame.x[i * frame.stride + column[f]], (float)svf_scale_apply(encoded, missing[f][i]), 0);
    }
    for (size_t i = 0; i < 5; i++)
      for (size_t c = 0; c < 9; c++)
        if (from[c] < 7) {
          float a = frame.x[i * frame.stride + c], b = without.x[i * without.stride + from[c]];
          assert_true(a == b || (a != a && b != b));
        }
    const double row[] = {NAN, 7, 1, NAN, 1};
    float x[12];
    assert_int_equal(svf_encode_row(&encoding, row, x), 1); /* a category that it does not know counts as missing */
    assert_true(isnan(x[0]) && isnan(x[2]) && isnan(x[7]) && !isnan(x[8]));
    assert_close(x[1], (float)svf_scale_apply(&encoding.column[1], 1), 0);
    assert_close(x[5], (float)svf_scale_apply(&encoding.column[5], 1), 0);
    assert_close(x[9], (float)svf_scale_apply(&encoding.column[9], 0), 0);
    svf_frame_free(&frame);
    svf_frame_free(&without);
    svf_encoding_free(&encoding);
    svf_encoding_free(&plain);
    coding.indicator = 0.21;
    assert_ok(svf_encoding_learn(table, &coding, NULL, &encoding, &message), &message);
    assert_int_equal(encoding.columns, 7);
    svf_encoding_free(&encoding);
  }
  svf_table_free(table);
}

/* Whatever the numbers are, nothing but missing values may come out as NaN, and nothing beyond the limits. */
static void edges(void **state) {
  (void)state;
  static const double sets[][4] = {{-DBL_MAX, DBL_MAX, 0, 1}, {DBL_MAX, DBL_MAX, DBL_MAX, 1e308},
                                   {1e308, -1e308, 1e308, 0}, {5e-324, 0, 1e-323, 5e-324},
                                   {DBL_MIN, 0, DBL_MIN, 0},  {1e-320, DBL_MAX, -5e-324, 3},
                                   {0.1, 0.1, 0.1, 0.1},      {NAN, NAN, NAN, NAN},
                                   {1e308, NAN, 1e308, NAN},  {1, 1 + DBL_EPSILON, 1, 1}};
  static const double probes[] = {DBL_MAX, -DBL_MAX, 5e-324, 0, 1, NAN};
  svf_table *later = table_of(probes, 6, 1, NULL);
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
    for (svf_scale scale = SVF_SCALE_UNIT; scale <= SVF_SCALE_ROBUST; scale++) {
      if (scale == SVF_SCALE_NONE) continue;
      svf_table *table = table_of(sets[s], 4, 1, NULL);
      svf_encoding encoding;
      svf_frame frame = learn_and_encode(table, scale, &encoding), next = encode(&encoding, later);
      const svf_encoded *column = &encoding.column[0];
      assert_true(isfinite(column->shift) && isfinite(column->scale) && isfinite(column->fill));
      double most = scale == SVF_SCALE_STANDARD || scale == SVF_SCALE_MIXED ? 2 : 1;
      for (size_t i = 0; i < 4; i++)
        if (isnan(sets[s][i])) assert_true(isnan(frame.x[4 * i]));
        else assert_true(fabs(frame.x[4 * i]) <= most);
      for (size_t i = 0; i < 5; i++) assert_true(fabs(next.x[4 * i]) <= SVF_UNSCALED_LIMIT);
      assert_true(isnan(next.x[20]));
      svf_frame_free(&frame);
      svf_frame_free(&next);
      svf_encoding_free(&encoding);
      svf_table_free(table);
    }
  svf_table_free(later);
}

/* Every number keeps the digits that it has in single precision alone, whatever stands beside it (down to 1e-45 of the
 * largest, where single precision ends). */
static void binary_keeps_digits(void **state) {
  (void)state;
  enum { N = 40 };
  static const double others[] = {-1e9, 1e9, -1e30, 1e-30, 0, 3e7};
  svf_random random = svf_random_at((svf_place){.seed = 8});
  for (size_t s = 0; s < sizeof others / sizeof *others; s++)
    for (int offset = 0; offset < 3; offset++) {
      double x[N] = {others[s]};
      for (int i = 1; i < N; i++) x[i] = (offset - 1) * 1.7e9 + svf_random_normal(&random);
      svf_table *table = table_of(x, N, 1, NULL);
      svf_encoding encoding;
      svf_frame frame = learn_and_encode(table, SVF_SCALE_BINARY, &encoding);
      const svf_encoded *column = &encoding.column[0];
      double least = 0x1p-149 / column->scale;
      for (int i = 0; i < N; i++) {
        double back = frame.x[4 * i] / column->scale + column->shift;
        if (!(fabs(back - x[i]) <= 0x1p-24 * fabs(x[i]) + least)) fail_msg("%.17g became %.17g", x[i], back);
      }
      svf_frame_free(&frame);
      svf_encoding_free(&encoding);
      svf_table_free(table);
    }
}

static void unit_of_huge_range(void **state) {
  (void)state;
  const double x[] = {-1e308, 0, 1e308, 0.5e308};
  svf_table *table = table_of(x, 4, 1, NULL);
  svf_encoding encoding;
  svf_frame frame = learn_and_encode(table, SVF_SCALE_UNIT, &encoding);
  assert_close(frame.x[0], 0, 0);
  assert_close(frame.x[4], 0.5, 1e-7);
  assert_close(frame.x[8], 1, 1e-7);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  frame = learn_and_encode(table, SVF_SCALE_STANDARD, &encoding); /* of -1 0 1 0.5: mean 0.125 */
  assert_close(frame.x[8], 0.875 / sqrt(2.25 / 4 - 0.125 * 0.125), 1e-6);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

static void unscaled_limit(void **state) {
  (void)state;
  const double x[] = {1, -2e15}, fine[] = {-1e15, 7}, later[] = {1e300, -1e16};
  static const char *const names[] = {"age"};
  svf_table *table = table_of(x, 2, 1, names), *good = table_of(fine, 2, 1, names);
  svf_table *next = table_of(later, 2, 1, names);
  svf_encoding encoding;
  assert_int_equal(svf_encoding_learn(table, &(svf_coding){.scale = SVF_SCALE_NONE}, NULL, &encoding, &message),
                   SVF_DATA);
  assert_non_null(strstr(message.text, "'age'"));
  assert_non_null(strstr(message.text, "scale=unit"));
  encoding = learn(good, SVF_SCALE_NONE);
  svf_frame frame = encode(&encoding, next);
  assert_close(frame.x[0], 1e15, 1e-7);
  assert_close(frame.x[4], -1e15, 1e-7);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
  svf_table_free(good);
  svf_table_free(next);
}

static const char *const colours[] = {"blue", "green", "red"};

static svf_table *coloured(void) { /* a number, three colours, two sizes, one shape */
  static const char *const names[] = {"age", "colour", "size", "shape"};
  static const double x[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
  static const char *const sizes[] = {"large", "small"}, *const shapes[] = {"round"};
  svf_table *table = table_of(x, 4, 4, names);
  assert_ok(svf_table_set_categories(table, 1, (int32_t[]){2, 0, -1, 2}, colours, 3, &message), &message);
  assert_ok(svf_table_set_categories(table, 2, (int32_t[]){0, 1, 1, 1}, sizes, 2, &message), &message);
  assert_ok(svf_table_set_categories(table, 3, (int32_t[]){0, 0, -1, 0}, shapes, 1, &message), &message);
  return table;
}

static void categories(void **state) {
  (void)state;
  svf_table *table = coloured();
  svf_encoding encoding;
  svf_frame frame = learn_and_encode(table, SVF_SCALE_UNIT, &encoding);
  static const float expected[4][6] = {
      {0, 0, 0, 1, 0, 0}, {1.0f / 3, 1, 0, 0, 1, 0}, {2.0f / 3, NAN, NAN, NAN, 1, NAN}, {1, 0, 0, 1, 1, 0}};
  static const uint32_t origin[] = {0, 1, 1, 1, 2, 3};
  assert_int_equal(frame.d, 6);
  assert_int_equal(frame.stride, 8);
  assert_memory_equal(frame.origin, origin, sizeof origin);
  for (size_t i = 0; i < 4; i++)
    for (size_t c = 0; c < 6; c++) {
      if (isnan(expected[i][c])) assert_true(isnan(frame.x[8 * i + c]));
      else assert_close(frame.x[8 * i + c], expected[i][c], 1e-7);
    }
  assert_int_equal(encoding.feature[1].first, 1);
  assert_int_equal(encoding.feature[1].width, 3);
  assert_int_equal(encoding.column[4].level, 1);
  assert_int_equal(encoding.column[0].level, -1);
  assert_close(frame.fill[3], 1, 0);
  assert_close(frame.fill[1], 0, 0);
  assert_close(encoding.column[2].scale, 0, 0); /* nothing is green */
  assert_int_equal(frame.unseen, 0);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

static void wide_strides(void **state) {
  (void)state;
  static const struct { size_t d, stride; } cases[] = {{1, 4}, {4, 4}, {13, 16}, {16, 16}, {17, 20}, {33, 36}};
  double x[600];
  for (size_t i = 0; i < 600; i++) x[i] = (double)(i * 7 % 11);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    svf_table *table = table_of(x, 600 / cases[c].d, cases[c].d, NULL);
    svf_encoding encoding;
    svf_frame frame = learn_and_encode(table, SVF_SCALE_NONE, &encoding);
    assert_int_equal(frame.stride, cases[c].stride);
    assert_false(frame.missing);
    for (size_t i = 0; i < frame.n; i++)
      for (size_t j = 0; j < frame.stride; j++)
        assert_close(frame.x[i * frame.stride + j], j < frame.d ? x[i * frame.d + j] : 0, 0);
    svf_frame_free(&frame);
    svf_encoding_free(&encoding);
    svf_table_free(table);
  }
}

static void by_name(void **state) {
  (void)state;
  svf_table *table = coloured();
  svf_encoding encoding = learn(table, SVF_SCALE_UNIT);
  /* reordered, one more, levels in another order and one new */
  static const char *const names[] = {"shape", "more", "colour", "size", "age"};
  static const char *const other[] = {"red", "pink", "blue"}, *const sizes[] = {"small"};
  static const double x[10] = {0, 9, 0, 0, 4, 0, 9, 0, 0, 1};
  svf_table *next = table_of(x, 2, 5, names);
  assert_ok(svf_table_set_categories(next, 2, (int32_t[]){0, 1}, other, 3, &message), &message);
  assert_ok(svf_table_set_categories(next, 3, (int32_t[]){0, -1}, sizes, 1, &message), &message);
  svf_frame frame = encode(&encoding, next); /* shape is numbers here: 0 is no known category */
  assert_close(frame.x[0], 1, 0);
  assert_close(frame.x[3], 1, 0);
  assert_close(frame.x[4], 1, 0);
  assert_true(isnan(frame.x[5]));
  assert_close(frame.x[8], 0, 0);
  for (size_t c = 1; c < 6; c++) assert_true(isnan(frame.x[8 + c]));
  assert_int_equal(frame.unseen, 3);
  svf_frame_free(&frame);
  free(next->column[4].name);
  next->column[4].name = strdup("Age");
  next->path = strdup("new.csv");
  refused(&encoding, next, "new.csv: column 'age' that the model needs is missing");
  free(next->column[4].name);
  next->column[4].name = strdup("age");
  assert_ok(svf_table_set_categories(next, 4, (int32_t[]){0, -1}, sizes, 1, &message), &message);
  refused(&encoding, next, "new.csv: column 'age': the model needs numbers");
  next->column[4].text_line = 17;
  refused(&encoding, next, "new.csv:17: column 'age': the model needs numbers");
  svf_table_free(next);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

static void by_position(void **state) {
  (void)state;
  static const double x[6] = {1, 2, 3, 4, 5, 6};
  static const char *const names[] = {"b", "a"};
  svf_table *table = table_of(x, 3, 2, NULL), *named = table_of(x, 3, 2, names), *wide = table_of(x, 2, 3, NULL);
  svf_encoding encoding = learn(table, SVF_SCALE_NONE);
  svf_frame frame = encode(&encoding, named);
  assert_close(frame.x[1], 2, 0);
  refused(&encoding, wide, "the table has 3 columns; the model needs 2");
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
  svf_table_free(named);
  svf_table_free(wide);
}

/* Categories that were numbers: the caller's matrix has 2.0 where the model knows "2". */
static void numbers_as_categories(void **state) {
  (void)state;
  static const double x[3] = {0, 0, 0}, later[4] = {2, 0.5, NAN, 3};
  static const char *const levels[] = {"0.5", "2", "x"};
  svf_table *table = table_of(x, 3, 1, NULL), *next = table_of(later, 4, 1, NULL);
  assert_ok(svf_table_set_categories(table, 0, (int32_t[]){0, 1, 2}, levels, 3, &message), &message);
  svf_encoding encoding = learn(table, SVF_SCALE_UNIT);
  svf_frame frame = encode(&encoding, next);
  assert_close(frame.x[1], 1, 0);
  assert_close(frame.x[4], 1, 0);
  assert_true(isnan(frame.x[8]) && isnan(frame.x[12]));
  assert_int_equal(frame.unseen, 1);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
  svf_table_free(next);
}

static void labels(void **state) {
  (void)state;
  static const double x[3] = {1, 2, 3};
  static const char *const names[] = {"no", "yes"}, *const other[] = {"yes", "what", "no"};
  svf_table *table = table_of(x, 3, 1, NULL), *next = table_of(x, 3, 1, NULL);
  assert_ok(svf_table_set_classes(table, (int32_t[]){0, 1, 1}, names, 2, &message), &message);
  assert_ok(svf_table_set_classes(next, (int32_t[]){0, 1, 2}, other, 3, &message), &message);
  svf_encoding encoding = learn(table, SVF_SCALE_UNIT);
  svf_frame frame = encode(&encoding, table);
  assert_ptr_equal(frame.label, table->label);
  assert_null(frame.value);
  assert_int_equal(frame.k, 2);
  svf_frame_free(&frame);
  frame = encode(&encoding, next);
  static const int32_t expected[] = {1, -1, 0};
  assert_memory_equal(frame.label, expected, sizeof expected);
  svf_frame_free(&frame);
  svf_encoding_free(&encoding);
  svf_table_free(table);
  svf_table_free(next);
}

static void refusals(void **state) {
  (void)state;
  static const double x[2] = {1, 2};
  svf_matrix matrix = {.values = x, .rows = 2, .columns = 1, .row_stride = 1, .column_stride = 1};
  svf_table *table;
  svf_encoding encoding;
  svf_frame frame;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_int_equal(svf_encoding_learn(table, &(svf_coding){.scale = SVF_SCALE_UNIT}, NULL, &encoding, &message),
                   SVF_USAGE);
  assert_ok(svf_table_set_values(table, x, &message), &message);
  encoding = learn(table, SVF_SCALE_UNIT);
  assert_int_equal(svf_encode(&encoding, table, &(svf_run){.memory_limit = 8}, &frame, &message), SVF_MEMORY);
  svf_encoding_free(&encoding);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),
                                     cmocka_unit_test(blocks_as_rows),
                                     cmocka_unit_test(mixed),
                                     cmocka_unit_test(indicators),
                                     cmocka_unit_test(edges),
                                     cmocka_unit_test(unit_of_huge_range),
                                     cmocka_unit_test(unscaled_limit),
                                     cmocka_unit_test(categories),
                                     cmocka_unit_test(wide_strides),
                                     cmocka_unit_test(by_name),
                                     cmocka_unit_test(by_position),
                                     cmocka_unit_test(numbers_as_categories),
                                     cmocka_unit_test(binary_keeps_digits),
                                     cmocka_unit_test(labels),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
