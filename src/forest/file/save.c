/* save.c - models to files and bytes and back. */
#include "forest/auto/committee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "data/foreign.h"
#include "forest/answers/compact_forest.h"

void svf_image_release(const void *image, size_t size, svf_hold hold) {
  if (hold == SVF_HOLD_MAPPED) munmap((void *)image, size);
  else if (hold == SVF_HOLD_ALLOCATED) free((void *)image);
}

void svf_forest_free(svf_forest *forest) {
  if (!forest) return;
  if (forest->committee) svf_committee_free(forest->committee);
  else svf_encoding_free(&forest->encoding);
  free(forest->fill);
  svf_arena_free(&forest->memory);
  free(forest->along);
  svf_compact_free(atomic_load(&forest->compact));
  svf_image_release(forest->image, forest->size, forest->hold);
  free(forest);
}

svf_status svf_forest_save(const svf_forest *forest, const char *path, svf_message *message) {
  return svf_file_write(path, forest->image, forest->size, message);
}

/* An empty file cannot be mapped: *image stays NULL. */
static svf_status map_file(int fd, const char *path, const char *what, void **image, size_t *size,
                           svf_message *message) {
  struct stat file;
  if (fstat(fd, &file)) return svf_file_fail(message, "read", path, errno);
  if (S_ISDIR(file.st_mode)) return svf_file_fail(message, "read", path, EISDIR);
  if (!S_ISREG(file.st_mode))
    return svf_fail(message, SVF_IO, "cannot read %s: %s must be a regular file", path, what);
  *size = (size_t)file.st_size;
  if (!*size) return SVF_OK;
  *image = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
  return *image == MAP_FAILED ? svf_file_fail(message, "map", path, errno) : SVF_OK;
}

svf_status svf_image_map(const char *path, const char *what, void **image, size_t *size, svf_message *message) {
  *image = NULL;
  *size = 0;
  SVF_TRY(svf_foreign_refuse_address(path, message));
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not block */
  if (fd < 0) return svf_file_fail(message, "open", path, errno);
  svf_status status = map_file(fd, path, what, image, size, message);
  close(fd);
  return status;
}

svf_status svf_forest_load(const char *path, svf_forest **forest, svf_message *message) {
  *forest = NULL;
  void *image;
  size_t size;
  SVF_TRY(svf_image_map(path, "a model", &image, &size, message));
  return svf_image_open(image, size, size ? SVF_HOLD_MAPPED : SVF_HOLD_ALLOCATED, path, forest, message);
}

svf_status svf_forest_from_bytes(const void *bytes, size_t size, svf_forest **forest, svf_message *message) {
  *forest = NULL;
  void *copy = malloc(size ? size : 1);
  if (!copy) return svf_no_memory(message, "the model");
  if (size) memcpy(copy, bytes, size);
  return svf_image_open(copy, size, SVF_HOLD_ALLOCATED, NULL, forest, message);
}

const void *svf_forest_bytes(const svf_forest *forest, size_t *size) {
  *size = forest->size;
  return forest->image;
}
