/* inspect_oob.c - out-of-bag results of a model, tree by tree. */
#include "inspect.h"
#include "job.h"
#include "text.h"

static void tree_json(cli_json *json, const svf_tree_info *tree) {
  cli_json_object(json, NULL);
  cli_json_count(json, "tree", tree->number + 1);
  cli_json_count(json, "nodes", tree->nodes);
  cli_json_count(json, "leaves", tree->leaves);
  cli_json_number(json, "weight", tree->weight);
  cli_json_number(json, "oob", tree->oob);
  cli_json_close(json);
}

static void json_trees(const cli_inspection *in, cli_json *json) {
  cli_json_list(json, "oob_trees");
  for (size_t i = 0; i < in->info.trees; i++) {
    svf_tree_info tree;
    svf_forest_tree(in->forest, i, &tree);
    tree_json(json, &tree);
  }
  cli_json_close(json);
  if (!in->oob.curve) return;
  cli_json_row(json, "oob_curve");
  for (size_t i = 0; i < in->info.trees; i++) cli_json_number(json, NULL, in->oob.curve[i]);
  cli_json_close(json);
}

static void print_trees(const cli_inspection *in) {
  printf("\n%8s %8s %8s %8s %10s%s\n", "tree", "nodes", "leaves", "weight", "oob",
         in->oob.curve ? "   trees so far" : "");
  for (size_t i = 0; i < in->info.trees; i++) {
    svf_tree_info tree;
    svf_forest_tree(in->forest, i, &tree);
    printf("%8zu %8zu %8zu %8.4g %10s", tree.number + 1, tree.nodes, tree.leaves, tree.weight,
           cli_short(tree.oob).text);
    if (in->oob.curve) printf(" %14s", cli_short(in->oob.curve[i]).text);
    putchar('\n');
  }
}

int cli_inspect_oob(cli_inspection *in) {
  svf_message message;
  cli_job job;
  if (!in->table) return CLI_DONE;
  in->oob.curve = CLI_TAKE(double, in->info.trees);
  cli_job_begin(&job, in->args);
  svf_status status = svf_forest_oob(in->forest, in->table, &job.run, &in->oob, &message);
  cli_job_end(&job);
  return cli_status(status, &message);
}

void cli_tell_oob(const cli_inspection *in, cli_report *report) {
  if (in->table) cli_report_number(report, "oob", in->oob.result);
  if (report->as_json) json_trees(in, &report->json);
  else print_trees(in);
}
