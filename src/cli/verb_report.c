/* verb_report.c - the verb report: an HTML page about a model and its predictions for a table with known answers. */
#include "members.h"
#include "data.h"
#include "job.h"
#include "output.h"
#include "verb_report.h"
#include <stdlib.h>

int cli_write_report(const cli_args *args, const char *path, const svf_forest *forest, const svf_table *table) {
  svf_message message;
  cli_job job;
  svf_report_options options = {
      .seed = args->seed ? strtoull(args->seed, NULL, 10) : 0, .resamples = args->resamples, .oob = args->oob};
  cli_job_begin(&job, args);
  svf_status status = svf_forest_report(forest, table, &options, &job.run, path, &message);
  cli_job_end(&job);
  return cli_status(status, &message);
}

static void tell(const cli_args *args) {
  cli_report report;
  cli_report_begin(&report, stdout, args->json);
  cli_report_text(&report, "report", args->output);
  cli_report_end(&report);
}

static int write_report(const cli_args *args, const svf_forest *forest, const svf_table *table) {
  CLI_TRY(cli_committee_member(args, &forest));
  CLI_TRY(cli_write_report(args, args->output, forest, table));
  if (!cli_is_stdio(args->output) && (!args->quiet || args->json)) tell(args);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  svf_forest *forest = NULL;
  svf_table *table = NULL;
  if (!args->output) return cli_fail(CLI_USAGE, "report: name the page to write with -o");
  if (args->json && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "report: --json and the page cannot both go to standard output");
  CLI_TRY(cli_output_check(args->output, &args->operands));
  int code = cli_load_both(args, true, &forest, &table);
  if (code == CLI_DONE) code = write_report(args, forest, table);
  svf_table_free(table);
  svf_forest_free(forest);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "FILE", "page to write; - is standard output", cli_set_text, offsetof(cli_args, output)},
    {0, "oob", NULL, "DATA is the training table: predict each row by the trees that did not see it", cli_set_flag,
     offsetof(cli_args, oob)},
    {0, "resamples", "N", "bootstrap samples for the intervals of the scores (default: 500)", cli_set_positive,
     offsetof(cli_args, resamples)},
    {0, "member", "K", "report on one member of a committee (auto)", cli_set_positive, offsetof(cli_args, member)},
    {0, "keep", "NAME|NUMBER", "show this column beside the hardest rows; may be repeated", cli_set_list,
     offsetof(cli_args, keep)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_report_page = {
    .name = "report",
    .usage = "MODEL DATA -o FILE.html [--oob]",
    .summary = "write an HTML page about a model and its predictions",
    .details =
        "DATA is a table with known answers, ideally of rows that the model was not trained on. The page is one HTML "
        "file with its pictures inside. It shows what was trained and scores with bootstrap intervals; for classes "
        "the confusion matrix, ROC and precision-recall curves and calibration; for numbers residuals and coverage; "
        "importance and partial dependence of the features, the hardest rows, and a summary of each column. An "
        "existing page is replaced. The same seed gives the same page.",
    .example = "svforest report wine.svf test.csv -o wine.html\n"
               "svforest train -m rf -o bagged.svf wine.csv\n"
               "svforest report bagged.svf wine.csv --oob -o wine.html",
    .options = groups,
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
