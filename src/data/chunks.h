/* chunks.h - a file that is larger than memory, some rows at a time: what the formats offer to chunks.c.
 *
 * The file is looked through once, so that a chunk is read as it would be in the whole file. */
#ifndef SVF_DATA_CHUNKS_H
#define SVF_DATA_CHUNKS_H

#include "data/input.h"
#include "svforest_parts.h"

/* csv.c: a CSV file that is cut into many small chunks; any of them that are neighbours can be read as a table. */
typedef struct svf_csv_whole svf_csv_whole;
svf_status svf_csv_whole_open(const svf_input *input, const svf_read *read, svf_csv_whole **whole,
                              svf_message *message);
void svf_csv_whole_free(svf_csv_whole *whole);
size_t svf_csv_whole_columns(const svf_csv_whole *whole);
size_t svf_csv_whole_chunks(const svf_csv_whole *whole);
/* The row, from 0, that a chunk begins with; of the chunk after the last how many rows there are. */
size_t svf_csv_whole_row(const svf_csv_whole *whole, size_t chunk);
/* The chunks first..end-1. */
svf_status svf_csv_whole_read(const svf_csv_whole *whole, const svf_read *read, size_t first, size_t end,
                              svf_table **table, svf_message *message);

/* libsvm.c: counts the rows of some whole lines, the first of which is span->line, into span->rows, and adds their indices
 * to span->zero and span->top. */
svf_status svf_libsvm_survey(const svf_bytes *bytes, const char *path, svf_read_span *span, svf_message *message);

/* Chunk number `chunk` for cuts and their encoding (NULL: for none). svf_chunks_read (forest/) is this for cuts alone. */
svf_status svf_chunks_read_like(svf_chunks *chunks, size_t chunk, const svf_portion *cuts, const svf_encoding *like,
                                svf_table **table, svf_message *message);

/* The file, or the name of the source. */
const char *svf_chunks_path(const svf_chunks *chunks);
/* Does each chunk decide by its values whether the target is classes? */
bool svf_chunks_guess_task(const svf_chunks *chunks);
/* Appends lines that change when the table, or the way it is read, does: of a file its size and date, of a source its shape. */
void svf_chunks_describe(const svf_chunks *chunks, svf_buffer *text);

#endif
