/* verb_verify.c - the verb verify: is this file a whole and sound model? */
#include "data.h"
#include "report_lines.h"

static int run(const cli_args *args) {
  svf_forest *forest = NULL;
  svf_forest_info info;
  cli_report report;
  CLI_TRY(cli_load(args->operands.item[0], &forest));
  svf_forest_describe(forest, &info);
  cli_report_begin(&report, args->quiet && !args->json ? NULL : stdout, args->json);
  cli_report_text(&report, "verdict", "ok");
  cli_report_text(&report, "method", info.method);
  cli_report_text(&report, "task", cli_task_name(info.task));
  cli_report_count(&report, "trees", info.trees);
  cli_report_count(&report, "nodes", info.nodes);
  cli_report_count(&report, "leaves", info.leaves);
  cli_report_count(&report, "bytes", info.bytes);
  cli_report_end(&report);
  svf_forest_free(forest);
  return CLI_DONE;
}

static const cli_option *const groups[] = {cli_options_talk, NULL};

const cli_verb cli_verify = {
    .name = "verify",
    .usage = "MODEL",
    .summary = "check that a model file is complete and valid",
    .details = "Checks the checksum and every index, count and number in the file. Exit status 0: valid; 1: not "
               "valid, and the message says why.",
    .example = "svforest verify wine.svf",
    .options = groups,
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .run = run,
};
