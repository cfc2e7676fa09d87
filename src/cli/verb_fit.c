/* verb_fit.c - the verb fit: the leaves of some cells. */
#include "data.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"
#include <stdlib.h>

typedef struct work {
  const cli_args *args;
  svf_portion *cuts, **rows, *leaves;
  size_t files;
} work;

/* Share I of N: cells in order, as many in each as in the others, or one more. */
static int share(const work *w, svf_cells *cells) {
  svf_portion_info info;
  svf_portion_describe(w->cuts, &info);
  *cells = info.cells;
  if (!w->args->slice[1]) return CLI_DONE;
  uint64_t all = info.cells.count, i = w->args->slice[0] - 1, n = w->args->slice[1];
  if (n > all)
    return cli_fail(CLI_USAGE, "fit: --part %zu/%zu: there are only %zu cells", w->args->slice[0], w->args->slice[1],
                    (size_t)all);
  cells->first = all * i / n;
  cells->count = all * (i + 1) / n - cells->first;
  return CLI_DONE;
}

static void tell(const work *w) {
  svf_portion_info info;
  cli_report report;
  svf_portion_describe(w->leaves, &info);
  cli_report_begin(&report, w->args->quiet && !w->args->json ? NULL : stdout, w->args->json);
  cli_report_count(&report, "first_cell", (size_t)info.cells.first);
  cli_report_count(&report, "cells", (size_t)info.cells.count);
  cli_report_count(&report, "leaves", info.leaves);
  cli_report_count(&report, "bytes", info.bytes);
  cli_report_text(&report, "output", w->args->output);
  cli_report_end(&report);
}

static int fit(work *w) {
  const cli_args *args = w->args;
  svf_message message;
  svf_cells cells;
  cli_job job;
  CLI_TRY(cli_output_check(args->output, &args->operands));
  CLI_TRY(cli_load_portion(args->operands.item[0], SVF_PORTION_CUTS, &w->cuts));
  CLI_TRY(share(w, &cells));
  for (; w->files < args->operands.count - 1; w->files++)
    CLI_TRY(cli_load_portion(args->operands.item[w->files + 1], SVF_PORTION_ROWS, &w->rows[w->files]));
  cli_job_begin(&job, args);
  svf_status status =
      svf_fit(w->cuts, (const svf_portion *const *)w->rows, w->files, &cells, &job.run, &w->leaves, &message);
  cli_job_end(&job);
  CLI_TRY(cli_status(status, &message));
  CLI_TRY(cli_status(svf_portion_save(w->leaves, args->output, &message), &message));
  tell(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  if (!args->output || cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "fit: name the file of leaves to write with -o");
  work w = {.args = args, .rows = CLI_TAKE(svf_portion *, args->operands.count)};
  int code = fit(&w);
  for (size_t f = 0; f < w.files; f++) svf_portion_free(w.rows[f]);
  free(w.rows);
  svf_portion_free(w.cuts);
  svf_portion_free(w.leaves);
  return code;
}

static const cli_option own[] = {
    {0, "part", "I/N", "train part I of N of the cells (default: all cells)", cli_set_slice,
     offsetof(cli_args, slice)},
    {'o', "output", "LEAVES", "file of leaves to write", cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_fit_leaves = {
    .name = "fit",
    .usage = "CUTS ROWS... [--part I/N] -o LEAVES",
    .summary = "training in parts: train the leaves of some cells",
    .details = "ROWS are the files written by 'route' for all chunks of the table, in any order. They are "
               "memory-mapped, so several processes on one machine share them. The parts may be trained anywhere and "
               "in any order.",
    .example = "svforest fit t.cuts *.rows --part 2/3 -o 2.leaves",
    .options = groups,
    .operands = "CUTS ROWS",
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
