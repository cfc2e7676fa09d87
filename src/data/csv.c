/* csv.c - from the bytes of a CSV file to a table; see csv.h for what is read. */
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>
#include "data/chunks.h"

enum { CHUNK = 1 << 18 }; /* bytes: a chunk and the list of its cells stay in a core's own cache */

typedef struct reader {
  svf_csv_file file;
  svf_csv_head head;
  svf_raw raw;
} reader;

static size_t line_of(const void *source, size_t row) {
  const reader *from = source;
  return svf_csv_line(&from->file, row + from->head.header);
}

static void begin(reader *from, const svf_read *read) {
  svf_raw_begin(&from->raw, read);
  from->raw.line = line_of;
  from->raw.source = from;
}

static void end(reader *from) {
  svf_raw_free(&from->raw);
  free(from->head.text);
  free(from->file.chunk);
  from->head = (svf_csv_head){0};
  from->file.chunk = NULL, from->file.chunks = from->file.records = 0;
}

static svf_status parse(reader *from, const svf_read *read, svf_table **table, svf_message *message) {
  svf_raw *raw = &from->raw;
  svf_csv_file *file = &from->file;
  size_t chunk = read->chunk ? read->chunk : CHUNK;
  SVF_TRY(svf_csv_open(file, message));
  if (svf_csv_read_once(file, chunk, raw, &from->head)) return svf_raw_table(raw, table, message);
  end(from);
  begin(from, read);
  SVF_TRY(svf_csv_cut(file, chunk, message));
  SVF_TRY(svf_csv_read_head(file, raw, &from->head, message));
  SVF_TRY(svf_raw_roles(raw, message));
  SVF_TRY(svf_csv_fill(file, &from->head, raw, NULL, message));
  return svf_raw_table(raw, table, message);
}

/* Threads, and room for each; to be closed in any case. */
static svf_status open_pool(svf_csv_file *file, const svf_read *read, svf_pool *pool, svf_message *message) {
  svf_run run = {.threads = read->options ? read->options->threads : 0};
  file->pool = NULL;
  SVF_TRY(svf_pool_open(pool, &run, message));
  pool->run = NULL; /* it ends with this function, and has no callback */
  file->pool = pool;
  file->room = calloc(pool->threads, sizeof *file->room);
  return file->room ? SVF_OK : svf_no_memory(message, read->path);
}

static void close_pool(svf_csv_file *file) {
  if (!file->pool) return;
  for (size_t i = 0; file->room && i < file->pool->threads; i++) svf_buffer_free(&file->room[i]);
  free(file->room);
  svf_pool_close(file->pool);
  file->room = NULL, file->pool = NULL;
}

svf_status svf_csv_read(const svf_input *input, const svf_read *read, svf_table **table, svf_message *message) {
  reader from = {.file.input = input};
  svf_pool pool;
  *table = NULL;
  begin(&from, read);
  from.file.sample = read->sample ? read->sample : SVF_CSV_SAMPLE;
  svf_status status = open_pool(&from.file, read, &pool, message);
  if (!status) status = parse(&from, read, table, message);
  close_pool(&from.file);
  end(&from);
  return status;
}

/* ---- chunk by chunk ---- */

struct svf_csv_whole {
  reader from; /* dialect, cuts, names and header; no columns */
};

static svf_status survey(reader *from, const svf_read *read, svf_message *message) {
  svf_csv_file *file = &from->file;
  SVF_TRY(svf_csv_open(file, message));
  SVF_TRY(svf_csv_cut(file, read->chunk ? read->chunk : CHUNK, message));
  return svf_csv_read_head(file, &from->raw, &from->head, message);
}

svf_status svf_csv_whole_open(const svf_input *input, const svf_read *read, svf_csv_whole **whole,
                              svf_message *message) {
  svf_pool pool;
  svf_csv_whole *made = *whole = calloc(1, sizeof *made);
  if (!made) return svf_no_memory(message, read->path);
  begin(&made->from, read);
  made->from.file.input = input;
  made->from.file.sample = read->sample ? read->sample : SVF_CSV_SAMPLE;
  svf_status status = open_pool(&made->from.file, read, &pool, message);
  if (!status) status = survey(&made->from, read, message);
  close_pool(&made->from.file);
  if (!status) return SVF_OK;
  svf_csv_whole_free(made);
  *whole = NULL;
  return status;
}

void svf_csv_whole_free(svf_csv_whole *whole) {
  if (whole) end(&whole->from);
  free(whole);
}

size_t svf_csv_whole_columns(const svf_csv_whole *whole) { return whole->from.raw.width; }
size_t svf_csv_whole_chunks(const svf_csv_whole *whole) { return whole->from.file.chunks; }

size_t svf_csv_whole_row(const svf_csv_whole *whole, size_t chunk) {
  const svf_csv_file *file = &whole->from.file;
  if (!chunk) return 0;
  return (chunk < file->chunks ? file->chunk[chunk].row : file->records) - whole->from.head.header;
}

/* Names and roles as the whole file has them. */
static bool take_names(const svf_raw *all, svf_raw *raw) {
  raw->named = all->named;
  for (size_t j = 0; j < all->width; j++) {
    if (!svf_raw_name(raw, all->names.text[j], strlen(all->names.text[j]))) return false;
    raw->role[j] = all->role[j];
  }
  return true;
}

/* The chunks first..end-1 as a file of their own, which has the header if it has the first of all. */
static svf_status take_chunks(const reader *all, size_t first, size_t end, reader *part, svf_message *message) {
  bool header = all->head.header;
  svf_csv_file *file = &part->file;
  size_t base = all->file.chunk[first].row - (first && header);
  file->chunk = malloc((end - first) * sizeof *file->chunk);
  if (!file->chunk) return svf_no_memory(message, part->raw.path);
  for (size_t c = first; c < end; c++) {
    file->chunk[file->chunks] = all->file.chunk[c];
    file->chunk[file->chunks++].row -= base;
    file->records += all->file.chunk[c].rows;
  }
  part->head = all->head;
  part->raw.n = file->records - (!first && header);
  part->raw.first = all->file.chunk[first].row - (first && header);
  SVF_TRY(svf_raw_widen(&part->raw, all->raw.width, message));
  return take_names(&all->raw, &part->raw) ? SVF_OK : svf_no_memory(message, part->raw.path);
}

static svf_status read_chunks(const reader *all, size_t first, size_t end, reader *part, svf_table **table,
                              svf_message *message) {
  SVF_TRY(take_chunks(all, first, end, part, message));
  SVF_TRY(svf_raw_roles(&part->raw, message));
  SVF_TRY(svf_csv_fill(&part->file, &part->head, &part->raw, NULL, message));
  return svf_raw_table(&part->raw, table, message);
}

svf_status svf_csv_whole_read(const svf_csv_whole *whole, const svf_read *read, size_t first, size_t end_chunk,
                              svf_table **table, svf_message *message) {
  reader part = {.file = whole->from.file};
  svf_pool pool;
  *table = NULL;
  part.file.chunk = NULL, part.file.chunks = part.file.records = 0;
  begin(&part, read);
  svf_status status = open_pool(&part.file, read, &pool, message);
  if (!status) status = read_chunks(&whole->from, first, end_chunk, &part, table, message);
  close_pool(&part.file);
  part.head.text = NULL; /* the whole file's */
  end(&part);
  return status;
}

svf_status svf_csv_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  svf_input input = {.path = read->path, .data = bytes->data, .size = bytes->size};
  return svf_csv_read(&input, read, table, message);
}
