/* test_synth.c - synthetic sets: repeatable, of the asked size, and as hard as they say. */
#include "support/test.h"
#include "svforest_inspect.h"
#include "data/table.h"

static svf_message message;

static svf_table *make(const char *kind, svf_synth_options options, double *risk) {
  svf_table *table;
  assert_ok(svf_table_synth(kind, &options, &table, risk, &message), &message);
  return table;
}

static void assert_same(const svf_table *a, const svf_table *b) {
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->d, b->d);
  for (size_t j = 0; j < a->d; j++)
    assert_memory_equal(a->column[j].number, b->column[j].number, a->n * sizeof(double));
  if (a->label) assert_memory_equal(a->label, b->label, a->n * sizeof(int32_t));
  else assert_memory_equal(a->value, b->value, a->n * sizeof(double));
}

static void all_kinds(void **state) {
  (void)state;
  for (size_t i = 0; i < svf_synth_count(); i++) {
    const svf_synth_info *info = svf_synth_at(i);
    svf_table *a = make(info->name, (svf_synth_options){.rows = 101, .seed = 5}, NULL);
    svf_table *b = make(info->name, (svf_synth_options){.rows = 101, .seed = 5}, NULL);
    svf_table *c =
        make(info->name, (svf_synth_options){.rows = 101, .features = info->features + 3, .seed = 6}, NULL);
    assert_int_equal(a->n, 101);
    assert_int_equal(a->d, info->features);
    assert_int_equal(c->d, info->features + 3);
    assert_int_equal(a->task, info->task);
    assert_same(a, b);
    assert_memory_not_equal(a->column[0].number, c->column[0].number, 101 * sizeof(double));
    svf_table_free(a);
    svf_table_free(b);
    svf_table_free(c);
  }
  assert_null(svf_synth_at(svf_synth_count()));
  svf_table *standard;
  assert_ok(svf_table_synth("moons", NULL, &standard, NULL, &message), &message);
  assert_int_equal(svf_table_rows(standard), 1000);
  svf_table_free(standard);
}

/* The best rules there are, from the densities; x is one row. */

static double twonorm_rule(const double *x, size_t d) {
  double sum = 0;
  for (size_t j = 0; j < d; j++) sum += x[j];
  return sum > 0 ? 0 : 1;
}

static double ringnorm_rule(const double *x, size_t d) {
  double wide = (double)d * log(4), narrow = 0;
  for (size_t j = 0; j < d; j++) {
    double off = x[j] - 2 / sqrt((double)d);
    wide += x[j] * x[j] / 4;
    narrow += off * off;
  }
  return narrow < wide ? 1 : 0;
}

static double mixture_rule(const double *x, size_t d) {
  (void)d;
  double same = exp(-((x[0] - 2) * (x[0] - 2) + (x[1] - 2) * (x[1] - 2)) / 2) +
                exp(-((x[0] + 2) * (x[0] + 2) + (x[1] + 2) * (x[1] + 2)) / 2);
  double other = exp(-((x[0] - 2) * (x[0] - 2) + (x[1] + 2) * (x[1] + 2)) / 2) +
                 exp(-((x[0] + 2) * (x[0] + 2) + (x[1] - 2) * (x[1] - 2)) / 2);
  return same > other ? 0 : 1;
}

static double friedman1_rule(const double *x, size_t d) {
  (void)d;
  return 10 * sin(acos(-1) * x[0] * x[1]) + 20 * pow(x[2] - 0.5, 2) + 10 * x[3] + 5 * x[4];
}

static double sine_rule(const double *x, size_t d) {
  (void)d;
  return sin(4 * acos(-1) * x[0]);
}

/* The rule's mean loss on 100000 rows must be the stated risk within four standard errors. */
static void check_risk(const char *kind, size_t d, double (*rule)(const double *x, size_t d)) {
  enum { ROWS = 100000 };
  double risk, x[64], sum = 0, squares = 0;
  svf_table *table = make(kind, (svf_synth_options){.rows = ROWS, .features = d, .seed = 11}, &risk);
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t j = 0; j < table->d; j++) x[j] = svf_table_number(table, i, j);
    double guess = rule(x, table->d);
    double loss = table->label ? guess != table->label[i] : pow(guess - table->value[i], 2);
    sum += loss;
    squares += loss * loss;
  }
  double mean = sum / ROWS, error = sqrt((squares / ROWS - mean * mean) / ROWS);
  if (!(fabs(mean - risk) <= 4 * error)) fail_msg("%s, d %zu: %g, not %g", kind, d, mean, risk);
  svf_table_free(table);
}

static void risks(void **state) {
  (void)state;
  check_risk("twonorm", 20, twonorm_rule);
  check_risk("twonorm", 3, twonorm_rule);
  for (size_t d = 1; d <= 27; d += 13) check_risk("ringnorm", d, ringnorm_rule);
  check_risk("ringnorm", 20, ringnorm_rule);
  check_risk("mixture", 2, mixture_rule);
  check_risk("friedman1", 10, friedman1_rule);
  check_risk("sine", 1, sine_rule);
}

static void known_risks(void **state) {
  (void)state;
  double risk;
  svf_synth_options one = {.rows = 1};
  svf_table_free(make("twonorm", one, &risk));
  assert_close(risk, 0.022750131948179, 1e-12);
  svf_table_free(make("ringnorm", one, &risk));
  assert_close(risk, 0.0123966081031727, 1e-13); /* by another library's noncentral chi-square; Breiman: 1.3% */
  one.features = 20000;
  svf_table_free(make("ringnorm", one, &risk));
  assert_close(risk, 0, 1e-9);
  svf_table_free(make("moons", (svf_synth_options){.rows = 1}, &risk));
  assert_true(isnan(risk));
}

static void classes(void **state) {
  (void)state;
  for (size_t k = 2; k <= 100; k += 7) {
    svf_table *table = make("classification", (svf_synth_options){1000, k + 5, k, 3}, NULL);
    size_t count[100] = {0};
    for (size_t i = 0; i < table->n; i++) count[table->label[i]]++;
    assert_int_equal(svf_table_classes(table), k);
    for (size_t c = 0; c < k; c++) assert_in_range(count[c], 1000 / k * 7 / 10, 1000 / k + 20);
    svf_table_free(table);
  }
  svf_table_free(make("classification", (svf_synth_options){50, 2, 2, 3}, NULL));
  svf_table_free(make("classification", (svf_synth_options){50, 3, 3, 3}, NULL));
}

/* Two of the columns are combinations of two others: the 20 columns have 18 dimensions. Each redundant column
 * must be explained without rest by a pair of others. */
static bool explained(const svf_table *table, size_t target, size_t a, size_t b) {
  double aa = 0, ab = 0, bb = 0, at = 0, bt = 0, tt = 0;
  for (size_t i = 0; i < table->n; i++) {
    double x = svf_table_number(table, i, a), y = svf_table_number(table, i, b);
    double t = svf_table_number(table, i, target);
    aa += x * x, ab += x * y, bb += y * y, at += x * t, bt += y * t, tt += t * t;
  }
  double det = aa * bb - ab * ab, u = (at * bb - bt * ab) / det, v = (bt * aa - at * ab) / det;
  return tt - u * at - v * bt < 1e-9 * tt;
}

static void redundant_columns(void **state) {
  (void)state;
  svf_table *table = make("classification", (svf_synth_options){.rows = 300, .seed = 2}, NULL);
  size_t found = 0;
  for (size_t t = 0; t < table->d; t++) {
    bool redundant = false;
    for (size_t a = 0; a < table->d; a++)
      for (size_t b = a + 1; b < table->d; b++)
        redundant = redundant || (a != t && b != t && explained(table, t, a, b));
    found += redundant;
  }
  assert_int_equal(found, 4); /* any of the four is explained by two of the other three */
  svf_table_free(table);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *kind;
    svf_synth_options options;
  } bad[] = {{"nothing", {0}},
             {"moons", {.features = 1}},
             {"moons", {.classes = 3}},
             {"moons", {.classes = 1}},
             {"sine", {.classes = 2}},
             {"friedman1", {.features = 4}},
             {"classification", {.classes = 101, .features = 200}},
             {"classification", {.classes = 5, .features = 4}},
             {"moons", {.rows = SIZE_MAX}}};
  svf_table *table;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(svf_table_synth(bad[i].kind, &bad[i].options, &table, NULL, &message), SVF_USAGE);
    assert_null(table);
  }
  svf_synth_options huge = {.rows = 2000000000, .features = 2000000000};
  assert_int_equal(svf_table_synth("moons", &huge, &table, NULL, &message), SVF_MEMORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_kinds),         cmocka_unit_test(risks),
                                     cmocka_unit_test(known_risks),       cmocka_unit_test(classes),
                                     cmocka_unit_test(redundant_columns), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
