/* test_predict.c - what a forest says: against trees and leaves read one by one, and the same bits whatever rows stand
 * beside a row, however many threads there are, whatever else is asked for, and one row at a time. */
#include "support/forest.h"
#include "support/toy.h"
#include "leaf/linear_svm.h"

enum { ROWS = 400, D = 5, CLASSES = 4 };
static svf_message message;

/* n rows from number `first` on of always the same ROWS rows, which go to x: the fourth column is a category, every ninth
 * cell is missing, and where strange, every 37th row has a category that training never saw. */
static svf_table *make_table(size_t first, size_t n, bool strange, double *x, bool classes) {
  static const char *const names[] = {"a", "b", "c", "d"}, *const levels[] = {"p", "q", "r", "new"};
  svf_random random = svf_random_at((svf_place){.seed = 5});
  svf_table *table = NULL;
  int32_t label[ROWS], code[ROWS];
  double value[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    double *row = x + i * D;
    for (size_t j = 0; j < D; j++) row[j] = svf_random_normal(&random);
    row[3] = (double)svf_random_below(&random, 3);
    label[i] = (int32_t)((row[0] > 0) + 2 * (row[1] + row[2] * row[4] > 0));
    if (svf_random_unit(&random) < .2) label[i] = (int32_t)svf_random_below(&random, CLASSES);
    value[i] = row[0] + row[1] * row[2];
    if (strange && i % 37 == 5) row[3] = 3;
    code[i] = (int32_t)row[3];
    for (size_t j = 0; j < D; j++)
      if ((i * D + j) % 9 == 4) row[j] = NAN;
    if (isnan(row[3])) code[i] = -1;
  }
  svf_matrix matrix = {x + first * D, 0, n, D, D, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 3, code + first, levels, strange ? 4 : 3, &message), &message);
  if (classes) assert_ok(svf_table_set_classes(table, label + first, names, CLASSES, &message), &message);
  else assert_ok(svf_table_set_values(table, value + first, &message), &message);
  return table;
}

/* ---- a forest read one node and one number at a time ---- */

static size_t walk(const svf_forest *forest, size_t tree, const float *x) {
  svf_node_info node;
  svf_forest_node(forest, tree, 0, &node);
  while (node.left) {
    float sum = 0;
    for (size_t t = 0; t < node.term_count; t++) sum += node.terms[t].weight * x[node.terms[t].feature];
    bool left = isnan(sum) ? node.missing_left : sum < node.threshold;
    svf_forest_node(forest, tree, left ? node.left : node.right, &node);
  }
  return node.leaf;
}

static void say_linear(const svf_forest *forest, const double *number, const float *x, double *score, double *share) {
  size_t d = forest->encoding.columns, m = (size_t)number[0], k = svf_forest_k(forest);
  const double *code = number + 5, *sigmoid = code + m, *w = sigmoid + 2 * m;
  double machine[CLASSES * CLASSES], own_score[CLASSES] = {1}, own_share[CLASSES] = {1}, best = -INFINITY;
  size_t machines = m > 1 ? svf_machine_count((svf_scheme)number[1], m) : 0;
  for (size_t a = 0; a < machines; a++, w += d + 1) {
    machine[a] = w[d];
    for (size_t j = 0; j < d; j++) machine[a] += w[j] * (double)(isnan(x[j]) ? forest->fill[j] : x[j]);
  }
  if (m > 1) svf_class_scores((svf_scheme)number[1], m, machine, own_score);
  if (m > 1) svf_class_shares(m, sigmoid, own_score, own_share);
  for (size_t c = 0; c < m; c++) best = fmax(best, own_score[c]);
  for (size_t c = 0; c < k; c++) score[c] = best > -1 ? -1 : best - 1, share[c] = 0;
  for (size_t c = 0; c < m; c++) score[(size_t)code[c]] = own_score[c], share[(size_t)code[c]] = own_share[c];
}

typedef struct said {
  double value, votes[CLASSES], shares[CLASSES];
  size_t leaf[16];
} said;

static said ask_naively(const svf_forest *forest, const float *x) {
  size_t k = svf_forest_k(forest), best = 0;
  bool linear = !strcmp(forest->settings.leaf, "linear-svm");
  double all = 0, number[512];
  said s = {0};
  for (size_t t = 0; t < forest->parts.trees; t++) {
    double score[CLASSES], share[CLASSES], weight = forest->parts.tree[t].weight;
    svf_leaf_info leaf;
    s.leaf[t] = walk(forest, t, x);
    svf_forest_leaf(forest, t, s.leaf[t], &leaf);
    assert_true(leaf.length <= 512 && !leaf.numbers == !!leaf.singles);
    for (size_t i = 0; i < leaf.length; i++) number[i] = leaf.singles ? (double)leaf.singles[i] : leaf.numbers[i];
    if (linear) say_linear(forest, number, x, score, share);
    else
      for (size_t c = 0; c < k; c++) {
        share[c] = leaf.length >= k ? number[c] : number[0] == (double)c; /* shorter: one class alone, its code */
        score[c] = k > 1 ? 2 * share[c] - 1 : share[c];
      }
    forest->kinds.vote->add(k, score, share, weight, s.votes);
    for (size_t c = 0; c < k; c++) s.shares[c] += weight * share[c];
    all += weight;
  }
  for (size_t c = 0; c < k; c++) {
    s.shares[c] /= all;
    if (forest->kinds.vote->average) s.votes[c] /= all;
    if (s.votes[c] > s.votes[best] || (s.votes[c] == s.votes[best] && s.shares[c] > s.shares[best])) best = c;
  }
  s.value = forest->encoding.classes.count ? (double)best : s.votes[0];
  return s;
}

typedef struct answers {
  double value[ROWS], score[ROWS * CLASSES], share[ROWS * CLASSES];
  int32_t leaf[ROWS * 16];
  size_t unseen;
} answers;

static void ask(const svf_forest *forest, const svf_table *table, int threads, bool all, answers *a) {
  svf_run run = {.threads = threads};
  svf_prediction out = {.values = a->value};
  if (all) out.scores = a->score, out.probabilities = a->share, out.leaves = a->leaf;
  memset(a, 0, sizeof *a);
  assert_ok(svf_predict(forest, table, &run, &out, &message), &message);
  a->unseen = out.unseen;
}

static void compare_naively(const svf_forest *forest, const svf_table *table) {
  static answers a;
  svf_frame frame;
  size_t k = svf_forest_k(forest), trees = forest->parts.trees;
  ask(forest, table, 2, true, &a);
  assert_ok(svf_encode(&forest->encoding, table, NULL, &frame, &message), &message);
  for (size_t i = 0; i < frame.n; i++) {
    said s = ask_naively(forest, frame.x + i * frame.stride);
    for (size_t t = 0; t < trees; t++) assert_int_equal(a.leaf[i * trees + t], s.leaf[t]);
    for (size_t c = 0; c < k; c++) {
      assert_close(a.score[i * k + c], s.votes[c], 1e-12);
      if (forest->encoding.classes.count) assert_close(a.share[i * k + c], s.shares[c], 1e-12);
    }
    assert_true(a.value[i] == s.value);
  }
  svf_frame_free(&frame);
}

/* ---- the same bits ---- */

static void row_by_row(const svf_forest *forest, const double *x, const answers *whole) {
  size_t k = svf_forest_k(forest), trees = forest->parts.trees, unseen = 0;
  svf_predictor *predictor;
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  for (size_t i = 0; i < ROWS; i++) {
    double value, alone, score[CLASSES], share[CLASSES] = {0};
    int32_t leaf[16];
    svf_prediction all = {.values = &value, .scores = score, .probabilities = share, .leaves = leaf},
                   one = {.values = &alone};
    assert_ok(svf_predictor_row(predictor, x + i * D, &all, &message), &message);
    assert_ok(svf_predictor_row(predictor, x + i * D, &one, NULL), &message);
    assert_true(value == whole->value[i] && alone == value);
    assert_memory_equal(score, whole->score + i * k, k * sizeof *score);
    assert_memory_equal(share, whole->share + i * k, k * sizeof *share);
    assert_memory_equal(leaf, whole->leaf + i * trees, trees * sizeof *leaf);
    unseen += all.unseen;
  }
  assert_int_equal(unseen, whole->unseen);
  svf_predictor_free(predictor);
}

static void same_bits(const svf_forest *forest, bool classes) {
  static answers whole, other;
  static double x[ROWS * D];
  size_t k = svf_forest_k(forest);
  svf_table *table = make_table(0, ROWS, true, x, classes);
  ask(forest, table, 1, true, &whole);
  assert_true(whole.unseen > 0);
  ask(forest, table, 3, true, &other);
  assert_memory_equal(&whole, &other, sizeof whole);
  ask(forest, table, 2, false, &other);
  assert_memory_equal(whole.value, other.value, sizeof whole.value);
  row_by_row(forest, x, &whole);
  svf_table_free(table);
  for (size_t n = 1; n < 40; n += 13) {
    table = make_table(100, n, true, x, classes);
    ask(forest, table, 1, true, &other);
    assert_memory_equal(other.value, whole.value + 100, n * sizeof(double));
    assert_memory_equal(other.score, whole.score + 100 * k, n * k * sizeof(double));
    svf_table_free(table);
  }
}

static const char *const methods[] = {
    "trees=10",
    "trees=2",
    "trees=2 precision=single",
    "trees=4 multiclass=one-vs-one",
    "trees=4 multiclass=crammer-singer precision=single cpu=portable",
    "trees=6 vote=max-confidence",
    "trees=5 vote=mean bias=no",
    "trees=16 rows=bootstrap vote=weighted min_leaf_factor=0.2",
    "trees=8 leaf=constant min_leaf_factor=0",
    "trees=3 leaf=constant precision=single vote=mean",
};

static void forests_answer_as_their_parts_say(void **state) {
  (void)state;
  static double x[ROWS * D];
  svf_table *table = make_table(0, ROWS, false, x, true), *strange = make_table(0, ROWS, true, x, true);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    svf_forest *forest = test_train("rsvt-full", methods[i], table, 2);
    compare_naively(forest, strange);
    same_bits(forest, true);
    svf_forest_free(forest);
  }
  svf_table_free(table);
  svf_table_free(strange);
}

static void values_too(void **state) {
  (void)state;
  static double x[ROWS * D];
  svf_table *table = make_table(0, ROWS, false, x, false);
  svf_forest *forest = test_train("rsvt-full", "leaf=constant vote=mean trees=7", table, 2);
  compare_naively(forest, table);
  same_bits(forest, false);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* The toy has a cut with two terms; two classes, so that rows of all kinds meet it. */
static void cuts_with_terms(void **state) {
  (void)state;
  svf_forest *forest = toy_forest();
  svf_predictor *predictor;
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  static const double part[] = {NAN, -3, 0, 1, 2, 1.9, 7};
  for (size_t i = 0; i < 7 * 7 * 7; i++) {
    double row[] = {part[i % 7], part[i / 7 % 7], part[i / 49]}, value, share[2];
    float x[5];
    int32_t leaf[2];
    svf_prediction out = {.values = &value, .probabilities = share, .leaves = leaf};
    assert_ok(svf_predictor_row(predictor, row, &out, &message), &message);
    size_t unseen = svf_encode_row(&forest->encoding, row, x);
    said s = ask_naively(forest, x);
    assert_int_equal(out.unseen, unseen);
    assert_true(value == s.value && share[1] == s.shares[1] && leaf[0] == (int32_t)s.leaf[0]);
    for (size_t j = 1; j < 3; j++) unseen -= row[j] == -3 || row[j] == 1.9 || row[j] == 7 || (j == 1 && row[j] == 2);
    assert_int_equal(unseen, 0);
  }
  double infinite[] = {-INFINITY, 0, 0};
  svf_prediction out = {0};
  assert_int_equal(svf_predictor_row(predictor, infinite, &out, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "'age'"));
  assert_int_equal(svf_forest_categories(forest, 0) + svf_forest_categories(forest, 9), 0);
  assert_int_equal(svf_forest_categories(forest, 2), 3);
  assert_string_equal(svf_forest_category_name(forest, 2, 1), "blue");
  assert_null(svf_forest_category_name(forest, 2, 3));
  assert_null(svf_forest_category_name(forest, 0, 0));
  svf_predictor_free(predictor);
  svf_predictor_free(NULL);
  svf_forest_free(forest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forests_answer_as_their_parts_say),
                                     cmocka_unit_test(values_too), cmocka_unit_test(cuts_with_terms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
