/* disk.h - svf_train_from_disk: a table larger than memory, in two passes over its chunks, by way of a scratch folder.
 *
 * One pass draws the sample and decides the cuts (disk_cuts.c); one routes the rows, into a scratch file for each chunk and group of
 * cells (disk_rows.c); then each group is trained from its own files (disk_leaves.c). A file appears when it is complete, so that
 * a second run continues where the first one ended. */
#ifndef SVF_DISK_DISK_H
#define SVF_DISK_DISK_H

#include <stdbool.h>
#include "base/run_part.h"
#include "base/status.h"
#include "svforest_parts.h"

typedef struct svf_disk {
  const svf_settings *settings;
  const svf_disk_options *options;
  svf_chunks *chunks;
  svf_run run;       /* for the steps: within the memory, with a part of the whole progress */
  svf_run_part part; /* the caller's run, and the part of the whole that the present step is */
  size_t memory;
  char *path; /* of the last file that svf_disk_path was asked for */
  int lock;   /* descriptor of the folder; -1: none */
  svf_portion *cuts;
  svf_cells *group; /* cells that are trained together */
  size_t groups, kept;
  double reading; /* seconds */
} svf_disk;

/* disk_train.c */
/* Later progress is a share of from..to. */
void svf_disk_stage(svf_disk *disk, double from, double to);
/* Between two calls of the library: reports progress; SVF_STOPPED if that is wanted. */
svf_status svf_disk_pause(svf_disk *disk, const char *phase, double done, svf_message *message);
/* Chunks of rows that take so many bytes each, such that a chunk takes 1/share of the memory. */
svf_status svf_disk_divide(svf_disk *disk, double row, size_t share, size_t *chunks, svf_message *message);
/* A chunk as svf_chunks_read has it, with the time taken. */
svf_status svf_disk_read(svf_disk *disk, size_t chunk, svf_table **table, svf_message *message);
/* A sentence for the caller's `tell`. */
void svf_disk_tell(const svf_disk *disk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes of a routed row in one tree. */
static inline double svf_disk_row(size_t columns) { return 4.0 * (double)columns + 24; }

/* disk_folder.c: what a file holds. Leaves and cuts have no chunk, cuts no group. */
typedef enum svf_disk_part { SVF_DISK_JOB, SVF_DISK_CUTS, SVF_DISK_ROWS, SVF_DISK_LEAVES } svf_disk_part;
/* Makes the folder, or finds that of an earlier run of the same job, and locks it. */
svf_status svf_disk_open(svf_disk *disk, svf_message *message);
void svf_disk_close(svf_disk *disk);
bool svf_disk_there(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group);
svf_status svf_disk_save(svf_disk *disk, const svf_portion *portion, svf_disk_part part, size_t chunk, size_t group,
                         svf_message *message);
svf_status svf_disk_load(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group, svf_portion **portion,
                         svf_message *message);
void svf_disk_drop(svf_disk *disk, svf_disk_part part, size_t chunk, size_t group);
/* Says what scratch space is needed and what is free. */
void svf_disk_announce(const svf_disk *disk, double bytes);
/* Removes all files and the folder. */
void svf_disk_clean(svf_disk *disk);

/* disk_cuts.c, disk_rows.c, disk_leaves.c: the steps. What is there from an earlier run is not made again. */
svf_status svf_disk_cuts(svf_disk *disk, svf_message *message);
svf_status svf_disk_groups(svf_disk *disk, svf_message *message);
svf_status svf_disk_rows(svf_disk *disk, size_t *chunks, svf_message *message);
svf_status svf_disk_leaves(svf_disk *disk, size_t chunks, svf_message *message);
svf_status svf_disk_merge(svf_disk *disk, svf_forest **forest, svf_message *message);

#endif
