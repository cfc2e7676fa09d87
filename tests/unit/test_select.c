/* test_select.c - order statistics against sorting: ties, few numbers, far ones, infinities. */
#include "base/select.h"

#include "base/random.h"
#include "support/test.h"

enum { MOST = 700 };

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static void draw(svf_random *random, int kind, size_t n, float *x) {
  for (size_t i = 0; i < n; i++) {
    float u = (float)svf_random_unit(random);
    x[i] = kind == 0   ? u
           : kind == 1 ? (float)(int)(5 * u)
           : kind == 2 ? (float)i
           : kind == 3 ? (i % 7 ? u * 1e-30f : 1e30f * (u - .5f))
           : kind == 4 ? 3
           : kind == 5 ? (i % 9   ? u
                          : i % 2 ? INFINITY
                                  : -INFINITY)
                       : 1e-45f * (float)(int)(9 * u);
  }
}

static void as_sorted(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 6});
  for (int round = 0; round < 4000; round++) {
    float x[MOST], y[MOST], sorted[MOST], ends[2];
    size_t n = 1 + svf_random_below(&random, round % 3 ? 40 : MOST), k = svf_random_below(&random, n);
    draw(&random, round % 7, n, x);
    memcpy(sorted, x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, by_value);
    svf_select_ends(x, n, k, y, ends);
    assert_true(ends[0] == sorted[k] && ends[1] == sorted[n - 1 - k]);
    assert_true(svf_select(x, n, k) == sorted[k]);
    for (size_t i = 0; i < n; i++) assert_true(i < k ? x[i] <= x[k] : x[i] >= x[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_sorted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
