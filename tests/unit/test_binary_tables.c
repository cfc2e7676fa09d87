/* test_binary_tables.c - tables of binary and categorical columns alone: every method that is for the target trains on all
 * of them. Rows that are alike and columns that follow from others are common there. SVFOREST_TABLES is the number of
 * tables, usually a few; SVFOREST_METHOD names the one method to try. */
#include <stdbool.h>
#include "base/random.h"
#include "support/forest.h"

enum { FEWEST = 50, MOST = 3000, USUALLY = 4, COLUMNS = 12, LEVELS = 9 };

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};

typedef struct made {
  size_t n, d, levels[COLUMNS]; /* 0: a binary number */
  double *x, *value;            /* codes of categories too; -1: missing */
  int32_t *code;
  svf_table *table;
} made;

/* A column is as good as random, or a copy of an earlier one in most rows. */
static void draw_column(made *m, svf_random *random, size_t j) {
  m->levels[j] = svf_random_below(random, 2) ? 2 + svf_random_below(random, LEVELS - 1) : 0;
  size_t count = m->levels[j] ? m->levels[j] : 2, rare = 1 + svf_random_below(random, 20);
  bool copy = j > 0 && svf_random_below(random, 4) == 0, missing = svf_random_below(random, 5) == 0;
  for (size_t i = 0; i < m->n; i++) {
    double *x = &m->x[i * m->d + j];
    *x = svf_random_below(random, rare) ? 0 : (double)svf_random_below(random, count);
    if (copy && svf_random_below(random, 50)) *x = fmax(0, fmod(m->x[i * m->d + j - 1], (double)count));
    if (missing && m->levels[j] && svf_random_below(random, 9) == 0) *x = -1;
  }
}

static void draw_target(made *m, svf_random *random, bool classes) {
  svf_message message;
  size_t k = 2 + svf_random_below(random, 3);
  for (size_t i = 0; i < m->n; i++) {
    double y = m->x[i * m->d] + 2 * m->x[i * m->d + m->d - 1] + (svf_random_below(random, 5) == 0);
    m->value[i] = y;
    m->code[i] = (int32_t)((size_t)fabs(y) % k);
  }
  if (classes) assert_ok(svf_table_set_classes(m->table, m->code, names, k, &message), &message);
  else assert_ok(svf_table_set_values(m->table, m->value, &message), &message);
}

static svf_table *draw_table(uint64_t number) {
  svf_random random = svf_random_at((svf_place){.seed = number, .use = SVF_USE_SYNTH});
  svf_message message;
  double many = svf_random_unit(&random); /* small tables are as frequent as large ones */
  made m = {.n = (size_t)(FEWEST * pow((double)MOST / FEWEST, many)), .d = 1 + svf_random_below(&random, COLUMNS)};
  m.x = malloc(m.n * m.d * sizeof *m.x), m.value = malloc(m.n * sizeof *m.value);
  m.code = malloc(m.n * sizeof *m.code);
  assert_true(m.x && m.value && m.code);
  for (size_t j = 0; j < m.d; j++) draw_column(&m, &random, j);
  svf_matrix matrix = {.values = m.x, .rows = m.n, .columns = m.d, .row_stride = (ptrdiff_t)m.d, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &m.table, &message), &message);
  for (size_t j = 0; j < m.d; j++) {
    for (size_t i = 0; i < m.n; i++) m.code[i] = (int32_t)m.x[i * m.d + j];
    if (m.levels[j]) assert_ok(svf_table_set_categories(m.table, j, m.code, names, m.levels[j], &message), &message);
  }
  draw_target(&m, &random, number % 2);
  free(m.x);
  free(m.value);
  free(m.code);
  return m.table;
}

/* Two trees of a method do what all of them would. 1: it did not train. */
static int fails(const char *method, const svf_table *table, uint64_t number) {
  svf_message message;
  svf_forest *forest = NULL;
  svf_settings *settings = test_settings(method, "trees=2");
  svf_status status = svf_settings_check(settings, svf_table_task(table), NULL);
  if (status == SVF_OK) status = svf_train(settings, table, NULL, &forest, &message);
  else status = SVF_OK; /* it is not for such a target */
  if (status) print_error("table %d, %zu rows: %s: %s\n", (int)number, svf_table_rows(table), method, message.text);
  if (forest) {
    double result = test_result(forest, table);
    if (!isfinite(result)) status = SVF_DATA, print_error("table %d: %s: %g\n", (int)number, method, result);
  }
  svf_forest_free(forest);
  svf_settings_free(settings);
  return status != SVF_OK;
}

static void all_methods_train(void **state) {
  (void)state;
  const char *wanted = getenv("SVFOREST_TABLES"), *only = getenv("SVFOREST_METHOD");
  size_t count = wanted ? strtoul(wanted, NULL, 10) : USUALLY;
  int failed = 0;
  assert_true(count > 0);
  for (uint64_t number = 1; number <= count; number++) {
    svf_table *table = draw_table(number);
    for (size_t m = 0; m < svf_method_count(); m++)
      if (!only || !strcmp(only, svf_method_at(m)->name)) failed += fails(svf_method_at(m)->name, table, number);
    svf_table_free(table);
  }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_methods_train)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
