/* fit_rows.h - the rows of leaves, gathered from the chunks of a table. */
#ifndef SVF_FOREST_FIT_ROWS_H
#define SVF_FOREST_FIT_ROWS_H

#include "forest/parts/partition.h"

/* The lists of one chunk for the leaves at hand: records first..first+count-1 of its pieces, and where the rows of each
 * begin. */
typedef struct svf_fit_chunk {
  const svf_routed *pieces;
  const svf_list_record *record;
  size_t count;
  size_t *from; /* in the pieces' list */
} svf_fit_chunk;

/* All chunks of the table, by row number. */
typedef struct svf_fit_rows {
  const svf_portion *cuts;
  svf_cells cells;
  uint32_t first, end; /* leaves of the cells */
  svf_fit_chunk *chunk;
  size_t chunks;
  bool weighted;
} svf_fit_rows;

/* Do the rows belong to the cuts, and are all rows of the table there, once each? */
svf_status svf_fit_rows_open(const svf_portion *cuts, const svf_portion *const *rows, size_t count,
                             const svf_cells *cells, svf_fit_rows *all, svf_message *message);
void svf_fit_rows_close(svf_fit_rows *all);
/* How many rows the leaves first..end-1 have. */
size_t svf_fit_rows_count(const svf_fit_rows *all, uint32_t first, uint32_t end);
/* The rows of the leaves first..end-1 of one tree as a frame, by row number; `columns` has what svf_frame_columns gives. From
 * the arena; false: memory ran out. */
bool svf_fit_rows_frame(const svf_fit_rows *all, uint32_t first, uint32_t end, const svf_frame *columns,
                        svf_arena *arena, svf_frame *frame);

/* fit_cells.c: trains the leaves into an empty part, which the caller frees in any case. */
svf_status svf_fit_cells(const svf_fit_rows *rows, const svf_stage *stage, svf_pool *pool, svf_portion *leaves,
                         svf_message *message);

#endif
