/* verb_explain.c - the verb explain: what each feature adds to the answer to each row, as CSV or JSON. */
#include "members.h"
#include "data.h"
#include "job.h"
#include "json.h"
#include "kept_output.h"
#include "output.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

typedef struct work {
  const cli_args *args;
  svf_forest *model;        /* what was loaded */
  const svf_forest *forest; /* it, or one member of it */
  svf_table *table, *background;
  svf_forest_info info;
  svf_explanation explanation;
  size_t rows, features;
  double base, seconds;
} work;

/* ---- what is asked ---- */

/* The class that was named, else the second of two. */
static int find_class(work *w) {
  const char *name = w->args->class_name;
  size_t classes = w->info.classes;
  if (!classes && name)
    return cli_fail(CLI_USAGE, "explain: --class needs a model of classes; this one is a regression");
  if (!classes) return CLI_DONE;
  if (!name && classes > 2)
    return cli_fail(CLI_USAGE, "explain: the model has %zu classes: add --class NAME, such as --class %s", classes,
                    svf_forest_class_name(w->forest, 0));
  for (size_t c = 0; name && c < classes; c++)
    if (strcmp(svf_forest_class_name(w->forest, c), name) == 0) {
      w->explanation.class_code = (int)c;
      return CLI_DONE;
    }
  if (name) return cli_fail(CLI_USAGE, "explain: the model has no class '%s'", name);
  w->explanation.class_code = (int)classes - 1;
  return CLI_DONE;
}

/* base, the features and, where asked for, a standard error behind each. */
static size_t columns(const work *w) { return 1 + w->features * (w->args->errors ? 2 : 1); }

static void name_column(const void *user, size_t column, FILE *out) {
  const work *w = user;
  if (column == 0) {
    fputs("base", out);
    return;
  }
  const char *name = svf_forest_feature_name(w->forest, (column - 1) % w->features);
  char *text = cli_join(name, column > w->features ? "_error" : "");
  cli_csv(out, text);
  free(text);
}

static double number_at(const work *w, size_t row, size_t column) {
  size_t first = row * w->features;
  if (column == 0) return w->base;
  return column > w->features ? w->explanation.errors[first + column - 1 - w->features]
                              : w->explanation.contributions[first + column - 1];
}

static int ask(work *w) {
  svf_message message;
  cli_job job;
  const cli_args *args = w->args;
  svf_explanation *e = &w->explanation;
  svf_forest_describe(w->forest, &w->info);
  w->rows = svf_table_rows(w->table);
  w->features = w->info.features + w->info.made;
  CLI_TRY(find_class(w));
  CLI_TRY(cli_kept_check(w->table, name_column, w, columns(w)));
  e->background = w->background;
  e->what = args->log_odds ? SVF_EXPLAIN_LOG_ODDS : args->margin ? SVF_EXPLAIN_MARGIN : SVF_EXPLAIN_ANSWER;
  e->permutations = args->permutations;
  e->seed = args->seed ? strtoull(args->seed, NULL, 10) : 0;
  e->contributions = cli_take(w->rows, w->features * sizeof(double));
  e->errors = cli_take(w->rows, w->features * sizeof(double));
  e->bases = &w->base;
  cli_job_begin(&job, args);
  svf_status status = svf_explain(w->forest, w->table, &job.run, e, &message);
  w->seconds = cli_job_end(&job);
  return cli_status(status, &message);
}

/* ---- what is written ---- */

/* False: a signal asked to stop. */
static bool write_rows(const work *w, FILE *out) {
  cli_kept_names(out, w->table);
  for (size_t c = 0; c < columns(w); c++) {
    if (c) fputc(',', out);
    name_column(w, c, out);
  }
  fputc('\n', out);
  for (size_t row = 0; row < w->rows; row++) {
    if (cli_signal()) return false;
    cli_kept_cells(out, w->table, row);
    for (size_t c = 0; c < columns(w); c++) fprintf(out, "%s%s", c ? "," : "", cli_number(number_at(w, row, c)).text);
    fputc('\n', out);
  }
  return true;
}

static int write_csv(const work *w) {
  cli_output output;
  CLI_TRY(cli_output_open(&output, w->args->output));
  if (write_rows(w, output.file)) return cli_output_finish(&output);
  cli_output_drop(&output);
  return cli_stopped();
}

static void json_rows(const work *w, const char *key, const double *numbers, cli_json *json) {
  cli_json_list(json, key);
  for (size_t row = 0; row < w->rows; row++) {
    cli_json_row(json, NULL);
    for (size_t j = 0; j < w->features; j++) cli_json_number(json, NULL, numbers[row * w->features + j]);
    cli_json_close(json);
  }
  cli_json_close(json);
}

/* The rows are in the object unless a file has them. */
static void write_json(const work *w) {
  static const char *const what[] = {"answer", "log-odds", "margin"};
  const svf_explanation *e = &w->explanation;
  cli_json json;
  cli_json_begin(&json, stdout);
  cli_json_text(&json, "method", w->info.method);
  cli_json_text(&json, "explained", what[e->what]);
  if (w->info.classes) cli_json_text(&json, "class", svf_forest_class_name(w->forest, (size_t)e->class_code));
  cli_json_count(&json, "rows", w->rows);
  cli_json_count(&json, "background_rows", e->background_rows);
  cli_json_count(&json, "unseen", e->unseen);
  cli_json_number(&json, "explain_seconds", w->seconds);
  cli_json_number(&json, "base", w->base);
  cli_json_number(&json, "largest_error", e->largest_error);
  cli_json_row(&json, "features");
  for (size_t j = 0; j < w->features; j++) cli_json_text(&json, NULL, svf_forest_feature_name(w->forest, j));
  cli_json_close(&json);
  if (w->args->output) cli_json_text(&json, "output", w->args->output);
  else {
    cli_kept_json(&json, w->table);
    json_rows(w, "contributions", e->contributions, &json);
    if (w->args->errors) json_rows(w, "errors", e->errors, &json);
  }
  cli_json_close(&json);
}

static void remark(const work *w) {
  const svf_explanation *e = &w->explanation;
  cli_kept_note(w->args, w->forest, w->table);
  if (e->unseen)
    cli_note(w->args, "%zu %s a category that training did not know; taken as missing", e->unseen,
             cli_plural(e->unseen, "cell has", "cells have"));
  if (e->largest_error > 0)
    cli_note(w->args,
             "orders of features were sampled: no contribution has a standard error above %.2g (--errors shows each, "
             "--permutations lowers them)",
             e->largest_error);
  if (w->args->verbose)
    cli_note(w->args, "%zu rows against %zu background rows in %.3g seconds", w->rows, e->background_rows,
             w->seconds);
}

/* ---- the verb ---- */

static int load(work *w) {
  const cli_args *args = w->args;
  cli_list inputs = {cli_take(3, sizeof(char *)), 0};
  for (size_t i = 0; i < args->operands.count; i++) inputs.item[inputs.count++] = args->operands.item[i];
  if (args->background) inputs.item[inputs.count++] = args->background;
  int code = cli_output_check(args->output, &inputs);
  free(inputs.item);
  CLI_TRY(code);
  bool taken = cli_is_stdio(args->operands.item[0]) || cli_is_stdio(args->operands.item[1]);
  if (args->background && cli_is_stdio(args->background) && taken)
    return cli_fail(CLI_USAGE, "only one of MODEL, DATA and --background can be standard input");
  CLI_TRY(cli_load_both(args, true, &w->model, &w->table));
  w->forest = w->model;
  CLI_TRY(cli_committee_member(args, &w->forest));
  return args->background ? cli_read_like(args, args->background, w->model, &w->background) : CLI_DONE;
}

static int explain(work *w) {
  const cli_args *args = w->args;
  CLI_TRY(load(w));
  CLI_TRY(ask(w));
  remark(w);
  if (!args->json || args->output) CLI_TRY(write_csv(w));
  if (args->json) write_json(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args};
  if (args->log_odds && args->margin)
    return cli_fail(CLI_USAGE, "explain: --log-odds and --margin exclude each other");
  if (args->json && args->output && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "explain: --json and -o - cannot both go to standard output");
  int code = explain(&w);
  free(w.explanation.contributions);
  free(w.explanation.errors);
  svf_table_free(w.table);
  svf_table_free(w.background);
  svf_forest_free(w.model);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "FILE", "file to write (default: standard output)", cli_set_text, offsetof(cli_args, output)},
    {0, "background", "FILE", "rows to compare with (default: those stored in the model)", cli_set_text,
     offsetof(cli_args, background)},
    {0, "class", "NAME", "explain the probability of this class (default: the second of two)", cli_set_text,
     offsetof(cli_args, class_name)},
    {0, "log-odds", NULL, "explain log(p / (1 - p)) instead of the probability p", cli_set_flag,
     offsetof(cli_args, log_odds)},
    {0, "margin", NULL, "explain the score of the class, in models whose trees add up (vote=boost)", cli_set_flag,
     offsetof(cli_args, margin)},
    {0, "errors", NULL, "also the standard error of every contribution, 0 if it is exact", cli_set_flag,
     offsetof(cli_args, errors)},
    {0, "permutations", "N",
     "pairs of feature orders per background row, if sampling is needed (default: 64 in all, at least 2)",
     cli_set_positive, offsetof(cli_args, permutations)},
    {0, "member", "K", "explain one member of a committee (auto)", cli_set_positive, offsetof(cli_args, member)},
    {0, "keep", "NAME|NUMBER", "write this column of DATA in front of the contributions, unchanged; may be repeated",
     cli_set_list, offsetof(cli_args, keep)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_explain = {
    .name = "explain",
    .usage = "MODEL DATA [--background FILE] [--class NAME] [--log-odds | --margin] [--errors] [-o FILE]",
    .summary = "show what each feature adds to each prediction",
    .details = "Writes CSV with a header and one line per row: 'base', the mean prediction for the background rows, "
               "and one contribution per feature. Base and contributions sum to the prediction: the predicted "
               "number, or the probability of a class. A category counts as one feature, and so does a feature made "
               "of columns.\n"
               "Contributions are Shapley values. The background rows are those of --background, or a sample of the "
               "training rows that 'train -s background=100' stores in the model. Contributions are exact for trees "
               "with constant or linear leaves whose cuts use one feature each, and wherever a row differs from a "
               "background row in at most 6 features. Other contributions are means over sampled orders of the "
               "features; a remark gives the largest standard error.",
    .example = "svforest train -m rf -s background=100 -o wine.svf wine.csv\n"
               "svforest explain wine.svf new.csv -o why.csv\n"
               "svforest explain wine.svf new.csv --background wine.csv --log-odds",
    .options = groups,
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
