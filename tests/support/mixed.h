/* mixed.h - small random tables with everything a cut may meet: ties, a constant, categories, missing values, weights. */
#ifndef SVF_TESTS_MIXED_H
#define SVF_TESTS_MIXED_H

#include <stdbool.h>
#include "base/random.h"
#include "support/forest.h"

typedef struct mixed {
  size_t n, classes; /* classes 0: numbers to learn */
  bool missing, weights;
  uint64_t seed;
} mixed;

enum { MIXED_COLUMNS = 6, MIXED_LEVELS = 5 };

/* Columns: fine numbers, 3 values, constant, numbers with ties, a category of five levels and one of two. The target
 * follows the first, the fourth and the first category, with noise. */
static inline svf_table *test_mixed(const mixed *m) {
  static const char *const levels[] = {"a", "b", "c", "d", "e", "f", "g"};
  svf_random random = svf_random_at((svf_place){.seed = m->seed, .use = SVF_USE_SYNTH});
  double *x = calloc(m->n * MIXED_COLUMNS, sizeof *x), *value = calloc(m->n, sizeof *value);
  double *weight = calloc(m->n, sizeof *weight);
  int32_t *code = calloc(2 * m->n, sizeof *code), *label = calloc(m->n, sizeof *label);
  for (size_t i = 0; i < m->n; i++) {
    double *row = x + i * MIXED_COLUMNS;
    row[0] = svf_random_unit(&random);
    row[1] = (double)svf_random_below(&random, 3);
    row[2] = 7;
    row[3] = (double)svf_random_below(&random, 20) / 8 - 1;
    code[i] = (int32_t)svf_random_below(&random, MIXED_LEVELS);
    code[m->n + i] = (int32_t)svf_random_below(&random, 2);
    value[i] = row[0] + row[3] * (code[i] == 2) + .3 * svf_random_unit(&random);
    if (m->classes)
      label[i] = (int32_t)svf_random_below(&random, 4) ? (int32_t)fmod(fabs(4 * value[i]), (double)m->classes)
                                                       : (int32_t)svf_random_below(&random, m->classes);
    weight[i] = svf_random_below(&random, 8) ? .25 + 2 * svf_random_unit(&random) : 0;
    for (size_t j = 0; m->missing && j < 4; j++)
      if (j != 2 && svf_random_below(&random, 5) == 0) row[j] = NAN;
    if (m->missing && svf_random_below(&random, 5) == 0) code[i] = -1;
    if (m->missing && svf_random_below(&random, 9) == 0) code[m->n + i] = -1;
  }
  svf_message message;
  svf_table *table = NULL;
  weight[0] = 1;
  svf_matrix matrix = {
      .values = x, .rows = m->n, .columns = MIXED_COLUMNS, .row_stride = MIXED_COLUMNS, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 4, code, levels, MIXED_LEVELS, &message), &message);
  assert_ok(svf_table_set_categories(table, 5, code + m->n, levels, 2, &message), &message);
  if (m->classes) assert_ok(svf_table_set_classes(table, label, levels, m->classes, &message), &message);
  else assert_ok(svf_table_set_values(table, value, &message), &message);
  if (m->weights) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  free(x);
  free(value);
  free(weight);
  free(code);
  free(label);
  return table;
}

#endif
