/* Ranges of the columns of a matrix, by parts of rows and all threads, against looking at each number. */
#include "base/random.h"
#include "forest/growth/plant.h"
#include "support/test.h"

static void check(size_t n, size_t d, int threads) {
  svf_random random = svf_random_at((svf_place){.seed = n + d});
  svf_run run = {.threads = threads};
  svf_pool pool;
  svf_frame frame = {.n = n, .d = d, .stride = (d + 3) / 4 * 4};
  svf_planting p = {.frame = &frame, .pool = &pool};
  assert_int_equal(svf_pool_open(&pool, &run, NULL), SVF_OK);
  frame.x = calloc(n * frame.stride, sizeof *frame.x);
  assert_non_null(frame.x);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) {
      size_t extreme = j % 3 == 0 ? n - 1 : j % 3 == 1 ? n / 2 : svf_random_below(&random, (uint32_t)n);
      float x = (float)svf_random_normal(&random);
      frame.x[i * frame.stride + j] = j == 1 || (j > 4 && i % 5 == j % 5) ? NAN : i == extreme ? 9 * x : x;
    }
  assert_int_equal(svf_ranges_find(&p, NULL), SVF_OK);
  for (size_t j = 0; j < d; j++) {
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
      low = fminf(low, frame.x[i * frame.stride + j]);
      high = fmaxf(high, frame.x[i * frame.stride + j]);
    }
    assert_true(p.low[j] == low && p.high[j] == high);
  }
  svf_arena_free(&p.arena);
  svf_pool_close(&pool);
  free(frame.x);
}

static void as_number_by_number(void **state) {
  (void)state;
  static const size_t rows[] = {2, 3, 2048, 2051, 4097, 9001};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t d = 1; d <= 41; d += 8)
      for (int threads = 1; threads <= 3; threads++) check(rows[r], d, threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_number_by_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
