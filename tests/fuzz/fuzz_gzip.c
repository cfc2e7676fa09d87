/* fuzz_gzip.c - any bytes as a packed file: what comes out is what zlib alone makes of them, and the table in it is the
 * one that its bytes give unpacked; or a refusal that says what is wrong.
 *
 * The first byte chooses what becomes of the others: they are the file; they are raw deflate data that gets a head and a
 * tail which fit, so that the fuzzer gets behind the checksum; or they are packed here, in several members, and may be
 * followed by zeros or other bytes, or be truncated. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "data/foreign.h"
#include "data/input.h"
#include "fuzz_input.h"
#include "support/same_table.h"

enum { MOST = 1 << 14, RAW_WINDOW = -MAX_WBITS, GZIP_WINDOW = 16 + MAX_WBITS, SMALL_WINDOW = 16 + 9 };

typedef struct text {
  unsigned char data[MOST];
  size_t size;
} text;

static void add(text *to, const void *bytes, size_t size) {
  if (size > MOST - to->size) size = MOST - to->size;
  if (size) memcpy(to->data + to->size, bytes, size);
  to->size += size;
}

/* ---- making files ---- */

static void add_member(text *file, const uint8_t *data, size_t size, int level) {
  static unsigned char packed[MOST];
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
  fuzz_demand(deflateInit2(&stream, level, Z_DEFLATED, SMALL_WINDOW, 1, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_out = packed, stream.avail_out = sizeof packed;
  fuzz_demand(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  add(file, packed, stream.total_out);
  deflateEnd(&stream);
}

/* Raw deflate data between a head and a tail; truncated, damaged or too long data get a tail that does not fit. */
static void add_raw(text *file, const uint8_t *data, size_t size) {
  static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
  static unsigned char out[MOST];
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
  stream.next_out = out, stream.avail_out = sizeof out;
  fuzz_demand(inflateInit2(&stream, RAW_WINDOW) == Z_OK);
  inflate(&stream, Z_FINISH);
  uint32_t tail[] = {(uint32_t)crc32_z(0, out, stream.total_out), (uint32_t)stream.total_out};
  add(file, head, sizeof head);
  add(file, data, size - stream.avail_in);
  add(file, tail, sizeof tail);
  add(file, data + size - stream.avail_in, stream.avail_in);
  inflateEnd(&stream);
}

/* The rest of the input, packed in up to three members. */
static void add_packed(fuzz_input *in, text *file) {
  size_t members = 1 + fuzz_choice(in, 3), after = fuzz_choice(in, 6), cut = fuzz_choice(in, 4);
  int level = (int)fuzz_choice(in, 10);
  unsigned char last = (unsigned char)fuzz_byte(in);
  size_t left = (size_t)(in->end - in->at);
  for (size_t m = members; m > 0; m--) {
    size_t size = left / m;
    add_member(file, in->at, size, level);
    in->at += size, left -= size;
  }
  if (after == 4) add(file, "\0\0\0", 3);
  if (after == 5) add(file, &last, 1);
  if (cut == 3 && file->size > last) file->size -= last;
}

/* ---- what is right ---- */

typedef enum verdict { FINE, CUT_SHORT, DAMAGED, MORE, TOO_LONG } verdict;

/* Unpacks in the plainest way. */
static verdict unpack(const text *file, text *out) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)file->data, .avail_in = (uInt)file->size};
  int code = Z_OK;
  stream.next_out = out->data, stream.avail_out = MOST;
  fuzz_demand(inflateInit2(&stream, GZIP_WINDOW) == Z_OK);
  do {
    if (code == Z_STREAM_END) inflateReset(&stream);
    code = inflate(&stream, Z_FINISH);
  } while (code == Z_STREAM_END && stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b);
  out->size = MOST - stream.avail_out;
  bool zeros = true;
  for (size_t i = 0; i < stream.avail_in; i++) zeros &= stream.next_in[i] == 0;
  inflateEnd(&stream);
  if (code == Z_STREAM_END) return zeros ? FINE : MORE;
  if (code != Z_BUF_ERROR && code != Z_OK) return DAMAGED;
  return out->size == MOST ? TOO_LONG : CUT_SHORT;
}

/* ---- what is read ---- */

/* A file of the memory that the library can open by name. */
static const char *write_file(const text *file) {
  static char path[32];
  static int memory = -1;
  if (memory < 0) {
    memory = memfd_create("gzip", MFD_CLOEXEC);
    fuzz_demand(memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  }
  fuzz_demand(ftruncate(memory, 0) == 0);
  fuzz_demand(pwrite(memory, file->data, file->size, 0) == (ssize_t)file->size);
  return path;
}

/* A file that needs more memory than the limit is refused for it, and no other. The bytes of the file must fit with two
 * more, and what is in it with one. */
static void check_limit(const char *path, const text *file, const text *right, verdict is, size_t limit) {
  svf_bytes bytes;
  svf_message message = {.text = ""};
  svf_status status = svf_bytes_read(path, limit, &bytes, &message);
  bool fits = file->size + 2 <= limit && right->size < limit;
  if (status == SVF_OK) fuzz_demand(is == FINE && right->size <= limit);
  if (status == SVF_MEMORY) fuzz_demand(!fits && strstr(message.text, "the limit is"));
  svf_bytes_free(&bytes);
}

static void check_bytes(const char *path, const text *right, verdict is) {
  static const char *const words[] = {
      [CUT_SHORT] = "is truncated", [DAMAGED] = "is damaged", [MORE] = "after the end of the gzip data"};
  svf_bytes bytes;
  svf_message message = {.text = ""};
  svf_status status = svf_bytes_read(path, MOST, &bytes, &message);
  if (is == TOO_LONG) fuzz_demand(status == SVF_MEMORY || status == SVF_DATA);
  else if (is == FINE && right->size < MOST) {
    fuzz_demand(status == SVF_OK && bytes.size == right->size && bytes.data[bytes.size] == 0);
    fuzz_demand(!memcmp(bytes.data, right->data, bytes.size));
  } else if (is != FINE && right->size < MOST) fuzz_demand(status == SVF_DATA && strstr(message.text, words[is]));
  svf_bytes_free(&bytes);
}

/* The table from the file is the table from its bytes. */
static void check_table(const char *path, text *right) {
  svf_read_options options = {.format = SVF_FORMAT_CSV, .memory_limit = 1 << 20, .threads = 1};
  svf_read read = {.path = path, .options = &options};
  svf_message message = {.text = ""}, other = {.text = ""};
  svf_table *table, *again;
  right->data[right->size] = 0;
  svf_status status = svf_read_table(path, &options, NULL, &table, &message);
  svf_status plain = svf_foreign_refuse(path, (const char *)right->data, right->size, &other);
  again = NULL;
  if (!plain) plain = svf_csv_parse(&(svf_bytes){(char *)right->data, right->size}, &read, &again, &other);
  fuzz_demand(status == plain && !strcmp(message.text, other.text) && same_table(table, again));
  svf_table_free(table);
  svf_table_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static text file, right;
  fuzz_input in = fuzz_open(data, size);
  size_t how = fuzz_choice(&in, 4), limit = (size_t)1 << fuzz_choice(&in, 14);
  if ((size_t)(in.end - in.at) > MOST / 4) return 0;
  file.size = right.size = 0;
  if (how == 0) add(&file, in.at, (size_t)(in.end - in.at));
  if (how == 1) add_raw(&file, in.at, (size_t)(in.end - in.at));
  if (how > 1 && in.at < in.end) add_packed(&in, &file);
  if (!svf_is_gzip((const char *)file.data, file.size)) return 0;
  verdict is = unpack(&file, &right);
  const char *path = write_file(&file);
  check_bytes(path, &right, is);
  check_limit(path, &file, &right, is, limit);
  if (is == FINE && right.size < MOST) check_table(path, &right);
  return 0;
}
