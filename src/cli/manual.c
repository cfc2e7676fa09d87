/* manual.c - the manual page svforest.1, in the man(7) macros, from the tables of verbs, options, methods,
 * settings. */
#include "help.h"
#include "data.h"
#include <string.h>

static void letter(FILE *out, char c) {
  if (c == '-' || c == '\\') fputs(c == '-' ? "\\-" : "\\e", out);
  else fputc(c, out);
}

/* Text with what roff would take as its own made plain; a newline starts a paragraph. */
static void plain(FILE *out, const char *text) {
  bool fresh = true;
  for (; *text; text++) {
    if (fresh && (*text == '.' || *text == '\'')) fputs("\\&", out);
    fresh = *text == '\n';
    if (fresh) fputs("\n.PP\n", out);
    else letter(out, *text);
  }
}

static void paragraph(FILE *out, const char *text) {
  plain(out, text);
  fputc('\n', out);
}

static void option_entry(FILE *out, const cli_option *option) {
  fputs(".TP\n", out);
  if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", out);
  plain(out, option->name);
  fputs("\\fR", out);
  if (option->value) fprintf(out, " \\fI%s\\fR", option->value);
  fputc('\n', out);
  paragraph(out, option->help);
}

static bool common(const cli_option *group) {
  return group == cli_options_data || group == cli_options_learn || group == cli_options_run ||
         group == cli_options_talk;
}

static void verb_section(FILE *out, const cli_verb *verb) {
  fprintf(out, ".SS svforest %s ", verb->name);
  paragraph(out, verb->usage);
  fprintf(out, "%c", verb->summary[0] - 'a' + 'A');
  plain(out, verb->summary + 1);
  fputs(".\n.PP\n", out);
  paragraph(out, verb->details);
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name && !common(*group); option++) option_entry(out, option);
}

static void options_section(FILE *out) {
  const cli_option *const group[] = {cli_options_data, cli_options_learn, cli_options_run, cli_options_talk};
  fputs(".SH COMMON OPTIONS\nA verb takes those that concern it; its \\fB\\-h\\fR lists them.\n", out);
  for (size_t i = 0; i < sizeof group / sizeof *group; i++)
    for (const cli_option *option = group[i]; option->name; option++) option_entry(out, option);
}

static void methods_section(FILE *out) {
  fputs(".SH METHODS\n", out);
  for (size_t i = 0; i < svf_method_count(); i++) {
    const svf_method_info *method = svf_method_at(i);
    fprintf(out, ".TP\n\\fB");
    plain(out, method->name);
    fputs("\\fR\n", out);
    plain(out, method->title);
    fputs(". ", out);
    plain(out, method->paper);
    fputs(".\n.br\n", out);
    paragraph(out, method->settings);
  }
}

static void kinds_section(FILE *out) {
  fputs(".SH KINDS\nWhat the settings cut, leaf, pick and vote may be.\n", out);
  for (size_t i = 0; i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    fprintf(out, ".TP\n\\fB%s=%s\\fR\n", kind.seam, kind.name);
    paragraph(out, kind.help);
  }
}

static void settings_section(FILE *out) {
  fputs(".SH SETTINGS\nGiven as \\fB\\-s\\fR \\fINAME\\fR=\\fIVALUE\\fR.\n", out);
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    fputs(".TP\n\\fB", out);
    plain(out, info->name);
    fputs("\\fR (", out);
    cli_setting_range(out, info);
    fputs("; default ", out);
    plain(out, info->standard);
    fputs(")\n", out);
    paragraph(out, info->help);
  }
}

static void examples_section(FILE *out) {
  fputs(".SH EXAMPLES\n.nf\n", out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++)
    for (const char *line = (*verb)->example; *line;) {
      size_t length = strcspn(line, "\n");
      for (size_t i = 0; i < length; i++) letter(out, line[i]);
      fputc('\n', out);
      line += length + (line[length] == '\n');
    }
  fputs(".fi\n", out);
}

void cli_help_manual(FILE *out) {
  fprintf(out, ".TH SVFOREST 1 \"\" \"svforest %s\" \"User Commands\"\n", svf_version());
  fputs(".SH NAME\nsvforest \\- forests whose leaves are support vector machines\n"
        ".SH SYNOPSIS\n\\fBsvforest\\fR \\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
        ".SH DESCRIPTION\n\\fBsvforest\\fR trains forests of trees with a support vector machine in every leaf "
        "on "
        "tables of data, predicts with them, and measures them. A file named \\fB\\-\\fR is standard input or "
        "output; files packed by gzip are read as they are.\n",
        out);
  fputs(".SH VERBS\n", out);
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++) verb_section(out, *verb);
  options_section(out);
  methods_section(out);
  kinds_section(out);
  settings_section(out);
  fputs(".SH EXIT STATUS\n0: done. 1: the data or the machine is at fault. 2: the command line is at fault. "
        "128 + signal: stopped by SIGINT or SIGTERM; nothing was written (tune that has found something reports it, "
        "and exits with 0).\n",
        out);
  examples_section(out);
}
