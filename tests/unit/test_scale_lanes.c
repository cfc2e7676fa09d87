/* Passes over columns of every instruction set, against looking at each number; all must have the very same results. */
#include "base/random.h"
#include "data/scale.h"
#include "support/test.h"

enum { MOST = 150, BINS = 16 };

/* Numbers of some shape, at times without any neighbours of 64 bytes; special: what any of them may be instead. */
static void draw(svf_random *random, size_t n, double special, double *x) {
  double size = pow(10, (double)svf_random_below(random, 20) - 8);
  bool often = svf_random_below(random, 2);
  for (size_t i = 0; i < n; i++) {
    x[i] = size * svf_random_normal(random);
    if (svf_random_below(random, often ? 3 : 60) == 0) x[i] = special;
  }
}

static void check_range(const svf_scale_lanes *lanes, size_t n, const double *x) {
  double low = INFINITY, high = -INFINITY, found[2];
  size_t missing = 0;
  for (size_t i = 0; i < n; i++) {
    missing += isnan(x[i]);
    if (x[i] < low) low = x[i];
    if (x[i] > high) high = x[i];
  }
  assert_int_equal(lanes->range(n, x, &found[0], &found[1]), missing);
  assert_true(found[0] == low && found[1] == high);
  assert_true(found[0] != 0 || !signbit(found[0]));
  assert_true(found[1] != 0 || !signbit(found[1]));
}

static void check_bins(const svf_scale_lanes *lanes, size_t n, const double *x) {
  double low, high, kept[MOST];
  uint32_t count[BINS] = {0}, expected[BINS] = {0};
  if (n == 0 || lanes->range(n, x, &low, &high) || !(high > low)) return;
  svf_bins bins = {low, (BINS - 1) / (high - low)};
  lanes->tally(n, x, &bins, count);
  for (size_t i = 0; i < n; i++) expected[(int)((x[i] - low) * bins.scale)]++;
  assert_memory_equal(count, expected, sizeof count);
  for (int bin = 0; bin < BINS; bin++) {
    size_t next = 0;
    memcpy(kept, x, n * sizeof *x);
    assert_int_equal(lanes->keep(n, bin % 2 ? kept : x, &bins, bin, kept), count[bin]);
    for (size_t i = 0; i < n; i++)
      if ((int)((x[i] - low) * bins.scale) == bin) assert_true(kept[next++] == x[i]);
  }
}

static void check_encoded(const svf_scale_lanes *lanes, size_t n, const double *x, const svf_encoded *column) {
  float out[MOST + 1];
  bool missing = false;
  svf_affine map = svf_scale_map(column);
  out[n] = -7;
  bool found = lanes->encode(n, x, &map, out);
  for (size_t i = 0; i < n; i++) {
    float expected = (float)svf_scale_apply(column, x[i]);
    missing |= isnan(x[i]);
    assert_true(isnan(x[i]) ? isnan(out[i]) : memcmp(&out[i], &expected, sizeof expected) == 0);
  }
  assert_int_equal(found, missing);
  assert_true(out[n] == -7);
}

static void as_number_by_number(void **state) {
  (void)state;
  static const double special[] = {NAN, 0., -0., 1e300, -1e300, 5e-324, 3};
  svf_random random = svf_random_at((svf_place){.seed = 9});
  assert_non_null(svf_scale_lanes_at(0));
  for (int round = 0; round < 6000; round++) {
    double room[MOST + 1], *x = room + round % 2;
    size_t n = svf_random_below(&random, MOST);
    draw(&random, n, special[round % 7], x);
    svf_encoded column = {.shift = round % 5 ? svf_random_normal(&random) : 0,
                          .scale = round % 3 ? exp(svf_random_normal(&random)) : 1,
                          .clipped = round % 4 == 3};
    for (size_t t = 0; t < 3; t++) {
      const svf_scale_lanes *lanes = svf_scale_lanes_at(t);
      if (!lanes) continue;
      check_range(lanes, n, x);
      check_bins(lanes, n, x);
      check_encoded(lanes, n, x, &column);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_number_by_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
