/* calls.h - stand-ins for the system calls that write a file: they count, fail when told, and lack what they are told
 * to lack. The linker (--wrap=NAME) leads the library's calls of NAME to them. */
#ifndef SVF_FAULTS_CALLS_H
#define SVF_FAULTS_CALLS_H

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct call_rule {
  size_t from, until; /* numbers of the calls that fail, from 1; 0: none */
  atomic_size_t calls;
  int no_unnamed, no_link, no_lock; /* an errno: this cannot be done here */
  void (*before_lock)(int fd);      /* once, NULL: nothing */
  bool short_writes;
} call_rule;

extern call_rule rule; /* all zero: the real calls */

/* One pair of prototypes for each: the real function and its stand-in. */
#define WRAPPED(type, name, arguments)                                                                               \
  type __real_##name arguments;                                                                                      \
  type __wrap_##name arguments

WRAPPED(int, open, (const char *, int, ...));
WRAPPED(int, openat, (int, const char *, int, ...));
WRAPPED(DIR *, opendir, (const char *));
WRAPPED(int, flock, (int, int));
WRAPPED(int, fchmod, (int, mode_t));
WRAPPED(ssize_t, write, (int, const void *, size_t));
WRAPPED(int, fsync, (int));
WRAPPED(int, fcntl, (int, int, ...));
WRAPPED(int, close, (int));
WRAPPED(int, linkat, (int, const char *, int, const char *, int));
WRAPPED(int, rename, (const char *, const char *));

#endif
