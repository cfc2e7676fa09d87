/* svforest_parts.h - training in parts, for tables that do not fit into memory or are spread over several computers.
 *
 * A sample of partition_rows rows (a setting) decides the encoding and the cuts. There are four steps. The result of each
 * depends on its arguments alone:
 *
 *   svf_partition       computes the cuts from the sample
 *   svf_route           assigns the rows of a chunk to the cells (leaves) of the cuts
 *   svf_fit             trains the leaves of some cells from their rows
 *   svf_portion_merge   makes the model from the cuts and all leaves
 *
 * The model has the same bytes as that of svf_train for the whole table with the same settings, for any chunks and any
 * division of the cells among calls of svf_fit. */
#ifndef SVFOREST_PARTS_H
#define SVFOREST_PARTS_H

#include "svforest.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct svf_portion svf_portion;
typedef enum svf_portion_kind {
  SVF_PORTION_NONE = 0,
  SVF_PORTION_CUTS,
  SVF_PORTION_ROWS,
  SVF_PORTION_LEAVES
} svf_portion_kind;

/* Cells first..first+count-1 of the cuts. */
typedef struct svf_cells {
  uint64_t first, count;
} svf_cells;

/* A table that is larger than memory and is read chunk by chunk. */
typedef struct svf_chunks svf_chunks;
/* Opens a CSV, NPY or LIBSVM file that is not gzipped. The file is scanned once, so that a chunk is read as in the
 * whole file, with the same header, separator and columns, and with line numbers of the file in messages. The texts
 * of `options` are borrowed. */
SVF_API svf_status svf_chunks_open(const char *path, const svf_read_options *options, svf_chunks **chunks,
                                   svf_message *message);
/* Rows from another source than such a file. `read` makes a table of rows first..first+rows-1 with their target; the
 * library frees it. It is called for all rows in order, twice, from the thread that called the library. */
typedef struct svf_row_source {
  const char *name; /* for messages; copied */
  uint64_t rows;
  size_t columns; /* target included */
  svf_status (*read)(void *user, uint64_t first, size_t rows, const svf_portion *cuts, svf_table **table,
                     svf_message *message); /* cuts: as in svf_chunks_read */
  void *user;
} svf_row_source;
SVF_API svf_status svf_chunks_from(const svf_row_source *source, svf_chunks **chunks, svf_message *message);
SVF_API void svf_chunks_free(svf_chunks *chunks);
SVF_API uint64_t svf_chunks_rows(const svf_chunks *chunks);
SVF_API size_t svf_chunks_columns(const svf_chunks *chunks); /* target included */
/* Divides the table, which at first is one chunk, into chunks of at most `rows` rows, or of as few more as the format
 * allows. Returns how many chunks there are; 0: memory ran out. */
SVF_API size_t svf_chunks_divide(svf_chunks *chunks, size_t rows);
/* The number of a chunk's first row; for the chunk after the last, the number of rows. */
SVF_API uint64_t svf_chunks_first(const svf_chunks *chunks, size_t chunk);
/* Reads a chunk as a table. cuts: NULL, or the cuts that will route the chunk. */
SVF_API svf_status svf_chunks_read(svf_chunks *chunks, size_t chunk, const svf_portion *cuts, svf_table **table,
                                   svf_message *message);

/* Finds the rows of a chunk that may be in the sample; svf_partition then draws the sample from these rows of all
 * chunks. numbers: the numbers of the chunk's rows in the whole table (NULL: 0, 1, ...). rows: room for as many as
 * the chunk has; set to the positions of the `count` rows found, ascending by number. */
SVF_API svf_status svf_table_sample(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                    size_t *rows, size_t *count, svf_message *message);
/* Joins tables one after the other; they must have the same columns, target and weights. The joined table has the
 * categories and classes of all of them, in that order. */
SVF_API svf_status svf_table_join(const svf_table *const *tables, size_t count, svf_table **joined,
                                  svf_message *message);
/* Computes encoding and cuts. `table` must have all rows of the sample and may have more. numbers: the numbers of its
 * rows in the whole table (NULL: 0, 1, ...), which has `rows` rows. */
SVF_API svf_status svf_partition(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                 uint64_t rows, const svf_run *run, svf_portion **cuts, svf_message *message);
/* Sorts the rows of a chunk by the cells that they fall into. first_row: the number of the chunk's first row. cells:
 * the cells that are wanted; NULL: all. */
SVF_API svf_status svf_route(const svf_portion *cuts, const svf_table *chunk, uint64_t first_row,
                             const svf_cells *cells, const svf_run *run, svf_portion **rows, svf_message *message);
/* Trains the leaves of some cells (NULL: all) from the routed rows of all chunks, given in any order. */
SVF_API svf_status svf_fit(const svf_portion *cuts, const svf_portion *const *rows, size_t count,
                           const svf_cells *cells, const svf_run *run, svf_portion **leaves, svf_message *message);
/* Makes the model from the leaves of all cells, given in any order. */
SVF_API svf_status svf_portion_merge(const svf_portion *cuts, const svf_portion *const *leaves, size_t count,
                                     svf_forest **forest, svf_message *message);

/* For all three kinds of parts, as svf_forest_save, _load, _from_bytes, _bytes and _free for forests. */
SVF_API svf_status svf_portion_save(const svf_portion *part, const char *path, svf_message *message);
SVF_API svf_status svf_portion_load(const char *path, svf_portion **part, svf_message *message);
SVF_API svf_status svf_portion_from_bytes(const void *bytes, size_t size, svf_portion **part, svf_message *message);
SVF_API const void *svf_portion_bytes(const svf_portion *part, size_t *size);
SVF_API void svf_portion_free(svf_portion *part);
/* How svf_train_from_disk works. All zero but for `folder` is a good default. */
typedef struct svf_disk_options {
  const char *folder; /* for scratch files: made if it does not exist, removed at the end */
  const char *model;  /* the path where the model is saved before the folder is removed; NULL: it is not saved */
  const char *job; /* all else that results depend on, besides settings, table and memory: lines of text, or NULL */
  size_t memory;   /* limit in bytes; 0: a quarter of the computer's memory */
  /* NULL, or called once with the sample that decides the cuts, to add made features or class weights. */
  svf_status (*prepare)(void *user, svf_table *sample, svf_message *message);
  svf_remark tell; /* NULL, or called with sentences about scratch space and about parts kept from an earlier run */
  void *user;      /* handed to `prepare` and `tell` */
  double *reading; /* NULL, or set to the seconds spent reading the table */
} svf_disk_options;

/* Runs all four steps for a table larger than memory: reads the chunks twice and keeps routed rows in scratch files.
 * If the call fails, is stopped or is killed, the folder stays, and repeating the call continues: complete files are
 * checked and kept. A folder of another job is refused (SVF_DATA). The model has the bytes of svf_train on the whole
 * table. */
SVF_API svf_status svf_train_from_disk(const svf_settings *settings, svf_chunks *chunks,
                                       const svf_disk_options *options, const svf_run *run, svf_forest **forest,
                                       svf_message *message);

/* The kind of a file, by its first bytes. SVF_PORTION_NONE: it is no such part, or cannot be read. */
SVF_API svf_portion_kind svf_portion_look(const char *path);

typedef struct svf_portion_info {
  svf_portion_kind kind;
  uint64_t rows;      /* of the whole table (cuts) or the chunk (rows); 0 for leaves */
  uint64_t first_row; /* rows only: number of the first */
  svf_cells cells;    /* those of the part; all for cuts */
  size_t trees;       /* cuts only */
  size_t leaves;      /* in these cells; for rows, only leaves that have any */
  size_t columns;     /* cuts only: encoded columns */
  uint64_t unseen;    /* rows only: cells with a category that the sample does not have; they count as missing */
  size_t bytes;       /* of the part as a file */
} svf_portion_info;
SVF_API void svf_portion_describe(const svf_portion *part, svf_portion_info *info);
/* Selects those routed rows that fell into the given cells. */
SVF_API svf_status svf_portion_select(const svf_portion *cuts, const svf_portion *rows, const svf_cells *cells,
                                      svf_portion **some, svf_message *message);
/* Counts the rows in each cell: of routed rows or, if `part` is cuts, of the sample. count: room for one number per
 * cell of the part (cells.count). To check that no rows were lost on the way to svf_fit, compare the sums over all
 * chunks before and after. */
SVF_API svf_status svf_portion_count(const svf_portion *cuts, const svf_portion *part, uint64_t *count,
                                     svf_message *message);

#ifdef __cplusplus
}
#endif
#endif
