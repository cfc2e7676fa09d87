/* Draws by weight: items against a plain search over the sums, and how often each comes. */
#include "support/test.h"
#include "base/wheel.h"

static void a_wheel_is_a_search(void **state) {
  (void)state;
  svf_arena arena = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    svf_random make = svf_random_at((svf_place){seed, 99, 0, 0, 0});
    size_t n = 1 + svf_random_below(&make, 50);
    double weight[50], sum[50], all = 0;
    for (size_t i = 0; i < n; i++) weight[i] = exp((double)(seed % 3 * 10) * svf_random_normal(&make)) + 1e-300;
    for (size_t i = 0; i < n; i++) sum[i] = all += weight[i];
    svf_wheel wheel = svf_wheel_make(&arena, n, weight);
    svf_random a = svf_random_at((svf_place){seed, 98, 0, 0, 0}), b = a;
    for (int draw = 0; draw < 300; draw++) {
      double at = svf_random_unit(&b) * all;
      size_t i = 0;
      while (i + 1 < n && sum[i] <= at) i++;
      assert_int_equal(svf_wheel_draw(&wheel, &a), i);
    }
  }
  svf_arena_free(&arena);
}

static void items_come_by_weight(void **state) {
  (void)state;
  enum { ITEMS = 5, DRAWS = 100000 };
  static const double weight[ITEMS] = {1, 1e-9, 4, 0x1p-3, 3};
  double count[ITEMS] = {0}, all = 0;
  svf_arena arena = {0};
  svf_wheel wheel = svf_wheel_make(&arena, ITEMS, weight);
  svf_random random = svf_random_at((svf_place){1, 99, 0, 0, 0});
  for (int i = 0; i < ITEMS; i++) all += weight[i];
  for (int draw = 0; draw < DRAWS; draw++) count[svf_wheel_draw(&wheel, &random)]++;
  for (int i = 0; i < ITEMS; i++) {
    double p = weight[i] / all;
    assert_true(fabs(count[i] - DRAWS * p) <= 5 * sqrt(DRAWS * p * (1 - p)) + .5);
  }
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_wheel_is_a_search), cmocka_unit_test(items_come_by_weight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
