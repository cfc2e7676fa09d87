/* image.c - the bytes of a model file from its parts: a function of the parts alone. */
#include "forest/file/image.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

const svf_section_kind svf_section_kinds[SVF_SECTIONS] = {
    [SVF_META] = {"META", sizeof(svf_meta_record)},
    [SVF_SETT] = {"SETT", 1},
    [SVF_STRS] = {"STRS", 1},
    [SVF_FEAT] = {"FEAT", sizeof(svf_feature_record)},
    [SVF_LEVL] = {"LEVL", sizeof(svf_text_record)},
    [SVF_PART] = {"PART", sizeof(svf_part_record)},
    [SVF_COLS] = {"COLS", sizeof(svf_column_record)},
    [SVF_CLAS] = {"CLAS", sizeof(svf_class_record)},
    [SVF_TREE] = {"TREE", sizeof(svf_tree_record)},
    [SVF_NODE] = {"NODE", sizeof(svf_node_record)},
    [SVF_TERM] = {"TERM", sizeof(svf_term)},
    [SVF_LEAF] = {"LEAF", sizeof(svf_leaf_record)},
    [SVF_NUMB] = {"NUMB", sizeof(double)},
    [SVF_GAIN] = {"GAIN", sizeof(svf_gain_record)},
    [SVF_STAT] = {"STAT", sizeof(float)},
    [SVF_METR] = {"METR", sizeof(double)},
    [SVF_BACK] = {"BACK", sizeof(double)},
    [SVF_CONF] = {"CONF", sizeof(double)},
};

const svf_layout svf_forest_layout = {SVF_IMAGE_VERSION, SVF_STAT, SVF_SECTIONS, svf_section_kinds, NULL};

uint64_t svf_image_checksum(const void *image, size_t size) {
  const unsigned char *bytes = image;
  size_t before = offsetof(svf_image_header, checksum), after = sizeof(svf_image_header);
  return crc32_z(crc32_z(0, bytes, before), bytes + after, size - after);
}

void svf_image_seal(void *image, size_t size) {
  svf_image_header *header = image;
  header->size = size;
  header->checksum = svf_image_checksum(image, size);
}

/* A cut along one column with weight 1 needs no term: the node names the column itself. The walk through a tree then
 * looks into one array only, and most cuts take 16 bytes instead of 24. */
static bool pack_cuts(const svf_parts *parts, svf_buffer *nodes, svf_buffer *terms) {
  for (size_t i = 0; i < parts->nodes; i++) {
    svf_node_record node = parts->node[i];
    size_t count = node.count / 2;
    const svf_term *term = count ? parts->term + node.first : NULL;
    bool along = count == 1 && term->weight == 1 && !svf_by_levels(node.threshold);
    node.first = along ? term->feature : count ? (uint32_t)(terms->size / sizeof *term) : node.first;
    if (along) node.count %= 2;
    else if (count) svf_buffer_add(terms, term, count * sizeof *term);
    svf_buffer_add(nodes, &node, sizeof node);
  }
  return !nodes->failed && !terms->failed;
}

static size_t align(size_t offset) { return (offset + SVF_IMAGE_ALIGN - 1) / SVF_IMAGE_ALIGN * SVF_IMAGE_ALIGN; }

/* Without the optional sections at the end that are empty. */
static uint32_t count_sections(const svf_layout *layout, const svf_section_span *content) {
  uint32_t count = layout->sections;
  while (count > layout->least && !content[count - 1].bytes) count--;
  return count;
}

bool svf_image_assemble(const svf_layout *layout, const svf_section_span *content, svf_buffer *image) {
  uint32_t sections = count_sections(layout, content);
  size_t end = svf_sections_size(sections);
  for (uint32_t i = 0; i < sections; i++) end = align(end) + content[i].bytes;
  unsigned char *bytes = svf_buffer_grow(image, end);
  if (!bytes) return false;
  memset(bytes, 0, end);
  svf_image_start *start = (void *)bytes;
  start->header = (svf_image_header){.version = layout->version, .sections = sections};
  memcpy(start->header.magic, layout->magic ? layout->magic : SVF_IMAGE_MAGIC, sizeof start->header.magic);
  end = svf_sections_size(sections);
  for (uint32_t i = 0; i < sections; i++) {
    svf_image_section *section = &start->section[i];
    memcpy(section->tag, layout->kind[i].tag, sizeof section->tag);
    section->item = content[i].item;
    section->offset = align(end);
    section->bytes = content[i].bytes;
    if (content[i].bytes && content[i].data) memcpy(bytes + section->offset, content[i].data, content[i].bytes);
    end = (size_t)section->offset + content[i].bytes;
  }
  svf_image_seal(bytes, end);
  return true;
}

/* What 32 bits cannot number is refused. */
static svf_status check_sizes(const svf_parts *parts, const svf_buffer *section, svf_message *message) {
  if (parts->terms > UINT32_MAX)
    return svf_fail(message, SVF_DATA, "a model holds at most %u terms of cuts; this one would have %zu", UINT32_MAX,
                    parts->terms);
  if (section[SVF_STRS].size > UINT32_MAX)
    return svf_fail(message, SVF_DATA, "a model holds at most %u bytes of names; this one would have %zu", UINT32_MAX,
                    section[SVF_STRS].size);
  return SVF_OK;
}

/* precision=single: every number of the leaves to the nearest float. */
static svf_status round_numbers(const svf_parts *parts, svf_buffer *numbers, svf_message *message) {
  const double *from = parts->number;
  float *to = svf_buffer_grow(numbers, parts->numbers * sizeof *to);
  if (!to) return svf_no_memory(message, "the model");
  if (parts->encoding->classes.count > 1 << FLT_MANT_DIG)
    return svf_fail(message, SVF_DATA, "precision=single counts to %d, and there are more classes: use double",
                    1 << FLT_MANT_DIG);
  for (size_t i = 0; i < parts->numbers; i++) {
    to[i] = (float)from[i];
    if (!isfinite(to[i]))
      return svf_fail(message, SVF_DATA, "a leaf holds %g, which precision=single cannot: use precision=double",
                      from[i]);
  }
  return SVF_OK;
}

svf_status svf_image_make(const svf_parts *parts, svf_buffer *image, svf_message *message) {
  svf_buffer section[SVF_SECTIONS] = {{0}};
  *image = (svf_buffer){0};
  bool fine = svf_settings_write(parts->settings, &section[SVF_SETT]) &&
              svf_ids_write(&parts->encoding->ids, &section[SVF_SETT]) && svf_encoding_write(parts, section) &&
              pack_cuts(parts, &section[SVF_NODE], &section[SVF_TERM]) &&
              (!parts->metric || svf_metric_write(parts->metric, &section[SVF_METR]));
  svf_status status = fine ? check_sizes(parts, section, message) : svf_no_memory(message, "the model");
  bool single = parts->settings->precision == SVF_PRECISION_SINGLE, round = single && !parts->single;
  if (!status && round) status = round_numbers(parts, &section[SVF_NUMB], message);
  if (!status) {
    svf_section_span content[SVF_SECTIONS];
    uint32_t number = (uint32_t)svf_number_size(single);
    for (int i = 0; i < SVF_SECTIONS; i++)
      content[i] = (svf_section_span){section[i].data, section[i].size, svf_section_kinds[i].item};
    content[SVF_TREE] = (svf_section_span){parts->tree, parts->trees * sizeof *parts->tree, sizeof *parts->tree};
    content[SVF_LEAF] = (svf_section_span){parts->leaf, parts->leaves * sizeof *parts->leaf, sizeof *parts->leaf};
    content[SVF_GAIN] = (svf_section_span){parts->gain, parts->gains * sizeof *parts->gain, sizeof *parts->gain};
    content[SVF_BACK].data = parts->background;
    content[SVF_BACK].bytes = svf_background_bytes(parts->background, parts->backgrounds, parts->encoding);
    if (!round) content[SVF_NUMB] = (svf_section_span){parts->number, parts->numbers * number, number};
    content[SVF_NUMB].item = number;
    if (!svf_image_assemble(&svf_forest_layout, content, image)) status = svf_no_memory(message, "the model");
  }
  for (int i = 0; i < SVF_SECTIONS; i++) svf_buffer_free(&section[i]);
  return status;
}
