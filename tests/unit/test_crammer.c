/* test_crammer.c - the Crammer-Singer solvers: known solutions, what must not change them, and their promises. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/crammer.h"

static svf_solver solver_of(svf_arena *arena, const svf_la *la, double tolerance) {
  return (svf_solver){.la = la, .tolerance = tolerance, .max_steps = 2000, .arena = arena};
}

static double objective(const test_rows *t, size_t m, double C, const double *w) {
  size_t ld = t->rows.ld;
  double P = 0;
  for (size_t j = 0; j < m * ld; j++) P += .5 * w[j] * w[j];
  for (size_t i = 0; i < t->rows.n; i++) {
    double own = 0, top = -INFINITY;
    for (size_t k = 0; k < m; k++) {
      double score = (int32_t)k != t->label[i];
      for (size_t j = 0; j < ld; j++) score += w[k * ld + j] * t->x[i * ld + j];
      if ((int32_t)k == t->label[i]) own = score;
      top = fmax(top, score);
    }
    P += C * t->cost[i] * (top - own);
  }
  return P;
}

/* Fits, and checks what is reported: no point anywhere near may be lower than the gap allows. */
static svf_solution fit_and_check(const test_rows *t, size_t m, double C, const svf_solver *solver, double *w) {
  svf_solution fit;
  size_t size = m * t->rows.ld;
  assert_true(svf_crammer_fit(&t->rows, t->label, m, t->cost, C, solver, w, &fit));
  assert_close(fit.objective, objective(t, m, C, w), 1e-12);
  assert_true(fit.gap >= 0 && fit.gap <= solver->tolerance);
  double *near = SVF_ZERO(solver->arena, double, size);
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (int trial = 0; trial < 30; trial++) {
    double step = pow(10, -trial % 6);
    for (size_t j = 0; j < size; j++)
      near[j] = j % t->rows.ld < t->rows.p ? w[j] * (1 + step) + step * svf_random_normal(&random) : 0;
    assert_true(objective(t, m, C, near) >= fit.objective * (1 - fit.gap));
  }
  return fit;
}

/* Few, more and very many unknowns: each has its way through the solvers. */
static void test_reported_worth(void **state) {
  (void)state;
  static const size_t shape[][3] = {{3, 1, 3}, {60, 5, 4}, {100, 60, 6}, {30, 600, 4}};
  svf_arena arena = {0};
  for (size_t s = 0; s < 4; s++)
    for (size_t table = 0; table < 3; table++)
      for (double C = 0.01; C < 200; C *= 100) {
        svf_mark mark = svf_arena_mark(&arena);
        test_rows t = test_rows_make(&arena, s, shape[s][0], shape[s][1], shape[s][2]);
        double *w = SVF_TAKE(&arena, double, shape[s][2] * t.rows.ld);
        svf_solver solver = solver_of(&arena, svf_la_at(table), 1e-6);
        if (solver.la) fit_and_check(&t, shape[s][2], C, &solver, w);
        svf_arena_release(&arena, mark);
      }
  svf_arena_free(&arena);
}

/* Row by row and along the path, the same problem has the same worth. */
static void test_two_ways(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 1, 50, 7, 3);
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-7);
  double *w = SVF_ZERO(&arena, double, 3 * t.rows.ld);
  double P = fit_and_check(&t, 3, 0.5, &solver, w).objective;
  const double *row[50];
  double u[50], value[3], *way = SVF_TAKE(&arena, double, 3 * t.rows.ld), *beta = SVF_TAKE(&arena, double, 150);
  for (size_t i = 0; i < 50; i++) row[i] = t.x + i * t.rows.ld, u[i] = 0.5 * t.cost[i];
  svf_crammer c = {solver.la, &solver, 50, 3, t.rows.p, t.rows.ld, row, t.label, u, beta, w, value, way};
  svf_solution fit = {0};
  assert_true(svf_crammer_ascent(&c, &solver, &fit));
  assert_true(fit.gap <= 1e-7);
  assert_close(fit.objective, P, 1e-6);
  svf_arena_free(&arena);
}

/* With two classes w_0 = -w_1 = g / 2, g being the hinge's solution for 2C, and P is half of the hinge's. */
static void test_two_classes(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 4, 90, 5, 2);
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-9);
  svf_binary problem = {t.sign, t.cost};
  svf_solution hinge;
  double *w = SVF_TAKE(&arena, double, 2 * t.rows.ld), *g = SVF_TAKE(&arena, double, t.rows.ld);
  svf_solution fit = fit_and_check(&t, 2, 3, &solver, w);
  assert_true(svf_hinge_fit(&t.rows, &problem, 6, &solver, g, &hinge));
  assert_close(fit.objective, hinge.objective / 2, 1e-7);
  for (size_t j = 0; j < t.rows.ld; j++) {
    assert_close(w[j], g[j] / 2, 1e-3);
    assert_close(w[t.rows.ld + j], -w[j], 1e-6);
  }
  svf_arena_free(&arena);
}

/* A row without cost is not there; a row of zeros costs what it costs; one class needs nothing. */
static void test_odd_rows(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 5, 60, 6, 3), part = t;
  svf_solver solver = solver_of(&arena, svf_la_choose(true), 1e-6);
  double *w = SVF_TAKE(&arena, double, 3 * t.rows.ld), *v = SVF_TAKE(&arena, double, 3 * t.rows.ld);
  for (size_t i = 40; i < 60; i++) t.cost[i] = 0;
  part.rows.n = 40;
  fit_and_check(&t, 3, 2, &solver, w);
  double P = fit_and_check(&part, 3, 2, &solver, v).objective;
  assert_memory_equal(w, v, 3 * t.rows.ld * sizeof *w);
  memset(t.x + 40 * t.rows.ld, 0, t.rows.ld * sizeof *w);
  t.cost[40] = 1;
  assert_close(fit_and_check(&t, 3, 2, &solver, w).objective, P + 2, 1e-5);
  svf_solution fit;
  for (size_t i = 0; i < 60; i++) t.label[i] = 0;
  assert_true(svf_crammer_fit(&t.rows, t.label, 1, t.cost, 1, &solver, w, &fit));
  assert_true(fit.objective == 0 && fit.gap == 0 && w[0] == 0);
  svf_arena_free(&arena);
}

static void test_simplex(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 8});
  for (int trial = 0; trial < 2000; trial++) {
    size_t m = 1 + (size_t)svf_random_below(&random, 9);
    double v[9], to[9], total = pow(10, 6 * svf_random_unit(&random) - 3), sum = 0, level = -INFINITY;
    for (size_t k = 0; k < m; k++) v[k] = to[k] = trial % 3 ? 4 * svf_random_normal(&random) : (double)(k % 2);
    svf_simplex(m, total, to);
    for (size_t k = 0; k < m; k++) {
      assert_true(to[k] >= 0);
      sum += to[k];
      if (to[k] > 0) level = v[k] - to[k]; /* the same for all that are left */
    }
    assert_close(sum, total, 1e-12);
    for (size_t k = 0; k < m; k++) assert_true(fabs(to[k] - fmax(0, v[k] - level)) <= 1e-12 * (1 + total));
  }
}

/* Few steps: the gap says so. A stop: at once. The same bits again. The arena gets everything back. */
static void test_promises(void **state) {
  (void)state;
  svf_arena arena = {0};
  for (size_t d = 4; d < 1000; d += 596) {
    test_rows t = test_rows_make(&arena, 6, 60, d, 4);
    svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-9), few = solver, none = solver;
    size_t size = 4 * t.rows.ld;
    double *w = SVF_TAKE(&arena, double, size), *v = SVF_TAKE(&arena, double, size);
    svf_solution fit;
    atomic_int stop = 1;
    few.max_steps = 3, none.stop = &stop;
    svf_mark before = svf_arena_mark(&arena);
    assert_true(svf_crammer_fit(&t.rows, t.label, 4, t.cost, 1, &few, w, &fit));
    assert_true(fit.gap > 1e-9);
    assert_close(fit.objective, objective(&t, 4, 1, w), 1e-12);
    assert_true(svf_crammer_fit(&t.rows, t.label, 4, t.cost, 1, &none, w, &fit));
    assert_true(fit.steps == 0);
    assert_true(svf_crammer_fit(&t.rows, t.label, 4, t.cost, 1, &solver, w, &fit));
    assert_true(svf_crammer_fit(&t.rows, t.label, 4, t.cost, 1, &solver, v, &fit));
    assert_memory_equal(w, v, size * sizeof *w);
    svf_mark after = svf_arena_mark(&arena);
    assert_true(before.chunk == after.chunk && before.used == after.used);
  }
  svf_arena_free(&arena);
}

/* Told to stop, none of the solvers begins, or goes on. */
static void test_stop(void **state) {
  (void)state;
  static const size_t shape[][3] = {{60, 5, 4}, {100, 60, 6}, {30, 600, 4}};
  svf_arena arena = {0};
  atomic_int stop = 1;
  for (size_t s = 0; s < 3; s++) {
    test_rows t = test_rows_make(&arena, s, shape[s][0], shape[s][1], shape[s][2]);
    svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-6);
    solver.stop = &stop;
    double *w = SVF_TAKE(&arena, double, shape[s][2] * t.rows.ld);
    svf_solution fit;
    assert_true(svf_crammer_fit(&t.rows, t.label, shape[s][2], t.cost, 1, &solver, w, &fit));
    assert_int_equal(fit.steps, 0);
  }
  svf_arena_free(&arena);
}

/* Costs at both ends of a double's range, whose sums and squares are no numbers: the answer is one. */
static void test_costs_of_any_size(void **state) {
  (void)state;
  static const double odd[] = {1, 1e-300, 1e300, 5e-324, 1e-9};
  static const size_t shape[][3] = {{40, 5, 3}, {30, 60, 6}, {30, 600, 4}};
  svf_arena arena = {0};
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-6);
  for (size_t s = 0; s < 6; s++) {
    svf_mark mark = svf_arena_mark(&arena);
    size_t n = shape[s % 3][0], m = shape[s % 3][2];
    test_rows t = test_rows_make(&arena, s, n, shape[s % 3][1], m);
    double *w = SVF_TAKE(&arena, double, m *t.rows.ld);
    svf_solution fit;
    for (size_t i = 0; i < n; i++) t.cost[i] = odd[(i + (size_t)t.label[i] + s) % 5];
    for (double C = 1e-12; C < 1e13; C *= 1e12) {
      assert_true(svf_crammer_fit(&t.rows, t.label, m, t.cost, C, &solver, w, &fit));
      for (size_t j = 0; j < m * t.rows.ld; j++) assert_true(isfinite(w[j]));
      assert_true(fit.gap >= 0 && isfinite(fit.gap) && isfinite(fit.objective));
    }
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_costs_of_any_size), cmocka_unit_test(test_reported_worth),
      cmocka_unit_test(test_two_ways),          cmocka_unit_test(test_two_classes),
      cmocka_unit_test(test_odd_rows),          cmocka_unit_test(test_simplex),
      cmocka_unit_test(test_promises),          cmocka_unit_test(test_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
