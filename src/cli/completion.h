/* completion.h - scripts that let a shell complete the words of the command, from the tables of verbs, options, methods and
 * settings. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli.h"

void cli_completion_bash(FILE *out);
void cli_completion_zsh(FILE *out);
void cli_completion_fish(FILE *out);

/* What the value of an option may be, for a shell. */
typedef enum cli_value {
  CLI_VALUE_FLAG,
  CLI_VALUE_WORDS,
  CLI_VALUE_METHODS,
  CLI_VALUE_SETTING,
  CLI_VALUE_OTHER
} cli_value;
cli_value cli_value_of(const cli_option *option);

/* completion_words.c: words with a blank before each. Those of "a|b|1..9" are a and b. */
void cli_words_split(FILE *out, const char *alternatives);
/* Has the setting values that are words? They, and the names of all settings with an end. */
bool cli_setting_worded(const svf_setting_info *info);
void cli_words_setting(FILE *out, const svf_setting_info *info);
void cli_words_settings(FILE *out, const char *end);

#endif
