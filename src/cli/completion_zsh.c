/* completion_zsh.c - the completion script for zsh, in the words of its _arguments. */
#include "completion.h"
#include <string.h>

/* Text inside of single quotes; `marks` are taken as they are by a backslash. */
static void quote(FILE *out, const char *text, const char *marks) {
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\'", out);
    else if (strchr(marks, *text)) fputc('\\', out);
    fputc(*text, out);
  }
}

/* What follows the option: ":VALUE:how its words are found". */
static void value(FILE *out, const cli_option *option) {
  static const char *const action[] = {[CLI_VALUE_METHODS] = "_svforest_methods",
                                       [CLI_VALUE_SETTING] = "_svforest_settings",
                                       [CLI_VALUE_OTHER] = "_files"};
  cli_value kind = cli_value_of(option);
  if (kind == CLI_VALUE_FLAG) return;
  fputc(':', out);
  quote(out, option->value, ":");
  fputc(':', out);
  if (kind != CLI_VALUE_WORDS) fputs(action[kind], out);
  else {
    fputc('(', out);
    cli_words_split(out, option->value);
    fputc(')', out);
  }
}

/* '*' in front: all may be given again, as the parser takes them. */
static void spec(FILE *out, const cli_option *option, const char *dashes, const char *name, int length) {
  bool takes = option->value, letter = dashes[1] == 0;
  fprintf(out, "        '*%s%.*s%s[", dashes, length, name, !takes ? "" : letter ? "+" : "=");
  quote(out, option->help, "[]\\");
  fputc(']', out);
  value(out, option);
  fputs("' \\\n", out);
}

static void verb_case(FILE *out, const cli_verb *verb) {
  fprintf(out, "    (%s)\n      _arguments -s -S \\\n", verb->name);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) {
      if (option->letter) spec(out, option, "-", &option->letter, 1);
      spec(out, option, "--", option->name, (int)strlen(option->name));
    }
  fputs("        '*: :", out);
  if (verb->words) {
    fputc('(', out);
    verb->words(out);
    fputc(')', out);
  } else fputs("_files", out);
  fputs("'\n      ;;\n", out);
}

static void settings(FILE *out) {
  fputs("_svforest_settings() {\n  local -a values\n  if compset -P '*='; then\n    case ${${IPREFIX%=}##*=} in\n",
        out);
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    if (!cli_setting_worded(info)) continue;
    fprintf(out, "      (%s) values=(", info->name);
    cli_words_setting(out, info);
    fputs(") ;;\n", out);
  }
  fputs("    esac\n    compadd -a values\n  else\n    compadd -S = --", out);
  cli_words_settings(out, "");
  fputs("\n  fi\n}\n\n", out);
}

static void verbs(FILE *out) {
  fputs("  local -a verbs=(\n", out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) {
    fprintf(out, "    '%s:", (*verb)->name);
    quote(out, (*verb)->summary, "");
    fputs("'\n", out);
  }
  fputs("  )\n", out);
}

void cli_completion_zsh(FILE *out) {
  fputs("#compdef svforest\n# Completion of svforest for zsh, written by 'svforest completion zsh'.\n\n", out);
  fputs("_svforest_methods() {\n  compset -P '*,'\n  compadd --", out);
  cli_words_methods(out);
  fputs("\n}\n\n", out);
  settings(out);
  fputs("_svforest() {\n", out);
  verbs(out);
  fputs("  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
        "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n",
        out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) verb_case(out, *verb);
  fputs("  esac\n}\n\nif [[ $funcstack[1] == _svforest ]]; then\n  _svforest \"$@\"\nelse\n  compdef _svforest "
        "svforest\nfi\n",
        out);
}
