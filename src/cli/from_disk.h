/* from_disk.h - train --from-disk: a table larger than memory, by way of a scratch folder. */
#ifndef CLI_FROM_DISK_H
#define CLI_FROM_DISK_H

#include "cli.h"

typedef struct cli_disk {
  const cli_args *args;
  const char *data, *path; /* what is read; the model */
  svf_settings *settings;
  double reading, training; /* seconds */
  int failed;               /* exit code of what has been said already */
} cli_disk;

/* Before the work begins: do the options go together? */
int cli_disk_check(const cli_args *args, const char *path);
/* Trains and saves the model. What is done stays in the folder: a second run continues it. */
int cli_disk_train(cli_disk *disk, svf_forest **forest);

#endif
