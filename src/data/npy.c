/* npy.c - from NumPy's array file to a table.
 *
 * The file: the magic bytes, a version, the length of the header, the header, the numbers. The header is a
 * Python dictionary of three entries: {'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns), }.
 * Each of its characters is checked before use. Columns are x1, x2, ..., the last is the target unless the
 * options say. */
#include <string.h>
#include "data/npy.h"

enum { MAGIC = 6, TEXT = 16, LONGEST = 1 << 16 /* bytes of a header that are looked at */ };

typedef struct header {
  char descr[TEXT];
  bool fortran;
  size_t shape[2], axes;
  size_t data; /* where the numbers start */
} header;

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
}

static bool take(cursor *c, char wanted) {
  skip(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_string(cursor *c, char out[TEXT]) {
  size_t length = 0;
  if (!take(c, '\'')) return false;
  for (; c->at < c->end && *c->at != '\'' && length + 1 < TEXT; c->at++) out[length++] = *c->at;
  out[length] = 0;
  return take(c, '\'');
}

static bool take_word(cursor *c, const char *word) {
  size_t length = strlen(word);
  skip(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length)) return false;
  c->at += length;
  return true;
}

static bool take_size(cursor *c, size_t *size) {
  skip(c);
  const char *start = c->at;
  *size = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9' && *size < SIZE_MAX / 16; c->at++)
    *size = 10 * *size + (size_t)(*c->at - '0');
  return c->at > start;
}

/* (), (n,), (n, m), ...: counts all axes, keeps two. */
static bool take_shape(cursor *c, header *h) {
  if (!take(c, '(')) return false;
  for (h->axes = 0; !take(c, ')'); h->axes++) {
    size_t size;
    if (!take_size(c, &size)) return false;
    if (h->axes < 2) h->shape[h->axes] = size;
    if (!take(c, ',')) return h->axes++, take(c, ')');
  }
  return true;
}

static bool take_entry(cursor *c, header *h) {
  char key[TEXT];
  if (!take_string(c, key) || !take(c, ':')) return false;
  if (strcmp(key, "descr") == 0) return take_string(c, h->descr);
  if (strcmp(key, "shape") == 0) return take_shape(c, h);
  if (strcmp(key, "fortran_order")) return false;
  h->fortran = take_word(c, "True");
  return h->fortran || take_word(c, "False");
}

static bool take_dictionary(cursor *c, header *h) {
  if (!take(c, '{')) return false;
  for (int entry = 0; entry < 3; entry++)
    if (!take_entry(c, h) || (!take(c, ',') && entry < 2)) return false;
  return take(c, '}') && *h->descr;
}

static uint64_t little(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  while (count-- > 0) value = value << 8 | bytes[count];
  return value;
}

static svf_status read_header(const svf_input *input, svf_buffer *room, header *h, svf_message *message) {
  const char *path = input->path;
  size_t look = input->size < LONGEST ? input->size : LONGEST;
  svf_excerpt piece;
  SVF_TRY(svf_input_piece(input, 0, look, room, &piece, message));
  const unsigned char *data = (const unsigned char *)piece.begin;
  if (look < MAGIC + 4 || memcmp(data, "\x93NUMPY", MAGIC))
    return svf_fail(message, SVF_DATA, "%s: not an NPY file", path);
  int version = data[MAGIC], width = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) return svf_fail(message, SVF_DATA, "%s: NPY version %d is unknown", path, version);
  size_t start = (size_t)(MAGIC + 2 + width);
  if (look < start || little(data + MAGIC + 2, width) > input->size - start)
    return svf_fail(message, SVF_DATA, "%s: the NPY file is cut short in its header", path);
  h->data = start + (size_t)little(data + MAGIC + 2, width);
  cursor c = {piece.begin + start, piece.begin + (h->data < look ? h->data : look)};
  if (!take_dictionary(&c, h))
    return svf_fail(message, SVF_DATA, "%s: the NPY header is not that of a plain array of numbers", path);
  return SVF_OK;
}

/* Checks that the file has exactly as many numbers as the shape says. */
static svf_status check_size(const header *h, size_t item, size_t size, const char *path, svf_message *message) {
  if (h->axes != 2)
    return svf_fail(message, SVF_DATA, "%s: an array of %zu axes; a table has 2, rows and columns", path, h->axes);
  if (h->shape[0] == 0 || h->shape[1] == 0)
    return svf_fail(message, SVF_DATA, "%s: the array is empty: %zu x %zu", path, h->shape[0], h->shape[1]);
  double due = (double)h->shape[0] * (double)h->shape[1] * (double)item;
  double there = (double)(size - h->data);
  if (there < due)
    return svf_fail(message, SVF_DATA, "%s: the file is cut short: %.0f of %.0f bytes", path, there, due);
  if (there > due) return svf_fail(message, SVF_DATA, "%s: there are bytes after the end of the array", path);
  return SVF_OK;
}

static svf_status parse(svf_raw *raw, const svf_input *input, const svf_read_span *span, svf_buffer *room,
                        svf_table **table, svf_message *message) {
  header h = {0};
  SVF_TRY(read_header(input, room, &h, message));
  svf_npy_array array = {svf_npy_type_of(h.descr), h.data, h.fortran, h.shape[0]};
  if (!array.type)
    return svf_fail(message, SVF_DATA,
                    "%s: numbers of type '%s'; use little-endian float64, float32, (u)int8 to 32, int64 or bool",
                    raw->path, h.descr);
  SVF_TRY(check_size(&h, array.type->size, input->size, raw->path, message));
  raw->n = span ? span->rows : h.shape[0];
  if (raw->first > h.shape[0] || raw->n > h.shape[0] - raw->first) return svf_input_changed(input, message);
  array.begin += raw->first * array.type->size * (h.fortran ? 1 : h.shape[1]);
  SVF_TRY(svf_raw_fits(raw, h.shape[1], message));
  SVF_TRY(svf_raw_widen(raw, h.shape[1], message));
  for (size_t j = 0; j < raw->width; j++)
    if (!svf_raw_name(raw, NULL, 0)) return svf_no_memory(message, raw->path);
  SVF_TRY(svf_raw_roles(raw, message));
  SVF_TRY(svf_npy_columns(input, &array, raw, message));
  return svf_raw_table(raw, table, message);
}

svf_status svf_npy_read(const svf_input *input, const svf_read *read, svf_table **table, svf_message *message) {
  svf_raw raw;
  svf_buffer room = {0};
  *table = NULL;
  svf_raw_begin(&raw, read);
  svf_status status = parse(&raw, input, read->span, &room, table, message);
  svf_buffer_free(&room);
  svf_raw_free(&raw);
  return status;
}

svf_status svf_npy_shape(const svf_input *input, size_t shape[2], svf_message *message) {
  header h = {0};
  svf_buffer room = {0};
  svf_status status = read_header(input, &room, &h, message);
  svf_buffer_free(&room);
  SVF_TRY(status);
  const svf_npy_type *type = svf_npy_type_of(h.descr);
  if (type) SVF_TRY(check_size(&h, type->size, input->size, input->path, message));
  shape[0] = h.shape[0], shape[1] = h.shape[1];
  return SVF_OK;
}

svf_status svf_npy_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  svf_input input = {.path = read->path, .data = bytes->data, .size = bytes->size};
  return svf_npy_read(&input, read, table, message);
}
