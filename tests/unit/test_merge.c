/* test_merge.c - parts of a forest become the forest of one run, byte for byte; others are refused. */
#include "support/toy.h"

static svf_message message;

/* The first tree of the toy, as a part. */
static svf_forest *first_part(toy *t) {
  toy_make(t, 0);
  t->settings.trees = 1;
  t->parts.trees = 1;
  t->parts.nodes = 5;
  t->parts.leaves = 3;
  t->parts.numbers = 6;
  return toy_open(&t->parts);
}

static void by_hand(void **state) {
  (void)state;
  toy t;
  svf_forest *first = first_part(&t), *merged;
  toy_make(&t, 1);
  svf_forest *second = toy_open(&t.parts);
  toy_make(&t, 0);
  svf_forest *whole = toy_open(&t.parts);
  const svf_forest *parts[] = {second, first}, *alone[] = {whole};
  assert_ok(svf_forest_merge(parts, 2, &merged, &message), &message);
  equal_bytes(merged, whole);
  svf_forest_free(merged);
  assert_ok(svf_forest_merge(alone, 1, &merged, &message), &message);
  equal_bytes(merged, whole);
  svf_forest *all[] = {first, second, whole, merged};
  for (int i = 0; i < 4; i++) svf_forest_free(all[i]);
}

/* Both parts have cuts with terms: the loader refuses them unless those of the second were renumbered. */
static void terms_move_on(void **state) {
  (void)state;
  toy t;
  svf_forest *first = first_part(&t), *merged;
  t.settings.first_tree = t.tree[0].number = t.gain[0].tree = t.gain[1].tree = 1;
  svf_forest *second = toy_open(&t.parts);
  const svf_forest *parts[] = {first, second};
  assert_ok(svf_forest_merge(parts, 2, &merged, &message), &message);
  assert_int_equal(first->parts.terms, 2);
  assert_int_equal(merged->parts.terms, 4);
  assert_int_equal(merged->parts.node[first->parts.nodes + 1].first, 2);
  svf_forest *all[] = {first, second, merged};
  for (int i = 0; i < 3; i++) svf_forest_free(all[i]);
}

static void refused(const svf_forest *const *parts, size_t count, const char *words) {
  svf_forest *forest = (svf_forest *)&message;
  assert_int_not_equal(svf_forest_merge(parts, count, &forest, &message), SVF_OK);
  assert_null(forest);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

/* The first tree with the second one after a change. */
static void unfit(toy *t, const char *words) {
  toy other;
  svf_forest *first = first_part(&other), *second = toy_open(&t->parts);
  const svf_forest *parts[] = {first, second};
  refused(parts, 2, words);
  svf_forest_free(first);
  svf_forest_free(second);
}

#define UNFIT(change, words)                                                                                         \
  do {                                                                                                               \
    toy t;                                                                                                           \
    toy_make(&t, 1);                                                                                                 \
    change;                                                                                                          \
    unfit(&t, words);                                                                                                \
  } while (0)

static void strangers(void **state) {
  (void)state;
  UNFIT(t.settings.seed = 7, "one has seed=0, another 7");
  UNFIT(t.settings.C_grid.count = 2, "one has C_grid=0.25,0.5,1,2,4, another 0.25,0.5");
  UNFIT(strcpy(t.settings.method, "tiny"), "one has the method toy, another tiny");
  UNFIT(t.parts.rows = 22, "one has 21 rows, another 22");
  UNFIT(t.feature[0].name = "Age", "their names of columns");
  UNFIT(t.column[0].shift = 1.5, "their ranges of columns differ");
  UNFIT(t.encoding.named = false, "their tasks or counts");
  UNFIT((t.settings.first_tree = 3, t.tree[1].number = 3), "trees 1 to 2 are missing");
  UNFIT((t.settings.first_tree = 0, t.tree[1].number = 0), "trees 0 to 0 are in two parts");
  refused(NULL, 0, "no parts");
}

static svf_table *rings(void) {
  svf_synth_options options = {.rows = 150, .seed = 3};
  svf_table *table;
  assert_ok(svf_table_synth("rings", &options, &table, NULL, &message), &message);
  return table;
}

static svf_forest *train(const svf_settings *settings, const svf_table *table, int first, int trees) {
  char text[16];
  svf_settings *own;
  svf_forest *forest;
  assert_ok(svf_settings_copy(settings, &own, &message), &message);
  snprintf(text, sizeof text, "%d", first);
  assert_ok(svf_settings_set(own, "first_tree", text, &message), &message);
  snprintf(text, sizeof text, "%d", trees);
  assert_ok(svf_settings_set(own, "trees", text, &message), &message);
  assert_ok(svf_train(own, table, NULL, &forest, &message), &message);
  svf_settings_free(own);
  return forest;
}

static void trained(const char *const *settings) {
  svf_table *table = rings();
  svf_settings *common;
  assert_ok(svf_settings_new("rsvt-full", &common, &message), &message);
  for (; *settings; settings += 2) assert_ok(svf_settings_set(common, settings[0], settings[1], &message), &message);
  svf_forest *whole = train(common, table, 0, 10), *merged, *part[3];
  part[0] = train(common, table, 4, 6);
  part[1] = train(common, table, 0, 3);
  part[2] = train(common, table, 3, 1);
  const svf_forest *parts[] = {part[0], part[1], part[2]};
  assert_ok(svf_forest_merge(parts, 3, &merged, &message), &message);
  equal_bytes(merged, whole);
  assert_true(whole->parts.gains > 10);
  svf_forest_free(merged);
  for (int i = 0; i < 3; i++) svf_forest_free(part[i]);
  svf_forest_free(whole);
  svf_settings_free(common);
  svf_table_free(table);
}

static void by_training(void **state) {
  (void)state;
  static const char *const plain[] = {NULL};
  static const char *const weighted[] = {"rows", "bootstrap", "vote", "weighted", NULL};
  static const char *const single[] = {"precision", "single", NULL};
  trained(plain);
  trained(single);
  trained(weighted);
  static const char *const pruned[] = {"rows",     "balanced", "vote", "simple", "leaf",
                                       "constant", "prune",    "0.2",  NULL};
  trained(pruned);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(terms_move_on),
      cmocka_unit_test(strangers),
      cmocka_unit_test(by_training),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
