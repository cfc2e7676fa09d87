/* Gaussian least-squares machines on rows that are equal or nearly so: the kernel matrix has a low rank. One test per cause; the
 * oracle is the bordered system, solved by elimination in long double. */
#include <stdlib.h>
#include "support/test.h"
#include "svm/ls_gauss.h"

enum { MOST = 256, D = 3, SIDE = MOST + 1 };

typedef struct table {
  size_t n;
  float x[MOST * D];
  double y[MOST], weight[MOST];
  bool weighted;
} table;

typedef long double wide_real;

static wide_real kernel(double sigma, const float *a, const float *b) {
  wide_real sum = 0;
  for (size_t j = 0; j < D; j++) sum += ((wide_real)a[j] - b[j]) * ((wide_real)a[j] - b[j]);
  return expl(-sum / (2 * (wide_real)sigma * sigma));
}

/* Gaussian elimination with row pivots; the last column becomes the solution. */
static void eliminate(size_t side, wide_real *a) {
  size_t row = side + 1;
  for (size_t k = 0; k < side; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < side; i++)
      if (fabsl(a[i * row + k]) > fabsl(a[pivot * row + k])) pivot = i;
    for (size_t j = 0; j < row; j++) {
      wide_real swap = a[k * row + j];
      a[k * row + j] = a[pivot * row + j], a[pivot * row + j] = swap;
    }
    for (size_t i = 0; i < side; i++) {
      wide_real f = i == k ? 0 : a[i * row + k] / a[k * row + k];
      for (size_t j = k; f != 0 && j < row; j++) a[i * row + j] -= f * a[k * row + j];
    }
  }
  for (size_t k = 0; k < side; k++) a[k * row + side] /= a[k * row + k];
}

/* b, then alpha, in solution. */
static void solve_naively(const table *t, double sigma, double C, wide_real *solution) {
  size_t side = t->n + 1, row = side + 1;
  wide_real *a = calloc(side * row, sizeof *a);
  assert_non_null(a);
  for (size_t i = 0; i < t->n; i++) {
    a[i + 1] = a[(i + 1) * row] = 1;
    for (size_t j = 0; j < t->n; j++) a[(i + 1) * row + j + 1] = kernel(sigma, t->x + i * D, t->x + j * D);
    a[(i + 1) * row + i + 1] += 1 / ((wide_real)C * (t->weighted ? t->weight[i] : 1));
    a[(i + 1) * row + side] = t->y[i];
  }
  eliminate(side, a);
  for (size_t i = 0; i < side; i++) solution[i] = a[i * row + side];
  free(a);
}

static void compare(const table *t, const svf_gauss *r, const wide_real *solution, const float *x) {
  wide_real naive = solution[0], ours = r->bias[0];
  for (size_t i = 0; i < t->n; i++) {
    wide_real k = kernel(r->sigma, t->x + i * D, x);
    naive += k * solution[i + 1];
    ours += k * r->alpha[i];
  }
  assert_close((double)ours, (double)naive, 1e-8); /* the targets have a range of 1 */
}

/* Fits with the grids of the presets, and at the corners of the grids; compares on the training rows and away from them. */
static void check(const table *t) {
  static const double width[] = {.1, .35, .7, 1.5, 7}, C[] = {.1, 10, 1000, 1e5};
  for (size_t part = 0; part < 5; part++) {
    svf_arena arena = {0};
    float *pane = SVF_ZERO(&arena, float, svf_padded(t->n) * D);
    for (size_t i = 0; i < t->n * D; i++)
      pane[(i / D / SVF_LANES * D + i % D) * SVF_LANES + i / D % SVF_LANES] = t->x[i];
    bool all = part == 4;
    svf_gauss_problem problem = {.rows = {t->x, t->n, D, D},
                                 .pane = pane,
                                 .targets = 1,
                                 .y = t->y,
                                 .weight = t->weighted ? t->weight : NULL,
                                 .width = width + (part % 2 ? 4 : 0),
                                 .widths = all ? 5 : 1,
                                 .relative = true,
                                 .C = C + (!all && part > 1 ? 3 : 0),
                                 .C_count = all ? 4 : 1,
                                 .kernel = SVF_LS_KERNEL_RBF};
    if (all) problem.width = width;
    svf_solver solver = {.la = svf_la_choose(part % 2), .arena = &arena};
    svf_gauss r;
    static wide_real solution[SIDE];
    assert_true(svf_gauss_fit(&problem, &solver, &r));
    assert_true(isfinite(r.error) && r.error >= 0);
    solve_naively(t, r.sigma, r.C, solution);
    for (size_t i = 0; i < t->n; i += 5) compare(t, &r, solution, t->x + i * D);
    compare(t, &r, solution, (const float[D]){.5f, .25f, 1.5f});
    svf_arena_free(&arena);
  }
}

/* Targets in [0, 1], and weights, that have nothing to do with the rows. */
static void begin(table *t, size_t n, bool weighted, svf_random *random) {
  memset(t, 0, sizeof *t);
  t->n = n, t->weighted = weighted;
  for (size_t i = 0; i < n; i++) t->y[i] = svf_random_unit(random), t->weight[i] = .1 + svf_random_unit(random);
}

static void all_rows_equal(void **state) {
  (void)state;
  static table t;
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (int weighted = 0; weighted < 2; weighted++) {
    begin(&t, 200, weighted, &random);
    for (size_t i = 0; i < t.n * D; i++) t.x[i] = .25f;
    check(&t);
  }
}

static void one_row_differs(void **state) {
  (void)state;
  static table t;
  svf_random random = svf_random_at((svf_place){.seed = 2});
  for (int weighted = 0; weighted < 2; weighted++) {
    begin(&t, 100, weighted, &random);
    t.x[7 * D] = 1;
    check(&t);
  }
}

static void binary_columns(void **state) {
  (void)state;
  static table t;
  svf_random random = svf_random_at((svf_place){.seed = 3});
  for (size_t trial = 0; trial < 3; trial++) {
    begin(&t, MOST - 7 * trial, trial == 1, &random);
    for (size_t i = 0; i < t.n * D; i++) t.x[i] = i % D <= trial && svf_random_unit(&random) < .5;
    check(&t);
  }
}

/* What min-max scaling makes of a column with one outlier of 1e12. */
static void one_outlier(void **state) {
  (void)state;
  static table t;
  svf_random random = svf_random_at((svf_place){.seed = 4});
  begin(&t, 200, false, &random);
  for (size_t i = 0; i < t.n; i++) t.x[i * D] = i == 7 ? 1 : (float)(1e-12 * svf_random_unit(&random));
  check(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_rows_equal), cmocka_unit_test(one_row_differs),
                                     cmocka_unit_test(binary_columns), cmocka_unit_test(one_outlier)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
