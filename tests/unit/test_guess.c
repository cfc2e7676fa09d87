/* Guesses: the nearest name by a plain recursive distance, and none where all are far. */
#include <stdbool.h>
#include "support/forest.h"
#include "base/guess.h"

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment, straight from its definition. */
static size_t naive(const char *a, size_t m, const char *b, size_t n) {
  if (!m || !n) return m + n;
  size_t far = least(naive(a, m - 1, b, n) + 1, naive(a, m, b, n - 1) + 1);
  far = least(far, naive(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]));
  if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) far = least(far, naive(a, m - 2, b, n - 2) + 1);
  return far;
}

static void distance_is_that_of_the_definition(void **state) {
  (void)state;
  static const char *const word[] = {"trees", "tress", "terse", "features", "feature", "fold", "folds", "scale"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    for (size_t j = 0; j < sizeof word / sizeof *word; j++) {
      svf_guess guess = {word[i], NULL, 0};
      size_t m = strlen(word[i]), n = strlen(word[j]), far = naive(word[i], m, word[j], n);
      svf_guess_offer(&guess, word[j]);
      bool near = far <= 1 || far <= (m < n ? n : m) / 3;
      assert_int_equal(guess.best != NULL, near);
      if (near) assert_int_equal(guess.distance, far);
    }
}

static void said(const char *method, const char *setting, const char *wanted) {
  svf_message message = {""};
  svf_settings *settings = NULL;
  svf_status status = svf_settings_new(method, &settings, &message);
  if (status == SVF_OK) status = svf_settings_set(settings, setting, "1", &message);
  assert_int_equal(status, SVF_USAGE);
  if (!strstr(message.text, wanted)) fail_msg("'%s' lacks '%s'", message.text, wanted);
  svf_settings_free(settings);
}

static void unknown_names_get_the_nearest(void **state) {
  (void)state;
  said("rf", "tress", "did you mean 'trees'?");
  said("rf", "min-leaf", "did you mean 'min_leaf'?");
  said("rf", "c", "did you mean 'C'?");
  said("rf", "max_dept", "did you mean 'max_depth'?");
  said("rf", "n_estimators", "lists them");
  said("rf", "", "lists them");
  said("rvst", "", "did you mean 'rsvt'?");
  said("randomforest", "", "There are rsvt");
  said("a-name-that-is-much-longer-than-any-name-that-there-is", "", "There are rsvt");
}

static void nearest_of_a_list(void **state) {
  (void)state;
  static const char *const verb[] = {"train", "predict", "tune"};
  assert_string_equal(svf_name_nearest("trian", verb, 3), "train");
  assert_string_equal(svf_name_nearest("predcit", verb, 3), "predict");
  assert_null(svf_name_nearest("fly", verb, 3));
  assert_null(svf_name_nearest("train", verb, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance_is_that_of_the_definition),
      cmocka_unit_test(unknown_names_get_the_nearest),
      cmocka_unit_test(nearest_of_a_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
