/* fuzz_csv.c - any bytes as CSV, for training and for a model: a table or a refusal, nothing else; and the same
 * one for three threads that take a few bytes at a time. */
#include "fuzz_table.h"
#include "support/same_table.h"

static svf_status parse_both(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  svf_read_options options = *read->options;
  svf_read parts = *read;
  svf_message other = {.text = ""};
  svf_table *again;
  options.threads = 3;
  parts.options = &options;
  parts.chunk = 1 + bytes->size % 23;
  svf_status status = svf_csv_parse(bytes, read, table, message);
  fuzz_demand(svf_csv_parse(bytes, &parts, &again, &other) == status);
  fuzz_demand(same_table(*table, again) && strcmp(message->text, other.text) == 0);
  svf_table_free(again);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_table(parse_both, data, size); }
