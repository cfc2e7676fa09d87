/* completion_words.c - lists of words from the tables, for the scripts of all shells. */
#include "completion.h"
#include <string.h>

cli_value cli_value_of(const cli_option *option) {
  if (!option->value) return CLI_VALUE_FLAG;
  if (option->set == cli_set_choice) return CLI_VALUE_WORDS;
  if (option->set == cli_set_method) return CLI_VALUE_METHODS;
  return option->set == cli_set_setting ? CLI_VALUE_SETTING : CLI_VALUE_OTHER;
}

/* The next alternative that is no range of numbers; false: there is none. */
static bool next_word(const char **at, const char **word, int *length) {
  while (**at) {
    *word = *at;
    *length = (int)strcspn(*at, "|");
    *at += *length + ((*at)[*length] == '|');
    bool range = false;
    for (int i = 0; i + 1 < *length; i++) range |= (*word)[i] == '.' && (*word)[i + 1] == '.';
    if (!range) return true;
  }
  return false;
}

void cli_words_split(FILE *out, const char *alternatives) {
  const char *word;
  int length;
  while (next_word(&alternatives, &word, &length)) fprintf(out, " %.*s", length, word);
}

static bool is_kind(const svf_setting_info *info) { return strcmp(info->type, "kind") == 0; }

bool cli_setting_worded(const svf_setting_info *info) {
  const char *range = info->range, *word;
  int length;
  return is_kind(info) || next_word(&range, &word, &length);
}

void cli_words_setting(FILE *out, const svf_setting_info *info) {
  if (!is_kind(info)) cli_words_split(out, info->range);
  for (size_t i = 0; is_kind(info) && i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    if (strcmp(kind.seam, info->name) == 0) fprintf(out, " %s", kind.name);
  }
}

void cli_words_settings(FILE *out, const char *end) {
  for (size_t i = 0; i < svf_setting_count(); i++) fprintf(out, " %s%s", svf_setting_at(i)->name, end);
}

void cli_words_verbs(FILE *out) {
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) fprintf(out, " %s", (*verb)->name);
}

void cli_words_topics(FILE *out) {
  cli_words_verbs(out);
  fputs(" man", out);
}

void cli_words_methods(FILE *out) {
  for (size_t i = 0; i < svf_method_count(); i++) fprintf(out, " %s", svf_method_at(i)->name);
}

void cli_words_synths(FILE *out) {
  for (size_t i = 0; i < svf_synth_count(); i++) fprintf(out, " %s", svf_synth_at(i)->name);
}
