/* input.h - the bytes of a table: in memory, or in a file that is read piece by piece, by many threads. */
#ifndef SVF_DATA_INPUT_H
#define SVF_DATA_INPUT_H

#include "base/buffer.h"
#include "data/read.h"

typedef struct svf_input {
  const char *path; /* for messages */
  const char *data; /* all bytes, and a 0 after them; NULL: they are in the file */
  int file;
  size_t size;
  char start[6]; /* the first bytes of a file, 0 where it has less */
} svf_input;

typedef struct svf_excerpt {
  const char *begin, *end;
  const char *limit; /* bytes up to here may be looked at; the one at `end` always may */
} svf_excerpt;

/* Opens a file to be read by pieces; false: it is none that has a size and can be read at any place, or it is
 * packed, or there is no such file: svf_bytes_read takes it, or says what is wrong with it. */
bool svf_input_open(const char *path, svf_input *input);
void svf_input_close(svf_input *input);

/* Lends `size` bytes from `at` on, all of them within the input; those of a file are in `room`, with a 0 after
 * them, until it is used again. */
svf_status svf_input_piece(const svf_input *input, size_t at, size_t size, svf_buffer *room, svf_excerpt *piece,
                           svf_message *message);

/* SVF_IO: what was read twice was not the same. */
svf_status svf_input_changed(const svf_input *input, svf_message *message);

/* svf_csv_parse and svf_npy_parse for any input. */
svf_status svf_csv_read(const svf_input *input, const svf_read *read, svf_table **table, svf_message *message);
svf_status svf_npy_read(const svf_input *input, const svf_read *read, svf_table **table, svf_message *message);

/* The start of a gzip file. */
static inline bool svf_is_gzip(const char *data, size_t size) {
  return size >= 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

#endif
