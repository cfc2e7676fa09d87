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

/* scale=robust against sorting: shapes with and without a quartile range, outliers, missing values. */
static double naive_unit(const double *sorted, size_t n) {
  double middle = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
  double range = sorted[n - 1 - (n - 1) / 4] - sorted[(n - 1) / 4], other[300], apart[300];
  size_t others = 0;
  if (range > 0) return range;
  for (size_t i = 0; i < n; i++)
    if (sorted[i] != middle) other[others++] = sorted[i];
  if (!others) return 0;
  range = other[others - 1 - (others - 1) / 4] - other[(others - 1) / 4];
  for (size_t i = 0; i < others; i++) apart[i] = fabs(other[i] - middle);
  qsort(apart, others, sizeof *apart, by_value);
  return range > 0 ? range : apart[others / 2];
}

static void robust_units(void **state) {
  (void)state;
  enum { N = 300 };
  double x[N], sorted[N], scratch[N];
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (size_t n = 1; n <= N; n += n < 10 ? 1 : 29)
    for (int shape = 0; shape < 6; shape++) {
      size_t kept = 0;
      for (size_t i = 0; i < n; i++) {
        double u = svf_random_unit(&random);
        x[i] = shape == 0   ? svf_random_normal(&random)
               : shape == 1 ? (u < .9 ? 0 : u)  /* the others have a quartile range */
               : shape == 2 ? (u < .9 ? 0 : -2) /* and here they have none */
               : shape == 3 ? (u < .05 ? 1e15 : (double)(u < .3))
               : shape == 4 ? 4
                            : (u < .3 ? NAN : u);
        if (!isnan(x[i])) sorted[kept++] = x[i];
      }
      if (!kept) continue;
      qsort(sorted, kept, sizeof *sorted, by_value);
      svf_spread spread = svf_spread_of(x, n, SVF_SCALE_ROBUST, scratch);
      svf_encoded column;
      double unit = naive_unit(sorted, kept);
      svf_scale_learn(&spread, SVF_SCALE_ROBUST, &column);
      assert_true(column.clipped);
      assert_close(2 * spread.half_unit, unit, 1e-15 * fmax(1, unit));
      assert_close(column.scale, unit > 0 ? 1 / unit : 0, 1e-12);
      assert_close(column.fill, 0, 0);
      for (size_t i = 0; i < n; i++) {
        double z = (x[i] - spread.median) * column.scale, encoded = svf_scale_apply(&column, x[i]);
        if (isnan(x[i])) assert_true(isnan(encoded));
        else assert_close(encoded, z / sqrt(1 + z * z / 9), 1e-9);
      }
    }
}

/* Found by a sample or without one: the exact rule, and findings of each kind. */
static void odd_columns(void **state) {
  (void)state;
  enum { N = 5000 };
  double x[N], scratch[N];
  for (int far = 0, zeros = 0; zeros < 2; zeros += far, far = !far)
    for (size_t n = 40; n <= N; n += N - 40) {
      for (size_t i = 0; i < n; i++) x[i] = (double)(i % 101) / 100;
      for (size_t i = 0; zeros && i < n; i++) x[i] = i % 5 ? 0 : x[i]; /* no quartile range */
      x[n / 3] = 1e9;
      double half = svf_spread_of(x, n, SVF_SCALE_ROBUST, scratch).half_unit;
      x[n / 3] = 2 * half * (far ? 1001 : 999);
      assert_int_equal(svf_spread_of(x, n, SVF_SCALE_UNIT, scratch).outliers, far);
      assert_false(svf_spread_of(x, n, SVF_SCALE_BINARY, scratch).outliers);
    }
  static const struct {
    double x[4];
    svf_scale scale;
    svf_finding finding;
  } odd[] = {
      {{1, 1 + 4e-16, 1, 1 - 2e-16}, SVF_SCALE_UNIT, SVF_FOUND_ROUNDING},
      {{1, 1 + 4e-16, 1, 1 - 2e-16}, SVF_SCALE_ROBUST, SVF_FOUND_ROUNDING},
      {{1, 1 + 4e-15, 1, 1 - 2e-15}, SVF_SCALE_UNIT, SVF_FOUND_NOTHING},
      {{1e-310, 2e-310, 0, NAN}, SVF_SCALE_STANDARD, SVF_FOUND_TINY},
      {{1e-310, 2e-310, 0, NAN}, SVF_SCALE_ROBUST, SVF_FOUND_TINY},
      {{1e-310, 2e-310, 0, NAN}, SVF_SCALE_BINARY, SVF_FOUND_NOTHING},
      {{1e16, 1, 2, 3}, SVF_SCALE_UNIT, SVF_FOUND_LONG_INTEGERS},
      {{1e16, 1, 2.5, 3}, SVF_SCALE_BINARY, SVF_FOUND_NOTHING},
      {{5, 5, 5, 5}, SVF_SCALE_UNIT, SVF_FOUND_NOTHING},
  };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    svf_encoded column;
    svf_spread spread = svf_spread_of(odd[i].x, 4, odd[i].scale, scratch);
    svf_scale_learn(&spread, odd[i].scale, &column);
    assert_int_equal(svf_scale_finding(&spread, &column, odd[i].x, 4), odd[i].finding);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spreads), cmocka_unit_test(middles_in_neighbouring_bins),
                                     cmocka_unit_test(robust_units), cmocka_unit_test(odd_columns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
