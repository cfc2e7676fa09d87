/* Least-squares machines with a kernel: the bordered system from the raw rows, leave-one-out by refitting, rows held out,
 * duplicates, weights, the linear machine in its other form, threads. */
#include "support/test.h"
#include "svm/least_squares.h"
#include "svm/ls_gauss.h"

enum { MOST = 96, TARGETS = 2 };

typedef struct {
  svf_arena arena;
  size_t n, d;
  float *x, *pane;
  double y[TARGETS * MOST], weight[MOST];
  svf_gauss_problem problem;
} machine;

static void put_panes(machine *m) {
  m->pane = SVF_ZERO(&m->arena, float, svf_padded(m->n) * m->d);
  for (size_t i = 0; i < m->n; i++)
    for (size_t j = 0; j < m->d; j++)
      m->pane[(i / SVF_LANES * m->d + j) * SVF_LANES + i % SVF_LANES] = m->x[i * m->d + j];
  m->problem.rows = (svf_asked){m->x, m->n, m->d, m->d};
  m->problem.pane = m->pane;
}

/* Every third row is a copy of the one before; the targets of the two differ. */
static void make(machine *m, size_t n, size_t d, bool weights, bool copies, uint64_t seed) {
  svf_random random = svf_random_at((svf_place){.seed = seed});
  memset(m, 0, sizeof *m);
  m->n = n, m->d = d;
  m->x = SVF_TAKE(&m->arena, float, n *d);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < d; j++) {
      float value = (float)svf_random_unit(&random);
      m->x[i * d + j] = copies && i % 3 == 1 ? m->x[(i - 1) * d + j] : value;
    }
    m->weight[i] = .1 + svf_random_unit(&random);
    for (size_t q = 0; q < TARGETS; q++)
      m->y[q * n + i] = sin(5 * m->x[i * d] + (double)q) + .1 * svf_random_normal(&random);
  }
  m->problem = (svf_gauss_problem){.targets = TARGETS, .y = m->y, .weight = weights ? m->weight : NULL};
  put_panes(m);
}

static svf_gauss solve(machine *m, const double *width, size_t widths, const double *C, size_t count, bool portable) {
  svf_solver solver = {.la = svf_la_choose(portable), .arena = &m->arena};
  svf_gauss result;
  m->problem.width = width, m->problem.widths = widths;
  m->problem.C = C, m->problem.C_count = count;
  assert_true(svf_gauss_fit(&m->problem, &solver, &result));
  return result;
}

static double kernel(const machine *m, double sigma, const float *x, const float *z) {
  double sum = 0, city = 0;
  for (size_t j = 0; j < m->d; j++) {
    sum += ((double)x[j] - z[j]) * ((double)x[j] - z[j]);
    city += fabs((double)x[j] - z[j]);
  }
  if (m->problem.kernel == SVF_LS_KERNEL_LAPLACE) return exp(-sqrt(sum) / sigma);
  return m->problem.kernel == SVF_LS_KERNEL_MANHATTAN ? exp(-city / sigma) : exp(-sum / (2 * sigma * sigma));
}

static double value_of(const machine *m, const svf_gauss *r, size_t q, const float *x) {
  double sum = r->bias[q];
  for (size_t i = 0; i < m->n; i++)
    sum += r->alpha[q * svf_padded(m->n) + i] * kernel(m, r->sigma, m->x + i * m->d, x);
  return sum;
}

/* Residual of the bordered system over its right-hand side; with `whole` over that and the sizes of what is summed. */
static double residual(const machine *m, const svf_gauss *r, size_t q, bool whole) {
  double left = 0, right = 0, sum = 0, size = 0;
  for (size_t i = 0; i < m->n; i++) {
    double alpha = r->alpha[q * svf_padded(m->n) + i], c = m->problem.weight ? m->weight[i] : 1;
    double rest = m->y[q * m->n + i] - value_of(m, r, q, m->x + i * m->d) - alpha / (r->C * c);
    left += rest * rest;
    right += m->y[q * m->n + i] * m->y[q * m->n + i];
    sum += alpha;
    size += fabs(alpha);
  }
  if (!m->problem.no_bias) left += sum * sum;
  else assert_true(r->bias[q] == 0);
  return sqrt(left) / (sqrt(right) + (whole ? size : 0));
}

static void the_bordered_system_is_solved(void **state) {
  (void)state;
  static const size_t sizes[] = {2, 3, 9, 17, 40, MOST};
  static const double sigmas[] = {.01, .3, 3}, costs[] = {.01, 1, 1e3, 1e6, 1e12};
  for (size_t t = 0; t < 6 * 3 * 5 * 4 * 3 * 2; t++) {
    machine m;
    size_t n = sizes[t % 6];
    double sigma = sigmas[t / 6 % 3], C = costs[t / 18 % 5];
    make(&m, n, 1 + t % 5, t / 90 % 2, t / 180 % 2, t);
    m.problem.kernel = (svf_ls_kernel)(t / 360 % 3);
    m.problem.no_bias = t / 1080;
    svf_gauss r = solve(&m, &sigma, 1, &C, 1, t % 2);
    assert_true(r.sigma == sigma && r.C == C);
    for (size_t q = 0; q < TARGETS; q++) {
      assert_true(residual(&m, &r, q, true) < 1e-13);
      if (C <= 1e3) assert_true(residual(&m, &r, q, false) < 1e-10);
    }
    svf_arena_free(&m.arena);
  }
}

/* The machine without row i. */
static void drop(machine *m, size_t i) {
  size_t n = m->n--;
  memmove(m->x + i * m->d, m->x + (i + 1) * m->d, (n - 1 - i) * m->d * sizeof *m->x);
  memmove(m->weight + i, m->weight + i + 1, (n - 1 - i) * sizeof *m->weight);
  for (size_t q = 0; q < TARGETS; q++)
    for (size_t j = 0, to = q * (n - 1); j < n; j++)
      if (j != i) m->y[to++] = m->y[q * n + j];
  put_panes(m);
}

static void left_out_errors_equal_refits(void **state) {
  (void)state;
  for (size_t t = 0; t < 72; t++) {
    machine m;
    size_t n = 5 + 4 * (t % 6), d = 1 + t % 3;
    svf_ls_kernel kind = (svf_ls_kernel)(t / 12 % 3);
    double sigma = t % 2 ? .3 : 1, C = t % 3 ? 100 : .5, error = 0, total = 0;
    make(&m, n, d, t / 6 % 2, t % 2, t);
    m.problem.kernel = kind, m.problem.no_bias = t / 36;
    svf_gauss all = solve(&m, &sigma, 1, &C, 1, t % 2);
    for (size_t i = 0; i < n; i++) {
      machine less;
      make(&less, n, d, t / 6 % 2, t % 2, t);
      less.problem.kernel = kind, less.problem.no_bias = t / 36;
      drop(&less, i);
      svf_gauss one = solve(&less, &sigma, 1, &C, 1, t % 2);
      double weight = m.problem.weight ? m.weight[i] : 1;
      for (size_t q = 0; q < TARGETS; q++) {
        double refit = m.y[q * n + i] - value_of(&less, &one, q, m.x + i * d);
        assert_close(all.left_out[q * n + i], refit, 1e-9);
        error += weight * refit * refit / TARGETS;
      }
      total += weight;
      svf_arena_free(&less.arena);
    }
    assert_close(all.error, error / total, 1e-9);
    svf_arena_free(&m.arena);
  }
}

/* The pair of the grids with the least error, each error by a machine of its own. */
static void the_best_of_the_grids_is_chosen(void **state) {
  (void)state;
  static const double sigma[] = {.05, .3, 1.5}, C[] = {.1, 10, 1000};
  for (size_t t = 0; t < 6; t++) {
    machine m;
    size_t n = 40, held = t % 2 ? 12 : 0;
    double best = INFINITY;
    size_t chosen = 0;
    make(&m, n, 2, t > 2, false, t);
    for (size_t i = 0; i < 9; i++) {
      machine part;
      make(&part, n, 2, t > 2, false, t);
      for (size_t j = 0; j < held; j++) drop(&part, part.n - 1);
      svf_gauss r = solve(&part, &sigma[i / 3], 1, &C[i % 3], 1, false);
      double error = r.error, sum = 0, total = 0;
      for (size_t j = n - held; j < n; j++)
        for (size_t q = 0; q < TARGETS; q++) {
          double rest = m.y[q * n + j] - value_of(&part, &r, q, m.x + j * m.d),
                 c = m.problem.weight ? m.weight[j] : 1;
          sum += c * rest * rest;
          total += c;
        }
      if (held) error = sum / total;
      if (error < best) best = error, chosen = i;
      svf_arena_free(&part.arena);
    }
    m.problem.held_out = held;
    svf_gauss r = solve(&m, sigma, 3, C, 3, false);
    assert_true(r.sigma == sigma[chosen / 3] && r.C == C[chosen % 3]);
    assert_true(residual(&m, &r, 0, false) < 1e-10);
    svf_arena_free(&m.arena);
  }
}

/* A relative width stands for that many root mean squared distances. */
static void widths_have_a_unit(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    machine m;
    make(&m, 30, 3, false, false, 1);
    m.problem.kernel = (svf_ls_kernel)kind;
    double sum = 0, width = .5, C = 1;
    for (size_t i = 0; i < 30; i++)
      for (size_t j = 0; j < 30; j++) {
        double far = -log(kernel(&m, 1, m.x + i * 3, m.x + j * 3));
        sum += kind == SVF_LS_KERNEL_RBF ? 2 * far : far * far;
      }
    m.problem.relative = true;
    svf_gauss r = solve(&m, &width, 1, &C, 1, false);
    assert_close(r.sigma, .5 * sqrt(sum / (30 * 29)), 1e-12);
    svf_arena_free(&m.arena);
  }
}

/* All rows alike, one row: the mean, and finite numbers. */
static void degenerate_rows_give_the_mean(void **state) {
  (void)state;
  for (size_t n = 1; n < 20; n += 6)
    for (int weights = 0; weights < 2; weights++) {
      machine m;
      double width = 1, C = weights ? 1e6 : 1e12, sum = 0, total = 0;
      make(&m, n, 1, weights, false, 3);
      for (size_t i = 0; i < n; i++) {
        m.x[i] = .25;
        sum += (weights ? m.weight[i] : 1) * m.y[i];
        total += weights ? m.weight[i] : 1;
      }
      put_panes(&m);
      m.problem.relative = true;
      svf_gauss r = solve(&m, &width, 1, &C, 1, true);
      float x = .25f, far = 100;
      assert_true(isfinite(r.error) && r.error >= 0);
      assert_close(value_of(&m, &r, 0, &x), sum / total, 1e-14 * C);
      assert_true(isfinite(value_of(&m, &r, 0, &far)));
      svf_arena_free(&m.arena);
    }
}

/* The linear machine in d x d, the same through its kernel matrix. */
static void both_forms_of_the_linear_machine_agree(void **state) {
  (void)state;
  for (size_t t = 0; t < 8; t++) {
    machine m;
    size_t n = 20 + 9 * t, d = 5, wide = svf_padded(n), ld = svf_padded(d);
    double C = t % 2 ? 3 : 500, *x, *k, *again, left_out[TARGETS * MOST];
    _Alignas(64) double alpha[TARGETS * MOST];
    make(&m, n, d, t / 4, false, t);
    x = SVF_ZERO(&m.arena, double, n *ld);
    k = SVF_ZERO(&m.arena, double, n *wide);
    again = SVF_TAKE(&m.arena, double, n *wide);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < d; j++) x[i * ld + j] = m.x[i * d + j];
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < d; l++) k[i * wide + j] += x[i * ld + l] * x[j * ld + l];
    memcpy(again, k, n * wide * sizeof *k);
    svf_squares_problem problem = {{n, d, ld, x}, TARGETS, m.y, m.problem.weight, &C, 1, 0};
    svf_solver solver = {.la = svf_la_choose(t % 2), .arena = &m.arena};
    svf_squares primal;
    svf_ls_form form;
    svf_ls_path path = {.C = &C, .count = 1};
    svf_ls_rows rows = {n, TARGETS, n, m.y, m.problem.weight, false};
    assert_true(svf_least_squares(&problem, &solver, &primal));
    assert_true(svf_ls_open(&form, &rows, solver.la, &m.arena) && svf_ls_reduce(&form, k, &m.arena));
    assert_true(svf_ls_walk(&form, &path, true, &m.arena));
    svf_ls_refine(&form, &path, again, alpha);
    assert_close(svf_ls_error(&form, &path, 0, left_out), primal.error, 1e-9);
    for (size_t q = 0; q < TARGETS; q++) {
      assert_close(path.bias[q], primal.bias[q], 1e-8);
      for (size_t i = 0; i < n; i++) assert_close(left_out[q * n + i], primal.left_out[q * n + i], 1e-8);
      for (size_t j = 0; j < d; j++) {
        double w = 0;
        for (size_t i = 0; i < n; i++) w += alpha[q * wide + i] * x[i * ld + j];
        assert_close(w, primal.w[q * ld + j], 1e-8);
      }
    }
    svf_arena_free(&m.arena);
  }
}

/* The fast kernels and the portable ones find the same machine. */
static void tables_agree(void **state) {
  (void)state;
  for (size_t t = 0; t < 5; t++) {
    machine m;
    static const double sigma[] = {.1, .5}, C[] = {1, 50};
    make(&m, 20 + 15 * t, 1 + t, t % 2, t > 2, t);
    svf_gauss fast = solve(&m, sigma, 2, C, 2, false), plain = solve(&m, sigma, 2, C, 2, true);
    assert_true(fast.sigma == plain.sigma && fast.C == plain.C);
    for (size_t i = 0; i < m.n; i++) assert_close(fast.alpha[i], plain.alpha[i], 1e-9);
    svf_arena_free(&m.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_bordered_system_is_solved),
                                     cmocka_unit_test(left_out_errors_equal_refits),
                                     cmocka_unit_test(the_best_of_the_grids_is_chosen),
                                     cmocka_unit_test(widths_have_a_unit),
                                     cmocka_unit_test(degenerate_rows_give_the_mean),
                                     cmocka_unit_test(both_forms_of_the_linear_machine_agree),
                                     cmocka_unit_test(tables_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
