/* main.c - the command svforest: finds the verb, parses its words, runs it. */
#include "cli.h"
#include "help.h"
#include "output.h"
#include <string.h>

const cli_verb *const cli_verbs[] = {
    &cli_train,  &cli_predict, &cli_explain,   &cli_calibrate, &cli_eval,       &cli_report_page, &cli_cv,
    &cli_tune,   &cli_info,    &cli_partition, &cli_route,     &cli_fit_leaves, &cli_merge,       &cli_export,
    &cli_verify, &cli_methods, &cli_synth,     &cli_demo,      &cli_completion, &cli_help,        NULL};

const cli_verb *cli_verb_find(const char *name) {
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++)
    if (strcmp((*verb)->name, name) == 0) return *verb;
  return NULL;
}

static int run_verb(const cli_verb *verb, int count, char **words) {
  cli_args args;
  int code = cli_parse(verb, count, words, &args);
  if (code == CLI_DONE) {
    if (args.help) cli_help_verb(stdout, verb);
    else if (args.version) cli_help_version(stdout);
    else code = verb->run(&args);
  }
  cli_args_free(&args);
  return code;
}

static int unknown(const char *word) {
  const char *best = cli_suggest_verb(word);
  if (best) return cli_fail(CLI_USAGE, "'%s' is not a verb; did you mean '%s'?", word, best);
  return cli_fail(CLI_USAGE, "'%s' is not a verb; 'svforest' alone lists them", word);
}

static int run(int count, char **words) {
  const char *first = count ? words[0] : "-h";
  const cli_verb *verb = cli_verb_find(first);
  if (verb) return run_verb(verb, count - 1, words + 1);
  if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0) cli_help_overview(stdout);
  else if (strcmp(first, "--version") == 0) cli_help_version(stdout);
  else return unknown(first);
  return CLI_DONE;
}

int main(int argc, char **argv) {
  cli_descriptors_guard();
  int code = run(argc > 0 ? argc - 1 : 0, argv + 1);
  return code == CLI_DONE ? cli_stdout_finish() : code;
}
