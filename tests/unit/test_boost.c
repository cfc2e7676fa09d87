/* vote=boost: gradients against finite differences, leaves against the least of the second-order loss, a plain booster as oracle,
 * the training loss, stopping, refusals, odd tables, and the same bytes for any number of threads. */
#include "support/mixed.h"
#include "vote/boosting.h"
#include "forest/forest.h"

static svf_message message;

enum { N = 120, K = 3 };

/* A frame of random labels or values, and weights. */
typedef struct rig {
  svf_settings *settings;
  svf_frame frame;
  svf_arena arena;
  svf_boosting *boosting;
  int32_t label[N];
  double value[N], weight[N];
} rig;

static void open_rig(rig *r, const char *loss, size_t k) {
  svf_random random = svf_random_at((svf_place){.seed = k, .use = SVF_USE_SYNTH});
  char pairs[100];
  memset(r, 0, sizeof *r);
  snprintf(pairs, sizeof pairs, "boost_loss=%s", loss);
  r->settings = test_settings("boost", pairs);
  for (size_t i = 0; i < N; i++) {
    r->label[i] = (int32_t)svf_random_below(&random, k);
    r->value[i] = svf_random_normal(&random);
    r->weight[i] = .5 + svf_random_unit(&random);
  }
  r->frame = (svf_frame){.n = N, .k = k, .weight = r->weight};
  if (k > 1) r->frame.label = r->label;
  else r->frame.value = r->value;
  svf_kinds kinds;
  assert_ok(svf_kinds_find(r->settings, &kinds, &message), &message);
  assert_ok(kinds.vote->rounds->open(r->settings, &r->frame, &r->arena, &r->boosting, &message), &message);
  for (size_t i = 0; i < N * r->boosting->s; i++) r->boosting->sum[i] = svf_random_normal(&random);
  kinds.vote->rounds->begin(r->boosting);
  kinds.vote->rounds->respond(r->boosting, 0, N);
}

static void close_rig(rig *r) {
  svf_arena_free(&r->arena);
  svf_settings_free(r->settings);
}

/* w g = -value * weight; w h = weight, which for several classes is k / (k - 1) of the diagonal. */
static void check_gradients(const char *loss, size_t k, bool second) {
  rig r;
  open_rig(&r, loss, k);
  svf_boosting *b = r.boosting;
  double step = 1e-4;
  for (size_t i = 0; i < N; i++)
    for (size_t c = 0; c < b->s; c++) {
      double weight = r.weight[i] / b->unit;
      double *sum = &b->sum[i * b->s + c], middle = b->loss->measure(b, i), side[2];
      for (int s = 0; s < 2; s++) {
        *sum += s ? 2 * step : -step;
        side[s] = b->loss->measure(b, i);
      }
      *sum -= step;
      bool kink = !second && fabs(side[1] + side[0] - 2 * middle) > 2e-8;
      if (kink) continue;
      double gradient = -b->value[c * N + i] * b->weight[c * N + i], curvature = b->weight[c * N + i];
      assert_true(fabs(gradient - weight * (side[1] - side[0]) / (2 * step)) < (second ? 1e-6 : 2e-4));
      double factor = k > 2 ? (double)k / (double)(k - 1) : 1;
      double found = weight * factor * (side[1] + side[0] - 2 * middle) / (step * step);
      if (second) assert_true(fabs(curvature - found) < 1e-5);
    }
  close_rig(&r);
}

static void gradients_are_differences(void **state) {
  (void)state;
  check_gradients("squared", 1, true);
  check_gradients("absolute", 1, false);
  check_gradients("huber", 1, false);
  check_gradients("logistic", 2, true);
  check_gradients("logistic", K, true);
}

/* A leaf of a frame of one round; its answer is the least of G step + (H + prior) step^2 / 2, or the median. */
static double answer_of(const rig *r, const uint32_t *rows, size_t n) {
  svf_kinds kinds;
  assert_ok(svf_kinds_find(r->settings, &kinds, &message), &message);
  svf_frame frame = kinds.vote->rounds->frame(r->boosting, 0);
  svf_worker worker = {0};
  svf_ground ground = {.frame = &frame, .settings = r->settings, .worker = &worker};
  svf_site site = {.rows = (uint32_t *)rows, .n = n};
  svf_buffer numbers = {0};
  assert_ok(kinds.leaf->train(&ground, &site, &numbers, &message), &message);
  assert_int_equal(numbers.size, sizeof(double));
  double answer = *(const double *)(const void *)numbers.data;
  svf_buffer_free(&numbers);
  svf_arena_free(&worker.arena);
  return answer;
}

static double second_order(const svf_boosting *b, size_t n, double step) {
  double sum = b->settings->leaf_prior * step * step / 2;
  for (size_t i = 0; i < n; i++) sum += -b->value[i] * b->weight[i] * step + b->weight[i] * step * step / 2;
  return sum;
}

static double absolute(const svf_boosting *b, size_t n, double step) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += b->weight[i] * fabs(b->target[i] - b->sum[i] - step);
  return sum;
}

static void leaves_take_the_least(void **state) {
  (void)state;
  static const char *const losses[] = {"squared", "huber", "absolute", "logistic"};
  uint32_t rows[N];
  for (uint32_t i = 0; i < N; i++) rows[i] = i;
  for (size_t l = 0; l < 4; l++)
    for (size_t n = 1; n <= N; n += 17) {
      rig r;
      open_rig(&r, losses[l], l == 3 ? 2 : 1);
      double (*loss)(const svf_boosting *, size_t, double) = l == 2 ? absolute : second_order;
      double step = answer_of(&r, rows, n), least = loss(r.boosting, n, step);
      for (double away = 1e-4; away < 10; away *= 3)
        for (int side = -1; side <= 1; side += 2)
          assert_true(loss(r.boosting, n, step + side * away) >= least - 1e-12);
      close_rig(&r);
    }
}

/* ---- forests ---- */

static svf_forest *train(const char *pairs, const svf_table *table) { return test_train("boost", pairs, table, 2); }

/* Exact cuts and plain loops: the same answers where every value has a bin of its own. */
typedef struct naive {
  const double *x; /* n x 2 */
  const double *y;
  double sum[N];
  int side[N]; /* leaf */
} naive;

static double worth(const naive *o, int leaf, size_t column, double threshold, double *left, double *right) {
  double s[2] = {0}, n[2] = {0};
  for (size_t i = 0; i < N; i++)
    if (o->side[i] == leaf) {
      int at = o->x[2 * i + column] >= threshold;
      s[at] += o->y[i] - o->sum[i];
      n[at]++;
    }
  *left = n[0], *right = n[1];
  double all = s[0] + s[1], rows = n[0] + n[1];
  return s[0] * s[0] / (n[0] + 1) + s[1] * s[1] / (n[1] + 1) - all * all / (rows + 1);
}

/* The best cut of all leaves is made, until there are `leaves`. */
static void naive_round(naive *o, int leaves, double rate) {
  memset(o->side, 0, sizeof o->side);
  for (int made = 1; made < leaves; made++) {
    double best = 0, threshold = 0, left, right;
    size_t column = 0;
    int leaf = -1;
    for (int l = 0; l < made; l++)
      for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < N; i++) {
          double gain = worth(o, l, c, o->x[2 * i + c], &left, &right);
          if (left >= 5 && right >= 5 && gain > best * (1 + 1e-9))
            best = gain, leaf = l, column = c, threshold = o->x[2 * i + c];
        }
    if (leaf < 0) break;
    for (size_t i = 0; i < N; i++)
      if (o->side[i] == leaf && o->x[2 * i + column] >= threshold) o->side[i] = made;
  }
  for (int l = 0; l < leaves; l++) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < N; i++)
      if (o->side[i] == l) sum += o->y[i] - o->sum[i], n++;
    for (size_t i = 0; i < N; i++)
      if (o->side[i] == l) o->sum[i] += rate * sum / (n + 1), o->side[i] = -1;
  }
}

static void a_plain_booster_says_the_same(void **state) {
  (void)state;
  double x[2 * N], y[N], found[N], mean = 0, low = INFINITY, high = -INFINITY;
  svf_random random = svf_random_at((svf_place){.seed = 3, .use = SVF_USE_SYNTH});
  for (size_t i = 0; i < N; i++) {
    x[2 * i] = svf_random_unit(&random);
    x[2 * i + 1] = svf_random_unit(&random);
    y[i] = sin(6 * x[2 * i]) + x[2 * i + 1] * x[2 * i + 1] + .1 * svf_random_normal(&random);
    mean += y[i] / N, low = fmin(low, y[i]), high = fmax(high, y[i]);
  }
  svf_table *table;
  svf_matrix matrix = {.values = x, .rows = N, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_values(table, y, &message), &message);
  naive o = {.x = x, .y = y};
  for (size_t i = 0; i < N; i++) o.sum[i] = mean;
  for (int round = 0; round < 10; round++) naive_round(&o, 4, .3);
  svf_forest *forest =
      train("trees=10 stop_rounds=0 max_leaves=4 learning_rate=0.3 min_leaf=5 leaf_prior=1 tree_features=1", table);
  svf_prediction out = {.values = found};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < N; i++) assert_true(fabs(found[i] - o.sum[i]) < 1e-6);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void training_loss_never_rises(void **state) {
  (void)state;
  mixed m = {400, 0, true, true, 11};
  svf_table *table = test_mixed(&m);
  const double *y = svf_table_values(table), *w = svf_table_weights(table);
  for (int one = 0; one < 2; one++) {
    svf_forest *forest = train(one ? "trees=40 stop_rounds=0 learning_rate=1" : "trees=40 stop_rounds=0", table);
    double *stage = calloc(400 * 40, sizeof *stage), before = INFINITY;
    svf_stages out = {.values = stage};
    assert_ok(svf_predict_stages(forest, table, NULL, &out, &message), &message);
    for (size_t t = 0; t < 40; t++) {
      double loss = 0;
      for (size_t i = 0; i < 400; i++) loss += w[i] * (stage[i * 40 + t] - y[i]) * (stage[i * 40 + t] - y[i]);
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
  static const int threads[] = {1, 2, 3, 8};
  static const char *const pairs[] = {"trees=5 stop_rounds=2",
                                      "trees=5 stop_rounds=0 rows=subsample tree_features=0.5"};
  for (size_t classes = 0; classes <= 3; classes++)
    for (size_t p = 0; p < 2; p++) {
      if (classes == 1) continue;
      mixed m = {6000, classes, true, classes == 2, 5};
      svf_table *table = test_mixed(&m);
      svf_forest *first = test_train("boost", pairs[p], table, 1);
      size_t size, other;
      const void *bytes = svf_forest_bytes(first, &size);
      for (int i = 1; i < 4; i++) {
        svf_forest *forest = test_train("boost", pairs[p], table, threads[i]);
        const void *again = svf_forest_bytes(forest, &other);
        assert_int_equal(size, other);
        assert_memory_equal(bytes, again, size);
        svf_forest_free(forest);
      }
      svf_forest_free(first);
      svf_table_free(table);
    }
}

/* Probabilities are right on average where there is nothing to learn from. */
static void probabilities_add_up(void **state) {
  (void)state;
  for (size_t classes = 2; classes <= 4; classes++) {
    mixed m = {900, classes, true, false, 7};
    svf_table *table = test_mixed(&m);
    const int32_t *label = svf_table_labels(table);
    svf_forest *forest = train("trees=60 tree_features=1 max_leaves=31 min_leaf=5", table);
    double *share = calloc(900 * classes, sizeof *share), *score = calloc(900 * classes, sizeof *score), value[900];
    svf_prediction out = {.values = value, .probabilities = share, .scores = score};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    double right = 0;
    for (size_t c = 0; c < classes; c++) {
      double said = 0, is = 0;
      for (size_t i = 0; i < 900; i++) said += share[i * classes + c], is += label[i] == (int32_t)c;
      assert_true(fabs(said - is) < 20);
    }
    for (size_t i = 0; i < 900; i++) {
      double sum = 0;
      for (size_t c = 0; c < classes; c++) {
        sum += share[i * classes + c];
        double odds = score[i * classes + c] - score[i * classes];
        assert_true(fabs(odds - log(share[i * classes + c] / share[i * classes])) < 1e-9);
        assert_true(share[i * classes + (size_t)value[i]] >= share[i * classes + c]);
      }
      assert_true(fabs(sum - 1) < 1e-12);
      right += value[i] == label[i];
    }
    assert_true(right > 600);
    free(share);
    free(score);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

static size_t rounds_of(const char *pairs, const svf_table *table) {
  svf_forest_info info;
  svf_forest *forest = train(pairs, table);
  svf_forest_describe(forest, &info);
  svf_forest_free(forest);
  return info.trees;
}

static void rows_apart_stop_it(void **state) {
  (void)state;
  svf_synth_options options = {.rows = 500};
  svf_table *table = NULL;
  assert_ok(svf_table_synth("friedman1", &options, &table, NULL, &message), &message);
  size_t fast = rounds_of("learning_rate=0.3 trees=2000 stop_rounds=20", table);
  size_t slow = rounds_of("learning_rate=0.1 trees=2000 stop_rounds=20", table);
  assert_true(fast > 3 && fast < slow && slow < 1000);
  assert_int_equal(rounds_of("trees=7 stop_rounds=0", table), 7);
  svf_table_free(table);
}

/* Stops when some rounds are done. */
static int enough(void *user, const svf_progress *progress) {
  (void)user;
  return progress->done > .05;
}

static void a_wish_to_stop_keeps_the_rounds(void **state) {
  (void)state;
  svf_synth_options options = {.rows = 2000};
  svf_table *table = NULL;
  assert_ok(svf_table_synth("friedman1", &options, &table, NULL, &message), &message);
  svf_settings *settings = test_settings("boost", "trees=5000 stop_rounds=0");
  svf_run run = {.threads = 2, .callback = enough};
  svf_forest *forest = NULL, *loaded = NULL;
  assert_ok(svf_train(settings, table, &run, &forest, &message), &message);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  assert_true(info.trees > 1 && info.trees < 5000);
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
  svf_forest_free(loaded);
  svf_forest_free(forest);
  svf_settings_free(settings);
  svf_table_free(table);
}

static void refused(const char *pairs, svf_task task, const char *why) {
  svf_settings *settings = test_settings("boost", pairs);
  assert_int_equal(svf_settings_check(settings, task, &message), SVF_USAGE);
  if (!strstr(message.text, why)) fail_msg("%s", message.text);
  svf_settings_free(settings);
}

static void reasons(void **state) {
  (void)state;
  refused("first_tree=3", SVF_TASK_CLASS, "cannot be trained in parts");
  refused("cut=best", SVF_TASK_CLASS, "use cut=histogram");
  refused("leaf=linear-svm", SVF_TASK_CLASS, "use leaf=constant");
  refused("rows=balanced", SVF_TASK_CLASS, "use class_weight=balanced");
  refused("prune=0.2", SVF_TASK_CLASS, "leave it out");
  refused("boost_loss=huber", SVF_TASK_CLASS, "boost_loss=huber is for numbers");
  refused("boost_loss=logistic", SVF_TASK_REGRESS, "boost_loss=logistic is for classes");
  svf_settings *settings = test_settings("boost", "");
  assert_int_equal(svf_settings_set(settings, "learning_rate", "0", &message), SVF_USAGE);
  assert_int_equal(svf_settings_set(settings, "learning_rate", "1.5", &message), SVF_USAGE);
  svf_settings_free(settings);
  mixed m = {60, 0, false, false, 1};
  svf_table *table = test_mixed(&m);
  svf_forest *forest = train("trees=2 rows=subsample stop_rounds=0", table), *merged = NULL;
  const svf_forest *parts[] = {forest, forest};
  assert_int_equal(svf_forest_merge(parts, 2, &merged, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "cannot be merged"));
  double values[60];
  svf_oob_answers out = {.values = values};
  assert_int_equal(svf_forest_oob(forest, table, NULL, &out, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "correct each other"));
  svf_prediction spread = {.spreads = values};
  assert_int_equal(svf_predict(forest, table, NULL, &spread, &message), SVF_USAGE);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* Targets of any size, one class, missing columns, weights of 0: finite answers. */
static void odd_tables(void **state) {
  (void)state;
  static const char *const pairs[] = {"trees=9 learning_rate=1 min_leaf=1 leaf_prior=0",
                                      "trees=9 boost_loss=absolute", "trees=9 boost_loss=huber"};
  static const double scales[] = {0, 1e-150, 1, 1e150, 1e307};
  enum { ROWS = 40 };
  double x[2 * ROWS], y[ROWS], w[ROWS], found[ROWS];
  for (size_t i = 0; i < ROWS; i++) x[2 * i] = (double)i, x[2 * i + 1] = NAN, w[i] = i % 3;
  for (size_t s = 0; s < 5; s++)
    for (size_t p = 0; p < 3; p++) {
      for (size_t i = 0; i < ROWS; i++) y[i] = scales[s] * sin((double)i);
      svf_table *table;
      svf_matrix matrix = {.values = x, .rows = ROWS, .columns = 2, .row_stride = 2, .column_stride = 1};
      assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
      assert_ok(svf_table_set_values(table, y, &message), &message);
      if (s % 2) assert_ok(svf_table_set_weights(table, w, &message), &message);
      svf_forest *forest = train(pairs[p], table);
      svf_prediction out = {.values = found};
      assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
      for (size_t i = 0; i < ROWS; i++) assert_true(isfinite(found[i]) && fabs(found[i]) <= 1.2 * scales[s]);
      svf_forest_free(forest);
      svf_table_free(table);
    }
  for (size_t classes = 1; classes < 4; classes++) { /* the last class has no row */
    int32_t label[ROWS];
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < ROWS; i++) label[i] = (int32_t)(i % (classes > 1 ? classes - 1 : 1));
    svf_table *table;
    svf_matrix matrix = {.values = x, .rows = ROWS, .columns = 2, .row_stride = 2, .column_stride = 1};
    assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
    assert_ok(svf_table_set_classes(table, label, names, classes, &message), &message);
    svf_forest *forest = train("trees=9", table);
    svf_prediction out = {.values = found};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    for (size_t i = 0; i < ROWS; i++) assert_true(classes > 2 || found[i] == 0);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* Rows count by their weights beside each other: a common factor changes nothing. */
static void the_unit_of_weights_does_not_matter(void **state) {
  (void)state;
  enum { ROWS = 200 };
  double weight[ROWS], answer[2][ROWS];
  for (int t = 0; t < 2; t++) {
    svf_table *table = test_synth("friedman1", ROWS, 5, 0, 1);
    for (size_t i = 0; i < ROWS; i++) weight[i] = (double)(1 + i % 3) * (t ? 0x1p-30 : 1);
    assert_ok(svf_table_set_weights(table, weight, &message), &message);
    svf_forest *forest = test_train("boost", "trees=20 stop_rounds=0", table, 1);
    svf_prediction out = {.values = answer[t]};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    svf_forest_free(forest);
    svf_table_free(table);
  }
  for (size_t i = 0; i < ROWS; i++) assert_close(answer[0][i], answer[1][i], 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_unit_of_weights_does_not_matter),
      cmocka_unit_test(gradients_are_differences),
      cmocka_unit_test(leaves_take_the_least),
      cmocka_unit_test(a_plain_booster_says_the_same),
      cmocka_unit_test(training_loss_never_rises),
      cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(probabilities_add_up),
      cmocka_unit_test(rows_apart_stop_it),
      cmocka_unit_test(a_wish_to_stop_keeps_the_rounds),
      cmocka_unit_test(reasons),
      cmocka_unit_test(odd_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
