/* read.h - from a file to a table, in steps that can be tested and fuzzed by themselves. */
#ifndef SVF_DATA_READ_H
#define SVF_DATA_READ_H

#include "data/encode.h"
#include "data/table.h"

/* The bytes of a whole file, unpacked if gzip. One 0 byte follows the end. */
typedef struct svf_bytes {
  char *data;
  size_t size;
} svf_bytes;
svf_status svf_bytes_read(const char *path, size_t memory_limit, svf_bytes *bytes, svf_message *message);
void svf_bytes_free(svf_bytes *bytes);

/* The rows of a file that a table is to have, where it is not all of them; see chunks.h. */
typedef struct svf_read_span {
  size_t first, rows;
  size_t line;  /* LIBSVM: of the first row */
  bool zero;    /* LIBSVM: an index 0 occurs in the file */
  uint64_t top; /* LIBSVM: its largest index */
} svf_read_span;

/* What the parsers need to know; `like` is the encoding of the model the table is for, or NULL. */
typedef struct svf_read {
  const char *path; /* for messages */
  const svf_read_options *options;
  const svf_encoding *like;
  size_t chunk;              /* bytes of CSV that a thread takes at a time; 0: as many as are good */
  size_t sample;             /* first rows of CSV that say whether there is a header; 0: SVF_CSV_SAMPLE */
  const svf_read_span *span; /* NULL: all rows; not for CSV, whose chunks csv.c reads */
} svf_read;

svf_status svf_csv_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message);
svf_status svf_libsvm_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message);
svf_status svf_npy_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message);

/* The format of a file that begins so; as svf_table_read finds it. `begin` has a 0 after it. */
svf_format svf_format_of(const char *begin, size_t size, const char *path, svf_format given);

/* All of it: bytes, format, parser. svf_table_read (forest/) is this with options->model's encoding. */
svf_status svf_read_table(const char *path, const svf_read_options *options, const svf_encoding *like,
                          svf_table **table, svf_message *message);

#endif
