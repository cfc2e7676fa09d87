/* Cut histogram against the slow way, in nodes with and without a histogram: where every value has a bin of its own, its
 * gain is that of the best of all cuts. And best-first growth, the sharing of bins, the same bytes for any number of
 * threads. */
#include "support/mixed.h"
#include "support/naive_cut.h"
#include "cut/bins.h"
#include "forest/growth/best_first.h"

typedef struct kind {
  size_t n, classes;
  bool missing, weights;
} kind;

static svf_message message;

/* Columns of few values, two of them categories; the first has `values` of them. */
static svf_table *coarse(const kind *k, size_t values, size_t levels) {
  static char text[300][8];
  static const char *name[300];
  svf_random random = svf_random_at((svf_place){.seed = k->n, .use = SVF_USE_SYNTH});
  double *x = calloc(4 * k->n, sizeof *x), *value = calloc(k->n, sizeof *value),
         *weight = calloc(k->n, sizeof *weight);
  int32_t *code = calloc(k->n, sizeof *code), *label = calloc(k->n, sizeof *label);
  for (size_t l = 0; l < 300; l++) snprintf(text[l], sizeof text[l], "l%zu", l), name[l] = text[l];
  for (size_t i = 0; i < k->n; i++) {
    x[4 * i] = (double)svf_random_below(&random, values);
    x[4 * i + 1] = (double)svf_random_below(&random, 20) / 8 - 1;
    x[4 * i + 2] = (double)svf_random_below(&random, 2);
    size_t level = svf_random_below(&random, levels), second = svf_random_below(&random, levels);
    code[i] = (int32_t)(level < second ? level : second);
    value[i] = x[4 * i] / (double)values + x[4 * i + 1] * (code[i] == 2) + .3 * svf_random_normal(&random);
    label[i] = (int32_t)fmod(fabs(4 * value[i]), k->classes ? (double)k->classes : 1);
    weight[i] = svf_random_below(&random, 8) ? .25 + 2 * svf_random_unit(&random) : 1e-3;
    for (size_t j = 0; k->missing && j < 3; j++)
      if (svf_random_below(&random, 5) == 0) x[4 * i + j] = NAN;
    if (k->missing && svf_random_below(&random, 5) == 0) code[i] = -1;
  }
  svf_table *table = NULL;
  svf_matrix matrix = {.values = x, .rows = k->n, .columns = 4, .row_stride = 4, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 3, code, name, levels, &message), &message);
  if (k->classes) assert_ok(svf_table_set_classes(table, label, name, k->classes, &message), &message);
  else assert_ok(svf_table_set_values(table, value, &message), &message);
  if (k->weights) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  free(x);
  free(value);
  free(weight);
  free(code);
  free(label);
  return table;
}

static void check_site(const test_ground *t, const svf_site *site) {
  double best = naive_best(t, site), scale = fmax(1, best);
  if (!site->child[0]) {
    bool deep = t->settings->max_depth && site->depth == (size_t)t->settings->max_depth;
    assert_true(deep || t->ground.min_leaf > 1 || svf_site_pure(&t->frame, site) || best < 0);
    return;
  }
  double gain = naive_gain(t, site, &site->plane);
  assert_true(fabs(gain - site->plane.gain) < 1e-5 * scale);
  if (t->frame.k <= 2 && t->ground.min_leaf == 1) assert_true(fabs(gain - best) < 1e-5 * scale);
  else assert_true(gain < best + 1e-5 * scale);
  unsigned char *a = malloc(site->n), *b = malloc(site->n);
  svf_bins_sides(&t->ground, &site->plane, site->rows, site->n, a);
  svf_plane_sides(&t->frame, &site->plane, site->rows, site->n, b);
  assert_memory_equal(a, b, site->n);
  free(a);
  free(b);
}

static svf_site *grow(test_ground *t) {
  svf_kinds kinds;
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site *root = svf_grow(&t->ground, &kinds, &bag);
  assert_non_null(root);
  return root;
}

static void check_tree(const kind *k, const char *more) {
  test_ground t;
  char pairs[200];
  snprintf(pairs, sizeof pairs, "cut=histogram features=all level_penalty=0 level_smoothing=0 %s", more);
  test_ground_open(&t, coarse(k, 200, 5), "rf", pairs);
  svf_site *root = grow(&t);
  for (svf_site *site = root; site; site = svf_site_next(site)) check_site(&t, site);
  test_ground_close(&t);
}

static void gains_are_the_best(void **state) {
  (void)state;
  for (size_t classes = 0; classes < 5; classes++) {
    if (classes == 1) continue;
    for (int sort = 0; sort < 4; sort++) {
      check_tree(&(kind){60 + classes, classes, sort & 1, sort & 2}, "rows=bootstrap");
      check_tree(&(kind){40 + classes, classes, sort & 1, sort & 2}, "rows=all min_leaf=4 max_depth=3");
    }
    check_tree(&(kind){1200 + classes, classes, classes % 2 == 0, classes % 4 == 0}, "rows=all max_depth=20");
  }
}

/* Every cut gains at least what the best cut of any leaf would. */
static void best_first(void **state) {
  (void)state;
  test_ground t;
  kind k = {900, 0, true, false};
  test_ground_open(&t, coarse(&k, 200, 5), "rf",
                   "cut=histogram rows=all max_leaves=12 level_penalty=0 level_smoothing=0");
  svf_site *root = grow(&t);
  double least = INFINITY;
  size_t leaves = 0;
  for (svf_site *site = root; site; site = svf_site_next(site)) {
    leaves += !site->child[0];
    if (site->child[0]) least = fmin(least, site->plane.gain);
  }
  assert_int_equal(leaves, 12);
  for (svf_site *site = root; site; site = svf_site_next(site))
    if (!site->child[0]) assert_true(naive_best(&t, site) <= least * (1 + 1e-5));
  test_ground_close(&t);
}

static void same_predictions(const char *more) {
  kind k = {700, 0, true, false};
  svf_table *table = coarse(&k, 200, 5);
  double value[2][700];
  for (int way = 0; way < 2; way++) {
    char pairs[200];
    snprintf(pairs, sizeof pairs, "trees=3 max_leaves=%d %s", way * 1000000, more);
    svf_settings *settings = test_settings("rf", pairs);
    svf_forest *forest = NULL;
    assert_ok(svf_train(settings, table, NULL, &forest, &message), &message);
    svf_prediction out = {.values = value[way]};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    svf_forest_free(forest);
    svf_settings_free(settings);
  }
  assert_memory_equal(value[0], value[1], sizeof *value);
  svf_table_free(table);
}

static void the_order_of_growth_does_not_show(void **state) {
  (void)state;
  same_predictions("cut=histogram features=all");
  same_predictions("cut=histogram features=2");
  same_predictions("cut=best");
}

static void threads_do_not_show(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 3, 8};
  for (size_t classes = 0; classes <= 3; classes += 3) {
    kind k = {9000, classes, true, false};
    svf_table *table = coarse(&k, 5000, 300);
    svf_settings *settings = test_settings("rf", "cut=histogram features=all rows=all trees=2 max_leaves=40");
    svf_forest *forest[4];
    size_t size[4];
    const void *bytes[4];
    for (int i = 0; i < 4; i++) {
      svf_run run = {.threads = threads[i]};
      assert_ok(svf_train(settings, table, &run, &forest[i], &message), &message);
      bytes[i] = svf_forest_bytes(forest[i], &size[i]);
      assert_int_equal(size[i], size[0]);
      assert_memory_equal(bytes[i], bytes[0], size[0]);
    }
    for (int i = 0; i < 4; i++) svf_forest_free(forest[i]);
    svf_settings_free(settings);
    svf_table_free(table);
  }
}

/* Every bin has about its share of the rows, and more levels than bins leave the rare ones in the last. */
static void bins_share_the_rows(void **state) {
  (void)state;
  test_ground t;
  kind k = {20000, 0, true, false};
  test_ground_open(&t, coarse(&k, 5000, 300), "rf", "cut=histogram bins=50");
  const svf_bins *bins = t.ground.prepared;
  const svf_bin_column *number = &bins->column[0], *category = &bins->column[3];
  size_t rows[256] = {0};
  assert_int_equal(number->bins, 50);
  assert_int_equal(category->bins, 50);
  for (size_t i = 0; i < t.frame.n; i++) rows[number->bin[i]]++;
  for (size_t b = 0; b < 50; b++) assert_in_range(rows[b], 280, 360);
  assert_in_range(rows[50], 3600, 4400); /* missing */
  for (uint32_t b = 1; b < 50; b++) assert_true(number->high[b - 1] < number->low[b]);
  size_t last = 0;
  for (size_t l = 0; l < 300; l++) last += category->home[l] == 49;
  assert_int_equal(last, 251);
  assert_true(category->home[299] == 49); /* drawn least */
  test_ground_close(&t);
}

static void picks_are_refused(void **state) {
  (void)state;
  svf_settings *settings = test_settings("rsvf", "cut=histogram");
  assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "use pick=none"));
  svf_settings_free(settings);
  settings = test_settings("rsvf", "max_leaves=5");
  assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "max_leaves cuts the node with the largest gain"));
  svf_settings_free(settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_are_the_best),
      cmocka_unit_test(best_first),
      cmocka_unit_test(the_order_of_growth_does_not_show),
      cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(bins_share_the_rows),
      cmocka_unit_test(picks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
