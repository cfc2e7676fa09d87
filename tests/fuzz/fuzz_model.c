/* fuzz_model.c - any bytes as a model file: refused, or safe to use. Length and checksum are mended first, so
 * that the fuzzer gets behind them. */
#include "cli/dump.h"
#include "forest/file/image.h"
#include "fuzz_input.h"
#include "support/explore.h"

/* Every tree as text and as JSON, into nowhere. */
static void dump(const svf_forest *forest) {
  static FILE *out;
  if (!out) out = fopen("/dev/null", "w");
  fuzz_demand(out);
  cli_json json;
  cli_dump_text(out, forest);
  cli_json_begin(&json, out);
  cli_dump_json(&json, forest);
  cli_json_close(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  svf_message message;
  svf_forest *forest;
  unsigned char *image = malloc(size ? size : 1);
  if (!image) return 0;
  if (size) memcpy(image, data, size);
  if (size >= sizeof(svf_image_header)) svf_image_seal(image, size);
  svf_forest_from_bytes(image, size, &forest, &message);
  free(image);
  if (forest) {
    explore(forest);
    dump(forest);
    fuzz_demand(explore_merge(forest));
  }
  svf_forest_free(forest);
  return 0;
}
