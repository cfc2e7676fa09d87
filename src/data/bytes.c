/* bytes.c - a whole file or standard input in memory, unpacked if it is gzip. */
#include "data/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/buffer.h"
#include "base/file.h"
#include "data/input.h"

enum { STEP = 1 << 16, MOST_AT_ONCE = 1 << 30, GZIP_WINDOW = 16 + MAX_WBITS };

typedef struct source {
  const char *title; /* for messages */
  size_t limit;      /* bytes; 0: the machine's memory */
  svf_message *message;
} source;

/* Room for `size` bytes more and no other, so that the limit is the limit. */
static svf_status room(const source *from, size_t size, svf_buffer *buffer) {
  SVF_TRY(svf_check_memory(from->message, (double)buffer->size + (double)size, from->limit, from->title));
  unsigned char *data = realloc(buffer->data, buffer->size + size);
  if (!data) return svf_no_memory(from->message, from->title);
  buffer->data = data;
  buffer->capacity = buffer->size + size;
  return SVF_OK;
}

/* Room for input of unknown size: if the buffer is full, it grows by half, within the limit. */
static svf_status more_room(const source *from, svf_buffer *buffer) {
  if (buffer->capacity > buffer->size) return SVF_OK;
  size_t size = buffer->size / 2 + STEP;
  if (from->limit > buffer->size && size > from->limit - buffer->size) size = from->limit - buffer->size;
  return room(from, size, buffer);
}

static size_t free_space(const svf_buffer *buffer) {
  size_t space = buffer->capacity - buffer->size;
  return space < MOST_AT_ONCE ? space : MOST_AT_ONCE;
}

static svf_status drain(const source *from, int file, svf_buffer *raw) {
  for (;;) {
    SVF_TRY(more_room(from, raw));
    ssize_t got = read(file, raw->data + raw->size, free_space(raw));
    if (got == 0) return SVF_OK;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EBADF) return svf_fail(from->message, SVF_IO, "%s is closed", from->title);
    if (got < 0) return svf_file_fail(from->message, "read", from->title, errno);
    raw->size += (size_t)got;
  }
}

static svf_status load(const source *from, int file, svf_buffer *raw) {
  struct stat facts;
  if (fstat(file, &facts) == 0) {
    if (S_ISDIR(facts.st_mode))
      return svf_fail(from->message, SVF_IO, "%s is a directory; name a file of data", from->title);
    /* The size is a hint. With one byte more the end is found, and with another closed, without growing. */
    if (S_ISREG(facts.st_mode) && facts.st_size > 0) SVF_TRY(room(from, (size_t)facts.st_size + 2, raw));
  }
  return drain(from, file, raw);
}

static svf_status verdict(const source *from, int code, const z_stream *stream) {
  if (code == Z_OK || code == Z_STREAM_END) return SVF_OK;
  if (code == Z_MEM_ERROR) return svf_no_memory(from->message, from->title);
  if (code == Z_BUF_ERROR)
    return svf_fail(from->message, SVF_DATA, "%s: the gzip data is truncated; get the file again", from->title);
  return svf_fail(from->message, SVF_DATA, "%s: the gzip data is damaged (%s)", from->title,
                  stream->msg ? stream->msg : "unknown contents");
}

/* One call of zlib, which counts in pieces smaller than a file may be; *left is the input it has not seen. */
static int inflate_some(z_stream *stream, size_t *left, svf_buffer *out) {
  if (stream->avail_in == 0) {
    stream->avail_in = (uInt)(*left < MOST_AT_ONCE ? *left : MOST_AT_ONCE);
    *left -= stream->avail_in;
  }
  size_t space = free_space(out);
  stream->next_out = out->data + out->size;
  stream->avail_out = (uInt)space;
  int code = inflate(stream, Z_NO_FLUSH);
  out->size += space - stream->avail_out;
  return code;
}

/* After a member of the gzip file: another one, or padding with zeros, or the end. */
static svf_status next_member(const source *from, z_stream *stream, size_t left, bool *more) {
  size_t rest = stream->avail_in + left, zeros = 0;
  *more = svf_is_gzip((const char *)stream->next_in, rest);
  if (*more) return verdict(from, inflateReset(stream), stream);
  while (zeros < rest && stream->next_in[zeros] == 0) zeros++;
  if (zeros == rest) return SVF_OK;
  return svf_fail(from->message, SVF_DATA, "%s: there are bytes after the end of the gzip data", from->title);
}

static svf_status unpack(const source *from, z_stream *stream, svf_buffer *raw, svf_buffer *out) {
  size_t left = raw->size;
  stream->next_in = raw->data;
  for (bool more = true; more;) {
    SVF_TRY(more_room(from, out));
    int code = inflate_some(stream, &left, out);
    SVF_TRY(verdict(from, code, stream));
    if (code == Z_STREAM_END) SVF_TRY(next_member(from, stream, left, &more));
  }
  return SVF_OK;
}

/* Replaces the packed bytes by what was in them. */
static svf_status gunzip(const source *from, svf_buffer *raw) {
  z_stream stream = {0};
  svf_buffer out = {0};
  SVF_TRY(verdict(from, inflateInit2(&stream, GZIP_WINDOW), &stream));
  svf_status status = unpack(from, &stream, raw, &out);
  inflateEnd(&stream);
  svf_buffer_free(raw);
  *raw = out;
  return status;
}

static svf_status read_all(const source *from, int file, svf_buffer *raw) {
  SVF_TRY(load(from, file, raw));
  if (svf_is_gzip((const char *)raw->data, raw->size)) SVF_TRY(gunzip(from, raw));
  if (!svf_buffer_add(raw, "", 1)) return svf_no_memory(from->message, from->title);
  return SVF_OK;
}

svf_status svf_bytes_read(const char *path, size_t memory_limit, svf_bytes *bytes, svf_message *message) {
  *bytes = (svf_bytes){0};
  bool standard = strcmp(path, "-") == 0;
  source from = {standard ? "standard input" : path, memory_limit, message};
  int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return svf_file_fail(message, "open", path, errno);
  svf_buffer raw = {0};
  svf_status status = read_all(&from, file, &raw);
  if (!standard) close(file);
  if (status) svf_buffer_free(&raw);
  else *bytes = (svf_bytes){(char *)raw.data, raw.size - 1};
  return status;
}

void svf_bytes_free(svf_bytes *bytes) {
  free(bytes->data);
  *bytes = (svf_bytes){0};
}
