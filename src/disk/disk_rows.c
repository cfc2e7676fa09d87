/* disk_rows.c - pass two: the rows of each chunk to the groups of cells that they fall into; see disk.h. */
#include "disk/disk.h"

enum { MOST_FILES = 1 << 20 };

/* A group whose leaves are there needs no rows. */
static bool missing(svf_disk *disk, size_t chunk, size_t group) {
  return !svf_disk_there(disk, SVF_DISK_LEAVES, 0, group) && !svf_disk_there(disk, SVF_DISK_ROWS, chunk, group);
}

/* Is there still something to be written of this chunk? */
static bool wanted(svf_disk *disk, size_t chunk) {
  for (size_t g = 0; g < disk->groups; g++)
    if (missing(disk, chunk, g)) return true;
  return false;
}

static svf_status save_groups(svf_disk *disk, size_t chunk, const svf_portion *rows, svf_message *message) {
  for (size_t g = 0; g < disk->groups; g++) {
    if (!missing(disk, chunk, g)) continue;
    svf_portion *some;
    SVF_TRY(svf_portion_select(disk->cuts, rows, &disk->group[g], &some, message));
    svf_status status = svf_disk_save(disk, some, SVF_DISK_ROWS, chunk, g, message);
    svf_portion_free(some);
    SVF_TRY(status);
  }
  return SVF_OK;
}

static svf_status route_chunk(svf_disk *disk, size_t chunk, uint64_t *unseen, svf_message *message) {
  svf_table *table;
  svf_portion *rows = NULL;
  svf_portion_info info;
  SVF_TRY(svf_disk_read(disk, chunk, &table, message));
  uint64_t first = svf_chunks_first(disk->chunks, chunk);
  svf_status status = svf_route(disk->cuts, table, first, NULL, &disk->run, &rows, message);
  svf_table_free(table);
  SVF_TRY(status);
  svf_portion_describe(rows, &info);
  *unseen += info.unseen;
  status = save_groups(disk, chunk, rows, message);
  svf_portion_free(rows);
  return status;
}

svf_status svf_disk_rows(svf_disk *disk, size_t *chunks, svf_message *message) {
  svf_portion_info info;
  uint64_t unseen = 0;
  svf_portion_describe(disk->cuts, &info);
  double row =
      8.0 * (double)svf_chunks_columns(disk->chunks) + 12.0 * (double)info.columns + 16.0 * (double)info.trees + 64;
  SVF_TRY(svf_disk_divide(disk, row, 2, chunks, message));
  if (*chunks * disk->groups > MOST_FILES)
    return svf_fail(message, SVF_DATA, "there would be %zu scratch files: raise the memory", *chunks * disk->groups);
  for (size_t c = 0; c < *chunks; c++) {
    double from = 0.15 + 0.2 * (double)c / (double)*chunks;
    svf_disk_stage(disk, from, from + 0.2 / (double)*chunks);
    SVF_TRY(svf_disk_pause(disk, "reading", 0, message));
    if (wanted(disk, c)) SVF_TRY(route_chunk(disk, c, &unseen, message));
    else disk->kept++;
  }
  if (unseen && disk->run.remark) {
    svf_message said;
    svf_fail(&said, SVF_OK, "%llu cells hold categories that the sample does not have; they count as missing",
             (unsigned long long)unseen);
    disk->run.remark(disk->run.user, said.text);
  }
  return SVF_OK;
}
