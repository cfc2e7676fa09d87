/* verb_eval.c - the verb eval: how well a model predicts a table whose answers are known. */
#include "data.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"
#include "text.h"
#include "verb_report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_CLASSES = 20, CELL = 10 }; /* a confusion table that fits a screen */

typedef struct work {
  const cli_args *args;
  svf_forest *forest;
  svf_table *table;
  svf_forest_info info;
  svf_prediction prediction;
  double *weight; /* with --oob: 0 for rows without an answer */
  svf_class_measures classes;
  double *confusion;
  double seconds;
} work;

static int check(const work *w) {
  const char *data = w->args->operands.item[1];
  if (svf_table_task(w->table) == SVF_TASK_AUTO)
    return cli_fail(CLI_FAULT, "%s: has no column '%s' to compare with; name the target with --target", data,
                    svf_forest_target_name(w->forest));
  if (svf_table_task(w->table) != w->info.task)
    return cli_fail(CLI_FAULT, "%s: its target is a %s, the model is for %s", data,
                    cli_task_name(svf_table_task(w->table)), cli_task_name(w->info.task));
  return CLI_DONE;
}

/* Each row by the trees that did not see it; a row that all saw counts for nothing. */
static svf_status ask_oob(work *w, const svf_run *run, svf_message *message) {
  size_t n = svf_table_rows(w->table), k = w->info.scores;
  const double *own = svf_table_weights(w->table);
  svf_oob_answers answers = {.values = w->prediction.values, .probabilities = w->prediction.probabilities};
  svf_status status = svf_forest_oob(w->forest, w->table, run, &answers, message);
  w->weight = CLI_TAKE(double, n);
  for (size_t i = 0; status == SVF_OK && i < n; i++) {
    bool blank = isnan(answers.values[i]);
    w->weight[i] = blank ? 0 : own ? own[i] : 1;
    if (!blank) continue;
    answers.values[i] = 0;
    for (size_t c = 0; answers.probabilities && c < k; c++) answers.probabilities[i * k + c] = 1 / (double)k;
  }
  return status;
}

static int ask(work *w) {
  svf_message message;
  cli_job job;
  size_t n = svf_table_rows(w->table);
  w->prediction.values = CLI_TAKE(double, n);
  if (w->info.classes) w->prediction.probabilities = cli_take(n, w->info.scores * sizeof(double));
  cli_job_begin(&job, w->args);
  svf_status status = w->args->oob ? ask_oob(w, &job.run, &message)
                                   : svf_predict(w->forest, w->table, &job.run, &w->prediction, &message);
  w->seconds = cli_job_end(&job);
  return cli_status(status, &message);
}

static svf_outcome outcome(const work *w) {
  return (svf_outcome){.n = svf_table_rows(w->table),
                       .k = w->info.classes,
                       .label = svf_table_labels(w->table),
                       .value = svf_table_values(w->table),
                       .predicted = w->prediction.values,
                       .probabilities = w->prediction.probabilities,
                       .weight = w->weight ? w->weight : svf_table_weights(w->table)};
}

static void json_confusion(const work *w, cli_json *json) {
  size_t k = w->info.classes;
  cli_json_row(json, "classes");
  for (size_t c = 0; c < k; c++) cli_json_text(json, NULL, svf_forest_class_name(w->forest, c));
  cli_json_close(json);
  cli_json_list(json, "confusion");
  for (size_t row = 0; row < k + (w->classes.unknown > 0); row++) {
    cli_json_row(json, NULL);
    for (size_t c = 0; c < k; c++) cli_json_number(json, NULL, w->confusion[row * k + c]);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_confusion(const work *w) {
  size_t k = w->info.classes;
  printf("\nconfusion (a line per label, a column per prediction)\n%*s", CELL + 2, "");
  for (size_t c = 0; c < k; c++) {
    putchar(' ');
    cli_fit(stdout, svf_forest_class_name(w->forest, c), CELL);
  }
  putchar('\n');
  for (size_t row = 0; row < k + (w->classes.unknown > 0); row++) {
    fputs("  ", stdout);
    cli_fit(stdout, row < k ? svf_forest_class_name(w->forest, row) : "(unknown)", -CELL);
    for (size_t c = 0; c < k; c++) printf(" %*.6g", CELL, w->confusion[row * k + c]);
    putchar('\n');
  }
}

static int measure(work *w) {
  svf_message message;
  svf_outcome o = outcome(w);
  if (!o.k) return CLI_DONE;
  w->confusion = CLI_TAKE(double, (o.k + 1) * o.k);
  return cli_status(svf_measure_classes(&o, w->confusion, &w->classes, &message), &message);
}

static void tell_classes(const work *w, cli_report *report) {
  svf_class_measures m = w->classes;
  cli_report_number(report, "accuracy", m.accuracy);
  cli_report_number(report, "balanced_accuracy", m.balanced_accuracy);
  cli_report_number(report, "f1", m.f1);
  cli_report_number(report, "auc", m.auc);
  cli_report_number(report, "log_loss", m.log_loss);
  cli_report_count(report, "unknown_labels", m.unknown);
  if (report->as_json) json_confusion(w, &report->json);
  else if (w->info.classes <= TABLE_CLASSES || w->args->verbose) print_confusion(w);
  else printf("\nconfusion of %zu classes: with -v or --json\n", w->info.classes);
  if (m.unknown)
    cli_note(w->args, "%zu %s a label that the model does not know; counted as %s", m.unknown,
             cli_plural(m.unknown, "row has", "rows have"), cli_plural(m.unknown, "an error", "errors"));
}

static void tell_values(const work *w, cli_report *report) {
  svf_outcome o = outcome(w);
  svf_value_measures m;
  svf_measure_values(&o, &m);
  cli_report_number(report, "mse", m.mse);
  cli_report_number(report, "rmse", m.rmse);
  cli_report_number(report, "mae", m.mae);
  cli_report_number(report, "r2", m.r2);
}

static void tell(const work *w) {
  cli_report report;
  cli_report_begin(&report, stdout, w->args->json);
  cli_report_text(&report, "method", w->info.method);
  cli_report_text(&report, "task", cli_task_name(w->info.task));
  cli_report_count(&report, "rows", svf_table_rows(w->table));
  cli_report_count(&report, "unseen", w->prediction.unseen);
  cli_report_number(&report, "predict_seconds", w->seconds);
  if (w->info.classes) tell_classes(w, &report);
  else tell_values(w, &report);
  cli_report_end(&report);
}

static int eval(work *w) {
  const cli_args *args = w->args;
  if (args->page) CLI_TRY(cli_output_check(args->page, &args->operands));
  CLI_TRY(cli_load_both(args, args->page != NULL, &w->forest, &w->table));
  svf_forest_describe(w->forest, &w->info);
  CLI_TRY(check(w));
  CLI_TRY(ask(w));
  CLI_TRY(measure(w));
  if (args->page) CLI_TRY(cli_write_report(args, args->page, w->forest, w->table));
  tell(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args};
  if (args->page && cli_is_stdio(args->page))
    return cli_fail(CLI_USAGE, "eval: the page and the measures cannot both go to standard output");
  int code = eval(&w);
  free(w.prediction.values);
  free(w.prediction.probabilities);
  free(w.weight);
  free(w.confusion);
  svf_table_free(w.table);
  svf_forest_free(w.forest);
  return code;
}

static const cli_option own[] = {{0, "oob", NULL,
                                  "DATA is the training table: each row is measured by the trees that did not see it",
                                  cli_set_flag, offsetof(cli_args, oob)},
                                 {0, "report", "FILE", "also write a page to look at, as the verb report does",
                                  cli_set_text, offsetof(cli_args, page)},
                                 {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_eval = {
    .name = "eval",
    .usage = "MODEL DATA [--oob] [--report FILE]",
    .summary = "score a model on a table with known answers",
    .details = "Classes: accuracy, balanced accuracy (mean recall), macro F1, AUC (with more than two classes, the "
               "mean of one against the rest), log-loss and the confusion matrix. Numbers: MSE, RMSE, MAE and R2. "
               "With --weight, every measure is weighted. A label that the model does not know counts as an error.",
    .example = "svforest eval wine.svf test.csv\nsvforest eval wine.svf test.csv --json",
    .options = groups,
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
