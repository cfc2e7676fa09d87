/* verb_help.c - the verb help, and the help texts of all verbs from their tables. */
#include "help.h"
#include "data.h"
#include "text.h"
#include <string.h>

enum { HELP_COLUMN = 30 };

void cli_help_version(FILE *out) { fprintf(out, "svforest %s\n", svf_version()); }

void cli_help_overview(FILE *out) {
  fputs("svforest - forests whose leaves are support vector machines\n\nusage: svforest VERB ...\n\n", out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++)
    fprintf(out, "  %-10s %s\n", (*verb)->name, (*verb)->summary);
  fputs("\nTo begin:\n"
        "  svforest synth moons -n 1000 -o moons.csv\n"
        "  svforest train moons.csv\n"
        "  svforest predict moons.csv.svf moons.csv\n"
        "\n'svforest VERB -h' explains a verb, 'svforest methods' lists the methods.\n",
        out);
}

static void print_option(FILE *out, const cli_option *option) {
  char head[64], letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  int length = snprintf(head, sizeof head, "  %s--%s %s", letter, option->name, option->value ? option->value : "");
  fputs(head, out);
  if (length > HELP_COLUMN - 2) fputc('\n', out), length = 0;
  cli_wrap(out, option->help, HELP_COLUMN, length);
}

static void print_settings(FILE *out) {
  fputs("\nsettings (-s NAME=VALUE; 'svforest methods METHOD' shows what a method sets and reads)\n", out);
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    int length = fprintf(out, "  %s", info->name);
    cli_wrap(out, info->help, HELP_COLUMN, length);
    fprintf(out, "%*s", HELP_COLUMN, "");
    cli_setting_range(out, info);
    fprintf(out, "; default %s\n", info->standard);
  }
}

void cli_help_verb(FILE *out, const cli_verb *verb) {
  fprintf(out, "svforest %s - %s\n\nusage: svforest %s %s\n\n", verb->name, verb->summary, verb->name, verb->usage);
  cli_wrap(out, verb->details, 2, 0);
  fputs("\noptions\n", out);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) print_option(out, option);
  if (verb->settings) print_settings(out);
  fputs("\nexample\n", out);
  cli_wrap(out, verb->example, 2, 0);
}

static int unknown(const char *topic) {
  const char *best = cli_suggest_verb(topic);
  if (best) return cli_fail(CLI_USAGE, "help: '%s' is neither a verb nor 'man'; did you mean '%s'?", topic, best);
  return cli_fail(CLI_USAGE, "help: '%s' is neither a verb nor 'man'; 'svforest' alone lists the verbs", topic);
}

static int run(const cli_args *args) {
  if (args->operands.count == 0) {
    cli_help_overview(stdout);
    return CLI_DONE;
  }
  const char *topic = args->operands.item[0];
  const cli_verb *verb = cli_verb_find(topic);
  if (verb) cli_help_verb(stdout, verb);
  else if (strcmp(topic, "man") == 0) cli_help_manual(stdout);
  else return unknown(topic);
  return CLI_DONE;
}

static const cli_option *const groups[] = {cli_options_talk, NULL};

const cli_verb cli_help = {
    .name = "help",
    .usage = "[VERB | man]",
    .summary = "show the help of a verb, or write the manual page",
    .details = "'man' writes the whole manual page in roff, as it is installed in man1.",
    .example = "svforest help train\nsvforest help man | man -l -",
    .options = groups,
    .least = 0,
    .most = 1,
    .words = cli_words_topics,
    .run = run,
};
