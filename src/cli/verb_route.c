/* verb_route.c - the verb route: a chunk's rows to the cells of the cuts. */
#include "data.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"

static void tell(const cli_args *args, const svf_portion *rows) {
  svf_portion_info info;
  cli_report report;
  svf_portion_describe(rows, &info);
  cli_report_begin(&report, args->quiet && !args->json ? NULL : stdout, args->json);
  cli_report_count(&report, "first_row", (size_t)info.first_row);
  cli_report_count(&report, "rows", (size_t)info.rows);
  cli_report_count(&report, "unknown_categories", (size_t)info.unseen);
  cli_report_count(&report, "bytes", info.bytes);
  cli_report_text(&report, "output", args->output);
  cli_report_end(&report);
}

static int route(const cli_args *args, svf_portion **cuts, svf_table **chunk, svf_portion **rows) {
  svf_message message;
  cli_job job;
  CLI_TRY(cli_output_check(args->output, &args->operands));
  CLI_TRY(cli_load_portion(args->operands.item[0], SVF_PORTION_CUTS, cuts));
  CLI_TRY(cli_read_chunk(args, *cuts, args->operands.item[1], chunk));
  cli_job_begin(&job, args);
  svf_status status = svf_route(*cuts, *chunk, args->first, NULL, &job.run, rows, &message);
  cli_job_end(&job);
  CLI_TRY(cli_status(status, &message));
  CLI_TRY(cli_status(svf_portion_save(*rows, args->output, &message), &message));
  tell(args, *rows);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  svf_portion *cuts = NULL, *rows = NULL;
  svf_table *chunk = NULL;
  if (!args->output || cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "route: name the file of rows to write with -o");
  int code = route(args, &cuts, &chunk, &rows);
  svf_portion_free(cuts);
  svf_portion_free(rows);
  svf_table_free(chunk);
  return code;
}

static const cli_option own[] = {
    {0, "first", "ROW", "number of the chunk's first row in the whole table, from 0 (default: 0)", cli_set_count,
     offsetof(cli_args, first)},
    {'o', "output", "ROWS", "file of rows to write", cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_route = {
    .name = "route",
    .usage = "CUTS DATA [--first ROW] -o ROWS",
    .summary = "training in parts: assign the rows of a chunk to cells",
    .details = "DATA is one chunk of the table that 'partition' read; 'partition' printed the number of each chunk's "
               "first row. Give the same --target and --weight as there.",
    .example = "svforest route t.cuts b.csv --first 1000 -o b.rows",
    .options = groups,
    .operands = "CUTS DATA",
    .least = 2,
    .most = 2,
    .run = run,
};
