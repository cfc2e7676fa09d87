/* fuzz_csv.c - any bytes as CSV, for training and for a model: a table or a refusal, nothing else; and the same one when
 * the file is read as large ones are: in chunks of a few bytes, sometimes by three threads, and in one walk if it is
 * plain (csv_once.c). A header is told by few rows, so that short files have enough of them for that. */
#include "fuzz_table.h"
#include "support/same_table.h"

enum { ROWS = 3 };

typedef struct outcome {
  svf_status status;
  svf_table *table;
  svf_message message;
} outcome;

static outcome parse(const svf_bytes *bytes, const svf_read *read, int threads, size_t chunk) {
  svf_read_options options = *read->options;
  svf_read other = *read;
  outcome found = {.message = {.text = ""}};
  options.threads = threads;
  other.options = &options;
  other.chunk = chunk;
  other.sample = bytes->size % 5 ? ROWS : 0;
  found.status = svf_csv_parse(bytes, &other, &found.table, &found.message);
  return found;
}

static svf_status parse_all(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  outcome whole = parse(bytes, read, 1, 0);
  outcome part = parse(bytes, read, bytes->size % 8 ? 1 : 3, 1 + bytes->size % 23);
  fuzz_demand(part.status == whole.status && !strcmp(part.message.text, whole.message.text));
  fuzz_demand(same_table(part.table, whole.table));
  svf_table_free(part.table);
  *table = whole.table;
  *message = whole.message;
  return whole.status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_table(parse_all, data, size); }
