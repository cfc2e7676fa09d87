/* verb_export.c - the verb export: a model as C. */
#include "export_check.h"
#include "data.h"
#include "output.h"
#include "report_lines.h"
#include <string.h>
#include <sys/stat.h>

static void tell(const cli_args *args, const cli_comparison *c) {
  cli_report report;
  cli_report_begin(&report, stdout, args->json);
  cli_report_text(&report, "file", args->output);
  if (c->rows) {
    cli_report_count(&report, "compared_rows", c->rows);
    cli_report_number(&report, "largest_difference", c->difference);
    cli_report_count(&report, "rows_beyond", c->beyond);
  } else {
    cli_report_text(&report, "not_compared", c->reason);
  }
  cli_report_end(&report);
}

/* A file that was made before may have been changed by hand. */
static int check_output(const cli_args *args) {
  struct stat found;
  CLI_TRY(cli_output_check(args->output, &args->operands));
  if (cli_is_stdio(args->output) || args->force || stat(args->output, &found) != 0 || !S_ISREG(found.st_mode))
    return CLI_DONE;
  return cli_fail(CLI_USAGE, "%s: exists; name another file with -o, or replace it with --force", args->output);
}

static int export_model(const cli_args *args, const svf_forest *forest) {
  svf_message message;
  svf_export_options options = {.name = args->name, .single = args->single};
  cli_comparison comparison;
  CLI_TRY(cli_export_compare(forest, &options, &comparison));
  CLI_TRY(cli_status(svf_forest_export_c(forest, &options, args->output, &message), &message));
  if (!comparison.rows) cli_note(args, "export: not compared with the model: %s", comparison.reason);
  if (!cli_is_stdio(args->output) && (!args->quiet || args->json)) tell(args, &comparison);
  return CLI_DONE;
}

enum { TO_C = 1, TO_ONNX }; /* in the order of --to */

static int run(const cli_args *args) {
  svf_forest *forest;
  if (args->to == TO_ONNX)
    return cli_fail(CLI_USAGE, "export: ONNX is written by the Python package: pip install 'svforest[onnx]', then "
                               "svforest.export(svforest.load(\"MODEL\"), \"FILE.onnx\")");
  if (!args->output) return cli_fail(CLI_USAGE, "export: name the file to write with -o");
  if (args->json && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "export: --json and the code cannot both go to standard output");
  CLI_TRY(check_output(args));
  CLI_TRY(cli_load(args->operands.item[0], &forest));
  int code = export_model(args, forest);
  svf_forest_free(forest);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "FILE", "file to write; - is standard output", cli_set_text, offsetof(cli_args, output)},
    {0, "to", "c|onnx", "form (default: c); onnx is written by the Python package", cli_set_choice,
     offsetof(cli_args, to)},
    {0, "name", "NAME", "name of the function (default: predict)", cli_set_text, offsetof(cli_args, name)},
    {0, "float", NULL, "compute in float, for small devices", cli_set_flag, offsetof(cli_args, single)},
    {0, "force", NULL, "replace an existing file", cli_set_flag, offsetof(cli_args, force)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_talk, NULL};

const cli_verb cli_export = {
    .name = "export",
    .usage = "MODEL -o FILE.c [--name NAME] [--float]",
    .summary = "write a model as C source without dependencies",
    .details =
        "The file is C11 and needs only the C library. Its function predict(row, out) takes one number per "
        "column: NaN if it is missing, the code of a category; it encodes and scales them itself. It "
        "allocates nothing and has no state. For classes it returns the code of the class and writes the "
        "probabilities; otherwise it writes the number. A comment at the top of the file describes the row.\n"
        "Before the file is written, the code is compiled with cc (or $CC) and compared with the model on "
        "1000 rows, drawn around the medians of the columns, with missing values and unknown categories. If a "
        "prediction differs, nothing is written. Without a compiler the file is written and a remark says so.\n"
        "ONNX files are written by svforest.export of the Python package.",
    .example = "svforest export wine.svf -o wine.c\ncc -O2 -c wine.c",
    .options = groups,
    .operands = "MODEL",
    .least = 1,
    .most = 1,
    .run = run,
};
