/* verb_train.c - the verb train: from a table to a model file. */
#include "members.h"
#include "data.h"
#include "from_disk.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct work {
  const cli_args *args;
  const char *data, *path; /* what is read, what is written */
  svf_settings *settings;
  svf_table *table;
  svf_forest *forest;
  double reading, training; /* seconds */
  cli_committee tried;      /* members, in the order in which they were trained */
  bool stopped;             /* by a signal, when some members had finished */
} work;

static int check(const work *w) {
  if (w->args->json && cli_is_stdio(w->path))
    return cli_fail(CLI_USAGE, "train: --json and the model cannot both go to standard output");
  if (!w->args->output && access(w->data, F_OK) != 0) return CLI_DONE; /* reading says what is wrong with DATA */
  return cli_output_check(w->path, &w->args->operands);
}

static bool made_up(const char *name) {
  return name[0] == 'x' && name[1] && name[1 + strspn(name + 1, "0123456789")] == 0;
}

/* A header that was not recognised shows by the names. */
static void note_names(const work *w) {
  const char *target = svf_table_target_name(w->table);
  if (!target || !made_up(target)) return;
  for (size_t j = 0; j < svf_table_columns(w->table); j++)
    if (!made_up(svf_table_column_name(w->table, j))) return;
  cli_note(w->args, "%s has no header: its columns are named x1, x2, ...",
           cli_is_stdio(w->data) ? "standard input" : w->data);
}

static int grow(work *w) {
  svf_message message;
  cli_job job;
  cli_job_begin(&job, w->args);
  cli_job_remarks(&job);
  svf_status status;
  if (cli_is_committee(w->settings)) {
    cli_committee_begin(&w->tried, &job);
    svf_auto_options options = {
        .budget = w->args->budget, .plan = w->args->plan, .tell = cli_committee_note, .user = &w->tried};
    status = svf_train_auto(w->settings, w->table, &options, &job.run, &w->forest, &message);
  } else status = svf_train_once(w->settings, &w->table, &job.run, &w->forest, &message);
  w->training = cli_job_end(&job);
  w->stopped = status == SVF_STOPPED && w->forest;
  return w->stopped ? CLI_DONE : cli_status(status, &message);
}

static int grow_in_memory(work *w) {
  svf_message message;
  CLI_TRY(cli_read(w->args, w->data, &w->table, &w->reading));
  note_names(w);
  CLI_TRY(grow(w));
  return cli_status(svf_forest_save(w->forest, w->path, &message), &message);
}

static void print_setting(void *user, const svf_setting_info *info, const char *value) {
  fprintf(user, "  -s %s=%s\n", info->name, value);
}

static size_t categories(const svf_forest *forest, const svf_forest_info *info) {
  size_t count = 0;
  for (size_t j = 0; j < info->features; j++) count += svf_forest_categories(forest, j) > 0;
  return count;
}

static size_t dates(const svf_forest *forest, const svf_forest_info *info) {
  size_t count = 0;
  for (size_t j = 0; j < info->features; j++) count += svf_forest_is_date(forest, j) != 0;
  return count;
}

static void sizes(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  size_t texts = categories(forest, info), days = dates(forest, info);
  cli_report_count(report, "rows", info->rows);
  cli_report_count(report, "features", info->features);
  if (info->made || report->as_json) cli_report_count(report, "made_features", info->made);
  if (texts || report->as_json) cli_report_count(report, "categories", texts);
  if (days || report->as_json) cli_report_count(report, "dates", days);
  if (info->classes) cli_report_count(report, "classes", info->classes);
  cli_report_count(report, "trees", info->trees);
  cli_report_count(report, "leaves", info->leaves);
  cli_report_count(report, "max_depth", info->max_depth);
  size_t held = svf_forest_calibrated(forest);
  if (held || report->as_json) cli_report_count(report, "calibration_rows", held);
}

static void tell(const work *w) {
  svf_forest_info info;
  cli_report report;
  FILE *out = cli_is_stdio(w->path) ? stderr : stdout;
  svf_forest_describe(w->forest, &info);
  cli_report_begin(&report, w->args->quiet && !w->args->json ? NULL : out, w->args->json);
  cli_report_text(&report, "method", info.method);
  cli_report_text(&report, "task", cli_task_name(info.task));
  cli_report_text(&report, "target", svf_forest_target_name(w->forest));
  sizes(&report, w->forest, &info);
  cli_report_number(&report, "read_seconds", w->reading);
  cli_report_number(&report, "seconds", w->training);
  if (info.unconverged)
    cli_note(w->args,
             "%zu of %zu leaves hold a machine that did not converge (worst gap %.1e): raise max_steps or tolerance",
             info.unconverged, info.leaves, info.worst_gap);
  if (info.oob_chose)
    cli_note(w->args, "out-of-bag rows chose the cuts, so oob is far too optimistic: use cv to measure the method");
  cli_report_number(&report, "oob", info.oob);
  cli_report_number(&report, "worst_gap", info.worst_gap);
  cli_report_count(&report, "unconverged", info.unconverged);
  cli_report_count(&report, "bytes", info.bytes);
  if (cli_is_committee(w->settings)) cli_committee_tell(&report, w->forest, &w->tried);
  cli_report_text(&report, "model", cli_is_stdio(w->path) ? NULL : w->path);
  cli_report_end(&report);
  if (w->args->verbose) cli_settings_each(w->settings, print_setting, stderr);
}

static int train(work *w) {
  CLI_TRY(check(w));
  CLI_TRY(cli_disk_check(w->args, w->path));
  CLI_TRY(cli_settings(w->args, cli_method(w->args), &w->settings));
  if (!cli_is_committee(w->settings)) CLI_TRY(cli_committee_refuse("train", w->args));
  cli_disk disk = {.args = w->args, .data = w->data, .path = w->path, .settings = w->settings};
  int code = w->args->from_disk ? cli_disk_train(&disk, &w->forest) : grow_in_memory(w);
  w->reading += disk.reading, w->training += disk.training;
  if (code != CLI_DONE) return code;
  tell(w);
  if (w->stopped) cli_note(w->args, "stopped: the model has the members that had finished");
  return w->stopped ? 128 + cli_signal() : CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args, .data = args->operands.item[0]};
  if (cli_is_stdio(w.data) && !args->output)
    return cli_fail(CLI_USAGE, "train: data from standard input: name the model with -o");
  char *beside = cli_join(w.data, ".svf");
  w.path = args->output ? args->output : beside;
  int code = train(&w);
  svf_forest_free(w.forest);
  svf_table_free(w.table);
  svf_settings_free(w.settings);
  cli_committee_free(&w.tried);
  free(beside);
  return code;
}

static const cli_option own[] = {
    {'m', "method", "METHOD",
     "method to train (default: auto, a committee of several); 'svforest methods' lists them", cli_set_method,
     offsetof(cli_args, method)},
    {'s', "set", "NAME=VALUE", "change one setting of the method; may be repeated", cli_set_setting,
     offsetof(cli_args, settings)},
    {0, "effort", "1..9", "how much work auto may take (default: 5)", cli_set_effort, offsetof(cli_args, effort)},
    {0, "budget", "SECONDS", "auto trains members until this time is spent", cli_set_seconds,
     offsetof(cli_args, budget)},
    {0, "plan", "TEXT", "members of auto, as printed by an earlier run or by info", cli_set_text,
     offsetof(cli_args, plan)},
    {0, "from-disk", NULL, "the table is larger than memory: read it in chunks, by way of a scratch folder",
     cli_set_flag, offsetof(cli_args, from_disk)},
    {0, "memory", "SIZE",
     "with --from-disk: bytes to use, such as 500MB or 2GB (default: a quarter of the machine's)", cli_set_size,
     offsetof(cli_args, memory)},
    {0, "scratch", "DIR", "with --from-disk: where to make the scratch folder (default: beside the model)",
     cli_set_text, offsetof(cli_args, scratch)},
    {'o', "output", "MODEL", "model file to write (default: DATA.svf); - is standard output", cli_set_text,
     offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {
    own, cli_options_data, cli_options_learn, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_train = {
    .name = "train",
    .usage = "[-m METHOD] [-s NAME=VALUE]... [--target NAME] [--id NAME]... [-o MODEL] DATA",
    .summary = "train a forest on a table",
    .details =
        "DATA is a table in CSV, TSV, LIBSVM or NPY format, gzipped or not; - is standard input. The target "
        "is the last column unless --target names another. Text columns become categories or dates; blank, "
        "NA, NaN and ? are missing values. A target of text, or of integers with at most 50 distinct values, "
        "means classification; any other means regression. The report says which was chosen, and --task "
        "overrides it. Without -m, several methods are trained and weighted by their scores on held-out rows; "
        "--effort and --budget limit the work.\n"
        "The model file appears under its name only when it is complete: a run that fails or is stopped "
        "leaves an old model unchanged. The same seed gives the same bytes for any number of threads.\n"
        "With --from-disk the table stays in its file (CSV, NPY or LIBSVM, not gzipped), and a sample of "
        "partition_rows rows decides the cuts. The scratch space is shown first. The same command continues a run "
        "that was stopped. The model has the bytes of training in memory with the same partition_rows.",
    .example = "svforest train --id bottle --target quality wine.csv\n"
               "svforest train --budget 60 wine.csv\n"
               "svforest train -m rsvt-full -s trees=50 --target quality -o wine.svf wine.csv\n"
               "svforest train -m rf --feature 'area=width*height' --feature 'r=distance(x=1.5,y=2)' plots.csv\n"
               "svforest train -m rsvt-full -s partition_rows=1000 --from-disk --memory 500MB large.csv\n"
               "zcat big.csv.gz | svforest train --effort 2 -o big.svf --json -",
    .options = groups,
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .settings = true,
    .run = run,
};
