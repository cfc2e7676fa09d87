/* input.c - see input.h. A file is read with pread, not mapped: one that is cut short meanwhile must be an
 * error, not a signal, and what a thread reads stays in its cache. */
#include "data/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"

enum { SLACK = 16 }; /* bytes after a piece, so that its last numbers can be read eight digits at a time */

/* Pipes are left alone: opened and closed again, they would lose their writer. */
static bool regular(const char *path, size_t *size) {
  struct stat facts;
  if (stat(path, &facts) || !S_ISREG(facts.st_mode) || facts.st_size <= 0) return false;
  *size = (size_t)facts.st_size;
  return true;
}

bool svf_input_open(const char *path, svf_input *input) {
  size_t size;
  if (!regular(path, &size)) return false;
  *input = (svf_input){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC), .size = size};
  if (input->file < 0) return false;
  ssize_t got = pread(input->file, input->start, sizeof input->start, 0);
  if (got >= 0 && !svf_is_gzip(input->start, sizeof input->start)) return true;
  svf_input_close(input);
  return false;
}

void svf_input_close(svf_input *input) { close(input->file); }

svf_status svf_input_changed(const svf_input *input, svf_message *message) {
  return svf_fail(message, SVF_IO, "%s: the file was changed while it was read; read it again", input->path);
}

static svf_status fetch(const svf_input *input, size_t at, char *data, size_t size, svf_message *message) {
  for (size_t done = 0; done < size;) {
    ssize_t got = pread(input->file, data + done, size - done, (off_t)(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return svf_file_fail(message, "read", input->path, errno);
    if (got == 0) return svf_input_changed(input, message);
    done += (size_t)got;
  }
  return SVF_OK;
}

svf_status svf_input_piece(const svf_input *input, size_t at, size_t size, svf_buffer *room, svf_excerpt *piece,
                           svf_message *message) {
  if (input->data) {
    const char *begin = input->data + at;
    *piece = (svf_excerpt){begin, begin + size, input->data + input->size + 1};
    return SVF_OK;
  }
  room->size = 0;
  char *data = svf_buffer_grow(room, size + SLACK);
  if (!data) return svf_no_memory(message, input->path);
  memset(data + size, 0, SLACK);
  *piece = (svf_excerpt){data, data + size, data + size + SLACK};
  return fetch(input, at, data, size, message);
}
