/* from_disk.c - train --from-disk: the steps of training in parts over the chunks of one file, each under --memory.
 *
 * One pass draws the sample and decides the cuts; one routes the rows, in a scratch file for each chunk and group of cells; then
 * each group is trained from its own files. A file appears when it is complete, so that a second run goes on where the first
 * was ended. */
#include "from_disk.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "data.h"
#include "job.h"
#include "output.h"

enum { MOST_FILES = 1 << 20, FEW_VALUES = 50 /* distinct integers that are classes: as svf_table_read has it */ };

int cli_disk_check(const cli_args *args, const char *path) {
  if (!args->from_disk && (args->scratch || args->memory > 0))
    return cli_fail(CLI_USAGE, "train: --%s is for --from-disk", args->scratch ? "scratch" : "memory");
  if (!args->from_disk) return CLI_DONE;
  if (!args->method) return cli_fail(CLI_USAGE, "train: --from-disk trains one method: name it with -m");
  if (cli_is_stdio(args->operands.item[0]) || cli_is_stdio(path))
    return cli_fail(CLI_USAGE,
                    "train: --from-disk reads the table twice and keeps parts beside the model: both must be files");
  return CLI_DONE;
}

/* ---- sizes ---- */

static size_t memory_of(const cli_args *args) {
  if (args->memory > 0) return (size_t)args->memory;
  return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGE_SIZE);
}

static size_t count_setting(const svf_settings *settings, const char *name) {
  char value[64];
  return svf_settings_get(settings, name, value, sizeof value) == SVF_OK ? strtoull(value, NULL, 10) : 0;
}

/* Bytes of a routed row in one tree. */
static double row_bytes(size_t columns) { return 4.0 * (double)columns + 24; }

/* Chunks whose rows take a share of the memory. */
static int divide(cli_disk *disk, double bytes_per_row, size_t share, size_t *count) {
  double rows = (double)disk->memory / (double)share / bytes_per_row;
  *count = rows < 1 ? 0 : svf_chunks_divide(disk->chunks, rows < 1e15 ? (size_t)rows : SIZE_MAX);
  if (*count && *count < MOST_FILES) return CLI_DONE;
  return cli_fail(CLI_FAULT, "%s: chunks under --memory would be too small: raise --memory", disk->data);
}

/* ---- pass one: the sample and the cuts ---- */

typedef struct sample {
  svf_table *table;
  uint64_t *number;
} sample;

static void sample_free(sample *s) {
  svf_table_free(s->table);
  free(s->number);
}

/* Only rows that may still be in the sample. */
static int thin(const cli_disk *disk, sample *s) {
  svf_message message;
  svf_table *taken = NULL;
  size_t n = svf_table_rows(s->table), count;
  size_t *row = CLI_TAKE(size_t, n + 1);
  svf_status status = svf_table_sample(disk->settings, s->table, s->number, row, &count, &message);
  if (!status) status = svf_table_take(s->table, row, count, &taken, &message);
  for (size_t i = 0; i < count && !status; i++) s->number[i] = s->number[row[i]];
  free(row);
  if (!status) {
    svf_table_free(s->table);
    s->table = taken;
  }
  return cli_status(status, &message);
}

/* The rows of both, those of the second behind. */
static int join(sample *all, sample *more) {
  svf_message message;
  svf_table *joined;
  const svf_table *both[] = {all->table, more->table};
  size_t a = svf_table_rows(all->table), b = svf_table_rows(more->table);
  CLI_TRY(cli_status(svf_table_join(both, 2, &joined, &message), &message));
  uint64_t *number = CLI_TAKE(uint64_t, a + b);
  memcpy(number, all->number, a * sizeof *number);
  memcpy(number + a, more->number, b * sizeof *number);
  sample_free(all);
  *all = (sample){joined, number};
  return CLI_DONE;
}

static int read_sample(cli_disk *disk, size_t chunk, sample *s) {
  svf_message message;
  uint64_t first = svf_chunks_first(disk->chunks, chunk);
  CLI_TRY(cli_status(svf_chunks_read(disk->chunks, chunk, NULL, &s->table, &message), &message));
  size_t n = svf_table_rows(s->table);
  s->number = CLI_TAKE(uint64_t, n);
  for (size_t i = 0; i < n; i++) s->number[i] = first + i;
  return thin(disk, s);
}

static int draw_sample(cli_disk *disk, sample *all) {
  size_t chunks;
  CLI_TRY(divide(disk, 8.0 * (double)svf_chunks_columns(disk->chunks) + 48, 4, &chunks));
  for (size_t c = 0; c < chunks; c++) {
    sample more = {0};
    if (cli_signal()) return cli_stopped();
    int code = read_sample(disk, c, all->table ? &more : all);
    if (code == CLI_DONE && more.table) code = join(all, &more);
    if (code == CLI_DONE && more.table) code = thin(disk, all);
    sample_free(&more);
    CLI_TRY(code);
  }
  return CLI_DONE;
}

/* Each chunk had few integers; all chunks together may have many, and in memory they would be values. */
static int check_task(const cli_disk *disk, const svf_table *table) {
  size_t classes = svf_table_classes(table);
  if (disk->args->task || classes <= FEW_VALUES) return CLI_DONE;
  for (size_t c = 0; c < classes; c++) {
    char *end;
    const char *name = svf_table_class_name(table, c);
    strtod(name, &end);
    if (*end) return CLI_DONE;
  }
  return cli_fail(CLI_FAULT, "%s: the target has %zu integers: say what it is with --task class or --task regress",
                  disk->data, classes);
}

static int decide_cuts(cli_disk *disk, cli_job *job) {
  svf_message message;
  sample all = {0};
  double start = cli_now();
  int code = draw_sample(disk, &all);
  disk->reading += cli_now() - start;
  if (code == CLI_DONE) code = check_task(disk, all.table);
  if (code == CLI_DONE) code = cli_extend(disk->args, all.table);
  if (code == CLI_DONE) {
    cli_job_part(job, 0, 0.1);
    svf_status status = svf_partition(disk->settings, all.table, all.number, svf_chunks_rows(disk->chunks), &job->run,
                                      &disk->cuts, &message);
    code = cli_disk_status(disk, status, &message);
  }
  sample_free(&all);
  return code;
}

static int make_cuts(cli_disk *disk, cli_job *job) {
  svf_message message;
  char *path = cli_disk_cuts(disk);
  int code;
  if (cli_disk_there(path)) {
    code = cli_load_portion(path, SVF_PORTION_CUTS, &disk->cuts);
    disk->kept++;
  } else {
    code = decide_cuts(disk, job);
    if (code == CLI_DONE) code = cli_disk_status(disk, svf_portion_save(disk->cuts, path, &message), &message);
  }
  free(path);
  return code;
}

/* ---- groups of cells ---- */

/* Neighbours whose rows together are some part of the memory, going by the rows of the sample. */
static int make_groups(cli_disk *disk) {
  svf_message message;
  svf_portion_info info;
  svf_portion_describe(disk->cuts, &info);
  size_t cells = (size_t)info.cells.count;
  uint64_t *count = CLI_TAKE(uint64_t, cells), seen = 0;
  int code = cli_status(svf_portion_count(disk->cuts, disk->cuts, count, &message), &message);
  for (size_t c = 0; c < cells; c++) seen += count[c];
  double rows = (double)info.rows * (double)info.trees / (double)(seen ? seen : 1),
         most = (double)disk->memory / 6 / row_bytes(info.columns), sum = 0;
  disk->group = CLI_TAKE(svf_cells, cells);
  for (size_t c = 0; c < cells && code == CLI_DONE; c++) {
    double more = rows * (double)count[c];
    if (!disk->groups || sum + more > most) {
      disk->group[disk->groups++] = (svf_cells){c, 0};
      sum = 0;
    }
    disk->group[disk->groups - 1].count++;
    sum += more;
  }
  free(count);
  return code;
}

/* ---- pass two: rows to their cells ---- */

/* Is there still something to be written of this chunk? */
static bool wanted(const cli_disk *disk, size_t chunk) {
  bool some = false;
  for (size_t g = 0; g < disk->groups && !some; g++) {
    char *leaves = cli_disk_leaves(disk, g), *rows = cli_disk_rows(disk, chunk, g);
    some = !cli_disk_there(leaves) && !cli_disk_there(rows);
    free(leaves);
    free(rows);
  }
  return some;
}

static int save_groups(cli_disk *disk, size_t chunk, const svf_portion *rows) {
  svf_message message;
  int code = CLI_DONE;
  for (size_t g = 0; g < disk->groups && code == CLI_DONE; g++) {
    char *path = cli_disk_rows(disk, chunk, g), *leaves = cli_disk_leaves(disk, g);
    svf_portion *some = NULL;
    if (!cli_disk_there(path) && !cli_disk_there(leaves)) {
      svf_status status = svf_portion_select(disk->cuts, rows, &disk->group[g], &some, &message);
      if (!status) status = svf_portion_save(some, path, &message);
      code = cli_disk_status(disk, status, &message);
    }
    svf_portion_free(some);
    free(path);
    free(leaves);
  }
  return code;
}

static int route_chunk(cli_disk *disk, cli_job *job, size_t chunk, uint64_t *unseen) {
  svf_message message;
  svf_table *table = NULL;
  svf_portion *rows = NULL;
  svf_portion_info info;
  double start = cli_now();
  svf_status status = svf_chunks_read(disk->chunks, chunk, disk->cuts, &table, &message);
  disk->reading += cli_now() - start;
  if (!status)
    status = svf_route(disk->cuts, table, svf_chunks_first(disk->chunks, chunk), NULL, &job->run, &rows, &message);
  svf_table_free(table);
  CLI_TRY(cli_disk_status(disk, status, &message));
  svf_portion_describe(rows, &info);
  *unseen += info.unseen;
  int code = save_groups(disk, chunk, rows);
  svf_portion_free(rows);
  return code;
}

static int route(cli_disk *disk, cli_job *job, size_t *chunks) {
  svf_portion_info info;
  uint64_t unseen = 0;
  svf_portion_describe(disk->cuts, &info);
  double row =
      8.0 * (double)svf_chunks_columns(disk->chunks) + 12.0 * (double)info.columns + 16.0 * (double)info.trees + 64;
  CLI_TRY(divide(disk, row, 2, chunks));
  if (*chunks * disk->groups > MOST_FILES)
    return cli_fail(CLI_FAULT, "there would be %zu scratch files: raise --memory", *chunks * disk->groups);
  for (size_t c = 0; c < *chunks; c++) {
    if (cli_signal()) return cli_stopped();
    if (wanted(disk, c)) CLI_TRY(route_chunk(disk, job, c, &unseen));
    else disk->kept++;
  }
  if (unseen)
    cli_note(disk->args, "%llu cells hold categories that the sample does not have; they count as missing",
             (unsigned long long)unseen);
  return CLI_DONE;
}

/* ---- leaves ---- */

static int fit_files(cli_disk *disk, cli_job *job, size_t group, size_t chunks, svf_portion **rows,
                     svf_portion **leaves) {
  svf_message message;
  for (size_t c = 0; c < chunks; c++) {
    char *path = cli_disk_rows(disk, c, group);
    int code = cli_load_portion(path, SVF_PORTION_ROWS, &rows[c]);
    free(path);
    CLI_TRY(code);
  }
  cli_job_part(job, 0.2 + 0.8 * (double)group / (double)disk->groups, 0.8 / (double)disk->groups);
  svf_status status =
      svf_fit(disk->cuts, (const svf_portion *const *)rows, chunks, &disk->group[group], &job->run, leaves, &message);
  return cli_disk_status(disk, status, &message);
}

static int fit_group(cli_disk *disk, cli_job *job, size_t group, size_t chunks) {
  svf_message message;
  svf_portion *leaves = NULL, **rows = CLI_TAKE(svf_portion *, chunks);
  char *path = cli_disk_leaves(disk, group);
  int code = CLI_DONE;
  if (cli_disk_there(path)) disk->kept++;
  else {
    code = fit_files(disk, job, group, chunks, rows, &leaves);
    if (code == CLI_DONE) code = cli_disk_status(disk, svf_portion_save(leaves, path, &message), &message);
  }
  for (size_t c = 0; c < chunks; c++) {
    char *used = cli_disk_rows(disk, c, group);
    if (code == CLI_DONE) unlink(used);
    free(used);
    svf_portion_free(rows[c]);
  }
  svf_portion_free(leaves);
  free(rows);
  free(path);
  return code;
}

static int merge(cli_disk *disk, svf_forest **forest) {
  svf_message message;
  svf_portion **leaves = CLI_TAKE(svf_portion *, disk->groups);
  int code = CLI_DONE;
  for (size_t g = 0; g < disk->groups && code == CLI_DONE; g++) {
    char *path = cli_disk_leaves(disk, g);
    code = cli_load_portion(path, SVF_PORTION_LEAVES, &leaves[g]);
    free(path);
  }
  if (code == CLI_DONE) {
    svf_status status =
        svf_portion_merge(disk->cuts, (const svf_portion *const *)leaves, disk->groups, forest, &message);
    code = cli_status(status, &message);
  }
  for (size_t g = 0; g < disk->groups; g++) svf_portion_free(leaves[g]);
  free(leaves);
  return code;
}

/* ---- all of it ---- */

static int work(cli_disk *disk, cli_job *job, svf_forest **forest) {
  size_t chunks;
  CLI_TRY(make_cuts(disk, job));
  CLI_TRY(make_groups(disk));
  CLI_TRY(route(disk, job, &chunks));
  for (size_t g = 0; g < disk->groups; g++) CLI_TRY(fit_group(disk, job, g, chunks));
  if (disk->kept) cli_note(disk->args, "%zu parts were there from an earlier run", disk->kept);
  return merge(disk, forest);
}

/* Before anything is read at length. */
static int announce(cli_disk *disk) {
  double rows = (double)svf_chunks_rows(disk->chunks), trees = (double)count_setting(disk->settings, "trees");
  size_t columns = svf_chunks_columns(disk->chunks);
  double drawn = (double)count_setting(disk->settings, "partition_rows");
  CLI_TRY(cli_disk_open(disk));
  cli_disk_announce(disk, rows * trees * row_bytes(columns));
  if (3 * 8 * drawn * (double)columns <= (double)disk->memory) return CLI_DONE;
  return cli_fail(CLI_FAULT, "partition_rows=%.0f rows do not fit into --memory: draw fewer, or raise it", drawn);
}

int cli_disk_train(cli_disk *disk, svf_forest **forest) {
  svf_message message;
  cli_job job;
  svf_read_options options = cli_reading(disk->args);
  disk->memory = memory_of(disk->args);
  double start = cli_now();
  if (!count_setting(disk->settings, "partition_rows"))
    return cli_fail(CLI_USAGE, "train: --from-disk needs to know how many rows decide the cuts: -s partition_rows=N");
  CLI_TRY(cli_status(svf_chunks_open(disk->data, &options, &disk->chunks, &message), &message));
  disk->reading = cli_now() - start;
  CLI_TRY(announce(disk));
  cli_job_begin(&job, disk->args);
  job.run.memory_limit = disk->memory;
  int code = work(disk, &job, forest);
  disk->training = cli_job_end(&job);
  return code;
}
