/* csv_head.c - is the first row a header? And what the first rows say about the columns.
 *
 * The first row is a header if one of these holds:
 *   a. a cell of it is text (no number, not missing), and the column under it has numbers and no text;
 *   b. each cell of it is text or blank, and no text of it occurs again under it. So a table that is all text
 *      and has no header loses a first row of words that do not come back: nothing tells the two cases apart;
 *   c. the table is for a model with names, and the row has all the names of its features, or one of them
 *      that is text.
 *
 * "Under it" means the first 200 rows: a stray word far below does not make a header a row of data. */
#include <stdlib.h>
#include <string.h>
#include "data/csv.h"
#include "data/names.h"

typedef struct survey { /* of one column */
  svf_csv_cell cell;    /* in the first row */
  svf_csv_value first;  /* what it is */
  bool again;           /* does it occur in the rows under it? */
  bool number, text;    /* are there any in the rows under it? */
} survey;

static bool same(const svf_csv_cell *a, const svf_csv_cell *b) {
  return a->length == b->length && a->doubled == b->doubled && memcmp(a->text, b->text, a->length) == 0;
}

/* Looks at the rows under the first, up to one that has another number of cells. */
static void look(const svf_csv *csv, svf_csv_place place, size_t rows, survey *columns, size_t width) {
  for (size_t row = 0; row < rows && svf_csv_next(csv, &place); row++) {
    const char *end, *at = place.at;
    if (svf_csv_width(csv, at, &end) != width || !end) return;
    for (size_t j = 0; j < width; j++) {
      svf_csv_cell cell;
      double number;
      at = svf_csv_cell_at(csv, at, &cell) + 1;
      svf_csv_value value = svf_csv_value_of(&cell, &number);
      columns[j].number |= value == SVF_CSV_NUMBER;
      columns[j].text |= value == SVF_CSV_TEXT;
      columns[j].again |= same(&cell, &columns[j].cell);
    }
    place = svf_csv_after(csv, place, end);
  }
}

/* Takes the first row's cells as names, blank ones as x1, x2, ... */
static bool take_names(const svf_csv *csv, const char *at, svf_raw *raw, survey *columns) {
  svf_buffer scratch = {0};
  bool fine = true;
  for (size_t j = 0; j < raw->width && fine; j++) {
    svf_csv_cell cell;
    double number;
    size_t length;
    at = svf_csv_cell_at(csv, at, &cell) + 1;
    columns[j].first = svf_csv_value_of(&cell, &number);
    columns[j].cell = cell;
    const char *text = svf_csv_text(&cell, &scratch, &length);
    fine = text && svf_raw_name(raw, text, length);
  }
  svf_buffer_free(&scratch);
  return fine;
}

static bool number_names(svf_raw *raw) {
  for (size_t j = 0; j < raw->names.count; j++) free(raw->names.text[j]);
  raw->names.count = 0;
  while (raw->names.count < raw->width)
    if (!svf_raw_name(raw, NULL, 0)) return false;
  return true;
}

/* Rules a and b. */
static bool stands_out(const svf_raw *raw, const survey *columns) {
  size_t unique = 0, blanks = 0;
  for (size_t j = 0; j < raw->width; j++) {
    bool text = columns[j].first == SVF_CSV_TEXT;
    if (text && columns[j].number && !columns[j].text) return true;
    unique += text && !columns[j].again;
    blanks += columns[j].cell.length == 0;
  }
  return unique > 0 && unique + blanks == raw->width;
}

/* Rule c. */
static bool names_features(const svf_raw *raw, const survey *columns, const svf_name_index *names) {
  if (!raw->like || !raw->like->named) return false;
  size_t found = 0;
  for (size_t f = 0; f < raw->like->features; f++) {
    int32_t at = svf_name_index_find(names, raw->like->feature[f].name);
    if (at >= 0 && columns[at].first == SVF_CSV_TEXT) return true;
    found += at >= 0;
  }
  return found == raw->like->features;
}

static svf_status decide(const svf_csv *csv, svf_raw *raw, survey *columns, svf_csv_head *head,
                         svf_message *message) {
  svf_name_index names;
  if (!svf_name_index_make(raw->names.text, raw->width, &names)) return svf_no_memory(message, raw->path);
  head->header = stands_out(raw, columns) || names_features(raw, columns, &names);
  svf_name_index_free(&names);
  raw->named = head->header;
  if (!head->header && !number_names(raw)) return svf_no_memory(message, raw->path);
  for (size_t j = 0; j < raw->width; j++)
    head->text[j] = columns[j].text || (!head->header && columns[j].first == SVF_CSV_TEXT);
  if (head->header && raw->n == 1)
    return svf_fail(message, SVF_DATA, "%s: there is a header but no row of data", csv->text.path);
  return SVF_OK;
}

/* Is the last cell of each record of the text empty? */
static bool text_ends_empty(const svf_csv *csv, size_t width) {
  for (svf_csv_place place = {csv->text.begin, 1}; svf_csv_next(csv, &place);) {
    svf_csv_cell cell;
    size_t count = 1;
    const char *at = svf_csv_cell_at(csv, place.at, &cell);
    for (; at && *at == csv->separator; count++) at = svf_csv_cell_at(csv, at + 1, &cell);
    if (!at || count != width || cell.length) return false;
    place = svf_csv_after(csv, place, at);
  }
  return true;
}

/* Is it so in all of the file? */
static svf_status ends_empty(const svf_csv_file *file, size_t width, bool *empty, svf_message *message) {
  *empty = true;
  for (size_t c = 0; c < file->chunks && *empty; c++) {
    svf_csv csv;
    SVF_TRY(svf_csv_load(file, c, c, &file->room[0], &csv, message));
    *empty = text_ends_empty(&csv, width);
  }
  return SVF_OK;
}

/* Names and header from the first rows, which are the text. */
static svf_status survey_text(const svf_csv *csv, size_t rows, svf_raw *raw, svf_csv_head *head,
                              svf_message *message) {
  svf_csv_place first = {csv->text.begin, 1};
  const char *end;
  size_t width = svf_csv_width(csv, first.at, &end);
  if (!end) return svf_fail(message, SVF_IO, "%s: the file was changed while it was read", raw->path);
  SVF_TRY(svf_raw_widen(raw, width, message));
  survey *columns = calloc(width, sizeof *columns);
  head->text = calloc(width, sizeof *head->text);
  svf_status status = SVF_OK;
  if (!columns || !head->text || !take_names(csv, first.at, raw, columns)) status = svf_no_memory(message, raw->path);
  if (!status) {
    look(csv, svf_csv_after(csv, first, end), rows, columns, width);
    status = decide(csv, raw, columns, head, message);
  }
  head->trails = !status && head->header && columns[width - 1].cell.length == 0;
  free(columns);
  return status;
}

svf_status svf_csv_read_head(const svf_csv_file *file, svf_raw *raw, svf_csv_head *head, svf_message *message) {
  svf_csv csv;
  size_t last = 0;
  while (last + 1 < file->chunks && file->chunk[last + 1].row <= file->sample) last++;
  raw->n = file->records;
  SVF_TRY(svf_csv_load(file, 0, last, &file->room[0], &csv, message));
  SVF_TRY(survey_text(&csv, file->sample, raw, head, message));
  raw->n -= head->header;
  if (!head->trails) return SVF_OK;
  bool empty; /* a separator that ends every line makes no column */
  SVF_TRY(ends_empty(file, raw->width, &empty, message));
  if (empty) raw->role[raw->width - 1].part = SVF_PART_DROPPED;
  return SVF_OK;
}
