/* csv_rows.c - the rows of a chunk: numbers straight into their columns, texts into the thread's dictionaries.
 *
 * Most chunks have no quotes. In these all separators and newlines are found first, sixteen bytes at a time:
 * then each cell is known from the start, and the processor reads several of them at once. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "data/csv_fill.h"
#include "data/number.h"

/* Lists where the separators and newlines are, and after them the end of the text. */
static size_t find_stops(const svf_csv *csv, uint32_t *stop) {
  const char *begin = csv->text.begin, *at = begin, *end = csv->text.end;
  uint32_t *next = stop;
#ifdef __SSE2__
  const __m128i separator = _mm_set1_epi8(csv->separator), newline = _mm_set1_epi8(csv->text.newline);
  for (; end - at >= 64; at += 64) {
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
      __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, separator), _mm_cmpeq_epi8(bytes, newline));
      mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << 16 * i;
    }
    for (; mask; mask &= mask - 1) *next++ = (uint32_t)(at - begin) + (uint32_t)__builtin_ctzll(mask);
  }
#endif
  for (; at < end; at++)
    if (*at == csv->separator || *at == csv->text.newline) *next++ = (uint32_t)(at - begin);
  *next++ = (uint32_t)(end - begin);
  return (size_t)(next - stop);
}

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

static inline bool number_cell(svf_csv_slot *s, const char *at, const char *end, const char *limit, size_t row) {
  return svf_number_short(at, end, limit, &s->number[row]) || svf_number_long(at, end, limit, &s->number[row]);
}

/* Cuts off the blanks. */
static svf_csv_cell bare(const svf_csv *csv, const char *at, const char *end) {
  while (at < end && svf_csv_blank(csv, at)) at++;
  while (end > at && svf_csv_blank(csv, end - 1)) end--;
  return (svf_csv_cell){.text = at, .length = (size_t)(end - at)};
}

static svf_status ragged(const svf_csv_filler *f, const svf_csv *csv, svf_csv_place place, svf_message *message) {
  const char *end;
  size_t width = svf_csv_width(csv, place.at, &end), due = f->raw->width;
  if (width == due || !end) return svf_input_changed(f->file->input, message);
  return svf_fail(message, SVF_DATA, "%s:%zu: row has %zu cell%s, the %s has %zu", f->raw->path, place.line, width,
                  width == 1 ? "" : "s", f->head->header ? "header" : "first row", due);
}

typedef struct walk { /* over a chunk without quotes */
  const svf_csv *csv;
  const uint32_t *stop, *last; /* of the cell that is next; of the text */
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

/* Reads one row and moves after it. */
static svf_status bare_row(const svf_csv_filler *f, svf_csv_hand *hand, walk *w, size_t row, svf_message *message) {
  const svf_csv *csv = w->csv;
  const char *at = w->place.at, *begin = csv->text.begin, *limit = csv->limit, separator = csv->separator;
  const uint32_t *stop = w->stop;
  svf_csv_slot *s = hand->slot;
  size_t width = f->raw->width;
  if ((size_t)(w->last + 1 - w->stop) < width) return ragged(f, csv, w->place, message);
  for (size_t j = 0; j < width; j++, s++) {
    const char *end = begin + stop[j];
    if ((*end == separator) == (j + 1 == width)) return ragged(f, csv, w->place, message);
    if (s->reading == SVF_CSV_NUMBERS && !number_cell(s, at, end, limit, row)) {
      svf_csv_cell cell = bare(csv, at, end);
      odd_number(s, &cell, row, w->place.line);
    } else if (s->reading == SVF_CSV_TEXTS) {
      svf_csv_cell cell = bare(csv, at, end);
      if (!text_cell(hand, s, &cell, row, w->place.line)) return svf_no_memory(message, f->raw->path);
    }
    at = end + 1;
  }
  w->stop += width;
  w->place = (svf_csv_place){at, w->place.line + 1};
  return SVF_OK;
}

static svf_status bare_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv,
                            const svf_csv_chunk *chunk, svf_message *message) {
  hand->stops.size = 0;
  uint32_t *stop = svf_buffer_grow(&hand->stops, ((size_t)(csv->text.end - csv->text.begin) + 1) * sizeof *stop);
  if (!stop) return svf_no_memory(message, f->raw->path);
  size_t count = find_stops(csv, stop), row = chunk->row, end = row + chunk->rows;
  walk w = {csv, stop, stop + count - 1, {csv->text.begin, chunk->line}};
  for (; row < end && next_record(&w); row++) {
    if (row == 0 && f->head->header) {
      if ((size_t)(w.last - w.stop) < f->raw->width) break;
      w.stop += f->raw->width;
      w.place = (svf_csv_place){csv->text.begin + w.stop[-1] + 1, w.place.line + 1};
    } else SVF_TRY(bare_row(f, hand, &w, row - f->head->header, message));
  }
  return row < end ? svf_input_changed(f->file->input, message) : SVF_OK;
}

static bool quoted_cell(svf_csv_hand *hand, const svf_csv *csv, svf_csv_slot *s, const svf_csv_cell *cell, size_t row,
                        size_t line) {
  if (s->reading == SVF_CSV_TEXTS) return text_cell(hand, s, cell, row, line);
  if (s->reading == SVF_CSV_NUMBERS && !number_cell(s, cell->text, cell->text + cell->length, csv->limit, row))
    odd_number(s, cell, row, line);
  return true;
}

static svf_status quoted_row(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv, svf_csv_place *place,
                             size_t row, svf_message *message) {
  const char *at = place->at;
  for (size_t j = 0; j < f->raw->width; j++) {
    svf_csv_cell cell;
    bool last = j + 1 == f->raw->width;
    at = svf_csv_cell_at(csv, at, &cell);
    if (!at || (*at == csv->separator) == last) return ragged(f, csv, *place, message);
    if (!quoted_cell(hand, csv, &hand->slot[j], &cell, row, place->line)) return svf_no_memory(message, f->raw->path);
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
  bool plain = !csv->quotes && (size_t)(csv->text.end - csv->text.begin) < UINT32_MAX;
  return plain ? bare_rows(f, hand, csv, chunk, message) : quoted_rows(f, hand, csv, chunk, message);
}
