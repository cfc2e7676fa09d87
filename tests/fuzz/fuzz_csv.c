/* fuzz_csv.c - any bytes as CSV, for training and for a model: a table or a refusal, nothing else. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_table(svf_csv_parse, data, size); }
