/* calls.c - see calls.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

call_rule rule;

static bool refuse(int error) {
  size_t number = atomic_fetch_add(&rule.calls, 1) + 1;
  bool due = rule.from && number >= rule.from && number <= rule.until;
  if (due || error) errno = due ? EIO : error;
  return due || error;
}

int __wrap_open(const char *path, int flags, ...) {
  bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  return refuse(unnamed ? rule.no_unnamed : 0) ? -1 : __real_open(path, flags, 0666);
}

int __wrap_openat(int at, const char *path, int flags, ...) {
  return refuse(0) ? -1 : __real_openat(at, path, flags, 0666);
}

DIR *__wrap_opendir(const char *path) { return refuse(0) ? NULL : __real_opendir(path); }

int __wrap_flock(int fd, int operation) {
  void (*act)(int) = rule.before_lock;
  if (act) {
    rule.before_lock = NULL;
    act(fd);
  }
  return refuse(rule.no_lock) ? -1 : __real_flock(fd, operation);
}

int __wrap_fchmod(int fd, mode_t mode) { return refuse(0) ? -1 : __real_fchmod(fd, mode); }

ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
  return refuse(0) ? -1 : __real_write(fd, bytes, rule.short_writes && size > 2 ? 2 : size);
}

int __wrap_fsync(int fd) { return refuse(0) ? -1 : __real_fsync(fd); }

int __wrap_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  int argument = va_arg(list, int);
  va_end(list);
  return refuse(0) ? -1 : __real_fcntl(fd, command, argument);
}

/* As Linux does: the descriptor is gone, whatever close() says. */
int __wrap_close(int fd) {
  int result = __real_close(fd);
  return refuse(0) ? -1 : result;
}

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags) {
  return refuse(rule.no_link) ? -1 : __real_linkat(from, old, to, new, flags);
}

int __wrap_rename(const char *old, const char *new) { return refuse(0) ? -1 : __real_rename(old, new); }
