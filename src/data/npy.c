/* npy.c - from NumPy's array file to a table.
 *
 * The file: the magic bytes, a version, the length of the header, the header, the numbers. The header is a
 * Python dictionary of three entries: {'descr': '<f8', 'fortran_order': False, 'shape': (rows, columns), }.
 * Each of its characters is checked before use. Columns are x1, x2, ..., the last is the target unless the
 * options say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/raw.h"

enum { MAGIC = 6, TEXT = 16, BLOCK = 256 };

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

static svf_status read_header(const svf_bytes *bytes, const char *path, header *h, svf_message *message) {
  const unsigned char *data = (const unsigned char *)bytes->data;
  if (bytes->size < MAGIC + 4 || memcmp(data, "\x93NUMPY", MAGIC))
    return svf_fail(message, SVF_DATA, "%s: not an NPY file", path);
  int version = data[MAGIC], width = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) return svf_fail(message, SVF_DATA, "%s: NPY version %d is unknown", path, version);
  size_t start = (size_t)(MAGIC + 2 + width);
  if (bytes->size < start || little(data + MAGIC + 2, width) > bytes->size - start)
    return svf_fail(message, SVF_DATA, "%s: the NPY file is cut short in its header", path);
  h->data = start + (size_t)little(data + MAGIC + 2, width);
  cursor c = {bytes->data + start, bytes->data + h->data};
  if (!take_dictionary(&c, h))
    return svf_fail(message, SVF_DATA, "%s: the NPY header is not that of a plain array of numbers", path);
  return SVF_OK;
}

/* One way to read a number, for each kind that is known. */
static double real8(const unsigned char *b) {
  uint64_t bits = little(b, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double real4(const unsigned char *b) {
  uint32_t bits = (uint32_t)little(b, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double signed1(const unsigned char *b) { return (int8_t)b[0]; }
static double signed2(const unsigned char *b) { return (int16_t)little(b, 2); }
static double signed4(const unsigned char *b) { return (int32_t)little(b, 4); }
static double signed8(const unsigned char *b) { return (double)(int64_t)little(b, 8); }
static double unsigned1(const unsigned char *b) { return b[0]; }
static double unsigned2(const unsigned char *b) { return (double)little(b, 2); }
static double unsigned4(const unsigned char *b) { return (double)little(b, 4); }
static double boolean(const unsigned char *b) { return b[0] != 0; }

typedef struct kind {
  const char *descr;
  size_t size;
  double (*read)(const unsigned char *bytes);
} kind;

static const kind kinds[] = {{"<f8", 8, real8},     {"<f4", 4, real4},   {"|i1", 1, signed1},   {"<i2", 2, signed2},
                             {"<i4", 4, signed4},   {"<i8", 8, signed8}, {"|u1", 1, unsigned1}, {"<u2", 2, unsigned2},
                             {"<u4", 4, unsigned4}, {"|b1", 1, boolean}};

static svf_status find_kind(const char *descr, const char *path, const kind **found, svf_message *message) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    *found = &kinds[i];
    if (strcmp(kinds[i].descr, descr) == 0) return SVF_OK;
  }
  return svf_fail(message, SVF_DATA,
                  "%s: numbers of type '%s'; use little-endian float64, float32, (u)int8 to 32, int64 or bool", path,
                  descr);
}

/* Are there just the numbers that the shape asks for? */
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

typedef struct grid { /* the numbers as they are in the file */
  const unsigned char *data;
  size_t row_step, column_step;
  const kind *type;
} grid;

static svf_status make_columns(svf_raw *raw, svf_message *message) {
  for (size_t j = 0; j < raw->width; j++) {
    if (svf_part_unread(raw->role[j].part) && !svf_raw_is_kept(raw, j)) continue;
    raw->column[j].number = malloc(raw->n * sizeof(double));
    if (!raw->column[j].number) return svf_no_memory(message, raw->path);
  }
  return SVF_OK;
}

/* Block by block, so that rows that are read for one column are still in the cache for the next. */
static void fill_columns(svf_raw *raw, const grid *from) {
  for (size_t first = 0; first < raw->n; first += BLOCK) {
    size_t end = raw->n - first < BLOCK ? raw->n : first + BLOCK;
    for (size_t j = 0; j < raw->width; j++) {
      double *number = raw->column[j].number;
      const unsigned char *at = from->data + j * from->column_step + first * from->row_step;
      for (size_t i = first; number && i < end; i++, at += from->row_step) number[i] = from->type->read(at);
    }
  }
}

static svf_status refuse_infinite(const svf_raw *raw, svf_message *message) {
  for (size_t j = 0; j < raw->width; j++) {
    const double *number = svf_part_unread(raw->role[j].part) ? NULL : raw->column[j].number;
    for (size_t i = 0; number && i < raw->n; i++)
      if (isinf(number[i])) return svf_raw_refuse(raw, i, j, "the value is infinite", message);
  }
  return SVF_OK;
}

static svf_status parse(svf_raw *raw, const svf_bytes *bytes, svf_table **table, svf_message *message) {
  header h = {0};
  const kind *type;
  SVF_TRY(read_header(bytes, raw->path, &h, message));
  SVF_TRY(find_kind(h.descr, raw->path, &type, message));
  SVF_TRY(check_size(&h, type->size, bytes->size, raw->path, message));
  raw->n = h.shape[0];
  SVF_TRY(svf_raw_fits(raw, h.shape[1], message));
  SVF_TRY(svf_raw_widen(raw, h.shape[1], message));
  for (size_t j = 0; j < raw->width; j++)
    if (!svf_raw_name(raw, NULL, 0)) return svf_no_memory(message, raw->path);
  SVF_TRY(svf_raw_roles(raw, message));
  size_t row_step = type->size * (h.fortran ? 1 : raw->width), column_step = type->size * (h.fortran ? raw->n : 1);
  SVF_TRY(make_columns(raw, message));
  fill_columns(raw, &(grid){(const unsigned char *)bytes->data + h.data, row_step, column_step, type});
  SVF_TRY(refuse_infinite(raw, message));
  return svf_raw_table(raw, table, message);
}

svf_status svf_npy_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  svf_raw raw;
  *table = NULL;
  svf_raw_begin(&raw, read);
  svf_status status = parse(&raw, bytes, table, message);
  svf_raw_free(&raw);
  return status;
}
