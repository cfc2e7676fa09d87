/* verb_synth.c - the verb synth: writes a synthetic table. */
#include "cli.h"
#include "output.h"
#include "report_lines.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

static int list_kinds(void) {
  for (size_t i = 0; i < svf_synth_count(); i++) {
    const svf_synth_info *info = svf_synth_at(i);
    int at = printf("  %s", info->name);
    cli_wrap(stdout, info->help, 18, at);
  }
  return CLI_DONE;
}

static void tell(const cli_args *args, const svf_table *table, double risk) {
  cli_report report;
  FILE *out = !cli_is_stdio(args->output) ? stdout : args->verbose ? stderr : NULL;
  cli_report_begin(&report, args->quiet && !args->json ? NULL : out, args->json);
  cli_report_text(&report, "kind", args->operands.item[0]);
  cli_report_count(&report, "rows", svf_table_rows(table));
  cli_report_count(&report, "features", svf_table_columns(table));
  if (svf_table_classes(table)) cli_report_count(&report, "classes", svf_table_classes(table));
  cli_report_number(&report, "bayes_risk", risk);
  cli_report_text(&report, "output", cli_is_stdio(args->output) ? NULL : args->output);
  cli_report_end(&report);
}

static int run(const cli_args *args) {
  if (args->operands.count == 0) return list_kinds();
  if (args->json && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "synth: --json and the table cannot both go to standard output; name a file with -o");
  CLI_TRY(cli_output_check(args->output, &(cli_list){0}));
  svf_message message;
  svf_table *table = NULL;
  svf_synth_options options = {.rows = args->rows,
                               .features = args->features,
                               .classes = args->classes,
                               .seed = args->seed ? strtoull(args->seed, NULL, 10) : 0};
  double risk = NAN;
  svf_status status = svf_table_synth(args->operands.item[0], &options, &table, &risk, &message);
  if (status == SVF_OK) status = svf_table_write(table, args->output ? args->output : "-", &message);
  if (status == SVF_OK) tell(args, table, risk);
  svf_table_free(table);
  return cli_status(status, &message);
}

static const cli_option own[] = {
    {'n', "rows", "N", "number of rows (default: the kind's own)", cli_set_positive, offsetof(cli_args, rows)},
    {'d', "features", "D", "number of features (default: the kind's own)", cli_set_positive,
     offsetof(cli_args, features)},
    {0, "classes", "K", "number of classes, where the kind has a choice", cli_set_positive,
     offsetof(cli_args, classes)},
    {'o', "output", "FILE", "CSV file to write (default: standard output)", cli_set_text, offsetof(cli_args, output)},
    {0, "seed", "N", "seed of the random draws", cli_set_digits, offsetof(cli_args, seed)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_talk, NULL};

const cli_verb cli_synth = {
    .name = "synth",
    .usage = "[KIND [-n N] [-d D] [--classes K] [--seed N] [-o FILE]]",
    .summary = "write a synthetic table",
    .details = "Without a kind: lists the kinds. Prints the Bayes risk if it is known.",
    .example = "svforest synth\nsvforest synth spirals -n 2000 -o spirals.csv",
    .options = groups,
    .least = 0,
    .most = 1,
    .words = cli_words_synths,
    .run = run,
};
