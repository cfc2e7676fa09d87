/* csv_open.c - the dialect of a CSV text, and the first walk over it, which counts the records. */
#include <string.h>
#include "data/csv.h"

enum { SAMPLE_LINES = 16, CANDIDATES = 3 };

/* In order of trust: commas are also in numbers and sentences. */
static const char candidates[CANDIDATES + 1] = "\t;,";

/* How often each candidate is in the line, quotes apart; returns the end of the line. */
static const char *count_line(const svf_text *text, const char *at, size_t count[CANDIDATES]) {
  bool quoted = false;
  memset(count, 0, CANDIDATES * sizeof *count);
  for (; at < text->end && (quoted || *at != text->newline); at++) {
    if (*at == '"') quoted = !quoted;
    for (int c = 0; c < CANDIDATES; c++) count[c] += !quoted && *at == candidates[c];
  }
  return at;
}

/* The first candidate that is equally often in each of the first lines; else the one that is most often in
 * the first of them. */
static char find_separator(const svf_text *text) {
  size_t first[CANDIDATES], count[CANDIDATES];
  bool even[CANDIDATES] = {true, true, true};
  const char *at = count_line(text, text->begin + strspn(text->begin, " \r\n"), first);
  for (int line = 1; line < SAMPLE_LINES; line++) {
    at += strspn(at, " \r\n");
    if (at == text->end) break;
    at = count_line(text, at, count);
    for (int c = 0; c < CANDIDATES; c++) even[c] &= count[c] == first[c];
  }
  int most = CANDIDATES - 1;
  for (int c = 0; c < CANDIDATES; c++) {
    if (even[c] && first[c]) return candidates[c];
    if (first[c] > first[most]) most = c;
  }
  return candidates[most];
}

static void set_kinds(svf_csv *csv) {
  csv->kind[' '] = csv->kind['\t'] = csv->kind['\r'] = SVF_CSV_BLANK;
  csv->kind[0] = SVF_CSV_STOP;
  csv->kind[(unsigned char)csv->text.newline] = SVF_CSV_STOP;
  csv->kind[(unsigned char)csv->separator] = SVF_CSV_STOP;
}

static svf_status broken_quotes(const svf_csv *csv, svf_csv_place place, svf_message *message) {
  svf_csv_cell cell;
  const char *at = place.at, *end;
  while ((end = svf_csv_cell_at(csv, at, &cell))) at = end + 1;
  size_t line = place.line + svf_text_lines(&csv->text, place.at, cell.text);
  return svf_fail(message, SVF_DATA,
                  "%s:%zu: a quote that opens a cell here is not closed before a separator or the end of a line",
                  csv->text.path, line);
}

/* Where the record ends; NULL: broken quotes. */
static const char *record_end(const svf_csv *csv, const char *at) {
  const char *end = svf_text_line_end(&csv->text, at);
  if (!csv->quotes || !memchr(at, '"', (size_t)(end - at))) return end;
  svf_csv_width(csv, at, &end);
  return end;
}

static svf_status count_records(const svf_csv *csv, size_t *records, svf_message *message) {
  *records = 0;
  for (svf_csv_place place = svf_csv_start(csv); svf_csv_next(csv, &place); ++*records) {
    const char *end = record_end(csv, place.at);
    if (!end) return broken_quotes(csv, place, message);
    place = svf_csv_after(csv, place, end);
  }
  return SVF_OK;
}

svf_status svf_csv_open(const svf_bytes *bytes, const char *path, svf_csv *csv, size_t *records,
                        svf_message *message) {
  *csv = (svf_csv){0};
  SVF_TRY(svf_text_open(bytes, path, &csv->text, message));
  csv->separator = find_separator(&csv->text);
  csv->quotes = memchr(csv->text.begin, '"', (size_t)(csv->text.end - csv->text.begin));
  set_kinds(csv);
  return count_records(csv, records, message);
}

size_t svf_csv_line(const svf_csv *csv, size_t record) {
  svf_csv_place place = svf_csv_start(csv);
  while (svf_csv_next(csv, &place) && record-- > 0) place = svf_csv_after(csv, place, record_end(csv, place.at));
  return place.line;
}
