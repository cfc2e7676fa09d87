/* fuzz_npy.c - any bytes as a NumPy file, for training and for a model: a table or a refusal, nothing else.
 */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_table(svf_npy_parse, data, size); }
