/* test_conformal.c - conformal scores recomputed from answers and truths; in the file, in merged models, in committees; and
 * that intervals hold as often as they say. */
#include "support/mixed.h"
#include "forest/file/image.h"

static svf_message message;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static svf_forest *calibrated(const svf_forest *forest, const svf_table *table) {
  svf_forest *made;
  assert_ok(svf_forest_calibrate(forest, table, NULL, &made, &message), &message);
  assert_int_equal(svf_forest_calibrated(made), svf_table_rows(table));
  return made;
}

/* Scores of a table by the answers to it. */
static double *scores_of(const svf_forest *forest, const svf_table *table) {
  size_t n = svf_table_rows(table), k = svf_table_classes(table);
  double *score = malloc(n * sizeof *score), *spread = malloc(n * sizeof *spread),
         *p = malloc(n * (k + 1) * sizeof *p);
  bool spreads = svf_forest_has_spreads(forest);
  svf_prediction out = {.values = score, .probabilities = k ? p : NULL, .spreads = spreads ? spread : NULL};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < n; i++) {
    if (k) score[i] = 1 - p[i * k + (size_t)svf_table_labels(table)[i]];
    else score[i] = fabs(svf_table_values(table)[i] - score[i]) / (spreads ? spread[i] : 1);
  }
  qsort(score, n, sizeof *score, by_size);
  free(spread);
  free(p);
  return score;
}

static void agrees(const char *method, const char *pairs, size_t classes) {
  svf_table *train = test_synth(classes ? "classification" : "friedman1", 150, 6, classes, 1);
  svf_table *other = test_synth(classes ? "classification" : "friedman1", 39, 6, classes, 2);
  svf_forest *forest = test_train(method, pairs, train, 2), *made = calibrated(forest, other);
  double *score = scores_of(forest, other);
  for (size_t i = 0; i < 39; i++) assert_close(made->conformal[i], score[i], 1e-12);
  for (int hundredth = 1; hundredth < 100; hundredth++) {
    int rank = (40 * hundredth + 99) / 100;
    double wanted = rank > 39 ? (double)INFINITY : made->conformal[rank - 1];
    assert_true(svf_forest_conformal(made, hundredth / 100.) == wanted);
  }
  assert_true(isnan(svf_forest_conformal(made, 0)) && isnan(svf_forest_conformal(made, 1)));
  assert_true(isnan(svf_forest_conformal(forest, .5)) && svf_forest_calibrated(forest) == 0);
  double before[39], after[39];
  svf_prediction one = {.values = before}, two = {.values = after};
  assert_ok(svf_predict(forest, other, NULL, &one, &message), &message);
  assert_ok(svf_predict(made, other, NULL, &two, &message), &message);
  assert_memory_equal(before, after, sizeof before);
  free(score);
  svf_forest_free(forest);
  svf_forest_free(made);
  svf_table_free(train);
  svf_table_free(other);
}

static void scores_agree(void **state) {
  (void)state;
  agrees("rf", "trees=10", 0);
  agrees("boost", "trees=10 stop_rounds=0", 0);
  agrees("tbrf-l", "trees=2 background=3", 0);
  agrees("metric-forest", "trees=2 metric=diagonal metric_rounds=1", 0);
  agrees("auto", "effort=1", 0);
  agrees("rf", "trees=10", 3);
  agrees("auto", "effort=1 background=4", 2);
}

/* Calibrating again replaces the scores; a merged model has none. */
static void bytes(void **state) {
  (void)state;
  svf_table *train = test_synth("friedman1", 100, 5, 0, 1), *a = test_synth("friedman1", 20, 5, 0, 2),
            *b = test_synth("friedman1", 30, 5, 0, 3);
  svf_forest *forest = test_train("rf", "trees=3", train, 2), *first = calibrated(forest, a),
             *second = calibrated(first, b), *direct = calibrated(forest, b), *loaded, *merged;
  assert_int_equal(second->size, direct->size);
  assert_memory_equal(second->image, direct->image, direct->size);
  assert_ok(svf_forest_from_bytes(direct->image, direct->size, &loaded, &message), &message);
  assert_memory_equal(loaded->conformal, direct->conformal, 30 * sizeof(double));
  const svf_forest *part[] = {direct};
  assert_ok(svf_forest_merge(part, 1, &merged, &message), &message);
  assert_int_equal(merged->size, forest->size);
  assert_memory_equal(merged->image, forest->image, forest->size);
  svf_forest *all[] = {forest, first, second, direct, loaded, merged};
  for (int i = 0; i < 6; i++) svf_forest_free(all[i]);
  svf_table_free(train);
  svf_table_free(a);
  svf_table_free(b);
}

static void spoilt(void **state) {
  (void)state;
  svf_table *train = test_synth("classification", 60, 4, 2, 1), *other = test_synth("classification", 9, 4, 2, 2);
  svf_forest *forest = test_train("rf", "trees=2", train, 1), *made = calibrated(forest, other), *again;
  unsigned char *copy = malloc(made->size);
  static const double first[] = {NAN, -1e-9, 1.5, INFINITY, 2};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    memcpy(copy, made->image, made->size);
    memcpy(copy + ((const unsigned char *)made->conformal - made->image), &first[i], sizeof(double));
    svf_image_seal(copy, made->size);
    assert_int_equal(svf_forest_from_bytes(copy, made->size, &again, &message), SVF_DATA);
    assert_non_null(strstr(message.text, "scores of its calibration"));
  }
  free(copy);
  svf_forest_free(forest);
  svf_forest_free(made);
  svf_table_free(train);
  svf_table_free(other);
}

/* Rows of `table` that are not in `part`, by their values, which are all different. */
static size_t rows_beside(const svf_table *table, const svf_forest *made, const double *scores, size_t *row) {
  size_t count = 0, held = svf_forest_calibrated(made);
  for (size_t i = 0; i < svf_table_rows(table); i++) {
    bool found = false;
    for (size_t j = 0; j < held && !found; j++) found = scores[i] == made->conformal[j];
    if (!found) row[count++] = i;
  }
  return count;
}

/* interval=conformal gives the bytes of training on the rows that it does not hold apart, and calibrating with those that it
 * does. Which these are shows by their scores: boosting without spread leaves |y - f(x)| of each. */
static void held_apart(const char *method, const char *pairs, double share, size_t classes) {
  char text[200];
  svf_table *table = test_synth(classes ? "classification" : "friedman1", 120, 5, classes, 4), *part[2];
  snprintf(text, sizeof text, "interval=conformal interval_fraction=%g %s", share, pairs);
  svf_forest *made = test_train(method, text, table, 2), *again = test_train(method, text, table, 1), *plain, *twin;
  assert_int_equal(made->size, again->size);
  assert_memory_equal(made->image, again->image, made->size);
  size_t held = svf_forest_calibrated(made), row[120], other[120], count, apart = 0;
  assert_int_equal(held, (size_t)(120 * share + .5));
  double score[120], spread[120];
  svf_prediction out = {.values = score, .spreads = svf_forest_has_spreads(made) ? spread : NULL};
  double probability[120 * 4];
  if (classes) out = (svf_prediction){.probabilities = probability};
  assert_ok(svf_predict(made, table, NULL, &out, &message), &message);
  for (size_t i = 0; i < 120; i++)
    if (classes) score[i] = fmax(0, 1 - probability[i * classes + (size_t)svf_table_labels(table)[i]]);
    else score[i] = fabs(svf_table_values(table)[i] - score[i]) / (out.spreads ? spread[i] : 1);
  count = rows_beside(table, made, score, row);
  assert_int_equal(count + held, 120); /* no two rows of these tables have one score */
  for (size_t i = 0, at = 0; i < 120; i++)
    if (at < count && row[at] == i) at++;
    else other[apart++] = i;
  assert_ok(svf_table_take(table, row, count, &part[0], &message), &message);
  assert_ok(svf_table_take(table, other, apart, &part[1], &message), &message);
  plain = test_train(method, pairs, part[0], 2);
  twin = calibrated(plain, part[1]);
  assert_int_equal(made->size, twin->size);
  assert_memory_equal(made->image, twin->image, made->size);
  if (!classes && !made->committee) assert_true(made->oob == plain->oob || (isnan(made->oob) && isnan(plain->oob)));
  svf_forest *all[] = {made, again, plain, twin};
  for (int i = 0; i < 4; i++) svf_forest_free(all[i]);
  for (int i = 0; i < 2; i++) svf_table_free(part[i]);
  svf_table_free(table);
}

static void at_training(void **state) {
  (void)state;
  held_apart("rf", "trees=10", .25, 0);
  held_apart("boost", "trees=10 stop_rounds=0", .5, 0);
  held_apart("tbrf-l", "trees=2 background=3", .1, 0);
  held_apart("metric-forest", "trees=2 metric=diagonal metric_rounds=1", .3, 0);
  held_apart("rsvt", "trees=2 C=1 vote=mean partition_rows=100", .1, 2);
  held_apart("auto", "effort=1", .25, 0);
  held_apart("metric-forest", "trees=2 metric=diagonal metric_rounds=1", .25, 2);
}

/* With 19 rows, 90% is score number 18 of 19: the mean coverage over many calibrations is 18/20. */
static void intervals_hold(void **state) {
  (void)state;
  enum { TIMES = 300, ROWS = 19, TEST = 200 };
  svf_table *train = test_synth("friedman1", 150, 5, 0, 1);
  svf_forest *forest = test_train("rf", "trees=10", train, 2);
  double held = 0;
  for (uint64_t t = 0; t < TIMES; t++) {
    svf_table *few = test_synth("friedman1", ROWS, 5, 0, 100 + t),
              *test = test_synth("friedman1", TEST, 5, 0, 1000 + t);
    svf_forest *made = calibrated(forest, few);
    double *score = scores_of(forest, test), most = svf_forest_conformal(made, .9);
    for (size_t i = 0; i < TEST; i++) held += score[i] <= most;
    free(score);
    svf_forest_free(made);
    svf_table_free(few);
    svf_table_free(test);
  }
  assert_true(fabs(held / (TIMES * TEST) - .9) < .015);
  svf_forest_free(forest);
  svf_table_free(train);
}

static void refused(const svf_forest *forest, const svf_table *table, const char *words) {
  svf_forest *made = (svf_forest *)&message;
  assert_int_not_equal(svf_forest_calibrate(forest, table, NULL, &made, &message), SVF_OK);
  assert_null(made);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void untrained(const char *method, const char *pairs, const svf_table *table, svf_status status,
                      const char *words) {
  svf_settings *settings = test_settings(method, pairs);
  svf_forest *made = (svf_forest *)&message;
  assert_int_equal(svf_train(settings, table, NULL, &made, &message), status);
  assert_null(made);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  svf_settings_free(settings);
}

static void refusals(void **state) {
  (void)state;
  svf_table *numbers = test_synth("friedman1", 60, 5, 0, 1), *classes = test_synth("classification", 60, 5, 2, 1),
            *none;
  svf_forest *forest = test_train("rf", "trees=2", numbers, 1);
  const double x[10] = {0};
  const svf_matrix matrix = {.values = x, .rows = 2, .columns = 5, .row_stride = 5, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &none, &message), &message);
  refused(forest, none, "there is no target");
  refused(forest, classes, "the target is classes");
  double weight[60];
  for (int i = 0; i < 60; i++) weight[i] = 1 + i;
  assert_ok(svf_table_set_weights(numbers, weight, &message), &message);
  refused(forest, numbers, "leave the weights out");
  untrained("rf", "interval=conformal", numbers, SVF_USAGE, "leave the weights out");
  untrained("rf", "interval_fraction=0.2", classes, SVF_USAGE, "is for interval=conformal");
  untrained("auto", "interval_fraction=0.2", classes, SVF_USAGE, "is for interval=conformal");
  untrained("rf", "interval=conformal", none, SVF_DATA, "no target");
  svf_table *few = test_synth("friedman1", 2, 5, 0, 1), *three = test_synth("friedman1", 3, 5, 0, 1);
  untrained("rf", "interval=conformal", few, SVF_DATA, "at least 3 rows");
  svf_forest *least = test_train("rf", "trees=1 interval=conformal interval_fraction=0.9", three, 1);
  assert_int_equal(svf_forest_calibrated(least), 1);
  svf_forest_free(least);
  svf_table_free(few);
  svf_table_free(three);
  svf_forest_free(forest);
  svf_table_free(numbers);
  svf_table_free(classes);
  svf_table_free(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scores_agree),   cmocka_unit_test(bytes),
                                     cmocka_unit_test(spoilt),         cmocka_unit_test(at_training),
                                     cmocka_unit_test(intervals_hold), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
