/* Tuning: the space of candidates, what a grid picks against a plain loop, halving, the budget, the wish to stop. */
#include <time.h>
#include "support/forest.h"
#include "forest/auto/tune.h"

static svf_tuning *tune(const char *method, const char *pairs, const svf_table *table,
                        const svf_tune_options *options, int threads) {
  svf_message message = {""};
  svf_tuning *tuning;
  svf_settings *settings = test_settings(method, pairs);
  svf_run run = {.threads = threads};
  assert_ok(svf_tune(settings, table, options, &run, &tuning, &message), &message);
  svf_settings_free(settings);
  return tuning;
}

static svf_candidate_info candidate(const svf_tuning *tuning, size_t index) {
  svf_candidate_info info;
  svf_tuning_candidate(tuning, index, &info);
  return info;
}

static svf_candidate_info best(const svf_tuning *tuning) {
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  return candidate(tuning, info.best);
}

/* ---- the space ------------------------------------------------------------------------------------ */

static void rows_name_good_values_of_their_settings(void **state) {
  (void)state;
  svf_settings settings;
  svf_settings_reset(&settings);
  for (size_t i = 0; svf_tuned_at(i); i++) {
    const svf_tuned_row *row = svf_tuned_at(i);
    char text[256], *rest;
    snprintf(text, sizeof text, "%s", row->values);
    for (char *value = strtok_r(text, "|", &rest); value; value = strtok_r(NULL, "|", &rest))
      if (svf_settings_assign(&settings, row->setting, value, NULL) != SVF_OK)
        fail_msg("%s=%s", svf_setting_at((size_t)row->setting)->name, value);
    for (const char *when = row->when; *when;) { /* NAME=VALUE, NAME!=VALUE */
      char name[32] = "";
      memcpy(name, when, strcspn(when, "!="));
      if (strcmp(name, "task") != 0) assert_true(svf_setting_find(name) >= 0);
      when += strcspn(when, " ");
      when += *when == ' ';
    }
  }
}

static void conditions_choose_the_rows(void **state) {
  (void)state;
  svf_settings *rf = test_settings("rf", ""), *rsvt = test_settings("rsvt", "");
  svf_tuned_row row = {SVF_SET_min_leaf, "1", "leaf=constant rows=bootstrap"};
  assert_true(svf_tuned_applies(&row, rf, SVF_TASK_CLASS));
  assert_false(svf_tuned_applies(&row, rsvt, SVF_TASK_CLASS));
  row.when = "leaf!=constant";
  assert_false(svf_tuned_applies(&row, rf, SVF_TASK_CLASS));
  assert_true(svf_tuned_applies(&row, rsvt, SVF_TASK_CLASS));
  row.when = "task=regress";
  assert_false(svf_tuned_applies(&row, rf, SVF_TASK_CLASS));
  assert_true(svf_tuned_applies(&row, rf, SVF_TASK_REGRESS));
  row.when = "nothing=1";
  assert_false(svf_tuned_applies(&row, rf, SVF_TASK_CLASS));
  assert_true(svf_settings_has(rsvt, SVF_SET_C_grid, "0.25,0.50,1e0,2,4"));
  assert_false(svf_settings_has(rsvt, SVF_SET_C_grid, "0.25,0.5,1,2"));
  svf_settings_free(rf);
  svf_settings_free(rsvt);
}

static void values_are_listed(void **state) {
  (void)state;
  svf_settings *settings = test_settings("rf", "min_leaf=3");
  char text[64];
  assert_int_equal(svf_tune_values(settings, SVF_TASK_REGRESS, 0, text, sizeof text), SVF_OK);
  assert_string_equal(text, "features=auto|sqrt|third");
  assert_int_equal(svf_tune_values(settings, SVF_TASK_REGRESS, 0, text, strlen(text)), SVF_USAGE);
  assert_string_equal(text, "");
  assert_int_equal(svf_tune_values(settings, SVF_TASK_REGRESS, 1, text, sizeof text), SVF_USAGE);
  assert_int_equal(svf_tune_values(settings, SVF_TASK_CLASS, 1, text, sizeof text), SVF_OK);
  assert_string_equal(text, "criterion=auto|entropy");
  svf_settings_free(settings);
}

/* Every method has something to tune for every task it does, and what the table offers is legal. */
static void every_method_can_be_tuned(void **state) {
  (void)state;
  for (size_t m = 0; m < svf_method_count() && strcmp(svf_method_at(m)->name, "auto"); m++) /* the last */
    for (svf_task task = SVF_TASK_CLASS; task <= SVF_TASK_REGRESS; task++) {
      svf_settings *settings = test_settings(svf_method_at(m)->name, ""), found;
      svf_tune_options options = {0};
      svf_message message;
      svf_space space;
      if (svf_settings_check(settings, task, &message) == SVF_OK) {
        assert_ok(svf_space_open(&space, settings, task, &options, &message), &message);
        assert_true(space.size > 1);
        svf_space_at(&space, 0, &found);
        assert_memory_equal(&found, settings, sizeof found);
        for (uint64_t i = 0; i < space.size && i < 500; i++) {
          svf_space_at(&space, i, &found);
          assert_ok(svf_settings_check(&found, task, &message), &message);
        }
        svf_space_close(&space);
      }
      svf_settings_free(settings);
    }
}

static void space_is_the_product_of_its_values(void **state) {
  (void)state;
  static const char *const tries[] = {"trees=1|2|2.0|3", "scale=unit|none"}, /* 2.0 is 2 */
      *const wanted[] = {"trees=1", "trees=1 scale=none", "trees=2", "trees=2 scale=none",
                         "trees=3", "trees=3 scale=none"};
  svf_settings *settings = test_settings("rsvt", ""), found;
  svf_tune_options options = {.tries = tries, .try_count = 2};
  svf_message message;
  svf_space space;
  assert_ok(svf_space_open(&space, settings, SVF_TASK_CLASS, &options, &message), &message);
  assert_int_equal(space.size, 6);
  for (uint64_t i = 0; i < 6; i++) {
    svf_buffer text = {0};
    svf_space_at(&space, i, &found);
    assert_true(svf_space_text(&space, &found, &text) && svf_buffer_add(&text, "", 1));
    assert_string_equal((char *)text.data, wanted[i]);
    svf_buffer_free(&text);
  }
  svf_space_close(&space);
  svf_settings_free(settings);
}

static void random_order_meets_each_once(void **state) {
  (void)state;
  for (uint64_t size = 1; size < 200; size++) {
    svf_space space = {.size = size};
    unsigned char seen[200] = {0};
    for (uint64_t place = 0; place < size; place++) {
      uint64_t index = svf_space_shuffled(&space, place);
      assert_true(index < size && !seen[index]);
      seen[index] = 1;
    }
    assert_int_equal(svf_space_shuffled(&space, 0), 0);
  }
  svf_space a = {.size = SVF_SPACE_MOST}, b = {.size = SVF_SPACE_MOST, .base.seed = 1};
  assert_true(svf_space_shuffled(&a, 7) != svf_space_shuffled(&b, 7));
}

/* ---- what is chosen ----------------------------------------------------------------------------- */

/* Mean score of a method over folds, by hand. */
static double by_hand(const char *method, const char *pairs, const svf_table *table, size_t folds, uint64_t seed) {
  svf_message message;
  size_t n = svf_table_rows(table), *row = malloc(n * sizeof *row);
  int32_t *fold = malloc(n * sizeof *fold);
  double sum = 0;
  assert_ok(svf_table_folds(table, folds, seed, fold, &message), &message);
  for (size_t f = 0; f < folds; f++) {
    svf_table *part[2];
    for (int inside = 0; inside < 2; inside++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++)
        if (((size_t)fold[i] == f) == inside) row[count++] = i;
      assert_ok(svf_table_take(table, row, count, &part[inside], &message), &message);
    }
    svf_forest *forest = test_train(method, pairs, part[0], 1);
    sum += test_result(forest, part[1]);
    svf_forest_free(forest);
    svf_table_free(part[0]);
    svf_table_free(part[1]);
  }
  free(fold);
  free(row);
  return sum / (double)folds;
}

/* The grid's scores are those of the loop above, and the best is the first of the best. */
static void check_grid(const char *kind, bool less) {
  static const char *const tries[] = {"min_leaf=1|5|40", "features=1|all"};
  svf_table *table = test_synth(kind, 150, 0, 0, 3);
  svf_tune_options options = {.search = SVF_TUNE_GRID, .folds = 3, .tries = tries, .try_count = 2};
  svf_tuning *tuning = tune("rf", "trees=5 seed=9", table, &options, 1);
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_int_equal(info.candidates, 6);
  assert_int_equal(info.complete, 6);
  assert_true(info.combinations == 6 && info.folds == 3 && !info.late);
  size_t top = 0;
  for (size_t i = 0; i < 6; i++) {
    char pairs[128];
    svf_candidate_info c = candidate(tuning, i);
    snprintf(pairs, sizeof pairs, "trees=5 seed=9 %s", c.settings);
    assert_close(c.score, by_hand("rf", pairs, table, 3, 9), 1e-12);
    assert_true(c.rows == 1);
    double lead = c.score - candidate(tuning, top).score;
    if (less ? lead < 0 : lead > 0) top = i;
  }
  assert_int_equal(info.best, top);
  char text[32];
  assert_ok(svf_settings_get(svf_tuning_settings(tuning), "min_leaf", text, sizeof text), &(svf_message){""});
  assert_true(strstr(best(tuning).settings, "min_leaf=") ? strstr(best(tuning).settings, text) != NULL
                                                         : !strcmp(text, "1"));
  svf_tuning_free(tuning);
  svf_table_free(table);
}

static void grid_equals_a_plain_loop(void **state) {
  (void)state;
  check_grid("moons", false);
  check_grid("friedman1", true);
}

/* Trees of one leaf, or nearly, cannot win: halving finds the same as all on all rows, with less work. */
static void halving_keeps_the_best(void **state) {
  (void)state;
  static const char *const tries[] = {"max_depth=1|2|3|4|5|6|0", "min_leaf=2|300|200"};
  svf_table *table = test_synth("moons", 1500, 0, 0, 1);
  svf_tune_options options = {.folds = 3, .tries = tries, .try_count = 2};
  svf_tuning *quick = tune("et", "trees=8", table, &options, 2);
  options.search = SVF_TUNE_GRID;
  svf_tuning *whole = tune("et", "trees=8", table, &options, 2);
  svf_tuning_info info;
  svf_tuning_describe(quick, &info);
  assert_int_equal(info.candidates, 21);
  assert_true(info.complete < 5);
  assert_true(best(quick).score >= best(whole).score - 0.005);
  size_t behind = 0;
  for (size_t i = 0; i < info.candidates; i++) behind += candidate(quick, i).rows < 1;
  assert_int_equal(behind, 21 - info.complete);
  svf_tuning_free(quick);
  svf_tuning_free(whole);
  svf_table_free(table);
}

static void same_seed_same_answer(void **state) {
  (void)state;
  for (svf_tune_search search = SVF_TUNE_HALVING; search <= SVF_TUNE_RANDOM; search++) {
    svf_table *table = test_synth("rings", 700, 0, 0, 1);
    svf_tune_options options = {.search = search, .folds = 2, .candidates = 9};
    svf_tuning *one = tune("rf", "trees=3", table, &options, 1), *three = tune("rf", "trees=3", table, &options, 3);
    for (size_t i = 0; i < 9; i++) {
      svf_candidate_info a = candidate(one, i), b = candidate(three, i);
      assert_string_equal(a.settings, b.settings);
      assert_true(a.score == b.score && a.rows == b.rows);
      if (search == SVF_TUNE_RANDOM)
        for (size_t j = 0; j < i; j++) assert_string_not_equal(a.settings, candidate(one, j).settings);
    }
    assert_string_equal(candidate(one, 0).settings, ""); /* the method as it is */
    assert_string_equal(best(one).settings, best(three).settings);
    svf_tuning_free(one);
    svf_tuning_free(three);
    svf_table_free(table);
  }
}

/* What was set by hand stays; what the method does not read is not tried. */
static void given_settings_stay(void **state) {
  (void)state;
  svf_table *table = test_synth("moons", 100, 0, 0, 1);
  svf_tune_options options = {.search = SVF_TUNE_RANDOM, .folds = 2, .candidates = 1000};
  svf_tuning *tuning = tune("rf", "trees=1 min_leaf=3 criterion=entropy", table, &options, 1);
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_int_equal(info.candidates, 3); /* features alone */
  assert_string_equal(candidate(tuning, 0).settings, "");
  for (size_t i = 1; i < 3; i++) assert_int_equal(strncmp(candidate(tuning, i).settings, "features=", 9), 0);
  svf_tuning_free(tuning);
  svf_table_free(table);
}

/* ---- how it ends -------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void budget_ends_the_search(void **state) {
  (void)state;
  static const char *const tries[] = {"trees=1|1000000"};
  svf_table *table = test_synth("moons", 600, 0, 0, 1);
  svf_tune_options options = {.search = SVF_TUNE_GRID, .folds = 2, .budget = 0.3, .tries = tries, .try_count = 1};
  double start = now();
  svf_tuning *tuning = tune("rf", "", table, &options, 1);
  double seconds = now() - start;
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_true(info.late && info.candidates == 1 && info.seconds >= 0.3);
  assert_string_equal(best(tuning).settings, "trees=1");
  assert_true(seconds < 5); /* not the hour that the other takes */
  svf_tuning_free(tuning);
  svf_message message = {""};
  svf_settings *settings = test_settings("rf", "trees=1000000");
  options.try_count = 0;
  assert_int_equal(svf_tune(settings, table, &options, NULL, &tuning, &message), SVF_STOPPED);
  assert_null(tuning);
  assert_non_null(strstr(message.text, "raise the budget"));
  svf_settings_free(settings);
  svf_table_free(table);
}

/* Under a budget brackets follow each other until there is nothing left to try. */
static void budget_for_all_tries_all(void **state) {
  (void)state;
  svf_table *table = test_synth("moons", 500, 0, 0, 1);
  svf_tune_options options = {.folds = 2, .budget = 300};
  svf_tuning *tuning = tune("et", "trees=1 features=1", table, &options, 1);
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_true(!info.late && (double)info.candidates == info.combinations);
  svf_tuning_free(tuning);
  svf_table_free(table);
}

static int stop_at_two(void *user, const svf_tuning *tuning, size_t number) {
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_int_equal(info.candidates, ++*(size_t *)user);
  assert_int_equal(number, info.candidates - 1);
  return info.candidates == 2;
}

static int stop_at_once(void *user, const svf_progress *progress) {
  (void)user;
  assert_true(progress->done >= 0 && progress->done <= 1);
  return 1;
}

static void stopped_search_has_the_best_so_far(void **state) {
  (void)state;
  static const char *const tries[] = {"min_leaf=40|1|2|3"};
  size_t told = 0;
  svf_message message;
  svf_tuning *tuning;
  svf_table *table = test_synth("moons", 100, 0, 0, 1);
  svf_settings *settings = test_settings("rf", "trees=2");
  svf_tune_options options = {
      .search = SVF_TUNE_GRID, .folds = 2, .tries = tries, .try_count = 1, .tell = stop_at_two, .user = &told};
  assert_int_equal(svf_tune(settings, table, &options, NULL, &tuning, &message), SVF_STOPPED);
  assert_int_equal(told, 2);
  assert_string_equal(best(tuning).settings, ""); /* min_leaf=1 is the method's own */
  svf_tuning_free(tuning);
  svf_run run = {.callback = stop_at_once};
  options.tell = NULL;
  assert_int_equal(svf_tune(settings, table, &options, &run, &tuning, &message), SVF_STOPPED);
  assert_null(tuning);
  svf_settings_free(settings);
  svf_table_free(table);
}

/* oblique=yes refuses range=cell, and nothing else of the four. */
static void refused_combinations_are_counted(void **state) {
  (void)state;
  static const char *const tries[] = {"range=data|cell", "oblique=no|yes"};
  svf_table *table = test_synth("friedman1", 100, 5, 0, 1);
  for (svf_tune_search search = SVF_TUNE_HALVING; search <= SVF_TUNE_GRID; search++) {
    svf_tune_options options = {.search = search, .folds = 2, .tries = tries, .try_count = 2};
    svf_tuning *tuning = tune("tbrf-c", "trees=1", table, &options, 1);
    svf_tuning_info info;
    svf_tuning_describe(tuning, &info);
    assert_int_equal(info.candidates, 3);
    assert_int_equal(info.refused, 1);
    assert_non_null(strstr(info.refusal, "cuts along one feature"));
    svf_tuning_free(tuning);
  }
  svf_tuning *plain = tune("rf", "trees=1", table, &(svf_tune_options){.folds = 2, .candidates = 2}, 1);
  svf_tuning_info info;
  svf_tuning_describe(plain, &info);
  assert_true(info.refused == 0 && !info.refusal[0]);
  svf_tuning_free(plain);
  svf_table_free(table);
}

/* What was set stays: to try it as well is a contradiction. */
static void set_and_tried_is_refused(void **state) {
  (void)state;
  static const char *const tries[] = {"trees=1|2"};
  svf_table *table = test_synth("moons", 100, 0, 0, 1);
  svf_settings *settings = test_settings("rf", "trees=3");
  svf_tune_options options = {.folds = 2, .tries = tries, .try_count = 1};
  svf_message message;
  svf_tuning *tuning;
  assert_int_equal(svf_tune(settings, table, &options, NULL, &tuning, &message), SVF_USAGE);
  assert_null(tuning);
  assert_non_null(strstr(message.text, "trees is both set"));
  svf_settings_free(settings);
  svf_table_free(table);
}

/* class_weight=given fails in training, as the table has no weights. */
static void failed_candidates_are_left_out(void **state) {
  (void)state;
  static const char *const tries[] = {"class_weight=none|given|balanced"};
  svf_table *table = test_synth("moons", 100, 0, 0, 1);
  svf_tune_options options = {.search = SVF_TUNE_GRID, .folds = 2, .tries = tries, .try_count = 1};
  svf_tuning *tuning = tune("rf", "trees=2", table, &options, 1);
  svf_tuning_info info;
  svf_tuning_describe(tuning, &info);
  assert_true(info.candidates == 3 && info.complete == 2 && info.failed == 1);
  assert_true(isnan(candidate(tuning, 1).score));
  svf_tuning_free(tuning);
  svf_table_free(table);
}

static void refused(const char *text, svf_tune_options options, const char *word) {
  svf_message message = {""};
  svf_tuning *tuning;
  svf_table *table = test_synth("moons", 40, 0, 0, 1);
  svf_settings *settings = test_settings("rsvt", "");
  options.tries = &text;
  options.try_count = text != NULL;
  assert_int_equal(svf_tune(settings, table, &options, NULL, &tuning, &message), SVF_USAGE);
  assert_null(tuning);
  if (!strstr(message.text, word)) fail_msg("'%s' lacks '%s'", message.text, word);
  svf_settings_free(settings);
  svf_table_free(table);
}

static void bad_wishes_are_refused(void **state) {
  (void)state;
  refused("trees", (svf_tune_options){0}, "NAME=VALUE|VALUE");
  refused("trees=", (svf_tune_options){0}, "NAME=VALUE|VALUE");
  refused("=5", (svf_tune_options){0}, "NAME=VALUE|VALUE");
  refused("tress=1|2", (svf_tune_options){0}, "tress");
  refused("trees=1|many", (svf_tune_options){0}, "many");
  refused("trees=1||2", (svf_tune_options){0}, "trees=");
  refused("leaf=constant|nothing", (svf_tune_options){0}, "nothing");
  refused("seed=1|2", (svf_tune_options){0}, "seed");
  refused("features=1|2", (svf_tune_options){0}, "no meaning");
  refused(NULL, (svf_tune_options){.folds = 41}, "folds");
  refused(NULL, (svf_tune_options){.folds = 1}, "folds");
  refused(NULL, (svf_tune_options){.budget = -1}, "budget");
  refused(NULL, (svf_tune_options){.budget = NAN}, "budget");
  refused(NULL, (svf_tune_options){.search = (svf_tune_search)7}, "search");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_name_good_values_of_their_settings),
      cmocka_unit_test(conditions_choose_the_rows),
      cmocka_unit_test(values_are_listed),
      cmocka_unit_test(every_method_can_be_tuned),
      cmocka_unit_test(space_is_the_product_of_its_values),
      cmocka_unit_test(random_order_meets_each_once),
      cmocka_unit_test(grid_equals_a_plain_loop),
      cmocka_unit_test(halving_keeps_the_best),
      cmocka_unit_test(same_seed_same_answer),
      cmocka_unit_test(given_settings_stay),
      cmocka_unit_test(budget_ends_the_search),
      cmocka_unit_test(budget_for_all_tries_all),
      cmocka_unit_test(stopped_search_has_the_best_so_far),
      cmocka_unit_test(refused_combinations_are_counted),
      cmocka_unit_test(set_and_tried_is_refused),
      cmocka_unit_test(failed_candidates_are_left_out),
      cmocka_unit_test(bad_wishes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
