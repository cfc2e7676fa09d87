/* image_open.c - a forest from the bytes of a model file, each of which may have been made by an enemy. */
#include "forest/auto/committee.h"
#include "forest/parts/partition.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

svf_status svf_damaged(const svf_image *image, const char *format, ...) {
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return svf_fail(image->message, SVF_DATA, "%s: damaged: %s", image->path, what);
}

static bool little_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 1;
}

/* What the first bytes of a file of ours say that it is. */
static const struct {
  const char *magic, *what;
} files[] = {{SVF_IMAGE_MAGIC, "a model"},
             {SVF_CUTS_MAGIC, "the cuts of a training in parts"},
             {SVF_ROWS_MAGIC, "rows on their way to their cells"},
             {SVF_LEAVES_MAGIC, "leaves of a training in parts"}};
enum { FILES = sizeof files / sizeof *files };

static svf_status refuse_magic(const svf_image *image, const char *magic) {
  const char *what = NULL, *is = NULL;
  for (size_t i = 0; i < FILES; i++) {
    if (!strcmp(files[i].magic, magic)) what = files[i].what;
    if (image->size >= strlen(magic) && !memcmp(image->bytes, files[i].magic, strlen(magic))) is = files[i].what;
  }
  if (is) return svf_fail(image->message, SVF_DATA, "%s: not %s: it holds %s", image->path, what, is);
  if (strcmp(magic, SVF_IMAGE_MAGIC))
    return svf_fail(image->message, SVF_DATA, "%s: not a file of training in parts", image->path);
  return svf_fail(image->message, SVF_DATA, "%s: not an svforest model", image->path);
}

svf_status svf_header_check(const svf_image *image, const char *magic, uint32_t newest) {
  const svf_image_header *header = (const void *)image->bytes;
  svf_message *message = image->message;
  const char *path = image->path;
  if (!little_endian()) return svf_fail(message, SVF_DATA, "%s: models need a little-endian processor", path);
  if (image->size == 0) return svf_fail(message, SVF_DATA, "%s: not an svforest model: it is empty", path);
  if (image->size < sizeof header->magic || memcmp(header->magic, magic, sizeof header->magic))
    return refuse_magic(image, magic);
  if (image->size < sizeof *header)
    return svf_fail(message, SVF_DATA, "%s is cut short: %zu bytes", path, image->size);
  if (header->version > newest)
    return svf_fail(message, SVF_DATA,
                    "%s: made by a newer version of svforest (format %" PRIu32
                    "); this one reads formats 1 to %" PRIu32,
                    path, header->version, newest);
  if (image->size < header->size)
    return svf_fail(message, SVF_DATA, "%s is cut short: %zu of %" PRIu64 " bytes", path, image->size, header->size);
  if (image->size > header->size)
    return svf_damaged(image, "%zu bytes follow its end", image->size - (size_t)header->size);
  if (header->checksum != svf_image_checksum(image->bytes, image->size))
    return svf_damaged(image, "the checksum does not match");
  return SVF_OK;
}

static bool all_zero(const unsigned char *bytes, size_t from, size_t to) {
  while (from < to && bytes[from] == 0) from++;
  return from == to;
}

/* Numbers of the leaves may be in single precision. */
static bool item_fine(const svf_section_kind *kind, uint32_t item) {
  return item == kind->item || (kind == &svf_section_kinds[SVF_NUMB] && item == svf_number_size(true));
}

/* Each section starts at the first aligned place after the one before it, and the last ends with the file. */
svf_status svf_sections_check(const svf_image *image, const svf_layout *layout) {
  const svf_image_start *start = (const void *)image->bytes;
  uint32_t sections = start->header.sections;
  size_t end = svf_sections_size(sections);
  if (start->header.version != layout->version || sections < layout->least || sections > layout->sections ||
      image->size < end)
    return svf_damaged(image, "its table of sections is wrong");
  for (uint32_t i = 0; i < sections; i++) {
    const svf_section_kind *kind = &layout->kind[i];
    const svf_image_section *section = &start->section[i];
    size_t offset = end + (SVF_IMAGE_ALIGN - end % SVF_IMAGE_ALIGN) % SVF_IMAGE_ALIGN;
    if (memcmp(section->tag, kind->tag, sizeof section->tag) || !item_fine(kind, section->item) ||
        section->offset != offset || offset > image->size || section->bytes > image->size - offset ||
        section->bytes % section->item || !all_zero(image->bytes, end, offset))
      return svf_damaged(image, "its section %s is wrong", kind->tag);
    end = offset + (size_t)section->bytes;
  }
  if (sections > layout->least && !start->section[sections - 1].bytes)
    return svf_damaged(image, "its section %s is wrong", layout->kind[sections - 1].tag);
  return end == image->size ? SVF_OK : svf_damaged(image, "its sections do not fit its size");
}

static svf_status check_sections(const svf_image *image) {
  SVF_TRY(svf_sections_check(image, &svf_forest_layout));
  return svf_section_count(image->bytes, SVF_META) == 1 ? SVF_OK : svf_damaged(image, "its section META is wrong");
}

/* Settings and encoding, and whether they go together. */
static svf_status open_settings(const svf_image *image, svf_forest *forest) {
  svf_message why;
  SVF_TRY(svf_settings_read(image, SVF_SETT, &forest->settings));
  SVF_TRY(svf_encoding_read(image, &forest->encoding));
  SVF_TRY(svf_ids_read(image, &forest->encoding.ids));
  if (svf_settings_check(&forest->settings, forest->encoding.task, &why) ||
      svf_kinds_find(&forest->settings, &forest->kinds, &why))
    return svf_fail(image->message, SVF_DATA, "%s: %.900s", image->path, why.text);
  if (forest->encoding.class_weight && forest->settings.class_weight != SVF_CLASS_WEIGHT_GIVEN)
    return svf_damaged(image, "it has class weights that its settings do not use");
  for (size_t c = 0; c < forest->encoding.columns; c++)
    forest->encoding.column[c].clipped = forest->settings.scale == SVF_SCALE_ROBUST;
  forest->la = svf_la_choose(forest->settings.cpu == SVF_CPU_PORTABLE);
  size_t columns = forest->encoding.columns;
  forest->fill = calloc(columns ? columns : 1, sizeof *forest->fill);
  forest->along = calloc(columns ? columns : 1, sizeof *forest->along);
  if (!forest->fill || !forest->along) return svf_no_memory(image->message, "a model");
  for (size_t c = 0; c < columns; c++) {
    forest->fill[c] = (float)forest->encoding.column[c].fill;
    forest->along[c] = (svf_term){(uint32_t)c, 1};
  }
  return SVF_OK;
}

static svf_parts find_parts(const svf_forest *forest) {
  const unsigned char *bytes = forest->image;
  const svf_meta_record *meta = svf_section_data(bytes, SVF_META);
  size_t k = svf_forest_k(forest);
  return (svf_parts){.said = svf_kinds_said(&forest->kinds, k),
                     .sums = svf_kinds_sums(&forest->kinds, k),
                     .settings = &forest->settings,
                     .encoding = &forest->encoding,
                     .rows = meta->rows,
                     .tree = svf_section_data(bytes, SVF_TREE),
                     .node = svf_section_data(bytes, SVF_NODE),
                     .term = svf_section_data(bytes, SVF_TERM),
                     .leaf = svf_section_data(bytes, SVF_LEAF),
                     .number = svf_section_data(bytes, SVF_NUMB),
                     .gain = svf_section_data(bytes, SVF_GAIN),
                     .single = forest->settings.precision == SVF_PRECISION_SINGLE,
                     .trees = svf_section_count(bytes, SVF_TREE),
                     .nodes = svf_section_count(bytes, SVF_NODE),
                     .terms = svf_section_count(bytes, SVF_TERM),
                     .leaves = svf_section_count(bytes, SVF_LEAF),
                     .numbers = svf_section_count(bytes, SVF_NUMB),
                     .gains = svf_section_count(bytes, SVF_GAIN)};
}

static svf_status open_forest(const svf_image *image, svf_forest *forest) {
  SVF_TRY(svf_header_check(image, forest->bare ? SVF_CUTS_MAGIC : SVF_IMAGE_MAGIC,
                           forest->bare ? SVF_IMAGE_VERSION : SVF_COMMITTEE_VERSION));
  const svf_image_header *header = (const void *)image->bytes;
  if (header->version == SVF_COMMITTEE_VERSION) return svf_committee_open(image, forest);
  SVF_TRY(check_sections(image));
  SVF_TRY(open_settings(image, forest));
  forest->parts = find_parts(forest);
  SVF_TRY(svf_metric_read(image, forest));
  SVF_TRY(svf_background_read(image, svf_section_data(image->bytes, SVF_BACK),
                              svf_section_count(image->bytes, SVF_BACK), forest));
  SVF_TRY(svf_conformal_read(image, svf_section_data(image->bytes, SVF_CONF),
                             svf_section_count(image->bytes, SVF_CONF), forest));
  const svf_image_start *start = (const void *)image->bytes;
  if (start->section[SVF_NUMB].item != svf_number_size(forest->parts.single))
    return svf_damaged(image, "its numbers have not the precision that its settings say");
  return svf_trees_check(image, forest);
}

static svf_status open_image(const void *image, size_t size, svf_hold hold, bool bare, const char *path,
                             svf_forest **forest, svf_message *message) {
  *forest = NULL;
  svf_forest *made = calloc(1, sizeof *made);
  if (!made) {
    svf_image_release(image, size, hold);
    return svf_no_memory(message, "a model");
  }
  made->image = image;
  made->size = size;
  made->hold = hold;
  made->bare = bare;
  made->oob = NAN;
  svf_status status = open_forest(&(svf_image){image, size, path ? path : "the model", message}, made);
  if (status) svf_forest_free(made);
  else *forest = made;
  return status;
}

svf_status svf_image_open(const void *image, size_t size, svf_hold hold, const char *path, svf_forest **forest,
                          svf_message *message) {
  return open_image(image, size, hold, false, path, forest, message);
}

svf_status svf_image_open_cuts(const void *image, size_t size, svf_hold hold, const char *path, svf_forest **forest,
                               svf_message *message) {
  return open_image(image, size, hold, true, path, forest, message);
}
