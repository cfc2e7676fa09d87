/* csv_scan.c - records and cells of a CSV text; see csv.h. */
#include <math.h>
#include <string.h>
#include "data/csv.h"
#include "data/number.h"

bool svf_csv_next(const svf_csv *csv, svf_csv_place *place) {
  for (;;) {
    const char *at = place->at;
    while (svf_csv_blank(csv, at)) at++;
    if (at == csv->text.end) return false;
    if (*at != csv->text.newline) return true;
    *place = (svf_csv_place){at + 1, place->line + 1};
  }
}

svf_csv_place svf_csv_after(const svf_csv *csv, svf_csv_place place, const char *end) {
  size_t inside = csv->quotes ? svf_text_lines(&csv->text, place.at, end) : 0;
  return (svf_csv_place){end + (end < csv->text.end), place.line + inside + 1};
}

static const char *quoted_cell(const svf_csv *csv, const char *at, svf_csv_cell *cell) {
  *cell = (svf_csv_cell){.text = at};
  for (;;) {
    at = memchr(at, '"', (size_t)(csv->text.end - at));
    if (!at) return NULL;
    if (at[1] != '"') break;
    cell->doubled = true;
    at += 2;
  }
  cell->length = (size_t)(at++ - cell->text);
  while (svf_csv_blank(csv, at)) at++;
  return svf_csv_stop(csv, at) ? at : NULL;
}

const char *svf_csv_cell_at(const svf_csv *csv, const char *at, svf_csv_cell *cell) {
  while (svf_csv_blank(csv, at)) at++;
  if (*at == '"') return quoted_cell(csv, at + 1, cell);
  const char *end = at;
  while (!svf_csv_stop(csv, end)) end++;
  const char *last = end;
  while (last > at && svf_csv_blank(csv, last - 1)) last--;
  *cell = (svf_csv_cell){.text = at, .length = (size_t)(last - at)};
  return end;
}

size_t svf_csv_width(const svf_csv *csv, const char *at, const char **end) {
  svf_csv_cell cell;
  size_t width = 1;
  for (; (at = svf_csv_cell_at(csv, at, &cell)) && *at == csv->separator; at++) width++;
  if (end) *end = at;
  return width;
}

static bool is_missing(svf_csv_cell cell) {
  return cell.length == 0 || svf_text_is(cell.text, cell.length, "?") || svf_text_is(cell.text, cell.length, "na") ||
         svf_text_is(cell.text, cell.length, "nan");
}

static bool is_infinity(svf_csv_cell cell) {
  if (cell.length && (*cell.text == '-' || *cell.text == '+')) cell.text++, cell.length--;
  return svf_text_is(cell.text, cell.length, "inf") || svf_text_is(cell.text, cell.length, "infinity");
}

/* Quotes keep the blanks of a text, but they do not make a number or a missing value of it. */
static svf_csv_cell without_blanks(svf_csv_cell cell) {
  for (; cell.length && strchr(" \t\r\n", *cell.text); cell.length--) cell.text++;
  while (cell.length && strchr(" \t\r\n", cell.text[cell.length - 1])) cell.length--;
  return cell;
}

/* Does a text that starts so need no closer look? */
static bool is_word(char first) {
  char small = (char)(first | 32);
  return small >= 'a' && small <= 'z' && small != 'n' && small != 'i';
}

svf_csv_value svf_csv_value_of(const svf_csv_cell *cell, double *number) {
  *number = NAN;
  if (cell->length && is_word(*cell->text)) return SVF_CSV_TEXT;
  svf_csv_cell bare = without_blanks(*cell);
  if (is_missing(bare)) return SVF_CSV_MISSING;
  if (is_infinity(bare)) return SVF_CSV_INFINITE;
  double value;
  if (svf_number_scan(bare.text, &value) != bare.text + bare.length) return SVF_CSV_TEXT;
  if (isinf(value)) return SVF_CSV_INFINITE;
  *number = value;
  return SVF_CSV_NUMBER;
}

const char *svf_csv_text(const svf_csv_cell *cell, svf_buffer *scratch, size_t *length) {
  *length = cell->length;
  if (!cell->doubled) return cell->text;
  scratch->size = 0;
  char *out = svf_buffer_grow(scratch, cell->length), *next = out;
  if (!out) return NULL;
  for (const char *at = cell->text, *end = at + cell->length; at < end; at++) {
    *next++ = *at;
    if (*at == '"') at++;
  }
  *length = (size_t)(next - out);
  return out;
}
