/* A machine that learns its metric: gradients beside finite differences, a round beside plain loops, features that matter,
 * targets without any gradient, the blocked Cholesky factor, equal maps on every table of kernels. */
#include "la/cholesky.h"
#include "support/test.h"
#include "svm/ls_metric.h"

enum { N = 70, D = 4, TARGETS = 2 };

typedef struct {
  svf_arena arena;
  float x[N * D];
  double y[TARGETS * N], weight[N];
  svf_solver solver;
  svf_learning learning;
} lesson;

static const double widths[] = {.5, 1}, costs[] = {1, 30};

/* The target looks at columns 0 and 1; rows 10 and 11 coincide. */
static void make(lesson *l, svf_ls_kernel kernel, bool full, bool weights, bool portable) {
  svf_random random = svf_random_at((svf_place){.seed = 7});
  memset(l, 0, sizeof *l);
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < D; j++) l->x[i * D + j] = (float)svf_random_normal(&random);
    if (i == 11) memcpy(l->x + 11 * D, l->x + 10 * D, D * sizeof(float));
    l->weight[i] = .2 + svf_random_unit(&random);
    l->y[i] = sin(2 * l->x[i * D]);
    l->y[N + i] = l->x[i * D + 1] > 0 ? 1 : -1;
  }
  l->solver = (svf_solver){.la = svf_la_choose(portable), .arena = &l->arena};
  l->learning = (svf_learning){.rows = {N, D, TARGETS, l->x, l->y, weights ? l->weight : NULL},
                               .kernel = kernel,
                               .full = full,
                               .tries = 50,
                               .width = widths,
                               .widths = 2,
                               .C = costs,
                               .C_count = 2,
                               .solver = &l->solver};
  assert_true(svf_learning_open(&l->learning));
}

static double value_at(const svf_learning *m, size_t q, const double *z) {
  double sum = m->bias[q];
  for (size_t l = 0; l < N; l++) {
    double square = 0, city = 0;
    for (size_t j = 0; j < D; j++) {
      double step = z[j] - m->z[l * D + j];
      square += step * step, city += fabs(step);
    }
    sum += m->alpha[q * m->wide + l] * (m->kernel == SVF_LS_KERNEL_RBF ? exp(-square / (2 * m->sigma * m->sigma))
                                        : m->kernel == SVF_LS_KERNEL_LAPLACE ? exp(-sqrt(square) / m->sigma)
                                                                             : exp(-city / m->sigma));
  }
  return sum;
}

/* In the second round, where the map is no longer the identity. The row's own kink has the slope 0 in the middle. */
static void gradients_are_slopes(void **state) {
  (void)state;
  for (int t = 0; t < 10; t++) {
    lesson l;
    svf_ls_kernel kernel = (svf_ls_kernel)(t / 2 % 3);
    make(&l, kernel, t / 6 && kernel != SVF_LS_KERNEL_MANHATTAN, false, t % 2);
    svf_learning *m = &l.learning;
    assert_true(svf_learning_run(m, 1) && svf_learning_fit(m));
    svf_learning_slopes(m);
    for (size_t q = 0; q < TARGETS; q++) {
      assert_true(svf_learning_gradient(m, q));
      double size = 0;
      for (size_t i = 0; i < N * m->ld; i++) size = fmax(size, fabs(m->g[i]));
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
          double z[D], step = 1e-5, slope = 0;
          for (size_t c = 0; c < D; c++) z[c] = m->z[i * D + c];
          double middle = z[j];
          z[j] = middle + step;
          slope += value_at(m, q, z);
          z[j] = middle - step;
          slope -= value_at(m, q, z);
          if (i == 10 || i == 11) continue; /* two rows in one place: only one of them is left out of a slope */
          assert_true(fabs(slope / (2 * step) - m->g[i * m->ld + j]) <= 1e-5 * size);
        }
    }
    svf_arena_free(&l.arena);
  }
}

/* M = T G T from the gradients, with plain loops; T T is M over its largest eigenvalue, the largest of T being 1. */
static void a_round_is_as_published(void **state) {
  (void)state;
  for (int t = 0; t < 10; t++) {
    lesson l;
    svf_ls_kernel kernel = (svf_ls_kernel)(t / 2 % 3);
    bool full = t / 6 && kernel != SVF_LS_KERNEL_MANHATTAN;
    make(&l, kernel, full, t % 2, false);
    svf_learning *m = &l.learning;
    assert_true(svf_learning_run(m, 1) && svf_learning_fit(m));
    double T[D][D] = {{0}}, G[D][D] = {{0}}, M[D][D] = {{0}};
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) T[i][j] = full ? m->t[i * m->ld + j] : i == j ? m->t[i] : 0;
    for (size_t q = 0; q < TARGETS; q++)
      for (size_t r = 0; r < N; r++) {
        double g[D] = {0}, c = m->rows.weight ? l.weight[r] : 1;
        for (size_t s = 0; s < N; s++) {
          double square = 0, city = 0, alpha = m->alpha[q * m->wide + s];
          for (size_t j = 0; j < D; j++) {
            double step = (double)m->z[r * D + j] - m->z[s * D + j];
            square += step * step, city += fabs(step);
          }
          for (size_t j = 0; j < D; j++) {
            double step = (double)m->z[r * D + j] - m->z[s * D + j], far = sqrt(square), L = m->sigma;
            if (kernel == SVF_LS_KERNEL_RBF) g[j] -= alpha * exp(-square / (2 * L * L)) / (L * L) * step;
            else if (kernel == SVF_LS_KERNEL_MANHATTAN)
              g[j] -= alpha * exp(-city / L) / L * ((step > 0) - (step < 0));
            else if (far > 0) g[j] -= alpha * exp(-far / L) / (L * far) * step;
          }
        }
        for (size_t i = 0; i < D; i++)
          for (size_t j = 0; j < D; j++) G[i][j] += c * g[i] * g[j];
      }
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++)
        for (size_t a = 0; a < D; a++)
          for (size_t b = 0; b < D; b++) M[i][j] += T[i][a] * (full || a == b ? G[a][b] : 0) * T[b][j];
    assert_true(svf_learning_turn(m));
    double trace = 0, all = 0, most = 0, v[D] = {1, 1, 1, 1};
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) T[i][j] = full ? m->t[i * m->ld + j] : i == j ? m->t[i] : 0;
    for (size_t i = 0; i < D; i++) trace += M[i][i];
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) all += T[i][j] * T[i][j];
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) {
        double square = 0;
        for (size_t a = 0; a < D; a++) square += T[i][a] * T[a][j];
        if (full || i == j) assert_true(fabs(square * trace / all - M[i][j]) <= 1e-9 * trace);
      }
    for (int power = 0; power < 2000; power++) { /* the largest eigenvalue */
      double w[D] = {0};
      most = 0;
      for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) w[i] += T[i][j] * v[j];
      for (size_t i = 0; i < D; i++) most += w[i] * w[i];
      most = sqrt(most);
      for (size_t i = 0; i < D; i++) v[i] = w[i] / most;
    }
    assert_close(most, 1, 1e-6);
    svf_arena_free(&l.arena);
  }
}

static void what_matters_is_found(void **state) {
  (void)state;
  for (int t = 0; t < 5; t++) {
    lesson l;
    bool full = t > 2;
    make(&l, (svf_ls_kernel)(t % 3), full, false, false);
    assert_true(svf_learning_run(&l.learning, 3));
    for (size_t j = 2; j < D; j++)
      for (size_t i = 0; i < 2; i++) {
        size_t step = full ? l.learning.ld + 1 : 1;
        assert_true(l.learning.t[j * step] < l.learning.t[i * step]);
      }
    svf_arena_free(&l.arena);
  }
}

/* A constant target has no gradient, rows in one place have none: the map stays. */
static void nothing_to_learn_changes_nothing(void **state) {
  (void)state;
  for (int t = 0; t < 10; t++) {
    lesson l;
    svf_ls_kernel kernel = (svf_ls_kernel)(t / 2 % 3);
    make(&l, kernel, t / 6 && kernel != SVF_LS_KERNEL_MANHATTAN, false, false);
    if (t % 2) memset(l.x, 0, sizeof l.x);
    else memset(l.y, 0, sizeof l.y);
    assert_true(svf_learning_run(&l.learning, 2));
    for (size_t j = 0; j < D; j++) assert_true(l.learning.t[l.learning.full ? j * l.learning.ld + j : j] == 1);
    svf_arena_free(&l.arena);
  }
}

/* The error at other rows by plain loops. */
static void errors_are_those_of_the_fit(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    lesson l, other;
    make(&l, (svf_ls_kernel)kind, false, false, false);
    make(&other, (svf_ls_kernel)kind, false, true, false);
    for (size_t i = 0; i < N * D; i++) other.x[i] *= .9f;
    assert_true(svf_learning_run(&l.learning, 1) && svf_learning_fit(&l.learning));
    double error, sum = 0, total = 0;
    assert_true(svf_learning_error(&l.learning, &other.learning.rows, false, &error));
    for (size_t i = 0; i < N; i++) {
      double z[D];
      for (size_t j = 0; j < D; j++) z[j] = (float)(l.learning.t[j] * other.x[i * D + j]);
      for (size_t q = 0; q < TARGETS; q++) {
        double off = other.y[q * N + i] - value_at(&l.learning, q, z);
        sum += other.weight[i] * off * off / TARGETS;
      }
      total += other.weight[i];
    }
    assert_close(error, sum / total, 1e-9);
    svf_arena_free(&l.arena);
    svf_arena_free(&other.arena);
  }
}

/* Divided by the largest entry the map is the same but for a factor. A fixed width and C are those of the fit, and without a
 * bias the fit solves (K + I/C) alpha = y. */
static void a_round_can_be_that_of_xrfm(void **state) {
  (void)state;
  static const double width = .8, C = 20;
  lesson l, other;
  make(&l, SVF_LS_KERNEL_LAPLACE, true, false, false);
  make(&other, SVF_LS_KERNEL_LAPLACE, true, false, false);
  svf_learning *pair[] = {&l.learning, &other.learning};
  for (int i = 0; i < 2; i++) {
    svf_learning *m = pair[i];
    m->width = &width, m->C = &C, m->widths = m->C_count = 1;
    m->absolute = m->no_bias = true, m->by_entry = i == 1;
    assert_true(svf_learning_fit(m));
    assert_true(m->sigma == width && m->best_C == C);
    for (size_t q = 0; q < TARGETS; q++)
      for (size_t r = 0; r < N; r++) {
        double z[D];
        for (size_t j = 0; j < D; j++) z[j] = m->z[r * D + j];
        assert_close(value_at(m, q, z) + m->alpha[q * m->wide + r] / C, m->rows.y[q * N + r], 1e-9);
      }
    assert_true(svf_learning_turn(m));
  }
  double most = 0, factor = pair[1]->t[0] / pair[0]->t[0];
  for (size_t i = 0; i < D; i++) {
    double entry = 0;
    for (size_t j = 0; j < D; j++) {
      assert_close(pair[1]->t[i * l.learning.ld + j], factor * pair[0]->t[i * l.learning.ld + j], 1e-9);
      entry += pair[1]->t[i * l.learning.ld + j] * pair[1]->t[i * l.learning.ld + j];
    }
    most = fmax(most, entry);
  }
  assert_close(most, 1, 1e-9);
  svf_arena_free(&l.arena);
  svf_arena_free(&other.arena);
}

static void blocked_factors_are_factors(void **state) {
  (void)state;
  for (size_t n = 1; n < 300; n += 59)
    for (size_t table = 0; table < 3; table++) {
      const svf_la *la = svf_la_at(table);
      if (!la) continue;
      svf_arena arena = {0};
      size_t ld = svf_padded(n);
      double *h = SVF_ZERO(&arena, double, n *ld);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) h[i * ld + j] = exp(-fabs((double)i - (double)j) / 20) + (i == j);
      assert_true(svf_cholesky_blocked(la, n, ld, h, NULL, &arena));
      for (size_t i = 0; i < n; i += 7)
        for (size_t j = i; j < n; j += 5) {
          double sum = 0;
          for (size_t e = 0; e <= i; e++) sum += h[e * ld + i] * h[e * ld + j];
          assert_close(sum, exp(-fabs((double)i - (double)j) / 20) + (i == j), 1e-12);
        }
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
          h[i * ld + j] = 1 + (double)(i == j && i + 1 < n) * .5 - (double)(i == j && i + 1 == n);
      assert_false(n > 1 && svf_cholesky_blocked(la, n, ld, h, NULL, &arena));
      svf_arena_free(&arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_slopes),
                                     cmocka_unit_test(a_round_is_as_published),
                                     cmocka_unit_test(a_round_can_be_that_of_xrfm),
                                     cmocka_unit_test(what_matters_is_found),
                                     cmocka_unit_test(nothing_to_learn_changes_nothing),
                                     cmocka_unit_test(errors_are_those_of_the_fit),
                                     cmocka_unit_test(blocked_factors_are_factors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
