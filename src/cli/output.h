/* output.h - a file that appears whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli.h"

typedef struct cli_output {
  FILE *file;
  const char *path; /* as given; NULL or "-": standard output */
  char *target;     /* what the temporary file is renamed to: the path with links followed */
  char *temporary;  /* NULL: written straight to the stream or device */
} cli_output;

bool cli_is_stdio(const char *path); /* NULL or "-" */

/* To call before the work begins: checks that `path` can be written and is not one of the input files. */
int cli_output_check(const char *path, const cli_list *inputs);

int cli_output_open(cli_output *output, const char *path);
/* Flushes, syncs and renames. On failure the temporary file is removed and an existing file is unchanged. */
int cli_output_finish(cli_output *output);
/* Gives up what was written so far. */
void cli_output_drop(cli_output *output);

/* Flushes standard output; reports a full disk or a closed descriptor. */
int cli_stdout_finish(void);
/* Descriptors 0, 1 and 2 that came closed are put on /dev/null, the wrong way round, so that no file opened
 * later takes their number and every use of them still fails. */
void cli_descriptors_guard(void);

#endif
