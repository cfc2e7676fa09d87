/* test_committee.c - a committee answers the weighted sum of its members, calibrated; its plan makes the same bytes again
 * for any number of threads; and what it cannot do is refused with the reason. */
#include "forest/auto/committee.h"
#include "support/forest.h"

static svf_message message;

static const char plan_of_classes[] =
    "effort=2 task=class folds=3 repeats=1; rf trees=3; et trees=3; ccf trees=2 min_leaf=2";
static const char plan_of_numbers[] =
    "effort=2 task=regress folds=3 repeats=1; rf trees=3; rf trees=4 features=sqrt; et trees=3";

static svf_forest *train(const svf_table *table, const char *pairs, const char *plan, int threads) {
  svf_settings *settings = test_settings("auto", pairs);
  svf_auto_options options = {.plan = plan};
  svf_run run = {.threads = threads};
  svf_forest *forest;
  assert_ok(svf_train_auto(settings, table, &options, &run, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

static void same_bytes(const svf_forest *a, const svf_forest *b) {
  size_t size[2];
  const void *bytes[] = {svf_forest_bytes(a, &size[0]), svf_forest_bytes(b, &size[1])};
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
}

/* Its answers by hand, from those of its members. */
static void sums_of_members(const svf_forest *forest, const svf_table *table) {
  svf_committee_info info;
  size_t n = svf_table_rows(table), k = svf_table_classes(table) ? svf_table_classes(table) : 1;
  double *sum = calloc(n * k, sizeof *sum), *part = malloc(n * k * sizeof *part), *all = malloc(n * k * sizeof *all);
  double *value = malloc(n * sizeof *value), weights = 0;
  bool classes = svf_table_labels(table);
  svf_committee_describe(forest, &info);
  assert_true(info.members >= 1);
  for (size_t m = 0; m < info.members; m++) {
    svf_member_info member;
    svf_committee_member(forest, m, &member);
    svf_prediction out = {.values = classes ? NULL : part, .probabilities = classes ? part : NULL};
    assert_ok(svf_predict(member.forest, table, NULL, &out, &message), &message);
    for (size_t i = 0; i < n * k; i++) sum[i] += member.weight * part[i];
    weights += member.weight;
    assert_true(member.weight > 0 && member.score >= 0 && !member.dropped);
  }
  assert_close(weights, 1, 1e-12);
  svf_prediction out = {.values = value, .probabilities = classes ? all : NULL};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < n; i++) {
    double total = 0, *row = sum + i * k;
    if (!classes) {
      assert_close(value[i], *row, 1e-12);
      continue;
    }
    svf_curve_apply(&forest->committee->curve, k, row);
    for (size_t c = 0; c < k; c++) {
      assert_close(all[i * k + c], row[c], 1e-12);
      assert_true(all[i * k + c] <= all[i * k + (size_t)value[i]]); /* the argmax, always */
      total += all[i * k + c];
    }
    assert_close(total, 1, 1e-12);
  }
  free(sum), free(part), free(all), free(value);
}

/* One row at a time, the same bits. */
static void single_rows(const svf_forest *forest, const svf_table *table) {
  size_t n = svf_table_rows(table), d = svf_table_columns(table), k = svf_table_classes(table);
  size_t scores = k ? k : 1;
  double *value = malloc(n * sizeof *value), *p = malloc(n * scores * sizeof *p), *s = malloc(n * scores * sizeof *s);
  double *row = malloc(d * sizeof *row), one_value, *one = malloc(scores * sizeof *one);
  svf_prediction all = {.values = value, .probabilities = k ? p : NULL, .scores = s};
  svf_prediction single = {.values = &one_value, .probabilities = k ? one : NULL};
  svf_predictor *predictor;
  assert_ok(svf_predict(forest, table, NULL, &all, &message), &message);
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < d; j++) row[j] = svf_table_number(table, i, j);
    assert_ok(svf_predictor_row(predictor, row, &single, &message), &message);
    assert_memory_equal(&one_value, value + i, sizeof one_value);
    if (k) assert_memory_equal(one, p + i * k, k * sizeof *one);
    assert_memory_equal(k ? p + i * k : value + i, s + i * scores, scores * sizeof *s);
  }
  svf_predictor_free(predictor);
  free(value), free(p), free(s), free(row), free(one);
}

static void answers(const char *kind, size_t classes, const char *plan) {
  svf_table *table = test_synth(kind, 150, 6, classes, 3), *other = test_synth(kind, 50, 6, classes, 4);
  svf_forest *forest = train(table, "", plan, 2), *again;
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &again, &message), &message);
  same_bytes(forest, again);
  sums_of_members(again, other);
  single_rows(again, other);
  svf_forest_free(forest);
  svf_forest_free(again);
  svf_table_free(table);
  svf_table_free(other);
}

static void answers_are_sums_of_members(void **state) {
  (void)state;
  answers("twonorm", 0, plan_of_classes);
  answers("classification", 4, plan_of_classes);
}

/* Spreads by hand: those of rf and ls-svm, and the disagreement of all three. */
static void spreads_are_joined(const svf_forest *forest, const svf_table *table) {
  size_t n = svf_table_rows(table);
  double *value[3], *spread[3], *all = malloc(n * sizeof *all), *mean = malloc(n * sizeof *mean);
  double row[6], one, one_spread, weight[3];
  for (size_t m = 0; m < 3; m++) {
    svf_member_info member;
    svf_committee_member(forest, m, &member);
    value[m] = malloc(n * sizeof *value[m]), spread[m] = malloc(n * sizeof *spread[m]), weight[m] = member.weight;
    svf_prediction out = {.values = value[m], .spreads = m < 2 ? spread[m] : NULL};
    assert_ok(svf_predict(member.forest, table, NULL, &out, &message), &message);
  }
  svf_prediction out = {.values = mean, .spreads = all}, single = {.values = &one, .spreads = &one_spread};
  svf_predictor *predictor;
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < n; i++) {
    double apart = 0, own = 0;
    for (size_t m = 0; m < 3; m++) apart += weight[m] * (value[m][i] - mean[i]) * (value[m][i] - mean[i]);
    for (size_t m = 0; m < 2; m++) own += weight[m] * spread[m][i] * spread[m][i] / (weight[0] + weight[1]);
    assert_close(all[i], sqrt(apart + own), 1e-6);
    for (size_t j = 0; j < 6; j++) row[j] = svf_table_number(table, i, j);
    assert_ok(svf_predictor_row(predictor, row, &single, &message), &message);
    assert_memory_equal(&one_spread, all + i, sizeof one_spread);
  }
  svf_predictor_free(predictor);
  for (size_t m = 0; m < 3; m++) free(value[m]), free(spread[m]);
  free(all), free(mean);
}

/* Of numbers, with weights that nobody chose. */
static void any_weights_will_do(void **state) {
  (void)state;
  static const char *const methods[] = {"rf", "ls-svm", "boost"};
  static const double weight[] = {.5, .3, .2}, score[] = {1, 2, 3};
  svf_table *table = test_synth("friedman1", 100, 6, 0, 3), *other = test_synth("friedman1", 50, 6, 0, 4);
  svf_settings *settings = test_settings("auto", "");
  svf_buffer image[3] = {{0}};
  for (size_t m = 0; m < 3; m++) {
    svf_forest *member = test_train(methods[m], m == 1 ? "" : "trees=4", table, 1);
    assert_true(svf_buffer_add(&image[m], member->image, member->size));
    svf_forest_free(member);
  }
  svf_committee_parts parts = {
      .settings = settings, .plan = "any", .image = image, .weight = weight, .score = score, .count = 3};
  svf_forest *forest;
  assert_ok(svf_committee_make(&parts, &forest, &message), &message);
  sums_of_members(forest, other);
  single_rows(forest, other);
  spreads_are_joined(forest, other);
  for (size_t m = 0; m < 3; m++) svf_buffer_free(&image[m]);
  svf_forest_free(forest);
  svf_settings_free(settings);
  svf_table_free(table);
  svf_table_free(other);
}

/* Threads do not show; and the plan in the model makes the model again, whatever effort is asked for. */
static void one_plan_gives_the_same_bytes(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 120, 5, 3, 1);
  svf_forest *one = train(table, "cpu=portable", NULL, 1);
  svf_committee_info info;
  svf_committee_describe(one, &info);
  assert_true(info.members > 0);
  svf_forest *again = train(table, "cpu=portable effort=2", info.plan, 1);
  same_bytes(one, again);
  svf_forest_free(again);
  svf_forest_free(one);
  for (int threads = 1; threads <= 8; threads = threads * 2 + (threads == 1)) {
    svf_forest *first = train(table, "", plan_of_classes, 1), *many = train(table, "", plan_of_classes, threads);
    same_bytes(first, many);
    svf_forest_free(first);
    svf_forest_free(many);
  }
  svf_table_free(table);
}

/* ---- weights and curves ---- */

/* A member that is right and others that are noise: it gets nearly all of the weight. */
static void weights_find_the_good_member(void **state) {
  (void)state;
  enum { N = 400, M = 4 };
  double *answer[M], value[N], weight[N], found[M];
  uint32_t row[N];
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (size_t m = 0; m < M; m++) answer[m] = malloc(N * sizeof *answer[m]);
  for (size_t i = 0; i < N; i++) {
    value[i] = svf_random_normal(&random), weight[i] = 1, row[i] = (uint32_t)i;
    for (size_t m = 0; m < M; m++) answer[m][i] = (m == 2 ? value[i] : 0) + .3 * svf_random_normal(&random);
  }
  svf_bench bench = {.n = N, .k = 1, .value = value, .weight = weight, .aim = SVF_AIM_MSE, .unit = 1};
  assert_true(svf_committee_weigh(&bench, (const double *const *)answer, M, row, N, 0, found));
  double sum = 0;
  for (size_t m = 0; m < M; m++) sum += found[m], assert_true(found[m] >= 0);
  assert_close(sum, 1, 1e-12);
  assert_true(found[2] > .8);
  for (size_t m = 0; m < M; m++) free(answer[m]);
}

/* Log-loss after a curve, by plain loops. */
static double loss_after(const svf_curve *curve, const double *p, const int32_t *label, size_t n, size_t k) {
  double sum = 0, row[8];
  for (size_t i = 0; i < n; i++) {
    memcpy(row, p + i * k, k * sizeof *row);
    svf_curve_apply(curve, k, row);
    sum -= log(row[label[i]]);
  }
  return sum / (double)n;
}

/* Probabilities that are too sure of themselves: no other temperature is better on the rows it was fitted to, with the term
 * that holds it near 1. */
static void curves_are_at_a_minimum(void **state) {
  (void)state;
  enum { N = 600 };
  for (size_t k = 2; k <= 5; k += 3) {
    svf_arena arena = {0};
    double p[N * 5], weight[N];
    int32_t label[N];
    uint32_t row[N];
    svf_random random = svf_random_at((svf_place){.seed = k});
    for (size_t i = 0; i < N; i++) {
      double sum = 0;
      label[i] = (int32_t)svf_random_below(&random, k), weight[i] = 1, row[i] = (uint32_t)i;
      for (size_t c = 0; c < k; c++)
        sum += p[i * k + c] = exp(4 * ((int32_t)c == label[i]) + 5 * svf_random_normal(&random));
      for (size_t c = 0; c < k; c++) p[i * k + c] /= sum;
    }
    svf_bench bench = {
        .n = N, .k = k, .label = label, .weight = weight, .aim = SVF_AIM_LOG_LOSS, .unit = 1, .smooth = .001};
    svf_curve best = svf_curve_fit(&bench, svf_la_choose(true), p, row, N, &arena);
    double least = loss_after(&best, p, label, N, k), prior = 4 * pow(log(best.slope), 2) / N;
    for (int step = 0; step < 4 && k > 2; step++) {
      svf_curve other = best;
      other.slope *= 1 + (step - 1.5) / 50;
      assert_true(loss_after(&other, p, label, N, k) + 4 * pow(log(other.slope), 2) / N > least + prior);
    }
    svf_curve none = {.kind = SVF_CURVE_TEMPERATURE, .smooth = .001, .slope = 1};
    assert_true(loss_after(&none, p, label, N, k) > least);
    svf_arena_free(&arena);
  }
}

/* The area under the curve by all pairs. */
static void auc_counts_pairs(void **state) {
  (void)state;
  enum { N = 60 };
  double p[2 * N], weight[N], right = 0, all = 0;
  int32_t label[N];
  uint32_t row[N];
  svf_ranked scratch[N];
  svf_random random = svf_random_at((svf_place){.seed = 1});
  for (size_t i = 0; i < N; i++) {
    label[i] = (int32_t)svf_random_below(&random, 2), weight[i] = (double)svf_random_below(&random, 4),
    row[i] = (uint32_t)i;
    p[2 * i + 1] = (double)svf_random_below(&random, 7) / 7, p[2 * i] = 1 - p[2 * i + 1];
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      if (label[i] != 1 || label[j] != 0) continue;
      double pair = weight[i] * weight[j], a = p[2 * i + 1], b = p[2 * j + 1];
      all += pair, right += a > b ? pair : a == b ? pair / 2 : 0;
    }
  svf_bench bench = {.n = N, .k = 2, .label = label, .weight = weight, .aim = SVF_AIM_AUC, .unit = 1, .smooth = .001};
  assert_close(svf_bench_score(&bench, svf_bench_loss(&bench, p, row, N, scratch)), right / all, 1e-12);
}

/* ---- what is refused ---- */

static void refused(svf_status status, svf_status wanted, const char *words) {
  assert_int_equal(status, wanted);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void what_a_committee_has_not_is_refused(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 80, 4, 0, 1);
  svf_forest *forest = train(table, "", plan_of_classes, 1), *merged;
  svf_oob_answers oob = {0};
  svf_stages stages = {0};
  svf_bound bound = {0};
  svf_permutation permutation = {.repeats = 1, .oob = 1};
  int32_t leaves[80];
  svf_prediction wanted = {.leaves = leaves};
  refused(svf_forest_oob(forest, table, NULL, &oob, &message), SVF_USAGE, "ask one of its members");
  refused(svf_predict_stages(forest, table, NULL, &stages, &message), SVF_USAGE, "ask one of its members");
  refused(svf_forest_bound(forest, table, NULL, &bound, &message), SVF_USAGE, "ask one of its members");
  refused(svf_forest_permute(forest, table, NULL, &permutation, &message), SVF_USAGE, "ask one of its members");
  refused(svf_predict(forest, table, NULL, &wanted, &message), SVF_USAGE, "ask one of its members");
  refused(svf_forest_merge((const svf_forest *const *)&forest, 1, &merged, &message), SVF_USAGE, "cannot be merged");
  svf_forest_free(forest);
  svf_table_free(table);
}

static void bad_plan(const svf_table *table, const char *plan, const char *words) {
  svf_settings *settings = test_settings("auto", "");
  svf_auto_options options = {.plan = plan};
  svf_forest *forest = (svf_forest *)&message;
  refused(svf_train_auto(settings, table, &options, NULL, &forest, &message), SVF_USAGE, words);
  assert_null(forest);
  svf_settings_free(settings);
}

static void bad_plans_and_settings_are_refused(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 40, 3, 0, 1);
  bad_plan(table, "", "a plan begins with");
  bad_plan(table, "effort=5 task=class folds=1 repeats=1; rf", "a plan begins with");
  bad_plan(table, "effort=5 task=class folds=4294967299 repeats=1; rf", "a plan begins with");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1", "no member");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1; nothing", "there is no method 'nothing'");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1; rf trees", "NAME=VALUE");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1; rf seed=3", "belongs to the whole committee");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1; auto", "cannot be a member");
  bad_plan(table, "effort=5 task=class folds=3 repeats=1; tbrf-c folds=2", "");
  bad_plan(table, plan_of_numbers, "the plan was made for task=regress");
  svf_settings *settings;
  assert_ok(svf_settings_new("auto", &settings, &message), &message);
  assert_ok(svf_settings_set(settings, "trees", "5", &message), &message);
  refused(svf_settings_check(settings, SVF_TASK_AUTO, &message), SVF_USAGE, "name a method");
  svf_settings_free(settings);
  settings = test_settings("rf", "committee=yes");
  refused(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE, "use -m auto");
  svf_settings_free(settings);
  settings = test_settings("auto", "aim=mse");
  refused(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE, "aim=mse");
  svf_settings_free(settings);
  svf_table_free(table);
}

/* A file whose committee was changed and sealed again. */
static void damaged_files_are_refused(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 60, 3, 0, 2);
  svf_forest *forest = train(table, "", "effort=2 task=class folds=3 repeats=1; rf trees=2; ccf trees=2", 1), *opened;
  size_t size, accepted = 0;
  const unsigned char *bytes = svf_forest_bytes(forest, &size);
  unsigned char *copy = malloc(size);
  size_t head = sizeof(svf_image_header) + 5 * sizeof(svf_image_section);
  for (size_t at = 0; at < size; at += at < head + 4096 ? 1 : 97) {
    memcpy(copy, bytes, size);
    copy[at] ^= (unsigned char)(1 + at % 255);
    svf_image_seal(copy, size);
    if (svf_forest_from_bytes(copy, size, &opened, &message) != SVF_OK) continue;
    double p[120];
    svf_prediction out = {.probabilities = p};
    svf_status status = svf_predict(opened, table, NULL, &out, &message);
    assert_true(status == SVF_OK || status == SVF_DATA || status == SVF_USAGE);
    svf_forest_free(opened);
    accepted++;
  }
  for (size_t cut = 1; cut < size; cut += 61)
    assert_int_equal(svf_forest_from_bytes(bytes, size - cut, &opened, NULL), SVF_DATA);
  assert_true(accepted > 0); /* texts and weights of classes may change */
  free(copy);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* ---- tables of all sizes, and the clock ---- */

static int stop_at_once(void *user, const svf_progress *progress) {
  (void)user;
  return progress->done > .5;
}

static void small_tables_train(void **state) {
  (void)state;
  static const struct {
    const char *kind;
    size_t rows, classes;
  } tables[] = {{"twonorm", 3, 0},
                {"classification", 8, 4},
                {"classification", 30, 5},
                {"friedman1", 3, 0},
                {"friedman1", 2, 0}};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    svf_table *table = test_synth(tables[t].kind, tables[t].rows, 5, tables[t].classes, t);
    bool classes = svf_table_labels(table);
    svf_forest *forest = train(table, "", classes ? plan_of_classes : plan_of_numbers, 1);
    double value[30];
    svf_prediction out = {.values = value};
    assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
    for (size_t i = 0; i < tables[t].rows; i++) assert_true(isfinite(value[i]));
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* The first member always comes to its end; a wish to stop gives the committee of those that had finished. */
static void the_clock_and_the_caller_stop_it(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 200, 5, 0, 1);
  svf_settings *settings = test_settings("auto", "");
  svf_auto_options hurried = {.budget = 1e-6};
  svf_run run = {.threads = 1, .callback = stop_at_once};
  svf_committee_info info;
  svf_forest *forest;
  assert_ok(svf_train_auto(settings, table, &hurried, NULL, &forest, &message), &message);
  svf_committee_describe(forest, &info);
  assert_true(info.members <= 1);
  svf_forest_free(forest);
  svf_status status = svf_train_auto(settings, table, NULL, &run, &forest, &message);
  assert_true(status == SVF_STOPPED || status == SVF_OK); /* a training may end before the first look */
  svf_forest_free(forest);
  status = svf_train(settings, table, &run, &forest, &message);
  assert_true((status == SVF_STOPPED) == !forest);
  svf_forest_free(forest);
  svf_settings_free(settings);
  svf_table_free(table);
}

static void note_remark(void *user, const char *text) {
  char *last = user;
  snprintf(last, 256, "%s", text);
}

static int go_on(void *user, const svf_progress *progress) {
  (void)progress;
  return strlen(user) > 255;
}

/* Remarks reach their owner once, beside a callback; targets far from 1 have finite scores. */
static void odd_tables_train(void **state) {
  (void)state;
  enum { N = 60 };
  for (int scale = -300; scale <= 300; scale += 300) {
    svf_table *table = test_synth("friedman1", N, 5, 0, 1);
    double y[N], x[N];
    for (size_t i = 0; i < N; i++) y[i] = svf_table_values(table)[i] * pow(10, scale), x[i] = i ? (double)i : 1e9;
    svf_matrix matrix = {.values = x, .rows = N, .columns = 1, .row_stride = 1, .column_stride = 1};
    svf_table *odd;
    assert_ok(svf_table_new(&matrix, NULL, &odd, &message), &message);
    assert_ok(svf_table_set_values(odd, y, &message), &message);
    char said[256] = "";
    svf_settings *settings = test_settings("auto", "");
    svf_auto_options options = {.plan = "effort=1 task=regress folds=2 repeats=1; ccf trees=2; rf trees=2"};
    svf_run run = {.threads = 1, .callback = go_on, .user = said, .remark = note_remark};
    svf_forest *forest;
    svf_committee_info info;
    assert_ok(svf_train_auto(settings, odd, &options, &run, &forest, &message), &message);
    svf_committee_describe(forest, &info);
    assert_true(isfinite(info.score) && strstr(said, "x1"));
    svf_forest_free(forest);
    svf_settings_free(settings);
    svf_table_free(odd);
    svf_table_free(table);
  }
}

static void importance_is_that_of_members(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", 200, 10, 0, 1);
  svf_forest *forest = train(table, "", plan_of_numbers, 2);
  double gain[10], sum = 0, mean[10];
  svf_permutation permutation = {.repeats = 2, .mean = mean};
  assert_ok(svf_forest_importance(forest, gain, NULL, &message), &message);
  for (size_t j = 0; j < 10; j++) sum += gain[j];
  assert_close(sum, 1, 1e-9);
  assert_ok(svf_forest_permute(forest, table, NULL, &permutation, &message), &message);
  assert_close(permutation.result, test_result(forest, table), 1e-12);
  for (size_t j = 5; j < 10; j++)
    assert_true(mean[j] < mean[3]); /* of friedman1 the first five matter, the fourth most */
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_sums_of_members),
                                     cmocka_unit_test(any_weights_will_do),
                                     cmocka_unit_test(one_plan_gives_the_same_bytes),
                                     cmocka_unit_test(weights_find_the_good_member),
                                     cmocka_unit_test(curves_are_at_a_minimum),
                                     cmocka_unit_test(auc_counts_pairs),
                                     cmocka_unit_test(what_a_committee_has_not_is_refused),
                                     cmocka_unit_test(bad_plans_and_settings_are_refused),
                                     cmocka_unit_test(damaged_files_are_refused),
                                     cmocka_unit_test(small_tables_train),
                                     cmocka_unit_test(the_clock_and_the_caller_stop_it),
                                     cmocka_unit_test(odd_tables_train),
                                     cmocka_unit_test(importance_is_that_of_members)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
