/* fuzz_portion.c - any bytes as cuts, rows or leaves of a training in parts: refused, or safe to go on with. Length, checksum
 * and the mark of the cuts are mended first, so that the fuzzer gets behind them. */
#include "forest/file/image.h"
#include "forest/parts/partition.h"
#include "fuzz_input.h"
#include "support/explore.h"

enum { ROWS = 240 };

/* What the bytes must go together with; tests/fuzz/portions.sh makes the same. */
static svf_table *table;
static svf_portion *cuts;

static void prepare(void) {
  svf_message message;
  svf_settings *settings;
  svf_synth_options options = {.rows = ROWS, .features = 3, .classes = 3};
  if (cuts) return;
  fuzz_demand(svf_table_synth("classification", &options, &table, NULL, &message) == SVF_OK);
  fuzz_demand(svf_settings_new("rf", &settings, &message) == SVF_OK);
  fuzz_demand(svf_settings_set(settings, "trees", "2", &message) == SVF_OK);
  fuzz_demand(svf_settings_set(settings, "partition_rows", "100", &message) == SVF_OK);
  fuzz_demand(svf_partition(settings, table, NULL, ROWS, NULL, &cuts, &message) == SVF_OK);
  svf_settings_free(settings);
}

static void mend(unsigned char *image, size_t size) {
  size_t head = (sizeof(svf_image_header) + 3 * sizeof(svf_image_section) + 63) / 64 * 64;
  if (size >= 8 && !memcmp(image, SVF_ROWS_MAGIC, 8))
    head = (sizeof(svf_image_header) + 8 * sizeof(svf_image_section) + 63) / 64 * 64;
  bool cut = size >= 8 && !memcmp(image, SVF_CUTS_MAGIC, 8);
  if (!cut && size >= head + sizeof cuts->mark) memcpy(image + head, &cuts->mark, sizeof cuts->mark);
  if (size >= sizeof(svf_image_header)) svf_image_seal(image, size);
}

static void go_on(const svf_portion *portion) {
  svf_message message;
  svf_portion_info info;
  svf_portion *rows = NULL, *leaves = NULL;
  svf_forest *forest = NULL;
  const svf_portion *base = cuts, *made = portion;
  svf_run run = {.threads = 1, .memory_limit = 1 << 28};
  svf_portion_describe(portion, &info);
  if (info.kind == SVF_PORTION_CUTS) {
    base = portion;
    svf_route(base, table, 0, NULL, &run, &rows, &message);
    made = rows;
  }
  if (info.kind != SVF_PORTION_LEAVES && made) {
    svf_portion_describe(made, &info);
    uint64_t *count = calloc(info.cells.count + 1, sizeof *count);
    if (count) svf_portion_count(base, made, count, &message);
    free(count);
    svf_cells cells = {info.cells.first, info.cells.count / 2 + 1};
    svf_portion *some;
    svf_portion_select(base, made, &cells, &some, &message);
    svf_portion_free(some);
    svf_fit(base, &made, 1, NULL, &run, &leaves, &message);
    made = leaves;
  }
  if (made) svf_portion_merge(base, &made, 1, &forest, &message);
  if (forest) explore(forest);
  svf_forest_free(forest);
  svf_portion_free(rows);
  svf_portion_free(leaves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  svf_message message;
  svf_portion *portion;
  unsigned char *image = malloc(size ? size : 1);
  prepare();
  if (!image) return 0;
  if (size) memcpy(image, data, size);
  mend(image, size);
  svf_portion_from_bytes(image, size, &portion, &message);
  free(image);
  if (portion) go_on(portion);
  svf_portion_free(portion);
  return 0;
}
