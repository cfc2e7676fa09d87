/* test_linear_shared.c - scores, certificates, strips and totals of H against plain sums, for every table of kernels, and what fits make of
 * the totals. */
#include "support/test.h"
#include "support/rows.h"
#include "svm/linear_fit.h"

/* The upper triangle of sum weight x x' over rows first..end-1, in the order of the folds, to double precision or, of long rows, to
 * single; what stands left of columns.from must be what it was: -1. */
static void check_sum(const svf_shared *shared, size_t first, size_t end, const float *weight, svf_strip columns,
                      const double *h) {
  size_t ld = svf_padded(shared->p), p = shared->p;
  double *x = malloc((end - first) * p * sizeof *x);
  for (size_t i = first; i < end; i++) svf_shared_fetch(shared, i, x + (i - first) * p);
  for (size_t a = 0; a < p; a++)
    for (size_t b = a; b < columns.to && b < p; b++) {
      double sum = 0, size = 1;
      for (size_t i = 0; i < end - first; i++) {
        double term = weight[first + i] * x[i * p + a] * x[i * p + b];
        sum += term, size += fabs(term);
      }
      if (b < columns.from) assert_true(h[a * ld + b] == -1);
      else assert_close(h[a * ld + b], sum, (shared->regime->matrix == SVF_H_SUMS ? 1e-6 : 1e-13) * size);
    }
  for (size_t a = 0; a < p; a++)
    for (size_t b = columns.to; b < ld; b++) assert_true(h[a * ld + b] == -1);
  free(x);
}

static void strips(void **state) {
  (void)state;
  static const size_t widths[] = {64, 72, 101, 128, 130};
  for (size_t t = 0; t < 3; t++)
    for (size_t k = 0; k < sizeof widths / sizeof *widths && svf_la_at(t); k++)
      for (size_t n = 1; n <= SVF_DOUBLE_ROWS; n = 3 * n + 4) {
        svf_arena arena = {0};
        svf_solver solver = {.la = svf_la_at(t), .arena = &arena};
        test_rows r = test_rows_make(&arena, n, n, widths[k] - 1, 2);
        svf_points points = test_points(&arena, &r);
        svf_shared shared;
        svf_double_scratch scratch;
        svf_shared_open(&shared, &points, NULL, 1, &solver);
        shared.regime = &svf_regimes[SVF_REGIME_SUMS];
        svf_double_open(&scratch, &shared, &solver);
        size_t ld = svf_padded(shared.p);
        double *h = SVF_TAKE(&arena, double, ld *ld);
        uint32_t *list = SVF_TAKE(&arena, uint32_t, n);
        float *weight = SVF_TAKE(&arena, float, n);
        assert_false(svf_arena_failed(&arena));
        for (size_t i = 0; i < n; i++) list[i] = (uint32_t)i, weight[i] = (float)i + .5f;
        svf_strip some[] = {{0, ld}, {0, 48}, {40, ld}, {56, 64}};
        for (size_t s = 0; s < 4; s++) {
          for (size_t i = 0; i < ld * ld; i++) h[i] = -1;
          for (size_t i = 0; i < ld; i++)
            memset(h + i * ld + some[s].from, 0, (some[s].to - some[s].from) * sizeof *h);
          svf_double_strip(&shared, &scratch, some[s], n, list, weight, h);
          check_sum(&shared, 0, n, weight, some[s], h);
        }
        svf_arena_free(&arena);
      }
}

/* differ: rows after which they begin again; last: the largest C; sums and a crowd are added up in halves. */
static void check_totals(const svf_la *la, size_t n, size_t d, size_t differ, double last, svf_regime_number regime) {
  svf_arena arena = {0};
  svf_solver solver = {.la = la, .arena = &arena};
  test_rows r = test_rows_make(&arena, 1, n, d, 2);
  for (size_t i = differ; i < n; i++)
    memcpy(r.x + i * r.rows.ld, r.x + i % differ * r.rows.ld, r.rows.ld * sizeof *r.x);
  svf_points points = test_points(&arena, &r);
  svf_shared shared;
  double *base = SVF_TAKE(&arena, double, n);
  float *weight = SVF_TAKE(&arena, float, n);
  svf_shared_open(&shared, &points, r.fold, 3, &solver);
  for (size_t i = 0; i < n; i++) base[i] = 1 + (double)(i % 3), weight[i] = (float)(base[i] / 2);
  assert_true(svf_shared_make(&shared, &(svf_costs){base, 2}, last, &solver));
  assert_true(shared.regime == &svf_regimes[regime]);
  for (size_t f = 0; f < 3; f++)
    check_sum(&shared, shared.start[f], shared.start[f + 1], weight, (svf_strip){0, svf_padded(shared.p)},
              shared.total_double + f * svf_double_square(&shared));
  svf_arena_free(&arena);
}

static void totals(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++) {
    if (!svf_la_at(t)) continue;
    check_totals(svf_la_at(t), 700, 5, 700, 1000, SVF_REGIME_DOUBLE);
    check_totals(svf_la_at(t), 900, 75, 900, 100, SVF_REGIME_SUMS);
    check_totals(svf_la_at(t), 900, 75, 900, 1e6, SVF_REGIME_DOUBLE);
    check_totals(svf_la_at(t), 6000, 99, 6000, 30, SVF_REGIME_SUMS);
    check_totals(svf_la_at(t), 6000, 99, 3, 30, SVF_REGIME_DOUBLE); /* their errors are all alike */
  }
  check_totals(svf_la_choose(false), 70000, 60, 70000, 4, SVF_REGIME_CROWD);
}

/* Scores and certificates of rows with and without panels, at any w. */
static void check_scores(const svf_la *la, size_t n, size_t d, bool many) {
  svf_arena arena = {0};
  svf_solver solver = {.la = la, .arena = &arena};
  test_rows r = test_rows_make(&arena, 2, n, d, 2);
  svf_points points = test_points(&arena, &r);
  svf_shared shared;
  svf_shared_open(&shared, &points, r.fold, 3, &solver);
  assert_true((shared.storage == SVF_ROWS_ONLY) == many && !shared.panel == many);
  size_t p = shared.p, padded = shared.panels * SVF_PANEL, first = shared.panels / 2, at = first * SVF_PANEL;
  double *w = SVF_ZERO(&arena, double, svf_padded(p)), *x = SVF_TAKE(&arena, double, p), C = .3, norm = 0, loss = 0;
  double *exact = SVF_TAKE(&arena, double, padded), *g = SVF_ZERO(&arena, double, p), square = 0;
  float *w32[SVF_COLUMNS], *s[SVF_COLUMNS];
  svf_binary problem = {r.sign, r.cost};
  svf_solution fit;
  for (size_t j = 0; j < p; j++) w[j] = .02 * sin((double)j), norm += w[j] * w[j];
  for (size_t q = 0; q < SVF_COLUMNS; q++) {
    w32[q] = SVF_ZERO(&arena, float, shared.ld), s[q] = SVF_TAKE(&arena, float, padded);
    for (size_t j = 0; j < p; j++) w32[q][j] = (float)((double)(q + 1) * w[j]);
  }
  svf_shared_scores(&shared, first, shared.panels - first, SVF_COLUMNS, (const float *const *)w32, s);
  svf_shared_scores_double(&shared, first, shared.panels - first, w, exact);
  for (size_t i = 0; i < n; i++) {
    double score = 0;
    svf_shared_fetch(&shared, i, x);
    for (size_t j = 0; j < p; j++) score += w[j] * x[j];
    for (size_t q = 0; i >= at && q < SVF_COLUMNS; q++) assert_close(s[q][i - at], (double)(q + 1) * score, 1e-4);
    if (i >= at) assert_close(exact[i - at], score, 1e-12);
    double slack = fmax(0, 1 - r.sign[i] * score), pull = r.cost[i] * r.sign[i] * slack;
    loss += r.cost[i] * slack * slack;
    for (size_t j = 0; j < p; j++) g[j] += pull * x[j];
  }
  for (size_t j = 0; j < p; j++) square += (w[j] - 2 * C * g[j]) * (w[j] - 2 * C * g[j]);
  assert_true(svf_shared_certify(&shared, &problem, C, &solver, w, &fit));
  assert_close(fit.objective, .5 * norm + C * loss, 1e-10 * fit.objective);
  assert_close(fit.gap, .5 * square / fit.objective, 1e-9 * fit.gap);
  svf_arena_free(&arena);
}

static void scores(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++) {
    if (!svf_la_at(t)) continue;
    check_scores(svf_la_at(t), 700, 33, false);
    check_scores(svf_la_at(t), 900, 99, false);
    check_scores(svf_la_at(t), 6001, 99, true);
  }
}

/* Number i of an H of a fit, or of the total of a fold. */
static double number_of(const svf_shared *shared, const float *h, const double *h_double, size_t fold, size_t i) {
  return svf_shared_double(shared) ? h_double[fold * svf_double_square(shared) + i]
                                   : (double)h[fold * svf_shared_square(shared) + i];
}

/* H of the whole set, with and without parts to follow, and of parts: sums of the totals. last: the largest C. */
static void check_joins(const svf_la *la, size_t n, size_t d, double last, bool wide) {
  svf_arena arena = {0};
  svf_solver solver = {.la = la, .arena = &arena};
  test_rows r = test_rows_make(&arena, 3, n, d, 2);
  svf_points points = test_points(&arena, &r);
  svf_shared shared;
  svf_newton_scratch scratch;
  svf_newton whole, alone, part;
  svf_start start;
  double *base = SVF_TAKE(&arena, double, n);
  for (size_t i = 0; i < n; i++) base[i] = 1;
  svf_shared_open(&shared, &points, r.fold, 3, &solver);
  assert_true(svf_shared_make(&shared, &(svf_costs){base, 1}, last, &solver));
  assert_true(svf_shared_double(&shared) == wide && shared.regime->first != SVF_FIRST_GRADIENT);
  svf_newton_scratch_open(&scratch, &shared, &solver);
  svf_newton *const all[] = {&whole, &alone, &part};
  for (size_t q = 0; q < 3; q++) svf_newton_open(all[q], &shared, &arena), svf_newton_room(all[q], &shared, &arena);
  svf_start_open(&start, &shared, &arena);
  assert_false(svf_arena_failed(&arena));
  for (size_t i = 0; i < n; i++) whole.v[i] = alone.v[i] = (float)r.sign[i];
  svf_newton_whole(&whole, &scratch, NULL, &start);
  svf_newton_whole(&alone, &scratch, NULL, NULL);
  size_t count = wide ? svf_double_square(&shared) : svf_shared_square(&shared);
  for (size_t without = 0; without <= 3; without++) {
    svf_newton *t = without < 3 ? &part : &whole;
    if (without < 3) svf_newton_part(&part, &scratch, &whole, without);
    svf_newton_make(t, &scratch), svf_newton_make(&alone, &scratch);
    for (size_t i = 0; i < count; i++) {
      double sum = 0;
      for (size_t f = 0; f < 3; f++)
        sum += f == without ? 0 : number_of(&shared, shared.total, shared.total_double, f, i);
      assert_close(number_of(&shared, t->h, t->h_double, 0, i), sum, 1e-5 * fmax(1, fabs(sum)));
      if (without == 3)
        assert_close(number_of(&shared, alone.h, alone.h_double, 0, i), sum, 1e-5 * fmax(1, fabs(sum)));
    }
  }
  svf_arena_free(&arena);
}

static void joins(void **state) {
  (void)state;
  for (size_t t = 0; t < 3; t++) {
    if (!svf_la_at(t)) continue;
    check_joins(svf_la_at(t), 300, 20, 1, false);
    check_joins(svf_la_at(t), 9000, 68, .1, false); /* many */
    check_joins(svf_la_at(t), 6000, 99, 100, true); /* many */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strips), cmocka_unit_test(totals), cmocka_unit_test(scores),
                                     cmocka_unit_test(joins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
