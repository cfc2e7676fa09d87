/* test_linear_regime.c - which regime and storage a set of rows gets, on both sides of each limit. */
#include "support/test.h"
#include "svm/linear_regime.h"

static void limits(void **state) {
  (void)state;
  static const struct {
    svf_extent extent;
    svf_regime_number regime;
  } cases[] = {
      {{100, 54, 3, 0}, SVF_REGIME_GRAM},        {{100, 53, 3, 0}, SVF_REGIME_SHORT},
      {{100, 54, 1, 0}, SVF_REGIME_SHORT},       {{60, 79, 3, 1e9}, SVF_REGIME_GRAM},
      {{60, 80, 3, 0}, SVF_REGIME_GRAM_LONG},    {{1000, 31, 3, 1e6}, SVF_REGIME_BRIEF},
      {{1000, 32, 3, 1e6}, SVF_REGIME_SHORT},    {{1000, 63, 3, 1e6}, SVF_REGIME_SHORT},
      {{1000, 64, 3, 1e6}, SVF_REGIME_MIDDLE},   {{1000, 79, 3, 1e6}, SVF_REGIME_MIDDLE},
      {{1000, 80, 3, 1e6}, SVF_REGIME_LONG},     {{444, 127, 3, 1e6}, SVF_REGIME_LONG},
      {{448, 128, 3, 1e6}, SVF_REGIME_LONG_FEW}, {{449, 128, 3, 1e6}, SVF_REGIME_LONG},
      {{1000, 31, 3, 1.1e6}, SVF_REGIME_DOUBLE}, {{1000, 63, 3, 1.1e6}, SVF_REGIME_DOUBLE},
      {{1000, 64, 3, 1.1e6}, SVF_REGIME_SUMS},   {{448, 128, 3, 1.1e6}, SVF_REGIME_SUMS},
      {{1000, 64, 3, 3e7}, SVF_REGIME_DOUBLE},   {{4000, 64, 3, 3e7}, SVF_REGIME_SUMS},
      {{1 << 18, 16, 3, 0}, SVF_REGIME_CROWD},   {{(1 << 18) - 1, 16, 3, 0}, SVF_REGIME_BRIEF},
      {{1 << 18, 16, 3, 1e9}, SVF_REGIME_CROWD}, {{1 << 17, 64, 3, 0}, SVF_REGIME_MIDDLE},
  };
  bool met[SVF_REGIMES] = {false};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const svf_regime *regime = svf_regime_choose(&cases[i].extent);
    assert_string_equal(regime->name, svf_regimes[cases[i].regime].name);
    met[cases[i].regime] = true;
  }
  for (size_t r = 0; r < SVF_REGIMES; r++) assert_true(met[r]);
}

static void storage(void **state) {
  (void)state;
  assert_int_equal(svf_storage_choose((1 << 22) / 60 - 1, 60), SVF_ROWS_AND_PANELS);
  assert_int_equal(svf_storage_choose((1 << 22) / 60, 60), SVF_PANELS_ONLY);
  assert_int_equal(svf_storage_choose((1 << 13) - 1, 64), SVF_ROWS_AND_PANELS);
  assert_int_equal(svf_storage_choose(1 << 13, 64), SVF_ROWS_ONLY);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(storage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
