/* image.h - the model file as bytes: docs/format.md says it in words, and these are its structs. */
#ifndef SVF_FOREST_IMAGE_H
#define SVF_FOREST_IMAGE_H

#include "forest/forest.h"

#define SVF_IMAGE_MAGIC  "svforest"
#define SVF_CUTS_MAGIC   "svf-cuts" /* partition.h */
#define SVF_ROWS_MAGIC   "svf-rows"
#define SVF_LEAVES_MAGIC "svf-leaf"
enum {
  SVF_IMAGE_VERSION = 1,     /* of a forest */
  SVF_COMMITTEE_VERSION = 2, /* of a committee of forests */
  SVF_IMAGE_ALIGN = 64
};

typedef struct svf_image_header {
  char magic[8];
  uint32_t version, sections;
  uint64_t size;     /* of the file */
  uint64_t checksum; /* CRC-32 of every byte but these eight */
} svf_image_header;

typedef struct svf_image_section {
  char tag[4];
  uint32_t item; /* bytes of one item */
  uint64_t offset, bytes;
} svf_image_section;

/* The sections, in the order of the file. */
typedef enum svf_section {
  SVF_META,
  SVF_SETT,
  SVF_STRS,
  SVF_FEAT,
  SVF_LEVL,
  SVF_PART,
  SVF_COLS,
  SVF_CLAS,
  SVF_TREE,
  SVF_NODE,
  SVF_TERM,
  SVF_LEAF,
  SVF_NUMB,
  SVF_GAIN,
  SVF_STAT, /* only where there are any statistics */
  SVF_METR, /* only in a forest with a metric */
  SVF_BACK, /* only in a forest that keeps background rows */
  SVF_CONF, /* only in a calibrated forest */
  SVF_SECTIONS
} svf_section;

/* What a file begins with. */
typedef struct svf_image_start {
  svf_image_header header;
  svf_image_section section[SVF_SECTIONS]; /* the first header.sections of them */
} svf_image_start;

typedef struct svf_text_record { /* a text in STRS; a 0 byte follows it */
  uint32_t offset, length;
} svf_text_record;

typedef struct svf_meta_record {
  uint32_t task, named;
  uint64_t rows, features, columns, classes;
  svf_text_record target;
} svf_meta_record;

typedef struct svf_feature_record {
  svf_text_record name;
  uint32_t first_level, levels; /* in LEVL */
  uint32_t first, width;        /* in COLS */
  uint32_t recipe, parts;       /* svf_recipe_kind; how many in PART */
} svf_feature_record;

typedef struct svf_part_record { /* of a made feature */
  double centre;
  uint32_t column, zero;
} svf_part_record;

typedef struct svf_class_record {
  svf_text_record name;
  double weight; /* as given; 1: none was */
} svf_class_record;

typedef struct svf_column_record {
  double shift, scale, fill;
  uint32_t feature;
  int32_t level;
} svf_column_record;

/* A struct with padding would let stray bytes into the file. */
_Static_assert(sizeof(svf_image_header) == 32, "header");
_Static_assert(sizeof(svf_image_section) == 24, "section");
_Static_assert(sizeof(svf_meta_record) == 48, "META");
_Static_assert(sizeof(svf_feature_record) == 32, "FEAT");
_Static_assert(sizeof(svf_part_record) == 16, "PART");
_Static_assert(sizeof(svf_class_record) == 16, "CLAS");
_Static_assert(sizeof(svf_gain_record) == 16, "GAIN");
_Static_assert(sizeof(svf_column_record) == 32, "COLS");
_Static_assert(sizeof(svf_tree_record) == 48, "TREE");
_Static_assert(sizeof(svf_node_record) == 16, "NODE");
_Static_assert(sizeof(svf_term) == 8, "TERM");
_Static_assert(sizeof(svf_leaf_record) == 16, "LEAF");

typedef struct svf_section_kind {
  const char *tag; /* four letters */
  uint32_t item;
} svf_section_kind;
extern const svf_section_kind svf_section_kinds[SVF_SECTIONS];

/* The layout of a file: which sections it has, and what one of them holds. */
typedef struct svf_layout {
  uint32_t version, least, sections; /* those from number `least` on may be absent at the end, if they are empty */
  const svf_section_kind *kind;
  const char *magic; /* NULL: of a model */
} svf_layout;

typedef struct svf_section_span {
  const void *data;
  size_t bytes;
  uint32_t item;
} svf_section_span;
extern const svf_layout svf_forest_layout;
/* image.c: the bytes of a file, sealed; content: one span per section, whose data may be NULL: then its bytes are 0, for the
 * caller to fill in and to seal. False: memory ran out. */
bool svf_image_assemble(const svf_layout *layout, const svf_section_span *content, svf_buffer *image);

/* An image while it is checked. */
typedef struct svf_image {
  const unsigned char *bytes;
  size_t size;
  const char *path; /* for messages */
  svf_message *message;
} svf_image;

/* image_open.c: do the bytes begin as a file with that magic, whole and with the right checksum? newest: version. */
svf_status svf_header_check(const svf_image *image, const char *magic, uint32_t newest);
/* Is the table of sections that of the layout, and does no section overlap another or leave the file? */
svf_status svf_sections_check(const svf_image *image, const svf_layout *layout);
/* SVF_DATA "<path>: damaged: ...". */
svf_status svf_damaged(const svf_image *image, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For an image whose section table has been checked. */
static inline size_t svf_sections_size(size_t sections) {
  return sizeof(svf_image_header) + sections * sizeof(svf_image_section);
}
/* An optional section that is not there is empty. */
static inline bool svf_section_there(const unsigned char *image, int section) {
  return (uint32_t)section < ((const svf_image_start *)(const void *)image)->header.sections;
}
static inline const void *svf_section_data(const unsigned char *image, int section) {
  if (!svf_section_there(image, section)) return image;
  return image + ((const svf_image_start *)(const void *)image)->section[section].offset;
}
static inline size_t svf_section_count(const unsigned char *image, int section) {
  if (!svf_section_there(image, section)) return 0;
  const svf_image_section *entry = &((const svf_image_start *)(const void *)image)->section[section];
  return (size_t)(entry->bytes / entry->item);
}

/* image.c: writes size and checksum into the header of an image of at least a header's size. */
void svf_image_seal(void *image, size_t size);
uint64_t svf_image_checksum(const void *image, size_t size);

/* image_text.c: SETT; reading sets all that is there and leaves the others at their defaults. */
bool svf_settings_write(const svf_settings *settings, svf_buffer *text);
svf_status svf_settings_read(const svf_image *image, int section, svf_settings *settings);

/* image_ids.c: the names of the ids, lines of SETT after those of the settings; none of a setting is such a line. */
bool svf_ids_write(const svf_names *ids, svf_buffer *text);
bool svf_ids_line(const char *line);
/* After svf_settings_read; on failure ids holds what was read so far. */
svf_status svf_ids_read(const svf_image *image, svf_names *ids);

/* image_encoding.c: META, STRS, FEAT, LEVL, PART, COLS and CLAS; `section` has SVF_SECTIONS buffers. */
bool svf_encoding_write(const svf_parts *parts, svf_buffer *section);
/* On failure the encoding holds what was read so far, for svf_encoding_free. */
svf_status svf_encoding_read(const svf_image *image, svf_encoding *encoding);

/* image_metric.c: METR. svf_metric_read finds it in a forest whose settings and encoding are read; false of write: memory ran
 * out. */
bool svf_metric_write(const svf_metric *metric, svf_buffer *numbers);
svf_status svf_metric_read(const svf_image *image, svf_forest *forest);

/* image_background.c: BACK, in a forest whose settings and encoding are read. data: of the section; count: its numbers. */
svf_status svf_background_read(const svf_image *image, const double *data, size_t count, svf_forest *forest);
static inline size_t svf_background_bytes(const double *background, size_t rows, const svf_encoding *encoding) {
  return background ? rows * encoding->features * sizeof *background : 0;
}

/* conformal.c: CONF, the scores of a calibration; and the layout of committees, whose last section it is, too. */
svf_status svf_conformal_read(const svf_image *image, const double *score, size_t count, svf_forest *forest);
extern const svf_layout svf_committee_layout;

/* image_trees.c: every index, count and number of TREE, NODE, TERM, LEAF, NUMB and GAIN. */
svf_status svf_trees_check(const svf_image *image, const svf_forest *forest);

/* save.c: the bytes of a file, mapped; *image is NULL where it is empty. what: "a model", for messages. */
svf_status svf_image_map(const char *path, const char *what, void **image, size_t *size, svf_message *message);
/* Gives an image back in the way that it was had. */
void svf_image_release(const void *image, size_t size, svf_hold hold);

#endif
