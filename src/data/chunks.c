/* chunks.c - a table that is larger than memory, some rows at a time; see chunks.h.
 *
 * CSV and LIBSVM are cut into pieces at records first, and a chunk is some neighbours of these; a chunk of NPY, or of a source of rows,
 * can begin at any row. */
#include "data/chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "data/foreign.h"
#include "data/npy.h"

enum { PIECE = 1 << 16 /* bytes: the least that a chunk can be */ };

typedef struct piece {
  size_t begin, end, row, line;
} piece;

struct svf_chunks {
  char *path;
  svf_read_options options;
  svf_input input;
  svf_format format;
  svf_csv_whole *csv;
  svf_buffer piece;      /* of LIBSVM: struct piece, and one after the last */
  svf_read_span span;    /* of LIBSVM: indices of the whole file */
  svf_row_source source; /* its `read` is NULL: there is a file */
  size_t columns;
  uint64_t rows;
  size_t *start; /* of each chunk and of the one after the last: its piece, or its row */
  size_t count;
};

static svf_read read_of(const svf_chunks *c) {
  return (svf_read){.path = c->path, .options = &c->options, .chunk = PIECE};
}

/* ---- LIBSVM ---- */

/* Whole lines from `begin` on; *end is where they end. The bytes are in `room`, with a 0 after them. */
static svf_status load_lines(const svf_chunks *c, size_t begin, size_t *end, svf_buffer *room, svf_bytes *bytes,
                             svf_message *message) {
  for (size_t size = PIECE;; size *= 2) {
    svf_excerpt text;
    size_t left = c->input.size - begin, take = left < size ? left : size;
    SVF_TRY(svf_input_piece(&c->input, begin, take, room, &text, message));
    size_t length = take;
    while (take < left && length && text.begin[length - 1] != '\n') length--;
    if (!length) continue;
    char *data = (char *)room->data;
    data[length] = 0;
    *bytes = (svf_bytes){data, length};
    *end = begin + length;
    return SVF_OK;
  }
}

static bool blank(const svf_bytes *bytes) { return strspn(bytes->data, " \t\r\n") == bytes->size; }

static size_t lines_in(const svf_bytes *bytes) {
  size_t lines = 0;
  for (size_t i = 0; i < bytes->size; i++) lines += bytes->data[i] == '\n';
  return lines;
}

static svf_status survey_libsvm(svf_chunks *c, svf_buffer *room, svf_message *message) {
  svf_read_span *span = &c->span;
  span->line = 1;
  size_t end;
  for (size_t begin = 0; begin < c->input.size; begin = end) {
    svf_bytes bytes;
    SVF_TRY(load_lines(c, begin, &end, room, &bytes, message));
    span->rows = 0;
    if (!blank(&bytes)) SVF_TRY(svf_libsvm_survey(&bytes, c->path, span, message));
    piece found = {begin, end, (size_t)c->rows, span->line};
    if (span->rows && !svf_buffer_add(&c->piece, &found, sizeof found)) return svf_no_memory(message, c->path);
    c->rows += span->rows;
    span->line += lines_in(&bytes);
  }
  if (!c->rows) return svf_fail(message, SVF_DATA, "%s: there is no row of data", c->path);
  piece last = {c->input.size, c->input.size, (size_t)c->rows, span->line};
  if (!svf_buffer_add(&c->piece, &last, sizeof last)) return svf_no_memory(message, c->path);
  c->columns = (size_t)span->top + span->zero + 1;
  return SVF_OK;
}

static svf_status read_libsvm(const svf_chunks *c, const svf_read *read, const piece *first, const piece *end,
                              svf_table **table, svf_message *message) {
  svf_buffer room = {0};
  svf_excerpt text;
  svf_read_span span = {first->row, end->row - first->row, first->line, c->span.zero, c->span.top};
  svf_read own = *read;
  own.span = &span;
  size_t size = end[-1].end - first->begin;
  svf_status status = svf_input_piece(&c->input, first->begin, size, &room, &text, message);
  svf_bytes bytes = {(char *)room.data, size};
  if (!status) status = svf_libsvm_parse(&bytes, &own, table, message);
  svf_buffer_free(&room);
  return status;
}

/* ---- any format ---- */

static svf_status survey_csv(svf_chunks *c, svf_message *message) {
  svf_read read = read_of(c);
  SVF_TRY(svf_csv_whole_open(&c->input, &read, &c->csv, message));
  c->columns = svf_csv_whole_columns(c->csv);
  c->rows = svf_csv_whole_row(c->csv, svf_csv_whole_chunks(c->csv));
  return SVF_OK;
}

static svf_status survey_npy(svf_chunks *c, svf_message *message) {
  size_t shape[2];
  SVF_TRY(svf_npy_shape(&c->input, shape, message));
  c->rows = shape[0], c->columns = shape[1];
  return SVF_OK;
}

static svf_status survey(svf_chunks *c, svf_message *message) {
  svf_buffer room = {0};
  svf_excerpt start;
  size_t size = c->input.size < SVF_FOREIGN_LOOK ? c->input.size : SVF_FOREIGN_LOOK;
  svf_status status = svf_input_piece(&c->input, 0, size, &room, &start, message);
  if (!status) status = svf_foreign_refuse(c->path, start.begin, size, message);
  if (!status) c->format = svf_format_of(start.begin, size, c->path, c->options.format);
  if (!status)
    status = c->format == SVF_FORMAT_NPY      ? survey_npy(c, message)
             : c->format == SVF_FORMAT_LIBSVM ? survey_libsvm(c, &room, message)
                                              : survey_csv(c, message);
  svf_buffer_free(&room);
  return status;
}

svf_status svf_chunks_open(const char *path, const svf_read_options *options, svf_chunks **chunks,
                           svf_message *message) {
  *chunks = NULL;
  SVF_TRY(svf_foreign_refuse_address(path, message));
  svf_chunks *c = calloc(1, sizeof *c);
  if (!c || !(c->path = strdup(path))) {
    free(c);
    return svf_no_memory(message, path);
  }
  if (options) c->options = *options;
  svf_status status;
  if (svf_input_open(c->path, &c->input)) status = survey(c, message);
  else {
    c->input.file = -1;
    status = svf_fail(message, SVF_IO,
                      "%s cannot be read in chunks: it must be a file that is there, not empty, not "
                      "packed, and no pipe",
                      path);
  }
  if (!status && !svf_chunks_divide(c, SIZE_MAX)) status = svf_no_memory(message, path);
  if (status) svf_chunks_free(c);
  else *chunks = c;
  return status;
}

svf_status svf_chunks_from(const svf_row_source *source, svf_chunks **chunks, svf_message *message) {
  *chunks = NULL;
  if (!source->rows) return svf_fail(message, SVF_DATA, "%s has no rows", source->name);
  svf_chunks *c = calloc(1, sizeof *c);
  if (!c || !(c->path = strdup(source->name))) {
    free(c);
    return svf_no_memory(message, source->name);
  }
  c->input.file = -1;
  c->source = *source;
  c->rows = source->rows, c->columns = source->columns;
  if (svf_chunks_divide(c, SIZE_MAX)) {
    *chunks = c;
    return SVF_OK;
  }
  svf_chunks_free(c);
  return svf_no_memory(message, source->name);
}

void svf_chunks_free(svf_chunks *c) {
  if (!c) return;
  svf_csv_whole_free(c->csv);
  if (c->input.file >= 0) svf_input_close(&c->input);
  svf_buffer_free(&c->piece);
  free(c->start);
  free(c->path);
  free(c);
}

uint64_t svf_chunks_rows(const svf_chunks *c) { return c->rows; }
size_t svf_chunks_columns(const svf_chunks *c) { return c->columns; }
const char *svf_chunks_path(const svf_chunks *c) { return c->path; }
bool svf_chunks_guess_task(const svf_chunks *c) { return !c->source.read && c->options.task == SVF_TASK_AUTO; }

static void describe_list(svf_buffer *text, const char *what, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) svf_buffer_print(text, "%s=%s\n", what, list[i]);
}

void svf_chunks_describe(const svf_chunks *c, svf_buffer *text) {
  const svf_read_options *options = &c->options;
  struct stat facts = {0};
  svf_buffer_print(text, "table=%s\nrows=%llu\ncolumns=%zu\n", c->path, (unsigned long long)c->rows, c->columns);
  if (c->input.file < 0) return;
  fstat(c->input.file, &facts);
  svf_buffer_print(text, "bytes=%lld\nchanged=%lld.%09ld\nformat=%d\n", (long long)facts.st_size,
                   (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, (int)options->format);
  svf_buffer_print(text, "target=%s\nweight=%s\ntask=%d\n", options->target ? options->target : "",
                   options->weight ? options->weight : "", (int)options->task);
  describe_list(text, "drop", options->drop, options->drop_count);
  describe_list(text, "id", options->id, options->id_count);
}

/* Can a chunk begin at any row? */
static bool even(const svf_chunks *c) { return c->source.read || c->format == SVF_FORMAT_NPY; }

/* Places at which a chunk may begin, and one more. */
static size_t places(const svf_chunks *c) {
  if (even(c)) return (size_t)c->rows;
  return c->csv ? svf_csv_whole_chunks(c->csv) : c->piece.size / sizeof(piece) - 1;
}

static size_t row_at(const svf_chunks *c, size_t place) {
  if (even(c)) return place;
  return c->csv ? svf_csv_whole_row(c->csv, place) : ((const piece *)(const void *)c->piece.data)[place].row;
}

/* The last place from which on at most `rows` rows are before it, but one after `from`. */
static size_t next_place(const svf_chunks *c, size_t from, size_t rows) {
  size_t low = from + 1, high = places(c), first = row_at(c, from);
  while (low < high) {
    size_t middle = high - (high - low) / 2;
    if (row_at(c, middle) - first <= rows) low = middle;
    else high = middle - 1;
  }
  return low;
}

size_t svf_chunks_divide(svf_chunks *c, size_t rows) {
  size_t all = places(c), count = 0;
  for (size_t at = 0; at < all; count++) at = next_place(c, at, rows ? rows : 1);
  size_t *start = malloc((count + 1) * sizeof *start);
  if (!start) return 0;
  start[0] = 0;
  for (size_t i = 0; i < count; i++) start[i + 1] = next_place(c, start[i], rows ? rows : 1);
  free(c->start);
  c->start = start;
  return c->count = count;
}

uint64_t svf_chunks_first(const svf_chunks *c, size_t chunk) { return row_at(c, c->start[chunk]); }

/* Messages about tables say which rows they have. */
static svf_status name_rows(const svf_chunks *c, size_t chunk, svf_table *table, svf_message *message) {
  size_t room = strlen(c->path) + 64;
  char *path = malloc(room);
  if (!path) return svf_no_memory(message, c->path);
  snprintf(path, room, "%s, rows %llu to %llu", c->path, (unsigned long long)svf_chunks_first(c, chunk) + 1,
           (unsigned long long)svf_chunks_first(c, chunk + 1));
  free(table->path);
  table->path = path;
  return SVF_OK;
}

static svf_status read_source(const svf_chunks *c, size_t first, size_t rows, const svf_portion *cuts,
                              svf_table **table, svf_message *message) {
  if (message) message->text[0] = 0;
  svf_status status = c->source.read(c->source.user, first, rows, cuts, table, message);
  if (status && message && !message->text[0]) return svf_fail(message, status, "%s: rows cannot be read", c->path);
  if (status) return status;
  size_t found = *table ? (*table)->n : 0;
  if (found == rows) return SVF_OK;
  return svf_fail(message, SVF_DATA, "%s, rows %zu to %zu: %zu rows came instead of %zu: the table has changed",
                  c->path, first + 1, first + rows, found, rows);
}

svf_status svf_chunks_read_like(svf_chunks *c, size_t chunk, const svf_portion *cuts, const svf_encoding *like,
                                svf_table **table, svf_message *message) {
  *table = NULL;
  if (chunk >= c->count) return svf_fail(message, SVF_USAGE, "chunk %zu of %zu", chunk + 1, c->count);
  svf_read read = read_of(c);
  size_t first = c->start[chunk], end = c->start[chunk + 1];
  const piece *pieces = (const void *)c->piece.data;
  read.like = like;
  svf_status status;
  if (c->source.read) status = read_source(c, first, end - first, cuts, table, message);
  else if (c->csv) status = svf_csv_whole_read(c->csv, &read, first, end, table, message);
  else if (c->format == SVF_FORMAT_NPY) {
    svf_read_span span = {.first = first, .rows = end - first};
    read.span = &span;
    status = svf_npy_read(&c->input, &read, table, message);
  } else status = read_libsvm(c, &read, pieces + first, pieces + end, table, message);
  if (!status) status = name_rows(c, chunk, *table, message);
  if (status) {
    svf_table_free(*table);
    *table = NULL;
  }
  return status;
}
