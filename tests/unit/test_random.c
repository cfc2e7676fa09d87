/* Published vectors of Philox, and the laws that the draws must follow. */
#include "support/test.h"
#include "base/random.h"

static void known_vectors(void **state) {
  (void)state;
  const uint32_t zero_key[2] = {0, 0}, zero[4] = {0, 0, 0, 0};
  const uint32_t ones_key[2] = {~0u, ~0u}, ones[4] = {~0u, ~0u, ~0u, ~0u};
  const uint32_t from_zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const uint32_t from_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  uint32_t out[4];
  svf_philox(zero_key, zero, out);
  assert_memory_equal(out, from_zero, sizeof out);
  svf_philox(ones_key, ones, out);
  assert_memory_equal(out, from_ones, sizeof out);
}

static void every_part_of_a_name_matters(void **state) {
  (void)state;
  svf_place base = {1, 2, 3, 4, 5},
            other[5] = {{9, 2, 3, 4, 5}, {1, 9, 3, 4, 5}, {1, 2, 9, 4, 5}, {1, 2, 3, 9, 5}, {1, 2, 3, 4, 9}};
  svf_random a = svf_random_at(base), again = svf_random_at(base);
  uint64_t first = svf_random_u64(&a);
  assert_true(first == svf_random_u64(&again));
  for (int i = 0; i < 5; i++) {
    svf_random b = svf_random_at(other[i]);
    assert_true(first != svf_random_u64(&b));
  }
}

static void laws(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 7});
  enum { N = 200000, BINS = 7 };
  size_t bin[BINS] = {0};
  double sum = 0, normal = 0, square = 0;
  for (int i = 0; i < N; i++) {
    bin[svf_random_below(&random, BINS)]++;
    double u = svf_random_unit(&random), z = svf_random_normal(&random);
    assert_true(u >= 0 && u < 1);
    sum += u, normal += z, square += z * z;
  }
  for (int b = 0; b < BINS; b++) assert_true(fabs((double)bin[b] - N / 7.) < 5 * sqrt(N / 7.));
  assert_true(fabs(sum / N - .5) < .004);
  assert_true(fabs(normal / N) < .012);
  assert_true(fabs(square / N - 1) < .02);
}

static void shuffles_are_permutations(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 3});
  uint32_t item[50];
  unsigned char seen[50] = {0};
  for (uint32_t i = 0; i < 50; i++) item[i] = i;
  svf_random_shuffle(&random, item, 50);
  for (int i = 0; i < 50; i++) assert_false(seen[item[i]]++);
}

static void children_have_names_of_their_own(void **state) {
  (void)state;
  uint64_t left = svf_random_child(1, 0), right = svf_random_child(1, 1);
  assert_true(left != right && left != 1 && right != 1);
  assert_true(svf_random_child(left, 1) != svf_random_child(right, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(known_vectors), cmocka_unit_test(every_part_of_a_name_matters),
                                     cmocka_unit_test(laws), cmocka_unit_test(shuffles_are_permutations),
                                     cmocka_unit_test(children_have_names_of_their_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
