/* csv.h - the steps of reading CSV: cells (csv_scan.c), the first row (csv_head.c), the columns (csv_fill.c).
 *
 * What is read: cells separated by comma, semicolon or tab, whichever the first lines have; lines ended by
 * LF, CRLF or, in a file without any LF, CR; blank lines do not count. A cell that starts with a quote goes
 * to the next single quote, newlines and separators included, and two quotes in it are one. Blanks around
 * cells are cut off. */
#ifndef SVF_DATA_CSV_H
#define SVF_DATA_CSV_H

#include "base/buffer.h"
#include "data/dict.h"
#include "data/raw.h"
#include "data/text.h"

typedef struct svf_csv {
  svf_text text;
  char separator;
  bool quotes;             /* is there any quote in the text? */
  unsigned char kind[256]; /* of each byte: svf_csv_byte */
} svf_csv;

enum svf_csv_byte { SVF_CSV_PLAIN, SVF_CSV_BLANK, SVF_CSV_STOP /* separator, newline, the 0 at the end */ };

static inline int svf_csv_byte(const svf_csv *csv, const char *at) { return csv->kind[(unsigned char)*at]; }

typedef struct svf_csv_place { /* where a record starts */
  const char *at;
  size_t line;
} svf_csv_place;

typedef struct svf_csv_cell {
  const char *text; /* inside the quotes, if there are any */
  size_t length;
  bool doubled; /* some quotes in it are doubled */
} svf_csv_cell;

typedef enum svf_csv_value { SVF_CSV_NUMBER, SVF_CSV_MISSING, SVF_CSV_INFINITE, SVF_CSV_TEXT } svf_csv_value;

/* Finds the separator and counts the records; refuses broken quotes. After it the functions below cannot
 * fail. */
svf_status svf_csv_open(const svf_bytes *bytes, const char *path, svf_csv *csv, size_t *records,
                        svf_message *message);
svf_csv_place svf_csv_start(const svf_csv *csv);
/* Moves over blank lines; false: no record is left. */
bool svf_csv_next(const svf_csv *csv, svf_csv_place *place);
/* The place after the record that starts at `place` and has its last cell end at `end`. */
svf_csv_place svf_csv_after(const svf_csv *csv, svf_csv_place place, const char *end);
/* Reads one cell; returns where it ends: at a separator, a newline or the end. NULL: broken quotes. */
const char *svf_csv_cell_at(const svf_csv *csv, const char *at, svf_csv_cell *cell);
/* Cells of the record at a place, and where it ends (end may be NULL). */
size_t svf_csv_width(const svf_csv *csv, const char *at, const char **end);
/* What a cell means by itself, and its number if it is one. Missing: blank, ?, and NA or NaN in any case. */
svf_csv_value svf_csv_value_of(const svf_csv_cell *cell, double *number);
/* The cell's text with its quotes made single; in scratch if need be, else in place. NULL: no memory. */
const char *svf_csv_text(const svf_csv_cell *cell, svf_buffer *scratch, size_t *length);
/* Line of record number `record`, from 0. */
size_t svf_csv_line(const svf_csv *csv, size_t record);

/* What the first rows tell. */
typedef struct svf_csv_head {
  svf_csv_place data; /* where the rows start: after the header, if there is one */
  bool header;
  bool *text; /* for each column: is text in the first rows? */
} svf_csv_head;
/* Finds whether there is a header, and names the columns. */
svf_status svf_csv_read_head(const svf_csv *csv, svf_raw *raw, svf_csv_head *head, svf_message *message);

/* Reads the columns that have a part. */
svf_status svf_csv_fill(const svf_csv *csv, const svf_csv_head *head, svf_raw *raw, svf_message *message);

#endif
