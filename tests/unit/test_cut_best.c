/* Cut best against the slow way: every cut of random nodes with ties, constants, categories, weights, repeats and missing
 * values. */
#include "support/mixed.h"
#include "support/naive_cut.h"
#include "cut/axis.h"

/* Where rows go by the prepared columns is where they go by the frame. */
static void check_sides(const test_ground *t, const svf_site *site, const svf_plane *plane, const svf_cut *cut) {
  unsigned char *a = malloc(site->n), *b = malloc(site->n);
  cut->sides(&t->ground, plane, site->rows, site->n, a);
  svf_plane_sides(&t->frame, plane, site->rows, site->n, b);
  assert_memory_equal(a, b, site->n);
  free(a);
  free(b);
}

/* The threshold stands halfway between its neighbours in the node. */
static void check_halfway(const test_ground *t, const svf_site *site, const svf_plane *plane) {
  float *value = malloc((site->n + 1) * sizeof *value);
  size_t distinct = naive_values(t, site, plane->term[0].feature, value), i = 0;
  while (i < distinct && value[i] < plane->threshold) i++;
  if (plane->threshold < FLT_MAX) {
    assert_true(i > 0 && i < distinct);
    assert_close(plane->threshold, value[i - 1] / 2 + value[i] / 2, 1e-6);
  } else {
    assert_int_equal(i, distinct);
  }
  free(value);
}

static void check_node(test_ground *t, const svf_cut *cut, const svf_site *site) {
  svf_plane plane = {0};
  double best = naive_best(t, site);
  bool made = cut->propose(&t->ground, site, 0, &plane);
  assert_false(t->arena.failed);
  if (t->ground.min_leaf == 1) assert_int_equal(made, best >= 0);
  if (!made) return;
  /* With more than two classes, or sides that must have some rows, a cut of an order of the levels need not be the best. */
  bool exact = t->ground.min_leaf == 1 && t->frame.k <= 2;
  if (exact) assert_close(plane.gain, best, 1e-9);
  else assert_true(plane.gain <= best + 1e-9);
  assert_close(naive_gain(t, site, &plane), plane.gain, 1e-9);
  check_sides(t, site, &plane, cut);
  if (!svf_by_levels(plane.threshold)) check_halfway(t, site, &plane);
}

/* Nodes of a tree: its root, and those below as its cuts make them. */
static void check_tree(const mixed *m, const char *pairs) {
  test_ground t;
  svf_kinds kinds;
  svf_message message;
  test_ground_open(&t, test_mixed(m), "rf", pairs);
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site *root = svf_grow(&t.ground, &kinds, &bag);
  assert_non_null(root);
  for (svf_site *site = root; site; site = svf_site_next(site)) check_node(&t, kinds.cut, site);
  test_ground_close(&t);
}

/* Everything small, thoroughly; one large node for the sorts of many rows. */
static void agrees(size_t classes, const char *pairs, const char *few) {
  for (uint64_t seed = 0; seed < 24; seed++) {
    mixed m = {2 + seed * seed / 4, classes, seed & 1, seed & 2, seed};
    char text[256];
    snprintf(text, sizeof text, "features=all level_penalty=0 min_leaf=%d rows=%s %s", seed % 4 == 3 ? 4 : 1,
             seed & 4 ? "all" : "bootstrap", pairs);
    check_tree(&m, text);
  }
  mixed large = {3000, classes, true, false, 99};
  check_tree(&large, few);
}

static void gini(void **state) {
  (void)state;
  agrees(2, "criterion=gini", "features=all level_penalty=0 max_depth=1");
  agrees(5, "criterion=gini", "features=all max_depth=1 rows=all");
}
static void entropy(void **state) {
  (void)state;
  agrees(3, "criterion=entropy", "criterion=entropy features=all max_depth=1");
}
static void variance(void **state) {
  (void)state;
  agrees(0, "criterion=variance", "features=all level_penalty=0 max_depth=1");
}

/* The root's best cut when a feature is the only one drawn: it must be one of these. */
static void r_features_are_drawn(void **state) {
  (void)state;
  test_ground t;
  mixed m = {200, 2, false, false, 5};
  test_ground_open(&t, test_mixed(&m), "rf", "features=1 rows=all");
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
  size_t seen[MIXED_COLUMNS] = {0};
  for (t.ground.tree = 0; t.ground.tree < 600; t.ground.tree++) {
    svf_plane plane = {0};
    assert_true(kinds.cut->propose(&t.ground, &root, 0, &plane));
    seen[t.frame.origin[plane.term[0].feature]]++;
  }
  assert_int_equal(seen[2], 0); /* constant: another one is drawn */
  for (size_t j = 0; j < MIXED_COLUMNS; j++)
    if (j != 2) assert_in_range(seen[j], 80, 160); /* 120 each, deviation 10 */
  test_ground_close(&t);
}

static void trials_are_other_draws(void **state) {
  (void)state;
  test_ground t;
  mixed m = {200, 2, false, false, 5};
  test_ground_open(&t, test_mixed(&m), "rf", "features=1 rows=all cut_candidates=30");
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
  size_t others = 0;
  svf_plane first = {0}, plane = {0};
  assert_true(kinds.cut->propose(&t.ground, &root, 0, &first));
  for (size_t trial = 1; trial < 30; trial++) {
    assert_true(kinds.cut->propose(&t.ground, &root, trial, &plane));
    others += plane.term[0].feature != first.term[0].feature;
  }
  assert_in_range(others, 10, 29);
  assert_false(kinds.cut->propose(&t.ground, &root, 30, &plane));
  test_ground_close(&t);
}

/* min_gain: scikit-learn's min_impurity_decrease, the fall times the node's share of the rows. */
static void min_gain_ends_branches(void **state) {
  (void)state;
  test_ground t;
  mixed m = {400, 3, false, true, 8};
  test_ground_open(&t, test_mixed(&m), "rf", "features=all rows=all min_gain=0.01 level_penalty=0");
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t.ground);
  size_t cuts = 0, refused = 0;
  svf_site *root = svf_grow(&t.ground, &kinds, &bag);
  for (svf_site *site = root; site; site = svf_site_next(site)) {
    double best = naive_best(&t, site) / t.ground.weight;
    assert_true(site->child[0] ? best >= .01 - 1e-12 : best < .01 + 1e-12);
    if (site->child[0]) cuts++;
    else refused += best > 0;
  }
  assert_true(cuts > 3 && refused > 3);
  test_ground_close(&t);
}

static void r_by_word(void **state) {
  (void)state;
  static const char *const words[] = {"auto", "sqrt", "third", "all", "7", "99"};
  static const size_t classes[] = {3, 3, 3, 11, 7, 99}, numbers[] = {11, 3, 3, 11, 7, 99};
  svf_settings s;
  svf_settings_reset(&s);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    assert_int_equal(svf_settings_assign(&s, SVF_SET_features, words[i], NULL), SVF_OK);
    assert_int_equal(svf_features_wanted(&s, 11, true), classes[i]);
    assert_int_equal(svf_features_wanted(&s, 11, false), numbers[i]);
    assert_int_equal(svf_features_wanted(&s, 1, true), i < 4 ? 1 : classes[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gini),
                                     cmocka_unit_test(entropy),
                                     cmocka_unit_test(variance),
                                     cmocka_unit_test(r_features_are_drawn),
                                     cmocka_unit_test(trials_are_other_draws),
                                     cmocka_unit_test(min_gain_ends_branches),
                                     cmocka_unit_test(r_by_word)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
