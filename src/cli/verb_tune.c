/* verb_tune.c - the verb tune: looks for good settings of a method, prints them as flags, trains the model with them. */
#include "verb_tune.h"
#include "members.h"
#include "data.h"
#include "job.h"
#include "output.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const cli_args *args) {
  if (args->json && args->output && cli_is_stdio(args->output))
    return cli_fail(CLI_USAGE, "tune: --json and the model cannot both go to standard output");
  return args->output ? cli_output_check(args->output, &args->operands) : CLI_DONE;
}

/* After a candidate has run: what the bar shows, and with -v a line of its own. */
static int tell(void *user, const svf_tuning *tuning, size_t number) {
  cli_tuning *w = user;
  svf_tuning_info info;
  svf_candidate_info best, candidate;
  svf_tuning_describe(tuning, &info);
  svf_tuning_candidate(tuning, info.best, &best);
  svf_tuning_candidate(tuning, number, &candidate);
  snprintf(w->job.note, sizeof w->job.note, "best of %zu: %s %s", info.candidates, w->measure,
           cli_short(best.score).text);
  if (!w->args->verbose || w->args->quiet) return 0;
  char share[32] = "all";
  if (candidate.rows < 1) snprintf(share, sizeof share, "1/%.0f", 1 / candidate.rows);
  cli_job_wipe(&w->job);
  fprintf(stderr, "%5zu  %-10s on %s rows: %s\n", number + 1, cli_short(candidate.score).text, share,
          candidate.settings[0] ? candidate.settings : "the method as it is");
  return 0;
}

static int search(cli_tuning *w) {
  svf_message message;
  const cli_args *args = w->args;
  svf_tune_options options = {.search = (svf_tune_search)(args->search ? args->search - 1 : 0),
                              .folds = args->folds,
                              .candidates = args->candidates,
                              .budget = args->budget,
                              .tries = args->tries.item,
                              .try_count = args->tries.count,
                              .tell = tell,
                              .user = w};
  cli_job_begin(&w->job, args);
  svf_status status = svf_tune(w->settings, w->table, &options, &w->job.run, &w->tuning, &message);
  cli_job_end(&w->job);
  w->stopped = status == SVF_STOPPED && cli_signal();
  if (!w->tuning) {
    if (status == SVF_STOPPED && !w->stopped) return cli_fail(CLI_FAULT, "%s", message.text);
    return cli_status(status, &message);
  }
  svf_tuning_describe(w->tuning, &w->info);
  if (w->info.refused)
    cli_note(args, "%zu %s not go together and %s left out: %s", w->info.refused,
             cli_plural(w->info.refused, "combination does", "combinations do"),
             cli_plural(w->info.refused, "was", "were"), w->info.refusal);
  if (w->stopped) cli_note(args, "stopped; the best of %zu candidates follows", w->info.candidates);
  else if (status != SVF_OK) cli_note(args, "%s", message.text);
  return CLI_DONE;
}

/* The best settings on all rows. A signal that ended the search does not end this; one more does. */
static int train(cli_tuning *w) {
  svf_message message;
  svf_forest *forest = NULL;
  cli_job job;
  cli_signal_forget();
  cli_job_begin(&job, w->args);
  svf_status status = svf_train(svf_tuning_settings(w->tuning), w->table, &job.run, &forest, &message);
  w->training = cli_job_end(&job);
  if (status == SVF_OK) status = svf_forest_save(forest, w->args->output, &message);
  svf_forest_free(forest);
  w->trained = status == SVF_OK;
  return cli_status(status, &message);
}

static int tune(cli_tuning *w) {
  const cli_args *args = w->args;
  CLI_TRY(check(args));
  CLI_TRY(cli_settings(args, cli_method(args), &w->settings));
  if (cli_is_committee(w->settings)) return cli_tune_methods(w);
  if (args->effort)
    return cli_fail(CLI_USAGE, "tune: --effort is for the search among methods: leave out -m %s", args->method);
  CLI_TRY(cli_read(args, args->operands.item[0], &w->table, NULL));
  w->measure = svf_table_classes(w->table) ? "accuracy" : "mse";
  CLI_TRY(search(w));
  int code = args->output ? train(w) : CLI_DONE;
  cli_tune_tell(w);
  return code;
}

static int run(const cli_args *args) {
  cli_tuning w = {.args = args};
  int code = tune(&w);
  svf_tuning_free(w.tuning);
  svf_table_free(w.table);
  svf_settings_free(w.settings);
  return code;
}

static const cli_option own[] = {
    {'m', "method", "METHOD", "method to tune (default: a committee of several)", cli_set_method,
     offsetof(cli_args, method)},
    {'s', "set", "NAME=VALUE", "fix one setting of the method, so that it is not tuned; may be repeated",
     cli_set_setting, offsetof(cli_args, settings)},
    {0, "try", "NAME=A|B|C",
     "values to try for this setting; then only settings named by --try are tuned; may be repeated", cli_set_setting,
     offsetof(cli_args, tries)},
    {0, "search", "halving|random|grid", "how candidates are chosen (default: halving)", cli_set_choice,
     offsetof(cli_args, search)},
    {0, "candidates", "N", "try at most this many (default: 27; all of a grid; or as many as the budget allows)",
     cli_set_positive, offsetof(cli_args, candidates)},
    {0, "effort", "1..9", "without -m: how much work the search may take (default: 5)", cli_set_effort,
     offsetof(cli_args, effort)},
    {0, "budget", "SECONDS", "search for this long (default: until all candidates are tried)", cli_set_seconds,
     offsetof(cli_args, budget)},
    {'k', "folds", "FOLDS", "number of folds (default: 5)", cli_set_positive, offsetof(cli_args, folds)},
    {'o', "output", "MODEL", "train the best settings on all rows and write the model; - is standard output",
     cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {
    own, cli_options_data, cli_options_learn, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_tune = {
    .name = "tune",
    .usage = "[-m METHOD] [-s NAME=VALUE]... [--try NAME=A|B]... [--budget SECONDS] [-o MODEL] DATA",
    .summary = "search good settings of a method, or of several",
    .details = "Without -m: trains several methods, each with many settings, and weights them by their scores on "
               "held-out rows, as train does with fewer. 'train --plan' with the printed plan gives the same model.\n"
               "With -m: tries settings of the method by cross-validation, on the same folds, and prints the best as "
               "flags for train and cv; with -q, prints nothing else. Candidates are compared by mean accuracy "
               "(classes) or mean squared error (numbers). The first candidate is the method's default; 'svforest "
               "methods METHOD' shows the values to try, and --try gives others. The options --try, --search, "
               "--candidates and -k need -m.\n"
               "halving runs many candidates on few rows, then the best third of them on three times as many, until "
               "all rows are used; random draws candidates without repeats; grid tries all in order. Without a "
               "budget the same seed gives the same result. The model of -o is trained after the budget is spent.\n"
               "Ctrl-C ends the search: the best candidate so far is printed, and with -o its model is written.",
    .example = "svforest tune --budget 60 -o wine.svf wine.csv\n"
               "svforest tune -m rsvt-full --budget 60 -o wine.svf wine.csv\n"
               "svforest tune -m rf --try 'min_leaf=1|5|20' --try 'features=sqrt|all' --search grid wine.csv\n"
               "svforest cv -k 10 $(svforest tune -q -m ccf wine.csv) wine.csv",
    .options = groups,
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .settings = true,
    .run = run,
};
