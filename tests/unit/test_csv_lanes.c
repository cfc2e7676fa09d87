/* test_csv_lanes.c - numbers of eight rows at once: each as strtod reads it alone, and whole texts as in chunks that are too small for
 * eight rows. */
#include "data/csv_lanes.h"

#include <inttypes.h>
#include "base/random.h"
#include "data/input.h"
#include "data/number.h"
#include "support/same_table.h"
#include "support/test.h"

enum { WIDTH = 5, LONGEST = 25, LINES = 30 };

static const char *const odd[] = {
    "",     "-",  ".",     "-.",    "--1", "+1",  "1.",        ".5",        "-.5",      "1.2.3",
    "1e3",  " 1", "1 ",    "nan",   "abc", "-0",  "0",         "99999999",  "-9999999", "-99999999",
    "\x80", "/",  "1234:", "00.00", "1,5", "-.1", "123456789", "1.2345678", "-1.23456", "12345678."};

/* Bytes of a cell: mostly digits, a point somewhere, or one of those above. */
static size_t draw_cell(svf_random *random, bool strange, size_t longest, char *cell) {
  if (strange && svf_random_below(random, 3) == 0) {
    strcpy(cell, odd[svf_random_below(random, sizeof odd / sizeof *odd)]);
    return strlen(cell);
  }
  size_t length = 1 + svf_random_below(random, longest), point = svf_random_below(random, longest + 5);
  for (size_t i = 0; i < length; i++) cell[i] = (char)('0' + svf_random_below(random, 10));
  if (point + 1 < length && point > 0) cell[point] = '.';
  if (length > 1 && cell[1] != '.' && svf_random_below(random, 2)) cell[0] = '-';
  cell[length] = 0;
  return length;
}

/* A number as programs write it, or one that is midway between two doubles. */
static size_t draw_real(svf_random *random, char *cell) {
  double x = svf_random_normal(random) * pow(10, (double)svf_random_below(random, 12) - 5);
  uint64_t k = svf_random_u64(random) >> 12; /* below 2^52 */
  switch (svf_random_below(random, 4)) {
  case 0:
    return (size_t)sprintf(cell, "%.17g", x);
  case 1:
    return (size_t)sprintf(cell, "%.*f", (int)svf_random_below(random, 16), x);
  case 2:
    return (size_t)sprintf(cell, "%" PRIu64 ".5", k | (uint64_t)1 << 52);
  default:
    return (size_t)sprintf(cell, "-%" PRIu64 ".%s", k >> 1 | (uint64_t)1 << 51, k & 1 ? "25" : "75");
  }
}

/* What a cell is by itself: a sign, 1..19 digits, a point? unsure: midway between two doubles, it may be left to others
 * all the same. */
static bool alone(const char *text, uint32_t begin, uint32_t end, double *value, bool *unsure) {
  char cell[32] = "";
  size_t digits = 0, points = 0;
  memcpy(cell, text + begin, end - begin);
  for (const char *p = cell + (*cell == '-'); *p; p++) {
    if (*p != '.' && (*p < '0' || *p > '9')) return false;
    digits += *p != '.', points += *p == '.';
  }
  *value = strtod(cell, NULL);
  long double exact = strtold(cell, NULL), off = exact - (long double)*value;
  double neighbour = nextafter(*value, off > 0 ? INFINITY : -INFINITY);
  *unsure = 2 * off == (long double)neighbour - (long double)*value;
  return digits >= 1 && digits <= 19 && points <= 1;
}

static void each_as_alone(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 4});
  for (size_t index = 0; index < 3; index++)
    for (int round = 0; round < 6000 && svf_csv_lanes_at(index); round++) {
      char text[48 + SVF_CSV_LANES * WIDTH * (LONGEST + 2)] = "12345678901234567890123456789012,";
      uint32_t stops[1 + SVF_CSV_LANES * WIDTH] = {SVF_CSV_BACK}, *stop = stops + 1, at = SVF_CSV_BACK + 1;
      double column[WIDTH][SVF_CSV_LANES + 1], *value[WIDTH], expected;
      unsigned char fine[WIDTH];
      for (size_t i = 0; i < SVF_CSV_LANES * WIDTH; i++) {
        at += (uint32_t)(round % 5 == 4 ? draw_real(&random, text + at)
                                        : draw_cell(&random, round % 4, round % 3 ? LONGEST : 7, text + at));
        stop[i] = at;
        text[at++] = ',';
      }
      for (size_t j = 0; j < WIDTH; j++) value[j] = j == 3 ? NULL : column[j];
      svf_csv_lanes_at(index)(text, stop, WIDTH, 1, value, fine);
      for (size_t i = 0; i < SVF_CSV_LANES * WIDTH; i++) {
        size_t row = i / WIDTH, j = i % WIDTH;
        bool unsure = false, right = j != 3 && alone(text, stop[(ptrdiff_t)i - 1] + 1, stop[i], &expected, &unsure);
        bool read = fine[j] >> row & 1;
        assert_true(read == right || (right && unsure));
        if (read) assert_memory_equal(&expected, &column[j][1 + row], sizeof expected);
      }
    }
}

/* A table of numbers, with something strange now and then. */
static void draw_text(svf_random *random, bool strange, size_t longest, char *text) {
  size_t width = 2 + svf_random_below(random, 3);
  char *at = text + sprintf(text, "a,b,%s%sy\n", width > 2 ? "c," : "", width > 3 ? "d," : "");
  for (size_t i = 0; i < LINES; i++) {
    if (strange && svf_random_below(random, 20) == 0) *at++ = '\n';
    size_t cells = width + (strange && svf_random_below(random, 200) == 0);
    for (size_t j = 0; j < cells; j++) {
      at += longest == LONGEST && j % 2
                ? draw_real(random, at)
                : draw_cell(random, strange && svf_random_below(random, 10) == 0, longest, at);
      *at++ = ',';
    }
    at += sprintf(at, "%d%s\n", (int)svf_random_below(random, 3), strange && i % 9 == 5 ? "\r" : "");
  }
  *at = 0;
}

static svf_status parse(const char *text, size_t chunk, svf_table **table, svf_message *message) {
  svf_bytes bytes = {(char *)(size_t)text, strlen(text)};
  svf_read_options options = {.threads = 1};
  svf_read read = {.path = "text", .options = &options, .chunk = chunk};
  return svf_csv_parse(&bytes, &read, table, message);
}

static void texts_as_in_small_chunks(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 5});
  size_t fine = 0;
  for (int round = 0; round < 1000; round++) {
    char text[64 + 2 * LINES * 6 * (LONGEST + 3)];
    svf_message message = {""}, other = {""};
    svf_table *whole, *parts;
    draw_text(&random, round % 2, round % 3 ? LONGEST : 7, text);
    svf_status status = parse(text, 1 << 20, &whole, &message);
    assert_true(parse(text, 30, &parts, &other) == status);
    assert_string_equal(message.text, other.text);
    assert_true(same_table(whole, parts));
    fine += status == SVF_OK;
    svf_table_free(whole);
    svf_table_free(parts);
  }
  assert_in_range(fine, 550, 990);
}

/* A column turns out to be text after the rows that are looked at first, and is read again: the others keep their numbers, long
 * and missing ones too. */
static void late_text_leaves_numbers(void **state) {
  (void)state;
  enum { ROWS = 400, TEXT = 300 };
  static const char *const a[] = {"1.5", "-7", "", "3.14159265358979", "12345678", "?", ".25"};
  char text[16 + 32 * ROWS], *at = text + sprintf(text, "a,b,y\n");
  svf_message message;
  svf_table *table;
  for (int i = 0; i < ROWS; i++) at += sprintf(at, "%s,%s,%d\n", a[i % 7], i < TEXT ? "4" : "x", i % 2);
  for (size_t chunk = 30; chunk <= 1 << 20; chunk <<= 5) {
    assert_ok(parse(text, chunk, &table, &message), &message);
    assert_null(table->column[1].number);
    for (int i = 0; i < ROWS; i++) {
      double value = table->column[0].number[i];
      if (i % 7 == 2 || i % 7 == 5) assert_true(isnan(value));
      else assert_true(value == strtod(a[i % 7], NULL));
    }
    svf_table_free(table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_as_alone), cmocka_unit_test(texts_as_in_small_chunks),
                                     cmocka_unit_test(late_text_leaves_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
