/* truth.c - see truth.h. */
#include "data/truth.h"
#include "data/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int svf_truth_of(const char *text) {
  size_t length = strlen(text);
  return svf_text_is(text, length, "true") ? 1 : svf_text_is(text, length, "false") ? 0 : -1;
}

int32_t svf_truth_find(const svf_names *names, int truth) {
  for (size_t i = 0; i < names->count; i++)
    if (svf_truth_of(names->text[i]) == truth) return (int32_t)i;
  return -1;
}

bool svf_truth_numbers(svf_column *column, size_t n) {
  enum { SPELLINGS = 48 }; /* 2^4 of "true", 2^5 of "false" */
  size_t count = column->levels.count;
  double value[SPELLINGS];
  if (!count || count > SPELLINGS) return true;
  for (size_t l = 0; l < count; l++) {
    value[l] = svf_truth_of(column->levels.text[l]);
    if (value[l] < 0) return true;
  }
  double *number = malloc(n * sizeof *number);
  if (!number) return false;
  for (size_t i = 0; i < n; i++) number[i] = column->code[i] < 0 ? NAN : value[column->code[i]];
  free(column->code);
  svf_names_free(&column->levels);
  *column = (svf_column){.name = column->name, .number = number};
  return true;
}
