/* test_number_text.c - numbers as their shortest text, in any locale. */
#include "support/test.h"
#include "base/number_text.h"
#include "base/random.h"

#include <float.h>
#include <locale.h>
#include <stdbool.h>

static void check(double value, const char *expected) {
  char text[SVF_NUMBER_TEXT];
  size_t length = svf_number_text(value, text);
  assert_string_equal(text, expected);
  assert_int_equal(length, strlen(text));
}

static void known(void **state) {
  (void)state;
  check(0, "0"), check(-0.0, "0"), check(1, "1"), check(-1, "-1"), check(0.1, "0.1");
  check(-2.5, "-2.5"), check(100000, "100000"), check(1e-4, "0.0001"), check(1e-5, "1e-5");
  check(123456789012345, "123456789012345"), check(1e15, "1000000000000000"), check(1e16, "1e+16");
  check(0.1 + 0.2, "0.30000000000000004"), check(1e22, "1e+22"), check(1.5e300, "1.5e+300");
  check(DBL_MAX, "1.7976931348623157e+308"), check(DBL_MIN, "2.2250738585072014e-308");
  check(5e-324, "5e-324"), check(-1e-310, "-1e-310");
  check(NAN, "nan"), check(INFINITY, "inf"), check(-INFINITY, "-inf");
}

static double random_bits(svf_random *random) {
  double value;
  do {
    uint64_t bits = svf_random_u64(random);
    memcpy(&value, &bits, sizeof value);
  } while (!isfinite(value));
  return value;
}

/* Reads back to the same number; one digit less does not (checked with the C library's rounding). */
static void reads_back(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (int i = 0; i < 50000; i++) {
    double value = i % 2 ? random_bits(&random) : round(1e6 * svf_random_normal(&random)) / 1000;
    char text[SVF_NUMBER_TEXT], shorter[64];
    assert_in_range(svf_number_text(value, text), 1, SVF_NUMBER_TEXT - 1);
    if (strtod(text, NULL) != value) fail_msg("%a became %s", value, text);
    int digits = 0;
    bool leading = true;
    for (const char *c = text; *c && *c != 'e'; c++) {
      leading = leading && (*c == '0' || *c < '0');
      digits += *c >= '0' && *c <= '9' && !leading;
    }
    if (digits < 2 || strchr(text, '.') == NULL) continue;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    if (strtod(shorter, NULL) == value) fail_msg("%s could be %s", text, shorter);
  }
}

static void any_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
  size_t found = 0;
  while (found < 4 && !setlocale(LC_NUMERIC, names[found])) found++;
  if (found == 4) skip();
  check(0.1, "0.1"), check(1.25e-9, "1.25e-9");
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(reads_back),
                                     cmocka_unit_test(any_locale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
