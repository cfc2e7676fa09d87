/* temporary.c - see temporary.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/descriptor.h"

enum { NAME_ROOM = 48, NAME_TRIES = 1000 };

/* The folder of a path, written into `folder`, which has room for two bytes more than the path. */
static const char *folder_of(const char *path, char *folder) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  memcpy(folder, path, length);
  memcpy(folder + length, ".", 2);
  return folder;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void make_name(svf_temporary *file, int number) {
  sprintf(file->name, "%s.%ld.%d.tmp", file->path, (long)getpid(), number);
}

static int lock(int fd) {
  int result;
  do result = flock(fd, LOCK_EX | LOCK_NB);
  while (result && errno == EINTR);
  return result ? errno : 0;
}

/* Is `name` in `folder` (AT_FDCWD: a path) the open file? */
static bool is_name_of(int fd, int folder, const char *name) {
  struct stat open, found;
  return !fstat(fd, &open) && !fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) && open.st_dev == found.st_dev &&
         open.st_ino == found.st_ino;
}

/* ---- what killed writers left ------------------------------------------------------------------- */

/* Skips ".DIGITS"; NULL: there is no such thing. */
static const char *skip_number(const char *text) {
  if (!text || *text++ != '.' || !isdigit((unsigned char)*text)) return NULL;
  while (isdigit((unsigned char)*text)) text++;
  return text;
}

static bool is_temporary(const char *name, const char *base) {
  size_t length = strlen(base);
  if (strncmp(name, base, length)) return false;
  const char *rest = skip_number(skip_number(name + length));
  return rest && !strcmp(rest, ".tmp");
}

/* Locks on NFS need a file that is open for writing, which one without write permission cannot be. */
static int open_leftover(int folder, const char *name) {
  const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int fd = openat(folder, name, O_WRONLY | flags);
  return fd < 0 && errno == EACCES ? openat(folder, name, O_RDONLY | flags) : fd;
}

/* Whoever holds the lock of a file owns its temporary name. The name is looked up again after locking: the file
 * may have been renamed to its place, or removed and the name taken anew, since it was opened. */
static void remove_leftover(int folder, const char *name) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) || !S_ISREG(found.st_mode)) return;
  int fd = open_leftover(folder, name);
  if (fd < 0) return;
  if (!lock(fd) && is_name_of(fd, folder, name)) unlinkat(folder, name, 0);
  close(fd);
}

/* What cannot be removed stays: that does not hinder the writing. */
static void remove_leftovers(svf_temporary *file) {
  DIR *folder = opendir(folder_of(file->path, file->name));
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (is_temporary(entry->d_name, base_of(file->path))) remove_leftover(dirfd(folder), entry->d_name);
  closedir(folder);
}

/* ---- a new file --------------------------------------------------------------------------------- */

/* Nobody else can have the lock of a file without a name; a file system without locks removes no leftovers. */
static int open_unnamed(svf_temporary *file) {
#ifdef O_TMPFILE
  int error = svf_descriptor_open(folder_of(file->path, file->name), O_WRONLY | O_TMPFILE, &file->fd);
  if (!error) lock(file->fd);
  return error;
#else
  (void)file;
  return EOPNOTSUPP;
#endif
}

/* Between the making of a file and its locking another writer may take it for a leftover. Then that writer has
 * the lock, or has removed the name: EEXIST, as if the name had been taken before. */
static int claim(svf_temporary *file) {
  if (lock(file->fd) != EWOULDBLOCK && is_name_of(file->fd, AT_FDCWD, file->name)) return 0;
  close(file->fd);
  return EEXIST;
}

static int open_named(svf_temporary *file) {
  int error = EEXIST;
  for (int i = 0; i < NAME_TRIES && error == EEXIST; i++) {
    make_name(file, i);
    error = svf_descriptor_open(file->name, O_WRONLY | O_CREAT | O_EXCL, &file->fd);
    if (!error) error = claim(file);
  }
  file->named = !error;
  return error;
}

int svf_temporary_open(svf_temporary *file, const char *path, bool scratch) {
  *file = (svf_temporary){.path = path, .name = malloc(strlen(path) + NAME_ROOM), .scratch = scratch};
  if (!file->name) return ENOMEM;
  if (!scratch) remove_leftovers(file);
  int error = open_unnamed(file);
  if (error) error = open_named(file); /* which says what is wrong, if it is not O_TMPFILE */
  if (error) free(file->name);
  return error;
}

int svf_temporary_link(svf_temporary *file) {
  char self[32];
  snprintf(self, sizeof self, "/proc/self/fd/%d", file->fd);
  for (int i = 0; i < NAME_TRIES && !file->named; i++) {
    make_name(file, i);
    file->named = !linkat(AT_FDCWD, self, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW);
    if (!file->named && errno != EEXIST) return errno;
  }
  return file->named ? 0 : EEXIST;
}

int svf_temporary_again(svf_temporary *file) {
  close(file->fd);
  int error = open_named(file);
  if (error) free(file->name);
  return error;
}

/* Makes the rename last. The file is whole under its name by now, so a refusal here is no failure. */
static void sync_folder(svf_temporary *file) {
  int fd;
  if (svf_descriptor_open(folder_of(file->path, file->name), O_RDONLY | O_DIRECTORY, &fd)) return;
  svf_descriptor_sync(fd);
  close(fd);
}

/* The lock is held to the end: until the rename no other writer may remove the name. */
int svf_temporary_finish(svf_temporary *file, int error) {
  if (!error && rename(file->name, file->path)) error = errno;
  if (error && file->named) unlink(file->name);
  if (!error && !file->scratch) sync_folder(file);
  close(file->fd);
  free(file->name);
  return error;
}
