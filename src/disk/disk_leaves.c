/* disk_leaves.c - the leaves of each group of cells, from its own files, and the model; see disk.h. */
#include "disk/disk.h"

#include <stdlib.h>

typedef const svf_portion *const *portions;

static void release(svf_portion **part, size_t count) {
  for (size_t i = 0; i < count && part; i++) svf_portion_free(part[i]);
  free(part);
}

static svf_status fit_files(svf_disk *disk, size_t group, size_t chunks, svf_portion **rows, svf_portion **leaves,
                            svf_message *message) {
  for (size_t c = 0; c < chunks; c++) SVF_TRY(svf_disk_load(disk, SVF_DISK_ROWS, c, group, &rows[c], message));
  return svf_fit(disk->cuts, (portions)rows, chunks, &disk->group[group], &disk->run, leaves, message);
}

static svf_status fit(svf_disk *disk, size_t group, size_t chunks, svf_message *message) {
  svf_portion *leaves = NULL, **rows = calloc(chunks + 1, sizeof *rows);
  svf_status status = rows ? SVF_OK : svf_no_memory(message, "groups of cells");
  if (!status) status = fit_files(disk, group, chunks, rows, &leaves, message);
  if (!status) status = svf_disk_save(disk, leaves, SVF_DISK_LEAVES, 0, group, message);
  release(rows, chunks);
  svf_portion_free(leaves);
  return status;
}

svf_status svf_disk_leaves(svf_disk *disk, size_t chunks, svf_message *message) {
  for (size_t g = 0; g < disk->groups; g++) {
    double from = 0.35 + 0.65 * (double)g / (double)disk->groups;
    svf_disk_stage(disk, from, from + 0.65 / (double)disk->groups);
    SVF_TRY(svf_disk_pause(disk, "leaves", 0, message));
    if (svf_disk_there(disk, SVF_DISK_LEAVES, 0, g)) disk->kept++;
    else SVF_TRY(fit(disk, g, chunks, message));
    for (size_t c = 0; c < chunks; c++) svf_disk_drop(disk, SVF_DISK_ROWS, c, g);
  }
  return SVF_OK;
}

svf_status svf_disk_merge(svf_disk *disk, svf_forest **forest, svf_message *message) {
  svf_portion **leaves = calloc(disk->groups + 1, sizeof *leaves);
  svf_status status = leaves ? SVF_OK : svf_no_memory(message, "the leaves");
  for (size_t g = 0; g < disk->groups && !status; g++)
    status = svf_disk_load(disk, SVF_DISK_LEAVES, 0, g, &leaves[g], message);
  if (!status) status = svf_portion_merge(disk->cuts, (portions)leaves, disk->groups, forest, message);
  release(leaves, disk->groups);
  return status;
}
