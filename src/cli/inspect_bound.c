/* inspect_bound.c - a learning bound of a model, tree by tree and term by term. */
#include "inspect.h"
#include "job.h"
#include "text.h"

int cli_inspect_bound(cli_inspection *in) {
  svf_message message;
  cli_job job;
  in->bound.tree = CLI_TAKE(svf_bound_tree, in->info.trees);
  cli_job_begin(&job, in->args);
  svf_status status = svf_forest_bound(in->forest, in->table, &job.run, &in->bound, &message);
  cli_job_end(&job);
  return cli_status(status, &message);
}

static void json_trees(const cli_inspection *in, cli_json *json) {
  cli_json_list(json, "bound_trees");
  for (size_t i = 0; i < in->info.trees; i++) {
    const svf_bound_tree *tree = &in->bound.tree[i];
    cli_json_object(json, NULL);
    cli_json_count(json, "tree", in->info.first_tree + i + 1);
    cli_json_count(json, "leaves", tree->leaves);
    cli_json_number(json, "error", tree->error);
    cli_json_number(json, "complexity", tree->complexity);
    cli_json_number(json, "remainder", tree->remainder);
    cli_json_number(json, "margin", tree->margin);
    cli_json_number(json, "confidence", tree->confidence);
    cli_json_number(json, "bound", tree->bound);
    cli_json_number(json, "criterion", tree->criterion);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void print_trees(const cli_inspection *in) {
  printf("\n%8s %8s %10s %12s %10s %10s %12s %10s %10s\n", "tree", "leaves", "error", "complexity", "remainder",
         "margin", "confidence", "bound", "criterion");
  for (size_t i = 0; i < in->info.trees; i++) {
    const svf_bound_tree *tree = &in->bound.tree[i];
    printf("%8zu %8zu %10s", in->info.first_tree + i + 1, tree->leaves, cli_short(tree->error).text);
    printf(" %12s %10s", cli_short(tree->complexity).text, cli_short(tree->remainder).text);
    printf(" %10s %12s", cli_short(tree->margin).text, cli_short(tree->confidence).text);
    printf(" %10s %10s\n", cli_short(tree->bound).text, cli_short(tree->criterion).text);
  }
}

/* What the number is worth. */
static const char *worth(const svf_bound *b) {
  if (!b->guarantee)
    return "no guarantee: rho depends on the trees, or rows or classes were drawn or weighted; a criterion to "
           "compare by";
  if (!(b->bound < 1)) return "holds, and says nothing: errors are never above 1; a criterion to compare by";
  return "a guarantee for the vote of hard leaves, not for the mean of their probabilities";
}

void cli_tell_bound(const cli_inspection *in, cli_report *report) {
  const svf_bound *b = &in->bound;
  if (!report->as_json) print_trees(in);
  if (!report->as_json) putchar('\n');
  cli_report_number(report, "bound_rows", b->rows);
  cli_report_count(report, "bound_drawn", b->drawn);
  cli_report_count(report, "bound_families", b->families);
  cli_report_number(report, "bound_rho", b->rho);
  cli_report_number(report, "bound_delta", b->delta);
  cli_report_number(report, "bound_error", b->error);
  cli_report_number(report, "bound", b->bound);
  cli_report_text(report, "bound_worth", worth(b));
  if (report->as_json) json_trees(in, &report->json);
}
