/* test_hinge.c - the hinge solver: known solutions, what must not change it, and its promises. */
#include "support/test.h"
#include "support/rows.h"

static const double TIGHT = 1e-10;

static svf_solver solver_of(svf_arena *arena, const svf_la *la, double tolerance) {
  return (svf_solver){.la = la, .tolerance = tolerance, .max_steps = 200, .arena = arena};
}

static double objective(const test_rows *t, double C, const double *w) {
  double P = 0;
  for (size_t j = 0; j < t->rows.ld; j++) P += .5 * w[j] * w[j];
  for (size_t i = 0; i < t->rows.n; i++) {
    double score = 0;
    for (size_t j = 0; j < t->rows.ld; j++) score += w[j] * t->x[i * t->rows.ld + j];
    P += C * t->cost[i] * fmax(0, 1 - t->sign[i] * score);
  }
  return P;
}

/* Fits, and checks what is reported: no point anywhere near may be lower than the gap allows. */
static svf_solution fit_and_check(const test_rows *t, double C, const svf_solver *solver, double *w) {
  svf_solution fit;
  svf_binary problem = {t->sign, t->cost};
  assert_true(svf_hinge_fit(&t->rows, &problem, C, solver, w, &fit));
  assert_close(fit.objective, objective(t, C, w), 1e-12);
  assert_true(fit.gap >= 0 && fit.gap <= solver->tolerance);
  double *near = SVF_ZERO(solver->arena, double, t->rows.ld);
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (int trial = 0; trial < 60; trial++) {
    double size = pow(10, -trial % 6);
    for (size_t j = 0; j < t->rows.p; j++) near[j] = w[j] * (1 + size) + size * svf_random_normal(&random);
    assert_true(objective(t, C, near) >= fit.objective * (1 - fit.gap));
  }
  return fit;
}

/* Both forms (n x n and p x p), every table, small and large costs. */
static void test_reported_worth(void **state) {
  (void)state;
  static const size_t shape[][2] = {{2, 1}, {7, 40}, {40, 39}, {60, 5}, {300, 30}};
  svf_arena arena = {0};
  for (size_t s = 0; s < 5; s++)
    for (size_t table = 0; table < 3; table++)
      for (double C = 1e-3; C < 1e4; C *= 100) {
        svf_mark mark = svf_arena_mark(&arena);
        test_rows t = test_rows_make(&arena, s, shape[s][0], shape[s][1], 2);
        double *w = SVF_TAKE(&arena, double, t.rows.ld);
        svf_solver solver = solver_of(&arena, svf_la_at(table), 1e-7);
        if (solver.la) fit_and_check(&t, C, &solver, w);
        svf_arena_release(&arena, mark);
      }
  svf_arena_free(&arena);
}

/* One row: w = min(u, 1 / |x|^2) y x. */
static void test_one_row(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 1, 1, 3, 1);
  svf_solver solver = solver_of(&arena, svf_la_choose(true), TIGHT);
  double *w = SVF_TAKE(&arena, double, t.rows.ld), norm = 0;
  for (size_t j = 0; j < t.rows.ld; j++) norm += t.x[j] * t.x[j];
  for (double C = 0.01; C < 1000; C *= 10) {
    fit_and_check(&t, C, &solver, w);
    for (size_t j = 0; j < t.rows.ld; j++)
      assert_close(w[j], fmin(C * t.cost[0], 1 / norm) * t.sign[0] * t.x[j], 1e-5);
  }
  svf_arena_free(&arena);
}

/* A row without cost is not there; a row of double cost is two rows. */
static void test_costs(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 2, 80, 6, 2), part = t, twice = test_rows_make(&arena, 2, 80, 6, 2);
  svf_solver solver = solver_of(&arena, svf_la_choose(false), TIGHT);
  double *w = SVF_TAKE(&arena, double, t.rows.ld), *v = SVF_TAKE(&arena, double, t.rows.ld);
  for (size_t i = 50; i < 80; i++) t.cost[i] = 0;
  part.rows.n = 50;
  fit_and_check(&t, 3, &solver, w);
  fit_and_check(&part, 3, &solver, v);
  assert_memory_equal(w, v, t.rows.ld * sizeof *w);
  for (size_t i = 0; i < 40; i++) {
    memcpy(twice.x + (i + 40) * t.rows.ld, twice.x + i * t.rows.ld, t.rows.ld * sizeof *w);
    twice.cost[i + 40] = twice.cost[i], twice.sign[i + 40] = twice.sign[i];
  }
  double P = fit_and_check(&twice, 1, &solver, w).objective;
  for (size_t i = 0; i < 40; i++) twice.cost[i] *= 2;
  twice.rows.n = 40;
  assert_close(P, fit_and_check(&twice, 1, &solver, v).objective, 1e-8);
  for (size_t j = 0; j < t.rows.ld; j++) assert_close(w[j], v[j], 1e-3);
  svf_arena_free(&arena);
}

/* Costs over eight orders of magnitude, and all rows of one sign. */
static void test_wild_costs(void **state) {
  (void)state;
  svf_arena arena = {0};
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-7);
  for (uint64_t seed = 0; seed < 6; seed++) {
    svf_mark mark = svf_arena_mark(&arena);
    test_rows t = test_rows_make(&arena, seed, 200, seed % 2 ? 10 : 250, 2);
    double *w = SVF_TAKE(&arena, double, t.rows.ld);
    for (size_t i = 0; i < 200; i++) {
      t.cost[i] = pow(10, 4 * (t.cost[i] - 1));
      if (seed > 3) t.sign[i] = 1;
    }
    fit_and_check(&t, 1, &solver, w);
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

/* Costs at both ends of a double's range, whose sums and squares are no numbers: the answer is one. Rows that can be parted
 * are, as with any large cost. */
static void test_costs_of_any_size(void **state) {
  (void)state;
  static const double odd[] = {1, 1e-300, 1e300, 5e-324, 1e-9};
  svf_arena arena = {0};
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-6);
  for (uint64_t seed = 0; seed < 20; seed++) {
    svf_mark mark = svf_arena_mark(&arena);
    test_rows t = test_rows_make(&arena, seed, 40, seed % 2 ? 5 : 60, 3);
    double *w = SVF_TAKE(&arena, double, t.rows.ld), *v = SVF_TAKE(&arena, double, t.rows.ld);
    svf_solution fit;
    for (size_t i = 0; i < 40; i++) t.cost[i] = odd[(i + (t.sign[i] > 0) + seed) % 5];
    for (double C = 1e-12; C < 1e13; C *= 1e12) {
      assert_true(svf_hinge_fit(&t.rows, &(svf_binary){t.sign, t.cost}, C, &solver, w, &fit));
      for (size_t j = 0; j < t.rows.ld; j++) assert_true(isfinite(w[j]));
      assert_true(fit.gap >= 0 && isfinite(fit.gap) && isfinite(fit.objective));
    }
    if (seed % 2 == 0) { /* more columns than rows */
      for (size_t i = 0; i < 40; i++) t.cost[i] = 1e300;
      assert_true(svf_hinge_fit(&t.rows, &(svf_binary){t.sign, t.cost}, 1e12, &solver, w, &fit) && fit.gap <= 1e-6);
      for (size_t i = 0; i < 40; i++) t.cost[i] = 1;
      assert_true(svf_hinge_fit(&t.rows, &(svf_binary){t.sign, t.cost}, 1e12, &solver, v, &fit) && fit.gap <= 1e-6);
      for (size_t j = 0; j < t.rows.ld; j++) assert_close(w[j], v[j], 1e-3);
    }
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

/* No costs: nothing to do. Few steps: the gap says so. A stop: at once. The arena gets everything back. */
static void test_promises(void **state) {
  (void)state;
  svf_arena arena = {0};
  test_rows t = test_rows_make(&arena, 3, 60, 4, 2);
  svf_binary problem = {t.sign, t.cost};
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-7);
  double *w = SVF_TAKE(&arena, double, t.rows.ld);
  svf_solution fit;
  svf_mark before = svf_arena_mark(&arena);
  assert_true(svf_hinge_fit(&t.rows, &problem, 0, &solver, w, &fit));
  assert_true(fit.objective == 0 && fit.gap == 0 && fit.steps == 0 && w[0] == 0 && w[4] == 0);
  solver.max_steps = 2;
  assert_true(svf_hinge_fit(&t.rows, &problem, 1, &solver, w, &fit));
  assert_true(fit.steps == 2 && fit.gap > 1e-7);
  assert_close(fit.objective, objective(&t, 1, w), 1e-12);
  solver.max_steps = 200, solver.tolerance = 0; /* out of reach: ends by itself */
  assert_true(svf_hinge_fit(&t.rows, &problem, 1, &solver, w, &fit));
  assert_true(fit.steps < 60 && fit.gap < 1e-11);
  atomic_int stop = 1;
  solver.stop = &stop;
  assert_true(svf_hinge_fit(&t.rows, &problem, 1, &solver, w, &fit));
  assert_true(fit.steps == 0);
  svf_mark after = svf_arena_mark(&arena);
  assert_true(before.chunk == after.chunk && before.used == after.used);
  svf_arena_free(&arena);
}

/* The matrix of many rows is made in several goes: the same bits, and a stop between them. */
static void test_stop(void **state) {
  (void)state;
  enum { N = 1100, P = 512 };
  svf_arena arena = {0};
  atomic_int stop = 0;
  double *x = SVF_TAKE(&arena, double, N *P), *a = SVF_TAKE(&arena, double, N);
  double *whole = SVF_ZERO(&arena, double, P *P), *parts = SVF_ZERO(&arena, double, P *P);
  const double **row = SVF_TAKE(&arena, const double *, N);
  svf_random random = svf_random_at((svf_place){.seed = 2});
  for (size_t i = 0; i < N * P; i++) x[i] = svf_random_normal(&random);
  for (size_t i = 0; i < N; i++) a[i] = svf_random_unit(&random), row[i] = x + i * P;
  svf_solver solver = solver_of(&arena, svf_la_choose(false), 1e-6);
  solver.stop = &stop;
  svf_rows shape = {N, P, P, x};
  solver.la->rank(P, P, N, row, a, whole);
  assert_true(svf_solver_rank(&solver, &shape, row, a, parts));
  assert_memory_equal(whole, parts, P * P * sizeof *whole);
  stop = 1;
  assert_false(svf_solver_rank(&solver, &shape, row, a, parts));
  assert_memory_equal(whole, parts, P * P * sizeof *whole);
  test_rows t = test_rows_make(&arena, 1, 60, 5, 2);
  svf_binary problem = {t.sign, t.cost};
  double w[16];
  svf_solution fit;
  assert_true(svf_hinge_fit(&t.rows, &problem, 1, &solver, w, &fit) && fit.steps == 0);
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reported_worth),    cmocka_unit_test(test_one_row),  cmocka_unit_test(test_costs),
      cmocka_unit_test(test_wild_costs),        cmocka_unit_test(test_promises), cmocka_unit_test(test_stop),
      cmocka_unit_test(test_costs_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
