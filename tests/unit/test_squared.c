/* The squared hinge: certificates from raw data for every table of kernels and both forms, and the path
 * against single fits. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/squared.h"

static svf_solver solver_for(const svf_la *la, svf_arena *arena) {
  return (svf_solver){.la = la, .tolerance = 1e-6, .max_steps = 200, .arena = arena};
}

static void certificates(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{2, 1}, {5, 3}, {40, 2}, {200, 20}, {30, 60}, {100, 99}, {99, 100}, {300, 7}};
  static const double costs[] = {.01, .25, 4, 1000, 1e5, 1e7}; /* large ones need scores in double */
  for (size_t t = 0; t < 3; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t c = 0; c < 6 && svf_la_at(t); c++) {
        svf_arena arena = {0};
        test_rows r = test_rows_make(&arena, s, sizes[s][0], sizes[s][1], 2);
        svf_solver solver = solver_for(svf_la_at(t), &arena);
        svf_binary problem = {r.sign, r.cost};
        svf_fit fit;
        double *w = SVF_ZERO(&arena, double, r.rows.ld), P;
        assert_true(svf_squared_fit(&r.rows, &problem, costs[c], &solver, w, &fit));
        double gap = test_squared_gap(&r.rows, r.sign, r.cost, costs[c], w, &P);
        assert_close(fit.objective, P, 1e-9);
        assert_true(gap <= 1e-6 * P);
        assert_true(fit.gap <= 1e-6);
        assert_true(fit.steps < 100);
        svf_arena_free(&arena);
      }
}

/* The same problem padded with features that are always 0 makes the dual form; the solution is the same. */
static void both_forms_agree(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows few = test_rows_make(&arena, 5, 50, 12, 2);
  svf_rows wide = {.n = 50, .p = 80, .ld = 80};
  double *x = SVF_ZERO(&arena, double, 50 * 80), *w = SVF_ZERO(&arena, double, 80), *v = SVF_ZERO(&arena, double, 80);
  for (size_t i = 0; i < 50; i++) memcpy(x + i * 80, few.x + i * few.rows.ld, few.rows.ld * sizeof *x);
  wide.x = x;
  svf_binary problem = {few.sign, few.cost};
  svf_solver solver = solver_for(svf_la_choose(false), &arena);
  solver.tolerance = 1e-12;
  svf_fit a, b;
  assert_true(svf_squared_fit(&few.rows, &problem, 1, &solver, w, &a));
  assert_true(svf_squared_fit(&wide, &problem, 1, &solver, v, &b));
  assert_close(a.objective, b.objective, 1e-10);
  for (size_t j = 0; j < few.rows.p; j++) assert_close(w[j], v[j], 1e-6);
  svf_arena_free(&arena);
}

static void path_equals_single_fits(size_t n, size_t d) {
  svf_arena arena = {0};
  test_rows r = test_rows_make(&arena, n, n, d, 2);
  static const double C[] = {.25, .5, 1, 2, 4};
  enum { COUNT = 5 };
  svf_machines_problem problem = {.rows = r.rows, .label = r.label, .m = 2, .fold = r.fold, .folds = 3};
  svf_machines_options options = {.C = C, .C_count = COUNT, .solver = solver_for(svf_la_choose(false), &arena)};
  double *w = SVF_ZERO(&arena, double, COUNT *r.rows.ld), gap[COUNT];
  float *held = SVF_ZERO(&arena, float, COUNT *n);
  svf_binary binary = {r.sign, r.cost};
  svf_path_shared *shared = svf_path_open(&problem, &options, NULL);
  assert_non_null(shared);
  assert_true(svf_path_run(shared, &binary, w, held, gap));
  double *part = SVF_TAKE(&arena, double, n), *v = SVF_ZERO(&arena, double, r.rows.ld), P;
  for (size_t c = 0; c < COUNT; c++) {
    assert_true(test_squared_gap(&r.rows, r.sign, r.cost, C[c], w + c * r.rows.ld, &P) <= 1e-6 * P);
    assert_true(gap[c] <= 1e-6);
    for (int f = 0; f < 3; f++) {
      for (size_t i = 0; i < n; i++) part[i] = r.fold[i] == f ? 0 : r.cost[i];
      svf_binary without = {r.sign, part};
      svf_fit fit;
      options.solver.tolerance = 1e-12;
      assert_true(svf_squared_fit(&r.rows, &without, C[c], &options.solver, v, &fit));
      options.solver.tolerance = 1e-6;
      assert_true(test_squared_gap(&r.rows, r.sign, part, C[c], v, &P) <= 1e-10 * P);
      for (size_t i = 0; i < n; i++)
        if (r.fold[i] == f) {
          double score = 0;
          for (size_t j = 0; j < r.rows.ld; j++) score += v[j] * r.x[i * r.rows.ld + j];
          assert_close(held[c * n + i], score, 5e-3);
        }
    }
  }
  svf_arena_free(&arena);
}

static void paths(void **state) {
  (void)state;
  path_equals_single_fits(120, 10);
  path_equals_single_fits(40, 70);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(certificates), cmocka_unit_test(both_forms_agree),
                                     cmocka_unit_test(paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
