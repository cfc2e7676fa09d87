/* Canonical directions against their definition, computed from the rows; what does not change them; degenerate nodes; the
 * authors' rules of canonical correlation forests. */
#include "support/oblique.h"
#include "cut/canonical.h"

extern const svf_cut svf_cut_cca;

typedef struct {
  svf_sample s;
  float *x;
  double *weight, *value;
  int32_t *label;
} sample;

/* Rows whose mean moves with the class (k > 0) or the value; weights 0, 1, 2, 3. */
static sample make(svf_arena *arena, uint64_t seed, size_t n, size_t p, size_t k) {
  svf_random random = svf_random_at((svf_place){.seed = seed});
  sample a = {.x = SVF_TAKE(arena, float, n *p),
              .weight = SVF_TAKE(arena, double, n),
              .value = SVF_TAKE(arena, double, n),
              .label = SVF_TAKE(arena, int32_t, n)};
  for (size_t i = 0; i < n; i++) {
    a.weight[i] = (double)svf_random_below(&random, 4);
    a.label[i] = (int32_t)svf_random_below(&random, k ? k : 1);
    a.value[i] = svf_random_normal(&random);
    double follow = k ? a.label[i] : a.value[i], common = svf_random_normal(&random);
    for (size_t j = 0; j < p; j++)
      a.x[i * p + j] = (float)(svf_random_normal(&random) + common + follow * sin((double)(j + 1) * (follow + 2)));
  }
  a.s = (svf_sample){n, p, a.x, a.weight, k ? a.label : NULL, k ? NULL : a.value, k, NULL};
  return a;
}

/* Share of the variance along a direction that the classes explain, or the squared correlation with the value. */
static double explained(const svf_sample *s, const double *direction) {
  double total = 0, mean = 0, all = 0, between = 0, y_mean = 0, y_all = 0, both = 0;
  double *u = malloc(s->n * sizeof *u);
  for (size_t i = 0; i < s->n; i++) {
    u[i] = 0;
    for (size_t j = 0; j < s->p; j++) u[i] += direction[j] * s->x[i * s->p + j];
    total += s->weight[i];
    mean += s->weight[i] * u[i];
    if (s->value) y_mean += s->weight[i] * s->value[i];
  }
  mean /= total, y_mean /= total;
  for (size_t i = 0; i < s->n; i++) {
    all += s->weight[i] * (u[i] - mean) * (u[i] - mean);
    if (!s->value) continue;
    y_all += s->weight[i] * (s->value[i] - y_mean) * (s->value[i] - y_mean);
    both += s->weight[i] * (s->value[i] - y_mean) * (u[i] - mean);
  }
  for (size_t c = 0; c < s->k; c++) {
    double w = 0, m = 0;
    for (size_t i = 0; i < s->n; i++)
      if (s->label && (size_t)s->label[i] == c) w += s->weight[i], m += s->weight[i] * u[i];
    if (w > 0) between += w * (m / w - mean) * (m / w - mean);
  }
  free(u);
  return s->value ? both * both / (all * y_all) : between / all;
}

/* Covariance along two directions. */
static double together(const svf_sample *s, const double *a, const double *b) {
  double total = 0, ma = 0, mb = 0, sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < s->n; i++) {
      double u = 0, v = 0;
      for (size_t j = 0; j < s->p; j++) u += a[j] * s->x[i * s->p + j], v += b[j] * s->x[i * s->p + j];
      if (pass) sum += s->weight[i] * (u - ma) * (v - mb);
      else total += s->weight[i], ma += s->weight[i] * u, mb += s->weight[i] * v;
    }
    if (!pass) ma /= total, mb /= total;
  }
  return sum;
}

static void directions_are_what_they_should_be(void **state) {
  (void)state;
  static const size_t p_of[] = {1, 2, 5, 9, 20}, k_of[] = {0, 2, 3, 8, 15};
  for (size_t t = 0; t < 25; t++) {
    svf_arena arena = {0};
    size_t p = p_of[t % 5], k = k_of[t / 5];
    sample a = make(&arena, t, 300, p, k);
    svf_canonical c;
    svf_random random = svf_random_at((svf_place){.seed = t, .use = 9});
    assert_true(svf_canonical_find(svf_la_choose(t % 2), &a.s, &arena, &c));
    assert_int_equal(c.count, k == 0 ? 1 : p < k - 1 ? p : k - 1);
    for (size_t e = 0; e < c.count; e++) {
      const double *direction = c.direction + e * p;
      assert_close(c.square[e], explained(&a.s, direction), 1e-9);
      if (e) assert_true(c.square[e] <= c.square[e - 1]);
      for (size_t f = 0; f < e; f++) { /* uncorrelated with those before */
        const double *other = c.direction + f * p;
        double size = sqrt(together(&a.s, direction, direction) * together(&a.s, other, other));
        assert_true(fabs(together(&a.s, direction, other)) <= 1e-7 * size);
      }
    }
    for (int draw = 0; draw < 200; draw++) { /* no direction explains more than the first, near it or far */
      double any[20];
      for (size_t j = 0; j < p; j++) any[j] = (draw % 2) * c.direction[j] * 10 + svf_random_normal(&random);
      assert_true(explained(&a.s, any) <= c.square[0] + 1e-12);
    }
    svf_arena_free(&arena);
  }
}

/* Correlations and projections stay the same when columns are mixed, stretched and moved. */
static void affine_maps_change_nothing(void **state) {
  (void)state;
  enum { N = 200, P = 4 };
  for (uint64_t seed = 0; seed < 10; seed++) {
    svf_arena arena = {0};
    sample a = make(&arena, seed, N, P, seed % 2 ? 4 : 0), b = a;
    svf_random random = svf_random_at((svf_place){.seed = seed, .use = 7});
    double map[P * P], shift[P];
    for (int i = 0; i < P * P; i++) map[i] = svf_random_normal(&random) + 3 * (i % (P + 1) == 0);
    for (int j = 0; j < P; j++) shift[j] = 5 * svf_random_normal(&random);
    b.x = SVF_TAKE(&arena, float, N *P);
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < P; j++) {
        double sum = shift[j];
        for (size_t l = 0; l < P; l++) sum += a.x[i * P + l] * map[l * P + j];
        b.x[i * P + j] = (float)sum;
      }
    b.s.x = b.x;
    svf_canonical ca, cb;
    assert_true(svf_canonical_find(svf_la_choose(true), &a.s, &arena, &ca));
    assert_true(svf_canonical_find(svf_la_choose(true), &b.s, &arena, &cb));
    assert_int_equal(ca.count, cb.count);
    for (size_t e = 0; e < ca.count; e++) {
      double back[P]; /* b's direction in a's columns */
      assert_close(ca.square[e], cb.square[e], 1e-5);
      for (size_t l = 0; l < P; l++) {
        back[l] = 0;
        for (size_t j = 0; j < P; j++) back[l] += map[l * P + j] * cb.direction[e * P + j];
      }
      const double *own = ca.direction + e * P;
      double size = sqrt(together(&a.s, own, own) * together(&a.s, back, back));
      assert_close(fabs(together(&a.s, own, back)) / size, 1, 1e-4);
    }
    svf_arena_free(&arena);
  }
}

/* Columns that are constant, copies, or sums of others are left out; the rest explains as much as before. */
static void collinear_columns_are_left_out(void **state) {
  (void)state;
  enum { N = 100, P = 3, Q = 7 };
  for (uint64_t seed = 0; seed < 10; seed++) {
    svf_arena arena = {0};
    sample a = make(&arena, seed, N, P, seed % 2 ? 4 : 0), b = a;
    b.x = SVF_TAKE(&arena, float, N *Q);
    for (size_t i = 0; i < N; i++) {
      const float *x = a.x + i * P;
      float row[Q] = {x[0], 7.3f, x[1], x[0], x[2], x[0] - 2 * x[1], 1e-3f * x[2] + 4};
      memcpy(b.x + i * Q, row, sizeof row);
    }
    b.s.x = b.x, b.s.p = Q;
    svf_canonical ca, cb;
    assert_true(svf_canonical_find(svf_la_choose(false), &a.s, &arena, &ca));
    assert_true(svf_canonical_find(svf_la_choose(false), &b.s, &arena, &cb));
    assert_int_equal(ca.count, cb.count);
    size_t used = 0;
    for (size_t j = 0; j < Q; j++) used += cb.direction[j] != 0;
    assert_int_equal(used, 3);
    assert_true(cb.direction[1] == 0);
    for (size_t e = 0; e < ca.count; e++) assert_close(ca.square[e], cb.square[e], 1e-5);
    svf_arena_free(&arena);
  }
}

/* Constant columns between the others, as the levels of a category that a node does not have: nothing changes. */
static void columns_that_do_not_vary_are_not_there(void **state) {
  (void)state;
  enum { N = 60, P = 3, STEP = 13, Q = P * STEP };
  for (uint64_t seed = 0; seed < 6; seed++) {
    svf_arena arena = {0};
    sample a = make(&arena, seed, N, P, seed % 2 ? 3 : 0), b = a;
    b.x = SVF_ZERO(&arena, float, N *Q);
    for (size_t i = 0; i < N * P; i++) b.x[i * STEP + 5] = a.x[i];
    b.s.x = b.x, b.s.p = Q;
    svf_canonical ca, cb;
    assert_true(svf_canonical_find(svf_la_choose(false), &a.s, &arena, &ca));
    assert_true(svf_canonical_find(svf_la_choose(false), &b.s, &arena, &cb));
    assert_int_equal(ca.count, cb.count);
    for (size_t e = 0; e < ca.count; e++) {
      assert_true(ca.square[e] == cb.square[e]);
      for (size_t j = 0; j < Q; j++)
        assert_true(cb.direction[e * Q + j] == (j % STEP == 5 ? ca.direction[e * P + j / STEP] : 0));
    }
    svf_arena_free(&arena);
  }
}

static void nothing_to_explain_gives_no_direction(void **state) {
  (void)state;
  svf_arena arena = {0};
  float same[] = {2, 3, 2, 3, 2, 3, 2, 3};
  double one[] = {1, 1, 1, 1}, value[] = {1, 2, 3, 4}, flat[] = {5, 5, 5, 5};
  int32_t two[] = {0, 1, 0, 1}, single[] = {1, 1, 1, 1};
  float free_x[] = {1, 5, 2, 3, 4, 4, 0, 1};
  svf_sample samples[] = {{4, 2, same, one, two, NULL, 2, NULL},
                          {4, 2, same, one, NULL, value, 0, NULL},
                          {4, 2, free_x, one, single, NULL, 2, NULL},
                          {4, 2, free_x, one, NULL, flat, 0, NULL}};
  for (int i = 0; i < 4; i++) {
    svf_canonical c;
    assert_true(svf_canonical_find(svf_la_choose(true), &samples[i], &arena, &c));
    assert_int_equal(c.count, 0);
  }
  svf_arena_free(&arena);
}

/* Two different points: the cut stands across the line between them, halfway. */
static void two_points_are_cut_with_the_largest_margin(void **state) {
  (void)state;
  double x[40];
  int32_t y[20];
  for (int i = 0; i < 20; i++) x[2 * i] = i % 2 ? 3 : 1, x[2 * i + 1] = i % 2 ? 5 : 1, y[i] = i % 2;
  test_ground t;
  test_ground_open(&t, test_matrix(x, 20, 2, y, 2), "ccf", "scale=none");
  svf_site site = test_root(&t, &svf_cut_cca, 0);
  for (size_t trial = 0; trial < 5; trial++) {
    svf_plane plane = {0};
    assert_true(svf_cut_cca.propose(&t.ground, &site, trial, &plane));
    assert_int_equal(plane.count, 2);
    assert_close(plane.term[1].weight / plane.term[0].weight, 2, 1e-6);
    assert_close(plane.threshold / plane.term[0].weight, 2 + 2 * 3, 1e-6); /* through (2, 3) */
  }
  test_ground_close(&t);
}

/* ceil(log2 D) + 1 features, counted before their expansion, none that does not vary. */
static void features_are_drawn_before_expansion(void **state) {
  (void)state;
  enum { N = 300, D = 9 };
  double x[N * D];
  int32_t y[N], level[N];
  svf_random random = svf_random_at((svf_place){.seed = 3});
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < D; j++) x[i * D + j] = j == 3 ? 1 : svf_random_normal(&random);
    level[i] = (int32_t)svf_random_below(&random, 6);
    y[i] = (x[i * D] + level[i] > 2) + (x[i * D + 1] > 0);
  }
  svf_table *table = test_matrix(x, N, D, y, 3);
  static const char *const names[] = {"p", "q", "r", "s", "t", "u"};
  svf_message message;
  assert_ok(svf_table_set_categories(table, 8, level, names, 6, &message), &message);
  test_ground t;
  test_ground_open(&t, table, "ccf", "cut_candidates=200");
  svf_site site = test_root(&t, &svf_cut_cca, 0);
  size_t category = 0;
  for (size_t trial = 0; trial < 200; trial++) {
    svf_plane plane = {0};
    assert_true(svf_cut_cca.propose(&t.ground, &site, trial, &plane));
    test_plane(&t, &site, &plane);
    size_t features = 0, levels = 0;
    for (size_t i = 0; i < plane.count; i++) {
      uint32_t origin = t.frame.origin[plane.term[i].feature];
      features += i == 0 || origin != t.frame.origin[plane.term[i - 1].feature];
      levels += origin == 8;
      assert_true(origin != 3);
    }
    assert_int_equal(features, 5);           /* ceil(log2 9) + 1 */
    assert_true(levels == 0 || levels == 5); /* of six levels one follows from the others */
    category += levels > 0;
  }
  assert_true(category > 90 && category < 160); /* 5 of the 8 that vary: 125 */
  test_ground_close(&t);
}

/* With all rows the node's directions do not depend on the trial, with a bootstrap they do. */
static void the_bootstrap_is_of_the_projection_only(void **state) {
  (void)state;
  static const char *const pairs[] = {"features=all projection_rows=all", "features=all"};
  for (int p = 0; p < 2; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 300, 6, 3, 1), "ccf", pairs[p]);
    svf_site site = test_root(&t, &svf_cut_cca, 0);
    svf_plane first = {0};
    assert_int_equal(site.n, 300); /* and all rows are cut */
    assert_true(svf_cut_cca.propose(&t.ground, &site, 0, &first));
    for (size_t trial = 1; trial < 4; trial++) {
      svf_plane plane = {0};
      assert_true(svf_cut_cca.propose(&t.ground, &site, trial, &plane));
      bool same = plane.count == first.count && !memcmp(plane.term, first.term, plane.count * sizeof *plane.term);
      assert_int_equal(same, p == 0);
    }
    test_ground_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(directions_are_what_they_should_be),
                                     cmocka_unit_test(affine_maps_change_nothing),
                                     cmocka_unit_test(collinear_columns_are_left_out),
                                     cmocka_unit_test(columns_that_do_not_vary_are_not_there),
                                     cmocka_unit_test(nothing_to_explain_gives_no_direction),
                                     cmocka_unit_test(two_points_are_cut_with_the_largest_margin),
                                     cmocka_unit_test(features_are_drawn_before_expansion),
                                     cmocka_unit_test(the_bootstrap_is_of_the_projection_only)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
