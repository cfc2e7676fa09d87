/* Least-squares machines: the bordered system, leave-one-out by refitting, both sides of n = p, the leaf around them. */
#include "leaf/ls_svm.h"
#include "support/ground.h"
#include "svm/least_squares.h"

extern const svf_leaf svf_leaf_ls;

enum { HEAD = 4 };

typedef struct {
  svf_arena arena;
  svf_squares_problem problem;
  double *x, *y, *weight;
} machine;

static machine make(uint64_t seed, size_t n, size_t p, size_t targets, bool weights) {
  machine m = {0};
  size_t ld = svf_padded(p);
  svf_random random = svf_random_at((svf_place){.seed = seed});
  m.x = SVF_ZERO(&m.arena, double, n *ld);
  m.y = SVF_TAKE(&m.arena, double, targets *n);
  m.weight = SVF_TAKE(&m.arena, double, n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < p; j++) m.x[i * ld + j] = 2 + svf_random_normal(&random);
    if (p > 2) m.x[i * ld + 2] = m.x[i * ld]; /* a copy: the scatter matrix is singular */
    m.weight[i] = .1 + svf_random_unit(&random);
    for (size_t q = 0; q < targets; q++)
      m.y[q * n + i] = m.x[i * ld] * (double)(q + 1) - 3 + .3 * svf_random_normal(&random);
  }
  m.problem = (svf_squares_problem){{n, p, ld, m.x}, targets, m.y, weights ? m.weight : NULL, NULL, 0, 0};
  return m;
}

static svf_squares solve(machine *m, const double *C, size_t count, const svf_la *la) {
  svf_solver solver = {.la = la, .arena = &m->arena};
  svf_squares result;
  m->problem.C = C;
  m->problem.C_count = count;
  assert_true(svf_least_squares(&m->problem, &solver, &result));
  return result;
}

static double value_of(const svf_squares_problem *problem, const svf_squares *r, size_t q, const double *x) {
  double sum = r->bias[q];
  for (size_t j = 0; j < problem->rows.p; j++) sum += r->w[q * problem->rows.ld + j] * x[j];
  return sum;
}

/* alpha_i = C c_i (y_i - w.x_i - b); then 1'alpha = 0 and K alpha + b + alpha/(C c) = y. */
static void the_bordered_system_is_solved(void **state) {
  (void)state;
  static const size_t n_of[] = {40, 9, 60}, p_of[] = {6, 25, 60};
  static const double C[] = {.01, 1, 1000};
  for (int t = 0; t < 18; t++) {
    machine m = make((uint64_t)t, n_of[t % 3], p_of[t % 3], 2, t / 9);
    const svf_squares_problem *problem = &m.problem;
    double c = C[t / 3 % 3], alpha[60];
    svf_squares r = solve(&m, &c, 1, svf_la_choose(t % 2));
    assert_true(r.C == c);
    size_t n = problem->rows.n, ld = problem->rows.ld;
    for (size_t q = 0; q < 2; q++) {
      double sum = 0, size = 0, worst = 0;
      for (size_t i = 0; i < n; i++) {
        double weight = problem->weight ? problem->weight[i] : 1;
        alpha[i] = c * weight * (m.y[q * n + i] - value_of(problem, &r, q, m.x + i * ld));
        sum += alpha[i];
        size += fabs(alpha[i]);
      }
      assert_true(fabs(sum) <= 1e-10 * (size + 1));
      for (size_t i = 0; i < n; i++) {
        double left = r.bias[q] + alpha[i] / (c * (problem->weight ? problem->weight[i] : 1)), most = fabs(left);
        for (size_t j = 0; j < n; j++) {
          double product = 0;
          for (size_t l = 0; l < problem->rows.p; l++) product += m.x[i * ld + l] * m.x[j * ld + l];
          left += product * alpha[j];
          most += fabs(product * alpha[j]);
        }
        worst = fmax(worst, fabs(left - m.y[q * n + i]) / (most + 1));
      }
      assert_true(worst <= 1e-10);
    }
    svf_arena_free(&m.arena);
  }
}

/* Every left-out error equals that of a machine trained without the row. */
static void left_out_errors_equal_refits(void **state) {
  (void)state;
  static const size_t n_of[] = {25, 8, 13}, p_of[] = {4, 20, 13};
  for (int t = 0; t < 12; t++) {
    machine m = make((uint64_t)t, n_of[t % 3], p_of[t % 3], 2, t / 6);
    double C[] = {t / 3 % 2 ? 10 : .3}, error = 0, total = 0;
    svf_squares all = solve(&m, C, 1, svf_la_choose(true));
    size_t n = m.problem.rows.n, ld = m.problem.rows.ld;
    for (size_t i = 0; i < n; i++) {
      machine less = make((uint64_t)t, n_of[t % 3], p_of[t % 3], 2, t / 6);
      memmove(less.x + i * ld, less.x + (i + 1) * ld, (n - 1 - i) * ld * sizeof *less.x);
      memmove(less.weight + i, less.weight + i + 1, (n - 1 - i) * sizeof *less.weight);
      memmove(less.y + i, less.y + i + 1, (2 * n - 1 - i) * sizeof *less.y);
      memmove(less.y + n - 1 + i, less.y + n + i, (n - 1 - i) * sizeof *less.y);
      less.problem.rows.n = n - 1;
      svf_squares one = solve(&less, C, 1, svf_la_choose(true));
      double weight = m.problem.weight ? m.weight[i] : 1;
      for (size_t q = 0; q < 2; q++) {
        double refit = m.y[q * n + i] - value_of(&less.problem, &one, q, m.x + i * ld);
        assert_close(all.left_out[q * n + i], refit, 1e-9);
        error += weight * refit * refit / 2;
      }
      total += weight;
      svf_arena_free(&less.arena);
    }
    assert_close(all.error, error / total, 1e-9);
    svf_arena_free(&m.arena);
  }
}

static void the_best_C_is_chosen(void **state) {
  (void)state;
  static const double C[] = {1e-4, 1e-2, 1, 100, 1e4};
  for (uint64_t seed = 0; seed < 10; seed++) {
    machine m = make(seed, seed % 2 ? 12 : 50, 20, 1, false);
    double best = INFINITY, best_C = 0;
    for (int i = 0; i < 5; i++) {
      svf_squares r = solve(&m, &C[i], 1, svf_la_choose(false));
      if (r.error < best) best = r.error, best_C = C[i];
    }
    svf_squares r = solve(&m, C, 5, svf_la_choose(false));
    assert_true(r.C == best_C && r.error == best);
    svf_arena_free(&m.arena);
  }
}

static svf_buffer train_leaf(test_ground *t) {
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n};
  svf_buffer numbers = {0};
  svf_message message;
  assert_ok(svf_leaf_ls.train(&t->ground, &site, &numbers, &message), &message);
  return numbers;
}

static svf_leaf_view view_of(const test_ground *t, const svf_buffer *numbers) {
  return (svf_leaf_view){.numbers = (const double *)numbers->data,
                         .length = numbers->size / sizeof(double),
                         .d = t->frame.d,
                         .k = t->frame.k,
                         .fill = t->frame.fill};
}

/* y = 3 + products of the features is fitted by the quadratic leaf and not by the linear one. */
static void squares_and_products_are_seen(void **state) {
  (void)state;
  static const char *const pairs[] = {"leaf=ls-svm C=1e9 scale=none",
                                      "leaf=ls-svm C=1e9 scale=none leaf_features=quadratic"};
  for (int p = 0; p < 2; p++) {
    test_ground t;
    double x[300], y[100], worst = 0;
    svf_random random = svf_random_at((svf_place){.seed = 1});
    for (int i = 0; i < 300; i++) x[i] = svf_random_normal(&random);
    for (int i = 0; i < 100; i++) y[i] = 3 + x[3 * i] * x[3 * i + 1] - 2 * x[3 * i + 2] * x[3 * i + 2] + x[3 * i];
    svf_table *table = NULL;
    svf_message message;
    svf_matrix matrix = {x, 0, 100, 3, 3, 1};
    assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
    assert_ok(svf_table_set_values(table, y, &message), &message);
    test_ground_open(&t, table, "rotation-forest", pairs[p]);
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    assert_true(svf_leaf_ls.valid(&view));
    assert_int_equal(view.length, HEAD + (p ? 9 : 3) + 1);
    for (size_t i = 0; i < 100; i++) {
      const float *row = t.frame.x + i * t.frame.stride;
      double score, share;
      assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, &score, &share));
      assert_true(score == share);
      worst = fmax(worst, fabs(score - y[i]));
    }
    assert_true(p ? worst < 1e-4 : worst > 1);
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* Scores recomputed from the numbers; shares sum to 1 and follow the scores; absent classes have none. */
static void classes_share_what_machines_say(void **state) {
  (void)state;
  for (size_t k = 2; k < 5; k++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 200, 5, k, 1), "ccf", "leaf=ls-svm");
    int32_t *label = (int32_t *)t.frame.label;
    for (size_t i = 0; k == 4 && i < 200; i++)
      if (label[i] == 1) label[i] = 2; /* class 1 is absent */
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    assert_true(svf_leaf_ls.valid(&view));
    size_t m = k == 4 ? 3 : k, hits = 0;
    const double *w = view.numbers + HEAD + m;
    assert_true(view.numbers[0] == (double)m);
    for (size_t i = 0; i < 200; i++) {
      const float *row = t.frame.x + i * t.frame.stride;
      double score[4], share[4], sum = 0, best = 0;
      assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, score, share));
      for (size_t c = 0, q = 0; c < k; c++) {
        sum += share[c];
        best = score[c] > score[(size_t)best] ? (double)c : best;
        if (k == 4 && c == 1) {
          assert_true(score[c] <= -1 && share[c] == 0);
          continue;
        }
        const double *own = w + (k == 2 ? 0 : q++) * 6;
        double expected = own[5];
        for (size_t j = 0; j < 5; j++) expected += own[j] * row[j];
        assert_close(score[c], k == 2 && c == 0 ? -expected : expected, 1e-12);
      }
      assert_close(sum, 1, 1e-12);
      hits += (int32_t)best == label[i];
    }
    assert_true(hits > 100);
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* Numbers as floats give the answers of the same numbers as doubles, and scores do not depend on whether shares are asked
 * for. */
static void floats_say_the_same(void **state) {
  (void)state;
  for (size_t k = 2; k < 4; k++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 200, 5, k, 1), "ccf", "leaf=ls-svm leaf_features=quadratic");
    svf_buffer numbers = train_leaf(&t);
    double *number = (double *)numbers.data, score[2][3], share[2][3], bare[3];
    svf_leaf_view doubles = view_of(&t, &numbers), floats = doubles;
    float single[128];
    assert_true(doubles.length <= 128);
    for (size_t i = 0; i < doubles.length; i++) number[i] = single[i] = (float)number[i];
    floats.numbers = NULL, floats.singles = single;
    assert_true(svf_leaf_ls.valid(&floats));
    for (size_t i = 0; i < 200; i++) {
      const float *row = t.frame.x + i * t.frame.stride;
      assert_true(svf_leaf_ls.predict(&doubles, &row, 1, &t.worker.arena, score[0], share[0]));
      assert_true(svf_leaf_ls.predict(&floats, &row, 1, &t.worker.arena, score[1], share[1]));
      assert_true(svf_leaf_ls.predict(&floats, &row, 1, &t.worker.arena, bare, NULL));
      assert_memory_equal(score[0], score[1], k * sizeof **score);
      assert_memory_equal(share[0], share[1], k * sizeof **share);
      assert_memory_equal(score[0], bare, k * sizeof *bare);
    }
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* Three quadratic machines over two features: what a feature weighs, by hand. */
static void weights_count_by_feature(void **state) {
  (void)state;
  const double numbers[] = {3, 1,  1, .1, 0, 1,   2, /* w1 w2, 11 12 22, bias */
                            3, -6, 9, -6, 3, 100, 0, 0, 0, 0, 0, 100, -3, 3, 0, 0, 0, 100};
  svf_leaf_view view = {.numbers = numbers, .length = sizeof numbers / sizeof *numbers, .d = 2, .k = 3};
  double sum[2] = {1, 0};
  assert_true(svf_leaf_ls.valid(&view));
  svf_leaf_ls.weights(&view, NULL, sum);
  assert_close(sum[0], 1 + (3 + 9 + 3 + 3) / 3., 1e-12);
  assert_close(sum[1], (6 + 3 + 3 + 3) / 3., 1e-12);
}

/* One row, equal rows, a constant target, values of 1e308: finite answers within the range of the target. */
static void odd_leaves_work(void **state) {
  (void)state;
  static const double y[][4] = {{5, 5, 5, 5}, {1, 2, 3, 4}, {1e308, -1e308, 1e308, 1e308}, {0, 0, 1e-300, 0}};
  for (int equal = 0; equal < 2; equal++)
    for (int v = 0; v < 4; v++)
      for (size_t n = 1; n < 5; n++) {
        double x[] = {1, 5, equal ? 1 : 2, 5, equal ? 1 : 4, 5, equal ? 1 : 3, 5};
        svf_table *table = NULL;
        svf_message message;
        svf_matrix matrix = {x, 0, 4, 2, 2, 1};
        assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
        assert_ok(svf_table_set_values(table, y[v], &message), &message);
        test_ground t;
        test_ground_open(&t, table, "ccf", "leaf=ls-svm");
        uint32_t rows[] = {0, 1, 2, 3};
        svf_site site = {.name = 1, .rows = rows, .n = n};
        svf_buffer numbers = {0};
        assert_ok(svf_leaf_ls.train(&t.ground, &site, &numbers, &message), &message);
        svf_leaf_view view = view_of(&t, &numbers);
        assert_true(svf_leaf_ls.valid(&view));
        for (size_t i = 0; i < view.length; i++) assert_true(isfinite(view.numbers[i]));
        const float *row = t.frame.x;
        double score, share;
        assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, &score, &share));
        if (n == 1) assert_close(score / fmax(1, fabs(y[v][0])), y[v][0] / fmax(1, fabs(y[v][0])), 1e-12);
        assert_true(isfinite(score));
        svf_buffer_free(&numbers);
        test_ground_close(&t);
      }
}

/* Rows so far out that the answer, or a product in it, is beyond all doubles: the largest number, or the sum of what
 * cancels. Three such trees have a mean. */
static void far_rows_have_answers(void **state) {
  (void)state;
  static const struct {
    double numbers[SVF_LS_HEAD + 3], row[2], answer;
  } far[] = {{{0, 0, 1, .1, 1e300, 0, 0}, {1e38, 1}, INFINITY},
             {{0, 0, 1, .1, 1e300, 1, 5}, {-1e38, 1}, -INFINITY},
             {{0, 0, 1, .1, 1e300, -1e300, 0}, {1e38, 1e38}, 0},
             {{0, 0, 1, .1, 1e300, -2e300, 7}, {1e38, 1e38}, -INFINITY}};
  svf_arena arena = {0};
  for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
    svf_leaf_view view = {.numbers = far[i].numbers, .length = SVF_LS_HEAD + 3, .d = 2, .k = 1};
    float row[] = {(float)far[i].row[0], (float)far[i].row[1]};
    const float *rows = row;
    double score, share;
    assert_true(svf_leaf_ls.valid(&view));
    assert_true(svf_leaf_ls.predict(&view, &rows, 1, &arena, &score, &share));
    assert_true(isfinite(score) && score == share);
    if (isfinite(far[i].answer)) assert_close(score, far[i].answer, 1e-12);
    else assert_true(score / far[i].answer >= 0 && fabs(score) > 1e308 && isfinite(3 * (score * .25) / .75));
  }
  svf_arena_free(&arena);
}

static void hostile_numbers_are_not_valid(void **state) {
  (void)state;
  const double good[] = {3, 0, 1, .1, 0, 1, 3, .5, 1, -.5, 2, .1, 3};
  const float fill = 0;
  svf_leaf_view view = {.numbers = good, .length = sizeof good / sizeof *good, .d = 1, .k = 4, .fill = &fill};
  assert_true(svf_leaf_ls.valid(&view));
  static const struct {
    size_t place;
    double value;
  } bad[] = {{0, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 5}, {0, 1.5}, {0, -1}, {0, 1e300}, {1, 1}, {1, 2}, {4, 1}, {6, 4}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double numbers[sizeof good / sizeof *good];
    memcpy(numbers, good, sizeof good);
    numbers[bad[i].place] = bad[i].value;
    view.numbers = numbers;
    assert_false(svf_leaf_ls.valid(&view));
  }
  view.numbers = good;
  for (view.length = 0; view.length < sizeof good / sizeof *good; view.length++)
    assert_false(svf_leaf_ls.valid(&view));
}

static void a_leaf_that_cannot_fit_is_refused(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 500, 40, 2, 1), "ccf", "leaf=ls-svm leaf_features=quadratic");
  t.ground.memory_limit = 1 << 20;
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n};
  svf_buffer numbers = {0};
  svf_message message;
  assert_int_equal(svf_leaf_ls.train(&t.ground, &site, &numbers, &message), SVF_MEMORY);
  assert_non_null(strstr(message.text, "would need"));
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_bordered_system_is_solved),
                                     cmocka_unit_test(left_out_errors_equal_refits),
                                     cmocka_unit_test(the_best_C_is_chosen),
                                     cmocka_unit_test(squares_and_products_are_seen),
                                     cmocka_unit_test(classes_share_what_machines_say),
                                     cmocka_unit_test(floats_say_the_same),
                                     cmocka_unit_test(weights_count_by_feature),
                                     cmocka_unit_test(odd_leaves_work),
                                     cmocka_unit_test(far_rows_have_answers),
                                     cmocka_unit_test(hostile_numbers_are_not_valid),
                                     cmocka_unit_test(a_leaf_that_cannot_fit_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
