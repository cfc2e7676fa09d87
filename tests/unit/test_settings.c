/* Settings: every row round-trips, every range is enforced, choices stand in the order of their enumerators,
 * presets are legal. */
#include "support/forest.h"
#include "settings/settings.h"

static void defaults_round_trip(void **state) {
  (void)state;
  svf_settings settings, again;
  svf_settings_reset(&settings);
  for (int i = 0; i < SVF_SETTINGS; i++) {
    const svf_setting_info *info = svf_setting_at((size_t)i);
    svf_buffer text = {0};
    assert_true(svf_settings_print(&settings, i, &text) && svf_buffer_add(&text, "", 1));
    assert_string_equal((char *)text.data, info->standard);
    assert_int_equal(svf_settings_assign(&again, i, (char *)text.data, NULL), SVF_OK);
    assert_true(info->help[0] && info->type[0]);
    svf_buffer_free(&text);
  }
  assert_null(svf_setting_at(SVF_SETTINGS));
}

static void refused(const char *name, const char *value) {
  svf_settings *settings = test_settings("rsvt", "");
  svf_message message = {""};
  if (svf_settings_set(settings, name, value, &message) != SVF_USAGE) fail_msg("%s=%s was taken", name, value);
  assert_true(message.text[0]);
  svf_settings_free(settings);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  refused("trees", "0");
  refused("trees", "1.5");
  refused("trees", "nan");
  refused("trees", "");
  refused("trees", "10x");
  refused("C", "-1");
  refused("C", "inf");
  refused("C", "0x10");
  refused("C_grid", "");
  refused("C_grid", "1,");
  refused("C_grid", "1,,2");
  refused("C_grid", "1,0");
  refused("rows", "some");
  refused("rows", "all|bootstrap");
  refused("cut", "nothing");
  refused("Trees", "1");
  refused("seed", "-1");
  refused("features", "0");
  refused("features", "-1");
  refused("features", "1.5");
  refused("features", "some");
  refused("features", "1..1000000000");
  refused("features", "");
}

static void nothing_changes_on_refusal(void **state) {
  (void)state;
  svf_settings *settings = test_settings("rsvt", "C_grid=1,2");
  assert_int_equal(svf_settings_set(settings, "C_grid", "3,x", NULL), SVF_USAGE);
  char text[64];
  assert_int_equal(svf_settings_get(settings, "C_grid", text, sizeof text), SVF_OK);
  assert_string_equal(text, "1,2");
  assert_int_equal(svf_settings_get(settings, "C_grid", text, 3), SVF_USAGE);
  assert_int_equal(svf_settings_get(settings, "nothing", text, sizeof text), SVF_USAGE);
  svf_settings_free(settings);
}

static void a_count_is_a_word_or_a_number(void **state) {
  (void)state;
  static const char *const values[] = {"auto", "sqrt", "third", "all", "1", "17"};
  static const int64_t numbers[] = {
      SVF_FEATURES_AUTO, SVF_FEATURES_SQRT, SVF_FEATURES_THIRD, SVF_FEATURES_ALL, 1, 17};
  svf_settings s;
  svf_settings_reset(&s);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[16];
    assert_int_equal(svf_settings_assign(&s, SVF_SET_features, values[i], NULL), SVF_OK);
    assert_int_equal(s.features, numbers[i]);
    assert_int_equal(svf_settings_get(&s, "features", text, sizeof text), SVF_OK);
    assert_string_equal(text, values[i]);
  }
}

/* word is the value of the choice with this enumerator. */
static void enumerator(const char *name, const char *word, int number, const int *place, svf_settings *settings) {
  assert_int_equal(svf_settings_assign(settings, svf_setting_find(name), word, NULL), SVF_OK);
  assert_int_equal(*place, number);
}

static void words_stand_in_the_order_of_their_enumerators(void **state) {
  (void)state;
  svf_settings s;
  svf_settings_reset(&s);
  enumerator("rows", "all", SVF_ROWS_ALL, &s.rows, &s);
  enumerator("rows", "bootstrap", SVF_ROWS_BOOTSTRAP, &s.rows, &s);
  enumerator("rows", "subsample", SVF_ROWS_SUBSAMPLE, &s.rows, &s);
  enumerator("rows", "balanced", SVF_ROWS_BALANCED, &s.rows, &s);
  enumerator("precision", "single", SVF_PRECISION_SINGLE, &s.precision, &s);
  enumerator("cpu", "portable", SVF_CPU_PORTABLE, &s.cpu, &s);
  enumerator("refused", "stop", SVF_REFUSED_STOP, &s.refused, &s);
  enumerator("refused", "redraw", SVF_REFUSED_REDRAW, &s.refused, &s);
  enumerator("range", "data", SVF_RANGE_DATA, &s.range, &s);
  enumerator("range", "cell", SVF_RANGE_CELL, &s.range, &s);
  enumerator("criterion", "auto", SVF_CRITERION_AUTO, &s.criterion, &s);
  enumerator("criterion", "gini", SVF_CRITERION_GINI, &s.criterion, &s);
  enumerator("criterion", "entropy", SVF_CRITERION_ENTROPY, &s.criterion, &s);
  enumerator("criterion", "variance", SVF_CRITERION_VARIANCE, &s.criterion, &s);
  enumerator("loss", "squared-hinge", SVF_LOSS_SQUARED, &s.loss, &s);
  enumerator("loss", "hinge", SVF_LOSS_HINGE, &s.loss, &s);
  enumerator("bias", "no", SVF_BIAS_NO, &s.bias, &s);
  enumerator("multiclass", "one-vs-rest", SVF_MULTICLASS_REST, &s.multiclass, &s);
  enumerator("multiclass", "one-vs-one", SVF_MULTICLASS_ONE, &s.multiclass, &s);
  enumerator("multiclass", "crammer-singer", SVF_MULTICLASS_CRAMMER, &s.multiclass, &s);
  enumerator("class_weight", "balanced", SVF_CLASS_WEIGHT_BALANCED, &s.class_weight, &s);
  enumerator("class_weight", "given", SVF_CLASS_WEIGHT_GIVEN, &s.class_weight, &s);
  enumerator("rest_weight", "class", SVF_REST_WEIGHT_CLASS, &s.rest_weight, &s);
  enumerator("scale", "standard", 1, &s.scale, &s);
}

static void presets_are_legal_and_named(void **state) {
  (void)state;
  for (size_t i = 0; i < svf_method_count(); i++) {
    const svf_method_info *info = svf_method_at(i);
    svf_settings *settings = test_settings(info->name, "");
    svf_message message;
    assert_ok(svf_settings_check(settings, SVF_TASK_AUTO, &message), &message);
    assert_string_equal(svf_settings_method(settings), info->name);
    assert_true(info->title[0] && info->paper[0]);
    svf_settings_free(settings);
  }
  svf_settings *none = NULL;
  svf_message message;
  assert_int_equal(svf_settings_new("rsvtt", &none, &message), SVF_USAGE);
  assert_null(none);
  assert_non_null(strstr(message.text, "rsvt-full"));
}

static void illegal(const char *method, const char *pairs, svf_task task, const char *word) {
  svf_settings *settings = test_settings(method, pairs);
  svf_message message = {""};
  assert_int_equal(svf_settings_check(settings, task, &message), SVF_USAGE);
  if (!strstr(message.text, word)) fail_msg("'%s' does not say '%s'", message.text, word);
  svf_settings_free(settings);
}

static void illegal_combinations_say_why(void **state) {
  (void)state;
  illegal("rsvt", "", SVF_TASK_REGRESS, "leaf");
  illegal("rsvt", "leaf=constant", SVF_TASK_REGRESS, "vote=mean");
  illegal("rsvt", "leaf=constant C=1", SVF_TASK_CLASS, "C has no meaning");
  illegal("linear-svm", "max_depth=3", SVF_TASK_CLASS, "max_depth");
  illegal("rsvt", "sample_fraction=0.5", SVF_TASK_CLASS, "sample_fraction");
  illegal("rsvt", "vote=weighted", SVF_TASK_CLASS, "rows=all");
  illegal("rsvt", "C=1 C_grid=1,2", SVF_TASK_CLASS, "C_grid");
  illegal("rsvt", "C=1 C_draws=3", SVF_TASK_CLASS, "C_draws");
  illegal("rsvt", "multiclass=one-vs-one rest_weight=class", SVF_TASK_CLASS, "rest_weight");
  illegal("rsvt", "class_weight=none rest_weight=class", SVF_TASK_CLASS, "rest_weight");
  illegal("rsvt", "multiclass=crammer-singer loss=hinge", SVF_TASK_CLASS, "loss");
  illegal("rsvt", "folds=0", SVF_TASK_CLASS, "folds");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_round_trip),
                                     cmocka_unit_test(bad_values_are_refused),
                                     cmocka_unit_test(nothing_changes_on_refusal),
                                     cmocka_unit_test(words_stand_in_the_order_of_their_enumerators),
                                     cmocka_unit_test(a_count_is_a_word_or_a_number),
                                     cmocka_unit_test(presets_are_legal_and_named),
                                     cmocka_unit_test(illegal_combinations_say_why)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
