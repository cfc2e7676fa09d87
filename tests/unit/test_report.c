/* test_report.c - what a report says, computed again naively: areas from pairs of rows, bootstrap intervals from the same draws,
 * calibration, coverage, partial dependence; the page has the same bytes for any number of threads. */
#include "support/mixed.h"
#include "base/random.h"
#include "report/markup.h"
#include "report/report.h"

static svf_message message;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- outcomes ---- */

enum { N = 60, K = 3 };
typedef struct drawn {
  int32_t label[N];
  double predicted[N], probability[N * K], weight[N];
  svf_outcome outcome;
} drawn;

/* Probabilities of one decimal, so that many are equal; some labels are not known. */
static void draw(drawn *d, uint64_t seed, size_t k) {
  svf_random random = svf_random_at((svf_place){.seed = seed});
  for (size_t i = 0; i < N; i++) {
    double all = 0;
    size_t best = 0;
    d->label[i] = svf_random_below(&random, 12) ? (int32_t)svf_random_below(&random, k) : -1;
    d->weight[i] = 3 * svf_random_unit(&random);
    for (size_t c = 0; c < k; c++) all += d->probability[i * k + c] = 1 + (double)svf_random_below(&random, 4);
    for (size_t c = 0; c < k; c++) d->probability[i * k + c] /= all;
    for (size_t c = 1; c < k; c++)
      if (d->probability[i * k + c] > d->probability[i * k + best]) best = c;
    d->predicted[i] = (double)best;
  }
  d->outcome = (svf_outcome){N, k, d->label, NULL, d->predicted, d->probability, d->weight};
}

static double area_of_pairs(const svf_outcome *o, size_t c) {
  double pairs = 0, wins = 0;
  for (size_t i = 0; i < o->n; i++)
    for (size_t j = 0; j < o->n; j++) {
      if (o->label[i] != (int32_t)c || o->label[j] < 0 || o->label[j] == (int32_t)c) continue;
      double weight = o->weight[i] * o->weight[j], p = o->probabilities[i * o->k + c],
             q = o->probabilities[j * o->k + c];
      pairs += weight;
      wins += weight * (p > q ? 1 : p == q ? .5 : 0);
    }
  return wins / pairs;
}

static void test_areas(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    drawn d;
    svf_arena arena = {0};
    svf_ranks ranks;
    svf_class_measures m;
    double confusion[(K + 1) * K], all = 0, right = 0, mean = 0;
    draw(&d, seed, 2 + seed % 2);
    assert_true(svf_ranks_make(&d.outcome, &arena, &ranks));
    for (size_t c = ranks.first; c < d.outcome.k; c++) {
      assert_close(svf_ranks_area(&d.outcome, &ranks, c), area_of_pairs(&d.outcome, c), 1e-12);
      mean += area_of_pairs(&d.outcome, c) / (double)ranks.classes;
    }
    assert_ok(svf_measure_classes(&d.outcome, confusion, &m, &message), &message);
    assert_close(m.auc, mean, 1e-12);
    for (size_t i = 0; i < N; i++) {
      all += d.weight[i];
      if (d.label[i] == (int32_t)d.predicted[i]) right += d.weight[i];
    }
    assert_close(m.accuracy, right / all, 1e-12);
    double counted = 0;
    for (size_t i = 0; i < (d.outcome.k + 1) * d.outcome.k; i++) counted += confusion[i];
    assert_close(counted, all, 1e-12);
    svf_arena_free(&arena);
  }
}

/* A report on answers that are given, without a model behind them. */
static svf_report report_on(const svf_outcome *o, const svf_report_options *options) {
  svf_report r = {.options = options, .rows = *o};
  for (size_t i = 0; i < o->n; i++) r.total += svf_report_weight(&r, i);
  assert_true(svf_ranks_make(&r.rows, &r.memory, &r.ranks));
  return r;
}

/* Under the points of a curve, straight lines between them. */
static double under(const svf_polyline *line) {
  double sum = 0;
  for (size_t i = 1; i < line->count; i++)
    sum += (line->point[i].x - line->point[i - 1].x) * (line->point[i].y + line->point[i - 1].y) / 2;
  return sum;
}

/* Rows of the class among those that are at least as probable, at each of its rows: the mean of these shares. */
static double precision_of_rows(const svf_outcome *o, size_t c) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < o->n; i++) {
    if (o->label[i] != (int32_t)c) continue;
    double above = 0, right = 0;
    for (size_t j = 0; j < o->n; j++) {
      if (o->label[j] < 0 || o->probabilities[j * o->k + c] < o->probabilities[i * o->k + c]) continue;
      above += o->weight[j];
      if (o->label[j] == (int32_t)c) right += o->weight[j];
    }
    sum += o->weight[i] * right / above;
    all += o->weight[i];
  }
  return sum / all;
}

static void test_curves(void **state) {
  (void)state;
  static const svf_report_options options = {0};
  for (uint64_t seed = 0; seed < 20; seed++) {
    drawn d;
    draw(&d, seed, 2 + seed % 2);
    svf_report r = report_on(&d.outcome, &options);
    assert_true(svf_report_curves(&r));
    assert_int_equal(r.curves, d.outcome.k == 2 ? 1 : K);
    for (size_t c = 0; c < r.curves; c++) {
      const svf_one_class *one = &r.curve[c];
      assert_close(one->area, area_of_pairs(&d.outcome, one->class_code), 1e-12);
      assert_close(under(&one->roc), one->area, .02); /* points that are near each other are left out */
      assert_close(one->precision, precision_of_rows(&d.outcome, one->class_code), 1e-12);
      assert_close(one->roc.point[one->roc.count - 1].x, 1, 1e-12);
      assert_close(one->recall.point[one->recall.count - 1].x, 1, 1e-12);
      if (c) assert_true(r.curve[c - 1].area <= one->area);
    }
    svf_arena_free(&r.memory);
  }
}

static void test_calibration(void **state) {
  (void)state;
  static const svf_report_options options = {0};
  for (uint64_t seed = 0; seed < 10; seed++) {
    drawn d;
    draw(&d, seed, 2 + seed % 2);
    svf_report r = report_on(&d.outcome, &options);
    svf_report_calibration(&r);
    double distance = 0;
    for (int b = 0; b < SVF_REPORT_BINS; b++) {
      double weight = 0, said = 0, held = 0;
      for (size_t i = 0; i < N; i++) {
        size_t c = d.outcome.k == 2 ? 1 : (size_t)d.predicted[i];
        double p = d.probability[i * d.outcome.k + c];
        if (!(p >= b / 10. && (p < (b + 1) / 10. || b == 9))) continue;
        weight += d.weight[i];
        said += d.weight[i] * p;
        held += d.weight[i] * (d.label[i] == (int32_t)c);
      }
      assert_close(r.bin[b].weight, weight, 1e-12);
      if (weight == 0) continue;
      assert_close(r.bin[b].said, said / weight, 1e-12);
      assert_close(r.bin[b].held, held / weight, 1e-12);
      assert_true(r.bin[b].low <= r.bin[b].held + 1e-12 && r.bin[b].held <= r.bin[b].high + 1e-12);
      distance += weight / r.total * fabs(said / weight - held / weight);
    }
    assert_close(r.miscalibration, distance, 1e-12);
    svf_arena_free(&r.memory);
  }
}

/* ---- models ---- */

static svf_report found(const svf_forest *forest, const svf_table *table, const svf_report_options *options) {
  svf_report r = {.forest = forest, .table = table, .options = options, .encoding = &forest->encoding};
  assert_ok(svf_report_find(&r, &message), &message);
  return r;
}

/* The same draws, and accuracy by counting. */
static void test_bootstrap(void **state) {
  (void)state;
  enum { ROWS = 90, SAMPLES = 80 };
  svf_table *train = test_synth("classification", 150, 6, 3, 1), *test = test_synth("classification", ROWS, 6, 3, 2);
  svf_forest *forest = test_train("rf", "trees=10", train, 1);
  svf_report_options options = {.seed = 7, .resamples = SAMPLES}, other = {.seed = 8, .resamples = SAMPLES};
  svf_report r = found(forest, test, &options), s = found(forest, test, &other);
  double accuracy[SAMPLES];
  for (size_t b = 0; b < SAMPLES; b++) {
    svf_random random = svf_random_at((svf_place){7, SVF_USE_REPORT, SVF_REPORT_BOOTSTRAP, b, 0});
    double right = 0;
    for (size_t i = 0; i < ROWS; i++) {
      size_t row = svf_random_below(&random, ROWS);
      right += r.rows.label[row] == (int32_t)r.rows.predicted[row];
    }
    accuracy[b] = right / ROWS;
  }
  qsort(accuracy, SAMPLES, sizeof *accuracy, by_size);
  double low = .025 * (SAMPLES - 1), high = .975 * (SAMPLES - 1);
  size_t l = (size_t)low, h = (size_t)high;
  assert_string_equal(r.score[0].name, "accuracy");
  assert_close(r.score[0].value, test_result(forest, test), 1e-12);
  assert_close(r.score[0].low, accuracy[l] + (low - (double)l) * (accuracy[l + 1] - accuracy[l]), 1e-12);
  assert_close(r.score[0].high, accuracy[h] + (high - (double)h) * (accuracy[h + 1] - accuracy[h]), 1e-12);
  int apart = 0;
  for (size_t i = 0; i < r.scores; i++) {
    assert_true(r.score[i].low <= r.score[i].value && r.score[i].value <= r.score[i].high);
    apart += r.score[i].low != s.score[i].low;
  }
  assert_true(apart > 0);
  svf_arena_free(&r.memory);
  svf_arena_free(&s.memory);
  svf_forest_free(forest);
  svf_table_free(train);
  svf_table_free(test);
}

/* Numbers: coverage and hardest rows from the predictions, partial dependence row by row. */
static void test_numbers(void **state) {
  (void)state;
  enum { ROWS = 80 };
  svf_table *train = test_synth("friedman1", 200, 6, 0, 1), *test = test_synth("friedman1", ROWS, 6, 0, 2);
  svf_forest *forest = test_train("rf", "trees=10", train, 1);
  svf_report_options options = {.resamples = 20};
  svf_report r = found(forest, test, &options);
  double value[ROWS], spread[ROWS];
  svf_prediction said = {.values = value, .spreads = spread};
  assert_ok(svf_predict(forest, test, NULL, &said, &message), &message);
  for (size_t l = 0; l < r.levels; l++) {
    double held = 0, width = 0, reach = svf_forest_reach(forest, r.level[l].level);
    for (size_t i = 0; i < ROWS; i++) {
      held += fabs(value[i] - svf_table_values(test)[i]) <= reach * spread[i];
      width += 2 * reach * spread[i];
    }
    assert_close(r.level[l].held, held / ROWS, 1e-12);
    assert_close(r.level[l].size, width / ROWS, 1e-12);
  }
  assert_int_equal(r.levels, SVF_REPORT_LEVELS);
  assert_int_equal(r.hardest, SVF_REPORT_HARD);
  for (size_t h = 1; h < r.hardest; h++)
    assert_true(svf_report_loss(&r, r.hard[h - 1]) >= svf_report_loss(&r, r.hard[h]));
  for (size_t i = 0, beyond = 0; i < ROWS; i++) {
    beyond += svf_report_loss(&r, i) > svf_report_loss(&r, r.hard[r.hardest - 1]);
    assert_true(beyond < SVF_REPORT_HARD);
  }
  svf_predictor *predictor;
  assert_ok(svf_predictor_new(forest, &predictor, &message), &message);
  assert_true(r.dependences >= 2 && r.asked == ROWS);
  for (size_t f = 0; f < r.dependences; f++)
    for (size_t p = 0; p < r.dependence[f].points; p++) {
      double mean = 0, one, row[6];
      svf_prediction answer = {.values = &one};
      for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 6; j++) row[j] = svf_table_number(test, i, j);
        row[r.dependence[f].feature] = r.dependence[f].x[p];
        assert_ok(svf_predictor_row(predictor, row, &answer, &message), &message);
        mean += one / ROWS;
      }
      assert_close(r.dependence[f].answer[p], mean, 1e-12);
    }
  svf_predictor_free(predictor);
  svf_arena_free(&r.memory);
  svf_forest_free(forest);
  svf_table_free(train);
  svf_table_free(test);
}

/* ---- the page ---- */

static char *page_of(const svf_forest *forest, const svf_table *table, const svf_report_options *options, int threads,
                     size_t *size) {
  static const char path[] = "test_report.html";
  svf_run run = {.threads = threads};
  assert_ok(svf_forest_report(forest, table, options, &run, path, &message), &message);
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  *size = (size_t)ftell(in);
  rewind(in);
  char *text = calloc(*size + 1, 1);
  assert_int_equal(fread(text, 1, *size, in), *size);
  fclose(in);
  remove(path);
  return text;
}

static void same_pages(const char *method, const char *pairs, const svf_table *table) {
  static const svf_report_options options = {.seed = 3, .resamples = 30}, other = {.seed = 4, .resamples = 30};
  svf_forest *forest = test_train(method, pairs, table, 2);
  size_t size, again;
  char *page = page_of(forest, table, &options, 1, &size);
  assert_non_null(strstr(page, "</html>"));
  assert_true(size < 2000000);
  for (int threads = 2; threads <= 8; threads *= 2) {
    char *one = page_of(forest, table, &options, threads, &again);
    assert_int_equal(again, size);
    assert_memory_equal(one, page, size);
    free(one);
  }
  char *one = page_of(forest, table, &other, 2, &again);
  assert_true(again != size || memcmp(one, page, size));
  free(one);
  free(page);
  svf_forest_free(forest);
}

static void test_pages(void **state) {
  (void)state;
  svf_table *classes = test_synth("classification", 120, 5, 3, 1), *values = test_synth("friedman1", 120, 5, 0, 1);
  same_pages("rf", "trees=5", classes);
  same_pages("rsvt", "trees=2", classes);
  same_pages("rf", "trees=5", values);
  same_pages("boost", "trees=5", values);
  svf_table_free(classes);
  svf_table_free(values);
}

/* Out of bag, and a table of which some rows have no target or no known label. */
static void test_rows(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 100, 5, 2, 1);
  svf_forest *forest = test_train("rf", "trees=8", table, 1), *whole = test_train("et", "trees=3", table, 1);
  svf_report_options bagged = {.resamples = 10, .oob = 1}, plain = {.resamples = 10};
  double values[100];
  svf_oob_answers oob = {.values = values};
  assert_ok(svf_forest_oob(forest, table, NULL, &oob, &message), &message);
  svf_report r = found(forest, table, &bagged);
  for (size_t i = 0; i < r.rows.n; i++) assert_true(r.rows.predicted[i] == values[r.number[i]]);
  assert_close(r.score[0].value, oob.result, 1e-12);
  assert_true(r.unanswered > 0 && r.unanswered + r.rows.n == 100);
  svf_arena_free(&r.memory);
  svf_report refused = {.forest = whole, .table = table, .options = &bagged, .encoding = &whole->encoding};
  assert_int_equal(svf_report_find(&refused, &message), SVF_USAGE);
  svf_arena_free(&refused.memory);
  static const char *const names[] = {"0", "1", "2"};
  int32_t label[100];
  for (size_t i = 0; i < 100; i++) label[i] = i % 10 ? svf_table_labels(table)[i] : 2;
  assert_ok(svf_table_set_classes(table, label, names, 3, &message), &message);
  r = found(whole, table, &plain);
  assert_int_equal(r.classes.unknown, 10);
  assert_true(isnan(r.score[4].constant) && r.shuffled == 90);
  svf_arena_free(&r.memory);
  svf_forest_free(forest);
  svf_forest_free(whole);
  svf_table_free(table);
}

static void test_refusals(void **state) {
  (void)state;
  svf_table *classes = test_synth("classification", 40, 4, 2, 1), *values = test_synth("friedman1", 40, 5, 0, 1);
  svf_forest *forest = test_train("rf", "trees=2", classes, 1);
  const double x[8] = {0};
  const svf_matrix matrix = {x, 0, 2, 4, 4, 1};
  svf_table *bare;
  assert_ok(svf_table_new(&matrix, NULL, &bare, &message), &message);
  assert_int_equal(svf_forest_report(forest, bare, NULL, NULL, "no.html", &message), SVF_DATA);
  assert_non_null(strstr(message.text, "svforest info"));
  assert_int_equal(svf_forest_report(forest, values, NULL, NULL, "no.html", &message), SVF_DATA);
  assert_int_equal(svf_forest_report(forest, classes, NULL, NULL, "no/such/place.html", &message), SVF_IO);
  svf_table_free(bare);
  svf_table_free(classes);
  svf_table_free(values);
  svf_forest_free(forest);
}

/* ---- text and axes ---- */

static void wrote(svf_buffer *out, const char *wanted) {
  svf_buffer_add(out, "", 1);
  assert_string_equal((const char *)out->data, wanted);
  svf_buffer_free(out);
}

static void test_markup(void **state) {
  (void)state;
  svf_buffer out = {0};
  svf_markup_text(&out, "a<b>&\"c'\n\xff\xe2\x82\xac\xef\xbf\xbf\xed\xa0\x80");
  wrote(&out, "a&#60;b&#62;&#38;&#34;c&#39;\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac"
              "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  svf_markup_name(&out, "abcdef", 6);
  wrote(&out, "abcdef");
  svf_markup_name(&out, "äöüäöüä", 4);
  wrote(&out, "äöü…");
  static const struct {
    double number;
    const char *text;
  } numbers[] = {{0, "0"},           {-0., "0"}, {12345, "12345"}, {.123456, "0.1235"}, {1234.56, "1234.6"},
                 {12345.6, "12346"}, {NAN, "–"}, {INFINITY, "∞"},  {3e12, "3e+12"},     {-2.5, "-2.5"}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    svf_markup_number(&out, numbers[i].number);
    wrote(&out, numbers[i].text);
  }
  svf_markup_short(&out, 250000);
  wrote(&out, "250k");
  svf_markup_short(&out, -1.5e6);
  wrote(&out, "-1.5M");
  svf_markup_count(&out, 1234567);
  wrote(&out, "1,234,567");
  svf_markup_percent(&out, .12345);
  wrote(&out, "12.3%");
  svf_markup_place(&out, -.26);
  wrote(&out, "-0.3");
}

static void test_axes(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (int i = 0; i < 1000; i++) {
    double size = pow(10, 40 * svf_random_unit(&random) - 20), a = size * svf_random_normal(&random);
    double b = i % 10 ? size * svf_random_normal(&random) : a, low = fmin(a, b), high = fmax(a, b);
    svf_chart_axis axis = svf_chart_over(low, high);
    double slack = axis.step * 1e-9;
    assert_true(axis.low <= low + slack && high <= axis.high + slack && axis.step > 0);
    double steps = (axis.high - axis.low) / axis.step;
    assert_true(steps > .999 && steps < 8.001);
    assert_close(steps, round(steps), 1e-6);
  }
  const double odd[][2] = {{0, 0}, {-1.7e308, 1.7e308}, {1e300, 1e300}, {5e-324, 5e-324}, {NAN, 1}, {-INFINITY, 0}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    svf_chart_axis axis = svf_chart_over(odd[i][0], odd[i][1]);
    assert_true(isfinite(axis.step) && axis.step > 0 && axis.low < axis.high);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_areas),     cmocka_unit_test(test_curves),   cmocka_unit_test(test_calibration),
      cmocka_unit_test(test_bootstrap), cmocka_unit_test(test_numbers),  cmocka_unit_test(test_pages),
      cmocka_unit_test(test_rows),      cmocka_unit_test(test_refusals), cmocka_unit_test(test_markup),
      cmocka_unit_test(test_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
