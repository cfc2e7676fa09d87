/* The kernel leaf: scores recomputed from its numbers, weights folded from support vectors, classes that are absent,
 * choices, hostile numbers, data that a kernel cannot take. */
#include "leaf/kernel_svm.h"
#include "support/forest.h"
#include "support/ground.h"

extern const svf_leaf svf_leaf_kernel;

static svf_message message;

static void prepare(test_ground *t) {
  void *shared = NULL;
  assert_ok(svf_leaf_kernel.prepare(&t->frame, t->settings, &t->arena, &shared, &message), &message);
  t->ground.shared = shared;
}

static svf_buffer train_leaf(test_ground *t) {
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n};
  svf_buffer numbers = {0};
  prepare(t);
  assert_ok(svf_leaf_kernel.train(&t->ground, &site, &numbers, &message), &message);
  return numbers;
}

static svf_leaf_view view_of(const test_ground *t, const svf_buffer *numbers) {
  return (svf_leaf_view){(const double *)numbers->data,
                         numbers->size / sizeof(double),
                         t->frame.d,
                         t->frame.k,
                         t->frame.fill,
                         svf_la_choose(false),
                         NULL,
                         NULL};
}

static double kernel_of(const double *head, size_t d, const double *z, const float *x) {
  double dot = 0, distance = 0, chi = 0;
  for (size_t j = 0; j < d; j++) {
    dot += x[j] * z[j];
    distance += (x[j] - z[j]) * (x[j] - z[j]);
    if (x[j] + z[j] > 0) chi += (x[j] - z[j]) * (x[j] - z[j]) / (x[j] + z[j]);
  }
  switch ((int)head[SVF_KL_KERNEL]) {
  case SVF_KERNEL_LINEAR:
    return dot;
  case SVF_KERNEL_POLY:
    return pow(head[SVF_KL_GAMMA] * dot + head[SVF_KL_COEF0], head[SVF_KL_DEGREE]);
  case SVF_KERNEL_RBF:
    return exp(-head[SVF_KL_GAMMA] * distance);
  default:
    return exp(-head[SVF_KL_GAMMA] * chi);
  }
}

/* The machines from the numbers as kernel.h has them, m classes that are all there. */
static void naive_scores(const svf_leaf_view *view, const float *x, double *score) {
  const double *head = view->numbers, *count = head + SVF_KL_HEAD + 3 * view->k;
  size_t m = view->k, V = (size_t)head[SVF_KL_VECTORS], a = 0;
  bool pairs = head[SVF_KL_SCHEME] == SVF_ONE_VS_ONE;
  size_t machines = pairs ? m * (m - 1) / 2 : m == 2 ? 1 : m, each = pairs ? m - 1 : machines;
  const double *bias = count + m, *coefficient = bias + machines, *vector = coefficient + V * each;
  double machine[16];
  for (size_t p = 0; p < (pairs ? m : machines); p++)
    for (size_t q = pairs ? p + 1 : 0; q < (pairs ? m : 1); q++, a++) {
      double sum = bias[a];
      for (size_t c = 0, v = 0; c < m; c++)
        for (size_t end = v + (size_t)count[c]; v < end; v++) {
          double K = kernel_of(head, view->d, vector + v * view->d, x);
          if (!pairs) sum += coefficient[v * each + a] * K;
          else if (c == p) sum += coefficient[v * each + q - 1] * K;
          else if (c == q) sum += coefficient[v * each + p] * K;
        }
      machine[a] = sum;
    }
  svf_class_scores(pairs ? SVF_ONE_VS_ONE : SVF_ONE_VS_REST, m, machine, score);
}

static void scores_follow_from_the_numbers(void **state) {
  (void)state;
  static const char *const pairs[] = {
      "kernel=rbf C=1",
      "kernel=rbf C=10 multiclass=one-vs-rest",
      "kernel=poly degrees=5 gamma=0.5 C=1",
      "kernel=chi2 scale=unit C=10 folds=0",
      "kernel=poly degrees=4 coef0=0 gamma=0.5 C=1 multiclass=one-vs-rest rest_weight=class class_weight=balanced",
  };
  for (size_t classes = 2; classes < 5; classes++)
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
      test_ground t;
      test_ground_open(&t, test_synth("classification", 90, 4, classes, 1), "rbf-svm", pairs[p]);
      svf_buffer numbers = train_leaf(&t);
      svf_leaf_view view = view_of(&t, &numbers);
      assert_true(svf_leaf_kernel.valid(&view));
      assert_true(view.numbers[SVF_KL_FORM] == SVF_FORM_VECTORS);
      if (!(svf_leaf_kernel.gap(&view) <= 1e-3))
        fail_msg("gap %g: %s, %zu classes", svf_leaf_kernel.gap(&view), pairs[p], classes);
      for (size_t i = 0; i < 90; i++) {
        const float *row = t.frame.x + i * t.frame.stride;
        double score[4], share[4], expected[4], sum = 0;
        assert_true(svf_leaf_kernel.predict(&view, &row, 1, &t.worker.arena, score, share));
        naive_scores(&view, row, expected);
        for (size_t c = 0; c < classes; c++) {
          assert_close(score[c], expected[c], 1e-9);
          assert_true(share[c] >= 0 && share[c] <= 1);
          sum += share[c];
        }
        assert_close(sum, 1, 1e-12);
      }
      svf_buffer_free(&numbers);
      test_ground_close(&t);
    }
}

/* A kernel is the product of its monomials. */
static void monomials_make_the_kernel(void **state) {
  (void)state;
  svf_arena arena = {0};
  svf_random random = svf_random_at((svf_place){.seed = 3, .use = SVF_USE_SYNTH});
  for (unsigned degree = 1; degree <= SVF_MOST_FOLDED; degree++)
    for (size_t d = 1; d < 6; d++) {
      svf_kernel kernel = {SVF_KERNEL_POLY, .7, 1.3, degree};
      svf_monomials m;
      float x[8], z[8];
      double a[100], b[100], sum = 0, dot = 0;
      assert_true(svf_monomials_open(&m, &kernel, d, &arena));
      for (size_t j = 0; j < d; j++) {
        x[j] = (float)svf_random_normal(&random), z[j] = (float)svf_random_normal(&random);
        dot += (double)x[j] * (double)z[j];
      }
      svf_monomials_value(&m, x, a);
      svf_monomials_value(&m, z, b);
      for (size_t q = 0; q < m.count; q++) sum += m.scale[q] * a[q] * b[q];
      assert_close(sum, pow(.7 * dot + 1.3, degree), 1e-10);
    }
  assert_true(svf_monomial_count(2, 3) == 10 && svf_monomial_count(256, 2) == 33153);
  assert_true(isinf(svf_monomial_count(100000, 30)));
  svf_arena_free(&arena);
}

/* Weights say what the support vectors would have said: the same forest from a larger set, whose vectors are many, and
 * machines asked through the set itself. */
static void weights_are_folded_vectors(void **state) {
  (void)state;
  static const char *const kernels[] = {"kernel=linear", "kernel=poly degrees=2", "kernel=poly degrees=3"};
  for (size_t q = 0; q < 3; q++) {
    char pairs[80];
    snprintf(pairs, sizeof pairs, "%s C=0.1 tolerance=1e-8 max_steps=100000", kernels[q]);
    test_ground t;
    test_ground_open(&t, test_synth("classification", 300, 3, 3, 4), "rbf-svm", pairs);
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    assert_true(view.numbers[SVF_KL_FORM] == SVF_FORM_WEIGHTS && svf_leaf_kernel.valid(&view));
    svf_kernel kernel = {q ? SVF_KERNEL_POLY : SVF_KERNEL_LINEAR, view.numbers[SVF_KL_GAMMA], 1,
                         q ? (unsigned)q + 1 : 1};
    const float *row[300];
    for (size_t i = 0; i < 300; i++) row[i] = t.frame.x + i * t.frame.stride;
    svf_kernel_problem problem = {
        .n = 300,
        .d = 3,
        .row = row,
        .label = t.frame.label,
        .m = 3,
        .scheme = SVF_ONE_VS_ONE,
        .solver = {.la = t.ground.la, .tolerance = 1e-8, .max_steps = 100000, .arena = &t.arena}};
    svf_kernel_set set;
    svf_kernel_machines machines;
    double own[900];
    assert_true(svf_kernel_open(&set, &problem) && svf_kernel_take(&set, &kernel));
    assert_true(svf_kernel_train(&set, .1, &machines) && svf_kernel_ask(&set, &machines, own));
    for (size_t i = 0; i < 300; i++) {
      double score[3];
      assert_true(svf_leaf_kernel.predict(&view, &row[set.order[i]], 1, &t.worker.arena, score, NULL));
      for (size_t c = 0; c < 3; c++) assert_true(fabs(score[c] - own[3 * i + c]) < 1e-4);
    }
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* A leaf without some of the classes gives them no share; one with a single class is sure of it. */
static void absent_classes(void **state) {
  (void)state;
  for (int32_t present = 1; present < 3; present++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 60, 4, 4, 1), "rbf-svm", "C=1");
    for (size_t i = 0; i < 60; i++) ((int32_t *)t.frame.label)[i] = (int32_t)i % present == 1 ? 3 : 1;
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    assert_true(svf_leaf_kernel.valid(&view));
    const float *row = t.frame.x;
    double score[4], share[4];
    assert_true(svf_leaf_kernel.predict(&view, &row, 1, &t.worker.arena, score, share));
    assert_true(share[0] == 0 && share[2] == 0 && score[0] <= -1 && score[2] <= -1);
    assert_close(share[1] + share[3], 1, 1e-12);
    if (present == 1) assert_true(score[1] == 1 && share[1] == 1);
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* Two rings: a plane is of no use, a circle is; whoever chooses must take the circle. */
static void choices(void **state) {
  (void)state;
  static const char *const pairs[] = {
      "kernel=poly degrees=1,2 kernel_choice=leaf", "kernel=poly degrees=1,2 kernel_choice=forest",
      "kernel=mixed degrees=2 kernel_choice=forest C_choice=forest", "kernel=poly degrees=1,2 kernel_choice=random"};
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    svf_table *table = test_synth("rings", 200, 2, 2, 5);
    svf_forest *forest = test_train("rbf-svm", pairs[p], table, 2);
    char text[200];
    assert_true(svf_forest_leaf_text(forest, 0, 0, text, sizeof text) > 0);
    bool line = strstr(text, "degree 1") || strstr(text, "linear");
    if (p < 3) assert_false(line);
    if (p < 3) assert_true(test_result(forest, table) > .8);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* Every number in turn is spoilt: what is still accepted must be safe to use. */
static void hostile_numbers(void **state) {
  (void)state;
  static const double bad[] = {-1, 0, .5, 1, 2, 3, 1e6, 1e15, 1e300};
  static const char *const pairs[] = {"kernel=rbf C=1", "kernel=poly degrees=2 C=0.01"};
  for (size_t p = 0; p < 2; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 40, 3, 3, 6), "rbf-svm", pairs[p]);
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    double *number = (double *)(void *)numbers.data, score[3], share[3];
    const float *row = t.frame.x;
    size_t refused = 0;
    for (size_t i = 0; i < view.length; i++)
      for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        double kept = number[i];
        number[i] = bad[b];
        if (!svf_leaf_kernel.valid(&view)) refused++;
        else assert_true(svf_leaf_kernel.predict(&view, &row, 1, &t.worker.arena, score, share));
        number[i] = kept;
      }
    assert_true(refused > 40);
    for (view.length = 0; view.length < numbers.size / sizeof(double); view.length++)
      assert_false(svf_leaf_kernel.valid(&view));
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

static void refuse(const char *pairs, svf_table *table, const char *word) {
  svf_settings *settings = test_settings("chi2-svm", pairs);
  svf_forest *forest = NULL;
  assert_int_not_equal(svf_train(settings, table, NULL, &forest, &message), SVF_OK);
  if (!strstr(message.text, word)) fail_msg("%s", message.text);
  svf_settings_free(settings);
}

static void data_that_do_not_fit(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 50, 3, 2, 1), *numbers = test_synth("friedman1", 50, 5, 0, 1);
  refuse("scale=none", table, "negative");
  refuse("scale=standard", table, "use scale=unit");
  refuse("", numbers, "classifies");
  refuse("kernel=precomputed", table, "scale=none");
  refuse("kernel=precomputed scale=none", table, "similarity");
  refuse("kernel=poly degrees=1.5", table, "whole");
  refuse("multiclass=crammer-singer", table, "one-vs-one");
  refuse("C=1 folds=0 gamma_factors=1,2", table, "folds");
  refuse("degrees=2", table, "degrees");
  svf_forest_free(test_train("chi2-svm", "C=1", table, 1)); /* [0,1] is not negative */
  svf_table_free(table);
  svf_table_free(numbers);
}

/* Kernel values beyond all numbers are not solved, and that is counted. */
static void what_overflows_is_not_solved(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 60, 4, 3, 1);
  svf_forest *forest = test_train("poly-svm", "degrees=30 gamma=1e12 C=1", table, 1);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  assert_true(info.unconverged == 1 && info.worst_gap > .99);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* A table of similarities with one of them changed. */
static void refuse_matrix(double *x, size_t n, double wrong, const svf_table *like, const char *words) {
  const char *names[] = {"a", "b", "c"};
  double right = x[2 * n + 5];
  svf_table *matrix;
  svf_matrix values = {.values = x, .rows = n, .columns = n, .row_stride = n, .column_stride = 1};
  x[2 * n + 5] = wrong;
  assert_ok(svf_table_new(&values, NULL, &matrix, &message), &message);
  assert_ok(svf_table_set_classes(matrix, svf_table_labels(like), names, 3, &message), &message);
  refuse("kernel=precomputed scale=none", matrix, words);
  svf_table_free(matrix);
  x[2 * n + 5] = right;
}

/* A table of similarities trains the machine that the kernel itself trains. */
static void precomputed(void **state) {
  (void)state;
  enum { N = 80, D = 3 };
  svf_table *table = test_synth("classification", N, D, 3, 9), *matrix = NULL;
  double *x = calloc(N * N, sizeof *x), value[2][N];
  const char *names[] = {"a", "b", "c"};
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      double distance = 0;
      for (size_t k = 0; k < D; k++)
        distance += pow(svf_table_number(table, i, k) - svf_table_number(table, j, k), 2);
      x[i * N + j] = exp(-.5 * distance);
    }
  svf_matrix values = {.values = x, .rows = N, .columns = N, .row_stride = N, .column_stride = 1};
  assert_ok(svf_table_new(&values, NULL, &matrix, &message), &message);
  assert_ok(svf_table_set_classes(matrix, svf_table_labels(table), names, 3, &message), &message);
  svf_forest *one = test_train("rbf-svm", "scale=none gamma=0.5 C=1", table, 1);
  svf_forest *two = test_train("rbf-svm", "scale=none kernel=precomputed C=1", matrix, 1);
  svf_prediction out = {.values = value[0]}, other = {.values = value[1]};
  assert_ok(svf_predict(one, table, NULL, &out, &message), &message);
  assert_ok(svf_predict(two, matrix, NULL, &other, &message), &message);
  size_t differ = 0;
  for (size_t i = 0; i < N; i++) differ += value[0][i] != value[1][i];
  assert_true(differ <= 1);
  refuse_matrix(x, N, x[2 * N + 5] + .1, table, "column 3 of row 6");
  refuse_matrix(x, N, NAN, table, "column 6 of row 3 is missing");
  svf_forest_free(one);
  svf_forest_free(two);
  svf_table_free(table);
  svf_table_free(matrix);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_follow_from_the_numbers),
      cmocka_unit_test(monomials_make_the_kernel),
      cmocka_unit_test(weights_are_folded_vectors),
      cmocka_unit_test(absent_classes),
      cmocka_unit_test(choices),
      cmocka_unit_test(hostile_numbers),
      cmocka_unit_test(data_that_do_not_fit),
      cmocka_unit_test(precomputed),
      cmocka_unit_test(what_overflows_is_not_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
