/* exp and log of our own against the C library's. */
#include "support/test.h"
#include "base/random.h"
#include "la/elementary.h"

static void close_to_the_library(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (int i = 0; i < 200000; i++) {
    double x = 1400 * (svf_random_unit(&random) - .5), y = svf_exp(svf_random_normal(&random) * 30);
    assert_true(fabs(svf_exp(x) - exp(x)) <= 1e-15 * exp(x));
    assert_true(fabs(svf_log(y) - log(y)) <= 1e-15 * fmax(fabs(log(y)), 1e-3));
  }
}

static void edges(void **state) {
  (void)state;
  assert_true(svf_exp(0) == 1 && svf_log(1) == 0);
  assert_true(svf_exp(-1e300) == 0 && isinf(svf_exp(1e300)) && isnan(svf_exp(NAN)));
  assert_close(svf_exp(709), exp(709), 1e-15);
  assert_true(svf_exp(-740) > 0 && svf_exp(-740) < 1e-300);
  assert_close(svf_log(0x1p-1074), log(0x1p-1074), 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(close_to_the_library), cmocka_unit_test(edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
