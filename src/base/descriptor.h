/* descriptor.h - system calls on files that return 0 or an errno. */
#ifndef SVF_BASE_DESCRIPTOR_H
#define SVF_BASE_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Flags as for open(); a new file gets the usual permissions. */
static inline int svf_descriptor_open(const char *path, int flags, int *fd) {
  do *fd = open(path, flags | O_CLOEXEC, 0666);
  while (*fd < 0 && errno == EINTR);
  return *fd < 0 ? errno : 0;
}

/* An `error` that came before is the one that counts. */
static inline int svf_descriptor_close(int fd, int error) {
  if (close(fd) && errno != EINTR && !error) return errno;
  return error;
}

/* Some file systems cannot sync and say EINVAL: then nothing better can be done. */
static inline int svf_descriptor_sync(int fd) { return fsync(fd) && errno != EINVAL ? errno : 0; }

#endif
