/* Rotations: orthonormal, uniform, groups of components; axes for what is not rotated; cuts as good as a plain search. */
#include "support/oblique.h"
#include "cut/rotation.h"

extern const svf_cut svf_cut_rotate;

static svf_rotation rotate(test_ground *t, uint32_t tree) {
  svf_rotation rotation;
  t->ground.tree = tree;
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site root = {.name = 1, .rows = bag.rows, .n = bag.n};
  assert_true(svf_rotation_make(&t->ground, &root, &rotation));
  return rotation;
}

/* Axis a as d numbers. */
static void unfold(const svf_rotation *r, size_t a, size_t d, double *axis) {
  for (size_t j = 0; j < d; j++) axis[j] = 0;
  for (size_t i = r->start[a]; i < r->start[a + 1]; i++) axis[r->term[i].feature] = r->term[i].weight;
}

static void axes_are_orthonormal(void **state) {
  (void)state;
  static const char *const pairs[] = {"", "rotation=pca", "rotation=pca group_size=4 group_fraction=0.2",
                                      "rotation=pca group_size=1", "rotation=pca group_size=1000 cpu=portable"};
  enum { D = 11 };
  for (int p = 0; p < 5; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 120, D, 3, 1), "random-rotation", pairs[p]);
    svf_rotation r = rotate(&t, 3);
    assert_int_equal(r.axes, D);
    for (size_t a = 0; a < D; a++) {
      double x[D], y[D];
      unfold(&r, a, D, x);
      if (p && t.settings->group_size < D) assert_true(r.start[a + 1] - r.start[a] <= (size_t)t.settings->group_size);
      for (size_t b = 0; b <= a; b++) {
        double product = 0;
        unfold(&r, b, D, y);
        for (size_t j = 0; j < D; j++) product += x[j] * y[j];
        assert_close(product, a == b, 1e-6);
      }
      for (size_t i = 0; i < t.frame.n; i++) { /* bit for bit what a plane would sum */
        svf_plane plane = {.term = r.term + r.start[a], .count = r.start[a + 1] - r.start[a]};
        assert_true(r.value[a][i] == test_project(&plane, t.frame.x + i * t.frame.stride));
      }
    }
    test_ground_close(&t);
  }
}

/* Entries of a uniform rotation: mean 0, mean square 1/n, mean fourth power 3/(n(n+2)). */
static void random_rotations_are_uniform(void **state) {
  (void)state;
  enum { D = 4, TREES = 3000 };
  test_ground t;
  test_ground_open(&t, test_synth("classification", 10, D, 2, 1), "random-rotation", "");
  double first[D * D] = {0}, square[D * D] = {0}, fourth[D * D] = {0};
  for (uint32_t tree = 0; tree < TREES; tree++) {
    svf_rotation r = rotate(&t, tree);
    for (size_t i = 0; i < D * D; i++) {
      double q = r.term[i].weight;
      first[i] += q / TREES, square[i] += q * q / TREES, fourth[i] += q * q * q * q / TREES;
    }
  }
  for (size_t i = 0; i < D * D; i++) {
    assert_true(fabs(first[i]) < 5 * sqrt(.25 / TREES));
    assert_true(fabs(square[i] - .25) < 5 * sqrt((.125 - .0625) / TREES));
    assert_true(fabs(fourth[i] - .125) < .02);
  }
  test_ground_close(&t);
}

/* A group that holds two columns which move together has its first axis between them. */
static void components_follow_the_data(void **state) {
  (void)state;
  enum { N = 200 };
  double x[2 * N];
  int32_t y[N];
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (int i = 0; i < N; i++) {
    x[2 * i] = svf_random_normal(&random);
    x[2 * i + 1] = 3 * x[2 * i] + .01 * svf_random_normal(&random);
    y[i] = i % 2;
  }
  test_ground t;
  test_ground_open(&t, test_matrix(x, N, 2, y, 2), "rotation-forest", "scale=none");
  svf_rotation r = rotate(&t, 0);
  double axis[2];
  unfold(&r, 0, 2, axis);
  assert_close(axis[1] / axis[0], 3, 1e-2);
  test_ground_close(&t);
}

/* Columns: a number, one with a missing value, a constant, one that is all missing, a category of three levels. */
static svf_table *mixed(void) {
  enum { N = 60 };
  double x[5 * N];
  int32_t y[N], level[N];
  svf_random random = svf_random_at((svf_place){.seed = 2});
  for (int i = 0; i < N; i++) {
    double row[] = {svf_random_normal(&random), i == 7 ? NAN : svf_random_normal(&random), 4, NAN, 0};
    memcpy(x + 5 * i, row, sizeof row);
    level[i] = i % 3;
    y[i] = x[5 * i] > 0;
  }
  svf_table *table = test_matrix(x, N, 5, y, 2);
  static const char *const names[] = {"p", "q", "r"};
  svf_message message;
  assert_ok(svf_table_set_categories(table, 4, level, names, 3, &message), &message);
  return table;
}

static void what_is_not_rotated_stays_an_axis(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, mixed(), "random-rotation", "rows=all");
  svf_rotation r = rotate(&t, 0);
  assert_int_equal(r.axes, 1 + 1 + 3); /* the number, the one with a gap, the levels */
  for (size_t a = 1; a < r.axes; a++) {
    assert_int_equal(r.start[a + 1] - r.start[a], 1);
    assert_true(r.term[r.start[a]].weight == 1 && r.term[r.start[a]].feature != 2 && r.term[r.start[a]].feature != 3);
  }
  test_ground_close(&t);
  test_ground_open(&t, mixed(), "rotation-forest", "");
  r = rotate(&t, 0);
  assert_int_equal(r.axes, 5);
  size_t single = 0;
  for (size_t a = 0; a < r.axes; a++) single += r.term[r.start[a]].feature == 1;
  assert_int_equal(single, 1); /* the column with a gap is in no group */
  test_ground_close(&t);
}

/* With all axes allowed the plane is the best of all axes; rows are sent where the plane says. */
static void the_best_axis_is_found(void **state) {
  (void)state;
  static const char *const pairs[] = {"features=all", "features=all rotation=pca min_leaf=9",
                                      "features=all criterion=entropy"};
  for (int p = 0; p < 6; p++) {
    test_ground t;
    test_ground_open(&t, p < 3 ? test_synth("classification", 150, 6, 3, 1) : test_synth("friedman1", 150, 6, 0, 1),
                     "random-rotation", pairs[p % 3]);
    svf_site site = test_root(&t, &svf_cut_rotate, (uint32_t)p);
    svf_rotation r = rotate(&t, (uint32_t)p);
    svf_plane plane = {0};
    assert_true(svf_cut_rotate.propose(&t.ground, &site, 0, &plane));
    test_plane(&t, &site, &plane);
    svf_search search;
    assert_true(svf_search_open(&search, &t.ground, &site, NULL));
    svf_found best = {.gain = search.least};
    float value[150];
    for (size_t a = 0; a < r.axes; a++) {
      for (size_t i = 0; i < site.n; i++) value[i] = r.value[a][site.rows[i]];
      svf_search_column(&search, value, &best);
    }
    assert_close(plane.gain, best.gain, 1e-11);
    unsigned char side[150], expected[150];
    svf_cut_rotate.sides(&t.ground, &plane, site.rows, site.n, side);
    svf_plane_sides(&t.frame, &plane, site.rows, site.n, expected);
    assert_memory_equal(side, expected, site.n);
    test_ground_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axes_are_orthonormal), cmocka_unit_test(random_rotations_are_uniform),
      cmocka_unit_test(components_follow_the_data), cmocka_unit_test(what_is_not_rotated_stays_an_axis),
      cmocka_unit_test(the_best_axis_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
