/* csv.c - from the bytes of a CSV file to a table; see csv.h for what is read. */
#include "data/csv.h"

#include <stdlib.h>

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

svf_status svf_csv_read(const svf_input *input, const svf_read *read, svf_table **table, svf_message *message) {
  svf_run run = {.threads = read->options ? read->options->threads : 0};
  reader from = {.file.input = input};
  svf_pool pool;
  *table = NULL;
  SVF_TRY(svf_pool_open(&pool, &run, message));
  begin(&from, read);
  from.file.pool = &pool;
  from.file.sample = read->sample ? read->sample : SVF_CSV_SAMPLE;
  from.file.room = calloc(pool.threads, sizeof *from.file.room);
  svf_status status = from.file.room ? parse(&from, read, table, message) : svf_no_memory(message, read->path);
  for (size_t i = 0; from.file.room && i < pool.threads; i++) svf_buffer_free(&from.file.room[i]);
  free(from.file.room);
  end(&from);
  svf_pool_close(&pool);
  return status;
}

svf_status svf_csv_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  svf_input input = {.path = read->path, .data = bytes->data, .size = bytes->size};
  return svf_csv_read(&input, read, table, message);
}
