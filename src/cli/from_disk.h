/* from_disk.h - train --from-disk: a table larger than memory, in two passes over its chunks, by way of a scratch folder. */
#ifndef CLI_FROM_DISK_H
#define CLI_FROM_DISK_H

#include "cli.h"

typedef struct cli_disk {
  const cli_args *args;
  const char *data, *path; /* what is read; the model */
  svf_settings *settings;
  char *folder; /* of the scratch files */
  int lock;     /* descriptor of the folder; -1: none */
  size_t memory, trees;
  svf_chunks *chunks;
  svf_portion *cuts;
  svf_cells *group; /* cells that are trained together */
  size_t groups, kept;
  double reading, training; /* seconds */
} cli_disk;

/* Before the work begins: do the options go together? */
int cli_disk_check(const cli_args *args, const char *path);
/* The model. What is done stays in the folder: a second run goes on from there. To be freed in any case. */
int cli_disk_train(cli_disk *disk, svf_forest **forest);
/* After the model is saved: removes the scratch files. */
void cli_disk_clean(cli_disk *disk);
void cli_disk_free(cli_disk *disk);

/* disk_folder.c: makes the scratch folder, or finds the one of an earlier run of the same job, and locks it. */
int cli_disk_open(cli_disk *disk);
/* The path of a scratch file; free() it. */
char *cli_disk_cuts(const cli_disk *disk);
char *cli_disk_rows(const cli_disk *disk, size_t chunk, size_t group);
char *cli_disk_leaves(const cli_disk *disk, size_t group);
bool cli_disk_there(const char *path);
/* Says what scratch space is needed and what is free. */
void cli_disk_announce(const cli_disk *disk, double bytes);
/* The exit code for what the library said; says what helps where a file could not be written. */
int cli_disk_status(const cli_disk *disk, svf_status status, const svf_message *message);

#endif
