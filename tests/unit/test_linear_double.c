/* test_linear_double.c - fits whose H is double: systems against H from raw rows, made, changed, cleared, and with the factor for another C; and
 * parts side by side along C, certified from raw data. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/linear_fit.h"

enum { PARTS = 3 };

typedef struct problem {
  test_rows r;
  svf_shared shared;
  svf_solver solver;
  svf_newton_scratch scratch;
  svf_newton whole, part[PARTS];
  svf_start start;
  svf_arena arena;
} problem;

/* lean: columns that are nearly the same; last: the largest C. */
static void open_problem(problem *q, const svf_la *la, size_t n, size_t d, double lean, size_t folds, double last) {
  *q = (problem){0};
  svf_arena *arena = &q->arena;
  q->r = test_rows_make(arena, n + d, n, d, 2);
  size_t ld = q->r.rows.ld;
  for (size_t i = 0; i < n; i++) {
    q->r.fold[i] = (int32_t)(i % folds);
    for (size_t j = 1; j < d; j++) q->r.x[i * ld + j] += lean * (q->r.x[i * ld] - q->r.x[i * ld + j]);
  }
  svf_points points = test_points(arena, &q->r);
  q->solver = (svf_solver){.la = la, .tolerance = 1e-6, .max_steps = 200, .arena = arena};
  double *base = SVF_TAKE(arena, double, n);
  for (size_t i = 0; i < n; i++) base[i] = 1;
  svf_shared_open(&q->shared, &points, q->r.fold, folds, &q->solver);
  assert_true(svf_shared_make(&q->shared, &(svf_costs){base, 1}, last, &q->solver));
  assert_true(svf_shared_double(&q->shared));
  svf_newton_scratch_open(&q->scratch, &q->shared, &q->solver);
  svf_start_open(&q->start, &q->shared, arena);
  for (size_t k = 0; k <= PARTS; k++) {
    svf_newton *t = k < PARTS ? &q->part[k] : &q->whole;
    svf_newton_open(t, &q->shared, arena), svf_newton_room(t, &q->shared, arena);
  }
  assert_false(svf_arena_failed(arena));
  for (size_t i = 0; i < n; i++) q->whole.v[i] = (float)q->r.sign[q->shared.order[i]];
  svf_newton_whole(&q->whole, &q->scratch, NULL, &q->start);
}

/* |(I + 2C H) step - z| / |z|, H of the rows that it stands for. */
static double left_over(const problem *q, const svf_newton *t, double C, const float *z) {
  size_t p = q->shared.p;
  double u[128], left = 0, size = 0;
  memcpy(u, q->scratch.step_double, p * sizeof *u);
  for (size_t i = 0; i < q->shared.n; i++) {
    const double *x = q->r.x + q->shared.order[i] * q->r.rows.ld;
    double along = 0;
    if (!(t->kept[i / SVF_PANEL] >> i % SVF_PANEL & 1)) continue;
    for (size_t j = 0; j < p; j++) along += x[j] * q->scratch.step_double[j];
    for (size_t j = 0; j < p; j++) u[j] += 2 * C * fabsf(t->v[i]) * along * x[j];
  }
  for (size_t j = 0; j < p; j++) left += (u[j] - z[j]) * (u[j] - z[j]), size += (double)z[j] * z[j];
  return sqrt(left / size);
}

/* Solves with some right-hand side; again: the factor for the C before must do, or must not. */
static void check_solve(problem *q, svf_newton *t, double C, bool again) {
  double before = t->factor_C;
  float z[128];
  for (size_t j = 0; j < q->shared.p; j++) z[j] = q->scratch.z[j] = (float)sin((double)(j * j) + C);
  assert_true(svf_newton_system(t, &q->scratch, C));
  assert_true(left_over(q, t, C, z) <= .03);
  assert_true(t->factor_C == (again ? before : C));
}

/* Every `each`th row that is there leaves the active set; the others are in it. */
static void choose_rows(const problem *q, svf_newton *t, size_t each) {
  memset(t->set, 0, q->shared.panels * sizeof *t->set);
  for (size_t i = 0; i < q->shared.n; i++)
    if (t->v[i] != 0 && i % each) t->set[i / SVF_PANEL] |= (uint64_t)1 << i % SVF_PANEL;
}

static void systems(void **state) {
  (void)state;
  static const double ratios[] = {2, .7, 1.01, 1};
  for (size_t k = 0; k < 3; k++)
    for (int close = 0; close < 2 && svf_la_at(k); close++) {
      problem q;
      open_problem(&q, svf_la_at(k), 1500, 90, close ? .9999 : 0, 3, 14);
      assert_true(q.shared.regime->matrix == SVF_H_SUMS);
      for (size_t part = 0; part <= PARTS; part++) {
        svf_newton *t = part < PARTS ? &q.part[part] : &q.whole;
        if (part < PARTS) svf_newton_part(t, &q.scratch, &q.whole, part);
        check_solve(&q, t, 1, false);
        for (size_t i = 0; i < 4; i++) {
          check_solve(&q, t, ratios[i], !close || ratios[i] == 1.01 || ratios[i] == 1);
          t->factor_C = 0;
          check_solve(&q, t, 1, false);
        }
        for (size_t each = 40; each >= 1; each = each == 2 ? 1 : each == 3 ? 2 : each == 40 ? 3 : 0) {
          choose_rows(&q, t, each); /* few leave; more; half; all */
          svf_newton_settle(t, &q.scratch);
          assert_true(t->factor_C == 0);
          check_solve(&q, t, 2, false);
        }
        choose_rows(&q, t, 7);
        svf_newton_settle(t, &q.scratch);
        check_solve(&q, t, 3, false);
        if (part == PARTS) continue;
        svf_newton_part(t, &q.scratch, &q.whole, part); /* from where the whole set still is */
        check_solve(&q, t, 1, false);
        choose_rows(&q, t, 40);
        for (size_t b = 1; b < q.shared.panels; b++) t->set[b] = 0; /* so few stay that H begins again */
        svf_newton_settle(t, &q.scratch);
        check_solve(&q, t, 1, false);
      }
      svf_arena_free(&q.arena);
    }
}

/* The relative gap of a fit from raw rows; its costs are in the order of the folds. */
static double gap_of(problem *q, const svf_newton *t, double C) {
  double P;
  for (size_t i = 0; i < q->shared.n; i++) q->r.cost[q->shared.order[i]] = fabsf(t->v[i]);
  double gap = test_squared_gap(&q->r.rows, q->r.sign, q->r.cost, C, t->w, &P);
  return gap / P;
}

static void check_parts(const svf_la *la, size_t n, size_t d, double lean, size_t folds, bool many) {
  problem q;
  svf_newton *whole = &q.whole, *fits[PARTS];
  open_problem(&q, la, n, d, lean, folds, 32);
  assert_true((q.shared.storage == SVF_ROWS_ONLY) == many);
  svf_newton_solve(&whole, 1, &q.scratch, 4);
  assert_true(whole->state == SVF_NEWTON_SOLVED);
  assert_true(gap_of(&q, whole, 4) <= 1e-6);
  svf_newton_settle(whole, &q.scratch);
  for (size_t first = 0; first + PARTS <= folds; first += 2) {
    for (size_t f = 0; f < PARTS; f++) {
      fits[f] = &q.part[f];
      svf_newton_part(fits[f], &q.scratch, whole, first + f);
    }
    for (double C = 4; C <= 32; C *= 2) {
      for (size_t f = 0; C > 4 && f < PARTS; f++) svf_newton_advance(fits[f], &q.scratch, C == 8);
      svf_newton_solve(fits, PARTS, &q.scratch, C);
      for (size_t f = 0; f < PARTS; f++) {
        assert_true(fits[f]->state == SVF_NEWTON_SOLVED);
        assert_in_range(fits[f]->steps, 0, 9);
        assert_true(gap_of(&q, fits[f], C) <= 2e-6); /* it ends at 1e-6 in single precision */
      }
    }
  }
  svf_arena_free(&q.arena);
}

static void parts_side_by_side(void **state) {
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    if (!svf_la_at(k)) continue;
    check_parts(svf_la_at(k), 1500, 90, 0, 3, false);
    check_parts(svf_la_at(k), 1500, 90, .999, 5, false);
    check_parts(svf_la_at(k), 5800, 95, 0, 5, true);
    check_parts(svf_la_at(k), 5800, 95, .999, 3, true);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(systems), cmocka_unit_test(parts_side_by_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
