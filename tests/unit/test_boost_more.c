/* Rounds added to a forest that is there: the forest of one run, but for rounding; and what is refused. */
#include "support/mixed.h"

static svf_message message;

enum { MOST = 600 };

static svf_forest *add(const svf_forest *before, const char *method, const char *pairs, const svf_table *table) {
  svf_forest *forest = NULL;
  svf_settings *settings = test_settings(method, pairs);
  assert_ok(svf_train_more(before, settings, table, NULL, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

static void ask(const svf_forest *forest, const svf_table *table, size_t classes, double *score) {
  double value[MOST];
  svf_prediction out = {.values = classes ? value : score, .scores = classes ? score : NULL};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
}

static void check(const char *method, const char *more, size_t classes) {
  mixed m = {MOST, classes, true, classes != 2, 3};
  svf_table *table = test_mixed(&m);
  double *score[2] = {calloc(MOST * 4, sizeof(double)), calloc(MOST * 4, sizeof(double))};
  char pairs[3][128];
  static const char *const trees[] = {"4", "9", "12"};
  for (int i = 0; i < 3; i++)
    snprintf(pairs[i], sizeof pairs[i], "%s%strees=%s stop_rounds=0", more, *more ? " " : "", trees[i]);
  svf_forest *once = test_train(method, pairs[2], table, 2), *part[3];
  part[0] = test_train(method, pairs[0], table, 2);
  part[1] = add(part[0], method, pairs[1], table);
  part[2] = add(part[1], method, pairs[2], table);
  svf_forest_info info[2];
  svf_forest_describe(once, &info[0]);
  svf_forest_describe(part[2], &info[1]);
  assert_int_equal(info[0].trees, info[1].trees);
  assert_int_equal(info[0].leaves, info[1].leaves);
  ask(once, table, classes, score[0]);
  ask(part[2], table, classes, score[1]);
  bool single = strstr(more, "single") != NULL;
  for (size_t i = 0; i < MOST * (classes ? classes : 1); i++)
    assert_close(score[0][i], score[1][i], single ? 1e-4 : 1e-8);
  svf_forest *loaded = NULL;
  size_t size;
  const void *bytes = svf_forest_bytes(part[2], &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
  svf_forest_free(loaded);
  for (int i = 0; i < 3; i++) svf_forest_free(part[i]);
  svf_forest_free(once);
  free(score[0]);
  free(score[1]);
  svf_table_free(table);
}

static void added_rounds_are_those_of_one_run(void **state) {
  (void)state;
  for (size_t classes = 0; classes <= 4; classes++) {
    if (classes == 1) continue;
    check("boost", "", classes);
    check("boost", "rows=subsample tree_features=0.6", classes);
    check("boost-l", "one_hot_levels=3", classes); /* a category of statistics */
  }
  check("boost", "boost_loss=huber", 0);
  check("boost", "boost_loss=absolute", 0);
  check("boost", "precision=single", 3);
}

/* A stopped forest goes on, too. */
static void rounds_found_by_stopping_are_a_start(void **state) {
  (void)state;
  mixed m = {MOST, 0, false, false, 4};
  svf_table *table = test_mixed(&m);
  svf_forest *stopped = test_train("boost", "trees=40 stop_rounds=3", table, 2), *more;
  svf_forest_info info;
  more = add(stopped, "boost", "trees=50 stop_rounds=0", table);
  svf_forest_describe(more, &info);
  assert_int_equal(info.trees, 50);
  assert_true(test_result(more, table) < test_result(stopped, table));
  svf_forest_free(stopped);
  svf_forest_free(more);
  svf_table_free(table);
}

static int at_once(void *user, const svf_progress *progress) {
  (void)user, (void)progress;
  return 1;
}

static void stopped_at_once_it_is_as_before_or_nothing(void **state) {
  (void)state;
  mixed m = {MOST, 0, false, false, 4};
  svf_table *table = test_mixed(&m);
  svf_forest *before = test_train("boost", "trees=3 stop_rounds=0", table, 2), *more = NULL;
  svf_settings *settings = test_settings("boost", "trees=9 stop_rounds=0");
  svf_run run = {.callback = at_once};
  svf_status status = svf_train_more(before, settings, table, &run, &more, &message);
  assert_true(status == SVF_OK || (status == SVF_STOPPED && !more));
  if (more) assert_close(test_result(more, table), test_result(before, table), 1e-12);
  svf_forest_free(more);
  svf_settings_free(settings);
  svf_forest_free(before);
  svf_table_free(table);
}

static void refused(const svf_forest *before, const char *method, const char *pairs, const svf_table *table,
                    const char *why) {
  svf_forest *forest = NULL;
  svf_settings *settings = test_settings(method, pairs);
  assert_int_not_equal(svf_train_more(before, settings, table, NULL, &forest, &message), SVF_OK);
  assert_null(forest);
  if (!strstr(message.text, why)) fail_msg("%s", message.text);
  svf_settings_free(settings);
}

static void reasons(void **state) {
  (void)state;
  mixed m = {200, 3, false, false, 4}, others = {200, 2, false, false, 4}, numbers = {200, 0, false, false, 4},
        rows = {190, 3, false, false, 4};
  svf_table *table = test_mixed(&m), *two = test_mixed(&others), *values = test_mixed(&numbers),
            *fewer = test_mixed(&rows), *wide = test_synth("classification", 200, 20, 3, 1);
  svf_forest *before = test_train("boost", "trees=3 stop_rounds=0", table, 1),
             *rf = test_train("rf", "trees=3", table, 1);
  refused(before, "boost", "trees=3 stop_rounds=0", table, "already has 3 rounds");
  refused(before, "boost", "trees=5", table, "add rounds with stop_rounds=0");
  refused(before, "boost", "trees=5 stop_rounds=0 learning_rate=0.7", table, "learning_rate");
  refused(before, "boost-l", "trees=5 stop_rounds=0", table, "method");
  refused(rf, "rf", "trees=5", table, "train parts of other forests with first_tree");
  refused(before, "boost", "trees=5 stop_rounds=0", two, "another table");
  refused(before, "boost", "trees=5 stop_rounds=0", values, "another table");
  refused(before, "boost", "trees=5 stop_rounds=0", wide, "another table");
  refused(before, "boost", "trees=5 stop_rounds=0", fewer, "different tables");
  svf_forest_free(before);
  svf_forest_free(rf);
  svf_table_free(table);
  svf_table_free(two);
  svf_table_free(values);
  svf_table_free(fewer);
  svf_table_free(wide);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(added_rounds_are_those_of_one_run),
      cmocka_unit_test(rounds_found_by_stopping_are_a_start),
      cmocka_unit_test(stopped_at_once_it_is_as_before_or_nothing),
      cmocka_unit_test(reasons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
