/* rows.h - random rows for solver tests, in the layout the solvers want. */
#ifndef SVF_TESTS_ROWS_H
#define SVF_TESTS_ROWS_H

#include "svm/linear_shared.h"
#include "svm/linear_machines.h"

typedef struct test_rows {
  svf_rows rows;
  double *x;
  int32_t *label, *fold;
  double *sign, *cost;
} test_rows;

/* n rows in [0,1]^d with a bias column, m classes that follow the first feature with noise, costs in (0, 2).
 */
static inline test_rows test_rows_make(svf_arena *arena, uint64_t seed, size_t n, size_t d, size_t m) {
  svf_random random = svf_random_at((svf_place){.seed = seed});
  test_rows t = {.rows = {.n = n, .p = d + 1, .ld = svf_padded(d + 1)}};
  t.rows.x = t.x = SVF_ZERO(arena, double, n *t.rows.ld);
  t.label = SVF_TAKE(arena, int32_t, n);
  t.fold = SVF_TAKE(arena, int32_t, n);
  t.sign = SVF_TAKE(arena, double, n);
  t.cost = SVF_TAKE(arena, double, n);
  for (size_t i = 0; i < n; i++) {
    double *x = t.x + i * t.rows.ld;
    for (size_t j = 0; j < d; j++) x[j] = svf_random_unit(&random);
    x[d] = 1;
    double place = x[0] + .4 * (svf_random_unit(&random) - .5);
    t.label[i] = (int32_t)(place < 0 ? 0 : place >= 1 ? m - 1 : (size_t)(place * (double)m));
    if (i < m) t.label[i] = (int32_t)i;
    t.fold[i] = (int32_t)(i % 3);
    t.sign[i] = t.label[i] == 0 ? 1 : -1;
    t.cost[i] = .05 + 2 * svf_random_unit(&random);
  }
  return t;
}

/* The rows in single precision, as a leaf has them; the doubles become those numbers. */
static inline svf_points test_points(svf_arena *arena, test_rows *t) {
  size_t n = t->rows.n, ld = t->rows.ld, d = t->rows.p - 1;
  float *x = SVF_TAKE(arena, float, n *d);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) t->x[i * ld + j] = x[i * d + j] = (float)t->x[i * ld + j];
  return (svf_points){.n = n, .d = d, .bias = true, .x = x, .stride = d};
}

/* P(w) of the squared hinge, and its duality gap, from the raw rows alone. */
static inline double test_squared_gap(const svf_rows *rows, const double *sign, const double *cost, double C,
                                      const double *w, double *objective) {
  double P = 0, gap = 0;
  double *g = calloc(rows->ld, sizeof *g);
  for (size_t j = 0; j < rows->ld; j++) P += .5 * w[j] * w[j], g[j] = w[j];
  for (size_t i = 0; i < rows->n; i++) {
    const double *x = rows->x + i * rows->ld;
    double score = 0;
    for (size_t j = 0; j < rows->ld; j++) score += w[j] * x[j];
    double slack = fmax(0, 1 - sign[i] * score);
    P += C * cost[i] * slack * slack;
    for (size_t j = 0; j < rows->ld; j++) g[j] -= 2 * C * cost[i] * slack * sign[i] * x[j];
  }
  for (size_t j = 0; j < rows->ld; j++) gap += .5 * g[j] * g[j];
  free(g);
  *objective = P;
  return gap;
}

#endif
