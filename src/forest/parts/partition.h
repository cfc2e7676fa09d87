/* partition.h - training in parts: cuts from a sample, rows to their cells, leaves from the rows of some cells, a model from
 * cuts and leaves. docs/scale.md has the picture and the files.
 *
 * In memory the same four steps run on the whole table, so that the bytes cannot differ. */
#ifndef SVF_FOREST_PARTITION_H
#define SVF_FOREST_PARTITION_H

#include "forest/file/image.h"
#include "forest/growth/plant.h"
#include "svforest_parts.h"

#define SVF_MOST_ROWS (UINT32_MAX / 2)

/* Whose rows answer for a leaf that has none: those of leaves first..end-1, counted over all trees. */
typedef struct svf_filling {
  uint32_t leaf, first, end;
  uint32_t node; /* of its tree, at which these leaves hang */
} svf_filling;

/* Cuts: a forest without leaves. Each leaf is a cell of its own, but for those that a filling joins: cell c has leaves
 * start[c]..start[c+1]-1, counted over all trees. */
typedef struct svf_sketch {
  svf_forest *forest;
  uint32_t *start;
  svf_filling *filling; /* by leaf */
  size_t cells, fillings;
} svf_sketch;

/* Rows of a leaf in a list of rows. */
typedef struct svf_list_record {
  uint32_t leaf, count;
} svf_list_record;

/* Rows first_row..first_row+rows-1 of a table on their way to some cells: those that any of these cells has, encoded, and
 * the rows of each of their leaves. */
typedef struct svf_routed {
  uint64_t first_row, rows;
  size_t kept, stride;
  const float *x;              /* kept x stride */
  const uint32_t *number;      /* kept: counted from first_row; NULL: their places */
  const int32_t *label;        /* kept: classes, else NULL */
  const double *value;         /* kept: numbers, else NULL */
  const double *weight;        /* kept; NULL: all 1 */
  const svf_list_record *leaf; /* by leaf, none without rows */
  const uint32_t *list;        /* the rows of each, ascending */
  size_t leaves, listed;
} svf_routed;

/* What is learned of a leaf. */
typedef struct svf_leaf_made {
  uint32_t length, rows;
  double judged,
      outcome; /* weight of its out-of-bag rows, and of those it is right about, or the sum of their squared errors */
} svf_leaf_made;

typedef struct svf_made {
  const svf_leaf_made *leaf;
  const double *number;
  size_t leaves, numbers;
} svf_made;

struct svf_portion {
  svf_portion_kind kind;
  uint64_t mark;         /* of the cuts that it belongs to */
  uint64_t first, cells; /* of rows and leaves: for cells first..first+cells-1 */
  uint64_t unseen;       /* of rows: category cells that the sample did not have */
  svf_sketch cuts;
  svf_routed pieces;
  svf_made made;
  const unsigned char *image; /* of rows and leaves; cuts have that of their forest */
  size_t size;
  svf_hold hold;
  svf_arena memory; /* of rows that are no file */
};

/* partition.c. SVF_USAGE where the settings do not ask for a partition. */
svf_status svf_partition_wanted(const svf_settings *settings, svf_message *message);
/* Can it be trained in parts? SVF_USAGE says why not. */
svf_status svf_partition_check(const svf_settings *settings, const svf_kinds *kinds, svf_message *message);
/* The whole of it in memory, for a table of more than partition_rows rows; own: as svf_train_once. */
svf_status svf_train_in_parts(const svf_settings *settings, const svf_table *table, svf_table *own,
                              const svf_run *run, svf_forest **forest, svf_message *message);

/* partition_cuts.c: the forest becomes the cuts' own, also on failure. path: for messages. */
svf_status svf_sketch_open(svf_forest *forest, const char *path, svf_sketch *cuts, svf_message *message);
void svf_sketch_free(svf_sketch *cuts);
/* The leaves of some cells. */
static inline uint32_t svf_sketch_first(const svf_sketch *cuts, uint64_t cell) { return cuts->start[cell]; }

/* partition_rows.c: the lists of a frame's rows for some cells; the pieces borrow the frame. pool: for progress and threads. */
svf_status svf_pieces_list(const svf_sketch *cuts, const svf_frame *frame, const svf_cells *cells, svf_pool *pool,
                           svf_portion *rows, svf_message *message);
/* Is every target known? first_row: for messages. */
svf_status svf_pieces_check_target(const svf_frame *frame, const char *path, uint64_t first_row,
                                   svf_message *message);

/* portion_file.c: rows and leaves in memory become a part that is a file. */
svf_status svf_rows_pack(svf_portion *part, size_t columns, svf_portion **packed, svf_message *message);
svf_status svf_leaves_pack(const svf_portion *part, svf_portion **packed, svf_message *message);
/* Makes a part from the bytes of a file. It takes over the bytes, also on failure. */
svf_status svf_portion_open(const void *image, size_t size, svf_hold hold, const char *path, svf_portion **part,
                            svf_message *message);
uint64_t svf_portion_mark(const svf_forest *forest);
/* SVF_USAGE unless it is of that kind, SVF_DATA unless it belongs to the cuts. */
svf_status svf_portion_fits(const svf_portion *part, svf_portion_kind kind, const svf_portion *cuts,
                            svf_message *message);
/* Cells first..first+count-1, or all of them where `wanted` is NULL; SVF_USAGE if there are no such cells. */
svf_status svf_portion_cells(const svf_portion *cuts, const svf_cells *wanted, svf_cells *cells,
                             svf_message *message);

/* image_open.c: as svf_image_open for cuts, whose leaves hold nothing, or the number of the node whose rows answer for
 * them. */
svf_status svf_image_open_cuts(const void *image, size_t size, svf_hold hold, const char *path, svf_forest **forest,
                               svf_message *message);

#endif
