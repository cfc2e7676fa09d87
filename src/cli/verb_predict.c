/* verb_predict.c - the verb predict: one line per row of a table, as CSV or JSON. */
#include "members.h"
#include "data.h"
#include "job.h"
#include "json.h"
#include "kept_output.h"
#include "output.h"
#include "text.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct work {
  const cli_args *args;
  svf_forest *model;        /* what was loaded */
  const svf_forest *forest; /* it, or one member of it */
  svf_table *table;
  svf_forest_info info;
  svf_prediction prediction;
  size_t rows, columns;
  double seconds;
  double reach; /* of an interval, in spreads */
} work;

/* A cell of the answer is a text or, where that is NULL, a number. */
typedef struct cell {
  const char *text;
  double number;
} cell;

/* What is asked for: which array the library fills, its columns, how one is named and read. */
typedef struct view {
  size_t (*columns)(const work *w);
  void (*prepare)(work *w);
  void (*name)(const work *w, size_t column, FILE *out);
  cell (*get)(const work *w, size_t row, size_t column);
  bool classes; /* only for models of classes */
  const char *flag;
} view;

static size_t one(const work *w) { return (void)w, 1; }
static size_t scores(const work *w) { return w->info.scores; }
static size_t trees(const work *w) { return w->info.trees; }

static void want_values(work *w) { w->prediction.values = CLI_TAKE(double, w->rows); }
static void want_scores(work *w) { w->prediction.scores = cli_take(w->rows, w->columns * sizeof(double)); }
static void want_probabilities(work *w) {
  w->prediction.probabilities = cli_take(w->rows, w->columns * sizeof(double));
}
static void want_leaves(work *w) { w->prediction.leaves = cli_take(w->rows, w->columns * sizeof(int32_t)); }

static void name_value(const work *w, size_t column, FILE *out) {
  (void)w, (void)column;
  fputs("prediction", out);
}
static void name_class(const work *w, size_t column, FILE *out) {
  if (w->info.classes) cli_csv(out, svf_forest_class_name(w->forest, column));
  else name_value(w, column, out);
}
static void name_tree(const work *w, size_t column, FILE *out) {
  svf_tree_info tree;
  svf_forest_tree(w->forest, column, &tree);
  fprintf(out, "tree_%zu", tree.number + 1);
}

static cell get_value(const work *w, size_t row, size_t column) {
  (void)column;
  double value = w->prediction.values[row];
  return (cell){w->info.classes && !isnan(value) ? svf_forest_class_name(w->forest, (size_t)value) : NULL, value};
}
static cell get_score(const work *w, size_t row, size_t column) {
  return (cell){NULL, w->prediction.scores[row * w->columns + column]};
}
static cell get_probability(const work *w, size_t row, size_t column) {
  return (cell){NULL, w->prediction.probabilities[row * w->columns + column]};
}
static cell get_leaf(const work *w, size_t row, size_t column) {
  return (cell){NULL, 1.0 + w->prediction.leaves[row * w->columns + column]};
}

static size_t three(const work *w) { return (void)w, 3; }
static void want_spreads(work *w) {
  want_values(w);
  bool calibrated = svf_forest_calibrated(w->forest) > 0;
  w->reach = svf_forest_reach(w->forest, w->args->interval);
  if (!calibrated || svf_forest_has_spreads(w->forest)) w->prediction.spreads = CLI_TAKE(double, w->rows);
}
static void name_bound(const work *w, size_t column, FILE *out) {
  static const char *const name[] = {"prediction", "low", "high"};
  (void)w;
  fputs(name[column], out);
}
/* An end that is too large for a number is the largest there is. */
static cell get_bound(const work *w, size_t row, size_t column) {
  double spread = w->prediction.spreads ? w->prediction.spreads[row] : 1;
  double reach = column == 0 || spread == 0 ? 0 : w->reach * spread;
  double end = w->prediction.values[row] + (column == 1 ? -reach : reach);
  return (cell){NULL, isinf(end) ? copysign(DBL_MAX, end) : end};
}

/* Intervals without a width: no leaf of theirs has two rows that differ, and all trees say the same. */
static size_t count_points(const work *w) {
  size_t count = 0;
  for (size_t i = 0; w->prediction.spreads && i < w->rows; i++) count += w->prediction.spreads[i] == 0;
  return count;
}

/* The prediction, then of each class whether it is in the set: as probable as the score allows, or the most probable. */
static size_t one_and_classes(const work *w) { return 1 + w->info.classes; }
static void want_sets(work *w) {
  want_values(w);
  w->reach = svf_forest_conformal(w->forest, w->args->label_set);
  w->prediction.probabilities = cli_take(w->rows, w->info.classes * sizeof(double));
}
static void name_member(const work *w, size_t column, FILE *out) {
  if (column) name_class(w, column - 1, out);
  else name_value(w, column, out);
}
static cell get_member(const work *w, size_t row, size_t column) {
  if (column == 0) return get_value(w, row, column);
  const double *p = w->prediction.probabilities + row * w->info.classes;
  size_t best = 0;
  for (size_t c = 1; c < w->info.classes; c++)
    if (p[c] > p[best]) best = c;
  return (cell){NULL, column - 1 == best || 1 - p[column - 1] <= w->reach};
}

static const view view_value = {one, want_values, name_value, get_value, false, NULL};
static const view view_score = {scores, want_scores, name_class, get_score, false, "--score"};
static const view view_proba = {scores, want_probabilities, name_class, get_probability, true, "--proba"};
static const view view_leaves = {trees, want_leaves, name_tree, get_leaf, false, "--leaves"};

static const view view_interval = {three, want_spreads, name_bound, get_bound, false, "--interval"};

static const view view_set = {one_and_classes, want_sets, name_member, get_member, true, "--label-set"};

static const view *choose(const cli_args *args) {
  if (args->proba + args->score + args->leaves + (args->interval > 0) + (args->label_set > 0) > 1) return NULL;
  if (args->label_set > 0) return &view_set;
  if (args->interval > 0) return &view_interval;
  return args->proba ? &view_proba : args->score ? &view_score : args->leaves ? &view_leaves : &view_value;
}

typedef struct named { /* the columns of the answers, for cli_kept_check */
  const work *w;
  const view *v;
} named;

static void answer_name(const void *user, size_t column, FILE *out) {
  const named *n = user;
  n->v->name(n->w, column, out);
}

/* Each row by the trees that did not see it. */
static svf_status ask_oob(work *w, const svf_run *run, svf_message *message) {
  svf_oob_answers answers = {
      .values = w->prediction.values, .scores = w->prediction.scores, .probabilities = w->prediction.probabilities};
  return svf_forest_oob(w->forest, w->table, run, &answers, message);
}

static int ask(work *w, const view *v) {
  svf_message message;
  cli_job job;
  svf_forest_describe(w->forest, &w->info);
  if (v->classes && !w->info.classes)
    return cli_fail(CLI_USAGE, "predict: %s needs a model of classes; this one is a regression", v->flag);
  if (w->args->interval > 0 && w->info.classes)
    return cli_fail(CLI_USAGE, "predict: --interval needs a model of numbers; this one is of classes: use --proba");
  if (w->args->label_set > 0 && !svf_forest_calibrated(w->forest))
    return cli_fail(CLI_USAGE, "predict: --label-set needs a calibrated model: 'svforest calibrate' makes one");
  w->rows = svf_table_rows(w->table);
  w->columns = v->columns(w);
  CLI_TRY(cli_kept_check(w->table, answer_name, &(named){w, v}, w->columns));
  v->prepare(w);
  cli_job_begin(&job, w->args);
  svf_status status = w->args->oob ? ask_oob(w, &job.run, &message)
                                   : svf_predict(w->forest, w->table, &job.run, &w->prediction, &message);
  w->seconds = cli_job_end(&job);
  return cli_status(status, &message);
}

static void write_cell(FILE *out, cell c) {
  if (c.text) cli_csv(out, c.text);
  else if (!isnan(c.number)) fputs(cli_number(c.number).text, out); /* no answer is a blank */
}

/* False: a signal asked to stop. */
static bool write_rows(const work *w, const view *v, FILE *out) {
  cli_kept_names(out, w->table);
  for (size_t column = 0; column < w->columns; column++) {
    if (column) fputc(',', out);
    v->name(w, column, out);
  }
  fputc('\n', out);
  for (size_t row = 0; row < w->rows; row++) {
    if (cli_signal()) return false;
    cli_kept_cells(out, w->table, row);
    for (size_t column = 0; column < w->columns; column++) {
      if (column) fputc(',', out);
      write_cell(out, v->get(w, row, column));
    }
    fputc('\n', out);
  }
  return true;
}

static int write_csv(const work *w, const view *v) {
  cli_output output;
  CLI_TRY(cli_output_open(&output, w->args->output));
  if (write_rows(w, v, output.file)) return cli_output_finish(&output);
  cli_output_drop(&output);
  return cli_stopped();
}

static void json_rows(const work *w, const view *v, cli_json *json) {
  cli_kept_json(json, w->table);
  cli_json_list(json, "predictions");
  for (size_t row = 0; row < w->rows; row++) {
    if (w->columns > 1) cli_json_row(json, NULL);
    for (size_t column = 0; column < w->columns; column++) {
      cell c = v->get(w, row, column);
      if (c.text) cli_json_text(json, NULL, c.text);
      else cli_json_number(json, NULL, c.number);
    }
    if (w->columns > 1) cli_json_close(json);
  }
  cli_json_close(json);
}

/* The rows are in the object unless a file has them. */
static void write_json(const work *w, const view *v) {
  cli_json json;
  cli_json_begin(&json, stdout);
  cli_json_text(&json, "method", w->info.method);
  cli_json_count(&json, "rows", w->rows);
  cli_json_count(&json, "unseen", w->prediction.unseen);
  cli_json_number(&json, "predict_seconds", w->seconds);
  if (w->info.classes) {
    cli_json_row(&json, "classes");
    for (size_t i = 0; i < w->info.classes; i++) cli_json_text(&json, NULL, svf_forest_class_name(w->forest, i));
    cli_json_close(&json);
  }
  if (w->prediction.spreads) cli_json_count(&json, "without_width", count_points(w));
  if (w->args->output) cli_json_text(&json, "output", w->args->output);
  else json_rows(w, v, &json);
  cli_json_close(&json);
}

static int predict(work *w, const view *v) {
  const cli_args *args = w->args;
  CLI_TRY(cli_output_check(args->output, &args->operands));
  CLI_TRY(cli_load_both(args, true, &w->model, &w->table));
  w->forest = w->model;
  CLI_TRY(cli_committee_member(args, &w->forest));
  CLI_TRY(ask(w, v));
  cli_kept_note(args, w->forest, w->table);
  if (w->prediction.unseen)
    cli_note(args, "%zu %s a category that training did not know; taken as missing", w->prediction.unseen,
             cli_plural(w->prediction.unseen, "cell has", "cells have"));
  size_t points = count_points(w);
  if (points)
    cli_note(args,
             "%zu of %zu intervals have no width: their leaves have one row, or one value, so their error is "
             "unknown, and the trees agree; use larger leaves, or more trees",
             points, w->rows);
  if (args->verbose) cli_note(args, "%zu rows in %.3g seconds", w->rows, w->seconds);
  if (!args->json || args->output) CLI_TRY(write_csv(w, v));
  if (args->json) write_json(w, v);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args};
  const view *v = choose(args);
  if (!v)
    return cli_fail(CLI_USAGE, "predict: --proba, --score, --leaves, --interval and --label-set exclude each other");
  if (args->oob && args->leaves) return cli_fail(CLI_USAGE, "predict: --oob and --leaves exclude each other");
  if (args->oob && args->interval > 0) return cli_fail(CLI_USAGE, "predict: --oob and --interval exclude each other");
  if (args->oob && args->label_set > 0)
    return cli_fail(CLI_USAGE, "predict: --oob and --label-set exclude each other");
  if (args->json && args->output && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "predict: --json and -o - cannot both go to standard output");
  int code = predict(&w, v);
  free(w.prediction.values);
  free(w.prediction.scores);
  free(w.prediction.probabilities);
  free(w.prediction.leaves);
  free(w.prediction.spreads);
  svf_table_free(w.table);
  svf_forest_free(w.model);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "FILE", "file to write (default: standard output)", cli_set_text, offsetof(cli_args, output)},
    {0, "proba", NULL, "the probability of every class, one column each", cli_set_flag, offsetof(cli_args, proba)},
    {0, "score", NULL, "the vote's score of every class, one column each", cli_set_flag, offsetof(cli_args, score)},
    {0, "leaves", NULL, "the number of the leaf in every tree, one column per tree", cli_set_flag,
     offsetof(cli_args, leaves)},
    {0, "interval", "P",
     "also the ends of an interval that should contain the true number with probability P, such as 0.9",
     cli_set_share, offsetof(cli_args, interval)},
    {0, "label-set", "P",
     "also whether each class is in a set that should contain the true one with probability P (calibrated "
     "models)",
     cli_set_share, offsetof(cli_args, label_set)},
    {0, "member", "K", "predictions of one member of a committee (auto)", cli_set_positive,
     offsetof(cli_args, member)},
    {0, "keep", "NAME|NUMBER", "write this column of DATA in front of the predictions, unchanged; may be repeated",
     cli_set_list, offsetof(cli_args, keep)},
    {0, "oob", NULL,
     "DATA is the training table: predict each row by the trees that did not see it; blank if all did", cli_set_flag,
     offsetof(cli_args, oob)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_predict = {
    .name = "predict",
    .usage = "MODEL DATA [-o FILE] [--proba | --score | --leaves | --interval P | --label-set P] [--keep NAME]... "
             "[--member K] "
             "[--oob]",
    .summary = "predict the rows of a table",
    .details = "Writes CSV with a header and one line per row. Columns of DATA are matched with the model's by name: "
               "their order does not matter, columns that the model does not know are ignored, and the target may be "
               "absent. A category that training did not know counts as missing. Columns that were given to train as "
               "--id come first, unless --drop names them.\n"
               "An interval is the prediction plus and minus a normal quantile times a spread. The spread is "
               "estimated from the expected errors of the leaves and from the variance of the trees' predictions: a "
               "rule of thumb, not a guarantee. If the model comes from 'svforest calibrate', the quantile is one of "
               "measured errors, and the interval contains the true number with probability P or more, provided that "
               "new rows come from the same source as the calibration rows. In the same way the set of --label-set "
               "contains the true class; a 1 in the column of a class means that it is in the set. An interval has "
               "no width if the leaves have one row each and the trees agree; a remark counts such rows.\n"
               "Trees and leaves are counted from 1, as in 'svforest info --dump'.",
    .example = "svforest predict wine.svf new.csv -o answers.csv\n"
               "svforest predict wine.svf new.csv --keep bottle --proba\n"
               "cat new.csv | svforest predict wine.svf - --proba",
    .options = groups,
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
