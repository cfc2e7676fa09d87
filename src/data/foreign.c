/* foreign.c - see foreign.h. A format is known by its first bytes. A format whose first bytes are letters has a byte soon
 * after them that no text has: a CSV file may begin with PAR1. */
#include "data/foreign.h"

#include <stdint.h>
#include <string.h>

typedef struct format {
  const char *name, *advice;
  const char *mark; /* the bytes at `at` */
  size_t length, at;
  bool letters; /* a text may begin so */
} format;

#define FRAME        "; write it as CSV, or load it in Python and pass the frame to the svforest package"
#define PANDAS(read) "; write it as CSV, in Python: pandas." read ".to_csv('data.csv', index=False)"
#define UTF_8(from)  "; make it UTF-8: iconv -f " from " -t UTF-8 FILE"

static const format formats[] = {
    {"a Parquet file", PANDAS("read_parquet(FILE)"), "PAR1", 4, 0, true},
    {"an Arrow file", PANDAS("read_feather(FILE)"), "ARROW1", 6, 0, true},
    {"an Arrow stream", FRAME, "\xff\xff\xff\xff", 4, 0, false},
    {"a Feather file", PANDAS("read_feather(FILE)"), "FEA1", 4, 0, true},
    {"an Excel file (xls)", "; save the sheet as CSV", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, 0, false},
    {"an HDF5 file", FRAME, "\x89HDF\r\n\x1a\n", 8, 0, false},
    {"a SQLite database", "; write a table of it as CSV: sqlite3 -header -csv FILE 'select * from NAME'",
     "SQLite format 3", 15, 0, true},
    {"a pickle", FRAME, "\x80\x04\x95", 3, 0, false},
    {"a pickle", FRAME, "\x80\x05\x95", 3, 0, false},
    {"text in UTF-32", UTF_8("UTF-32"), "\xff\xfe\0\0", 4, 0, false},
    {"text in UTF-16", UTF_8("UTF-16"), "\xff\xfe", 2, 0, false},
    {"text in UTF-16", UTF_8("UTF-16"), "\xfe\xff", 2, 0, false},
    {"packed by bzip2", "; unpack it: bzip2 -dc FILE", "1AY&SY", 6, 4, false},
    {"packed by xz", "; unpack it: xz -dc FILE", "\3757zXZ\0", 6, 0, false},
    {"packed by zstd", "; unpack it: zstd -dc FILE", "\x28\xb5\x2f\xfd", 4, 0, false},
    {"a tar archive", "; unpack it and name a file of it", "ustar", 5, 257, true},
    {"an svforest model", "; name a table, after the model where the verb takes both", "svforest", 8, 0, true},
};

/* Is there a byte that no text has? Of bytes from 128 on that cannot be said. */
static bool has_control(const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)data[i];
    if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') return true;
  }
  return false;
}

static bool begins(const format *f, const char *data, size_t size) {
  if (size < f->at + f->length || memcmp(data + f->at, f->mark, f->length)) return false;
  return !f->letters || has_control(data, size);
}

static bool holds(const char *data, size_t size, const char *word) {
  size_t length = strlen(word);
  for (const char *at = data; (size_t)(data + size - at) >= length; at++) {
    at = memchr(at, word[0], (size_t)(data + size - at) - length + 1);
    if (!at) return false;
    if (memcmp(at, word, length) == 0) return true;
  }
  return false;
}

static svf_status refuse(const char *path, const char *name, const char *advice, svf_message *message) {
  return svf_fail(message, SVF_DATA, "%.400s: is %s, which svforest does not read%s", path, name, advice);
}

/* A zip file begins with a file of its own, or ends at once. */
static svf_status refuse_zip(const char *path, const char *data, size_t size, svf_message *message) {
  if (size < 4 || (memcmp(data, "PK\3\4", 4) && memcmp(data, "PK\5\6", 4))) return SVF_OK;
  if (holds(data, size, "xl/") || holds(data, size, "[Content_Types].xml") || holds(data, size, "docProps/"))
    return refuse(path, "an Excel file (xlsx)", PANDAS("read_excel(FILE)") ", or save the sheet as CSV", message);
  if (holds(data, size, ".npy"))
    return refuse(path, "an NPZ file", "; write the array alone: numpy.save('data.npy', array)", message);
  return refuse(path, "a zip file", "; unpack it and name a file of it, or pack it by gzip", message);
}

/* Each second byte of ASCII in UTF-16 is 0. */
static bool is_wide(const char *data, size_t size) {
  if (size < 4) return false;
  return (data[0] && !data[1] && data[2] && !data[3]) || (!data[0] && data[1] && !data[2] && data[3]);
}

svf_status svf_foreign_refuse(const char *path, const char *data, size_t size, svf_message *message) {
  if (size > SVF_FOREIGN_LOOK) size = SVF_FOREIGN_LOOK;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (begins(&formats[i], data, size)) return refuse(path, formats[i].name, formats[i].advice, message);
  if (is_wide(data, size))
    return refuse(path, "text in UTF-16", data[0] ? UTF_8("UTF-16LE") : UTF_8("UTF-16BE"), message);
  return refuse_zip(path, data, size, message);
}

svf_status svf_foreign_refuse_address(const char *path, svf_message *message) {
  static const char *const scheme[] = {"http://", "https://", "ftp://", "s3://", "gs://", "file://"};
  for (size_t i = 0; i < sizeof scheme / sizeof *scheme; i++)
    if (strncmp(path, scheme[i], strlen(scheme[i])) == 0)
      return svf_fail(message, SVF_IO,
                      "%.400s: is an address, and svforest reads files; download it first, or write it to standard "
                      "input and name that '-'",
                      path);
  return SVF_OK;
}
