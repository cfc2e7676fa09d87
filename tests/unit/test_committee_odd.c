/* test_committee_odd.c - committees of odd tables, of plans with members that fail, and of hurried callers; what rows weigh;
 * and the wider plans of the search among methods. */
#include "forest/auto/committee.h"
#include "support/forest.h"

enum { MOST = 64 };

static svf_message message;

/* What was told of each member. */
typedef struct told {
  size_t count, dropped;
  char why[256];
} told;

static void note(void *user, const svf_member_info *member) {
  told *t = user;
  t->count++;
  if (!member->dropped) return;
  t->dropped++;
  snprintf(t->why, sizeof t->why, "%s: %s", member->settings, member->dropped);
}

static svf_forest *train(const svf_table *table, const char *pairs, svf_auto_options options, svf_run run) {
  svf_settings *settings = test_settings("auto", pairs);
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

/* Every row is answered: by probabilities that add up to 1, and by the class of the largest. */
static void answers(const svf_forest *forest, const svf_table *table) {
  size_t n = svf_table_rows(table), k = svf_table_classes(table);
  double *value = malloc(n * sizeof *value), *p = malloc((n * k + 1) * sizeof *p);
  svf_prediction out = {.values = value, .probabilities = k ? p : NULL};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < n; i++) {
    double sum = 0, most = 0;
    assert_true(isfinite(value[i]));
    for (size_t c = 0; c < k; c++) sum += p[i * k + c], most = fmax(most, p[i * k + c]);
    if (!k) continue;
    assert_close(sum, 1, 1e-9);
    assert_true(p[i * k + (size_t)value[i]] == most);
  }
  free(value);
  free(p);
}

/* A table of two random columns, row i of class i % classes. */
static svf_table *classes_in_turn(size_t n, size_t classes) {
  double *x = malloc(2 * n * sizeof *x);
  int32_t *label = malloc(n * sizeof *label);
  char text[128][24];
  const char *name[128];
  svf_table *table;
  svf_random random = svf_random_at((svf_place){n, 0, 0, 0, 0});
  for (size_t i = 0; i < n; i++) label[i] = (int32_t)(i % classes);
  for (size_t i = 0; i < 2 * n; i++) x[i] = svf_random_unit(&random) + (double)(i / 2 % classes);
  for (size_t c = 0; c < classes; c++) snprintf(text[c], sizeof text[c], "c%zu", c), name[c] = text[c];
  svf_matrix matrix = {.values = x, .rows = n, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, name, classes, &message), &message);
  free(x);
  free(label);
  return table;
}

/* One class; one row per class; three rows; a hundred classes. */
static void odd_classes(void **state) {
  (void)state;
  static const size_t tables[][2] = {{30, 1}, {6, 6}, {3, 2}, {2, 2}, {3, 1}, {400, 100}};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    svf_table *table = classes_in_turn(tables[t][0], tables[t][1]);
    told said = {0};
    svf_forest *forest = train(table, tables[t][1] > 50 ? "effort=1" : "effort=5",
                               (svf_auto_options){.tell = note, .user = &said}, (svf_run){.threads = 1});
    answers(forest, table);
    svf_forest_free(forest);
    svf_table_free(table);
  }
}

/* A member that fails is told of and left out, and its place in the plan is lost. */
static void a_member_fails(void **state) {
  (void)state;
  svf_table *table = test_synth("twonorm", 90, 4, 0, 1); /* has negative numbers */
  svf_auto_options options = {
      .plan = "effort=1 task=class folds=2 repeats=1; rf trees=2; chi2-svm scale=none; et trees=2", .tell = note};
  told said = {0};
  options.user = &said;
  svf_forest *forest = train(table, "", options, (svf_run){.threads = 1});
  svf_committee_info info;
  svf_committee_describe(forest, &info);
  assert_int_equal(said.count, 3);
  assert_int_equal(said.dropped, 1);
  assert_non_null(strstr(said.why, "chi2-svm"));
  assert_non_null(strstr(said.why, "negative"));
  assert_string_equal(info.plan, "effort=1 task=class folds=2 repeats=1; rf trees=2; et trees=2");
  answers(forest, table);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void a_member_does_not_fit(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", 1200, 5, 0, 1);
  svf_auto_options options = {.plan = "effort=1 task=regress folds=2 repeats=1; rf trees=2; ls-svm", .tell = note};
  told said = {0};
  options.user = &said;
  svf_forest *forest = train(table, "", options, (svf_run){.threads = 1, .memory_limit = 2000000});
  assert_int_equal(said.dropped, 1);
  assert_non_null(strstr(said.why, "ls-svm"));
  answers(forest, table);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* Without a plan, too: the same bytes for any number of threads, and from the plan in the model. */
static void the_plan_of_the_model_makes_it_again(void **state) {
  (void)state;
  for (int numbers = 0; numbers < 2; numbers++) {
    svf_table *table = test_synth(numbers ? "friedman1" : "classification", 120, 6, numbers ? 0 : 3, 2);
    for (int wide = 0; wide < 2; wide++) {
      svf_forest *first = train(table, "effort=2", (svf_auto_options){.wide = wide}, (svf_run){.threads = 1});
      svf_committee_info info;
      svf_committee_describe(first, &info);
      static const int threads[] = {2, 3, 8};
      for (int t = 0; t < 3; t++) {
        svf_auto_options options = {.plan = t == 1 ? NULL : info.plan, .wide = wide};
        svf_forest *again = train(table, t == 1 ? "effort=2" : "", options, (svf_run){.threads = threads[t]});
        same_bytes(first, again);
        svf_forest_free(again);
      }
      svf_forest_free(first);
    }
    svf_table_free(table);
  }
}

/* The wider plan begins with the plain one, has more members, and all of them are legal and differ from the first of their
 * method; a price is never below 0. */
static void wider_plans(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 300, 6, 3, 2);
  svf_settings *settings = test_settings("auto", "");
  for (int64_t effort = 1; effort <= SVF_EFFORTS; effort += 4) {
    svf_plan plan;
    svf_buffer text[2] = {{0}};
    assert_ok(svf_plan_make(settings, table, effort, &plan, &message), &message);
    size_t count = plan.count;
    double work = 0, all = 0;
    assert_true(svf_plan_write(&plan, NULL, &text[0]));
    assert_ok(svf_plan_widen(&plan, &message), &message);
    assert_true(svf_plan_write(&plan, NULL, &text[1]));
    assert_true(plan.count > 2 * count && plan.count <= MOST);
    assert_memory_equal(text[0].data, text[1].data, text[0].size);
    for (size_t m = 0; m < plan.count; m++) {
      assert_ok(svf_settings_check(&plan.member[m].settings, SVF_TASK_CLASS, &message), &message);
      assert_int_equal(plan.member[m].settings.seed, settings->seed);
      *(m < count ? &work : &all) += plan.member[m].price;
    }
    assert_true(all <= 3 * work * (1 + 1e-12));
    svf_buffer_free(&text[0]);
    svf_buffer_free(&text[1]);
    svf_plan_free(&plan);
  }
  svf_settings_free(settings);
  svf_table_free(table);
}

/* ---- what a row weighs ---- */

enum { ROWS = 60, WAYS = 3 };

/* Answers of some members for a target, and the same rows once more for every unit of weight above one. */
typedef struct weighed {
  svf_bench bench;
  int32_t label[3 * ROWS];
  double value[3 * ROWS], weight[3 * ROWS], answer[3 * ROWS * WAYS];
  uint32_t row[3 * ROWS];
  svf_ranked ranked[3 * ROWS];
} weighed;

static void fill(weighed *w, bool repeated, size_t k, int aim) {
  size_t n = 0;
  for (size_t i = 0; i < ROWS; i++) {
    size_t weight = i % 3;
    for (size_t r = 0; r < (repeated ? weight : 1); r++, n++) {
      svf_random random = svf_random_at((svf_place){i, 0, 0, 0, 0});
      double sum = 0;
      w->label[n] = (int32_t)svf_random_below(&random, (uint32_t)k);
      w->value[n] = svf_random_unit(&random);
      w->weight[n] = repeated ? 1 : (double)weight;
      w->row[n] = (uint32_t)n;
      for (size_t c = 0; c < k; c++)
        sum += w->answer[n * k + c] = svf_random_unit(&random) + .3 * (w->label[n] == (int32_t)c);
      for (size_t c = 0; c < k && k > 1; c++) w->answer[n * k + c] /= sum;
    }
  }
  w->bench = (svf_bench){.n = n,
                         .k = k,
                         .label = k > 1 ? w->label : NULL,
                         .value = w->value,
                         .weight = w->weight,
                         .aim = aim,
                         .unit = 1,
                         .smooth = .01};
}

/* Under every aim a row of weight 2 is two rows, and one of weight 0 is none. */
static void weights_are_repetitions(void **state) {
  (void)state;
  static const int aims[] = {SVF_AIM_LOG_LOSS, SVF_AIM_ACCURACY, SVF_AIM_AUC, SVF_AIM_MSE, SVF_AIM_MAE};
  for (int a = 0; a < 5; a++) {
    size_t most = aims[a] == SVF_AIM_MSE || aims[a] == SVF_AIM_MAE ? 1 : 3;
    for (size_t k = most > 1 ? 2 : 1; k <= most; k++) {
      static weighed w[2];
      double loss[2];
      svf_curve curve[2] = {{.kind = SVF_CURVE_NONE}, {.kind = SVF_CURVE_NONE}};
      svf_arena arena = {0};
      for (int r = 0; r < 2; r++) {
        fill(&w[r], r == 1, k, aims[a]);
        loss[r] = svf_bench_loss(&w[r].bench, w[r].answer, w[r].row, w[r].bench.n, w[r].ranked);
        if (k > 1)
          curve[r] = svf_curve_fit(&w[r].bench, svf_la_choose(true), w[r].answer, w[r].row, w[r].bench.n, &arena);
      }
      assert_true(loss[0] > 0);
      assert_close(loss[0], loss[1], 1e-12);
      if (k < 3) assert_close(curve[0].slope, curve[1].slope, 1e-3);
      else { /* its prior counts as rows of mean weight do, so that the unit of weights does not matter */
        for (size_t i = 0; i < ROWS; i++) w[0].weight[i] *= 8;
        curve[1] = svf_curve_fit(&w[0].bench, svf_la_choose(true), w[0].answer, w[0].row, ROWS, &arena);
        assert_close(curve[0].slope, curve[1].slope, 1e-9);
      }
      svf_arena_free(&arena);
    }
  }
}

/* Rows of weight 0 have no say in the weights of the members. */
static void rows_without_weight_do_not_choose(void **state) {
  (void)state;
  static weighed w, other;
  double weight[2][2];
  fill(&w, false, 2, SVF_AIM_LOG_LOSS);
  fill(&other, false, 2, SVF_AIM_LOG_LOSS);
  for (int changed = 0; changed < 2; changed++) {
    for (size_t i = 0; i < ROWS; i++) {
      bool free = w.weight[i] == 0 && changed;
      for (size_t c = 0; c < 2; c++) other.answer[2 * i + c] = free ? .5 : w.answer[2 * i + (i % 5 ? c : 1 - c)];
    }
    const double *answer[] = {other.answer, w.answer};
    assert_true(svf_committee_weigh(&w.bench, answer, 2, w.row, ROWS, 1, weight[changed]));
  }
  assert_memory_equal(weight[0], weight[1], sizeof weight[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_classes),
      cmocka_unit_test(a_member_fails),
      cmocka_unit_test(a_member_does_not_fit),
      cmocka_unit_test(the_plan_of_the_model_makes_it_again),
      cmocka_unit_test(wider_plans),
      cmocka_unit_test(weights_are_repetitions),
      cmocka_unit_test(rows_without_weight_do_not_choose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
