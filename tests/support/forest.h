/* forest.h - tables, settings and forests for tests, made in one line. */
#ifndef SVF_TESTS_FOREST_H
#define SVF_TESTS_FOREST_H

#include "support/test.h"
#include "svforest_inspect.h"

static inline svf_table *test_synth(const char *kind, size_t rows, size_t features, size_t classes, uint64_t seed) {
  svf_message message;
  svf_table *table = NULL;
  svf_synth_options options = {rows, features, classes, seed};
  assert_ok(svf_table_synth(kind, &options, &table, NULL, &message), &message);
  return table;
}

/* A method with "name=value name=value" on top. */
static inline svf_settings *test_settings(const char *method, const char *pairs) {
  svf_message message;
  svf_settings *settings = NULL;
  assert_ok(svf_settings_new(method, &settings, &message), &message);
  while (*pairs) {
    char name[64], value[128];
    int length = 0;
    assert_int_equal(sscanf(pairs, " %63[^=]=%127s%n", name, value, &length), 2);
    assert_ok(svf_settings_set(settings, name, value, &message), &message);
    pairs += length;
  }
  return settings;
}

static inline svf_forest *test_train(const char *method, const char *pairs, const svf_table *table, int threads) {
  svf_message message;
  svf_forest *forest = NULL;
  svf_settings *settings = test_settings(method, pairs);
  svf_run run = {.threads = threads};
  assert_ok(svf_train(settings, table, &run, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

/* Share of the rows classified right, or the mean squared error. */
static inline double test_result(const svf_forest *forest, const svf_table *table) {
  svf_message message;
  size_t n = svf_table_rows(table);
  double *value = malloc(n * sizeof *value), sum = 0;
  svf_prediction out = {.values = value};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  const int32_t *label = svf_table_labels(table);
  for (size_t i = 0; i < n; i++) {
    double error = label ? value[i] != label[i] : value[i] - svf_table_values(table)[i];
    sum += label ? 1 - error : error * error;
  }
  free(value);
  return sum / (double)n;
}

#endif
