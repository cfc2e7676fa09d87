/* inspect_importance.c - what a model owes to each feature. */
#include "inspect.h"
#include "job.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 5, LEAST_NAME = 24, MOST_NAME = 48 };

typedef struct ranked {
  size_t feature;
  double key;
} ranked;

static int by_key(const void *left, const void *right) {
  const ranked *a = left, *b = right;
  if (a->key != b->key) return a->key < b->key ? 1 : -1;
  return a->feature < b->feature ? -1 : 1;
}

static bool any(const double *value, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (value[i] > 0) return true;
  return false;
}

static size_t features(const cli_inspection *in) { return in->info.features + in->info.made; }

/* By what shuffling costs, else by the gain of cuts, else by the weights of leaves; free() it. */
static ranked *rank(const cli_inspection *in) {
  size_t count = features(in);
  const double *key = in->mean ? in->mean : any(in->gain, count) ? in->gain : in->leaf;
  ranked *order = CLI_TAKE(ranked, count);
  for (size_t i = 0; i < count; i++) order[i] = (ranked){i, isnan(key[i]) ? -INFINITY : key[i]};
  qsort(order, count, sizeof *order, by_key);
  return order;
}

static void json_feature(const cli_inspection *in, size_t f, cli_json *json) {
  cli_json_object(json, NULL);
  cli_json_text(json, "feature", svf_forest_feature_name(in->forest, f));
  cli_json_number(json, "gain", in->gain[f]);
  cli_json_number(json, "leaf", in->leaf[f]);
  if (in->metric) cli_json_number(json, "metric", in->metric[f]);
  if (in->mean) cli_json_number(json, "permutation", in->mean[f]);
  if (in->mean) cli_json_number(json, "permutation_sd", in->deviation[f]);
  cli_json_close(json);
}

/* Characters for the names of the features. */
static int name_width(const cli_inspection *in) {
  size_t width = LEAST_NAME;
  for (size_t f = 0; f < features(in) && width < MOST_NAME; f++) {
    size_t own = cli_width(svf_forest_feature_name(in->forest, f));
    width = own > width ? own : width;
  }
  return (int)(width < MOST_NAME ? width : MOST_NAME);
}

static void print_feature(const cli_inspection *in, size_t f, int width) {
  cli_fit(stdout, svf_forest_feature_name(in->forest, f), -width);
  printf(" %10s %10s", cli_short(in->gain[f]).text, cli_short(in->leaf[f]).text);
  if (in->metric) printf(" %10s", cli_short(in->metric[f]).text);
  if (in->mean) printf(" %12s %10s", cli_short(in->mean[f]).text, cli_short(in->deviation[f]).text);
  putchar('\n');
}

static int shuffle(cli_inspection *in) {
  svf_message message;
  cli_job job;
  in->mean = CLI_TAKE(double, features(in));
  in->deviation = CLI_TAKE(double, features(in));
  svf_permutation permutation = {.repeats = in->args->repeats ? in->args->repeats : REPEATS,
                                 .seed = in->args->seed ? strtoull(in->args->seed, NULL, 10) : 0,
                                 .oob = in->args->oob,
                                 .mean = in->mean,
                                 .deviation = in->deviation};
  cli_job_begin(&job, in->args);
  svf_status status = svf_forest_permute(in->forest, in->table, &job.run, &permutation, &message);
  cli_job_end(&job);
  in->result = permutation.result;
  return cli_status(status, &message);
}

int cli_inspect_importance(cli_inspection *in) {
  svf_message message;
  in->gain = CLI_TAKE(double, features(in));
  in->leaf = CLI_TAKE(double, features(in));
  CLI_TRY(cli_status(svf_forest_importance(in->forest, in->gain, in->leaf, &message), &message));
  return in->table ? shuffle(in) : CLI_DONE;
}

void cli_inspection_free(cli_inspection *in) {
  free(in->oob.curve);
  free(in->gain);
  free(in->leaf);
  free(in->metric);
  free(in->mean);
  free(in->deviation);
  free(in->bound.tree);
}

void cli_tell_importance(const cli_inspection *in, cli_report *report) {
  ranked *order = rank(in);
  int width = name_width(in);
  if (in->table) cli_report_number(report, in->info.classes ? "unshuffled_accuracy" : "unshuffled_mse", in->result);
  if (report->as_json) cli_json_list(&report->json, "importance");
  else
    printf("\n%-*s %10s %10s%s%s\n", width, "feature", "gain", "leaf", in->metric ? "     metric" : "",
           in->mean ? "  permutation         sd" : "");
  for (size_t i = 0; i < features(in); i++)
    if (report->as_json) json_feature(in, order[i].feature, &report->json);
    else print_feature(in, order[i].feature, width);
  if (report->as_json) cli_json_close(&report->json);
  free(order);
}
