/* info.c - the verb info: what a model file holds. */
#include "data.h"
#include "dump.h"
#include "report.h"
#include "text.h"

static void names(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  if (!report->as_json) return;
  cli_json_row(&report->json, "class_names");
  for (size_t i = 0; i < info->classes; i++) cli_json_text(&report->json, NULL, svf_forest_class_name(forest, i));
  cli_json_close(&report->json);
  cli_json_row(&report->json, "feature_names");
  for (size_t i = 0; i < info->features; i++) cli_json_text(&report->json, NULL, svf_forest_feature_name(forest, i));
  cli_json_close(&report->json);
}

static void sizes(cli_report *report, const svf_forest *forest, const svf_forest_info *info) {
  cli_report_text(report, "method", info->method);
  cli_report_text(report, "task", cli_task_name(info->task));
  cli_report_text(report, "target", svf_forest_target_name(forest));
  cli_report_count(report, "rows", info->rows);
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

static void tree_json(cli_json *json, const svf_tree_info *tree) {
  cli_json_object(json, NULL);
  cli_json_count(json, "tree", tree->number + 1);
  cli_json_count(json, "nodes", tree->nodes);
  cli_json_count(json, "leaves", tree->leaves);
  cli_json_number(json, "weight", tree->weight);
  cli_json_number(json, "oob", tree->oob);
  cli_json_close(json);
}

static void out_of_bag(cli_report *report, const svf_forest *forest, size_t trees) {
  if (report->as_json) cli_json_list(&report->json, "oob_trees");
  else printf("\n%8s %8s %8s %8s %10s\n", "tree", "nodes", "leaves", "weight", "oob");
  for (size_t i = 0; i < trees; i++) {
    svf_tree_info tree;
    svf_forest_tree(forest, i, &tree);
    if (report->as_json) tree_json(&report->json, &tree);
    else
      printf("%8zu %8zu %8zu %8.4g %10s\n", tree.number + 1, tree.nodes, tree.leaves, tree.weight,
             cli_short(tree.oob).text);
  }
  if (report->as_json) cli_json_close(&report->json);
}

static void dump(cli_report *report, const svf_forest *forest) {
  if (report->as_json) cli_dump_json(&report->json, forest);
  else cli_dump_text(report->out, forest);
}

static int run(const cli_args *args) {
  svf_forest *forest = NULL;
  svf_forest_info info;
  cli_report report;
  CLI_TRY(cli_load(args->operands.item[0], &forest));
  svf_forest_describe(forest, &info);
  cli_report_begin(&report, stdout, args->json);
  sizes(&report, forest, &info);
  settings(&report, forest);
  if (args->oob) out_of_bag(&report, forest, info.trees);
  if (args->dump) dump(&report, forest);
  cli_report_end(&report);
  svf_forest_free(forest);
  return CLI_DONE;
}

static const cli_option own[] = {
    {0, "oob", NULL, "a line per tree: its sizes, its weight, its result on the rows it did not see", cli_set_flag,
     offsetof(cli_args, oob)},
    {0, "dump", NULL, "every tree, node by node, in the units of the data", cli_set_flag, offsetof(cli_args, dump)},
    {0}};
static const cli_option *const groups[] = {own, cli_options_talk, NULL};

const cli_verb cli_info = {
    .name = "info",
    .usage = "MODEL [--oob] [--dump]",
    .summary = "show what a model holds",
    .details = "Sizes, settings, and the largest relative duality gap of any machine in a leaf. Trees and "
               "leaves are counted "
               "from 1.",
    .example = "svforest info wine.svf\nsvforest info wine.svf --dump --json",
    .options = groups,
    .least = 1,
    .most = 1,
    .run = run,
};
