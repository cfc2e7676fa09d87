/* Bags by weight: how often rows come against their weights, which rows judge, and what stays as without weights. */
#include "support/ground.h"

static svf_message message;

enum { N = 120, TREES = 4000 };

/* A table with a third of its rows in class 1; weight: of each row, NULL: none. */
static void open_bag(test_ground *t, const double *weight, const double *class_weight, const char *pairs) {
  static const char *const names[] = {"a", "b"};
  svf_table *table = test_synth("moons", N, 0, 0, 1);
  int32_t label[N];
  for (int i = 0; i < N; i++) label[i] = i % 3 == 0;
  assert_ok(svf_table_set_classes(table, label, names, 2, &message), &message);
  if (weight) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  if (class_weight) assert_ok(svf_table_set_class_weights(table, class_weight, &message), &message);
  test_ground_open(t, table, "rf", pairs);
  test_ground_weigh(t);
}

/* How often each row came over all trees; a row is in the bag or judges, rows of weight 0 neither. */
static size_t count_draws(test_ground *t, double *count) {
  size_t all = 0;
  memset(count, 0, N * sizeof *count);
  for (uint32_t tree = 0; tree < TREES; tree++) {
    bool seen[N] = {false};
    svf_mark mark = svf_arena_mark(&t->arena);
    t->ground.tree = tree;
    svf_bag bag = svf_bag_draw(&t->ground);
    for (size_t i = 0; i < bag.n; i++) {
      assert_true(!i || bag.rows[i] >= bag.rows[i - 1]);
      count[bag.rows[i]]++;
      seen[bag.rows[i]] = true;
    }
    for (size_t i = 0; i < bag.judge_count; i++) {
      assert_false(seen[bag.judges[i]]);
      seen[bag.judges[i]] = true;
    }
    for (size_t i = 0; bag.judges && i < N; i++) assert_true(seen[i] == (!t->frame.chance || t->frame.chance[i] > 0));
    all += bag.n;
    svf_arena_release(&t->arena, mark);
  }
  return all;
}

/* Within five standard errors; variance: of the count in one tree. */
static void near(double count, double mean, double variance) {
  if (fabs(count - TREES * mean) > 5 * sqrt(TREES * variance)) fail_msg("%g, expected %g", count, TREES * mean);
}

static void fill_weights(double *weight) {
  for (int i = 0; i < N; i++) weight[i] = i % 7 * (i % 5 + .5) * 1e-200; /* every seventh 0 */
}

static void a_bootstrap_draws_by_weight(void **state) {
  (void)state;
  static const double by_class[] = {1, 4};
  double weight[N], count[N], all = 0;
  test_ground t;
  fill_weights(weight);
  open_bag(&t, weight, by_class, "rows=bootstrap class_weight=given");
  assert_null(t.frame.weight);
  size_t m = 0;
  for (int i = 0; i < N; i++) all += weight[i] *= by_class[i % 3 == 0], m += weight[i] > 0;
  assert_int_equal(count_draws(&t, count), TREES * m); /* as many draws as rows with a weight */
  for (int i = 0; i < N; i++) {
    double p = weight[i] / all;
    near(count[i], (double)m * p, (double)m * p * (1 - p));
  }
  test_ground_close(&t);
}

static void all_rows_stay_by_weight(void **state) {
  (void)state;
  static const char *const ways[] = {"rows=all", "rows=all cut=adaptive", "rows=subsample sample_fraction=0.5"};
  double weight[N], count[N], most = 0;
  fill_weights(weight);
  for (int i = 0; i < N; i++) most = fmax(most, weight[i]);
  for (int way = 0; way < 3; way++) {
    test_ground t;
    open_bag(&t, weight, NULL, ways[way]);
    assert_null(t.frame.weight);
    count_draws(&t, count);
    size_t m = 0;
    for (int i = 0; i < N; i++) m += weight[i] > 0;
    double taken = way > 1 ? ceil(.5 * (double)m) / (double)m : 1;
    for (int i = 0; i < N; i++) {
      double p = taken * weight[i] / most;
      near(count[i], p, p * (1 - p));
    }
    test_ground_close(&t);
  }
}

/* The heavy row is not in most subsamples, and the others nearly never stay: a tree then has the first row taken. */
static void a_bag_is_never_empty(void **state) {
  (void)state;
  double weight[N], count[N];
  test_ground t;
  for (int i = 0; i < N; i++) weight[i] = i ? 1e-30 : 1;
  open_bag(&t, weight, NULL, "rows=subsample sample_fraction=0.1");
  assert_true(count_draws(&t, count) == TREES); /* the first row, or the first that was taken */
  near(count[0], .1, .1 * .9);
  assert_true(count[1] > 0);
  test_ground_close(&t);
}

/* 40 of class 1, of weight 1 and 3; 80 of class 0, all of weight 1: of class 1 40 draws, of class 0 half as many. */
static void a_balanced_bag_draws_classes_by_weight(void **state) {
  (void)state;
  double weight[N], count[N], of[2] = {0};
  test_ground t;
  for (int i = 0; i < N; i++) weight[i] = i % 6 == 0 ? 3 : 1;
  open_bag(&t, weight, NULL, "rows=balanced");
  count_draws(&t, count);
  for (int i = 0; i < N; i++) of[i % 3 == 0] += count[i];
  assert_true(of[0] == 20. * TREES && of[1] == 40. * TREES);
  for (int i = 0; i < N; i++) {
    double draws = i % 3 ? 20 : 40, p = i % 3 ? 1 / 80. : weight[i] / 80;
    near(count[i], draws * p, draws * p * (1 - p));
  }
  test_ground_close(&t);
}

/* Bags of equal weights are those of no weights, and machines, cells of centres and a single leaf keep the weights. */
static void where_weights_do_not_act_on_bags(void **state) {
  (void)state;
  static const char *const rows[] = {"rows=all", "rows=bootstrap", "rows=balanced", "rows=subsample"};
  static const char *const others[] = {"rows=all leaf=linear-svm", "rows=subsample leaf=ls-svm", "rows=all cut=none",
                                       "rows=all cut=voronoi"};
  double weight[N], count[N], plain[N];
  test_ground t;
  for (int i = 0; i < N; i++) weight[i] = 3;
  for (int r = 0; r < 4; r++) {
    open_bag(&t, weight, NULL, rows[r]);
    assert_true(!t.frame.chance && t.frame.weight);
    count_draws(&t, count);
    test_ground_close(&t);
    open_bag(&t, NULL, NULL, rows[r]);
    count_draws(&t, plain);
    test_ground_close(&t);
    assert_memory_equal(count, plain, sizeof count);
  }
  fill_weights(weight);
  for (int o = 0; o < 4; o++) {
    open_bag(&t, weight, NULL, others[o]);
    assert_true(!t.frame.chance && t.frame.weight == t.frame.measure);
    test_ground_close(&t);
  }
}

/* A pick counts out-of-bag rows by row weight times class weight, wherever the class weights act in the tree. */
static void judges_count_by_class(void **state) {
  (void)state;
  static const double by_class[] = {1, 4};
  static const char *const ways[] = {"class_weight=given", "class_weight=balanced"};
  double weight[N], all = 0, of[2] = {0};
  for (int i = 0; i < N; i++) weight[i] = i % 4 + 1;
  for (int i = 0; i < N; i++) all += weight[i], of[i % 3 == 0] += weight[i];
  for (int way = 0; way < 2; way++) {
    char pairs[120];
    test_ground t;
    snprintf(pairs, sizeof pairs, "rows=bootstrap cut=project pick=oob-drop leaf=linear-svm %s", ways[way]);
    open_bag(&t, weight, way ? NULL : by_class, pairs);
    assert_true(t.frame.chance && !t.frame.weight && !t.frame.class_weight);
    for (int i = 0; i < N; i++) {
      int c = i % 3 == 0;
      double class_weight = way ? all / (2 * of[c]) : by_class[c];
      assert_close(t.frame.judged[i], weight[i] * class_weight, 1e-12);
      assert_close(t.frame.chance[i], way ? weight[i] / 4 : weight[i] * by_class[c] / 16, 1e-12);
    }
    test_ground_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bootstrap_draws_by_weight), cmocka_unit_test(all_rows_stay_by_weight),
      cmocka_unit_test(a_bag_is_never_empty),        cmocka_unit_test(a_balanced_bag_draws_classes_by_weight),
      cmocka_unit_test(judges_count_by_class),       cmocka_unit_test(where_weights_do_not_act_on_bags)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
