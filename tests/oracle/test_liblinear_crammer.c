/* test_liblinear_crammer.c - the Crammer-Singer solver against LIBLINEAR. */
#include "oracle/support.h"

static const oracle_case cases[] = {
    {OVERLAP, 20, 1, 3, 1, 1},      {OVERLAP, 60, 4, 3, 0.01, 2},     {OVERLAP, 200, 20, 4, 1, 0.5},
    {OVERLAP, 300, 10, 3, 100, 1},  {OVERLAP, 300, 100, 5, 1, 1},     {OVERLAP, 300, 600, 3, 0.1, 1},
    {OVERLAP, 600, 48, 12, 0.1, 1}, {OVERLAP, 1000, 50, 2, 0.25, 3},  {OVERLAP, 2000, 20, 3, 1, 1},
    {OVERLAP, 200, 600, 10, 1, 1},  {SEPARABLE, 100, 2, 3, 10, 1},    {SEPARABLE, 200, 300, 4, 100, 1},
    {SEPARABLE, 500, 20, 5, 1, 1},  {SEPARABLE, 1000, 20, 3, 100, 1}, {HOPELESS, 20, 3, 3, 1, 1},
    {HOPELESS, 200, 10, 5, 10, 1},  {HOPELESS, 200, 100, 10, 1, 1},   {HOPELESS, 2000, 10, 3, 0.01, 1},
    {TWINS, 20, 4, 3, 1, 1},        {TWINS, 200, 20, 4, 100, 1},      {TWINS, 200, 150, 5, 1, 1},
    {CONSTANT, 100, 12, 3, 1, 1},   {CONSTANT, 300, 30, 4, 100, 2},   {SPARSE, 200, 50, 4, 1, 1},
    {SPARSE, 500, 300, 6, 0.1, 1},  {UNSCALED, 100, 10, 3, 1, 1},     {UNSCALED, 60, 80, 3, 0.1, 1},
    {ONE_CLASS, 20, 3, 3, 1, 1},    {OVERLAP, 3, 2, 3, 1, 1},         {OVERLAP, 4, 1, 4, 100, 1},
    {OVERLAP, 5, 9, 2, 10, 1},
};

static void check(const oracle *o, const svf_la *la, double rival, svf_arena *arena) {
  const oracle_case *from = o->made_from;
  svf_mark mark = svf_arena_mark(arena);
  svf_solver solver = {.la = la, .tolerance = 1e-6, .max_steps = 1000, .arena = arena};
  svf_solution fit;
  double *w = SVF_TAKE(arena, double, from->m * o->rows.ld);
  assert_false(svf_arena_failed(arena));
  assert_true(svf_crammer_fit(&o->rows, o->label, from->m, o->cost, from->C, &solver, w, &fit));
  double P = oracle_joint(o, w), claimed = fit.objective * (1 - fit.gap);
  ORACLE_EXPECT(fit.gap >= 0 && fit.gap <= 1e-6, o, la, &fit);
  ORACLE_EXPECT(fabs(fit.objective - P) <= 1e-12 * fmax(P, 1e-300), o, la, &fit);
  ORACLE_EXPECT(P <= rival * (1 + 1e-6) + 1e-300, o, la, &fit);
  ORACLE_EXPECT(claimed <= rival * (1 + 1e-12) + 1e-300, o, la, &fit); /* no dual value lies above a primal one */
  svf_arena_release(arena, mark);
}

/* LIBLINEAR converges slowly for large C: a looser eps there. Our own gap bounds the objective in any case. */
static double rival_of(const oracle *o, svf_arena *arena) {
  const oracle_case *from = o->made_from;
  double *w = SVF_TAKE(arena, double, from->m * o->rows.ld);
  assert_false(svf_arena_failed(arena));
  oracle_liblinear(o, MCSVM_CS, from->C > 1 ? 1e-3 : 1e-8, w);
  return oracle_joint(o, w);
}

static void test_crammer(void **state) {
  (void)state;
  svf_arena arena = {0};
  for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
    svf_mark mark = svf_arena_mark(&arena);
    oracle o = oracle_make(&arena, cases + q, q);
    double rival = rival_of(&o, &arena);
    for (size_t t = 0; t < 3; t++)
      if (svf_la_at(t)) check(&o, svf_la_at(t), rival, &arena);
    svf_arena_release(&arena, mark);
  }
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_crammer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
