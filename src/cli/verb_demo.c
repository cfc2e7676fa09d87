/* verb_demo.c - the verb demo: trains on synthetic sets, prints a table, draws pictures. */
#include "verb_demo.h"
#include "json.h"
#include "text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 1000, METHODS = 3 };

static const char *const sets[] = {"moons", "rings", "spirals", "twonorm", "ringnorm", "mixture", "classification"};
enum { SETS = sizeof sets / sizeof *sets };

static const char *const methods[METHODS] = {"linear-svm", "rsvt", "rsvt-full"};

typedef struct result {
  size_t features;
  double best; /* accuracy that nobody can beat, NaN: not known */
  cli_trial trial[METHODS];
} result;

static int try_set(size_t set, uint64_t seed, cli_job *job, result *r) {
  cli_halves halves;
  CLI_TRY(cli_halves_make(sets[set], ROWS, seed, &halves));
  r->features = svf_table_columns(halves.train);
  r->best = 1 - halves.risk;
  int code = CLI_DONE;
  for (size_t m = 0; m < METHODS && code == CLI_DONE; m++) {
    r->trial[m] = (cli_trial){.method = methods[m], .settings = ""};
    code = cli_trial_run(&r->trial[m], &halves, job, NULL);
  }
  cli_halves_free(&halves);
  return code;
}

static void print_head(void) {
  printf("accuracy on %d new rows, and seconds to train on %d\n\n%-15s %8s", ROWS, ROWS, "set", "features");
  for (size_t m = 0; m < METHODS; m++) printf("   %-16s", methods[m]);
  printf("   %s\n", "best possible");
}

static void print_line(size_t set, const result *r) {
  printf("%-15s %8zu", sets[set], r->features);
  for (size_t m = 0; m < METHODS; m++) printf("   %.3f  %6.3f s ", r->trial[m].accuracy, r->trial[m].seconds);
  if (isnan(r->best)) puts("   -");
  else printf("   %.3f\n", r->best);
  fflush(stdout);
}

static void json_line(cli_json *json, size_t set, const result *r) {
  for (size_t m = 0; m < METHODS; m++) {
    cli_json_object(json, NULL);
    cli_json_text(json, "set", sets[set]);
    cli_json_count(json, "rows", ROWS);
    cli_json_count(json, "features", r->features);
    cli_json_text(json, "method", methods[m]);
    cli_json_number(json, "accuracy", r->trial[m].accuracy);
    cli_json_number(json, "seconds", r->trial[m].seconds);
    cli_json_number(json, "best", r->best);
    cli_json_close(json);
  }
}

static void tell_json(const result *results, const char *folder) {
  cli_json json;
  cli_json_begin(&json, stdout);
  cli_json_text(&json, "folder", folder);
  cli_json_list(&json, "results");
  for (size_t set = 0; set < SETS; set++) json_line(&json, set, &results[set]);
  cli_json_close(&json);
  cli_json_close(&json);
}

static int demo(const cli_args *args, const char *folder, cli_job *job) {
  result results[SETS];
  uint64_t seed = args->seed ? strtoull(args->seed, NULL, 10) : 0;
  if (!args->json) print_head();
  for (size_t set = 0; set < SETS; set++) {
    CLI_TRY(try_set(set, seed, job, &results[set]));
    if (!args->json) print_line(set, &results[set]);
  }
  CLI_TRY(cli_demo_pictures(args, folder, job));
  if (args->json) tell_json(results, folder);
  else printf("\npictures: %s/regions.svg, %s/tree.svg\n", folder, folder);
  return CLI_DONE;
}

/* The folder is there, new or old. */
static int make_folder(const char *folder) {
  struct stat found;
  if (mkdir(folder, 0777) == 0) return CLI_DONE;
  if (errno != EEXIST || stat(folder, &found) != 0) return cli_fail(CLI_FAULT, "%s: %s", folder, strerror(errno));
  if (S_ISDIR(found.st_mode)) return CLI_DONE;
  return cli_fail(CLI_FAULT, "%s: is not a directory; name one for the pictures with -o", folder);
}

static int run(const cli_args *args) {
  const char *folder = args->output ? args->output : "svforest-demo";
  cli_job job;
  CLI_TRY(make_folder(folder));
  cli_job_begin(&job, args);
  job.bar = false; /* the lines of the table are the progress */
  return demo(args, folder, &job);
}

static const cli_option own[] = {{'o', "output", "DIR", "folder for the pictures (default: svforest-demo)",
                                  cli_set_text, offsetof(cli_args, output)},
                                 {0}};
static const cli_option *const groups[] = {own, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_demo = {
    .name = "demo",
    .usage = "[-o DIR]",
    .summary = "train and draw pictures on synthetic sets",
    .details = "Trains rsvt, rsvt-full and a single linear machine on synthetic sets, prints accuracy and "
               "time, and draws the "
               "decision regions and the cells of one tree as SVG.",
    .example = "svforest demo -o pictures",
    .options = groups,
    .least = 0,
    .most = 0,
    .run = run,
};
