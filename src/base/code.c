/* code.c - see code.h. */
#include "base/code.h"
#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 116 };

void svf_code_item(svf_code *code, const char *text) {
  size_t length = strlen(text) + 2;
  if (!code->items || code->column + length > WIDTH) {
    svf_buffer_add(&code->text, "\n ", 2);
    code->column = 1;
  }
  svf_buffer_add(&code->text, " ", 1);
  svf_buffer_add(&code->text, text, length - 2);
  svf_buffer_add(&code->text, ",", 1);
  code->column += length;
  code->items++;
}

/* The fewest digits that read back to the same float; svf_number_text writes them without regard to the locale. */
void svf_code_float_text(float value, char *text) {
  char draft[32];
  int digits = 6;
  do snprintf(draft, sizeof draft, "%.*g", digits, (double)value);
  while (strtof(draft, NULL) != value && ++digits <= 9);
  size_t length = svf_number_text(strtod(draft, NULL), text);
  if (!strpbrk(text, ".e")) length += (size_t)sprintf(text + length, ".0");
  strcpy(text + length, "f");
}

void svf_code_float(svf_code *code, float value) {
  char text[SVF_CODE_TEXT];
  svf_code_float_text(value, text);
  svf_code_item(code, text);
}

void svf_code_number_text(svf_code *code, double value, char *text) {
  if (code->single && !(fabs(value) <= FLT_MAX)) code->beyond = true, value = 0;
  if (code->single) svf_code_float_text((float)value, text);
  else svf_number_text(value, text);
}

void svf_code_number(svf_code *code, double value) {
  char text[SVF_CODE_TEXT];
  svf_code_number_text(code, value, text);
  svf_code_item(code, text);
}

void svf_code_whole(svf_code *code, size_t value) {
  char text[32];
  snprintf(text, sizeof text, "%zu", value);
  svf_code_item(code, text);
}

/* Anything that a compiler or a comment could take for something else is written in octal. */
void svf_code_quoted(svf_code *code, const char *text) {
  svf_buffer_add(&code->text, "\"", 1);
  for (const char *c = text ? text : ""; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte < ' ' || byte > '~' || strchr("\"\\?*", byte)) svf_buffer_print(&code->text, "\\%03o", byte);
    else svf_buffer_add(&code->text, c, 1);
  }
  svf_buffer_add(&code->text, "\"", 1);
}

/* ---- pieces ---- */

static const struct {
  const char *name;
  unsigned flag;
} flag_names[] = {{"SINGLE", SVF_CODE_SINGLE},
                  {"CLASSIFIES", SVF_CODE_CLASSIFIES},
                  {"CLIPPED", SVF_CODE_CLIPPED},
                  {"DATES", SVF_CODE_DATES},
                  {"CATEGORIES", SVF_CODE_CATEGORIES},
                  {"STATISTICS", SVF_CODE_STATISTICS},
                  {"CODES", SVF_CODE_CODES},
                  {"INDICATORS", SVF_CODE_INDICATORS},
                  {"MADE", SVF_CODE_MADE},
                  {"OBLIQUE", SVF_CODE_OBLIQUE},
                  {"LEVELS", SVF_CODE_LEVELS},
                  {"PLANES", SVF_CODE_PLANES},
                  {"CENTRES", SVF_CODE_CENTRES},
                  {"FILLED", SVF_CODE_FILLED},
                  {"METRIC", SVF_CODE_METRIC},
                  {"ROWS", SVF_CODE_ROWS},
                  {"LINKED", SVF_CODE_LINKED},
                  {"EXPONENTIAL", SVF_CODE_EXPONENTIAL},
                  {"LOGARITHM", SVF_CODE_LOGARITHM},
                  {"CURVED", SVF_CODE_CURVED},
                  {"LOGISTIC", SVF_CODE_LOGISTIC},
                  {"TEMPERATURE", SVF_CODE_TEMPERATURE}};

static bool flag_set(const char *name, size_t length, unsigned flags) {
  for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
    if (strlen(flag_names[i].name) == length && memcmp(flag_names[i].name, name, length) == 0)
      return (flags & flag_names[i].flag) != 0;
  return false;
}

/* "A || B || C" up to the end of the line. */
static bool any_flag(const char *text, unsigned flags) {
  bool any = false;
  while (*text && *text != '\n') {
    size_t length = strcspn(text, " |\n");
    any |= length > 0 && flag_set(text, length, flags);
    text += length ? length : 1;
  }
  return any;
}

static bool begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

void svf_code_piece(svf_code *code, const char *piece, unsigned flags) {
  unsigned depth = 0, off = 0; /* of conditions; the depth of the first that is not met, or 0 */
  for (const char *line = piece; *line;) {
    size_t length = strcspn(line, "\n") + 1;
    if (begins(line, "#if ")) {
      depth++;
      if (!off && !any_flag(line + 4, flags)) off = depth;
    } else if (begins(line, "#else")) {
      if (off == depth) off = 0;
      else if (!off) off = depth;
    } else if (begins(line, "#endif")) {
      if (off == depth) off = 0;
      depth--;
    } else if (!off) {
      svf_buffer_add(&code->text, line, length);
    }
    line += length;
  }
}
