/* test_liblinear_squared.c - the squared-hinge solver against LIBLINEAR, primal and dual, and its own dual point. */
#include "oracle/support.h"
#include "svm/linear_squared.h"

static void check(const oracle *o, const svf_la *la, double rival, svf_arena *arena) {
  svf_mark mark = svf_arena_mark(arena);
  svf_solver solver = {.la = la, .tolerance = 1e-6, .max_steps = 1000, .arena = arena};
  svf_binary problem = {o->sign, o->cost};
  svf_solution fit;
  double *w = SVF_TAKE(arena, double, o->rows.ld);
  assert_false(svf_arena_failed(arena));
  assert_true(svf_squared_fit(&o->rows, &problem, o->made_from->C, &solver, w, &fit));
  double P = oracle_binary(o, w, 2), D = oracle_squared_dual(o, w);
  ORACLE_EXPECT(fit.gap >= 0 && fit.gap <= 1e-6, o, la, &fit);
  ORACLE_EXPECT(fabs(fit.objective - P) <= 1e-9 * P, o, la, &fit);
  ORACLE_EXPECT(P <= rival * (1 + 1e-6), o, la, &fit);
  ORACLE_EXPECT(P - D <= 1.001e-6 * P, o, la, &fit);
  svf_arena_release(arena, mark);
}

static void test_squared(void **state) {
  (void)state;
  svf_arena arena = {0};
  for (size_t q = 0; q < ORACLE_BINARY_CASES; q++) {
    svf_mark mark = svf_arena_mark(&arena);
    oracle o = oracle_make(&arena, oracle_binary_cases + q, q);
    double *w = SVF_TAKE(&arena, double, 2 * o.rows.ld);
    assert_false(svf_arena_failed(&arena));
    oracle_liblinear(&o, L2R_L2LOSS_SVC, 1e-8, w);
    double rival = oracle_binary(&o, w, 2);
    oracle_liblinear(&o, L2R_L2LOSS_SVC_DUAL, 1e-8, w);
    rival = fmin(rival, oracle_binary(&o, w, 2));
    for (size_t t = 0; t < 3; t++)
      if (svf_la_at(t)) check(&o, svf_la_at(t), rival, &arena);
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_squared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
