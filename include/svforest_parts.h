/* svforest_parts.h - training in parts, for tables that do not fit into memory or lie on several machines.
 *
 * The setting partition_rows says how many rows decide encoding and cuts. Four steps, each a function of its arguments
 * alone: cuts from a sample (svf_partition); rows of a chunk to their cells (svf_route); leaves from the rows of some cells
 * (svf_fit); a model from cuts and leaves (svf_portion_merge). Whatever the chunks and however cells are shared out, the
 * model has the bytes that svf_train gives for the whole table with the same settings.
 */
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

/* A table that is larger than memory, some rows at a time. */
typedef struct svf_chunks svf_chunks;
/* CSV, NPY or LIBSVM, in a file that is not packed. It is looked through once, so that each chunk is read as its rows
 * are in the whole file: header, separator, columns and lines in messages are those of the file. The options' texts
 * are borrowed. */
SVF_API svf_status svf_chunks_open(const char *path, const svf_read_options *options, svf_chunks **chunks,
                                   svf_message *message);
/* Rows that do not come from a file of ours: `read` makes a table of rows first..first+rows-1, with their target, which
 * the library frees. Rows are read in order, twice; calls come from the thread that called the library. */
typedef struct svf_row_source {
  const char *name; /* for messages; copied */
  uint64_t rows;
  size_t columns; /* target and all */
  svf_status (*read)(void *user, uint64_t first, size_t rows, const svf_portion *cuts, svf_table **table,
                     svf_message *message); /* cuts: as in svf_chunks_read */
  void *user;
} svf_row_source;
SVF_API svf_status svf_chunks_from(const svf_row_source *source, svf_chunks **chunks, svf_message *message);
SVF_API void svf_chunks_free(svf_chunks *chunks);
SVF_API uint64_t svf_chunks_rows(const svf_chunks *chunks);
SVF_API size_t svf_chunks_columns(const svf_chunks *chunks); /* target and all */
/* Divides them into chunks of at most `rows` rows, or of as few as the format allows. Returns how many; 0: memory ran
 * out. At first there is one. */
SVF_API size_t svf_chunks_divide(svf_chunks *chunks, size_t rows);
/* The number of a chunk's first row; of the chunk after the last, how many rows there are. */
SVF_API uint64_t svf_chunks_first(const svf_chunks *chunks, size_t chunk);
/* A chunk as a table; cuts: NULL, or those by which it is to be routed. */
SVF_API svf_status svf_chunks_read(svf_chunks *chunks, size_t chunk, const svf_portion *cuts, svf_table **table,
                                   svf_message *message);

/* Which rows of a chunk may be in the sample: `numbers` are those of its rows in the whole table (NULL: 0, 1, ...).
 * rows: room for as many as the chunk has; filled with `count` of them, ascending by number. Of the rows so kept of
 * all chunks, svf_partition draws the sample. */
SVF_API svf_status svf_table_sample(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                    size_t *rows, size_t *count, svf_message *message);
/* One table after the other; columns, target and weights must be alike. Categories and classes are joined in order. */
SVF_API svf_status svf_table_join(const svf_table *const *tables, size_t count, svf_table **joined,
                                  svf_message *message);
/* Encoding and cuts from a table that has at least the rows of the sample, with their numbers (NULL: 0, 1, ...) among
 * the `rows` of the whole table. */
SVF_API svf_status svf_partition(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                 uint64_t rows, const svf_run *run, svf_portion **cuts, svf_message *message);
/* The rows of a chunk, of which the first has number first_row, by the cells they fall into; cells: NULL for all. */
SVF_API svf_status svf_route(const svf_portion *cuts, const svf_table *chunk, uint64_t first_row,
                             const svf_cells *cells, const svf_run *run, svf_portion **rows, svf_message *message);
/* The leaves of some cells (NULL: of all) from the rows of all chunks, in any order. */
SVF_API svf_status svf_fit(const svf_portion *cuts, const svf_portion *const *rows, size_t count,
                           const svf_cells *cells, const svf_run *run, svf_portion **leaves, svf_message *message);
/* The model, from the leaves of all cells, in any order. */
SVF_API svf_status svf_portion_merge(const svf_portion *cuts, const svf_portion *const *leaves, size_t count,
                                     svf_forest **forest, svf_message *message);

/* Files and bytes of all three kinds, as those of forests. */
SVF_API svf_status svf_portion_save(const svf_portion *part, const char *path, svf_message *message);
SVF_API svf_status svf_portion_load(const char *path, svf_portion **part, svf_message *message);
SVF_API svf_status svf_portion_from_bytes(const void *bytes, size_t size, svf_portion **part, svf_message *message);
SVF_API const void *svf_portion_bytes(const svf_portion *part, size_t *size);
SVF_API void svf_portion_free(svf_portion *part);
/* How svf_train_from_disk works. All zero but for `folder` is a good default. */
typedef struct svf_disk_options {
  const char *folder; /* for scratch files: made if it is not there, removed at the end */
  const char *model;  /* where the model is saved before the folder is removed; NULL: nowhere */
  const char *job;    /* what results depend on besides settings, table and memory: lines of text, or NULL */
  size_t memory;      /* bytes to stay within; 0: a quarter of the machine's memory */
  /* NULL, or called once with the rows that decide the cuts, to add features or weights of classes. */
  svf_status (*prepare)(void *user, svf_table *sample, svf_message *message);
  svf_remark tell; /* NULL, or called with sentences about scratch space and what an earlier run has done */
  void *user;      /* handed to both */
  double *reading; /* NULL, or set to the seconds spent reading the table */
} svf_disk_options;

/* All four steps for a table larger than memory: reads the chunks twice and keeps routed rows in scratch files. A call
 * that failed, was stopped or was killed leaves the folder; the same call then continues: complete files are checked and
 * kept. A folder that belongs to another job is refused (SVF_DATA). The model has the bytes of svf_train on the whole
 * table. */
SVF_API svf_status svf_train_from_disk(const svf_settings *settings, svf_chunks *chunks,
                                       const svf_disk_options *options, const svf_run *run, svf_forest **forest,
                                       svf_message *message);

/* What a file's first bytes say that it is; SVF_PORTION_NONE: none of these, or it cannot be read. */
SVF_API svf_portion_kind svf_portion_look(const char *path);

typedef struct svf_portion_info {
  svf_portion_kind kind;
  uint64_t rows;      /* cuts: of the whole table; rows: of the chunk; leaves: 0 */
  uint64_t first_row; /* rows: number of the first */
  svf_cells cells;    /* cuts: all */
  size_t trees;       /* cuts */
  size_t leaves;      /* in these cells; rows: those that have any */
  size_t columns;     /* cuts: encoded */
  uint64_t unseen;    /* rows: category cells that the sample did not have; they count as missing */
  size_t bytes;
} svf_portion_info;
SVF_API void svf_portion_describe(const svf_portion *part, svf_portion_info *info);
/* Of rows that went to some cells, those for some of these cells. */
SVF_API svf_status svf_portion_select(const svf_portion *cuts, const svf_portion *rows, const svf_cells *cells,
                                      svf_portion **some, svf_message *message);
/* How many rows were routed to each cell of a part of rows: room for as many as its cells.count. Summed over all
 * chunks, the counts must be equal before and after the rows were sent to where their cell is trained. If `part` is
 * cuts: how many rows of the sample each cell has. */
SVF_API svf_status svf_portion_count(const svf_portion *cuts, const svf_portion *part, uint64_t *count,
                                     svf_message *message);

#ifdef __cplusplus
}
#endif
#endif
