/* csv_rows.c - the rows of a chunk: numbers straight into their columns, texts into the thread's dictionaries.
 *
 * All separators and newlines are found first (csv_stops.h): then each cell is known from the start, and the processor reads
 * several of them at once, those of a column in eight rows by one instruction where it can (csv_lanes.h). Only a chunk with a
 * quote inside of a bare cell is read byte by byte. */
#include <string.h>
#include "data/csv_fill.h"
#include "data/number.h"

/* A cell that is not just a number. */
static void odd_number(svf_csv_slot *s, const svf_csv_cell *cell, size_t row, size_t line) {
  svf_csv_value value = svf_csv_value_of(cell, &s->number[row]);
  if (value == SVF_CSV_INFINITE && !s->infinite_line) s->infinite_line = line;
  if (value == SVF_CSV_TEXT) {
    s->text_line = line;
    s->reading = SVF_CSV_SKIP;
    s->again = true;
  }
}

/* False: no memory. */
static bool text_cell(svf_csv_hand *hand, svf_csv_slot *s, const svf_csv_cell *cell, size_t row, size_t line) {
  double number;
  svf_csv_value value = svf_csv_value_of(cell, &number);
  s->code[row] = -1;
  if (value == SVF_CSV_MISSING) return true;
  if (value == SVF_CSV_TEXT && !s->text_line) s->text_line = line;
  size_t length;
  const char *text = svf_csv_text(cell, &hand->scratch, &length);
  if (text) s->code[row] = svf_dict_code(&s->dict, text, length);
  return s->code[row] >= 0;
}

static bool kept_cell(svf_csv_hand *hand, svf_csv_slot *s, const svf_csv_cell *cell, size_t row) {
  size_t length;
  const char *text = svf_csv_text(cell, &hand->scratch, &length);
  s->at[row] = s->text.size;
  char *to = text ? svf_buffer_grow(&s->text, length + 1) : NULL;
  if (!to) return false;
  memcpy(to, text, length);
  to[length] = 0;
  return true;
}

static inline bool number_cell(svf_csv_slot *s, const char *at, const char *end, const char *limit, size_t row) {
  return svf_number_short(at, end, limit, &s->number[row]) || svf_number_long(at, end, limit, &s->number[row]);
}

/* Cuts off the blanks, and then the quotes. */
static svf_csv_cell bare(const svf_csv *csv, const char *at, const char *end) {
  while (at < end && svf_csv_blank(csv, at)) at++;
  while (end > at && svf_csv_blank(csv, end - 1)) end--;
  if (at == end || *at != '"') return (svf_csv_cell){.text = at, .length = (size_t)(end - at)};
  size_t length = (size_t)(end - at) - 2;
  return (svf_csv_cell){.text = at + 1, .length = length, .doubled = memchr(at + 1, '"', length)};
}

static svf_status ragged(const svf_csv_filler *f, const svf_csv *csv, svf_csv_place place, svf_message *message) {
  const char *end;
  size_t width = svf_csv_width(csv, place.at, &end), due = f->raw->width;
  if (width == due || !end) return svf_input_changed(f->file->input, message);
  return svf_fail(message, SVF_DATA, "%s:%zu: row has %zu cell%s, the %s has %zu", f->raw->path, place.line, width,
                  width == 1 ? "" : "s", f->head->header ? "header" : "first row", due);
}

typedef struct walk { /* over a chunk whose cells are found */
  const svf_csv *csv;
  svf_csv_stops all;
  const uint32_t *stop, *last; /* of the cell that is next; of the text */
  const uint32_t *line;        /* none of the lines before it is next */
  const uint32_t *inner;       /* the next newline inside of quotes */
  bool longer;                 /* most cells are too long for f->lanes */
  svf_csv_place place;
} walk;

/* Moves over blank lines; false: no record is left. */
static bool next_record(walk *w) {
  const svf_csv *csv = w->csv;
  for (; w->stop <= w->last; w->place.line++) {
    const char *end = csv->text.begin + *w->stop, *at = w->place.at;
    while (at < end && svf_csv_blank(csv, at)) at++;
    if (at < end || (w->stop < w->last && *end == csv->separator)) return true;
    w->place.at = end + 1;
    w->stop++;
  }
  return false;
}

/* Moves on by so many cells, the last of which ends a line. */
static void pass_cells(walk *w, size_t count, size_t lines) {
  const uint32_t *end = w->all.inner + w->all.inners;
  w->stop += count;
  w->place = (svf_csv_place){w->csv->text.begin + w->stop[-1] + 1, w->place.line + lines};
  for (; w->inner < end && *w->inner < w->stop[-1]; w->inner++) w->place.line++;
}

static bool any_cell(svf_csv_hand *hand, const svf_csv *csv, svf_csv_slot *s, const svf_csv_cell *cell, size_t row,
                     size_t line) {
  if (s->reading == SVF_CSV_TEXTS) return text_cell(hand, s, cell, row, line);
  if (s->reading == SVF_CSV_KEPT) return kept_cell(hand, s, cell, row);
  if (s->reading == SVF_CSV_NUMBERS && !number_cell(s, cell->text, cell->text + cell->length, csv->limit, row))
    odd_number(s, cell, row, line);
  return true;
}

/* A cell that is not just a number, or that no number is wanted of; false: no memory. */
static bool bare_cell(svf_csv_hand *hand, const svf_csv *csv, svf_csv_slot *s, const char *at, const char *end,
                      size_t row, size_t line) {
  svf_csv_cell cell = bare(csv, at, end);
  return any_cell(hand, csv, s, &cell, row, line);
}

/* Are the next SVF_CSV_LANES lines records with as many cells as they should have? */
static bool regular(const svf_csv_filler *f, walk *w) {
  const uint32_t *end = w->all.line + w->all.lines;
  size_t width = f->raw->width, first = (size_t)(w->stop - w->all.stop);
  if (!f->lanes || w->longer || width < 2 || w->stop > w->last || *w->stop < SVF_CSV_BACK) return false;
  while (w->line < end && *w->line < first) w->line++;
  if (end - w->line < SVF_CSV_LANES) return false;
  for (size_t l = 0; l < SVF_CSV_LANES; l++)
    if (w->line[l] != first + (l + 1) * width - 1) return false;
  return w->inner == w->all.inner + w->all.inners || *w->inner > w->stop[SVF_CSV_LANES * width - 1];
}

/* Of these lines the cells of one column that f->lanes has not read; returns how many, or SIZE_MAX: no memory. */
static size_t other_cells(svf_csv_hand *hand, const walk *w, size_t width, size_t j, size_t row) {
  const char *begin = w->csv->text.begin;
  const uint32_t *stop = w->stop + j;
  svf_csv_slot *s = &hand->slot[j];
  size_t count = 0;
  for (size_t l = 0; l < SVF_CSV_LANES && s->reading != SVF_CSV_SKIP; l++, stop += width) {
    if (hand->fine[j] >> l & 1) continue;
    const char *at = begin + (uint32_t)(stop[-1] + 1), *end = begin + *stop;
    bool done =
        s->reading == SVF_CSV_NUMBERS && *at != '"' && svf_number_long(at, end, w->csv->limit, &s->number[row + l]);
    if (!done && !bare_cell(hand, w->csv, s, at, end, row + l, w->place.line + l)) return SIZE_MAX;
    count++;
  }
  return count;
}

/* Reads these lines, column by column, and moves after them. */
static svf_status regular_rows(const svf_csv_filler *f, svf_csv_hand *hand, walk *w, size_t row,
                               svf_message *message) {
  size_t width = f->raw->width, others = 0;
  f->lanes(w->csv->text.begin, w->stop, width, row, hand->number, hand->fine);
  for (size_t j = 0; j < width; j++) {
    if (hand->fine[j] == (1 << SVF_CSV_LANES) - 1) continue;
    size_t count = other_cells(hand, w, width, j, row);
    if (count == SIZE_MAX) return svf_no_memory(message, f->raw->path);
    others += count;
  }
  pass_cells(w, SVF_CSV_LANES * width, SVF_CSV_LANES);
  w->longer = 2 * others > SVF_CSV_LANES * width;
  return SVF_OK;
}

/* Reads one row and moves after it. */
static svf_status bare_row(const svf_csv_filler *f, svf_csv_hand *hand, walk *w, size_t row, svf_message *message) {
  const svf_csv *csv = w->csv;
  const char *at = w->place.at, *begin = csv->text.begin, separator = csv->separator;
  const uint32_t *stop = w->stop;
  svf_csv_slot *s = hand->slot;
  size_t width = f->raw->width;
  if ((size_t)(w->last + 1 - w->stop) < width) return ragged(f, csv, w->place, message);
  for (size_t j = 0; j < width; j++, s++) {
    const char *end = begin + stop[j];
    if ((*end == separator) == (j + 1 == width)) return ragged(f, csv, w->place, message);
    bool done = s->reading == SVF_CSV_NUMBERS && *at != '"' && number_cell(s, at, end, csv->limit, row);
    if (!done && !bare_cell(hand, csv, s, at, end, row, w->place.line)) return svf_no_memory(message, f->raw->path);
    at = end + 1;
  }
  pass_cells(w, width, 1);
  return SVF_OK;
}

svf_status svf_csv_bare_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv,
                             const svf_csv_stops *stops, const svf_csv_chunk *chunk, svf_message *message) {
  size_t row = chunk->row, end = row + chunk->rows, header = f->head->header;
  walk w = {.csv = csv, .all = *stops, .place = {csv->text.begin, chunk->line}};
  w.stop = w.all.stop, w.last = w.stop + w.all.count - 1, w.line = w.all.line, w.inner = w.all.inner;
  while (row < end) {
    if (row >= header && end - row >= SVF_CSV_LANES && regular(f, &w)) {
      SVF_TRY(regular_rows(f, hand, &w, row - header, message));
      row += SVF_CSV_LANES;
      continue;
    }
    if (!next_record(&w)) break;
    if (row < header) {
      if ((size_t)(w.last - w.stop) < f->raw->width) break;
      pass_cells(&w, f->raw->width, 1);
    } else SVF_TRY(bare_row(f, hand, &w, row - header, message));
    row++;
  }
  return row < end ? svf_input_changed(f->file->input, message) : SVF_OK;
}

static svf_status quoted_row(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv, svf_csv_place *place,
                             size_t row, svf_message *message) {
  const char *at = place->at;
  for (size_t j = 0; j < f->raw->width; j++) {
    svf_csv_cell cell;
    bool last = j + 1 == f->raw->width;
    at = svf_csv_cell_at(csv, at, &cell);
    if (!at || (*at == csv->separator) == last) return ragged(f, csv, *place, message);
    if (!any_cell(hand, csv, &hand->slot[j], &cell, row, place->line)) return svf_no_memory(message, f->raw->path);
    at += !last;
  }
  *place = svf_csv_after(csv, *place, at);
  return SVF_OK;
}

static svf_status quoted_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv,
                              const svf_csv_chunk *chunk, svf_message *message) {
  size_t row = chunk->row, end = row + chunk->rows;
  svf_csv_place place = {csv->text.begin, chunk->line};
  for (; row < end && svf_csv_next(csv, &place); row++) {
    if (row == 0 && f->head->header) {
      const char *after;
      svf_csv_width(csv, place.at, &after);
      if (!after) break;
      place = svf_csv_after(csv, place, after);
    } else SVF_TRY(quoted_row(f, hand, csv, &place, row - f->head->header, message));
  }
  return row < end ? svf_input_changed(f->file->input, message) : SVF_OK;
}

svf_status svf_csv_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv, const svf_csv_chunk *chunk,
                        svf_message *message) {
  svf_csv_stops stops;
  if (csv->text.end - csv->text.begin > INT32_MAX) return quoted_rows(f, hand, csv, chunk, message);
  if (!svf_csv_find_stops(csv, &hand->stops, &stops)) return svf_no_memory(message, f->raw->path);
  if (stops.odd)
    return csv->quotes ? quoted_rows(f, hand, csv, chunk, message) : svf_input_changed(f->file->input, message);
  return svf_csv_bare_rows(f, hand, csv, &stops, chunk, message);
}
