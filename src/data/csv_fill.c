/* csv_fill.c - the columns of a CSV text: numbers straight into their arrays, texts into dictionaries.
 *
 * A column is taken for numbers unless the first rows or the model say that it is text. Where a text turns up
 * later the column is left alone until the end of the walk, and a second walk reads it, and only it, as text.
 * A number that is infinite is refused, unless the column turns out to be text, where it is a word like any
 * other. */
#include <math.h>
#include <stdlib.h>
#include "data/csv.h"
#include "data/number.h"

typedef enum reading { SKIP, NUMBERS, TEXTS } reading;

typedef struct slot { /* of one column */
  reading reading;
  bool again; /* is to be read as text in the next walk */
  double *number;
  int32_t *code;
  size_t text_line, infinite_line; /* of the first such cell; 0: none */
  svf_dict dict;
} slot;

typedef struct filler {
  const svf_csv *csv;
  const svf_csv_head *head;
  svf_raw *raw;
  slot *slot; /* of each column */
  svf_buffer scratch;
} filler;

/* A cell that is not just a number. */
static const char *odd_number(const filler *f, slot *s, svf_csv_place place, size_t row) {
  svf_csv_cell cell;
  const char *end = svf_csv_cell_at(f->csv, place.at, &cell);
  svf_csv_value value = svf_csv_value_of(&cell, &s->number[row]);
  if (value == SVF_CSV_INFINITE && !s->infinite_line) s->infinite_line = place.line;
  if (value == SVF_CSV_TEXT) {
    s->text_line = place.line;
    s->reading = SKIP;
    s->again = true;
  }
  return end;
}

static inline const char *number_cell(const filler *f, slot *s, svf_csv_place place, size_t row) {
  const char *at = place.at;
  double value;
  while (svf_csv_byte(f->csv, at) == SVF_CSV_BLANK) at++;
  at = svf_number_scan(at, &value);
  if (!at || isinf(value)) return odd_number(f, s, place, row);
  while (svf_csv_byte(f->csv, at) == SVF_CSV_BLANK) at++;
  if (svf_csv_byte(f->csv, at) != SVF_CSV_STOP) return odd_number(f, s, place, row);
  s->number[row] = value;
  return at;
}

/* NULL: no memory. */
static const char *text_cell(filler *f, slot *s, svf_csv_place place, size_t row) {
  svf_csv_cell cell;
  double number;
  const char *end = svf_csv_cell_at(f->csv, place.at, &cell);
  svf_csv_value value = svf_csv_value_of(&cell, &number);
  s->code[row] = -1;
  if (value == SVF_CSV_MISSING) return end;
  if (value == SVF_CSV_TEXT && !s->text_line) s->text_line = place.line;
  size_t length;
  const char *text = svf_csv_text(&cell, &f->scratch, &length);
  if (text) s->code[row] = svf_dict_code(&s->dict, text, length);
  return s->code[row] < 0 ? NULL : end;
}

static const char *any_cell(filler *f, slot *s, svf_csv_place place, size_t row) {
  svf_csv_cell cell;
  if (s->reading == NUMBERS) return number_cell(f, s, place, row);
  if (s->reading == TEXTS) return text_cell(f, s, place, row);
  return svf_csv_cell_at(f->csv, place.at, &cell);
}

static svf_status ragged(const filler *f, svf_csv_place place, svf_message *message) {
  size_t width = svf_csv_width(f->csv, place.at, NULL), due = f->raw->width;
  return svf_fail(message, SVF_DATA, "%s:%zu: row has %zu cell%s, the %s has %zu", f->raw->path, place.line, width,
                  width == 1 ? "" : "s", f->head->header ? "header" : "first row", due);
}

/* Reads one row and moves the place after it. */
static svf_status fill_row(filler *f, svf_csv_place *place, size_t row, svf_message *message) {
  svf_csv_place cell = *place;
  for (size_t j = 0; j < f->raw->width; j++) {
    cell.at = any_cell(f, &f->slot[j], cell, row);
    if (!cell.at) return svf_no_memory(message, f->raw->path);
    bool last = j + 1 == f->raw->width;
    if ((*cell.at == f->csv->separator) == last) return ragged(f, *place, message);
    cell.at += !last;
  }
  *place = svf_csv_after(f->csv, *place, cell.at);
  return SVF_OK;
}

/* Reads `count` rows from a place on, the first of which is number `row`. Rows depend on each other only
 * through the slots, so that parts of a file can be read by themselves, each with slots of its own. */
static svf_status fill_rows(filler *f, svf_csv_place place, size_t row, size_t count, svf_message *message) {
  for (size_t end = row + count; row < end && svf_csv_next(f->csv, &place); row++)
    SVF_TRY(fill_row(f, &place, row, message));
  return SVF_OK;
}

static svf_status prepare(filler *f, size_t j, reading how, svf_message *message) {
  slot *s = &f->slot[j];
  s->reading = how;
  s->again = false;
  if (how == NUMBERS) s->number = f->raw->column[j].number = malloc(f->raw->n * sizeof *s->number);
  if (how == TEXTS) s->code = f->raw->column[j].code = malloc(f->raw->n * sizeof *s->code);
  return how == SKIP || s->number || s->code ? SVF_OK : svf_no_memory(message, f->raw->path);
}

static svf_status first_walk(filler *f, svf_message *message) {
  for (size_t j = 0; j < f->raw->width; j++) {
    svf_role role = f->raw->role[j];
    reading how = role.text || f->head->text[j] ? TEXTS : NUMBERS;
    SVF_TRY(prepare(f, j, role.part == SVF_PART_DROPPED ? SKIP : how, message));
  }
  return fill_rows(f, f->head->data, 0, f->raw->n, message);
}

/* Reads again, as text, what turned out to be text. */
static svf_status second_walk(filler *f, svf_message *message) {
  bool needed = false;
  for (size_t j = 0; j < f->raw->width; j++) {
    slot *s = &f->slot[j];
    bool again = s->again;
    needed |= again;
    if (again) {
      free(s->number);
      s->number = f->raw->column[j].number = NULL;
    }
    SVF_TRY(prepare(f, j, again ? TEXTS : SKIP, message));
  }
  return needed ? fill_rows(f, f->head->data, 0, f->raw->n, message) : SVF_OK;
}

static svf_status finish(filler *f, size_t j, svf_message *message) {
  slot *s = &f->slot[j];
  svf_column *column = &f->raw->column[j];
  column->text_line = s->text_line;
  if (s->number && s->infinite_line)
    return svf_fail(message, SVF_DATA, "%s:%zu: column '%.80s': a number is infinite or too large", f->raw->path,
                    s->infinite_line, f->raw->names.text[j]);
  if (s->code && !svf_dict_sort(&s->dict, &column->levels, s->code, f->raw->n))
    return svf_no_memory(message, f->raw->path);
  return SVF_OK;
}

/* More cells than the text has room for: some row is short, and memory must not be asked for before that is
 * said. */
static svf_status refuse_short(filler *f, svf_message *message) {
  double size = (double)(f->csv->text.end - f->csv->text.begin);
  if ((double)f->raw->n * (double)f->raw->width <= size + 1) return SVF_OK;
  return fill_rows(f, f->head->data, 0, f->raw->n, message); /* all slots are still SKIP */
}

static svf_status fill(filler *f, svf_message *message) {
  SVF_TRY(refuse_short(f, message));
  SVF_TRY(svf_raw_fits(f->raw, f->raw->width, message));
  SVF_TRY(first_walk(f, message));
  SVF_TRY(second_walk(f, message));
  for (size_t j = 0; j < f->raw->width; j++) SVF_TRY(finish(f, j, message));
  return SVF_OK;
}

svf_status svf_csv_fill(const svf_csv *csv, const svf_csv_head *head, svf_raw *raw, svf_message *message) {
  filler f = {.csv = csv, .head = head, .raw = raw, .slot = calloc(raw->width, sizeof *f.slot)};
  if (!f.slot) return svf_no_memory(message, raw->path);
  svf_status status = fill(&f, message);
  for (size_t j = 0; j < raw->width; j++) svf_dict_free(&f.slot[j].dict);
  free(f.slot);
  svf_buffer_free(&f.scratch);
  return status;
}
