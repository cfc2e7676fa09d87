/* Linear machines as steps of boosting: the ridge Newton step against a plain solve, left-out errors by refitting, the range of the leaf,
 * hostile numbers, and what a forest of them does. */
#include "leaf/ls_svm.h"
#include "support/ground.h"
#include "support/mixed.h"

extern const svf_leaf svf_leaf_ls;

enum { N = 60, WAY = 3, ERROR = 3 };

static svf_message message;

/* A leaf below cuts of columns 4, 1 and 4 again, and of a category. */
typedef struct rig {
  test_ground t;
  double value[N], weight[N];
  svf_site site[WAY + 2];
  svf_term term[WAY + 1];
  uint32_t rows[N];
} rig;

static void open_rig(rig *r, const char *pairs, bool weights, uint64_t seed) {
  static const uint32_t cuts[] = {4, 1, 4};
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH});
  memset(r, 0, sizeof *r);
  test_ground_open(&r->t, test_synth("friedman1", N, 6, 0, seed), "boost-l", pairs);
  for (size_t i = 0; i < N; i++) {
    const float *x = r->t.frame.x + i * r->t.frame.stride;
    r->value[i] = x[4] - 3 * x[1] + svf_random_normal(&random) / 4;
    r->weight[i] = .1 + svf_random_unit(&random);
    r->rows[i] = (uint32_t)i;
  }
  r->t.frame.value = r->value;
  r->t.frame.weight = weights ? r->weight : NULL;
  r->t.frame.step = true;
  r->t.frame.prior = r->t.settings->leaf_prior;
  for (size_t i = 0; i < WAY + 2; i++) {
    r->site[i] = (svf_site){.up = i ? &r->site[i - 1] : NULL, .depth = i, .rows = r->rows, .n = N};
    if (i > WAY) break;
    r->term[i] = (svf_term){i < WAY ? cuts[i] : 0, 1};
    r->site[i].plane = (svf_plane){.term = &r->term[i], .count = 1, .threshold = i < WAY ? .5F : NAN};
  }
}

static svf_buffer train(rig *r) {
  svf_buffer numbers = {0};
  assert_ok(svf_leaf_ls.train(&r->t.ground, &r->site[WAY + 1], &numbers, &message), &message);
  return numbers;
}

static svf_leaf_view view_of(const rig *r, const svf_buffer *numbers) {
  return (svf_leaf_view){.numbers = (const void *)numbers->data,
                         .length = numbers->size / sizeof(double),
                         .d = r->t.frame.d,
                         .k = 1,
                         .fill = r->t.frame.fill,
                         .la = r->t.ground.la};
}

static double ask(const svf_leaf_view *view, const float *row) {
  svf_arena arena = {0};
  double score, share;
  assert_true(svf_leaf_ls.predict(view, &row, 1, &arena, &score, &share));
  assert_true(score == share);
  svf_arena_free(&arena);
  return score;
}

/* Standardised columns 1 and 4 and a 1: the least of the sum in ls_svm_step.c by elimination; row `out` does not count. */
static void solve(const rig *r, double C, double prior, size_t out, double *at) {
  double z[N][3], a[3][4] = {{0}}, all = 0, mean[2] = {0}, square[2] = {0};
  for (size_t i = 0; i < N; i++) all += r->t.frame.weight ? r->weight[i] : 1;
  for (size_t i = 0; i < N; i++) z[i][2] = (r->t.frame.weight ? r->weight[i] : 1) / all;
  for (int j = 0; j < 2; j++) {
    for (size_t i = 0; i < N; i++) mean[j] += z[i][2] * r->t.frame.x[i * r->t.frame.stride + (j ? 4 : 1)];
    for (size_t i = 0; i < N; i++) z[i][j] = r->t.frame.x[i * r->t.frame.stride + (j ? 4 : 1)] - mean[j];
    for (size_t i = 0; i < N; i++) square[j] += z[i][2] * z[i][j] * z[i][j];
    for (size_t i = 0; i < N; i++) z[i][j] /= sqrt(square[j]);
  }
  for (size_t i = 0; i < N; i++) {
    double c = i == out ? 0 : z[i][2] * all;
    z[i][2] = 1;
    for (int j = 0; j < 3; j++) {
      for (int q = 0; q < 3; q++) a[j][q] += c * z[i][j] * z[i][q];
      a[j][3] += c * z[i][j] * r->value[i];
    }
  }
  for (int j = 0; j < 3; j++) a[j][j] += j < 2 ? 1 / C : prior;
  for (int j = 0; j < 3; j++)
    for (int other = 0; other < 3; other++)
      for (int q = 3; q >= j && other != j; q--) a[other][q] -= a[other][j] / a[j][j] * a[j][q];
  for (size_t i = 0; i < N; i++) {
    at[i] = 0;
    for (int j = 0; j < 3; j++) at[i] += a[j][3] / a[j][j] * z[i][j];
  }
}

static void steps_are_the_least(void **state) {
  (void)state;
  static const char *const costs[] = {"0.001", "0.1", "100"};
  for (int t = 0; t < 6; t++) {
    rig r;
    char pairs[64];
    double plain[N];
    snprintf(pairs, sizeof pairs, "C=%s leaf_prior=%d", costs[t % 3], t);
    open_rig(&r, pairs, t / 3, (uint64_t)t);
    svf_buffer numbers = train(&r);
    svf_leaf_view view = view_of(&r, &numbers);
    assert_true(svf_leaf_ls.valid(&view));
    solve(&r, r.t.settings->C, r.t.frame.prior, N, plain);
    for (size_t i = 0; i < N; i++) assert_close(ask(&view, r.t.frame.x + i * r.t.frame.stride), plain[i], 1e-10);
    svf_buffer_free(&numbers);
    test_ground_close(&r.t);
  }
}

static double left_out(const rig *r, double C) {
  double sum = 0, all = 0, plain[N];
  for (size_t i = 0; i < N; i++) {
    double c = r->t.frame.weight ? r->weight[i] : 1;
    solve(r, C, r->t.frame.prior, i, plain);
    sum += c * (r->value[i] - plain[i]) * (r->value[i] - plain[i]);
    all += c;
  }
  return sum / all;
}

static void left_out_errors_are_those_of_refitting(void **state) {
  (void)state;
  static const double costs[] = {.001, .03, 1};
  for (int t = 0; t < 4; t++) {
    rig r;
    open_rig(&r, "C=0 C_grid=1,0.001,0.03", t % 2, (uint64_t)t);
    for (size_t i = 0; t > 1 && i < N; i++) r.value[i] = cos((double)(i * i)); /* nothing to learn */
    svf_buffer numbers = train(&r);
    svf_leaf_view view = view_of(&r, &numbers);
    double least = left_out(&r, 1e-12), best = 0; /* a constant */
    for (int c = 0; c < 3; c++)
      if (left_out(&r, costs[c]) < least) least = left_out(&r, costs[c]), best = costs[c];
    assert_close(svf_leaf_number(&view, ERROR), least, 1e-9);
    assert_true(svf_leaf_number(&view, 2) == best);
    svf_buffer_free(&numbers);
    test_ground_close(&r.t);
  }
}

/* Beyond the leaf's range a feature counts as the end of it; a missing one as what stands for it. */
static void no_answer_goes_further_than_the_rows(void **state) {
  (void)state;
  rig r;
  float ends[2][8] = {{0}}, far[8] = {0};
  open_rig(&r, "C=1", false, 1);
  svf_buffer numbers = train(&r);
  svf_leaf_view view = view_of(&r, &numbers);
  for (size_t j = 0; j < r.t.frame.d; j++) {
    ends[0][j] = INFINITY, ends[1][j] = -INFINITY;
    for (size_t i = 0; i < N; i++) {
      ends[0][j] = fminf(ends[0][j], r.t.frame.x[i * r.t.frame.stride + j]);
      ends[1][j] = fmaxf(ends[1][j], r.t.frame.x[i * r.t.frame.stride + j]);
    }
  }
  far[1] = -1e6F, far[4] = 1e6F;
  ends[0][4] = ends[1][4];
  assert_true(ask(&view, far) == ask(&view, ends[0]));
  memcpy(far, r.t.frame.x, r.t.frame.d * sizeof *far);
  memcpy(ends[0], far, sizeof far);
  far[1] = NAN, ends[0][1] = r.t.frame.fill[1];
  assert_true(ask(&view, far) == ask(&view, ends[0]));
  svf_buffer_free(&numbers);
  test_ground_close(&r.t);
}

/* One number of a leaf is changed. */
static bool stays_valid(const svf_leaf_view *view, size_t at, double value, size_t length) {
  double numbers[32];
  svf_leaf_view changed = *view;
  for (size_t i = 0; i < view->length; i++) numbers[i] = view->numbers[i];
  numbers[at] = value;
  changed.numbers = numbers;
  changed.length = length;
  return svf_leaf_ls.valid(&changed);
}

static void hostile_numbers_are_refused(void **state) {
  (void)state;
  rig r;
  open_rig(&r, "C=1", false, 1);
  svf_buffer numbers = train(&r);
  svf_leaf_view view = view_of(&r, &numbers);
  size_t n = view.length;
  assert_int_equal(n, 4 + 2 * SVF_LS_STEP_EACH + 1);
  assert_true(stays_valid(&view, 7, 1e300, n));
  assert_false(stays_valid(&view, 7, 1, n - 1));
  assert_false(stays_valid(&view, 0, 1, n));                   /* one class */
  assert_false(stays_valid(&view, 4, .5, n));                  /* no column */
  assert_false(stays_valid(&view, 4, -1, n));                  /* before the first */
  assert_false(stays_valid(&view, 4, 4, n));                   /* that of the next feature */
  assert_false(stays_valid(&view, 8, (double)view.d, n));      /* behind the last */
  assert_false(stays_valid(&view, 5, view.numbers[6] + 1, n)); /* an empty range */
  assert_false(stays_valid(&view, 5, NAN, n));
  svf_buffer_free(&numbers);
  test_ground_close(&r.t);
}

static void huge_weights_have_finite_sums(void **state) {
  (void)state;
  double numbers[] = {0, SVF_LS_STEP, 1, 0, 0, -1e6, 1e6, 1.5e308, 1, -1e6, 1e6, -1.5e308, 1.5e308};
  float fill[2] = {0}, row[2] = {1, 1};
  svf_leaf_view view = {.numbers = numbers, .length = 13, .d = 2, .k = 1, .fill = fill};
  assert_true(svf_leaf_ls.valid(&view));
  assert_close(ask(&view, row), 1.5e308, 1e-12);
}

static void the_training_loss_never_rises(void **state) {
  (void)state;
  mixed m = {400, 0, true, true, 11};
  svf_table *table = test_mixed(&m);
  const double *y = svf_table_values(table), *w = svf_table_weights(table);
  for (int one = 0; one < 2; one++) {
    svf_forest *forest =
        test_train("boost-l", one ? "trees=30 stop_rounds=0 learning_rate=1" : "trees=30 stop_rounds=0", table, 2);
    double *stage = calloc(400 * 30, sizeof *stage), before = INFINITY;
    svf_stages out = {.values = stage};
    assert_ok(svf_predict_stages(forest, table, NULL, &out, &message), &message);
    for (size_t t = 0; t < 30; t++) {
      double loss = 0;
      for (size_t i = 0; i < 400; i++) loss += w[i] * (stage[i * 30 + t] - y[i]) * (stage[i * 30 + t] - y[i]);
      assert_true(loss <= before * (1 + 1e-12));
      before = loss;
    }
    free(stage);
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

static void threads_do_not_show(void **state) {
  (void)state;
  for (size_t classes = 0; classes <= 3; classes += 3) {
    mixed m = {3000, classes, true, classes == 0, 5};
    svf_table *table = test_mixed(&m);
    svf_forest *first = test_train("boost-l", "trees=4 stop_rounds=2 rows=subsample", table, 1);
    size_t size, other;
    const void *bytes = svf_forest_bytes(first, &size);
    for (int threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
      svf_forest *forest = test_train("boost-l", "trees=4 stop_rounds=2 rows=subsample", table, threads);
      const void *again = svf_forest_bytes(forest, &other);
      assert_int_equal(size, other);
      assert_memory_equal(bytes, again, size);
      svf_forest_free(forest);
      if (threads == 8) break;
    }
    svf_forest_free(first);
    svf_table_free(table);
  }
}

/* A plane has one leaf, and a few rounds find it. */
static void smooth_answers_take_few_rounds(void **state) {
  (void)state;
  enum { ROWS = 400, ROUNDS = 30 };
  double x[2 * ROWS], y[ROWS];
  svf_random random = svf_random_at((svf_place){.seed = 1, .use = SVF_USE_SYNTH});
  for (size_t i = 0; i < ROWS; i++) {
    x[2 * i] = svf_random_unit(&random), x[2 * i + 1] = svf_random_unit(&random);
    y[i] = 3 * x[2 * i] - 2 * x[2 * i + 1];
  }
  svf_table *table;
  svf_matrix matrix = {.values = x, .rows = ROWS, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_values(table, y, &message), &message);
  double error[2];
  for (int linear = 0; linear < 2; linear++) {
    svf_forest *forest = test_train(linear ? "boost-l" : "boost",
                                    "trees=30 stop_rounds=0 learning_rate=0.3 tree_features=1", table, 2);
    error[linear] = test_result(forest, table);
    svf_forest_free(forest);
  }
  assert_true(error[1] < error[0] / 10);
  svf_table_free(table);
}

static void refused(const char *pairs, svf_task task, const char *why) {
  svf_settings *settings = test_settings("boost-l", pairs);
  assert_int_equal(svf_settings_check(settings, task, &message), SVF_USAGE);
  if (!strstr(message.text, why)) fail_msg("%s", message.text);
  svf_settings_free(settings);
}

static void reasons(void **state) {
  (void)state;
  refused("kernel=rbf", SVF_TASK_CLASS, "use kernel=linear");
  refused("leaf_features=quadratic", SVF_TASK_CLASS, "leaf_features=linear");
  refused("selection=holdout", SVF_TASK_CLASS, "by leave-one-out");
  refused("boost_loss=absolute", SVF_TASK_REGRESS, "use leaf=constant, or boost_loss=huber");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_the_least),
      cmocka_unit_test(left_out_errors_are_those_of_refitting),
      cmocka_unit_test(no_answer_goes_further_than_the_rows),
      cmocka_unit_test(hostile_numbers_are_refused),
      cmocka_unit_test(huge_weights_have_finite_sums),
      cmocka_unit_test(the_training_loss_never_rises),
      cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(smooth_answers_take_few_rounds),
      cmocka_unit_test(reasons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
