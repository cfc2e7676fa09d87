/* test_liblinear_hinge.c - the hinge solver against LIBLINEAR and against a dual point made here from its w. */
#include "oracle/support.h"

/* The best dual point over a few guesses of which rows have margin 1. */
static double lower_bound(const oracle *o, const double *w, double enough) {
  double best = -INFINITY;
  for (double band = 1e-2; band > 1e-7 && best < enough; band /= 10)
    best = fmax(best, oracle_hinge_dual(o, w, band, enough));
  return best;
}

static void check(const oracle *o, const svf_la *la, double rival, svf_arena *arena) {
  svf_mark mark = svf_arena_mark(arena);
  svf_solver solver = {.la = la, .tolerance = 1e-7, .max_steps = 1000, .arena = arena};
  svf_binary problem = {o->sign, o->cost};
  svf_solution fit;
  double *w = SVF_TAKE(arena, double, o->rows.ld);
  assert_false(svf_arena_failed(arena));
  assert_true(svf_hinge_fit(&o->rows, &problem, o->made_from->C, &solver, w, &fit));
  double P = oracle_binary(o, w, 1), claimed = fit.objective * (1 - fit.gap);
  ORACLE_EXPECT(fit.gap >= 0 && fit.gap <= 1e-7, o, la, &fit);
  ORACLE_EXPECT(fabs(fit.objective - P) <= 1e-12 * P, o, la, &fit);
  ORACLE_EXPECT(P <= rival * (1 + 1e-6), o, la, &fit);
  ORACLE_EXPECT(claimed <= rival * (1 + 1e-12), o, la, &fit); /* no dual value lies above a primal one */
  ORACLE_EXPECT(lower_bound(o, w, P * (1 - 1e-6)) >= P * (1 - 1e-6), o, la, &fit);
  svf_arena_release(arena, mark);
}

static void test_hinge(void **state) {
  (void)state;
  svf_arena arena = {0};
  for (size_t q = 0; q < ORACLE_BINARY_CASES; q++) {
    svf_mark mark = svf_arena_mark(&arena);
    oracle o = oracle_make(&arena, oracle_binary_cases + q, q);
    double *w = SVF_TAKE(&arena, double, 2 * o.rows.ld);
    assert_false(svf_arena_failed(&arena));
    oracle_liblinear(&o, L2R_L1LOSS_SVC_DUAL, 1e-8, w);
    double rival = oracle_binary(&o, w, 1);
    for (size_t t = 0; t < 3; t++)
      if (svf_la_at(t)) check(&o, svf_la_at(t), rival, &arena);
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hinge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
