/* csv_open.c - the dialect of a CSV text: what ends a line, what separates cells. */
#include <string.h>
#include "data/csv.h"

enum { SAMPLE_LINES = 16, CANDIDATES = 3, FIRST_LOOK = 1 << 16 };

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

static const char *skip_blank_lines(const svf_text *text, const char *at) {
  while (at < text->end && (*at == ' ' || *at == '\r' || *at == '\n')) at++;
  return at;
}

/* The first candidate that is equally often in each of the first lines; else the one that is most often in
 * the first of them. 0: the text ends before there were enough lines, and there is more of it. */
static char find_separator(const svf_text *text, bool more) {
  size_t first[CANDIDATES], count[CANDIDATES];
  bool even[CANDIDATES] = {true, true, true};
  const char *at = count_line(text, skip_blank_lines(text, text->begin), first);
  for (int line = 1; line < SAMPLE_LINES; line++) {
    at = skip_blank_lines(text, at);
    if (at == text->end) break;
    at = count_line(text, at, count);
    for (int c = 0; c < CANDIDATES; c++) even[c] &= count[c] == first[c];
  }
  if (at == text->end && more) return 0;
  int most = CANDIDATES - 1;
  for (int c = 0; c < CANDIDATES; c++) {
    if (even[c] && first[c]) return candidates[c];
    if (first[c] > first[most]) most = c;
  }
  return candidates[most];
}

static void set_kinds(svf_csv *csv) {
  csv->kind['"'] = SVF_CSV_QUOTE;
  csv->kind[' '] = csv->kind['\t'] = csv->kind['\r'] = SVF_CSV_BLANK;
  csv->kind[0] = SVF_CSV_END;
  csv->kind[(unsigned char)csv->text.newline] = SVF_CSV_NEWLINE;
  csv->kind[(unsigned char)csv->separator] = SVF_CSV_STOP;
}

/* A feed outside of quotes; or, where there is none but a return is, that. Quotes inside of cells are counted wrong, so
 * that a text without any return has lines that end in feeds, whatever its quotes. */
static char find_newline(const char *at, const char *end) {
  bool quoted = false, returns = false, feeds = false;
  for (; at < end; at++) {
    if (*at == '"') quoted = !quoted;
    if (*at == '\n' && !quoted) return '\n';
    feeds |= *at == '\n';
    returns |= *at == '\r' && !quoted;
  }
  return feeds && !returns ? '\n' : '\r';
}

/* Looks at the first `size` bytes; leaves the separator 0 if they do not tell all that there is to know. */
static svf_status look(svf_csv_file *file, size_t size, svf_message *message) {
  svf_csv *csv = &file->csv;
  svf_excerpt piece;
  bool more = size < file->input->size;
  SVF_TRY(svf_input_piece(file->input, 0, size, &file->room[0], &piece, message));
  file->begin = size >= 3 && memcmp(piece.begin, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  const char *begin = piece.begin + file->begin, *at = begin;
  csv->text = (svf_text){file->input->path, begin, piece.end, find_newline(begin, piece.end)};
  while (at < piece.end && strchr(" \t\r\n", *at) && *at) at++;
  if (more && (csv->text.newline != '\n' || at == piece.end)) return SVF_OK;
  if (at == piece.end) return svf_fail(message, SVF_DATA, "%s: the file is empty", file->input->path);
  csv->separator = find_separator(&csv->text, more);
  return SVF_OK;
}

svf_status svf_csv_open(svf_csv_file *file, svf_message *message) {
  size_t whole = file->input->size, size = file->input->data || whole < FIRST_LOOK ? whole : FIRST_LOOK;
  for (;; size = size < whole / 2 ? 2 * size : whole) {
    SVF_TRY(look(file, size, message));
    if (file->csv.separator) break;
  }
  set_kinds(&file->csv);
  return SVF_OK;
}
