/* verb_calibrate.c - the verb calibrate: a model learns how far its answers are from the truth. */
#include "members.h"
#include "data.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"

typedef struct work {
  const cli_args *args;
  svf_forest *model, *calibrated;
  svf_table *table;
  double seconds;
} work;

static void tell(const work *w) {
  svf_forest_info info;
  cli_report report;
  svf_forest_describe(w->calibrated, &info);
  cli_report_begin(&report, cli_is_stdio(w->args->output) ? NULL : stdout, w->args->json);
  cli_report_text(&report, "method", info.method);
  cli_report_count(&report, "calibration_rows", svf_forest_calibrated(w->calibrated));
  cli_report_number(&report, "score_90", svf_forest_conformal(w->calibrated, .9));
  cli_report_number(&report, "calibrate_seconds", w->seconds);
  cli_report_text(&report, "model", w->args->output);
  cli_report_end(&report);
}

static int calibrate(work *w) {
  svf_message message;
  cli_job job;
  CLI_TRY(cli_output_check(w->args->output, &w->args->operands));
  CLI_TRY(cli_load_both(w->args, false, &w->model, &w->table));
  cli_job_begin(&job, w->args);
  svf_status status = svf_forest_calibrate(w->model, w->table, &job.run, &w->calibrated, &message);
  w->seconds = cli_job_end(&job);
  CLI_TRY(cli_status(status, &message));
  CLI_TRY(cli_status(svf_forest_save(w->calibrated, w->args->output, &message), &message));
  if (svf_table_rows(w->table) < 20)
    cli_note(w->args, "%zu rows are few: intervals of 0.95 need at least 19, and hundreds make them narrower",
             svf_table_rows(w->table));
  if (!w->args->quiet || w->args->json) tell(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args};
  if (!args->output) return cli_fail(CLI_USAGE, "calibrate: name the model to write with -o");
  if (args->json && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "calibrate: --json and the model cannot both go to standard output");
  int code = calibrate(&w);
  svf_table_free(w.table);
  svf_forest_free(w.model);
  svf_forest_free(w.calibrated);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "MODEL", "model file to write; - is standard output", cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_calibrate = {
    .name = "calibrate",
    .usage = "MODEL DATA -o MODEL",
    .summary = "make intervals and label sets reliable, by rows that the model has not seen",
    .details = "DATA has rows with known answers that the model was not trained on. Their distances from the "
               "predictions are stored in the new model. 'predict --interval P' and 'predict --label-set P' then "
               "contain the truth with probability P or more, provided that new rows come from the same source as "
               "DATA. Rows that the model was trained on give no such guarantee.",
    .example = "svforest train -q -m rf -o plain.svf old.csv\n"
               "svforest calibrate plain.svf newer.csv -o wine.svf\n"
               "svforest predict wine.svf newest.csv --interval 0.9",
    .options = groups,
    .operands = "MODEL DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
