/* test_number.c - text to double against the C library's strtod, and the edges by hand. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/random.h"
#include "data/number.h"

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* A number as a cell, with digits after it that do not belong to it, and without: eight at a time where `limit`
 * allows. */
static void check_cell(const char *text, double due) {
  char room[6000];
  size_t length = strlen(text);
  for (size_t slack = 0; slack <= 32; slack += 8) {
    double value = -1;
    memset(room, '7', sizeof room);
    memcpy(room, text, length);
    room[length] = ',';
    const char *end = room + length, *limit = end + 1 + slack;
    if (svf_number_short(room, end, limit, &value) && bits_of(value) != bits_of(due))
      fail_msg("%s: in short %a instead of %a", text, value, due);
    bool found = svf_number_long(room, end, limit, &value);
    if (found != !isinf(due) || (found && bits_of(value) != bits_of(due)))
      fail_msg("%s: as a cell %a instead of %a", text, value, due);
  }
}

/* The tests run in the "C" locale, where strtod is right; both ways must give the same bits. */
static void check(const char *text) {
  double ours = -1;
  const char *end = svf_number_scan(text, &ours);
  double theirs = strtod(text, NULL);
  if (!end || *end || bits_of(ours) != bits_of(theirs)) fail_msg("%s: %a instead of %a", text, ours, theirs);
  check_cell(text, theirs);
  const char *sign = text + (*text == '-' || *text == '+');
  const char *e = strpbrk(sign, "eE");
  if (!e) e = text + strlen(text);
  if (strlen(e) > 12) return; /* an exponent that atoi cannot read */
  double exact = svf_number_exact(sign, e, *e ? atoi(e + 1) : 0);
  if (bits_of(exact) != bits_of(fabs(theirs))) fail_msg("%s: exactly %a instead of %a", text, exact, theirs);
}

static size_t put_digits(svf_random *random, size_t count, char *out) {
  for (size_t i = 0; i < count; i++) out[i] = (char)('0' + svf_random_below(random, 10));
  return count;
}

static void random_texts(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 1});
  char text[128];
  for (int i = 0; i < 1000000; i++) {
    size_t most = i % 16 ? 12 : 40, at = 0;
    if (svf_random_below(&random, 2)) text[at++] = '-';
    at += put_digits(&random, svf_random_below(&random, most), text + at);
    text[at++] = '.';
    at += put_digits(&random, 1 + svf_random_below(&random, most), text + at);
    int exponent = (int)svf_random_below(&random, i % 8 ? 40 : 720) - (i % 8 ? 20 : 360);
    if (svf_random_below(&random, 2)) at += (size_t)sprintf(text + at, "e%d", exponent);
    text[at] = 0;
    check(text);
  }
}

static void random_doubles(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 2});
  char text[64];
  for (int i = 0; i < 300000; i++) {
    uint64_t bits = svf_random_u64(&random);
    if (i % 10 == 0) bits &= ~(UINT64_C(2047) << 52); /* below the normal range */
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    snprintf(text, sizeof text, "%.*e", 14 + i % 5, value);
    check(text);
  }
}

/* A midpoint of two doubles, written out in full, and the same one digit to either side. */
static void midpoints(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 3});
  char text[1400];
  for (int i = 0; i < 3000; i++) {
    int scale = (int)svf_random_below(&random, 120) - 60;
    uint64_t m = svf_random_u64(&random) >> 11 | UINT64_C(1) << 52;
    long double middle = ldexpl((long double)(2 * m + 1), scale);
    snprintf(text, sizeof text, "%.70Lf", middle);
    check(text);
    strcat(text, "1");
    check(text);
    text[strlen(text) - 1] = 0;
    char *last = text + strlen(text) - 1;
    while (*last == '0' || *last == '.') last--;
    --*last;
    check(text);
  }
}

static void edges(void **state) {
  (void)state;
  static const char *const texts[] = {"0",
                                      "-0",
                                      "+1",
                                      "1.",
                                      ".5",
                                      "-.5e1",
                                      "00000000000000000000000000000012.50",
                                      "1e308",
                                      "1e309",
                                      "-1e999",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "179769313486231580793e289",
                                      "4.9e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "2.2250738585072011e-308",
                                      "2.2250738585072014e-308",
                                      "1e-400",
                                      "9007199254740993",
                                      "9007199254740993.00000000000000000001",
                                      "9007199254740992.99999999999999999999",
                                      "1e22",
                                      "1e23",
                                      "8.5e22",
                                      "1e27",
                                      "1e28",
                                      "1e-27",
                                      "1e-28",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "9999999999999999999",
                                      "99999999999999999999",
                                      "1e1000000000000000000000000000",
                                      "1e-1000000000000000000000000000",
                                      "0e99999",
                                      "0.0000001",
                                      "0.1000000000000000055511151231257827021181583404541015625"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check(texts[i]);
}

static void long_texts(void **state) {
  (void)state;
  enum { LENGTH = 5000 };
  char *text = calloc(LENGTH + 64, 1);
  assert_non_null(text);
  for (int kind = 0; kind < 4; kind++) {
    memset(text, kind % 2 ? '9' : '0', LENGTH);
    text[kind / 2 ? 1 : 20] = '.';
    text[0] = '1';
    sprintf(text + LENGTH, "7e%d", kind * 3);
    check(text);
  }
  memset(text, '0', LENGTH); /* 1 after 5000 zeros, brought back by its exponent */
  text[1] = '.';
  strcpy(text + LENGTH, "123e5000");
  check(text);
  memset(text, '0', LENGTH);
  text[0] = '7';
  strcpy(text + LENGTH, "e-4998");
  check(text);
  free(text);
}

static void not_numbers(void **state) {
  (void)state;
  static const char *const texts[] = {"", "-", ".", "+.", "e5", ".e5", "inf", "nan", "-inf", " 1", "x", "--1"};
  double value;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_null(svf_number_scan(texts[i], &value));
}

/* Every number of up to four digits, with a point in every place: the short way must take it. */
static void short_numbers(void **state) {
  (void)state;
  for (int digits = 1; digits <= 4; digits++)
    for (int point = 0; point <= digits; point++)
      for (int number = 0; number < 10000; number += digits < 4 ? 1 : 7) {
        char text[32], padded[64];
        int length = snprintf(text, sizeof text, "-%0*d", digits, number % (int)pow(10, digits));
        if (point < digits) {
          memmove(text + 2 + point, text + 1 + point, (size_t)(length - point));
          text[1 + point] = '.';
        }
        snprintf(padded, sizeof padded, "%s,99999999", text);
        for (const char *from = padded; from <= padded + 1; from++) {
          double value = 0;
          const char *end = strchr(from, ',');
          assert_true(svf_number_short(from, end, end + 9, &value));
          if (value != strtod(from, NULL)) fail_msg("%s: %g", from, value);
        }
      }
}

static void not_cells(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",          "-",          ".",           "-.",      "1.2.3",        "1-2",
      "1 ",        " 1",         "12/4",        "1:2",     "0.12345678x",  "0.1234567890x",
      "--1",       "1e",         "1e+",         "0x10",    "0.123456789.", "12345678901234567x",
      "1234567x9", "0.1234567/", "0.12345678:", "1.5\xB2", "\xB0",         "0.1234.5678"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char padded[64];
    double value;
    snprintf(padded, sizeof padded, "%s,0123456789012345678901234", texts[i]);
    const char *end = padded + strlen(texts[i]);
    assert_false(svf_number_short(padded, end, end + 25, &value));
    if (svf_number_long(padded, end, end + 25, &value)) fail_msg("'%s' as %g", texts[i], value);
  }
}

static void stops_after(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
    int length;
  } rows[] = {{"1,2", 1, 1},  {"1e", 1, 1},      {"1e+", 1, 1}, {"2e5e5", 2e5, 3},
              {"0x10", 0, 1}, {"1.5.2", 1.5, 3}, {"3-4", 3, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value;
    const char *end = svf_number_scan(rows[i].text, &value);
    assert_ptr_equal(end, rows[i].text + rows[i].length);
    assert_true(value == rows[i].value);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_texts), cmocka_unit_test(random_doubles), cmocka_unit_test(midpoints),
      cmocka_unit_test(edges),        cmocka_unit_test(long_texts),     cmocka_unit_test(not_numbers),
      cmocka_unit_test(stops_after),  cmocka_unit_test(short_numbers),  cmocka_unit_test(not_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
