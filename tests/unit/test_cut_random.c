/* Random cuts: legal planes only, the law of redrawn cuts, missing rows, cells. */
#include "support/ground.h"

extern const svf_cut svf_cut_random;

static svf_site whole(test_ground *t) {
  svf_bag bag = svf_bag_draw(&t->ground);
  return (svf_site){.name = 1, .rows = bag.rows, .n = bag.n};
}

static void sides_keep_min_leaf(void **state) {
  (void)state;
  static const char *const pairs[] = {"min_leaf=20", "min_leaf=20 refused=redraw", "min_leaf=20 range=cell",
                                      "min_leaf=95 refused=redraw range=cell"};
  for (int p = 0; p < 4; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("moons", 200, 0, 0, 1), "rsvt", pairs[p]);
    t.settings->cut_candidates = 300;
    svf_site site = whole(&t);
    int made = 0;
    for (size_t trial = 0; trial < 300; trial++) {
      svf_plane plane = {0};
      if (!svf_cut_random.propose(&t.ground, &site, trial, &plane)) continue;
      svf_sides sides = svf_plane_count(&t.frame, site.rows, site.n, &plane);
      assert_true(sides.left >= t.ground.min_leaf && sides.right >= t.ground.min_leaf);
      made++;
    }
    bool redraw = t.settings->refused == SVF_REFUSED_REDRAW;
    assert_true(redraw ? made == 300 : made > 150 && made < 300);
    test_ground_close(&t);
  }
}

/* With 16 equal values and one far away, rejection almost never succeeds: the exact law must end it, and say
 * so when no cut can be accepted. */
static svf_table *lonely(size_t n, size_t high) {
  double *x = malloc(n * sizeof *x);
  int32_t *y = malloc(n * sizeof *y);
  for (size_t i = 0; i < n; i++) x[i] = i < high ? 1e6 : (double)(i % 2) * 1e-3, y[i] = (int32_t)(i % 2);
  svf_table *table = NULL;
  svf_message message;
  const char *const names[] = {"a", "b"};
  svf_matrix matrix = {x, 0, n, 1, 1, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, y, names, 2, &message), &message);
  free(x);
  free(y);
  return table;
}

static void the_exact_law_ends_redrawing(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, lonely(101, 1), "rsvt", "min_leaf=30 refused=redraw");
  svf_site site = whole(&t);
  svf_plane plane = {0};
  assert_true(svf_cut_random.propose(&t.ground, &site, 0, &plane));
  svf_sides sides = svf_plane_count(&t.frame, site.rows, site.n, &plane);
  assert_true(sides.left >= 30 && sides.right >= 30);
  t.ground.min_leaf = 51;
  assert_false(svf_cut_random.propose(&t.ground, &site, 0, &plane));
  test_ground_close(&t);
}

/* Thresholds of accepted cuts are uniform in the admissible interval, whether found by rejection or by the
 * law. */
static void accepted_thresholds_are_uniform(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("sine", 400, 1, 0, 3), "rsvt",
                   "min_leaf=150 refused=redraw leaf=constant vote=mean cut_candidates=4000");
  svf_site site = whole(&t);
  enum { TRIALS = 4000, BINS = 5 };
  float x[TRIALS], low = 1, high = 0;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    svf_plane plane = {0};
    assert_true(svf_cut_random.propose(&t.ground, &site, trial, &plane));
    x[trial] = plane.threshold;
    low = fminf(low, x[trial]);
    high = fmaxf(high, x[trial]);
  }
  size_t bin[BINS] = {0};
  for (int i = 0; i < TRIALS; i++) bin[(size_t)fminf(BINS - 1, BINS * (x[i] - low) / (high - low))]++;
  for (int b = 0; b < BINS; b++) assert_true(fabs((double)bin[b] - TRIALS / 5.) < 5 * sqrt(TRIALS / 5.));
  test_ground_close(&t);
}

static void constant_features_are_skipped(void **state) {
  (void)state;
  double x[40];
  int32_t y[20];
  for (int i = 0; i < 20; i++) x[2 * i] = 5, x[2 * i + 1] = i, y[i] = i % 2;
  svf_matrix matrix = {x, 0, 20, 2, 2, 1};
  const char *const names[] = {"a", "b"};
  svf_table *table = NULL;
  svf_message message;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, y, names, 2, &message), &message);
  test_ground t;
  test_ground_open(&t, table, "rsvt", "cut_candidates=50");
  svf_site site = whole(&t);
  for (size_t trial = 0; trial < 50; trial++) {
    svf_plane plane = {0};
    assert_true(svf_cut_random.propose(&t.ground, &site, trial, &plane));
    assert_int_equal(plane.term[0].feature, 1);
  }
  test_ground_close(&t);
}

static void missing_rows_join_the_larger_side(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("sine", 100, 1, 0, 3), "rsvt", "min_leaf=10 leaf=constant vote=mean");
  for (size_t i = 0; i < 30; i++) t.frame.x[i * t.frame.stride] = NAN;
  svf_site site = whole(&t);
  for (size_t trial = 0; trial < 100; trial++) {
    svf_plane plane = {0};
    if (!svf_cut_random.propose(&t.ground, &site, trial, &plane)) continue;
    svf_sides sides = svf_plane_count(&t.frame, site.rows, site.n, &plane);
    assert_int_equal(sides.missing, 30);
    assert_int_equal(plane.missing_left, sides.left >= sides.right);
  }
  test_ground_close(&t);
}

static void cells_follow_the_way_down(void **state) {
  (void)state;
  svf_term term = {2, 1};
  svf_site root = {.plane = {.term = &term, .count = 1, .threshold = .5f}},
           left = {.up = &root, .side = 0, .plane = {.term = &term, .count = 1, .threshold = .25f}};
  svf_site inner = {.up = &left, .side = 1};
  float low, high;
  svf_site_side(&inner, 2, 0, 1, &low, &high);
  assert_true(low == .25f && high == .5f);
  svf_site_side(&inner, 1, 0, 1, &low, &high);
  assert_true(low == 0 && high == 1);
}

/* A pick asks for candidates until there are no more. */
static void candidates_come_to_an_end(void **state) {
  (void)state;
  svf_table *table = test_synth("moons", 60, 2, 2, 3);
  svf_forest *forest = test_train("rsvf", "cut=random trees=2 cut_candidates=4", table, 1);
  assert_true(test_result(forest, table) > .5);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sides_keep_min_leaf),
                                     cmocka_unit_test(the_exact_law_ends_redrawing),
                                     cmocka_unit_test(accepted_thresholds_are_uniform),
                                     cmocka_unit_test(constant_features_are_skipped),
                                     cmocka_unit_test(missing_rows_join_the_larger_side),
                                     cmocka_unit_test(cells_follow_the_way_down),
                                     cmocka_unit_test(candidates_come_to_an_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
