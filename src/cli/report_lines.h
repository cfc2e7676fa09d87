/* report_lines.h - a list of named results, printed as aligned text or as JSON. */
#ifndef CLI_REPORT_LINES_H
#define CLI_REPORT_LINES_H

#include "json.h"

typedef struct cli_report {
  FILE *out; /* NULL: say nothing */
  bool as_json;
  cli_json json; /* for members that are lists or objects; use it only if as_json */
} cli_report;

void cli_report_begin(cli_report *report, FILE *out, bool as_json);
void cli_report_end(cli_report *report);

/* As text a key's underscores are blanks, and a text of NULL or a NaN leaves the line out. */
void cli_report_text(cli_report *report, const char *key, const char *text);
void cli_report_count(cli_report *report, const char *key, size_t count);
void cli_report_number(cli_report *report, const char *key, double number);

#endif
