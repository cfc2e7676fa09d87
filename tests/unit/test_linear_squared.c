/* test_linear_squared.c - the squared hinge: certificates from raw data for every table of kernels, p x p and n x n, and the path
 * against single fits. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/linear_path.h"
#include "svm/linear_squared.h"

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
        svf_solution fit;
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

/* The same problem padded with features that are always 0 makes it n x n; the solution is the same. */
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
  svf_solution a, b;
  assert_true(svf_squared_fit(&few.rows, &problem, 1, &solver, w, &a));
  assert_true(svf_squared_fit(&wide, &problem, 1, &solver, v, &b));
  assert_close(a.objective, b.objective, 1e-10);
  for (size_t j = 0; j < few.rows.p; j++) assert_close(w[j], v[j], 1e-6);
  svf_arena_free(&arena);
}

/* Signs and costs in the order of the folds. */
static svf_binary reorder(svf_arena *arena, const svf_shared *shared, const test_rows *r) {
  double *sign = SVF_TAKE(arena, double, shared->n), *cost = SVF_TAKE(arena, double, shared->n);
  for (size_t i = 0; i < shared->n; i++) sign[i] = r->sign[shared->order[i]], cost[i] = r->cost[shared->order[i]];
  return (svf_binary){sign, cost};
}

enum { COUNT = 5 };

/* Held-out scores of one fold at one C against a fit by itself. */
static void check_part(svf_arena *arena, const test_rows *r, const svf_shared *shared, double C, int f,
                       const float *held) {
  svf_solver solver = solver_for(svf_la_choose(false), arena);
  size_t n = r->rows.n;
  double *part = SVF_TAKE(arena, double, n), *v = SVF_ZERO(arena, double, r->rows.ld), P;
  for (size_t i = 0; i < n; i++) part[i] = r->fold[i] == f ? 0 : r->cost[i];
  svf_binary without = {r->sign, part};
  svf_solution fit;
  solver.tolerance = 1e-12;
  assert_true(svf_squared_fit(&r->rows, &without, C, &solver, v, &fit));
  assert_true(test_squared_gap(&r->rows, r->sign, part, C, v, &P) <= 1e-10 * P);
  for (size_t i = 0; i < n; i++) {
    size_t from = shared->order[i];
    if (r->fold[from] != f) continue;
    double score = 0;
    for (size_t j = 0; j < r->rows.ld; j++) score += v[j] * r->x[from * r->rows.ld + j];
    assert_close(held[i], score, 5e-3 * fmax(1, sqrt(C)));
  }
}

/* scale: of the values of C; large ones go beyond single precision. */
static void path_equals_single_fits(const svf_la *la, size_t n, size_t d, double scale, double tolerance) {
  svf_arena arena = {0};
  test_rows r = test_rows_make(&arena, n, n, d, 2);
  double C[COUNT] = {.25 * scale, .5 * scale, 1 * scale, 2 * scale, 4 * scale}, P;
  svf_points points = test_points(&arena, &r);
  svf_machines_options options = {.C = C, .C_count = COUNT, .solver = solver_for(la, &arena)};
  options.solver.tolerance = tolerance;
  svf_shared shared;
  svf_path path;
  svf_shared_open(&shared, &points, r.fold, 3, &options.solver);
  svf_binary binary = reorder(&arena, &shared, &r);
  assert_true(svf_path_open(&path, &shared, &options, binary.cost, true));
  svf_path_result result = {SVF_ZERO(&arena, double, COUNT *r.rows.ld), SVF_ZERO(&arena, float, COUNT *n),
                            SVF_ZERO(&arena, double, COUNT), NULL};
  assert_true(svf_path_run(&path, &binary, &options.solver, &result));
  for (size_t c = 0; c < COUNT; c++) {
    const double *w = result.w + c * r.rows.ld;
    svf_solution fit;
    assert_true(svf_path_finish(&path, &binary, &options.solver, c, &result));
    assert_true(test_squared_gap(&r.rows, r.sign, r.cost, C[c], w, &P) <= tolerance * P);
    assert_true(result.gap[c] <= tolerance);
    assert_true(svf_shared_certify(&shared, &binary, C[c], &options.solver, w, &fit));
    assert_close(fit.objective, P, 1e-9);
    for (int f = 0; f < 3; f++) check_part(&arena, &r, &shared, C[c], f, result.held + c * n);
  }
  svf_arena_free(&arena);
}

/* The path of n rows with two columns alike, at its end; returns what its fits shared. */
static svf_shared end_of_path(const svf_la *la, size_t n, size_t d, double last) {
  svf_arena arena = {0};
  test_rows r = test_rows_make(&arena, 3, n, d, 2);
  for (size_t i = 0; i < n; i++) r.x[i * r.rows.ld + 1] = r.x[i * r.rows.ld];
  svf_points points = test_points(&arena, &r);
  double C[] = {last / 4, last}, P;
  svf_machines_options options = {.C = C, .C_count = 2, .solver = solver_for(la, &arena)};
  svf_shared shared;
  svf_path path;
  svf_shared_open(&shared, &points, r.fold, 3, &options.solver);
  svf_binary binary = reorder(&arena, &shared, &r);
  assert_true(svf_path_open(&path, &shared, &options, binary.cost, true));
  svf_path_result result = {SVF_ZERO(&arena, double, 2 * r.rows.ld), SVF_ZERO(&arena, float, 2 * n),
                            SVF_ZERO(&arena, double, 2), NULL};
  assert_true(svf_path_run(&path, &binary, &options.solver, &result));
  assert_true(svf_path_finish(&path, &binary, &options.solver, 1, &result));
  assert_true(test_squared_gap(&r.rows, r.sign, r.cost, last, result.w + r.rows.ld, &P) <= 1e-6 * P);
  check_part(&arena, &r, &shared, last, 1, result.held + n);
  svf_arena_free(&arena);
  return shared;
}

/* C times the rows is large: 2C H in single precision would drown the I that keeps the two columns apart. */
static void many_rows(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++) {
    if (!svf_la_at(t)) continue;
    svf_shared shared = end_of_path(svf_la_at(t), 3000, 6, 80);
    assert_true(shared.regime == &svf_regimes[SVF_REGIME_DOUBLE]);
  }
}

/* So many short rows that they are kept in panels alone. */
static void a_crowd(void **state) {
  (void)state;
  svf_shared shared = end_of_path(svf_la_choose(false), 70000, 60, 4);
  assert_true(shared.regime == &svf_regimes[SVF_REGIME_CROWD] && !shared.x);
}

/* So many long rows that they are kept as rows alone: with H in double, in single precision, and with K for few of them. */
static void many_long_rows(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++) {
    if (!svf_la_at(t)) continue;
    svf_shared wide = end_of_path(svf_la_at(t), 6000, 100, 4), single = end_of_path(svf_la_at(t), 6000, 100, .25);
    svf_shared few = end_of_path(svf_la_at(t), 1300, 410, .25);
    assert_true(wide.regime == &svf_regimes[SVF_REGIME_SUMS] && !wide.panel);
    assert_true(single.regime == &svf_regimes[SVF_REGIME_LONG] && !single.panel);
    assert_true(few.regime == &svf_regimes[SVF_REGIME_LONG_FEW] && !few.panel);
  }
}

static void paths(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{120, 10}, {40, 70}, {300, 63},  {400, 90},
                                    {7, 3},    {65, 15}, {130, 129}, {300, 130}};
  for (size_t t = 0; t < 3; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && svf_la_at(t); s++) {
      path_equals_single_fits(svf_la_at(t), sizes[s][0], sizes[s][1], 1, 1e-6);
      path_equals_single_fits(svf_la_at(t), sizes[s][0], sizes[s][1], 1e4, 1e-6);
      path_equals_single_fits(svf_la_at(t), sizes[s][0], sizes[s][1], 1, 1e-11);
    }
}

/* The costs that H begins with are far above those of the problem: what the rounding of the former leaves behind hides
 * nothing. */
static void heavy_rows_elsewhere(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 15; seed++) {
    svf_arena arena = {0};
    size_t n = 60, d = 7;
    test_rows r = test_rows_make(&arena, seed, n, d, 2);
    double C[] = {1e-6, 1e-5, 5e-5, 1e-4}, *base = SVF_TAKE(&arena, double, n), P;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < d; j++) r.x[i * r.rows.ld + j] += 10;
    svf_points points = test_points(&arena, &r);
    const svf_la *la = svf_la_at(seed % 3) ? svf_la_at(seed % 3) : svf_la_choose(false);
    svf_machines_options options = {.C = C, .C_count = 4, .solver = solver_for(la, &arena)};
    for (size_t i = 0; i < n; i++) r.cost[i] = i % 10 ? 1 : 0;
    svf_shared shared;
    svf_path path;
    svf_shared_open(&shared, &points, NULL, 1, &options.solver);
    svf_binary binary = reorder(&arena, &shared, &r);
    for (size_t i = 0; i < n; i++) base[i] = binary.cost[i] > 0 ? 1 : 1e6;
    assert_true(svf_path_open(&path, &shared, &options, base, false));
    svf_path_result result = {SVF_ZERO(&arena, double, 4 * r.rows.ld), NULL, SVF_ZERO(&arena, double, 4), NULL};
    assert_true(svf_path_run(&path, &binary, &options.solver, &result));
    for (size_t c = 0; c < 4; c++)
      assert_true(test_squared_gap(&r.rows, r.sign, r.cost, C[c], result.w + c * r.rows.ld, &P) <= 1e-6 * P);
    svf_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates),        cmocka_unit_test(both_forms_agree), cmocka_unit_test(paths),
      cmocka_unit_test(many_rows),           cmocka_unit_test(a_crowd),          cmocka_unit_test(many_long_rows),
      cmocka_unit_test(heavy_rows_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
