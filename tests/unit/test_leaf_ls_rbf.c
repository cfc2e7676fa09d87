/* The least-squares leaf with a Gaussian kernel: its answers from its numbers, an elimination as oracle for classes, floats,
 * rows held out, hostile numbers, the bound on memory, threads. */
#include "support/ls_leaf.h"

static const char *const kernels[] = {"kernel=rbf ", "kernel=laplace ", "kernel=manhattan "};

static double kernel_of(const test_ground *t, int kind, double sigma, size_t a, size_t b) {
  double sum = 0, city = 0;
  for (size_t j = 0; j < t->frame.d; j++) {
    double step = (double)t->frame.x[a * t->frame.stride + j] - t->frame.x[b * t->frame.stride + j];
    sum += step * step, city += fabs(step);
  }
  return kind == 0 ? exp(-sum / (2 * sigma * sigma)) : exp(-(kind == 1 ? sqrt(sum) : city) / sigma);
}

/* The bordered system by elimination with pivots; out: b, alpha. */
static void eliminate(size_t n, double a[MOST + 1][MOST + 2]) {
  for (size_t k = 0; k <= n; k++) {
    size_t pivot = k;
    for (size_t i = k; i <= n; i++)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    for (size_t j = 0; j <= n + 1; j++) {
      double swap = a[k][j];
      a[k][j] = a[pivot][j], a[pivot][j] = swap;
    }
    for (size_t i = 0; i <= n; i++)
      if (i != k) {
        double f = a[i][k] / a[k][k];
        for (size_t j = k; j <= n + 1; j++) a[i][j] -= f * a[k][j];
      }
  }
  for (size_t k = 0; k <= n; k++) a[k][n + 1] /= a[k][k];
}

/* Scores of all classes against one elimination per class, rows asked one by one and all at once. */
static void classes_equal_an_elimination(void **state) {
  (void)state;
  for (size_t k = 2; k < 5; k++) {
    enum { N = 40 };
    int kind = (int)k - 2;
    char pairs[64];
    snprintf(pairs, sizeof pairs, "%sgamma=2 C=7", kernels[kind]);
    test_ground t;
    test_ground_open(&t, test_synth("classification", 60, 5, k, 1), "ls-svm", pairs);
    svf_buffer numbers = train_leaf(&t, N);
    svf_leaf_view view = view_of(&t, &numbers);
    const float *row[60];
    double score[60 * 4], share[60 * 4], alone[4];
    for (size_t i = 0; i < 60; i++) row[i] = t.frame.x + i * t.frame.stride;
    assert_true(svf_leaf_ls.valid(&view));
    assert_true(svf_leaf_ls.predict(&view, row, 60, &t.worker.arena, score, share));
    for (size_t c = 0; c < k; c++) {
      double a[MOST + 1][MOST + 2] = {{0}};
      for (size_t i = 0; i < N; i++) {
        a[0][i + 1] = a[i + 1][0] = 1;
        for (size_t j = 0; j < N; j++) a[i + 1][j + 1] = kernel_of(&t, kind, .5, i, j) + (i == j ? 1. / 7 : 0);
        a[i + 1][N + 1] = t.frame.label[i] == (int32_t)c ? 1 : -1;
      }
      eliminate(N, a);
      for (size_t i = 0; i < 60; i++) {
        double sum = a[0][N + 1];
        for (size_t j = 0; j < N; j++) sum += a[j + 1][N + 1] * kernel_of(&t, kind, .5, i, j);
        assert_close(score[i * k + c], sum, 1e-9);
      }
    }
    for (size_t i = 0; i < 60; i++) {
      double sum = 0;
      for (size_t c = 0; c < k; c++) sum += share[i * k + c];
      assert_close(sum, 1, 1e-12);
      assert_true(svf_leaf_ls.predict(&view, row + i, 1, &t.worker.arena, alone, NULL));
      assert_memory_equal(alone, score + i * k, k * sizeof *alone);
    }
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* Values in the units of the target, the spread, and floats instead of doubles; both ways to choose, with weights. */
static void numbers_are_predicted(void **state) {
  (void)state;
  static const char *const pairs[] = {"",
                                      "precision=single",
                                      "selection=holdout",
                                      "selection=holdout precision=single",
                                      "kernel=laplace",
                                      "kernel=laplace precision=single",
                                      "kernel=manhattan",
                                      "kernel=manhattan precision=single"};
  for (int p = 0; p < 8; p++)
    for (size_t n = 1; n <= MOST; n += 21) {
      test_ground t;
      test_ground_open(&t, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", pairs[p]);
      svf_buffer numbers = train_leaf(&t, n);
      svf_leaf_view view = view_of(&t, &numbers), floats = view;
      float single[MOST * 8];
      double worst = 0, mean = 0, variance = 0;
      assert_true(view.length <= MOST * 8);
      for (size_t i = 0; i < view.length; i++) single[i] = (float)view.numbers[i];
      if (p % 2) floats.numbers = NULL, floats.singles = single;
      assert_true(svf_leaf_ls.valid(&floats));
      for (size_t i = 0; i < n; i++) mean += t.frame.value[i] / (double)n;
      for (size_t i = 0; i < n; i++) {
        const float *row = t.frame.x + i * t.frame.stride;
        double score, share;
        assert_true(svf_leaf_ls.predict(&floats, &row, 1, &t.worker.arena, &score, &share));
        assert_true(score == share && isfinite(score));
        worst = fmax(worst, fabs(score - t.frame.value[i]));
        variance += pow(t.frame.value[i] - mean, 2) / (double)n;
      }
      double spread = svf_leaf_ls.spread(&floats);
      if (n == 1) assert_true(worst < 1e-4 && spread == 0);
      else assert_true(spread > 0 && spread < 1.2 * sqrt(variance) && worst < 4 * sqrt(variance));
      svf_buffer_free(&numbers);
      test_ground_close(&t);
    }
}

/* Equal rows, targets that differ, weights and targets of any size: a machine whose answers lie within the targets. Where some
 * rows weigh far more than others they decide. */
static void costs_of_any_size(void **state) {
  (void)state;
  for (double unit = 1; unit < 1e280; unit *= 1e90)
    for (double heavy = 1; heavy < 1e301; heavy *= 1e100) {
      double x[24], y[24], weight[24];
      svf_table *table = NULL;
      svf_message message;
      for (size_t i = 0; i < 24; i++) {
        bool light = i % 4 > 1;
        x[i] = (double)(i % 3), y[i] = unit * (double)(i % 6 + 7 * light), weight[i] = light ? 1 : heavy;
      }
      assert_ok(svf_table_new(&(svf_matrix){x, 0, 24, 1, 1, 1}, NULL, &table, &message), &message);
      assert_ok(svf_table_set_values(table, y, &message), &message);
      assert_ok(svf_table_set_weights(table, weight, &message), &message);
      test_ground t;
      test_ground_open(&t, table, "ls-svm", "C=1e6 gamma=1");
      svf_buffer numbers = train_leaf(&t, 24);
      svf_leaf_view view = view_of(&t, &numbers);
      assert_true(svf_leaf_ls.valid(&view));
      for (size_t i = 0; i < 3; i++) {
        const float *row = t.frame.x + i * t.frame.stride;
        double score, share, want = (double)i + (heavy == 1 ? 5 : 1.5);
        assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, &score, &share));
        assert_close(score / unit, want, 1e-2);
      }
      svf_buffer_free(&numbers);
      test_ground_close(&t);
    }
}

/* A missing value is the column's fill: the same answer as with that value. */
static void missing_values_are_filled(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", "gamma=1 C=10");
  svf_buffer numbers = train_leaf(&t, 50);
  svf_leaf_view view = view_of(&t, &numbers);
  float x[2][5] = {{.1f, NAN, .3f, .4f, .5f}, {.1f, t.frame.fill[1], .3f, .4f, .5f}};
  const float *row[] = {x[0], x[1]};
  double score[2], share[2];
  assert_true(svf_leaf_ls.predict(&view, row, 2, &t.worker.arena, score, share));
  assert_true(score[0] == score[1] && isfinite(score[0]));
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

/* What a column weighs: the mean size of differences of the answers over a small step, at every row the leaf has; laplace and
 * manhattan have a kink there, which both sides together take away. */
static void slopes_of(int kind) {
  enum { N = 30 };
  char pairs[64];
  snprintf(pairs, sizeof pairs, "%sgamma=1 C=10", kernels[kind]);
  test_ground t;
  test_ground_open(&t, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", pairs);
  svf_buffer numbers = train_leaf(&t, N);
  svf_leaf_view view = view_of(&t, &numbers);
  double sum[5] = {1}, expected[5] = {1};
  svf_leaf_ls.weights(&view, SVF_TAKE(&t.worker.arena, double, 64), sum);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < 5; j++) {
      float x[2][5];
      const float *row[] = {x[0], x[1]};
      double score[2];
      memcpy(x[0], t.frame.x + i * t.frame.stride, sizeof *x);
      memcpy(x[1], x[0], sizeof *x);
      x[0][j] -= 1e-3f, x[1][j] += 1e-3f;
      assert_true(svf_leaf_ls.predict(&view, row, 2, &t.worker.arena, score, NULL));
      expected[j] += fabs(score[1] - score[0]) / ((double)x[1][j] - x[0][j]) / N;
    }
  for (size_t j = 0; j < 5; j++) assert_close(sum[j], expected[j], kind == 2 ? 2e-2 : 1e-3);
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

static void weights_are_slopes(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) slopes_of(kind);
}

static void hostile_numbers_are_not_valid(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", "gamma=1 C=10");
  svf_buffer numbers = train_leaf(&t, 13);
  svf_leaf_view view = view_of(&t, &numbers);
  double *number = (double *)(void *)numbers.data, keep;
  size_t length = view.length, pane = SVF_LS_HEAD + 2 + 14;
  assert_int_equal(length, pane + 16 * 5 / 2);
  assert_true(svf_leaf_ls.valid(&view));
  static const struct {
    size_t place;
    double value;
  } bad[] = {{0, 1},  {0, 2},  {1, 0},  {1, 1},  {1, 5}, {1, .5},    {4, 0},
             {4, -1}, {5, 12}, {5, 14}, {5, 17}, {5, 0}, {5, 1e300}, {4, 1e-170}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    keep = number[bad[i].place];
    number[bad[i].place] = bad[i].value;
    assert_false(svf_leaf_ls.valid(&view));
    number[bad[i].place] = keep;
  }
  for (size_t i = 6; i < 20; i += 13) { /* alpha, bias: each a number, their sum none */
    double two[] = {number[i], number[10]};
    number[i] = -1.5e308, number[10] = 1.5e308;
    assert_false(svf_leaf_ls.valid(&view));
    number[i] = two[0], number[10] = two[1];
  }
  for (view.length = 0; view.length < length; view.length++) assert_false(svf_leaf_ls.valid(&view));
  float *rows = (float *)(void *)(number + pane);
  for (size_t i = 0; i < 80; i += 13) {
    float value = rows[i];
    rows[i] = i % 2 ? NAN : INFINITY;
    assert_false(svf_leaf_ls.valid(&view));
    rows[i] = value;
  }
  assert_true(svf_leaf_ls.valid(&view));
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

/* Any two finite floats side by side make a finite double: what a file may hold. */
static void pairs_of_floats_are_finite_doubles(void **state) {
  (void)state;
  static const float odd[] = {0, -0.f, 1, -3.5f, 3.4028234e38f, -3.4028234e38f, 1e-45f, 1.17549435e-38f};
  for (size_t i = 0; i < 8; i++)
    for (size_t j = 0; j < 8; j++) {
      float pair[] = {odd[i], odd[j]};
      double both;
      memcpy(&both, pair, sizeof both);
      assert_true(isfinite(both));
    }
}

static void a_leaf_that_cannot_fit_is_refused(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++) {
    svf_settings *settings = test_settings("ls-svm", own ? "kernel_memory=1" : "");
    svf_table *table = test_synth("friedman1", 500, 5, 0, 1);
    svf_forest *forest = NULL;
    svf_message message;
    svf_run run = {.threads = 1, .memory_limit = own ? 0 : 3 << 20};
    assert_int_equal(svf_train(settings, table, &run, &forest, &message), SVF_MEMORY);
    assert_non_null(strstr(message.text, "500 rows would need"));
    if (own) assert_non_null(strstr(message.text, "set kernel_memory higher"));
    svf_table_free(table);
    svf_settings_free(settings);
  }
}

/* Widths are shared among threads; the model does not tell. */
static void threads_give_the_same_bytes(void **state) {
  (void)state;
  static const char *const pairs[] = {"", "selection=holdout", "cpu=portable", "kernel=laplace",
                                      "kernel=manhattan cpu=portable"};
  for (int p = 0; p < 5; p++) {
    svf_settings *settings = test_settings("ls-svm", pairs[p]);
    svf_table *table = test_synth("friedman1", 90, 5, 0, 1);
    svf_forest *forest[3];
    size_t size[3];
    const void *bytes[3];
    for (int i = 0; i < 3; i++) {
      svf_message message;
      svf_run run = {.threads = i == 2 ? 8 : i + 1};
      assert_ok(svf_train(settings, table, &run, &forest[i], &message), &message);
      bytes[i] = svf_forest_bytes(forest[i], &size[i]);
      assert_int_equal(size[i], size[0]);
      assert_memory_equal(bytes[i], bytes[0], size[0]);
    }
    for (int i = 0; i < 3; i++) svf_forest_free(forest[i]);
    svf_table_free(table);
    svf_settings_free(settings);
  }
}

static void what_has_no_meaning_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"kernel=poly",
                                      "kernel=chi2",
                                      "leaf_features=quadratic",
                                      "gamma=1 widths=1",
                                      "kernel=linear gamma=1",
                                      "kernel=linear widths=1,2",
                                      "C=1 C_grid=1,2",
                                      "kernel=linear kernel_memory=5"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    svf_settings *settings = test_settings("ls-svm", wrong[i]);
    svf_message message;
    assert_int_equal(svf_settings_check(settings, SVF_TASK_REGRESS, &message), SVF_USAGE);
    svf_settings_free(settings);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes_equal_an_elimination),
                                     cmocka_unit_test(numbers_are_predicted),
                                     cmocka_unit_test(costs_of_any_size),
                                     cmocka_unit_test(missing_values_are_filled),
                                     cmocka_unit_test(weights_are_slopes),
                                     cmocka_unit_test(hostile_numbers_are_not_valid),
                                     cmocka_unit_test(pairs_of_floats_are_finite_doubles),
                                     cmocka_unit_test(a_leaf_that_cannot_fit_is_refused),
                                     cmocka_unit_test(threads_give_the_same_bytes),
                                     cmocka_unit_test(what_has_no_meaning_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
