/* The linear leaf: scores recomputed from its numbers, classes that are absent, hostile numbers, choice of C for each
 * scheme. */
#include "support/ground.h"

extern const svf_leaf svf_leaf_linear;

enum { HEAD = 5 }; /* m, scheme, C, gap, held-out accuracy */

static svf_buffer train_leaf(test_ground *t) {
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n};
  svf_buffer numbers = {0};
  svf_message message;
  assert_ok(svf_leaf_linear.train(&t->ground, &site, &numbers, &message), &message);
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

static void scores_follow_from_the_numbers(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 200, 5, 3, 1), "rsvt", "");
  svf_buffer numbers = train_leaf(&t);
  svf_leaf_view view = view_of(&t, &numbers);
  assert_true(svf_leaf_linear.valid(&view));
  assert_int_equal(view.length, HEAD + 3 + 6 + 3 * 6);
  const double *w = view.numbers + HEAD + 3 + 6;
  for (size_t i = 0; i < 200; i++) {
    const float *row = t.frame.x + i * t.frame.stride;
    double score[3], share[3], sum = 0;
    assert_true(svf_leaf_linear.predict(&view, &row, 1, &t.worker.arena, score, share));
    for (size_t c = 0; c < 3; c++) {
      double expected = w[c * 6 + 5];
      for (size_t j = 0; j < 5; j++) expected += w[c * 6 + j] * row[j];
      assert_close(score[c], expected, 1e-12);
      sum += share[c];
    }
    assert_close(sum, 1, 1e-12);
  }
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

/* With two classes every scheme and loss is about the same machine, so none may choose C by errors instead of hits.
 */
static void every_scheme_learns(void **state) {
  (void)state;
  static const char *const pairs[] = {"multiclass=one-vs-rest",
                                      "multiclass=one-vs-one",
                                      "multiclass=crammer-singer",
                                      "loss=hinge",
                                      "multiclass=one-vs-one loss=hinge",
                                      "C_draws=7",
                                      "bias=no scale=standard"};
  for (size_t classes = 2; classes < 4; classes++)
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
      test_ground t;
      test_ground_open(&t, test_synth("twonorm", 150, 4, 0, 2), "rsvt", pairs[p]);
      if (classes == 3) { /* a third class above all others in the first feature */
        for (size_t i = 0; i < 50; i++) ((int32_t *)t.frame.label)[i] = 2, t.frame.x[i * t.frame.stride] += 3;
        t.frame.k = 3;
      }
      svf_buffer numbers = train_leaf(&t);
      svf_leaf_view view = view_of(&t, &numbers);
      assert_true(svf_leaf_linear.valid(&view));
      assert_true(view.numbers[4] > .8);
      assert_true(svf_leaf_linear.gap(&view) <= 1e-6);
      svf_buffer_free(&numbers);
      test_ground_close(&t);
    }
}

/* Classes 0, 2 and 3 of four are present and score far below -1: the absent class 1 must not win. */
static void an_absent_class_never_wins(void **state) {
  (void)state;
  const double numbers[] = {3, 0, 1, 0, -1, 0, 2, 3, -2, 0, -2, 0, -2, 0, 0, -5, 0, -4, 0, -6};
  const float fill = 0, x = .5f, *row = &x;
  svf_leaf_view view = {numbers, sizeof numbers / sizeof *numbers, 1, 4, &fill, svf_la_choose(false), NULL, NULL};
  svf_arena arena = {0};
  double score[4], share[4];
  assert_true(svf_leaf_linear.valid(&view));
  assert_true(svf_leaf_linear.predict(&view, &row, 1, &arena, score, share));
  assert_true(score[2] == -4 && score[1] < score[2] && share[1] == 0);
  svf_arena_free(&arena);
}

static void hostile_numbers_are_not_valid(void **state) {
  (void)state;
  const double good[] = {2, 0, 1, 0, -1, 0, 1, -2, 0, -2, 0, 1, -.5};
  const float fill = 0;
  svf_leaf_view view = {good, sizeof good / sizeof *good, 1, 2, &fill, NULL, NULL, NULL};
  assert_true(svf_leaf_linear.valid(&view));
  static const struct {
    size_t place;
    double value;
  } bad[] = {{0, 0}, {0, 3}, {0, 1.5}, {0, -1}, {0, 1e300}, {1, 3}, {1, -1}, {5, 2}, {5, .5}, {6, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double numbers[sizeof good / sizeof *good];
    memcpy(numbers, good, sizeof good);
    numbers[bad[i].place] = bad[i].value;
    view.numbers = numbers;
    assert_false(svf_leaf_linear.valid(&view));
  }
  view.numbers = good;
  for (view.length = 0; view.length < sizeof good / sizeof *good; view.length++)
    assert_false(svf_leaf_linear.valid(&view));
}

/* A cost that makes weights large: scores in single precision alone would not do. */
static void a_large_C_converges(void **state) {
  (void)state;
  static const char *const pairs[] = {"C=10000", "C=1000000", "C=1000000000"};
  static const double least[] = {1e-6, 1e-6, 1e-4}; /* at the last, gaps of 1e-6 are what rounding in double makes */
  for (int i = 0; i < 3; i++) {
    test_ground t;
    test_ground_open(&t, test_synth("twonorm", 200, 50, 0, 0), "linear-svm", pairs[i]);
    svf_buffer numbers = train_leaf(&t);
    svf_leaf_view view = view_of(&t, &numbers);
    assert_true(svf_leaf_linear.gap(&view) <= least[i]);
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* A machine that has spent its steps is kept as it is. */
static void too_few_steps(void **state) {
  (void)state;
  static const char *const losses[] = {"loss=hinge max_steps=1", "loss=squared-hinge max_steps=1",
                                       "multiclass=crammer-singer max_steps=1"};
  svf_table *table = test_synth("classification", 200, 4, 3, 1);
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
    svf_forest *forest = test_train("rsvt", losses[i], table, 1);
    svf_forest_info info;
    svf_forest_describe(forest, &info);
    assert_true(info.unconverged > 0 && isfinite(info.worst_gap));
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scores_follow_from_the_numbers),
                                     cmocka_unit_test(every_scheme_learns),
                                     cmocka_unit_test(an_absent_class_never_wins),
                                     cmocka_unit_test(hostile_numbers_are_not_valid),
                                     cmocka_unit_test(a_large_C_converges),
                                     cmocka_unit_test(too_few_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
