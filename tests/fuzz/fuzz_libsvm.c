/* fuzz_libsvm.c - any bytes as LIBSVM text, for training and for a model: a table or a refusal, nothing else.
 */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_table(svf_libsvm_parse, data, size); }
