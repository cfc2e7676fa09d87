/* features.c - of the features: what shuffling each costs, how the answers depend on the leading ones, and what the columns of the
 * table hold. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHUFFLED_LEAST = 100,
  SHUFFLED_MOST = 2000,
  SHUFFLED_CELLS = 300000,
  REPEATS = 3,
  ASKED_ROWS = 200,
  LEVELS = 10
};

/* ---- importance ---- */

static bool left_out(const svf_report *r, size_t feature) { return r->encoding->feature[feature].left_out; }

static int by_weight(const void *a, const void *b) {
  const svf_weighty *x = a, *y = b;
  const double left[] = {x->lost, x->gain, x->leaf}, right[] = {y->lost, y->gain, y->leaf};
  for (int i = 0; i < 3; i++)
    if (!isnan(left[i]) && left[i] != right[i]) return left[i] > right[i] ? -1 : 1;
  return x->feature < y->feature ? -1 : 1;
}

/* Rows that are shuffled: few if there are many features, so that the work is bounded. Out of bag it must be all of them. Places
 * in the table, of rows with a known truth. */
static size_t choose_rows(const svf_report *r, size_t features, size_t *place) {
  size_t known = 0, most = SHUFFLED_CELLS / (REPEATS * (features ? features : 1));
  if (most > SHUFFLED_MOST) most = SHUFFLED_MOST;
  if (most < SHUFFLED_LEAST) return 0;
  if (r->options->oob) return r->table->n * features * REPEATS <= 10 * SHUFFLED_CELLS ? r->table->n : 0;
  for (size_t i = 0; i < r->rows.n; i++)
    if (!r->rows.k || r->rows.label[i] >= 0) known++;
  size_t count = svf_report_draw(r->options->seed, SVF_REPORT_SHUFFLED, known, most, place);
  for (size_t i = 0, at = 0, seen = 0; i < r->rows.n && at < count; i++) {
    if (r->rows.k && r->rows.label[i] < 0) continue;
    if (seen++ == place[at]) place[at++] = r->number[i];
  }
  return count;
}

static svf_status shuffle(svf_report *r, const size_t *place, double *lost, double *deviation, svf_message *message) {
  svf_table *taken = NULL;
  svf_report_part part = {r->run, .35, .65};
  svf_run run = svf_report_run(&part);
  svf_permutation permutation = {
      .repeats = REPEATS, .seed = r->options->seed, .oob = r->options->oob, .mean = lost, .deviation = deviation};
  if (!r->options->oob) SVF_TRY(svf_table_take(r->table, place, r->shuffled, &taken, message));
  svf_status status = svf_forest_permute(r->forest, taken ? taken : r->table, &run, &permutation, message);
  svf_table_free(taken);
  return status;
}

svf_status svf_report_importance(svf_report *r, svf_message *message) {
  size_t features = svf_encoding_all(r->encoding);
  double *gain = SVF_TAKE(&r->memory, double, features), *leaf = SVF_TAKE(&r->memory, double, features);
  double *lost = SVF_TAKE(&r->memory, double, features), *deviation = SVF_TAKE(&r->memory, double, features);
  size_t *place = SVF_TAKE(&r->memory, size_t, SHUFFLED_MOST);
  r->weighty = SVF_TAKE(&r->memory, svf_weighty, features);
  if (svf_arena_failed(&r->memory)) return svf_no_memory(message, "importances");
  SVF_TRY(svf_forest_importance(r->forest, gain, leaf, message));
  r->shuffled = choose_rows(r, features, place);
  r->repeats = r->shuffled ? REPEATS : 0;
  for (size_t j = 0; j < features; j++) lost[j] = deviation[j] = NAN;
  if (r->shuffled) SVF_TRY(shuffle(r, place, lost, deviation, message));
  for (size_t j = 0; j < features; j++)
    if (!left_out(r, j)) r->weighty[r->weighties++] = (svf_weighty){j, gain[j], leaf[j], lost[j], deviation[j]};
  if (r->weighties) qsort(r->weighty, r->weighties, sizeof *r->weighty, by_weight);
  return SVF_OK;
}

/* ---- partial dependence ---- */

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Cell of a column that is a feature: a number, days, or the code of a category in the encoding; NaN: missing or unseen. */
static double cell(const svf_source *source, size_t row) {
  if (source->code) {
    int32_t level = svf_source_level(source, row);
    return level < 0 ? (double)NAN : level;
  }
  return svf_column_numeric(source->column) ? svf_column_number(source->column, row) : (double)NAN;
}

/* Quantiles of the numbers that are there, without repeats. */
static void choose_numbers(svf_dependence *d, double *x, size_t n) {
  qsort(x, n, sizeof *x, by_size);
  for (size_t i = 0; i < SVF_REPORT_POINTS; i++) {
    double at = x[i * (n - 1) / (SVF_REPORT_POINTS - 1)];
    if (!d->points || at > d->x[d->points - 1]) d->x[d->points++] = at;
  }
  for (size_t i = 0; i < 9; i++) d->tenth[i] = x[(i + 1) * (n - 1) / 10];
}

/* The most frequent categories; of equals that with the lower code first. */
static void choose_levels(svf_dependence *d, const double *x, size_t n, size_t *count, size_t levels) {
  memset(count, 0, levels * sizeof *count);
  for (size_t i = 0; i < n; i++) count[(size_t)x[i]]++;
  while (d->points < LEVELS) {
    size_t best = 0;
    for (size_t l = 1; l < levels; l++)
      if (count[l] > count[best]) best = l;
    if (!count[best]) break;
    count[best] = 0;
    d->x[d->points++] = (double)best;
  }
}

/* The values at which the answers are asked. False: memory ran out. */
static bool choose_points(svf_report *r, svf_dependence *d) {
  const svf_source *source = &r->source[d->feature];
  size_t levels = source->feature->levels.count, n = 0;
  d->x = SVF_TAKE(&r->memory, double, SVF_REPORT_POINTS);
  svf_mark mark = svf_arena_mark(&r->memory);
  double *x = SVF_TAKE(&r->memory, double, r->rows.n);
  size_t *count = SVF_TAKE(&r->memory, size_t, levels);
  if (svf_arena_failed(&r->memory)) return false;
  for (size_t i = 0; i < r->rows.n; i++) {
    double at = cell(source, r->number[i]);
    if (!isnan(at)) x[n++] = at;
  }
  if (n && levels) choose_levels(d, x, n, count, levels);
  else if (n) choose_numbers(d, x, n);
  svf_arena_release(&r->memory, mark);
  return true;
}

/* Where the column of a feature is in the table. */
static size_t column_of(const svf_report *r, size_t feature) {
  if (!r->encoding->named || !r->table->named) return feature;
  for (size_t j = 0; j < svf_table_inputs(r->table); j++)
    if (strcmp(r->table->column[j].name, r->encoding->feature[feature].name) == 0) return j;
  return feature;
}

/* Gives the column of a table that is ours other cells: a point for every `rows` of them. */
static bool set_column(const svf_report *r, const svf_dependence *d, size_t rows, svf_column *column) {
  const svf_feature *feature = &r->encoding->feature[d->feature];
  size_t n = d->points * rows;
  double *number = feature->levels.count ? NULL : malloc(n * sizeof *number);
  int32_t *code = feature->levels.count ? malloc(n * sizeof *code) : NULL;
  svf_names levels = {0};
  bool fine = (number || code) && (!code || svf_names_copy(&feature->levels, &levels));
  if (!fine) {
    free(number);
    free(code);
    return false;
  }
  for (size_t i = 0; number && i < n; i++) number[i] = d->x[i / rows];
  for (size_t i = 0; code && i < n; i++) code[i] = (int32_t)d->x[i / rows];
  free(column->number);
  free(column->code);
  svf_names_free(&column->levels);
  column->number = number;
  column->code = code;
  column->levels = levels;
  column->date = feature->date;
  return true;
}

static svf_status ask_points(svf_report *r, svf_dependence *d, const size_t *place, const svf_run *run,
                             svf_message *message) {
  size_t n = d->points * r->asked, k = r->rows.k;
  svf_mark mark = svf_arena_mark(&r->memory);
  size_t *row = SVF_TAKE(&r->memory, size_t, n);
  double *said = SVF_TAKE(&r->memory, double, n *(k ? k : 1)), all = 0;
  svf_table *taken = NULL;
  if (svf_arena_failed(&r->memory)) return svf_no_memory(message, "partial dependence");
  for (size_t i = 0; i < n; i++) row[i] = r->number[place[i % r->asked]];
  SVF_TRY(svf_table_take(r->table, row, n, &taken, message));
  svf_prediction prediction = {.values = k ? NULL : said, .probabilities = k ? said : NULL};
  svf_status status = SVF_OK;
  if (!set_column(r, d, r->asked, &taken->column[column_of(r, d->feature)]))
    status = svf_no_memory(message, "partial dependence");
  if (!status) status = svf_predict(r->forest, taken, run, &prediction, message);
  svf_table_free(taken);
  for (size_t i = 0; i < r->asked; i++) all += svf_report_weight(r, place[i]);
  for (size_t i = 0; i < n && !status; i++) {
    double share = all > 0 ? svf_report_weight(r, place[i % r->asked]) / all : 1 / (double)r->asked;
    for (size_t o = 0; o < r->outputs; o++) {
      double answer = k == 2 ? said[2 * i + 1] : said[i * r->outputs + o];
      d->answer[i / r->asked * r->outputs + o] += share * answer;
    }
  }
  svf_arena_release(&r->memory, mark);
  return status;
}

/* Of many classes those whose probability changes the most. */
static bool choose_lines(svf_report *r) {
  double *range = SVF_ZERO(&r->memory, double, r->outputs);
  if (!range) return false;
  for (size_t f = 0; f < r->dependences; f++)
    for (size_t o = 0; o < r->outputs; o++) {
      double low = INFINITY, high = -INFINITY;
      for (size_t p = 0; p < r->dependence[f].points; p++) {
        low = fmin(low, r->dependence[f].answer[p * r->outputs + o]);
        high = fmax(high, r->dependence[f].answer[p * r->outputs + o]);
      }
      range[o] += high - low;
    }
  while (r->lines < SVF_REPORT_LINES && r->lines < r->outputs) {
    size_t best = 0;
    for (size_t o = 1; o < r->outputs; o++)
      if (range[o] > range[best]) best = o;
    range[best] = -1;
    r->line[r->lines++] = best;
  }
  return true;
}

/* Features that are columns of the table and have two values or more. */
svf_status svf_report_dependences(svf_report *r, svf_message *message) {
  size_t place[ASKED_ROWS], tried = 0;
  svf_source *source = SVF_TAKE(&r->memory, svf_source, r->encoding->features);
  if (!source) return svf_no_memory(message, "partial dependence");
  SVF_TRY(svf_match_columns(r->encoding, r->table, &r->memory, source, message));
  r->source = source;
  r->outputs = r->rows.k > 2 ? r->rows.k : 1;
  r->asked = svf_report_draw(r->options->seed, SVF_REPORT_DRAWN, r->rows.n, ASKED_ROWS, place);
  for (size_t i = 0; i < r->weighties && r->dependences < SVF_REPORT_LEADING && tried < 2 * SVF_REPORT_LEADING; i++) {
    svf_dependence *d = &r->dependence[r->dependences];
    *d = (svf_dependence){.feature = r->weighty[i].feature};
    if (d->feature >= r->encoding->features) continue;
    tried++;
    d->answer = SVF_ZERO(&r->memory, double, SVF_REPORT_POINTS * r->outputs);
    if (!d->answer || !choose_points(r, d)) return svf_no_memory(message, "partial dependence");
    if (d->points < 2) continue;
    double at = (double)r->dependences++;
    svf_report_part part = {r->run, .65 + .05 * at, .7 + .05 * at};
    svf_run run = svf_report_run(&part);
    SVF_TRY(ask_points(r, d, place, &run, message));
  }
  return choose_lines(r) ? SVF_OK : svf_no_memory(message, "partial dependence");
}

/* ---- what the columns hold ---- */

/* How many cells each category has, and where the histogram of the most frequent begins. */
static void count_levels(const svf_source *source, size_t n, size_t *count, svf_column_facts *facts) {
  for (size_t i = 0; i < n; i++) {
    int32_t level = svf_source_level(source, i);
    if (level >= 0) count[level]++;
    facts->missing += level == SVF_LEVEL_MISSING;
    facts->unseen += level == SVF_LEVEL_UNSEEN;
  }
  size_t levels = source->feature->levels.count;
  for (size_t l = 0; l < levels; l++) {
    size_t at = SVF_REPORT_BARS, own = count[l];
    if (own > count[facts->largest]) facts->largest = l;
    facts->levels += own > 0;
    while (at && facts->bar[at - 1] < own) at--;
    for (size_t b = SVF_REPORT_BARS; b-- > at + 1;) facts->bar[b] = facts->bar[b - 1];
    if (at < SVF_REPORT_BARS) facts->bar[at] = own;
  }
}

static void measure_numbers(const svf_source *source, size_t n, svf_column_facts *facts) {
  double sum = 0;
  facts->low = INFINITY, facts->high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    double x = cell(source, i);
    if (isnan(x)) {
      facts->missing++;
      continue;
    }
    facts->low = fmin(facts->low, x);
    facts->high = fmax(facts->high, x);
    sum += x / (double)n; /* no sum overflows */
  }
  facts->mean = sum * ((double)n / (double)(n - facts->missing));
  double range = facts->high / 2 - facts->low / 2;
  for (size_t i = 0; i < n && range > 0; i++) {
    double x = cell(source, i);
    size_t bar = isnan(x) ? SVF_REPORT_BARS : (size_t)((x / 2 - facts->low / 2) / range * SVF_REPORT_BARS);
    if (!isnan(x)) facts->bar[bar < SVF_REPORT_BARS ? bar : SVF_REPORT_BARS - 1]++;
  }
}

static svf_status look_at(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const svf_report *r = context;
  const svf_source *source = &r->source[index];
  svf_column_facts *facts = &r->column[index];
  svf_mark mark = svf_arena_mark(&worker->arena);
  *facts = (svf_column_facts){0};
  size_t *count = SVF_ZERO(&worker->arena, size_t, source->feature->levels.count);
  if (!count) return svf_no_memory(message, "the columns");
  if (source->code) count_levels(source, r->table->n, count, facts);
  else if (!source->feature->left_out) measure_numbers(source, r->table->n, facts);
  svf_arena_release(&worker->arena, mark);
  return SVF_OK;
}

svf_status svf_report_columns(svf_report *r, svf_pool *pool, svf_message *message) {
  svf_stage stage = {"columns", .95, 1, NULL};
  r->column = SVF_TAKE(&r->memory, svf_column_facts, r->encoding->features);
  if (!r->column) return svf_no_memory(message, "the columns");
  return svf_pool_run(pool, &stage, r->encoding->features, look_at, r, message);
}
