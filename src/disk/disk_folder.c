/* disk_folder.c - the scratch folder, with the job that its files belong to; see disk.h. */
#define _GNU_SOURCE /* flock */
#include "disk/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/buffer.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "data/chunks.h"
#include "settings/settings.h"

enum { NAME_ROOM = 64 };

/* ---- files ---- */

static const char *path_of(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group) {
  char *name = disk->path + sprintf(disk->path, "%s/", disk->options->folder);
  switch (part) {
  case SVF_DISK_JOB:
    strcpy(name, "job");
    break;
  case SVF_DISK_CUTS:
    strcpy(name, "cuts");
    break;
  case SVF_DISK_ROWS:
    sprintf(name, "rows.%zu.%zu", chunk, group);
    break;
  case SVF_DISK_LEAVES:
    sprintf(name, "leaves.%zu", group);
    break;
  }
  return disk->path;
}

bool svf_disk_there(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group) {
  return access(path_of(disk, part, chunk, group), F_OK) == 0;
}

svf_status svf_disk_save(svf_disk *disk, const svf_portion *portion, svf_disk_part part, size_t chunk, size_t group,
                         svf_message *message) {
  const char *path = path_of(disk, part, chunk, group);
  if (part != SVF_DISK_ROWS) return svf_portion_save(portion, path, message);
  size_t size; /* there may be thousands of these, and they can be routed again */
  const void *bytes = svf_portion_bytes(portion, &size);
  return svf_file_write_scratch(path, bytes, size, message);
}

/* What a run that was killed was writing: nobody else writes here now. */
static void drop_temporaries(int lock) {
  int copy = openat(lock, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = copy < 0 ? NULL : fdopendir(copy);
  if (!folder && copy >= 0) close(copy);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    size_t length = strlen(entry->d_name);
    bool temporary = length > 4 && !strcmp(entry->d_name + length - 4, ".tmp");
    if (temporary && !strncmp(entry->d_name, "rows.", 5)) unlinkat(lock, entry->d_name, 0);
  }
  if (folder) closedir(folder);
}

svf_status svf_disk_load(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group, svf_portion **portion,
                         svf_message *message) {
  static const svf_portion_kind kind[] = {
      [SVF_DISK_CUTS] = SVF_PORTION_CUTS, [SVF_DISK_ROWS] = SVF_PORTION_ROWS, [SVF_DISK_LEAVES] = SVF_PORTION_LEAVES};
  svf_portion_info info;
  const char *path = path_of(disk, part, chunk, group);
  SVF_TRY(svf_portion_load(path, portion, message));
  svf_portion_describe(*portion, &info);
  if (info.kind == kind[part]) return SVF_OK;
  svf_portion_free(*portion);
  *portion = NULL;
  return svf_fail(message, SVF_DATA, "%s does not hold what its name says: remove it", path);
}

void svf_disk_drop(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group) {
  unlink(path_of(disk, part, chunk, group));
}

/* ---- the job ---- */

/* All that the files depend on. */
static bool describe(const svf_disk *disk, svf_buffer *text) {
  svf_buffer_print(text, "svforest=%s\nmemory=%zu\nmethod=%s\n", svf_version(), disk->memory,
                   svf_settings_method(disk->settings));
  for (size_t i = 0; i < svf_setting_count(); i++) {
    svf_buffer_print(text, "%s=", svf_setting_at(i)->name);
    svf_settings_print(disk->settings, (int)i, text);
    svf_buffer_print(text, "\n");
  }
  svf_chunks_describe(disk->chunks, text);
  if (disk->options->job) svf_buffer_add(text, disk->options->job, strlen(disk->options->job));
  return !text->failed;
}

/* Does the file hold this text? */
static bool same_text(const char *path, const svf_buffer *text) {
  FILE *in = fopen(path, "rb");
  bool same = in != NULL;
  for (size_t i = 0; i < text->size && same; i++) same = getc(in) == text->data[i];
  same = same && getc(in) == EOF;
  if (in) fclose(in);
  return same;
}

/* The folder is new, or of this job, or of one that has done nothing yet. */
static svf_status claim(svf_disk *disk, svf_message *message) {
  svf_buffer text = {0};
  svf_status status = describe(disk, &text) ? SVF_OK : svf_no_memory(message, "the job");
  if (!status && !same_text(path_of(disk, SVF_DISK_JOB, 0, 0), &text)) {
    if (svf_disk_there(disk, SVF_DISK_CUTS, 0, 0))
      status =
          svf_fail(message, SVF_DATA,
                   "%.300s holds the parts of another job (its file 'job' says which): remove it, or take another "
                   "folder for scratch files",
                   disk->options->folder);
    else status = svf_file_write(path_of(disk, SVF_DISK_JOB, 0, 0), text.data, text.size, message);
  }
  svf_buffer_free(&text);
  return status;
}

svf_status svf_disk_open(svf_disk *disk, svf_message *message) {
  const char *folder = disk->options->folder;
  disk->path = malloc(strlen(folder) + NAME_ROOM);
  if (!disk->path) return svf_no_memory(message, "a file name");
  if (mkdir(folder, 0777) && errno != EEXIST) return svf_file_fail(message, "make the folder", folder, errno);
  int error = svf_descriptor_open(folder, O_RDONLY | O_DIRECTORY, &disk->lock);
  if (error) return svf_file_fail(message, "open the folder", folder, error);
  if (flock(disk->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    return svf_fail(message, SVF_DATA, "%.300s is in use by another run", folder);
  SVF_TRY(claim(disk, message));
  drop_temporaries(disk->lock);
  return SVF_OK;
}

void svf_disk_close(svf_disk *disk) {
  if (disk->lock >= 0) close(disk->lock);
  free(disk->path);
}

/* ---- space ---- */

void svf_disk_announce(const svf_disk *disk, double bytes) {
  struct statvfs facts;
  char needed[32], left[32];
  const char *folder = disk->options->folder;
  double free_bytes = statvfs(folder, &facts) ? bytes : (double)facts.f_bavail * (double)facts.f_frsize;
  svf_disk_tell(disk, "scratch space in %.300s: about %s, and %s are free%s", folder,
                svf_size_text(bytes, needed, sizeof needed), svf_size_text(free_bytes, left, sizeof left),
                free_bytes < bytes ? "; name a folder on a larger disk for scratch files" : "");
}

/* ---- the end ---- */

void svf_disk_clean(svf_disk *disk) {
  for (size_t g = 0; g < disk->groups; g++) svf_disk_drop(disk, SVF_DISK_LEAVES, 0, g);
  svf_disk_drop(disk, SVF_DISK_CUTS, 0, 0);
  svf_disk_drop(disk, SVF_DISK_JOB, 0, 0);
  if (rmdir(disk->options->folder))
    svf_disk_tell(disk, "%.300s has other files, too, and stays", disk->options->folder);
}
