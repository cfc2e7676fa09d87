/* test_linear_fit.c - fits of small systems: the gradient from the rows that changed state against that from all rows in double, and
 * certificates of the parts from raw data. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/linear_fit.h"

typedef struct problem {
  test_rows r;
  svf_shared shared;
  svf_solver solver;
  svf_newton_scratch scratch;
  svf_newton whole, part;
  svf_start start;
  double *base;
} problem;

/* Rows without fold 1 at C = 1, solved for the whole set; lean: columns that are nearly the same. */
static void pose(problem *q, const svf_la *la, svf_arena *arena, size_t n, size_t d, double lean, double last) {
  q->r = test_rows_make(arena, n + d, n, d, 2);
  float *x = SVF_TAKE(arena, float, n *d);
  size_t ld = q->r.rows.ld;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) {
      double own = q->r.x[i * ld + j];
      q->r.x[i * ld + j] = x[i * d + j] = (float)(lean * q->r.x[i * ld] + (1 - lean) * own);
    }
  q->solver = (svf_solver){.la = la, .tolerance = 1e-6, .max_steps = 200, .arena = arena};
  svf_points points = {.n = n, .d = d, .bias = true, .x = x, .stride = d};
  svf_shared_open(&q->shared, &points, q->r.fold, 3, &q->solver);
  q->base = SVF_TAKE(arena, double, n);
  for (size_t i = 0; i < n; i++) q->base[i] = 1;
  assert_true(svf_shared_make(&q->shared, &(svf_costs){q->base, 1}, last, &q->solver));
  assert_true(svf_shared_batch(&q->shared));
  svf_newton_scratch_open(&q->scratch, &q->shared, &q->solver);
  svf_newton_open(&q->whole, &q->shared, arena), svf_newton_room(&q->whole, &q->shared, arena);
  svf_newton_open(&q->part, &q->shared, arena), svf_newton_room(&q->part, &q->shared, arena);
  svf_start_open(&q->start, &q->shared, arena);
  assert_false(svf_arena_failed(arena));
  for (size_t i = 0; i < n; i++) q->whole.v[i] = (float)q->r.sign[q->shared.order[i]];
  svf_newton_whole(&q->whole, &q->scratch, NULL, &q->start);
  svf_newton *whole = &q->whole;
  svf_newton_solve(&whole, 1, &q->scratch, 1);
  assert_true(whole->state == SVF_NEWTON_SOLVED);
  svf_newton_settle(whole, &q->scratch);
  svf_newton_part(&q->part, &q->scratch, whole, 1);
}

/* |g - that of w over all rows, in double|, and the relative gap there. */
static double off(const problem *q, double C, double *gap) {
  const svf_newton *t = &q->part;
  size_t p = q->shared.p, ld = q->r.rows.ld;
  double g[64], sum = 0, square = 0, P = 0;
  for (size_t j = 0; j < p; j++) g[j] = t->w[j], P += .5 * t->w[j] * t->w[j];
  for (size_t i = 0; i < q->shared.n; i++) {
    const double *x = q->r.x + q->shared.order[i] * ld;
    double y = t->v[i], score = 0;
    for (size_t j = 0; j < p; j++) score += t->w[j] * x[j];
    double slack = 1 - y * score;
    if (y == 0 || slack <= 0) continue;
    for (size_t j = 0; j < p; j++) g[j] -= 2 * C * y * slack * x[j];
    P += C * slack * slack;
  }
  for (size_t j = 0; j < p; j++) sum += (g[j] - t->g[j]) * (g[j] - t->g[j]), square += g[j] * g[j];
  *gap = .5 * square / P;
  return sqrt(sum);
}

static void gradients_from_changes(void **state) {
  (void)state;
  for (size_t k = 0; k < 3; k++)
    for (size_t n = 60; n <= 1500 && svf_la_at(k); n *= 5) {
      svf_arena arena = {0};
      problem q;
      double gap;
      svf_newton *t = &q.part;
      pose(&q, svf_la_at(k), &arena, n, 12, 0, 4);
      svf_newton_look(&t, 1, &q.scratch, 1, false);
      for (int step = 0; step < 4; step++) {
        svf_newton_step(&t, 1, &q.scratch, 1);
        svf_newton_swap(t);
        svf_newton_glance(&t, 1, &q.scratch, 1);
        assert_true(off(&q, 1, &gap) <= 2e-5 * sqrt((double)n));
        assert_close(gap, t->gap, 1e-5);
      }
      assert_true(gap <= 1e-6);
      svf_arena_free(&arena);
    }
}

/* Steps with a wrong H are not exact, and what a glance says after them is wrong: no fit may end by it. */
static void glances_are_looked_into(void **state) {
  (void)state;
  for (double wrong = .8; wrong < 1.3; wrong += .1) {
    svf_arena arena = {0};
    problem q;
    double gap;
    svf_newton *t = &q.part;
    pose(&q, svf_la_choose(false), &arena, 300, 12, 0, 4);
    for (size_t i = 0; i < svf_shared_square(&q.shared); i++) t->h[i] *= (float)wrong;
    svf_newton_solve(&t, 1, &q.scratch, 1);
    assert_true(t->state == SVF_NEWTON_SOLVED);
    off(&q, 1, &gap);
    assert_true(gap <= 1e-6);
    svf_arena_free(&arena);
  }
}

/* Along C, with columns that are nearly the same and rows that are many: every part is solved. */
static void parts_are_solved(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{45, 3}, {300, 20}, {700, 29}, {2000, 8}, {4000, 20}};
  static const double leans[] = {0, .9, .999};
  for (size_t k = 0; k < 3; k++)
    for (size_t s = 0; s < 5 && svf_la_at(k); s++)
      for (size_t l = 0; l < 3; l++) {
        svf_arena arena = {0};
        problem q;
        svf_newton *t = &q.part;
        double gap;
        pose(&q, svf_la_at(k), &arena, sizes[s][0], sizes[s][1], leans[l], 8);
        for (double C = 1; C <= 8; C *= 2) {
          if (C > 1) svf_newton_advance(t, &q.scratch, C == 2);
          svf_newton_solve(&t, 1, &q.scratch, C);
          assert_true(t->state == SVF_NEWTON_SOLVED);
          off(&q, C, &gap);
          assert_true(gap <= 1e-6);
        }
        svf_arena_free(&arena);
      }
}

/* Between two far points: the scores there are those of the point itself, not of a place between theirs. */
static void back_from_afar(void **state) {
  (void)state;
  for (size_t k = 0; k < 3 && svf_la_at(k); k++) {
    svf_arena arena = {0};
    problem q;
    svf_newton *t = &q.part;
    double gap;
    pose(&q, svf_la_at(k), &arena, 1500, 12, 0, 4);
    for (size_t j = 0; j < q.shared.p; j++) {
      double far = (j % 2 ? 1e6 : -1e6) + 1e5 * (double)j;
      t->next_w[j] = t->w[j] - far;
      t->w[j] += 2 * far;
      t->w32[j] = (float)t->next_w[j];
    }
    const svf_single *la = q.shared.la->single;
    la->scores(q.shared.panels, q.shared.p, q.shared.panel, 1, (const float *const *)&t->w32, &t->next_s);
    for (size_t j = 0; j < q.shared.p; j++) t->w32[j] = (float)t->w[j];
    la->scores(q.shared.panels, q.shared.p, q.shared.panel, 1, (const float *const *)&t->w32, &t->s);
    svf_newton_go_back(t, &q.shared, 1);
    svf_newton_look(&t, 1, &q.scratch, 1, true);
    off(&q, 1, &gap);
    assert_close(gap, t->gap, 1e-3 * gap);
    svf_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_from_changes),
                                     cmocka_unit_test(glances_are_looked_into), cmocka_unit_test(parts_are_solved),
                                     cmocka_unit_test(back_from_afar)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
