/* Cut extra: its gains are those of its planes by the slow way, its thresholds uniform, its missing rows on the better
 * side; and forests of both supervised cuts put every training row where prediction finds it. */
#include "support/mixed.h"
#include "support/naive_cut.h"

static const svf_cut *open_cut(test_ground *t, const mixed *m, const char *pairs) {
  svf_kinds kinds;
  svf_message message;
  test_ground_open(t, test_mixed(m), "et", pairs);
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  return kinds.cut;
}

static void check_node(const test_ground *t, const svf_cut *cut, const svf_site *site) {
  svf_plane plane = {0};
  if (!cut->propose(&t->ground, site, 0, &plane)) return;
  assert_close(plane.gain, naive_gain(t, site, &plane), 1e-9);
  svf_plane other = plane;
  other.missing_left = !plane.missing_left;
  assert_true(naive_gain(t, site, &other) <= plane.gain + 1e-9);
  unsigned char *a = malloc(site->n), *b = malloc(site->n);
  cut->sides(&t->ground, &plane, site->rows, site->n, a);
  svf_plane_sides(&t->frame, &plane, site->rows, site->n, b);
  assert_memory_equal(a, b, site->n);
  free(a);
  free(b);
}

static void gains_are_true(void **state) {
  (void)state;
  static const char *const pairs[] = {"", "criterion=entropy rows=bootstrap",
                                      "min_leaf=5 features=all level_penalty=0", "features=1"};
  for (uint64_t seed = 0; seed < 32; seed++) {
    mixed m = {20 + seed * seed / 3, seed & 16 ? 0 : 2 + seed % 5, seed & 1, seed & 2, seed};
    const char *pair = pairs[seed / 4 % 4];
    if (!m.classes && strstr(pair, "entropy")) pair = "rows=bootstrap";
    test_ground t;
    svf_kinds kinds;
    svf_message message;
    const svf_cut *cut = open_cut(&t, &m, pair);
    assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
    svf_bag bag = svf_bag_draw(&t.ground);
    svf_site *root = svf_grow(&t.ground, &kinds, &bag);
    for (svf_site *site = root; site; site = svf_site_next(site)) {
      check_node(&t, cut, site);
      if (site->child[0])
        assert_true(site->child[0]->n >= t.ground.min_leaf && site->child[1]->n >= t.ground.min_leaf);
    }
    test_ground_close(&t);
  }
}

/* With one feature drawn, thresholds are uniform in the node's range, and each cut of the order of the levels is as likely. */
static void draws_are_uniform(void **state) {
  (void)state;
  enum { DRAWS = 6000, BINS = 10 };
  test_ground t;
  mixed m = {300, 2, false, false, 3};
  const svf_cut *cut = open_cut(&t, &m, "features=1");
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
  size_t bin[BINS] = {0}, sets = 0, seen[1 << MIXED_LEVELS] = {0}, first = 0, category = 0;
  float low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < bag.n; i++) {
    float x = t.frame.x[bag.rows[i] * t.frame.stride];
    low = fminf(low, x), high = fmaxf(high, x);
  }
  for (t.ground.tree = 0; t.ground.tree < DRAWS; t.ground.tree++) {
    svf_plane plane = {0};
    assert_true(cut->propose(&t.ground, &root, 0, &plane));
    uint32_t feature = plane.term[0].feature;
    assert_true(t.frame.origin[feature] != 2); /* the constant one */
    if (feature == 0) bin[(size_t)(.9999999 * BINS * (plane.threshold - low) / (high - low))]++, first++;
    if (t.frame.origin[feature] != 4) continue;
    uint32_t listed[MIXED_LEVELS], set = 0;
    size_t count = svf_levels_list(plane.term, plane.count, MIXED_LEVELS, listed);
    for (size_t l = 0; l < count; l++) set |= 1u << listed[l];
    seen[set]++, category++;
  }
  assert_in_range(first, DRAWS / 5 - 150, DRAWS / 5 + 150); /* deviation 31 */
  for (int b = 0; b < BINS; b++) assert_in_range(bin[b], first / BINS - 55, first / BINS + 55);
  for (int s = 0; s < 1 << MIXED_LEVELS; s++) {
    if (seen[s]) assert_in_range(seen[s], category / 4 - 75, category / 4 + 75);
    sets += seen[s] > 0;
  }
  assert_int_equal(sets, MIXED_LEVELS - 1);
  test_ground_close(&t);
}

/* Of two features the better cut is taken: gains over many trees are the larger of two draws. */
static void the_best_of_r_is_taken(void **state) {
  (void)state;
  test_ground one, all;
  mixed m = {300, 2, false, false, 3};
  const svf_cut *cut = open_cut(&one, &m, "features=1 level_penalty=0");
  open_cut(&all, &m, "features=all level_penalty=0");
  svf_bag bag = svf_bag_draw(&one.ground);
  svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
  double sum[2] = {0};
  for (uint32_t tree = 0; tree < 500; tree++) {
    svf_plane plane = {0};
    one.ground.tree = all.ground.tree = tree;
    assert_true(cut->propose(&one.ground, &root, 0, &plane));
    double single = plane.gain;
    sum[0] += single;
    assert_true(cut->propose(&all.ground, &root, 0, &plane)); /* the same stream: its first candidate is that one */
    assert_true(plane.gain >= single);
    sum[1] += plane.gain;
  }
  assert_true(sum[1] > 1.5 * sum[0]);
  test_ground_close(&one);
  test_ground_close(&all);
}

/* Rows of each leaf, by prediction. */
static void leaves_hold_their_rows(const char *method, const mixed *m) {
  svf_table *table = test_mixed(m);
  svf_message message;
  svf_forest *forest = test_train(method, "trees=3 rows=all min_leaf=2", table, 2);
  int32_t *leaf = malloc(3 * m->n * sizeof *leaf);
  svf_prediction out = {.leaves = leaf};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t t = 0; t < 3; t++) {
    svf_tree_info tree;
    svf_forest_tree(forest, t, &tree);
    assert_true(tree.leaves > 5);
    for (size_t l = 0; l < tree.leaves; l++) {
      svf_leaf_info info;
      size_t count = 0;
      svf_forest_leaf(forest, t, l, &info);
      for (size_t i = 0; i < m->n; i++) count += leaf[i * 3 + t] == (int32_t)l;
      assert_int_equal(count, info.rows);
    }
  }
  free(leaf);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void prediction_finds_the_training_leaves(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; seed++) {
    mixed m = {200, seed & 1 ? 3 : 0, seed & 2, false, seed};
    leaves_hold_their_rows("rf", &m);
    leaves_hold_their_rows("et", &m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gains_are_true), cmocka_unit_test(draws_are_uniform),
                                     cmocka_unit_test(the_best_of_r_is_taken),
                                     cmocka_unit_test(prediction_finds_the_training_leaves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
