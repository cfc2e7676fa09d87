/* fuzz_model.c - any bytes as a model file: refused, or safe to use. Length and checksum are mended first, so
 * that the fuzzer gets behind them. */
#include <stdlib.h>
#include <string.h>
#include "forest/image.h"
#include "support/explore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  svf_message message;
  svf_forest *forest;
  unsigned char *image = malloc(size ? size : 1);
  if (!image) return 0;
  if (size) memcpy(image, data, size);
  if (size >= sizeof(svf_image_header)) svf_image_seal(image, size);
  svf_forest_from_bytes(image, size, &forest, &message);
  free(image);
  if (forest) explore(forest);
  svf_forest_free(forest);
  return 0;
}
