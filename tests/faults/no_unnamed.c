/* no_unnamed.c - for LD_PRELOAD: an open() of a system without unnamed files. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

__attribute__((visibility("default"))) int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  if ((flags & O_TMPFILE) != O_TMPFILE) return openat(AT_FDCWD, path, flags, mode);
  errno = EOPNOTSUPP;
  return -1;
}
