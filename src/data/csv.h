/* csv.h - the steps of reading CSV: the dialect (csv_open.c), records that threads share out (csv_chunks.c), the
 * first rows (csv_head.c), the columns (csv_fill.c, with csv_rows.c, csv_stops.c, csv_marks.c, csv_lanes.c and
 * csv_levels.c); cells are in csv_scan.c. csv_marks.c and csv_lanes.c are compiled for several processors.
 *
 * What is read: cells separated by comma, semicolon or tab, whichever the first lines have; lines ended by
 * LF, CRLF or, in a file without LF outside of quotes, CR; blank lines do not count. A cell that starts with a quote goes
 * to the next single quote, newlines and separators included, and two quotes in it are one. Blanks around
 * cells are cut off.
 *
 * The file is walked over twice, by all threads: once to find where records start, in chunks of even size,
 * and once to read them; a large one without quotes in bare cells only once (csv_once.c). Each chunk knows its first row and
 * line, so neither the table nor a message depends on which thread read what. */
#ifndef SVF_DATA_CSV_H
#define SVF_DATA_CSV_H

#include "base/buffer.h"
#include "base/pool.h"
#include "data/dict.h"
#include "data/input.h"
#include "data/raw.h"
#include "data/text_lines.h"

typedef struct svf_csv { /* a text and its dialect */
  svf_text text;
  const char *limit; /* bytes up to here may be looked at */
  char separator;
  bool quotes;             /* is there any quote in the text? */
  unsigned char kind[256]; /* of each byte: svf_csv_byte */
} svf_csv;

/* From SVF_CSV_STOP on, what ends a cell. */
enum svf_csv_byte { SVF_CSV_PLAIN, SVF_CSV_QUOTE, SVF_CSV_BLANK, SVF_CSV_STOP, SVF_CSV_NEWLINE, SVF_CSV_END };

static inline bool svf_csv_blank(const svf_csv *csv, const char *at) {
  return csv->kind[(unsigned char)*at] == SVF_CSV_BLANK;
}
static inline bool svf_csv_stop(const svf_csv *csv, const char *at) {
  return csv->kind[(unsigned char)*at] >= SVF_CSV_STOP;
}

typedef struct svf_csv_chunk { /* whole records */
  size_t begin, end;           /* in the file; begin: the first byte of its first record that is not blank */
  size_t row, rows;            /* number of its first record, from 0; how many it has */
  size_t line;                 /* of its first record */
} svf_csv_chunk;

typedef struct svf_csv_file {
  const svf_input *input;
  svf_csv csv;          /* the dialect, without a text */
  size_t begin;         /* after a byte order mark */
  svf_csv_chunk *chunk; /* malloc'd */
  size_t chunks, records;
  size_t sample; /* rows that tell whether there is a header */
  svf_pool *pool;
  svf_buffer *room; /* of each thread, for svf_csv_load */
} svf_csv_file;

/* Finds newline, separator and quotes, and cuts the file at records every `size` bytes; refuses 0 bytes, an
 * empty file and broken quotes, after which the functions below cannot fail. */
svf_status svf_csv_open(svf_csv_file *file, svf_message *message);
svf_status svf_csv_cut(svf_csv_file *file, size_t size, svf_message *message);

/* The text of the chunks first..last. */
svf_status svf_csv_load(const svf_csv_file *file, size_t first, size_t last, svf_buffer *room, svf_csv *csv,
                        svf_message *message);
/* Line of record number `record`, from 0; 0 if it cannot be found again. */
size_t svf_csv_line(const svf_csv_file *file, size_t record);

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

/* Moves over blank lines; false: no record is left. */
bool svf_csv_next(const svf_csv *csv, svf_csv_place *place);
/* The place after the record that starts at `place` and has its last cell end at `end`. */
svf_csv_place svf_csv_after(const svf_csv *csv, svf_csv_place place, const char *end);
/* Reads one cell; returns where it ends: at a separator, a newline or the end. NULL: broken quotes, which only
 * a file has that was changed since it was cut. */
const char *svf_csv_cell_at(const svf_csv *csv, const char *at, svf_csv_cell *cell);
/* Cells of the record at a place, and where it ends (end may be NULL). */
size_t svf_csv_width(const svf_csv *csv, const char *at, const char **end);
/* What a cell means by itself, and its number if it is one. Missing: blank, ?, and NA or NaN in any case. */
svf_csv_value svf_csv_value_of(const svf_csv_cell *cell, double *number);
/* The cell's text with its quotes made single; in scratch if need be, else in place. NULL: no memory. */
const char *svf_csv_text(const svf_csv_cell *cell, svf_buffer *scratch, size_t *length);

/* What the first rows tell, usually so many: the header. */
enum { SVF_CSV_SAMPLE = 200 };
typedef struct svf_csv_head {
  bool header;
  bool trails; /* the header ends in a cell without a name */
  bool *text;  /* for each column: is text in the first rows? */
} svf_csv_head;
/* Finds whether there is a header, and names the columns. */
svf_status svf_csv_read_head(const svf_csv_file *file, svf_raw *raw, svf_csv_head *head, svf_message *message);

/* Reads the columns that have a part. once: NULL, and the file is cut. */
typedef struct svf_csv_once svf_csv_once;
svf_status svf_csv_fill(const svf_csv_file *file, const svf_csv_head *head, svf_raw *raw, svf_csv_once *once,
                        svf_message *message);

/* All of that in one walk over the file, in stretches of `size` bytes. False: it is not large and plain, or something is
 * wrong with it; what is in file->chunk, raw and head is then to be freed. */
bool svf_csv_read_once(svf_csv_file *file, size_t size, svf_raw *raw, svf_csv_head *head);

#endif
