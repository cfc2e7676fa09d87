/* test_scale.c - what columns are like, against sorting and plain sums. */
#include "support/test.h"
#include "base/random.h"
#include "data/scale.h"

static int by_value(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* On orders that are hard for selection too. */
static void spreads(void **state) {
  (void)state;
  enum { FEW = 200, MOST = 5000 };
  double x[MOST], sorted[MOST], scratch[MOST];
  svf_random random = svf_random_at((svf_place){.seed = 4});
  for (size_t n = 1; n <= MOST; n += n < FEW ? 20 : n < 4090 ? 3899 : 121) /* from 4097 on, in bins */
    for (int shape = 0; shape < 6; shape++) {
      for (size_t i = 0; i < n; i++)
        x[i] = shape == 0   ? svf_random_normal(&random)
               : shape == 1 ? (double)svf_random_below(&random, 3)
               : shape == 2 ? (double)i
               : shape == 3 ? (double)(i % 2)                      /* of an even number, half are in another bin */
               : shape == 4 ? exp(30 * svf_random_normal(&random)) /* nearly all in one bin */
                            : fabs((double)i - (double)n / 2);
      double mean = 0, squares = 0;
      size_t between = 0;
      for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
      for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean) / (double)n;
      memcpy(sorted, x, sizeof x);
      qsort(sorted, n, sizeof *sorted, by_value);
      svf_spread spread = svf_spread_of(x, n, SVF_SCALE_STANDARD, scratch);
      assert_close(spread.median, (sorted[n / 2] + sorted[(n - 1) / 2]) / 2, 0);
      assert_close(spread.low, sorted[0], 0);
      assert_close(spread.high, sorted[n - 1], 0);
      assert_close(spread.mean, mean, 1e-12);
      assert_close(spread.deviation, sqrt(squares), 1e-12);
      for (size_t i = 0; i < n; i++) between += sorted[i] > sorted[0] && sorted[i] < sorted[n - 1];
      assert_int_equal(spread.two, between == 0);
    }
  svf_spread binary = svf_spread_of_binary(3, 1);
  svf_spread plain = svf_spread_of((double[]){0, 1, 0, 0}, 4, SVF_SCALE_MIXED, scratch);
  assert_close(binary.deviation, plain.deviation, 1e-15);
  assert_close(binary.median, plain.median, 0);
  assert_true(binary.two && plain.two);
  assert_close(svf_spread_of_binary(2, 2).median, 0.5, 0);
}

/* An even number of values, of which the two in the middle are the last of a bin and the first of the next: so for some of
 * the largest values. */
static void middles_in_neighbouring_bins(void **state) {
  (void)state;
  enum { N = 4100, STEP = 7 }; /* without a common divisor */
  double x[N], scratch[N];
  for (int more = 0; more < 12; more++) {
    for (size_t i = 0; i < N; i++) x[i * STEP % N] = (double)i + (i == N - 1 ? more : 0);
    assert_close(svf_spread_of(x, N, SVF_SCALE_UNIT, scratch).median, N / 2 - .5, 0);
    x[5] = NAN; /* the value 3515: above the middle */
    assert_close(svf_spread_of(x, N, SVF_SCALE_UNIT, scratch).median, N / 2 - 1, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spreads), cmocka_unit_test(middles_in_neighbouring_bins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
