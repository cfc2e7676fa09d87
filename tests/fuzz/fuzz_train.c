/* fuzz_train.c - any small table, with the settings of any preset and some of them changed: a forest whose answers are all
 * finite, the same for any number of threads, from parts and from its file; or a refusal for a reason that is true. */
#include "train_checks.h"
#include "train_settings.h"

/* NULL: refused, and the reason is true. */
static svf_forest *train(const sample *s, const svf_settings *settings, int threads, svf_message *message) {
  svf_forest *forest;
  message->text[0] = 0;
  svf_status status = svf_train(settings, s->table, &(svf_run){.threads = threads}, &forest, message);
  fuzz_demand((status == SVF_OK) == (forest != NULL));
  if (status) demand_reason(s, settings, status, message);
  return forest;
}

static void demand_same(const svf_forest *a, const svf_forest *b) {
  size_t size, other;
  const void *bytes = svf_forest_bytes(a, &size), *again = svf_forest_bytes(b, &other);
  fuzz_demand(size == other && !memcmp(bytes, again, size));
}

/* Two threads give the same forest, or the same refusal. */
static void check_threads(const sample *s, const svf_settings *settings, const svf_forest *forest,
                          const svf_message *message) {
  svf_message other;
  svf_forest *again = train(s, settings, 2, &other);
  fuzz_demand(!again == !forest && !strcmp(message->text, other.text));
  if (again) demand_same(forest, again);
  svf_forest_free(again);
}

static svf_forest *train_part(const sample *s, const svf_settings *settings, size_t first, size_t trees) {
  char number[2][24];
  svf_message message;
  svf_settings *changed;
  snprintf(number[0], sizeof number[0], "%zu", first);
  snprintf(number[1], sizeof number[1], "%zu", trees);
  fuzz_demand(svf_settings_copy(settings, &changed, NULL) == SVF_OK);
  fuzz_demand(svf_settings_set(changed, "first_tree", number[0], NULL) == SVF_OK);
  fuzz_demand(svf_settings_set(changed, "trees", number[1], NULL) == SVF_OK);
  svf_forest *part = train(s, changed, 1, &message);
  svf_settings_free(changed);
  fuzz_demand(part);
  return part;
}

static void check_parts(const sample *s, const svf_settings *settings, const svf_forest *forest, size_t trees) {
  svf_forest *part[] = {train_part(s, settings, 1, trees - 1), train_part(s, settings, 0, 1)}, *whole;
  fuzz_demand(svf_forest_merge((const svf_forest *const *)part, 2, &whole, NULL) == SVF_OK);
  demand_same(forest, whole);
  svf_forest_free(part[0]);
  svf_forest_free(part[1]);
  svf_forest_free(whole);
}

/* From its file a forest is the same, and answers the same. */
static void check_file(const sample *s, const svf_forest *forest, const answers *all) {
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  answers a;
  svf_forest *loaded;
  svf_prediction want = {.scores = a.scores};
  fuzz_demand(svf_forest_from_bytes(bytes, size, &loaded, NULL) == SVF_OK);
  demand_same(forest, loaded);
  fuzz_demand(svf_predict(loaded, s->table, &(svf_run){.threads = 1}, &want, NULL) == SVF_OK);
  fuzz_demand(!memcmp(a.scores, all->scores, s->n * (s->classes ? s->classes : 1) * sizeof *a.scores));
  svf_forest_free(loaded);
}

static void check_forest(const sample *s, const svf_settings *settings, const svf_forest *forest, bool parts) {
  svf_forest_info info;
  answers all;
  svf_forest_describe(forest, &info);
  fuzz_demand(info.trees >= 1 && info.trees <= TREES && info.features == s->d && info.made == s->made);
  fuzz_demand(info.classes == s->classes && info.scores == (s->classes ? s->classes : 1) && info.rows == s->n);
  check_predictions(s, forest, &info, &all);
  check_file(s, forest, &all);
  check_oob(s, forest, &info);
  check_importance(s, forest, !has_setting(settings, "rows=all"));
  check_bound(s, forest);
  if (parts && info.trees > 1 && !adds_up(forest)) check_parts(s, settings, forest, info.trees);
}

/* The first byte is the method's, so that every method keeps its part of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input in = fuzz_open(data, size);
  sample s;
  svf_message message;
  size_t method = fuzz_choice(&in, count_methods());
  bool threads = fuzz_rarely(&in, 16), parts = fuzz_rarely(&in, 4);
  take_sample(&in, &s);
  svf_settings *settings = take_settings(&in, &s, method);
  if (settings) {
    svf_forest *forest = train(&s, settings, 1, &message);
    if (forest) check_forest(&s, settings, forest, parts);
    if (threads) check_threads(&s, settings, forest, &message);
    svf_forest_free(forest);
  }
  svf_settings_free(settings);
  svf_table_free(s.table);
  return 0;
}
