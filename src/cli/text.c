/* text.c - small pieces of text: numbers that read back, CSV fields, wrapped paragraphs. */
#include "text.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WRAP = 100 };

cli_digits cli_number(double number) {
  cli_digits digits;
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits.text, sizeof digits.text, "%.*g", precision, number);
    if (strtod(digits.text, NULL) == number) break;
  }
  return digits;
}

cli_digits cli_short(double number) {
  cli_digits digits = {"-"};
  double size = fabs(number);
  const char *format = size >= 1e3 && size < 1e6                  ? "%.1f"
                       : size > 0 && (size < 1e-3 || size >= 1e6) ? "%.4g"
                                                                  : "%.4f";
  if (!isnan(number)) snprintf(digits.text, sizeof digits.text, format, number);
  return digits;
}

cli_digits cli_seconds(double seconds) {
  cli_digits digits = {"-"};
  const char *format = seconds < 10 ? "%.4f" : seconds < 1000 ? "%.2f" : "%.0f";
  if (!isnan(seconds)) snprintf(digits.text, sizeof digits.text, format, seconds);
  return digits;
}

void cli_csv(FILE *out, const char *text) {
  size_t length = strlen(text);
  bool blank = length == 0 || text[0] == ' ' || text[length - 1] == ' ';
  if (!blank && text[strcspn(text, ",;\t\"\r\n")] == 0) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

void cli_wrap(FILE *out, const char *text, int indent, int at) {
  const char *gap = ""; /* before the next word: none at the start of a line */
  at += fprintf(out, "%*s", indent > at ? indent - at : 0, "");
  while (*text) {
    int length = (int)strcspn(text, " \n");
    if (*gap && at + 1 + length > WRAP) {
      at = fprintf(out, "\n%*s", indent, "") - 1;
      gap = "";
    }
    at += fprintf(out, "%s%.*s", gap, length, text);
    gap = " ";
    text += length;
    if (*text == '\n' && text[1]) {
      at = fprintf(out, "\n%*s", indent, "") - 1;
      gap = "";
    }
    if (*text) text++;
  }
  fputc('\n', out);
}

char *cli_join(const char *a, const char *b) {
  size_t first = strlen(a), second = strlen(b);
  char *joined = CLI_TAKE(char, first + second + 1);
  memcpy(joined, a, first);
  memcpy(joined + first, b, second);
  return joined;
}

const char *cli_plural(size_t count, const char *one, const char *many) { return count == 1 ? one : many; }
