/* data.c - what goes into the library from the command line: tables and models. */
#include "data.h"
#include "job.h"
#include "output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cli_task_name(svf_task task) {
  static const char *const name[] = {
      [SVF_TASK_AUTO] = "none", [SVF_TASK_CLASS] = "classification", [SVF_TASK_REGRESS] = "regression"};
  return name[task];
}

int cli_read(const cli_args *args, const char *path, const svf_forest *model, svf_table **table, double *seconds) {
  svf_message message;
  svf_read_options options = {.format = (svf_format)args->format,
                              .target = args->target,
                              .drop = args->drop.item,
                              .drop_count = args->drop.count,
                              .weight = args->weight,
                              .task = (svf_task)args->task,
                              .model = model,
                              .threads = (int)args->threads};
  double start = cli_now();
  int code = cli_status(svf_table_read(path, &options, table, &message), &message);
  if (seconds) *seconds += cli_now() - start;
  return code;
}

/* All of standard input; NULL with errno set where it cannot be read. */
static unsigned char *slurp(size_t *size) {
  size_t room = 1 << 16;
  unsigned char *bytes = malloc(room);
  *size = 0;
  while (bytes && !feof(stdin) && !ferror(stdin)) {
    *size += fread(bytes + *size, 1, room - *size, stdin);
    if (*size < room) continue;
    unsigned char *larger = realloc(bytes, room *= 2);
    if (!larger) free(bytes);
    bytes = larger;
  }
  if (bytes && ferror(stdin)) {
    free(bytes);
    return NULL;
  }
  return bytes;
}

static int load_stdin(svf_forest **forest) {
  svf_message message;
  size_t size;
  unsigned char *bytes = slurp(&size);
  if (!bytes) return cli_fail(CLI_FAULT, "standard input: %s", strerror(errno));
  int code = cli_status(svf_forest_from_bytes(bytes, size, forest, &message), &message);
  free(bytes);
  return code;
}

int cli_load(const char *path, svf_forest **forest) {
  svf_message message;
  if (cli_is_stdio(path)) return load_stdin(forest);
  return cli_status(svf_forest_load(path, forest, &message), &message);
}

int cli_load_both(const cli_args *args, svf_forest **forest, svf_table **table, double *seconds) {
  const char *model = args->operands.item[0], *data = args->operands.item[1];
  if (cli_is_stdio(model) && cli_is_stdio(data))
    return cli_fail(CLI_USAGE, "MODEL and DATA cannot both be standard input");
  CLI_TRY(cli_load(model, forest));
  return cli_read(args, data, *forest, table, seconds);
}
