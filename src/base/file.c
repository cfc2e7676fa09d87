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

enum { NAME_ROOM = 48, NAME_TRIES = 1000, WRITE_MOST = 1 << 30 };

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

static int open_fd(const char *path, int flags, int *fd) {
  do *fd = open(path, flags | O_CLOEXEC, 0666);
  while (*fd < 0 && errno == EINTR);
  return *fd < 0 ? errno : 0;
}

static int close_fd(int fd, int error) {
  if (close(fd) && errno != EINTR && !error) return errno;
  return error;
}

/* Some file systems cannot sync and say EINVAL: then nothing better can be done. */
static int sync_fd(int fd) { return fsync(fd) && errno != EINVAL ? errno : 0; }

static int write_into(const char *path, const void *bytes, size_t size) {
  int fd, error = open_fd(path, O_WRONLY | O_NOCTTY, &fd);
  return error ? error : close_fd(fd, write_all(fd, bytes, size));
}

/* A new file beside path under a name that no other process or thread has; the name into `name`. */
static int open_temporary(const char *path, char *name, size_t room, int *fd) {
  int error = EEXIST;
  for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
    snprintf(name, room, "%s.%ld.%d.tmp", path, (long)getpid(), i);
    error = open_fd(name, O_WRONLY | O_CREAT | O_EXCL, fd);
  }
  return error;
}

/* Makes the rename last. The file is whole under its name by now, so a refusal here is no failure. */
static void sync_directory(char *path) {
  char *slash = strrchr(path, '/');
  if (slash) slash[slash == path ? 1 : 0] = 0;
  int fd;
  if (open_fd(slash ? path : ".", O_RDONLY | O_DIRECTORY, &fd)) return;
  sync_fd(fd);
  close(fd);
}

static int replace(const char *path, const struct stat *old, const void *bytes, size_t size) {
  size_t room = strlen(path) + NAME_ROOM;
  char *name = malloc(room);
  if (!name) return ENOMEM;
  int fd, error = open_temporary(path, name, room, &fd);
  if (!error) {
    if (old && fchmod(fd, old->st_mode & 0777)) error = errno;
    if (!error) error = write_all(fd, bytes, size);
    if (!error) error = sync_fd(fd);
    error = close_fd(fd, error);
    if (!error && rename(name, path)) error = errno;
    if (error) unlink(name);
    else sync_directory(name);
  }
  free(name);
  return error;
}

static int write_path(const char *path, const void *bytes, size_t size) {
  struct stat old;
  if (stat(path, &old)) return errno == ENOENT ? replace(path, NULL, bytes, size) : errno;
  if (S_ISDIR(old.st_mode)) return EISDIR;
  if (!S_ISREG(old.st_mode)) return write_into(path, bytes, size);
  char *target = realpath(path, NULL);
  if (!target) return errno;
  int error = replace(target, &old, bytes, size);
  free(target);
  return error;
}

svf_status svf_file_write(const char *path, const void *bytes, size_t size, svf_message *message) {
  bool out = strcmp(path, "-") == 0;
  int error = out ? write_all(STDOUT_FILENO, bytes, size) : write_path(path, bytes, size);
  if (error == ENOMEM) return svf_no_memory(message, "a file name");
  return error ? svf_file_fail(message, "write", out ? "standard output" : path, error) : SVF_OK;
}
