/* test_compact_forest.c - forests of constant leaves answer tables through their compact copy with the bits of the model
 * itself, which answers wherever leaf numbers are asked for, too. */
#include <pthread.h>

#include "support/forest.h"
#include "forest/answers/compact_forest.h"
#include "forest/measures/judge.h"

enum { ROWS = 700, D = 5, CLASSES = 3 };
static svf_message message;

/* Coarse numbers, both zeros among them, so that values meet thresholds; some missing where asked for. */
static svf_table *make_table(size_t n, bool classes, bool missing) {
  static const char *const names[] = {"a", "b", "c"};
  static double x[ROWS * D], value[ROWS];
  static int32_t label[ROWS];
  svf_random random = svf_random_at((svf_place){.seed = 11});
  svf_table *table = NULL;
  for (size_t i = 0; i < n; i++) {
    double *row = x + i * D;
    for (size_t j = 0; j < D; j++)
      row[j] = j < 3 ? floor(4 * svf_random_normal(&random)) : svf_random_normal(&random);
    if (row[0] == 0 && i % 2) row[0] = -0.0;
    value[i] = row[0] * row[1] + row[3] + svf_random_normal(&random);
    label[i] = value[i] > 3 ? 2 : value[i] > 0;
    for (size_t j = 0; missing && j < D; j++)
      if (svf_random_below(&random, 8) == 0) row[j] = NAN;
  }
  svf_matrix matrix = {x, 0, n, D, D, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  if (classes) assert_ok(svf_table_set_classes(table, label, names, CLASSES, &message), &message);
  else assert_ok(svf_table_set_values(table, value, &message), &message);
  return table;
}

typedef struct answers {
  double value[ROWS], score[ROWS * CLASSES], share[ROWS * CLASSES];
} answers;

static void ask(const svf_forest *forest, const svf_table *table, int threads, int32_t *leaves, answers *a) {
  svf_run run = {.threads = threads};
  svf_prediction out = {a->value, a->score, a->share, leaves, NULL, 0};
  memset(a, 0, sizeof *a);
  assert_ok(svf_predict(forest, table, &run, &out, &message), &message);
}

static void one_by_one(const svf_forest *forest, const svf_table *table, const answers *whole) {
  size_t k = svf_forest_k(forest);
  svf_predictor *predictor;
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < svf_table_rows(table); i++) {
    double row[D], value, score[CLASSES], share[CLASSES] = {0};
    for (size_t j = 0; j < D; j++) row[j] = table->column[j].number[i];
    svf_prediction out = {&value, score, share, NULL, NULL, 0};
    assert_ok(svf_predictor_row(predictor, row, &out, &message), &message);
    assert_memory_equal(&value, whole->value + i, sizeof value);
    assert_memory_equal(score, whole->score + i * k, k * sizeof *score);
    assert_memory_equal(share, whole->share + i * k, k * sizeof *share);
  }
  svf_predictor_free(predictor);
}

typedef struct trial {
  const char *method, *settings;
  bool compact; /* can it have one? */
} trial;

static const trial trials[] = {
    {"rf", "trees=9", true},
    {"et", "trees=9 scale=none", true},
    {"rf", "trees=5 scale=none min_leaf=20", true}, /* leaves of several classes */
    {"rf", "trees=5 vote=weighted cpu=portable", true},
    {"et", "trees=4 vote=simple precision=single", true},
    {"rf", "trees=3 min_leaf=1000", true}, /* roots alone */
    {"et-svm", "trees=2", false},
    {"ccf", "trees=3", false},
    {"rsvt-full", "trees=3 leaf=constant vote=mean", true},
    {"rsvt-full", "trees=4 leaf=constant min_leaf_factor=0", true}, /* majority vote, with ties */
    {"rsvt-full", "trees=4 leaf=constant vote=max-confidence", false},
};

static void check(const trial *t, bool classes, bool missing) {
  static answers whole, other;
  static int32_t leaves[ROWS * 9];
  svf_table *learnt = make_table(ROWS, classes, missing), *asked = make_table(ROWS, classes, !missing);
  svf_forest *forest = test_train(t->method, t->settings, learnt, 2);
  ask(forest, asked, 2, leaves, &whole);
  for (int threads = 1; threads < 4; threads++) {
    ask(forest, asked, threads, NULL, &other);
    assert_memory_equal(&whole, &other, sizeof whole);
    svf_prediction values = {.values = other.value}; /* rows whose votes are tied are asked about again */
    memset(other.value, 0, sizeof other.value);
    assert_ok(svf_predict(forest, asked, NULL, &values, &message), &message);
    assert_memory_equal(whole.value, other.value, sizeof whole.value);
  }
  assert_int_equal(atomic_load(&forest->compact) != NULL, t->compact);
  one_by_one(forest, asked, &whole);
  ask(forest, learnt, 1, leaves, &whole);
  ask(forest, learnt, 1, NULL, &other);
  assert_memory_equal(&whole, &other, sizeof whole);
  svf_forest_free(forest);
  svf_table_free(learnt);
  svf_table_free(asked);
}

static void tables_get_the_bits_of_the_model(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    for (int missing = 0; missing < 2; missing++) {
      check(&trials[i], true, missing);
      if (!strcmp(trials[i].method, "rf") || !strcmp(trials[i].method, "et")) check(&trials[i], false, missing);
    }
}

/* A forest gets no compact copy for a few rows, but a compact copy that is there serves them. */
static void few_rows_are_not_worth_it(void **state) {
  (void)state;
  static answers before, after;
  svf_table *table = make_table(ROWS, true, false), *few = make_table(2, true, false);
  svf_forest *forest = test_train("et", "trees=5", table, 2);
  ask(forest, few, 1, NULL, &before);
  assert_null(atomic_load(&forest->compact));
  ask(forest, table, 1, NULL, &after);
  assert_non_null(atomic_load(&forest->compact));
  ask(forest, few, 1, NULL, &after);
  assert_memory_equal(&before, &after, sizeof before);
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(few);
}

/* Out of bag, with one feature shuffled: a verdict that names single trees is the model's, one that does not is the
 * compact copy's. */
static void judged_alike(bool classes) {
  svf_table *table = make_table(ROWS, classes, true);
  svf_forest *forest = test_train("rf", "trees=7", table, 2);
  svf_run run = {.threads = 2};
  svf_pool pool;
  svf_judging judging;
  svf_sum tree[7];
  uint32_t from[ROWS];
  for (uint32_t i = 0; i < ROWS; i++) from[i] = (i + 333) % ROWS;
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  assert_ok(svf_judging_open(&judging, forest, table, true, &pool, &message), &message);
  assert_ok(svf_compact_make(forest, ROWS, &pool, &message), &message);
  assert_non_null(atomic_load(&forest->compact));
  for (uint32_t step = 0; step < 2 * (D + 1); step++) {
    static answers by_model, by_digest;
    uint32_t feature = step % (D + 1);
    if (step == D + 1) assert_ok(svf_judging_paths(&judging, &pool, &message), &message); /* again, with paths */
    assert_int_equal(judging.path != NULL, step > D);
    svf_shuffle shuffle = {from, feature, 1};
    const svf_shuffle *shown = feature < D ? &shuffle : NULL;
    svf_verdict a = {shown, {0, 0}, NULL, tree, by_model.value, by_model.score, by_model.share};
    svf_verdict b = {shown, {0, 0}, NULL, NULL, by_digest.value, by_digest.score, by_digest.share};
    assert_true(svf_judge(&judging, 0, &pool.worker[0].arena, &a));
    assert_true(svf_judge(&judging, 0, &pool.worker[0].arena, &b));
    assert_true(a.whole.sum == b.whole.sum && a.whole.all == b.whole.all && a.whole.all > 0);
    assert_memory_equal(&by_model, &by_digest, sizeof by_model);
  }
  svf_judging_close(&judging);
  svf_pool_close(&pool);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void judges_get_the_bits_of_the_model(void **state) {
  (void)state;
  judged_alike(true);
  judged_alike(false);
}

typedef struct caller {
  const svf_forest *forest;
  const svf_table *table;
  answers said;
} caller;

static void *call(void *context) {
  caller *c = context;
  ask(c->forest, c->table, 2, NULL, &c->said);
  return NULL;
}

/* Several programs' threads ask a fresh forest at once: each may make a compact copy, one is kept. */
static void threads_may_come_together(void **state) {
  (void)state;
  enum { CALLERS = 4 };
  static caller callers[CALLERS];
  pthread_t thread[CALLERS];
  svf_table *table = make_table(ROWS, true, true);
  svf_forest *forest = test_train("rf", "trees=6", table, 2);
  for (int i = 0; i < CALLERS; i++) {
    callers[i].forest = forest, callers[i].table = table;
    assert_int_equal(pthread_create(&thread[i], NULL, call, &callers[i]), 0);
  }
  for (int i = 0; i < CALLERS; i++) pthread_join(thread[i], NULL);
  for (int i = 1; i < CALLERS; i++) assert_memory_equal(&callers[i].said, &callers[0].said, sizeof(answers));
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_get_the_bits_of_the_model), cmocka_unit_test(judges_get_the_bits_of_the_model),
      cmocka_unit_test(few_rows_are_not_worth_it), cmocka_unit_test(threads_may_come_together)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
