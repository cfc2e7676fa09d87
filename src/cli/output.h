/* output.h - a file that appears whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli.h"

typedef struct cli_output {
  FILE *file;
  const char *path; /* as given; NULL or "-": standard output */
  char *target;     /* where the temporary file goes in the end: the path with links followed */
  char *temporary;  /* NULL: written straight to the stream or device */
} cli_output;

bool cli_is_stdio(const char *path); /* NULL or "-" */

/* Before the work begins: can `path` be written, and is it none of the files that are read? */
int cli_output_check(const char *path, const cli_list *inputs);

int cli_output_open(cli_output *output, const char *path);
/* Flushes, syncs and renames; on failure the temporary file is gone and an old file is as it was. */
int cli_output_finish(cli_output *output);
/* Gives up what was written so far. */
void cli_output_drop(cli_output *output);

/* Flushes standard output; a full disk or a closed descriptor shows here. */
int cli_stdout_finish(void);
/* Descriptors 0, 1 and 2 that came closed are put on /dev/null, the wrong way round, so that no file opened
 * later takes their number and every use of them still fails. */
void cli_descriptors_guard(void);

#endif
