/* portion_file.c - the files of training in parts: written, and checked as a model is, so that what follows may trust them.
 * docs/scale.md says what is in them. */
#include "forest/parts/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

enum { PART_VERSION = 1 };

typedef struct head_record {
  uint64_t mark, first_cell, cells, first_row, rows, unseen, kept, columns;
} head_record;
_Static_assert(sizeof(head_record) == 64, "HEAD");
_Static_assert(sizeof(svf_list_record) == 8, "rows of a leaf");
_Static_assert(sizeof(svf_leaf_made) == 24, "a leaf");

enum { HEAD, XROW, ROWN, LABL, VALU, WEIG, LEAF, LIST, ROW_SECTIONS };
static const svf_section_kind row_kinds[ROW_SECTIONS] = {
    [HEAD] = {"HEAD", sizeof(head_record)},     [XROW] = {"XROW", sizeof(float)},
    [ROWN] = {"ROWN", sizeof(uint32_t)},        [LABL] = {"LABL", sizeof(int32_t)},
    [VALU] = {"VALU", sizeof(double)},          [WEIG] = {"WEIG", sizeof(double)},
    [LEAF] = {"LEAF", sizeof(svf_list_record)}, [LIST] = {"LIST", sizeof(uint32_t)},
};
static const svf_layout row_layout = {PART_VERSION, ROW_SECTIONS, ROW_SECTIONS, row_kinds, SVF_ROWS_MAGIC};

enum { MADE = 1, NUMB, LEAF_SECTIONS };
static const svf_section_kind leaf_kinds[LEAF_SECTIONS] = {[HEAD] = {"HEAD", sizeof(head_record)},
                                                           [MADE] = {"LEAF", sizeof(svf_leaf_made)},
                                                           [NUMB] = {"NUMB", sizeof(double)}};
static const svf_layout leaf_layout = {PART_VERSION, LEAF_SECTIONS, LEAF_SECTIONS, leaf_kinds, SVF_LEAVES_MAGIC};

uint64_t svf_portion_mark(const svf_forest *forest) {
  const svf_image_header *header = (const void *)forest->image;
  return header->checksum << 32 ^ header->size;
}

/* ---- writing ---- */

static head_record head_of(const svf_portion *part) {
  return (head_record){.mark = part->mark, .first_cell = part->first, .cells = part->cells, .unseen = part->unseen};
}

/* The rows that some list has, in order: their places in the frame, and in the file. */
typedef struct keeping {
  uint32_t *place, *at, *number; /* number: counted from the first row of the chunk */
  size_t kept;
} keeping;

static bool keep(const svf_routed *p, svf_arena *arena, keeping *k) {
  k->at = SVF_ZERO(arena, uint32_t, p->kept);
  k->place = SVF_TAKE(arena, uint32_t, p->kept);
  k->number = SVF_TAKE(arena, uint32_t, p->kept);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < p->listed; i++) k->at[p->list[i]] = 1;
  for (size_t i = 0; i < p->kept; i++) {
    if (!k->at[i]) continue;
    k->at[i] = (uint32_t)k->kept;
    k->number[k->kept] = p->number ? p->number[i] : (uint32_t)i;
    k->place[k->kept++] = (uint32_t)i;
  }
  return true;
}

static void *section(svf_buffer *image, int number) {
  return (void *)(uintptr_t)svf_section_data(image->data, number);
}

static void fill_rows(const svf_routed *p, const keeping *k, size_t columns, svf_buffer *image) {
  float *x = section(image, XROW);
  int32_t *label = section(image, LABL);
  double *value = section(image, VALU), *weight = section(image, WEIG);
  uint32_t *list = section(image, LIST);
  for (size_t i = 0; i < k->kept; i++) {
    memcpy(x + i * columns, p->x + k->place[i] * p->stride, columns * sizeof *x);
    if (p->label) label[i] = p->label[k->place[i]];
    if (p->value) value[i] = p->value[k->place[i]];
    if (p->weight) weight[i] = p->weight[k->place[i]];
  }
  for (size_t i = 0; i < p->listed; i++) list[i] = k->at[p->list[i]];
}

static svf_status pack_rows(svf_portion *part, size_t columns, svf_buffer *image, svf_message *message) {
  const svf_routed *p = &part->pieces;
  keeping k = {0};
  if (!keep(p, &part->memory, &k)) return svf_no_memory(message, "the rows of cells");
  head_record head = head_of(part);
  head.first_row = p->first_row, head.rows = p->rows, head.kept = k.kept, head.columns = columns;
  svf_section_span content[ROW_SECTIONS] = {
      [HEAD] = {&head, sizeof head, sizeof head},
      [XROW] = {NULL, k.kept * columns * sizeof(float), sizeof(float)},
      [ROWN] = {k.number, k.kept * sizeof *k.number, sizeof *k.number},
      [LABL] = {NULL, p->label ? k.kept * sizeof *p->label : 0, sizeof *p->label},
      [VALU] = {NULL, p->value ? k.kept * sizeof *p->value : 0, sizeof *p->value},
      [WEIG] = {NULL, p->weight ? k.kept * sizeof *p->weight : 0, sizeof *p->weight},
      [LEAF] = {p->leaf, p->leaves * sizeof *p->leaf, sizeof *p->leaf},
      [LIST] = {NULL, p->listed * sizeof *p->list, sizeof *p->list},
  };
  if (!svf_image_assemble(&row_layout, content, image)) return svf_no_memory(message, "the rows of cells");
  fill_rows(p, &k, columns, image);
  svf_image_seal(image->data, image->size);
  return SVF_OK;
}

svf_status svf_rows_pack(svf_portion *part, size_t columns, svf_portion **packed, svf_message *message) {
  svf_buffer image = {0};
  SVF_TRY(pack_rows(part, columns, &image, message));
  return svf_portion_open(image.data, image.size, SVF_HOLD_ALLOCATED, "the rows", packed, message);
}

svf_status svf_leaves_pack(const svf_portion *part, svf_portion **packed, svf_message *message) {
  svf_buffer image = {0};
  const svf_made *made = &part->made;
  head_record head = head_of(part);
  svf_section_span content[LEAF_SECTIONS] = {
      [HEAD] = {&head, sizeof head, sizeof head},
      [MADE] = {made->leaf, made->leaves * sizeof *made->leaf, sizeof *made->leaf},
      [NUMB] = {made->number, made->numbers * sizeof *made->number, sizeof *made->number},
  };
  if (!svf_image_assemble(&leaf_layout, content, &image)) return svf_no_memory(message, "the leaves");
  return svf_portion_open(image.data, image.size, SVF_HOLD_ALLOCATED, "the leaves", packed, message);
}

/* ---- reading ---- */

static svf_status open_head(const svf_image *image, svf_portion *part, const head_record **head) {
  if (svf_section_count(image->bytes, HEAD) != 1) return svf_damaged(image, "its section HEAD is wrong");
  const head_record *h = *head = svf_section_data(image->bytes, HEAD);
  if (h->first_cell > UINT32_MAX || h->cells > UINT32_MAX || !h->cells)
    return svf_damaged(image, "its cells are wrong");
  part->mark = h->mark;
  part->first = h->first_cell, part->cells = h->cells;
  part->unseen = h->unseen;
  return SVF_OK;
}

static bool counts_fine(const svf_image *image, const head_record *h) {
  size_t kept = (size_t)h->kept, labels = svf_section_count(image->bytes, LABL),
         values = svf_section_count(image->bytes, VALU), weights = svf_section_count(image->bytes, WEIG);
  return h->rows && h->rows <= SVF_MOST_ROWS && h->first_row <= SVF_MOST_ROWS - h->rows && h->kept <= h->rows &&
         h->columns && h->columns <= INT32_MAX && svf_section_count(image->bytes, XROW) == kept * h->columns &&
         svf_section_count(image->bytes, ROWN) == kept && labels + values == kept && (!labels || !values) &&
         (!weights || weights == kept);
}

/* Encoded numbers are missing or within the bounds of an encoding. */
static bool numbers_fine(const svf_routed *p) {
  bool fine = true;
  for (size_t i = 0; i < p->kept * p->stride; i++) fine &= !(fabsf(p->x[i]) > (float)SVF_UNSCALED_LIMIT);
  for (size_t i = 0; i < p->kept && fine; i++)
    fine = p->number[i] < p->rows && (!i || p->number[i] > p->number[i - 1]) && (!p->label || p->label[i] >= 0) &&
           (!p->value || isfinite(p->value[i])) && (!p->weight || (isfinite(p->weight[i]) && p->weight[i] > 0));
  return fine;
}

static bool lists_fine(const svf_routed *p) {
  size_t at = 0;
  for (size_t l = 0; l < p->leaves; l++) {
    const svf_list_record *leaf = &p->leaf[l];
    if (!leaf->count || leaf->count > p->listed - at || (l && leaf->leaf <= leaf[-1].leaf)) return false;
    for (size_t end = at + leaf->count, first = at; at < end; at++)
      if (p->list[at] >= p->kept || (at > first && p->list[at] <= p->list[at - 1])) return false;
  }
  return at == p->listed;
}

static svf_status open_rows(const svf_image *image, svf_portion *part) {
  const head_record *h = NULL;
  const unsigned char *bytes = image->bytes;
  SVF_TRY(svf_sections_check(image, &row_layout));
  SVF_TRY(open_head(image, part, &h));
  if (!counts_fine(image, h)) return svf_damaged(image, "its rows are wrong");
  part->kind = SVF_PORTION_ROWS;
  part->pieces = (svf_routed){
      .first_row = h->first_row,
      .rows = h->rows,
      .kept = (size_t)h->kept,
      .stride = (size_t)h->columns,
      .x = svf_section_data(bytes, XROW),
      .number = svf_section_data(bytes, ROWN),
      .label = svf_section_count(bytes, LABL) ? svf_section_data(bytes, LABL) : NULL,
      .value = svf_section_count(bytes, VALU) ? svf_section_data(bytes, VALU) : NULL,
      .weight = svf_section_count(bytes, WEIG) ? svf_section_data(bytes, WEIG) : NULL,
      .leaf = svf_section_data(bytes, LEAF),
      .list = svf_section_data(bytes, LIST),
      .leaves = svf_section_count(bytes, LEAF),
      .listed = svf_section_count(bytes, LIST),
  };
  if (!numbers_fine(&part->pieces)) return svf_damaged(image, "a row is wrong");
  return lists_fine(&part->pieces) ? SVF_OK : svf_damaged(image, "the rows of a leaf are wrong");
}

static svf_status open_leaves(const svf_image *image, svf_portion *part) {
  const head_record *h = NULL;
  SVF_TRY(svf_sections_check(image, &leaf_layout));
  SVF_TRY(open_head(image, part, &h));
  part->kind = SVF_PORTION_LEAVES;
  svf_made *made = &part->made;
  *made = (svf_made){svf_section_data(image->bytes, MADE), svf_section_data(image->bytes, NUMB),
                     svf_section_count(image->bytes, MADE), svf_section_count(image->bytes, NUMB)};
  size_t numbers = 0;
  for (size_t l = 0; l < made->leaves; l++) {
    const svf_leaf_made *leaf = &made->leaf[l];
    if (leaf->length > made->numbers - numbers || !(leaf->judged >= 0) || !isfinite(leaf->judged) ||
        !(leaf->outcome >= 0))
      return svf_damaged(image, "a leaf is wrong");
    numbers += leaf->length;
  }
  for (size_t i = 0; i < made->numbers; i++)
    if (!isfinite(made->number[i])) return svf_damaged(image, "a leaf has a value that is not a number");
  return numbers == made->numbers ? SVF_OK : svf_damaged(image, "it has more than its leaves use");
}

static bool begins(const void *image, size_t size, const char *magic) {
  return size >= strlen(magic) && !memcmp(image, magic, strlen(magic));
}

static svf_portion_kind kind_of(const void *image, size_t size) {
  return begins(image, size, SVF_CUTS_MAGIC)     ? SVF_PORTION_CUTS
         : begins(image, size, SVF_ROWS_MAGIC)   ? SVF_PORTION_ROWS
         : begins(image, size, SVF_LEAVES_MAGIC) ? SVF_PORTION_LEAVES
                                                 : SVF_PORTION_NONE;
}

static svf_status open_cuts(const void *image, size_t size, svf_hold hold, const char *path, svf_portion *part,
                            svf_message *message) {
  svf_forest *forest;
  SVF_TRY(svf_image_open_cuts(image, size, hold, path, &forest, message));
  part->kind = SVF_PORTION_CUTS;
  part->mark = svf_portion_mark(forest);
  return svf_sketch_open(forest, path, &part->cuts, message);
}

svf_status svf_portion_open(const void *image, size_t size, svf_hold hold, const char *path, svf_portion **part,
                            svf_message *message) {
  *part = NULL;
  svf_portion *made = calloc(1, sizeof *made);
  if (!made) {
    svf_image_release(image, size, hold);
    return svf_no_memory(message, "a file of training in parts");
  }
  svf_image at = {image, size, path, message};
  svf_portion_kind kind = kind_of(image, size);
  svf_status status;
  if (kind == SVF_PORTION_CUTS) status = open_cuts(image, size, hold, path, made, message);
  else {
    made->image = image, made->size = size, made->hold = hold;
    bool rows = kind == SVF_PORTION_ROWS;
    status = svf_header_check(&at, rows ? SVF_ROWS_MAGIC : SVF_LEAVES_MAGIC, PART_VERSION);
    if (!status) status = rows ? open_rows(&at, made) : open_leaves(&at, made);
  }
  if (status) svf_portion_free(made);
  else *part = made;
  return status;
}

/* ---- in and out ---- */

void svf_portion_free(svf_portion *part) {
  if (!part) return;
  svf_sketch_free(&part->cuts);
  svf_arena_free(&part->memory);
  if (part->image) svf_image_release(part->image, part->size, part->hold);
  free(part);
}

const void *svf_portion_bytes(const svf_portion *part, size_t *size) {
  if (part->kind == SVF_PORTION_CUTS) return svf_forest_bytes(part->cuts.forest, size);
  *size = part->size;
  return part->image;
}

svf_status svf_portion_save(const svf_portion *part, const char *path, svf_message *message) {
  size_t size;
  const void *bytes = svf_portion_bytes(part, &size);
  return svf_file_write(path, bytes, size, message);
}

svf_status svf_portion_load(const char *path, svf_portion **part, svf_message *message) {
  *part = NULL;
  void *image;
  size_t size;
  SVF_TRY(svf_image_map(path, "a file of training in parts", &image, &size, message));
  return svf_portion_open(image, size, size ? SVF_HOLD_MAPPED : SVF_HOLD_ALLOCATED, path, part, message);
}

svf_status svf_portion_from_bytes(const void *bytes, size_t size, svf_portion **part, svf_message *message) {
  *part = NULL;
  void *copy = malloc(size ? size : 1);
  if (!copy) return svf_no_memory(message, "a file of training in parts");
  if (size) memcpy(copy, bytes, size);
  return svf_portion_open(copy, size, SVF_HOLD_ALLOCATED, "the bytes", part, message);
}

svf_portion_kind svf_portion_look(const char *path) {
  void *image;
  size_t size;
  if (svf_image_map(path, "a file", &image, &size, NULL)) return SVF_PORTION_NONE;
  svf_portion_kind kind = kind_of(image, size);
  svf_image_release(image, size, size ? SVF_HOLD_MAPPED : SVF_HOLD_ALLOCATED);
  return kind;
}

void svf_portion_describe(const svf_portion *part, svf_portion_info *info) {
  *info = (svf_portion_info){.kind = part->kind, .cells = {part->first, part->cells}, .unseen = part->unseen};
  svf_portion_bytes(part, &info->bytes);
  if (part->kind == SVF_PORTION_CUTS) {
    const svf_parts *parts = &part->cuts.forest->parts;
    info->rows = parts->rows;
    info->cells = (svf_cells){0, part->cuts.cells};
    info->trees = parts->trees;
    info->leaves = parts->leaves;
    info->columns = part->cuts.forest->encoding.columns;
  } else if (part->kind == SVF_PORTION_ROWS) {
    info->rows = part->pieces.rows;
    info->first_row = part->pieces.first_row;
    info->leaves = part->pieces.leaves;
  } else info->leaves = part->made.leaves;
}
