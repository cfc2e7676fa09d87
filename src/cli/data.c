/* data.c - what goes into the library from the command line: tables and models. */
#include "data.h"
#include "job.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *cli_task_name(svf_task task) {
  static const char *const name[] = {
      [SVF_TASK_AUTO] = "none", [SVF_TASK_CLASS] = "classification", [SVF_TASK_REGRESS] = "regression"};
  return name[task];
}

/* NAME=WEIGHT for some classes; the name may hold a '='. */
static int weigh_class(const svf_table *table, const char *pair, double *weight) {
  const char *equals = strrchr(pair, '=');
  char *end = NULL;
  double number = equals ? strtod(equals + 1, &end) : 0;
  if (!equals || end == equals + 1 || *end)
    return cli_fail(CLI_USAGE, "--class-weight %s: write it as NAME=WEIGHT", pair);
  if (!(number >= 0 && isfinite(number)))
    return cli_fail(CLI_USAGE, "--class-weight %s: a weight must be a finite number, 0 or more", pair);
  size_t length = (size_t)(equals - pair);
  for (size_t c = 0; c < svf_table_classes(table); c++) {
    const char *name = svf_table_class_name(table, c);
    if (strlen(name) != length || memcmp(name, pair, length)) continue;
    weight[c] = number;
    return CLI_DONE;
  }
  return cli_fail(CLI_USAGE, "--class-weight %s: there is no class '%.*s'", pair, (int)length, pair);
}

static int weigh_classes(const cli_args *args, svf_table *table) {
  svf_message message;
  size_t classes = svf_table_classes(table);
  if (!classes) return cli_fail(CLI_USAGE, "--class-weight is for classes, and the target is a number");
  double *weight = CLI_TAKE(double, classes);
  int code = CLI_DONE;
  for (size_t c = 0; c < classes; c++) weight[c] = 1;
  for (size_t i = 0; i < args->class_weights.count && code == CLI_DONE; i++)
    code = weigh_class(table, args->class_weights.item[i], weight);
  if (code == CLI_DONE) code = cli_status(svf_table_set_class_weights(table, weight, &message), &message);
  free(weight);
  return code;
}

int cli_extend(const cli_args *args, svf_table *table) {
  svf_message message;
  for (size_t i = 0; i < args->made.count; i++)
    CLI_TRY(cli_status(svf_table_add_feature(table, args->made.item[i], &message), &message));
  return args->class_weights.count ? weigh_classes(args, table) : CLI_DONE;
}

svf_read_options cli_reading(const cli_args *args) {
  return (svf_read_options){.format = (svf_format)args->format,
                            .target = args->target,
                            .drop = args->drop.item,
                            .drop_count = args->drop.count,
                            .weight = args->weight,
                            .task = (svf_task)args->task,
                            .threads = (int)args->threads,
                            .keep = args->keep.item,
                            .keep_count = args->keep.count,
                            .id = args->ids.item,
                            .id_count = args->ids.count};
}

int cli_read(const cli_args *args, const char *path, svf_table **table, double *seconds) {
  svf_message message;
  svf_read_options options = cli_reading(args);
  double start = cli_now();
  int code = cli_status(svf_table_read(path, &options, table, &message), &message);
  for (size_t i = 0; code == CLI_DONE && svf_table_remark(*table, i, &message); i++)
    cli_note(args, "%s", message.text);
  if (code == CLI_DONE) code = cli_extend(args, *table);
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

int cli_read_like(const cli_args *args, const char *path, const svf_forest *forest, svf_table **table) {
  svf_message message;
  svf_read_options options = {.model = forest, .threads = (int)args->threads};
  return cli_status(svf_table_read(path, &options, table, &message), &message);
}

int cli_load_portion(const char *path, svf_portion_kind kind, svf_portion **portion) {
  static const char *const what[] = {"nothing", "cuts", "rows", "leaves"};
  svf_message message;
  svf_portion_info info;
  CLI_TRY(cli_status(svf_portion_load(path, portion, &message), &message));
  svf_portion_describe(*portion, &info);
  if (info.kind == kind) return CLI_DONE;
  svf_portion_free(*portion);
  *portion = NULL;
  return cli_fail(CLI_FAULT, "%s holds %s, and %s are wanted here", path, what[info.kind], what[kind]);
}

int cli_read_chunk(const cli_args *args, const svf_portion *cuts, const char *path, svf_table **chunk) {
  svf_message message;
  svf_read_options options = cli_reading(args);
  options.cuts = cuts;
  return cli_status(svf_table_read(path, &options, chunk, &message), &message);
}

int cli_load_both(const cli_args *args, bool ids, svf_forest **forest, svf_table **table) {
  svf_message message;
  const char *model = args->operands.item[0], *data = args->operands.item[1];
  if (cli_is_stdio(model) && cli_is_stdio(data))
    return cli_fail(CLI_USAGE, "MODEL and DATA cannot both be standard input");
  CLI_TRY(cli_load(model, forest));
  svf_read_options options = cli_reading(args);
  options.model = *forest;
  options.keep_ids = ids;
  return cli_status(svf_table_read(data, &options, table, &message), &message);
}
