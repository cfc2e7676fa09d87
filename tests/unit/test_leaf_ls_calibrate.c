/* Calibrated least-squares leaves: curves against refits without each row, probabilities from the numbers, what files may not
 * hold. */
#include "support/ls_leaf.h"
#include "svm/solver.h"

enum { N = 36 };

static const char *const kinds[] = {"kernel=linear", "kernel=rbf gamma=1", "kernel=laplace gamma=1 precision=single"};

static void open_ground(test_ground *t, size_t k, const char *pairs, bool weighed) {
  svf_table *table = test_synth("classification", MOST, 4, k, 3);
  svf_message message;
  double weight[MOST];
  for (size_t i = 0; i < MOST; i++) weight[i] = .01 * (double)(1 + i % 3);
  if (weighed) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  test_ground_open(t, table, "ls-svm", pairs);
}

/* Scores of all classes for row i, from a leaf that was trained without it. */
static void left_out(test_ground *t, size_t i, double *score) {
  uint32_t rows[N];
  const float *row = t->frame.x + i * t->frame.stride;
  for (uint32_t r = 0; r < N - 1; r++) rows[r] = r + (r >= i);
  svf_buffer numbers = train_on(t, rows, N - 1);
  svf_leaf_view view = view_of(t, &numbers);
  float single[2000];
  for (size_t j = 0; j < view.length; j++) single[j] = (float)view.numbers[j];
  if (t->settings->precision == SVF_PRECISION_SINGLE) view.numbers = NULL, view.singles = single;
  assert_true(svf_leaf_ls.predict(&view, &row, 1, &t->worker.arena, score, NULL));
  svf_buffer_free(&numbers);
}

/* Log-loss of several classes by t and r. */
static double loss_of(const test_ground *t, size_t k, double score[4][N], const double *weight, double at,
                      double power) {
  double loss = 0;
  for (size_t i = 0; i < N; i++) {
    double sum = 0, own = 0;
    for (size_t c = 0; c < k; c++) {
      double p = pow(fmax(0, score[c][i] / 2 + .5) + 1. / (double)(N + k), power) * exp(at * score[c][i]);
      sum += p;
      if (t->frame.label[i] == (int32_t)c) own = p;
    }
    loss += weight[i] * log(sum / own);
  }
  return loss;
}

/* No other t and r nearby, or on a coarse grid, have less. */
static void check_least(const test_ground *t, size_t k, double score[4][N], const double *weight,
                        const double *curve) {
  double least = loss_of(t, k, score, weight, curve[0], curve[1]);
  for (int i = 0; i < 41; i++)
    for (int j = 0; j < 21; j++) assert_true(loss_of(t, k, score, weight, i, .5 * j) > least - 1e-4 * N);
}

static void curves_of(size_t k, int kind, bool weighed) {
  char pairs[96];
  test_ground t;
  double score[4][N], all[4], unit[N], a, b;
  unsigned char hit[N];
  snprintf(pairs, sizeof pairs, "C=3 calibration=logistic %s", kinds[kind]);
  open_ground(&t, k, pairs, weighed);
  for (size_t i = 0; i < N; i++) {
    left_out(&t, i, all);
    for (size_t c = 0; c < k; c++) score[c][i] = all[c];
    unit[i] = weighed ? (double)(1 + i % 3) / 2 : 1;
  }
  svf_buffer numbers = train_leaf(&t, N);
  const double *number = (const double *)(const void *)numbers.data;
  size_t at = SVF_LS_HEAD + k;
  assert_true(number[SVF_LS_FORM] >= SVF_LS_FORMS && number[at] == N);
  double close = kind == 2 ? 1e-3 : 1e-5;
  for (size_t i = 0; i < N; i++) hit[i] = t.frame.label[i] == 1;
  svf_calibrate(t.ground.la, N, score[1], hit, unit, &a, &b);
  if (k == 2) assert_close(number[at + 1], a, close);
  if (k == 2) assert_close(number[at + 2], b, close);
  if (k > 2) check_least(&t, k, score, unit, number + at + 1);
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

static void curves_are_those_of_rows_left_out(void **state) {
  (void)state;
  for (size_t k = 2; k < 5; k++)
    for (int kind = 0; kind < 3; kind++) curves_of(k, kind, k == 3);
}

/* From scores and numbers, as the comment of ls_svm_calibrate.c has it; they add up to 1 and none is 0. */
static void probabilities_of(size_t k, size_t m) {
  test_ground t;
  uint32_t rows[N];
  size_t n = 0;
  open_ground(&t, k, "C=3 kernel=rbf gamma=1 calibration=logistic", false);
  for (uint32_t i = 0; i < MOST && n < 20; i++)
    if (t.frame.label[i] >= (int32_t)(k - m)) rows[n++] = i;
  svf_buffer numbers = train_on(&t, rows, n);
  svf_leaf_view view = view_of(&t, &numbers);
  assert_true(svf_leaf_ls.valid(&view));
  const double *curve = view.numbers + SVF_LS_HEAD + m + 1;
  for (size_t i = 0; i < MOST; i++) {
    const float *row = t.frame.x + i * t.frame.stride;
    double score[4], share[4], p[4] = {0}, sum = 0, all = 0;
    assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, score, share));
    for (size_t c = k - m; c < k; c++) {
      double q = fmax(0, score[c] / 2 + .5) + 1. / (double)(n + m);
      sum += p[c] = m == 1 ? 1 : pow(q, curve[1]) * exp(curve[0] * score[c]);
    }
    if (m == 2) sum = 1, p[k - 1] = 1 / (1 + exp(curve[0] * score[k - 1] + curve[1])), p[k - 2] = 1 - p[k - 1];
    for (size_t c = 0; c < k; c++) {
      assert_close(share[c], ((double)n * p[c] / sum + 1 / (double)k) / ((double)n + 1), 1e-12);
      assert_true(share[c] > 0);
      all += share[c];
    }
    assert_close(all, 1, 1e-12);
  }
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

static void probabilities_follow_the_formula(void **state) {
  (void)state;
  for (size_t k = 2; k < 5; k++)
    for (size_t m = 1; m <= k; m++) probabilities_of(k, m);
}

/* Scores, and the numbers of a regression, are those of a leaf that is not calibrated. */
static void nothing_else_changes(void **state) {
  (void)state;
  test_ground plain, calibrated;
  open_ground(&plain, 3, "kernel=rbf", false), open_ground(&calibrated, 3, "kernel=rbf calibration=logistic", false);
  svf_buffer one = train_leaf(&plain, N), two = train_leaf(&calibrated, N);
  svf_leaf_view a = view_of(&plain, &one), b = view_of(&calibrated, &two);
  for (size_t i = 0; i < MOST; i++) {
    const float *row = plain.frame.x + i * plain.frame.stride;
    double score[2][3];
    assert_true(svf_leaf_ls.predict(&a, &row, 1, &plain.worker.arena, score[0], NULL));
    assert_true(svf_leaf_ls.predict(&b, &row, 1, &plain.worker.arena, score[1], NULL));
    assert_memory_equal(score[0], score[1], sizeof *score);
  }
  svf_buffer_free(&one), svf_buffer_free(&two);
  test_ground_close(&plain), test_ground_close(&calibrated);
  test_ground_open(&plain, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", "");
  test_ground_open(&calibrated, test_synth("friedman1", MOST, 5, 0, 2), "ls-svm", "calibration=logistic");
  one = train_leaf(&plain, N), two = train_leaf(&calibrated, N);
  assert_int_equal(one.size, two.size);
  assert_memory_equal(one.data, two.data, one.size);
  svf_buffer_free(&one), svf_buffer_free(&two);
  test_ground_close(&plain), test_ground_close(&calibrated);
}

static void hostile_numbers(void **state) {
  (void)state;
  static const struct {
    size_t place;
    double value;
    bool fine;
  } spoilt[] = {{SVF_LS_FORM, 2 * SVF_LS_FORMS, false},
                {SVF_LS_FORM, SVF_LS_RBF, false},
                {SVF_LS_CLASSES, 0, false},
                {SVF_LS_CLASSES, 2, false},
                {SVF_LS_HEAD + 3, -1, false},
                {SVF_LS_HEAD + 3, 0, true},
                {SVF_LS_HEAD + 3, 1e300, true},
                {SVF_LS_HEAD + 4, 1e308, false},
                {SVF_LS_HEAD + 4, -1e-9, false}};
  test_ground t;
  open_ground(&t, 3, "C=3 kernel=rbf gamma=1 calibration=logistic", false);
  svf_buffer numbers = train_leaf(&t, N);
  svf_leaf_view view = view_of(&t, &numbers);
  double *number = (double *)(void *)numbers.data;
  const float *row = t.frame.x;
  for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
    double keep = number[spoilt[i].place], score[3], share[3];
    number[spoilt[i].place] = spoilt[i].value;
    assert_int_equal(svf_leaf_ls.valid(&view), spoilt[i].fine);
    if (spoilt[i].fine) {
      assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, score, share));
      assert_close(share[0] + share[1] + share[2], 1, 1e-9);
    }
    number[spoilt[i].place] = keep;
  }
  for (size_t length = view.length; view.length-- > 0;) {
    assert_false(svf_leaf_ls.valid(&view));
    if (view.length + 40 < length && view.length > 40) view.length -= 20;
  }
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

/* One row of each class, equal rows of other classes: finite probabilities. */
static void odd_leaves(void **state) {
  (void)state;
  static const char *const pairs[] = {"kernel=linear calibration=logistic", "kernel=rbf calibration=logistic",
                                      "kernel=rbf C=1e12 selection=holdout calibration=logistic"};
  for (int p = 0; p < 3; p++)
    for (size_t n = 2; n < 12; n++) {
      double x[12], label[12];
      svf_table *table = NULL;
      svf_message message;
      for (size_t i = 0; i < n; i++) x[i] = (double)(i % 2), label[i] = (double)(i % (n < 5 ? n : 3));
      assert_ok(svf_table_new(&(svf_matrix){x, 0, n, 1, 1, 1}, NULL, &table, &message), &message);
      char text[12][8];
      const char *names[12];
      int32_t code[12];
      size_t k = n < 5 ? n : 3;
      for (size_t c = 0; c < k; c++) snprintf(text[c], sizeof *text, "c%zu", c), names[c] = text[c];
      for (size_t i = 0; i < n; i++) code[i] = (int32_t)label[i];
      assert_ok(svf_table_set_classes(table, code, names, k, &message), &message);
      test_ground t;
      test_ground_open(&t, table, "ls-svm", pairs[p]);
      svf_buffer numbers = train_leaf(&t, n);
      svf_leaf_view view = view_of(&t, &numbers);
      assert_true(svf_leaf_ls.valid(&view));
      for (size_t i = 0; i < n; i++) {
        const float *row = t.frame.x + i * t.frame.stride;
        double score[4], share[4], sum = 0;
        assert_true(svf_leaf_ls.predict(&view, &row, 1, &t.worker.arena, score, share));
        for (size_t c = 0; c < k; c++) sum += share[c];
        assert_close(sum, 1, 1e-12);
      }
      svf_buffer_free(&numbers);
      test_ground_close(&t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_are_those_of_rows_left_out), cmocka_unit_test(probabilities_follow_the_formula),
      cmocka_unit_test(nothing_else_changes), cmocka_unit_test(hostile_numbers), cmocka_unit_test(odd_leaves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
