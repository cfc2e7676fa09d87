/* test_explain.c - explanations against Shapley's formula over all subsets, with the answers of single rows. */
#include "support/mixed.h"
#include "forest/forest.h"

static svf_message message;

enum { FEATURES = MIXED_COLUMNS, CLASSES = 3, MOST = 16 };

/* One cell as svf_predictor_row takes it. */
static double cell(const svf_table *table, size_t row, size_t column) {
  const svf_column *c = &table->column[column];
  if (!c->code) return svf_table_number(table, row, column);
  return c->code[row] < 0 ? (double)NAN : c->code[row];
}

typedef struct oracle {
  const svf_forest *forest;
  svf_predictor *predictor;
  const svf_table *table, *background;
  svf_explain_what what;
  size_t d, class_code;
} oracle;

/* The answer to x's values in the subset, z's elsewhere. */
static double mixed_answer(const oracle *o, size_t row, size_t z, size_t subset) {
  double cells[MOST], value[CLASSES], p[CLASSES] = {0}, scores[CLASSES];
  for (size_t j = 0; j < o->d; j++) cells[j] = subset >> j & 1 ? cell(o->table, row, j) : cell(o->background, z, j);
  svf_forest_info info;
  svf_forest_describe(o->forest, &info);
  svf_prediction out = {.values = value, .scores = scores, .probabilities = info.classes ? p : NULL};
  assert_ok(svf_predictor_row(o->predictor, cells, &out, &message), &message);
  if (!info.classes) return value[0];
  if (o->what == SVF_EXPLAIN_MARGIN) return scores[o->class_code];
  double answer = p[o->class_code], kept = fmin(fmax(answer, 1e-6), 1 - 1e-6);
  return o->what == SVF_EXPLAIN_LOG_ODDS ? log(kept / (1 - kept)) : answer;
}

static void brute_force(const oracle *o, size_t row, double *phi) {
  size_t n = svf_table_rows(o->background), all = (size_t)1 << o->d;
  double *v = malloc(all * sizeof *v);
  for (size_t j = 0; j < o->d; j++) phi[j] = 0;
  for (size_t z = 0; z < n; z++) {
    for (size_t s = 0; s < all; s++) v[s] = mixed_answer(o, row, z, s);
    for (size_t s = 0; s < all; s++)
      for (size_t j = 0; j < o->d; j++) {
        int size = __builtin_popcountll(s);
        if (s >> j & 1) continue;
        double share = exp(lgamma(size + 1) + lgamma((double)o->d - size) - lgamma((double)o->d + 1));
        phi[j] += share * (v[s | (size_t)1 << j] - v[s]) / (double)n;
      }
  }
  free(v);
}

static svf_table *rows_of(const svf_table *table, size_t first, size_t count) {
  size_t row[64];
  svf_table *taken;
  for (size_t i = 0; i < count; i++) row[i] = first + i;
  assert_ok(svf_table_take(table, row, count, &taken, &message), &message);
  return taken;
}

/* All that an explanation gives, for tests to look into. */
typedef struct given {
  svf_explanation e;
  double *contributions, *errors, *answers, bases[CLASSES];
  size_t d, k;
} given;

static svf_status explain(const svf_forest *forest, const svf_table *table, svf_explanation wanted, int threads,
                          given *g) {
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  size_t n = svf_table_rows(table);
  *g = (given){.e = wanted, .d = info.features + info.made};
  g->k = info.classes && wanted.class_code < 0 ? info.classes : 1;
  g->e.contributions = g->contributions = calloc(n * g->k * g->d, sizeof(double));
  g->e.errors = g->errors = calloc(n * g->k * g->d, sizeof(double));
  g->e.answers = g->answers = calloc(n * g->k, sizeof(double));
  g->e.bases = g->bases;
  svf_run run = {.threads = threads};
  return svf_explain(forest, table, &run, &g->e, &message);
}

static void forget(given *g) {
  free(g->contributions);
  free(g->errors);
  free(g->answers);
}

/* base + contributions = answer. */
static void adds_up(const given *g, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t o = 0; o < g->k; o++) {
      double sum = g->bases[o];
      for (size_t j = 0; j < g->d; j++) sum += g->contributions[(i * g->k + o) * g->d + j];
      assert_close(sum, g->answers[i * g->k + o], 1e-12);
    }
}

static void agrees(const svf_forest *forest, const svf_table *table, const svf_table *background,
                   svf_explain_what what) {
  given g;
  size_t n = svf_table_rows(table);
  oracle o = {.forest = forest, .table = table, .background = background, .what = what};
  assert_ok(
      explain(forest, table, (svf_explanation){.background = background, .what = what, .class_code = -1}, 2, &g),
      &message);
  assert_ok(svf_predictor_new(forest, &o.predictor, &message), &message);
  o.d = g.d;
  adds_up(&g, n);
  assert_true(g.e.largest_error == 0 && g.e.background_rows == svf_table_rows(background));
  for (size_t i = 0; i < n; i++)
    for (o.class_code = 0; o.class_code < g.k; o.class_code++) {
      double phi[MOST];
      brute_force(&o, i, phi);
      for (size_t j = 0; j < g.d; j++)
        assert_close(g.contributions[(i * g.k + o.class_code) * g.d + j], phi[j], 1e-9);
    }
  svf_predictor_free(o.predictor);
  forget(&g);
}

static void check_method(const char *method, const char *pairs, size_t classes, const svf_explain_what *what) {
  mixed m = {.n = 150, .classes = classes, .missing = true, .seed = 5};
  svf_table *train = test_mixed(&m);
  m.seed = 6, m.n = 12;
  svf_table *other = test_mixed(&m), *table = rows_of(other, 0, 4), *background = rows_of(other, 4, 7);
  svf_forest *forest = test_train(method, pairs, train, 2);
  for (; (int)*what >= 0; what++) agrees(forest, table, background, *what);
  svf_forest_free(forest);
  svf_table *all[] = {train, other, table, background};
  for (int i = 0; i < 4; i++) svf_table_free(all[i]);
}

enum { NO_MORE = -1 };
static const svf_explain_what probabilities[] = {SVF_EXPLAIN_ANSWER, (svf_explain_what)NO_MORE};
static const svf_explain_what odds_too[] = {SVF_EXPLAIN_ANSWER, SVF_EXPLAIN_LOG_ODDS, (svf_explain_what)NO_MORE};
static const svf_explain_what margins_too[] = {SVF_EXPLAIN_ANSWER, SVF_EXPLAIN_MARGIN, (svf_explain_what)NO_MORE};

static void classes_agree(void **state) {
  (void)state;
  check_method("rf", "trees=8", 3, odds_too);
  check_method("et", "trees=8", 2, probabilities);
  check_method("rsvt", "trees=3", 3, probabilities);
  check_method("ccf", "trees=5", 2, probabilities);
  check_method("rf", "trees=5 vote=majority", 3, probabilities);
  check_method("rf", "trees=5 vote=weighted", 2, probabilities);
  check_method("rcf", "trees=2 C_grid=1", 2, probabilities);
  check_method("boost", "trees=20 stop_rounds=0", 2, margins_too);
  check_method("boost", "trees=10 stop_rounds=0", 3, margins_too);
  check_method("boost-l", "trees=5 stop_rounds=0 max_leaves=3", 2, margins_too);
}

static void numbers_agree(void **state) {
  (void)state;
  check_method("rf", "trees=8", 0, probabilities);
  check_method("et", "trees=8 min_leaf=3", 0, probabilities);
  check_method("tbrf-l", "trees=4 cell_rows=30", 0, probabilities);
  check_method("tbrf-l", "trees=2 cell_rows=40 precision=single", 0, probabilities);
  check_method("tbrf-g", "trees=2", 0, probabilities);
  check_method("vp-svm", "cell_rows=50", 0, probabilities);
  check_method("metric-forest", "trees=2 metric=diagonal metric_rounds=1", 0, probabilities);
  check_method("boost", "trees=20 stop_rounds=0", 0, probabilities);
  check_method("boost-l", "trees=5 stop_rounds=0 max_leaves=3", 0, probabilities);
}

static void committees_agree(void **state) {
  (void)state;
  check_method("auto", "effort=1", 2, odds_too);
  check_method("auto", "effort=1", 0, probabilities);
}

/* Many background rows go through a tree in parts; deep trees have many cuts on few features. */
static void many_background_rows(void **state) {
  (void)state;
  svf_table *train = test_synth("friedman1", 400, 5, 0, 1), *other = test_synth("friedman1", 320, 5, 0, 2);
  svf_forest *forest = test_train("rf", "trees=2", train, 2);
  svf_table *table = rows_of(other, 0, 2);
  agrees(forest, table, other, SVF_EXPLAIN_ANSWER);
  svf_forest_free(forest);
  svf_table_free(train);
  svf_table_free(other);
  svf_table_free(table);
}

/* More features than there are shares at hand: sums stay exact. */
static void many_features(void **state) {
  (void)state;
  enum { D = 90 };
  svf_table *train = test_synth("friedman1", 400, D, 0, 1), *other = test_synth("friedman1", 12, D, 0, 2);
  svf_table *table = rows_of(other, 0, 3), *background = rows_of(other, 3, 9);
  svf_forest *forest = test_train("et", "trees=5 features=1", train, 2);
  given g;
  assert_ok(explain(forest, table, (svf_explanation){.background = background, .class_code = -1}, 2, &g), &message);
  adds_up(&g, 3);
  assert_true(g.e.largest_error == 0);
  forget(&g);
  svf_forest_free(forest);
  svf_table *all[] = {train, other, table, background};
  for (int i = 0; i < 4; i++) svf_table_free(all[i]);
}

/* Ten features: orders are drawn. Most contributions lie within a few standard errors, all sums are exact, and twice the
 * pairs err less. */
static void sampled(void **state) {
  (void)state;
  svf_table *train = test_synth("friedman1", 200, 10, 0, 1), *other = test_synth("friedman1", 8, 10, 0, 2);
  svf_table *table = rows_of(other, 0, 2), *background = rows_of(other, 2, 4);
  svf_forest *forest = test_train("random-projection", "trees=10", train, 2);
  double error[2];
  for (int i = 0; i < 2; i++) {
    given g;
    oracle o = {.forest = forest, .table = table, .background = background, .d = 10};
    svf_explanation wanted = {.background = background, .class_code = -1, .permutations = i ? 200 : 20};
    assert_ok(explain(forest, table, wanted, 2, &g), &message);
    assert_ok(svf_predictor_new(forest, &o.predictor, &message), &message);
    adds_up(&g, 2);
    error[i] = 0;
    for (size_t row = 0; row < 2; row++) {
      double phi[MOST];
      brute_force(&o, row, phi);
      for (size_t j = 0; j < 10; j++) {
        double own = g.errors[row * 10 + j];
        assert_true(own <= g.e.largest_error && own > 0);
        assert_true(fabs(g.contributions[row * 10 + j] - phi[j]) < 4.5 * own);
        error[i] += own;
      }
    }
    svf_predictor_free(o.predictor);
    forget(&g);
  }
  assert_true(error[1] < .5 * error[0]);
  svf_forest_free(forest);
  svf_table *all[] = {train, other, table, background};
  for (int i = 0; i < 4; i++) svf_table_free(all[i]);
}

static void same_bytes(const svf_forest *forest, const svf_table *table, const svf_table *background) {
  given one, other;
  size_t n = svf_table_rows(table), bytes;
  svf_explanation wanted = {.background = background, .class_code = -1, .seed = 3};
  assert_ok(explain(forest, table, wanted, 1, &one), &message);
  bytes = one.k * one.d * sizeof(double);
  for (int t = 0; t < 3; t++) {
    static const int threads[] = {2, 3, 8};
    assert_ok(explain(forest, table, wanted, threads[t], &other), &message);
    assert_memory_equal(one.contributions, other.contributions, n * bytes);
    assert_memory_equal(one.errors, other.errors, n * bytes);
    forget(&other);
  }
  svf_table *last = rows_of(table, n - 1, 1);
  assert_ok(explain(forest, last, wanted, 2, &other), &message);
  assert_memory_equal(other.contributions, one.contributions + (n - 1) * one.k * one.d, bytes);
  svf_table_free(last);
  forget(&one);
  forget(&other);
}

/* For any number of threads, and whatever rows stand beside a row. */
static void bytes(void **state) {
  (void)state;
  svf_table *train = test_synth("friedman1", 200, 10, 0, 1), *table = test_synth("friedman1", 40, 10, 0, 2);
  svf_table *background = rows_of(table, 30, 8);
  static const char *const method[] = {"rf", "random-projection"};
  for (int i = 0; i < 2; i++) {
    svf_forest *forest = test_train(method[i], "trees=5", train, 2);
    same_bytes(forest, table, background);
    svf_forest_free(forest);
  }
  svf_table_free(train);
  svf_table_free(table);
  svf_table_free(background);
}

static void refused(const svf_forest *forest, const svf_table *table, svf_explanation wanted, const char *words) {
  given g;
  assert_int_not_equal(explain(forest, table, wanted, 1, &g), SVF_OK);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  forget(&g);
}

static void refusals(void **state) {
  (void)state;
  mixed m = {.n = 60, .classes = 2, .seed = 1};
  svf_table *classes = test_mixed(&m), *numbers = test_synth("friedman1", 60, 5, 0, 1);
  svf_forest *of_classes = test_train("rf", "trees=2", classes, 1),
             *of_numbers = test_train("rf", "trees=2", numbers, 1);
  refused(of_classes, classes, (svf_explanation){0}, "keeps none");
  refused(of_classes, classes, (svf_explanation){.background = classes, .class_code = 2}, "no class number 2");
  refused(of_classes, classes, (svf_explanation){.background = classes, .class_code = -2}, "no class number -2");
  refused(of_classes, classes, (svf_explanation){.background = classes, .what = SVF_EXPLAIN_MARGIN}, "sums of trees");
  refused(of_classes, classes, (svf_explanation){.background = classes, .permutations = 1}, "2 permutations");
  refused(of_classes, classes, (svf_explanation){.background = numbers}, "column");
  refused(of_numbers, numbers, (svf_explanation){.background = numbers, .what = SVF_EXPLAIN_LOG_ODDS},
          "predicts a number");
  svf_forest_free(of_classes);
  svf_forest_free(of_numbers);
  svf_table_free(classes);
  svf_table_free(numbers);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_agree),
      cmocka_unit_test(numbers_agree),
      cmocka_unit_test(committees_agree),
      cmocka_unit_test(many_background_rows),
      cmocka_unit_test(many_features),
      cmocka_unit_test(sampled),
      cmocka_unit_test(bytes),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
