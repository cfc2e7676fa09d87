/* file.c - see file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/descriptor.h"
#include "base/temporary.h"

enum { WRITE_MOST = 1 << 30 };

svf_status svf_file_fail(svf_message *message, const char *what, const char *path, int error) {
  char words[128];
  if (strerror_r(error, words, sizeof words)) snprintf(words, sizeof words, "error %d", error);
  return svf_fail(message, SVF_IO, "cannot %s %s: %s", what, path, words);
}

/* The functions below return 0 or an errno. */

static int write_all(int fd, const void *bytes, size_t size) {
  const char *from = bytes;
  while (size) {
    ssize_t written = write(fd, from, size < WRITE_MOST ? size : WRITE_MOST);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    from += written;
    size -= (size_t)written;
  }
  return 0;
}

static int write_into(const char *path, const void *bytes, size_t size) {
  int fd, error = svf_descriptor_open(path, O_WRONLY | O_NOCTTY, &fd);
  return error ? error : svf_descriptor_close(fd, write_all(fd, bytes, size));
}

/* Some file systems report a failed write only when the file is closed. This closes a copy of the descriptor: the
 * lock of a temporary file stays until the last copy is closed. */
static int settle(const svf_temporary *file) {
  int error = file->scratch ? 0 : svf_descriptor_sync(file->fd);
  if (error) return error;
  int copy = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? errno : svf_descriptor_close(copy, 0);
}

static int fill(const svf_temporary *file, const struct stat *old, const void *bytes, size_t size) {
  if (old && fchmod(file->fd, old->st_mode & 0777)) return errno;
  int error = write_all(file->fd, bytes, size);
  return error ? error : settle(file);
}

static int replace(const char *path, const struct stat *old, const void *bytes, size_t size, bool scratch) {
  svf_temporary file;
  int error = svf_temporary_open(&file, path, scratch);
  if (error) return error;
  error = fill(&file, old, bytes, size);
  if (!error && svf_temporary_link(&file)) {
    error = svf_temporary_again(&file);
    if (error) return error;
    error = fill(&file, old, bytes, size);
  }
  return svf_temporary_finish(&file, error);
}

static int write_path(const char *path, const void *bytes, size_t size, bool scratch) {
  struct stat old;
  if (stat(path, &old)) return errno == ENOENT ? replace(path, NULL, bytes, size, scratch) : errno;
  if (S_ISDIR(old.st_mode)) return EISDIR;
  if (!S_ISREG(old.st_mode)) return write_into(path, bytes, size);
  char *target = realpath(path, NULL);
  if (!target) return errno;
  int error = replace(target, &old, bytes, size, scratch);
  free(target);
  return error;
}

static svf_status told(int error, const char *path, svf_message *message) {
  if (error == ENOMEM) return svf_no_memory(message, "a file name");
  return error ? svf_file_fail(message, "write", path, error) : SVF_OK;
}

svf_status svf_file_write(const char *path, const void *bytes, size_t size, svf_message *message) {
  if (!strcmp(path, "-")) return told(write_all(STDOUT_FILENO, bytes, size), "standard output", message);
  return told(write_path(path, bytes, size, false), path, message);
}

svf_status svf_file_write_scratch(const char *path, const void *bytes, size_t size, svf_message *message) {
  return told(write_path(path, bytes, size, true), path, message);
}
