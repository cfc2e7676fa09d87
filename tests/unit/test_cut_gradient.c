/* cut=gradient: the direction beside naive loops, medians under ties and gaps, nodes of one target, nodes whose drawn rows teach
 * nothing. */
#include "cut/lesson.h"
#include "support/ground.h"
#include "support/solve.h"

extern const svf_cut svf_cut_gradient;

enum { D = 5, N = 90 };

static svf_site root_of(test_ground *t) {
  svf_site root = {.name = 1, .n = t->frame.n, .rows = SVF_TAKE(&t->arena, uint32_t, t->frame.n)};
  for (size_t i = 0; i < root.n; i++) root.rows[i] = (uint32_t)i;
  return root;
}

static double distance(const float *x, const float *z) {
  double sum = 0;
  for (size_t j = 0; j < D; j++) sum += ((double)x[j] - z[j]) * ((double)x[j] - z[j]);
  return sqrt(sum);
}

/* Adds the outer products of the gradients of one machine, with a bias, to G. */
static void add_products(const svf_frame *frame, const double *y, double sigma, double C, double G[D][D]) {
  static double M[N + 1][N + 1], a[N + 1];
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++)
      M[i][j] = exp(-distance(frame->x + i * frame->stride, frame->x + j * frame->stride) / sigma) +
                (i == j ? 1 / (C * (frame->weight ? frame->weight[i] : 1)) : 0);
    M[i][N] = M[N][i] = 1;
    a[i] = y[i];
  }
  M[N][N] = a[N] = 0;
  test_solve(N + 1, N + 1, M[0], a);
  for (size_t i = 0; i < N; i++) {
    double g[D] = {0};
    const float *x = frame->x + i * frame->stride;
    for (size_t l = 0; l < N; l++) {
      const float *z = frame->x + l * frame->stride;
      double far = distance(x, z), w = far > 0 ? -exp(-far / sigma) / (sigma * far) : 0;
      for (size_t j = 0; j < D; j++) g[j] += a[l] * w * ((double)x[j] - z[j]);
    }
    for (size_t j = 0; j < D; j++)
      for (size_t e = 0; e < D; e++) G[j][e] += (frame->weight ? frame->weight[i] : 1) * g[j] * g[e];
  }
}

static void top_direction(double G[D][D], double *v) {
  for (size_t j = 0; j < D; j++) v[j] = 1 + .1 * (double)j;
  for (int power = 0; power < 20000; power++) {
    double w[D] = {0}, most = 0;
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) w[i] += G[i][j] * v[j];
    for (size_t i = 0; i < D; i++) most = fmax(most, fabs(w[i]));
    for (size_t i = 0; i < D; i++) v[i] = w[i] / most;
  }
}

/* A number, two classes, three classes; weights; all rows teach, so that their order does not matter. */
static void the_direction_is_that_of_the_steepest_change(void **state) {
  (void)state;
  for (int kind = 0; kind < 5; kind++) {
    test_ground t;
    svf_plane plane;
    size_t classes = kind % 2 ? kind == 3 ? 2 : 3 : 0;
    svf_table *table = classes ? test_synth("classification", N, D, classes, 5) : test_synth("friedman1", N, D, 0, 5);
    test_ground_open(&t, table, "xrfm", "cell_rows=40 gamma=0.8 C=5");
    assert_true(t.frame.n == N && t.frame.d == D);
    double weight[N], G[D][D] = {{0}}, v[D], y[N];
    for (size_t i = 0; i < N; i++) weight[i] = .5 + (double)(i % 3);
    if (kind > 1) t.frame.weight = weight;
    svf_site root = root_of(&t);
    assert_true(svf_cut_gradient.propose(&t.ground, &root, 0, &plane));
    for (size_t q = 0; q < svf_ls_machines(classes); q++) {
      double low = INFINITY, high = -INFINITY;
      for (size_t i = 0; i < N; i++) {
        y[i] = !classes ? t.frame.value[i] : t.frame.label[i] == (int32_t)(classes == 2 ? 1 : q) ? 1 : -1;
        low = fmin(low, y[i]), high = fmax(high, y[i]);
      }
      for (size_t i = 0; i < N; i++) y[i] = 2 * (y[i] - low) / (high - low) - 1;
      add_products(&t.frame, y, 1 / .8, 5, G);
    }
    top_direction(G, v);
    assert_int_equal(plane.count, D);
    double along = 0, own = 0, naive = 0;
    for (size_t j = 0; j < D; j++) {
      assert_int_equal(plane.term[j].feature, j);
      double w = plane.term[j].weight;
      along += v[j] * w, own += w * w, naive += v[j] * v[j];
    }
    assert_close(fabs(along) / sqrt(own * naive), 1, 1e-9);
    svf_sides sides = svf_plane_count(&t.frame, root.rows, N, &plane);
    assert_true(sides.left == N / 2 && sides.right == N / 2 && plane.gain == 0);
    root.n = 40;
    assert_false(svf_cut_gradient.propose(&t.ground, &root, 0, &plane));
    t.frame.weight = NULL;
    test_ground_close(&t);
  }
}

/* In the coordinates of a forest's metric: a column that it knows nothing of has no part. */
static void a_metric_of_the_forest_counts(void **state) {
  (void)state;
  test_ground t;
  svf_plane plane;
  const double weight[] = {0, 1, .5, 0, 0};
  svf_metric metric = {D, false, weight};
  test_ground_open(&t, test_synth("friedman1", N, D, 0, 3), "xrfm", "cell_rows=40");
  t.ground.metric = &metric;
  svf_site root = root_of(&t);
  assert_true(svf_cut_gradient.propose(&t.ground, &root, 0, &plane));
  assert_true(plane.count == 2 && plane.term[0].feature == 1 && plane.term[1].feature == 2);
  test_ground_close(&t);
}

/* Rows that coincide stay together, gaps go to the smaller side, and the sides are as even as ties let them be. */
static void ties_and_missing_values_are_cut(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    test_ground t;
    double value[N];
    svf_plane plane;
    test_ground_open(&t, test_synth("friedman1", N, D, 0, 3), "xrfm", "cell_rows=40");
    for (size_t i = 0; i < N; i++) {
      float *x = t.frame.x + i * t.frame.stride;
      for (size_t j = 0; j < D; j++) x[j] = 0;
      x[0] = kind == 0 ? 1 : (float)(i >= 30);
      x[1] = kind == 2 && i % 7 == 0 ? NAN : 0;
      if (kind == 3 && i % 3) x[0] = NAN;
      value[i] = (double)(i >= 30) + .01 * (double)(i % 5);
    }
    t.frame.value = value;
    t.frame.missing = kind > 1;
    svf_site root = root_of(&t);
    bool cut = svf_cut_gradient.propose(&t.ground, &root, 0, &plane);
    assert_true(cut == (kind > 0));
    if (cut) {
      svf_sides sides = svf_plane_count(&t.frame, root.rows, N, &plane);
      assert_int_equal(sides.left + sides.right + sides.missing, N);
      assert_int_equal(sides.left * sides.right, kind == 3 ? 10 * 20 : 30 * 60);
      assert_true(kind < 3 || plane.missing_left == (sides.left <= sides.right));
    }
    test_ground_close(&t);
  }
}

/* One target: a leaf. Another target in so few rows that none of those drawn has it: cut all the same. */
static void flat_rows_are_left_or_cut_anywhere(void **state) {
  (void)state;
  enum { ROWS = 4000 };
  static double value[ROWS];
  for (int others = 0; others < 2; others++) {
    test_ground t;
    svf_plane plane;
    test_ground_open(&t, test_synth("friedman1", ROWS, D, 0, 3), "xrfm", "cell_rows=40 direction_rows=20");
    for (size_t i = 0; i < ROWS; i++) value[i] = others && i == 1234;
    t.frame.value = value;
    svf_site root = root_of(&t);
    assert_true(svf_cut_gradient.propose(&t.ground, &root, 0, &plane) == (others > 0));
    if (others) {
      svf_sides sides = svf_plane_count(&t.frame, root.rows, root.n, &plane);
      assert_true(sides.left == ROWS / 2 && sides.right == ROWS / 2);
    }
    test_ground_close(&t);
  }
}

static void too_many_columns_are_refused(void **state) {
  (void)state;
  svf_message message;
  svf_settings *settings = test_settings("xrfm", "cell_rows=40");
  svf_frame frame = {.n = 100, .d = SVF_LESSON_COLUMNS + 1};
  const void *prepared = NULL;
  assert_int_equal(svf_cut_gradient.prepare(&frame, settings, NULL, NULL, &prepared, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "use cut=halve"));
  svf_settings_free(settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_direction_is_that_of_the_steepest_change), cmocka_unit_test(a_metric_of_the_forest_counts),
      cmocka_unit_test(ties_and_missing_values_are_cut), cmocka_unit_test(flat_rows_are_left_or_cut_anywhere),
      cmocka_unit_test(too_many_columns_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
