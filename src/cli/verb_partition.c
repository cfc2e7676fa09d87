/* verb_partition.c - the verb partition: the cuts of all trees from a sample of a table that may be in several files. */
#include "data.h"
#include "job.h"
#include "output.h"
#include "report_lines.h"
#include <stdlib.h>

/* Of each file, the rows that may be in the sample. */
typedef struct work {
  const cli_args *args;
  svf_settings *settings;
  svf_table **kept;
  uint64_t *number; /* of all rows kept, file by file */
  size_t numbers, files;
  size_t *first; /* of each file: the number of its first row; then how many rows there are */
  svf_table *sample;
  svf_portion *cuts;
} work;

static int keep(work *w, const svf_table *table, uint64_t *number, size_t *row) {
  svf_message message;
  size_t n = svf_table_rows(table), first = w->first[w->files], count;
  for (size_t i = 0; i < n; i++) number[i] = first + i;
  svf_status status = svf_table_sample(w->settings, table, number, row, &count, &message);
  if (!status) status = svf_table_take(table, row, count, &w->kept[w->files], &message);
  if (status) return cli_status(status, &message);
  uint64_t *all = CLI_TAKE(uint64_t, w->numbers + count);
  for (size_t i = 0; i < w->numbers; i++) all[i] = w->number[i];
  for (size_t i = 0; i < count; i++) all[w->numbers + i] = first + row[i];
  free(w->number);
  w->number = all;
  w->numbers += count;
  w->first[++w->files] = first + n;
  return CLI_DONE;
}

static int read_file(work *w, const char *path) {
  svf_table *table = NULL;
  CLI_TRY(cli_read(w->args, path, &table, NULL));
  size_t n = svf_table_rows(table);
  uint64_t *number = CLI_TAKE(uint64_t, n + 1);
  size_t *row = CLI_TAKE(size_t, n + 1);
  int code = keep(w, table, number, row);
  free(number);
  free(row);
  svf_table_free(table);
  return code;
}

static void tell(const work *w) {
  svf_portion_info info;
  cli_report report;
  svf_portion_describe(w->cuts, &info);
  cli_report_begin(&report, w->args->quiet && !w->args->json ? NULL : stdout, w->args->json);
  cli_report_text(&report, "method", svf_settings_method(w->settings));
  cli_report_count(&report, "rows", (size_t)info.rows);
  cli_report_count(&report, "trees", info.trees);
  cli_report_count(&report, "cells", (size_t)info.cells.count);
  cli_report_count(&report, "bytes", info.bytes);
  cli_report_text(&report, "cuts", w->args->output);
  if (report.as_json) cli_json_list(&report.json, "files");
  for (size_t f = 0; f < w->files; f++) {
    const char *path = w->args->operands.item[f];
    if (report.as_json) {
      cli_json_object(&report.json, NULL);
      cli_json_text(&report.json, "path", path);
      cli_json_count(&report.json, "first", w->first[f]);
      cli_json_count(&report.json, "rows", w->first[f + 1] - w->first[f]);
      cli_json_close(&report.json);
    } else if (report.out) fprintf(report.out, "route with         --first %zu %s\n", w->first[f], path);
  }
  if (report.as_json) cli_json_close(&report.json);
  cli_report_end(&report);
}

static int partition(work *w) {
  svf_message message;
  const cli_list *files = &w->args->operands;
  cli_job job;
  CLI_TRY(cli_output_check(w->args->output, files));
  CLI_TRY(cli_settings(w->args, w->args->method, &w->settings));
  for (size_t f = 0; f < files->count; f++) CLI_TRY(read_file(w, files->item[f]));
  CLI_TRY(cli_status(svf_table_join((const svf_table *const *)w->kept, w->files, &w->sample, &message), &message));
  cli_job_begin(&job, w->args);
  cli_job_remarks(&job);
  svf_status status =
      svf_partition(w->settings, w->sample, w->number, w->first[w->files], &job.run, &w->cuts, &message);
  cli_job_end(&job);
  CLI_TRY(cli_status(status, &message));
  CLI_TRY(cli_status(svf_portion_save(w->cuts, w->args->output, &message), &message));
  tell(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  if (!args->method) return cli_fail(CLI_USAGE, "partition: name the method to train with -m");
  if (!args->output) return cli_fail(CLI_USAGE, "partition: name the file of cuts to write with -o");
  if (cli_is_stdio(args->output)) return cli_fail(CLI_USAGE, "partition: cuts must go to a file");
  work w = {.args = args,
            .kept = CLI_TAKE(svf_table *, args->operands.count),
            .first = CLI_TAKE(size_t, args->operands.count + 1)};
  int code = partition(&w);
  for (size_t f = 0; f < w.files; f++) svf_table_free(w.kept[f]);
  svf_table_free(w.sample);
  svf_settings_free(w.settings);
  svf_portion_free(w.cuts);
  free(w.kept);
  free(w.number);
  free(w.first);
  return code;
}

static const cli_option own[] = {
    {'m', "method", "METHOD", "method to train; 'svforest methods' lists them", cli_set_method,
     offsetof(cli_args, method)},
    {'s', "set", "NAME=VALUE", "change one setting of the method; partition_rows must be set", cli_set_setting,
     offsetof(cli_args, settings)},
    {'o', "output", "CUTS", "file of cuts to write", cli_set_text, offsetof(cli_args, output)},
    {0}};
static const cli_option *const groups[] = {
    own, cli_options_data, cli_options_learn, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_partition = {
    .name = "partition",
    .usage = "-m METHOD -s partition_rows=N [-s NAME=VALUE]... -o CUTS DATA...",
    .summary = "training in parts: compute the cuts of all trees from a sample",
    .details = "DATA are the chunks of one table, in order. They are read one at a time, so only one needs to fit "
               "into memory. A sample of partition_rows rows, drawn by row number, decides encoding, scaling and "
               "cuts. Then 'route' assigns the rows of each chunk to cells, 'fit' trains the leaves of some cells, "
               "and 'merge' makes the model. It is the model that 'train' would write for the whole table with the "
               "same settings, byte for byte, however chunks and cells were divided.",
    .example = "svforest partition -m rf -s partition_rows=500 -o t.cuts a.csv b.csv\n"
               "svforest route t.cuts a.csv -o a.rows\n"
               "svforest route t.cuts b.csv --first 1000 -o b.rows\n"
               "svforest fit t.cuts a.rows b.rows --part 1/2 -o 1.leaves\n"
               "svforest fit t.cuts a.rows b.rows --part 2/2 -o 2.leaves\n"
               "svforest merge t.cuts 1.leaves 2.leaves -o t.svf",
    .options = groups,
    .operands = "DATA",
    .least = 1,
    .most = SIZE_MAX,
    .settings = true,
    .run = run,
};
