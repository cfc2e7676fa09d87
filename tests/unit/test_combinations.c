/* Every combination of cut, leaf, pick and vote, on a table with categories, gaps and weights: a legal one trains,
 * predicts, saves and loads with the same bytes for any number of threads; an illegal one is refused with a sentence. */
#include <unistd.h>
#include "forest/forest.h"
#include "support/mixed.h"

enum { N = 150, CLASSES = 3, TREES = 4 };

static char path[] = "/tmp/svf_combinations_XXXXXX";
static svf_message message;

typedef struct choice {
  const char *cut, *leaf, *pick, *vote, *precision;
} choice;

/* Few values of C and few trees: the same code in less time. */
static svf_settings *settings_of(const choice *c) {
  char pairs[256];
  snprintf(pairs, sizeof pairs, "cut=%s leaf=%s pick=%s vote=%s precision=%s rows=bootstrap trees=%d", c->cut,
           c->leaf, c->pick, c->vote, c->precision, TREES);
  svf_settings *settings = test_settings("rsvt", pairs);
  settings->C_grid.count = 2;
  settings->cells = 5;
  settings->cell_rows = 20;
  settings->widths.count = 2;
  settings->direction_rows = 20;
  if (!strcmp(c->leaf, "ls-svm") && strlen(c->cut) % 2 && strcmp(c->vote, "boost"))
    settings->kernel = SVF_KERNEL_CHOICE_RBF;
  return settings;
}

/* What the program says of its kinds: machines with a margin are for classes, and so are votes that count classes; whole
 * trees of a cell are chosen among where there are cells, and an empty cell needs a leaf that can say a mean; the bound
 * chooses among kernels and counts the features that cuts are drawn from. */
static bool is_legal(const choice *c, svf_task task) {
  bool adaptive = !strcmp(c->cut, "adaptive");
  bool margin = !strcmp(c->leaf, "linear-svm") || !strcmp(c->leaf, "kernel-svm");
  if (!strcmp(c->pick, "best-scored") && !adaptive) return false;
  bool added = !strcmp(c->leaf, "constant") || !strcmp(c->leaf, "ls-svm");
  if (!strcmp(c->vote, "boost") && (strcmp(c->cut, "histogram") || !added)) return false;
  if (!strcmp(c->cut, "histogram") && strcmp(c->pick, "none")) return false;
  if (adaptive && margin) return false;
  if (!strcmp(c->pick, "bound") && (strcmp(c->leaf, "kernel-svm") || strcmp(c->cut, "best"))) return false;
  return task == SVF_TASK_CLASS || (!margin && strcmp(c->vote, "majority") && strcmp(c->vote, "max-confidence"));
}

static void same_bytes(const svf_forest *a, const svf_forest *b) {
  size_t size, other;
  const void *x = svf_forest_bytes(a, &size), *y = svf_forest_bytes(b, &other);
  assert_int_equal(size, other);
  assert_memory_equal(x, y, size);
}

static void ask(const svf_forest *forest, const svf_table *table, double *value, double *share) {
  svf_prediction out = {.values = value, .probabilities = svf_table_labels(table) ? share : NULL};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
}

static void check_answers(const svf_forest *forest, const svf_forest *loaded, const svf_table *table) {
  double value[2][N], share[2][N * CLASSES] = {{0}};
  ask(forest, table, value[0], share[0]);
  ask(loaded, table, value[1], share[1]);
  assert_memory_equal(value[0], value[1], sizeof *value);
  assert_memory_equal(share[0], share[1], sizeof *share);
  for (size_t i = 0; i < N; i++) {
    double sum = 0;
    assert_true(isfinite(value[0][i]));
    if (!svf_table_labels(table)) continue;
    assert_true(value[0][i] >= 0 && value[0][i] < CLASSES);
    for (size_t c = 0; c < CLASSES; c++) sum += share[0][i * CLASSES + c];
    assert_close(sum, 1, 1e-6);
  }
}

/* Gives the leaves of the forest. */
static size_t lives(const svf_settings *settings, const svf_table *table) {
  svf_forest *one = NULL, *three = NULL, *loaded = NULL;
  svf_run single = {.threads = 1}, several = {.threads = 3};
  assert_ok(svf_train(settings, table, &single, &one, &message), &message);
  assert_ok(svf_train(settings, table, &several, &three, &message), &message);
  same_bytes(one, three);
  assert_ok(svf_forest_save(one, path, &message), &message);
  assert_ok(svf_forest_load(path, &loaded, &message), &message);
  same_bytes(one, loaded);
  check_answers(one, loaded, table);
  svf_forest_info info;
  svf_forest_describe(one, &info);
  svf_forest_free(one);
  svf_forest_free(three);
  svf_forest_free(loaded);
  return info.leaves;
}

/* The sentence names a choice that was made and says what to do. */
static void is_refused(const svf_settings *settings, const svf_table *table, const choice *c) {
  svf_forest *forest = NULL;
  char leaf[64], vote[64], pick[64];
  message.text[0] = 0;
  assert_int_equal(svf_train(settings, table, NULL, &forest, &message), SVF_USAGE);
  assert_null(forest);
  snprintf(leaf, sizeof leaf, "leaf=%s", c->leaf);
  snprintf(vote, sizeof vote, "vote=%s", c->vote);
  snprintf(pick, sizeof pick, "pick=%s", c->pick);
  assert_true(strstr(message.text, leaf) || strstr(message.text, vote) || strstr(message.text, pick));
  assert_non_null(strstr(message.text, "use "));
}

static void check(const choice *c, const svf_table *table, svf_task task) {
  svf_settings *settings = settings_of(c);
  bool legal = svf_settings_check(settings, task, &message) == SVF_OK;
  if (legal != is_legal(c, task)) fail_msg("%s %s %s %s: %s", c->cut, c->leaf, c->pick, c->vote, message.text);
  if (!legal) is_refused(settings, table, c);
  else if (!strcmp(c->pick, "oob-drop")) assert_true(lives(settings, table) >= TREES); /* no cut may be better */
  else if (strcmp(c->cut, "none")) assert_true(lives(settings, table) > TREES);
  else assert_int_equal(lives(settings, table), TREES);
  svf_settings_free(settings);
}

static void each(svf_task task) {
  static const char *const precisions[] = {"double", "single"};
  mixed m = {.n = N, .classes = task == SVF_TASK_CLASS ? CLASSES : 0, .missing = true, .weights = true, .seed = 5};
  svf_table *table = test_mixed(&m);
  size_t seen = 0;
  for (size_t cut = 0; svf_cuts[cut]; cut++)
    for (size_t leaf = 0; svf_leaves[leaf]; leaf++)
      for (size_t pick = 0; svf_picks[pick]; pick++)
        for (size_t vote = 0; svf_votes[vote]; vote++, seen++) {
          choice c = {svf_cuts[cut]->kind.name, svf_leaves[leaf]->kind.name, svf_picks[pick]->kind.name,
                      svf_votes[vote]->kind.name, precisions[(cut + leaf + vote) % 2]};
          check(&c, table, task);
        }
  assert_true(seen >= 7 * 4 * 2 * 5);
  svf_table_free(table);
}

static void classes(void **state) {
  (void)state;
  each(SVF_TASK_CLASS);
}

static void numbers(void **state) {
  (void)state;
  each(SVF_TASK_REGRESS);
}

/* Every preset as it stands, but for the number of trees, on classes; on numbers it trains or says why not. */
static void presets(void **state) {
  (void)state;
  mixed of_classes = {.n = N, .classes = CLASSES, .missing = true, .seed = 6}, of_numbers = {.n = N, .seed = 6};
  svf_table *table = test_mixed(&of_classes), *values = test_mixed(&of_numbers);
  for (size_t i = 0; i < svf_method_count(); i++) {
    if (!strcmp(svf_method_at(i)->name, "auto")) continue; /* test_committee.c */
    svf_settings *settings = test_settings(svf_method_at(i)->name, "trees=3");
    lives(settings, table);
    if (svf_settings_check(settings, SVF_TASK_REGRESS, &message) == SVF_OK) lives(settings, values);
    else assert_non_null(strstr(message.text, "use "));
    svf_settings_free(settings);
  }
  svf_table_free(table);
  svf_table_free(values);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(numbers), cmocka_unit_test(presets)};
  int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failures;
}
