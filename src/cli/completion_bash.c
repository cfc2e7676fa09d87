/* completion_bash.c - the completion script for bash. Where it has no words bash completes names of files. */
#include "completion.h"

/* -m | --method */
static void pattern(FILE *out, const cli_option *option) {
  if (option->letter) fprintf(out, "-%c | ", option->letter);
  fprintf(out, "--%s", option->name);
}

/* How the words for the option's value are found. */
static void option_case(FILE *out, const cli_option *option) {
  cli_value value = cli_value_of(option);
  if (value == CLI_VALUE_FLAG) return;
  fputs("        ", out);
  pattern(out, option);
  fputs(") ", out);
  if (value == CLI_VALUE_METHODS) fputs("words=$methods list=yes", out);
  else if (value == CLI_VALUE_SETTING) fputs("words=$settings", out);
  else if (value == CLI_VALUE_WORDS) {
    fputs("words='", out);
    cli_words_split(out, option->value);
    fputc('\'', out);
  } else fputs("return", out);
  fputs(" ;;\n", out);
}

static void verb_case(FILE *out, const cli_verb *verb) {
  fprintf(out, "    %s)\n      options='", verb->name);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) {
      if (option->letter) fprintf(out, " -%c", option->letter);
      fprintf(out, " --%s", option->name);
    }
  fputs("'\n      case $before in\n", out);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) option_case(out, option);
  fputs("        *) words='", out);
  if (verb->words) verb->words(out);
  fputs("' ;;\n      esac\n      ;;\n", out);
}

static void setting_cases(FILE *out) {
  fputs("# The values of a setting that are words.\n_svforest_values() {\n  case $1 in\n", out);
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    if (!cli_setting_worded(info)) continue;
    fprintf(out, "    %s) echo", info->name);
    cli_words_setting(out, info);
    fputs(" ;;\n", out);
  }
  fputs("  esac\n}\n\n", out);
}

static void lists(FILE *out) {
  fputs("  local methods='", out);
  cli_words_methods(out);
  fputs("' settings='", out);
  cli_words_settings(out, "=");
  fputs("'\n", out);
}

/* bash takes '=' for a word of its own: 'cut=ra' comes as cut, =, ra. */
static const char open_words[] =
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=$((COMP_CWORD - 1))\n"
    "  local options='' words='' list='' head=''\n"
    "  COMPREPLY=()\n"
    "  if [[ $current == = ]]; then\n"
    "    current=''\n"
    "  elif [[ $before == = ]]; then\n"
    "    at=$((at - 1))\n"
    "    before=${COMP_WORDS[at]}\n"
    "  fi\n"
    "  if [[ ${COMP_WORDS[at + 1]} == = && $before != -* ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$(_svforest_values \"$before\")\" -- \"$current\"))\n"
    "    return\n"
    "  fi\n";

static const char close_words[] = "  [[ $current == -* ]] && words=$options\n"
                                  "  if [[ $list && $current == *,* ]]; then\n"
                                  "    head=${current%,*},\n"
                                  "    current=${current##*,}\n"
                                  "  fi\n"
                                  "  COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"$current\"))\n"
                                  "  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
                                  "  return 0\n";

void cli_completion_bash(FILE *out) {
  fputs("# Completion of svforest for bash, written by 'svforest completion bash'.\n", out);
  setting_cases(out);
  fputs("_svforest() {\n", out);
  lists(out);
  fputs(open_words, out);
  fputs("  if [[ $COMP_CWORD -eq 1 ]]; then\n    options='-h --help --version'\n    words='", out);
  cli_words_verbs(out);
  fputs("'\n  else\n    case ${COMP_WORDS[1]} in\n", out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) verb_case(out, *verb);
  fputs("    esac\n  fi\n", out);
  fputs(close_words, out);
  fputs("}\ncomplete -o bashdefault -o default -F _svforest svforest\n", out);
}
