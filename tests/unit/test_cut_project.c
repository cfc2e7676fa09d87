/* Random projections: as many features as asked for, counted before their expansion; the best threshold; missing values. */
#include "support/oblique.h"

extern const svf_cut svf_cut_project;

/* A table of six numbers and a category of four levels that has something to do with the class. */
static svf_table *with_category(size_t n) {
  double *x = calloc(n * 7, sizeof *x);
  int32_t *y = calloc(n, sizeof *y), *level = calloc(n, sizeof *level);
  svf_random random = svf_random_at((svf_place){.seed = n});
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < 6; j++) x[i * 7 + j] = svf_random_normal(&random);
    level[i] = (int32_t)svf_random_below(&random, 4);
    y[i] = x[i * 7] + x[i * 7 + 1] + (level[i] == 2) > .3;
  }
  svf_table *table = test_matrix(x, n, 7, y, 2);
  static const char *const names[] = {"p", "q", "r", "s"};
  svf_message message;
  assert_ok(svf_table_set_categories(table, 6, level, names, 4, &message), &message);
  free(x);
  free(y);
  free(level);
  return table;
}

static size_t features_of(const test_ground *t, const svf_plane *plane) {
  size_t count = 0;
  for (size_t i = 0; i < plane->count; i++)
    count += i == 0 || t->frame.origin[plane->term[i].feature] != t->frame.origin[plane->term[i - 1].feature];
  return count;
}

static void planes_combine_q_features(void **state) {
  (void)state;
  static const char *const pairs[] = {"projection_size=1", "projection_size=3", "projection_size=7", "",
                                      "projection_size=100"};
  static const size_t expected[] = {1, 3, 7, 7, 7};
  for (int p = 0; p < 5; p++) {
    test_ground t;
    test_ground_open(&t, with_category(200), "random-projection", pairs[p]);
    svf_site site = test_root(&t, &svf_cut_project, 0);
    for (size_t trial = 0; trial < 10; trial++) {
      svf_plane plane = {0};
      assert_true(svf_cut_project.propose(&t.ground, &site, trial, &plane));
      assert_int_equal(features_of(&t, &plane), expected[p]);
      test_plane(&t, &site, &plane);
    }
    svf_plane plane = {0};
    assert_false(svf_cut_project.propose(&t.ground, &site, 10, &plane)); /* cut_candidates is 10 */
    test_ground_close(&t);
  }
}

/* More directions give a better best, on average; trials are draws of their own. */
static void more_directions_gain_more(void **state) {
  (void)state;
  static const char *const pairs[] = {"features=1 cut_candidates=50", "features=20 cut_candidates=50"};
  double mean[2] = {0};
  for (int p = 0; p < 2; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("friedman1", 200, 0, 0, 1), "random-projection", pairs[p]);
    svf_site site = test_root(&t, &svf_cut_project, 0);
    double last = 0;
    for (size_t trial = 0; trial < 50; trial++) {
      svf_plane plane = {0};
      assert_true(svf_cut_project.propose(&t.ground, &site, trial, &plane));
      assert_true(plane.gain != last);
      mean[p] += last = plane.gain;
    }
    test_ground_close(&t);
  }
  assert_true(mean[1] > 1.3 * mean[0]);
}

/* One value of ten is missing: a projection of all features would miss nearly every row, so features that would leave less
 * than half of the rows whole are not taken. */
static void missing_values_leave_rows(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 400, 20, 2, 1), "random-projection", "");
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (size_t i = 0; i < 400; i++)
    for (size_t j = 0; j < 20; j++)
      if (svf_random_below(&random, 10) == 0 || j == 4) t.frame.x[i * t.frame.stride + j] = NAN;
  t.frame.missing = true;
  svf_site site = test_root(&t, &svf_cut_project, 0);
  for (size_t trial = 0; trial < 10; trial++) {
    svf_plane plane = {0};
    assert_true(svf_cut_project.propose(&t.ground, &site, trial, &plane));
    test_plane(&t, &site, &plane);
    svf_sides sides = svf_plane_count(&t.frame, site.rows, site.n, &plane);
    assert_true(plane.count > 3 && sides.missing < 300 && sides.missing > 100);
    for (size_t i = 0; i < plane.count; i++) assert_true(plane.term[i].feature != 4);
  }
  test_ground_close(&t);
}

/* Drawn thresholds, 6 x 4 to a node. A column of `values` values has one threshold fewer: each is there once with all
 * columns that were drawn, and columns are drawn until all 24 are spent. */
static void few_values_make_more_directions(void **state) {
  (void)state;
  for (size_t values = 2; values < 6; values++)
    for (int missing = 0; missing < (values < 5 ? 2 : 1); missing++) { /* which counts as one more value */
      test_ground t;
      size_t per[40] = {0}, columns = 0;
      test_ground_open(&t, test_synth("classification", 300, 40, 2, 1), "rsvf",
                       "cut_candidates=6 threshold_candidates=4");
      for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < 40; j++)
          t.frame.x[i * t.frame.stride + j] =
              missing && (i + j) % 9 == 0 ? NAN : (float)((i * 7 + i / 50 + j) % values);
      t.frame.missing = missing;
      svf_site site = test_root(&t, &svf_cut_project, 0);
      svf_planes planes = svf_cut_project.candidates(&t.ground, &site);
      for (size_t a = 0; a < planes.count; a++) {
        const svf_plane *plane = &planes.item[a];
        svf_sides sides = svf_plane_count(&t.frame, site.rows, site.n, plane);
        size_t left = sides.left + (plane->missing_left ? sides.missing : 0);
        assert_true(plane->count == 1 && left > 0 && left < site.n);
        columns += per[plane->term[0].feature]++ == 0;
        for (size_t b = 0; b < a; b++)
          assert_true(planes.item[b].term[0].feature != plane->term[0].feature ||
                      planes.item[b].threshold != plane->threshold ||
                      (missing && planes.item[b].missing_left != plane->missing_left));
      }
      if (!missing) {
        for (size_t j = 0; j < 40; j++) assert_true(per[j] == 0 || per[j] == values - 1);
        assert_true(columns > 12 / (values - 1) && columns <= 24 / (values - 1));
      }
      assert_true(planes.count > 12 && planes.count <= 24);
      test_ground_close(&t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_combine_q_features), cmocka_unit_test(more_directions_gain_more),
      cmocka_unit_test(missing_values_leave_rows), cmocka_unit_test(few_values_make_more_directions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
