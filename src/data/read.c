/* read.c - which format a file has, and its table. */
#include "data/read.h"

#include <string.h>
#include "data/foreign.h"
#include "data/input.h"
#include "data/number.h"
#include "data/text_lines.h"

static bool ends_with(const char *path, size_t length, const char *ending) {
  size_t size = strlen(ending);
  return length >= size && svf_text_is(path + length - size, size, ending);
}

static svf_format format_of_name(const char *path) {
  static const struct {
    const char *ending;
    svf_format format;
  } known[] = {{".csv", SVF_FORMAT_CSV},
               {".tsv", SVF_FORMAT_CSV},
               {".libsvm", SVF_FORMAT_LIBSVM},
               {".svm", SVF_FORMAT_LIBSVM},
               {".npy", SVF_FORMAT_NPY}};
  size_t length = strlen(path);
  if (ends_with(path, length, ".gz")) length -= 3;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ends_with(path, length, known[i].ending)) return known[i].format;
  return SVF_FORMAT_AUTO;
}

static bool is_numpy(const char *data, size_t size) { return size >= 6 && memcmp(data, "\x93NUMPY", 6) == 0; }

/* LIBSVM's rows are "label index:value ...". Comments and rows of a label alone do not say; the first other
 * does. */
static bool is_sparse(const char *at) {
  for (;; at += strcspn(at, "\r\n")) {
    double number;
    at += strspn(at, " \t\r\n");
    if (*at == '#') continue;
    at = svf_number_scan(at, &number);
    if (!at || !strchr(" \t\r\n", *at)) return false;
    at += strspn(at, " \t");
    size_t digits = strspn(at, "0123456789");
    if (digits) return at[digits] == ':' && svf_number_scan(at + digits + 1, &number);
    if (!strchr("\r\n#", *at)) return false;
  }
}

svf_format svf_format_of(const char *begin, size_t size, const char *path, svf_format given) {
  if (given != SVF_FORMAT_AUTO) return given;
  if (is_numpy(begin, size)) return SVF_FORMAT_NPY;
  svf_format format = format_of_name(path);
  if (format != SVF_FORMAT_AUTO) return format;
  return is_sparse(begin) ? SVF_FORMAT_LIBSVM : SVF_FORMAT_CSV;
}

static svf_status parse(const svf_bytes *bytes, const svf_read *read, svf_format format, svf_table **table,
                        svf_message *message) {
  format = svf_format_of(bytes->data, bytes->size, read->path, format);
  if (format == SVF_FORMAT_NPY) return svf_npy_parse(bytes, read, table, message);
  if (format == SVF_FORMAT_LIBSVM) return svf_libsvm_parse(bytes, read, table, message);
  return svf_csv_parse(bytes, read, table, message);
}

/* Opens a file that is CSV or NPY for certain, so that it need not be in memory as a whole; false: it is neither. */
static bool open_pieces(const char *path, svf_format *format, svf_input *input) {
  svf_format named = *format == SVF_FORMAT_AUTO ? format_of_name(path) : *format;
  if (named == SVF_FORMAT_LIBSVM || !svf_input_open(path, input)) return false;
  bool numpy = is_numpy(input->start, sizeof input->start);
  if (*format == SVF_FORMAT_AUTO && numpy) named = SVF_FORMAT_NPY;
  if (named == SVF_FORMAT_CSV || (named == SVF_FORMAT_NPY && numpy)) return *format = named, true;
  svf_input_close(input);
  return false;
}

/* JSON may be meant as CSV, where the user says so. */
static svf_status refuse_foreign(const svf_read *read, const char *data, size_t size, svf_message *message) {
  SVF_TRY(svf_foreign_refuse(read->path, data, size, message));
  return read->options->format == SVF_FORMAT_AUTO ? svf_foreign_refuse_json(read->path, data, size, message) : SVF_OK;
}

static svf_status read_pieces(const svf_input *input, const svf_read *read, svf_format format, svf_table **table,
                              svf_message *message) {
  if (format == SVF_FORMAT_NPY) return svf_npy_read(input, read, table, message);
  svf_buffer room = {0};
  svf_excerpt piece;
  size_t size = input->size < SVF_FOREIGN_LOOK ? input->size : SVF_FOREIGN_LOOK;
  svf_status status = svf_input_piece(input, 0, size, &room, &piece, message);
  if (!status) status = refuse_foreign(read, piece.begin, size, message);
  svf_buffer_free(&room);
  return status ? status : svf_csv_read(input, read, table, message);
}

svf_status svf_read_table(const char *path, const svf_read_options *options, const svf_encoding *like,
                          svf_table **table, svf_message *message) {
  static const svf_read_options standard = {0};
  if (!options) options = &standard;
  svf_read read = {.path = strcmp(path, "-") ? path : "standard input", .options = options, .like = like};
  svf_format format = options->format;
  svf_bytes bytes;
  svf_input input;
  *table = NULL;
  SVF_TRY(svf_foreign_refuse_address(path, message));
  if (open_pieces(path, &format, &input)) {
    svf_status status = read_pieces(&input, &read, format, table, message);
    svf_input_close(&input);
    return status;
  }
  SVF_TRY(svf_bytes_read(path, options->memory_limit, &bytes, message));
  svf_status status = refuse_foreign(&read, bytes.data, bytes.size, message);
  if (!status) status = parse(&bytes, &read, options->format, table, message);
  svf_bytes_free(&bytes);
  return status;
}
