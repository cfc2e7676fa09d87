/* verb_merge.c - the verb merge: forests trained in parts become one. */
#include "data.h"
#include "output.h"
#include "report_lines.h"
#include <stdlib.h>

typedef struct work {
  svf_forest **part;           /* if the parts are forests of some trees each */
  svf_portion *cuts, **leaves; /* if they are cuts and the leaves of some cells each */
  size_t count;
  svf_forest *whole;
} work;

static void tell(const cli_args *args, const svf_forest *forest) {
  svf_forest_info info;
  cli_report report;
  svf_forest_describe(forest, &info);
  cli_report_begin(&report, cli_is_stdio(args->output) ? NULL : stdout, args->json);
  cli_report_text(&report, "method", info.method);
  cli_report_count(&report, "parts", args->operands.count);
  cli_report_count(&report, "trees", info.trees);
  cli_report_count(&report, "leaves", info.leaves);
  cli_report_count(&report, "bytes", info.bytes);
  cli_report_text(&report, "model", args->output);
  cli_report_end(&report);
}

/* Scores are those of the answers of one part. */
static void note_dropped(const cli_args *args, const work *w) {
  for (size_t i = 0; i < w->count; i++)
    if (w->part[i] && svf_forest_calibrated(w->part[i])) {
      cli_note(args, "the merged model is not calibrated, although its parts were: calibrate it");
      return;
    }
}

/* The cuts may be any of the operands, so that CUTS *.leaves can be written in any order. */
static bool in_cells(const cli_args *args) {
  for (size_t i = 0; i < args->operands.count; i++)
    if (svf_portion_look(args->operands.item[i]) != SVF_PORTION_NONE) return true;
  return false;
}

static int load_cells(const cli_args *args, work *w) {
  for (size_t i = 0; i < args->operands.count; i++) {
    const char *path = args->operands.item[i];
    bool cuts = svf_portion_look(path) == SVF_PORTION_CUTS;
    if (cuts && w->cuts) return cli_fail(CLI_FAULT, "merge: %s is a second file of cuts; give one", path);
    if (cuts) CLI_TRY(cli_load_portion(path, SVF_PORTION_CUTS, &w->cuts));
    else {
      CLI_TRY(cli_load_portion(path, SVF_PORTION_LEAVES, &w->leaves[w->count]));
      w->count++;
    }
  }
  return w->cuts ? CLI_DONE : cli_fail(CLI_USAGE, "merge: leaves need the file of cuts that they belong to; add it");
}

static int merge_cells(const cli_args *args, work *w) {
  svf_message message;
  CLI_TRY(load_cells(args, w));
  const svf_portion *const *leaves = (const svf_portion *const *)w->leaves;
  return cli_status(svf_portion_merge(w->cuts, leaves, w->count, &w->whole, &message), &message);
}

static int merge_trees(const cli_args *args, work *w) {
  svf_message message;
  for (; w->count < args->operands.count; w->count++)
    CLI_TRY(cli_load(args->operands.item[w->count], &w->part[w->count]));
  const svf_forest *const *parts = (const svf_forest *const *)w->part;
  return cli_status(svf_forest_merge(parts, w->count, &w->whole, &message), &message);
}

static int merge(const cli_args *args, work *w) {
  svf_message message;
  CLI_TRY(cli_output_check(args->output, &args->operands));
  CLI_TRY(in_cells(args) ? merge_cells(args, w) : merge_trees(args, w));
  CLI_TRY(cli_status(svf_forest_save(w->whole, args->output, &message), &message));
  note_dropped(args, w);
  if (!args->quiet || args->json) tell(args, w->whole);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  if (!args->output) return cli_fail(CLI_USAGE, "merge: name the model to write with -o");
  if (args->json && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "merge: --json and the model cannot both go to standard output");
  work w = {.part = CLI_TAKE(svf_forest *, args->operands.count),
            .leaves = CLI_TAKE(svf_portion *, args->operands.count)};
  int code = merge(args, &w);
  for (size_t i = 0; i < w.count; i++) {
    svf_forest_free(w.part[i]);
    svf_portion_free(w.leaves[i]);
  }
  svf_portion_free(w.cuts);
  svf_forest_free(w.whole);
  free(w.leaves);
  free(w.part);
  return code;
}

static const cli_option own[] = {
    {'o', "output", "MODEL", "model file to write; - is standard output", cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_talk, NULL};

const cli_verb cli_merge = {
    .name = "merge",
    .usage = "PART... -o MODEL",
    .summary = "join forests that were trained in parts",
    .details = "The parts are trained on the same table with the same settings, each with its own range of trees (-s "
               "first_tree=N -s trees=M), without gap or overlap; their order does not matter. The result is the "
               "file that one run would have written, byte for byte.\n"
               "To join leaves trained by 'fit', give their files and the file of cuts from 'partition'.",
    .example = "svforest train -m rf -s trees=5 -o a.svf wine.csv\n"
               "svforest train -m rf -s trees=5 -s first_tree=5 -o b.svf wine.csv\n"
               "svforest merge a.svf b.svf -o wine.svf",
    .options = groups,
    .operands = "PART",
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
