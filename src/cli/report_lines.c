/* report_lines.c - a list of named results, printed as aligned text or as JSON. */
#include "report_lines.h"
#include "text.h"
#include <math.h>

enum { KEY_WIDTH = 18 };

void cli_report_begin(cli_report *report, FILE *out, bool as_json) {
  report->out = out;
  report->as_json = as_json && out;
  if (report->as_json) cli_json_begin(&report->json, out);
}

void cli_report_end(cli_report *report) {
  if (report->as_json) cli_json_close(&report->json);
}

static void line(FILE *out, const char *key, const char *text) {
  int width = 0;
  for (; key[width]; width++) fputc(key[width] == '_' ? ' ' : key[width], out);
  fprintf(out, "%*s ", width < KEY_WIDTH ? KEY_WIDTH - width : 0, "");
  cli_fit(out, text, 0);
  fputc('\n', out);
}

void cli_report_text(cli_report *report, const char *key, const char *text) {
  if (report->as_json) cli_json_text(&report->json, key, text);
  else if (report->out && text) line(report->out, key, text);
}

void cli_report_count(cli_report *report, const char *key, size_t count) {
  char text[32];
  snprintf(text, sizeof text, "%zu", count);
  if (report->as_json) cli_json_count(&report->json, key, count);
  else if (report->out) line(report->out, key, text);
}

void cli_report_number(cli_report *report, const char *key, double number) {
  if (report->as_json) cli_json_number(&report->json, key, number);
  else if (report->out && !isnan(number)) line(report->out, key, cli_short(number).text);
}
