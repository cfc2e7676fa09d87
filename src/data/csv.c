/* csv.c - from the bytes of a CSV file to a table; see csv.h for what is read. */
#include "data/csv.h"

#include <stdlib.h>

typedef struct reader {
  svf_csv csv;
  svf_csv_head head;
  svf_raw raw;
} reader;

static size_t line_of(const void *source, size_t row) {
  const reader *from = source;
  return svf_csv_line(&from->csv, row + from->head.header);
}

static svf_status parse(reader *from, const svf_bytes *bytes, svf_table **table, svf_message *message) {
  svf_raw *raw = &from->raw;
  raw->line = line_of;
  raw->source = from;
  SVF_TRY(svf_csv_open(bytes, raw->path, &from->csv, &raw->n, message));
  SVF_TRY(svf_csv_read_head(&from->csv, raw, &from->head, message));
  SVF_TRY(svf_raw_roles(raw, message));
  SVF_TRY(svf_csv_fill(&from->csv, &from->head, raw, message));
  return svf_raw_table(raw, table, message);
}

svf_status svf_csv_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  reader from = {0};
  *table = NULL;
  svf_raw_begin(&from.raw, read);
  svf_status status = parse(&from, bytes, table, message);
  svf_raw_free(&from.raw);
  free(from.head.text);
  return status;
}
