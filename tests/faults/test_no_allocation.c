/* test_no_allocation.c - a single row takes no memory, mapping or thread: every such call is counted. */
#include "support/forest.h"
#include "wrap.h"

enum { ROWS = 300, D = 6 };

static void a_row_takes_nothing(void **state) {
  (void)state;
  static const char *const settings[] = {"trees=10",
                                         "trees=2 multiclass=one-vs-one precision=single",
                                         "trees=20 leaf=constant min_leaf_factor=0",
                                         "vote=mean rows=bootstrap",
                                         "cut=best leaf=ls-svm",
                                         "cut=project leaf=ls-svm precision=single"};
  for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
    svf_table *table = test_synth("classification", ROWS, D, 5, 1);
    svf_forest *forest = test_train("rsvt-full", settings[s], table, 1);
    svf_predictor *predictor;
    svf_message message;
    double row[D], value, scores[5], shares[5];
    int32_t leaves[20];
    assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
    fault_plan(FAULT_NONE, 0);
    long live = fault_live();
    for (size_t i = 0; i < ROWS; i++) {
      svf_prediction all = {.values = &value, .scores = scores, .probabilities = shares, .leaves = leaves},
                     one = {.values = &value};
      for (size_t j = 0; j < D; j++) row[j] = (i + j) % 11 ? svf_table_number(table, i, j) : NAN;
      assert_int_equal(svf_predictor_row(predictor, row, i % 2 ? &all : &one, NULL), SVF_OK);
    }
    assert_int_equal(fault_calls(), 0);
    assert_int_equal(fault_live() - live, 0);
    svf_predictor_free(predictor);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* The count above can fail: opening a predictor is seen. */
static void a_predictor_takes_something(void **state) {
  (void)state;
  svf_table *table = test_synth("moons", 50, 2, 0, 1);
  svf_forest *forest = test_train("rsvt", "", table, 1);
  svf_predictor *predictor;
  fault_plan(FAULT_NONE, 0);
  assert_int_equal(svf_predictor_new(forest, &predictor, NULL), SVF_OK);
  assert_true(fault_calls() >= 2);
  svf_predictor_free(predictor);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_takes_nothing),
                                     cmocka_unit_test(a_predictor_takes_something)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
