/* completion_fish.c - the completion script for fish: a line for each option of each verb. */
#include "completion.h"

static void quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

/* Words come with nothing else (-x), files and others may follow (-r). */
static void value(FILE *out, const cli_option *option) {
  switch (cli_value_of(option)) {
  case CLI_VALUE_FLAG:
    return;
  case CLI_VALUE_OTHER:
    fputs(" -r", out);
    return;
  case CLI_VALUE_METHODS:
    fputs(" -x -a \"$__svforest_methods\"", out);
    return;
  case CLI_VALUE_SETTING:
    fputs(" -x -a \"$__svforest_settings\"", out);
    return;
  case CLI_VALUE_WORDS:
    fputs(" -x -a '", out);
    cli_words_split(out, option->value);
    fputc('\'', out);
    return;
  }
}

static void verb_lines(FILE *out, const cli_verb *verb) {
  fprintf(out, "\ncomplete -c svforest -n __fish_use_subcommand -f -a %s -d ", verb->name);
  quoted(out, verb->summary);
  fputc('\n', out);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) {
      fprintf(out, "complete -c svforest -n '__fish_seen_subcommand_from %s'", verb->name);
      if (option->letter) fprintf(out, " -s %c", option->letter);
      fprintf(out, " -l %s", option->name);
      value(out, option);
      fputs(" -d ", out);
      quoted(out, option->help);
      fputc('\n', out);
    }
  if (!verb->words) return;
  fprintf(out, "complete -c svforest -n '__fish_seen_subcommand_from %s' -f -a '", verb->name);
  verb->words(out);
  fputs("'\n", out);
}

/* Each setting, and each of its values that is a word: "cut=" and cut=(...), which fish makes cut=none, cut=random, ... of. */
static void setting_words(FILE *out) {
  cli_words_settings(out, "=");
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    if (!cli_setting_worded(info)) continue;
    fprintf(out, " %s=(string split -n ' ' '", info->name);
    cli_words_setting(out, info);
    fputs("')", out);
  }
}

void cli_completion_fish(FILE *out) {
  fputs("# Completion of svforest for fish, written by 'svforest completion fish'.\nset -g __svforest_methods", out);
  cli_words_methods(out);
  fputs("\nset -g __svforest_settings", out);
  setting_words(out);
  fputc('\n', out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) verb_lines(out, *verb);
}
