/* verb_info.c - the verb info: what a model file holds. */
#include "members.h"
#include "data.h"
#include "dump.h"
#include "inspect.h"
#include "report_lines.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

static void names(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  if (!report->as_json) return;
  cli_json_row(&report->json, "class_names");
  for (size_t i = 0; i < info->classes; i++) cli_json_text(&report->json, NULL, svf_forest_class_name(forest, i));
  cli_json_close(&report->json);
  cli_json_row(&report->json, "feature_names");
  for (size_t i = 0; i < info->features + info->made; i++)
    cli_json_text(&report->json, NULL, svf_forest_feature_name(forest, i));
  cli_json_close(&report->json);
}

/* A line of the report: what it is, NAME = VALUE. */
static void tell_pair(const char *what, const char *name, const char *value) {
  printf("%-18s ", what);
  cli_fit(stdout, name, 0);
  fputs(" = ", stdout);
  cli_fit(stdout, value, 0);
  putchar('\n');
}

/* The text of a made feature; free() it. */
static char *recipe(const svf_forest *forest, size_t feature) {
  size_t size = svf_forest_feature_text(forest, feature, NULL, 0) + 1;
  char *text = cli_take(size, 1);
  svf_forest_feature_text(forest, feature, text, size);
  return text;
}

static void made_features(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  if (report->as_json) cli_json_object(&report->json, "made_features");
  for (size_t i = info->features; i < info->features + info->made; i++) {
    const char *name = svf_forest_feature_name(forest, i);
    char *text = recipe(forest, i);
    if (report->as_json) cli_json_text(&report->json, name, text);
    else tell_pair("made feature", name, text);
    free(text);
  }
  if (report->as_json) cli_json_close(&report->json);
}

static void ids(cli_report *report, const svf_forest *forest) {
  if (report->as_json) cli_json_row(&report->json, "ids");
  for (size_t i = 0; i < svf_forest_ids(forest); i++) {
    const char *name = svf_forest_id_name(forest, i);
    if (report->as_json) cli_json_text(&report->json, NULL, name);
    else cli_report_text(report, "id", name);
  }
  if (report->as_json) cli_json_close(&report->json);
}

static void class_weights(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  char how[16];
  if (svf_settings_get(svf_forest_settings(forest), "class_weight", how, sizeof how) != SVF_OK ||
      strcmp(how, "given"))
    return;
  if (report->as_json) cli_json_object(&report->json, "class_weights");
  for (size_t c = 0; c < info->classes; c++) {
    const char *name = svf_forest_class_name(forest, c);
    double weight = svf_forest_class_weight(forest, c);
    if (report->as_json) cli_json_number(&report->json, name, weight);
    else tell_pair("class weight", name, cli_number(weight).text);
  }
  if (report->as_json) cli_json_close(&report->json);
}

static void sizes(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  cli_report_text(report, "method", info->method);
  cli_report_text(report, "task", cli_task_name(info->task));
  cli_report_text(report, "target", svf_forest_target_name(forest));
  ids(report, forest);
  cli_report_count(report, "rows", info->rows);
  size_t held = svf_forest_calibrated(forest);
  if (held || report->as_json) cli_report_count(report, "calibration_rows", held);
  cli_report_count(report, "features", info->features);
  cli_report_count(report, "encoded", info->encoded);
  cli_report_count(report, "classes", info->classes);
  cli_report_count(report, "trees", info->trees);
  cli_report_count(report, "first_tree", info->first_tree);
  cli_report_count(report, "nodes", info->nodes);
  cli_report_count(report, "leaves", info->leaves);
  cli_report_count(report, "max_depth", info->max_depth);
  cli_report_number(report, "worst_gap", info->worst_gap);
  cli_report_count(report, "unconverged", info->unconverged);
  cli_report_count(report, "bytes", info->bytes);
  names(report, forest, info);
  made_features(report, forest, info);
  class_weights(report, forest, info);
}

static void one_setting(void *user, const svf_setting_info *info, const char *value) {
  cli_report *report = user;
  if (report->as_json) cli_json_text(&report->json, info->name, value);
  else fprintf(report->out, "  %-18s %s\n", info->name, value);
}

static void settings(cli_report *report, const svf_forest *forest) {
  if (report->as_json) cli_json_object(&report->json, "settings");
  else fputs("\nsettings\n", report->out);
  cli_settings_each(svf_forest_settings(forest), one_setting, report);
  if (report->as_json) cli_json_close(&report->json);
}

static void dump(cli_report *report, const svf_forest *forest) {
  if (report->as_json) cli_dump_json(&report->json, forest);
  else cli_dump_text(report->out, forest);
}

static void tell(const cli_inspection *in) {
  cli_report report;
  cli_report_begin(&report, stdout, in->args->json);
  sizes(&report, in->forest, &in->info);
  cli_committee_tell(&report, in->forest, NULL);
  cli_tell_metric(in, &report);
  settings(&report, in->forest);
  if (in->args->oob) cli_tell_oob(in, &report);
  if (in->args->importance) cli_tell_importance(in, &report);
  if (in->args->bound) cli_tell_bound(in, &report);
  if (in->args->dump) dump(&report, in->forest);
  cli_report_end(&report);
}

/* What only single forests have. */
static int check_member(const cli_args *args, const svf_forest *forest) {
  svf_committee_info info;
  const char *asked = args->oob ? "oob" : args->bound ? "bound" : args->dump ? "dump" : NULL;
  svf_committee_describe(forest, &info);
  if (!asked || !info.members) return CLI_DONE;
  return cli_fail(CLI_USAGE, "info: --%s needs a member of the committee: add --member 1..%zu", asked, info.members);
}

static int inspect(const cli_args *args, const svf_forest *forest, const svf_table *table) {
  CLI_TRY(cli_committee_member(args, &forest));
  CLI_TRY(check_member(args, forest));
  cli_inspection in = {.args = args, .forest = forest, .table = table};
  svf_forest_describe(forest, &in.info);
  cli_inspect_metric(&in);
  int code = args->oob ? cli_inspect_oob(&in) : CLI_DONE;
  if (code == CLI_DONE && args->importance) code = cli_inspect_importance(&in);
  if (code == CLI_DONE && args->bound) code = cli_inspect_bound(&in);
  if (code == CLI_DONE) tell(&in);
  cli_inspection_free(&in);
  return code;
}

static int run(const cli_args *args) {
  svf_forest *forest = NULL;
  svf_table *table = NULL;
  bool data = args->operands.count > 1;
  if (data && !args->oob && !args->importance && !args->bound)
    return cli_fail(CLI_USAGE, "info: DATA is for --oob, --importance or --bound; name one of them");
  if (args->bound && !data) return cli_fail(CLI_USAGE, "info: --bound needs the table that the model was trained on");
  int code = data ? cli_load_both(args, false, &forest, &table) : cli_load(args->operands.item[0], &forest);
  if (code == CLI_DONE) code = inspect(args, forest, table);
  svf_table_free(table);
  svf_forest_free(forest);
  return code;
}

static const cli_option own[] = {
    {0, "oob", NULL,
     "a line per tree: its sizes, its weight, its result on the rows it did not see; with DATA, the "
     "training table, also the result of the trees so far",
     cli_set_flag, offsetof(cli_args, oob)},
    {0, "importance", NULL,
     "a line per feature: its fraction of the gain of the cuts, of the weights in the leaves and of a "
     "learned metric; with DATA, also what shuffling it costs",
     cli_set_flag, offsetof(cli_args, importance)},
    {0, "bound", NULL,
     "a line per tree with every term of a learning bound, for forests of kernel machines; DATA is the "
     "training table",
     cli_set_flag, offsetof(cli_args, bound)},
    {'r', "repeats", "REPEATS", "shuffles per feature (default: 5)", cli_set_positive, offsetof(cli_args, repeats)},
    {0, "member", "K", "show one member of a committee (auto)", cli_set_positive, offsetof(cli_args, member)},
    {0, "dump", NULL, "every tree, node by node, in the units of the data", cli_set_flag, offsetof(cli_args, dump)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_data, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_info = {
    .name = "info",
    .usage = "MODEL [DATA] [--oob] [--importance] [--bound] [--dump] [--member K]",
    .summary = "show what a model contains",
    .details = "Prints sizes, settings, and the largest relative duality gap of any machine in a leaf; for machines "
               "with a learned metric also the kernel and the features with the largest weights. Trees and leaves "
               "are counted from 1.\n"
               "DATA is a table with known answers. --importance shuffles its columns one at a time and shows the "
               "loss of accuracy or the increase of the mean squared error. With --oob, DATA must be the table that "
               "the model was trained on, with rows in the same order; each row is then predicted by the trees that "
               "did not see it, for --importance too.\n"
               "--bound prints every term of a bound on the error on unseen rows (DeSalvo and Mohri 2016), for "
               "leaves that predict a class and nothing else, and whether it is a guarantee.",
    .example = "svforest info wine.svf --dump --json\nsvforest info wine.svf test.csv --importance\n"
               "svforest train -m rf -o bagged.svf wine.csv && svforest info bagged.svf wine.csv --oob\n"
               "svforest train -m rcf -s trees=5 -o rcf.svf wine.csv && svforest info rcf.svf --bound wine.csv",
    .options = groups,
    .operands = "MODEL",
    .least = 1,
    .most = 2,
    .run = run,
};
