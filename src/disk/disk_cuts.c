/* disk_cuts.c - pass one: the rows of the sample, chunk by chunk, and the cuts that they decide; see disk.h. */
#include "disk/disk.h"

#include <stdlib.h>
#include <string.h>
#include "data/chunks.h"

enum { FEW_VALUES = 50 /* distinct integers that are classes: as svf_table_read has it */ };

typedef struct sample {
  svf_table *table;
  uint64_t *number;
} sample;

static void release(sample *s) {
  svf_table_free(s->table);
  free(s->number);
}

/* Keeps only rows that may still be in the sample. */
static svf_status thin(const svf_disk *disk, sample *s, svf_message *message) {
  svf_table *taken = NULL;
  size_t count, *row = malloc((svf_table_rows(s->table) + 1) * sizeof *row);
  if (!row) return svf_no_memory(message, "the sample");
  svf_status status = svf_table_sample(disk->settings, s->table, s->number, row, &count, message);
  if (!status) status = svf_table_take(s->table, row, count, &taken, message);
  if (!status) {
    for (size_t i = 0; i < count; i++) s->number[i] = s->number[row[i]];
    svf_table_free(s->table);
    s->table = taken;
  }
  free(row);
  return status;
}

/* Adds the rows of `more` behind those of `all`. */
static svf_status join(sample *all, const sample *more, svf_message *message) {
  svf_table *joined;
  const svf_table *both[] = {all->table, more->table};
  size_t a = svf_table_rows(all->table), b = svf_table_rows(more->table);
  uint64_t *number = malloc((a + b) * sizeof *number);
  if (!number) return svf_no_memory(message, "the sample");
  svf_status status = svf_table_join(both, 2, &joined, message);
  if (status) {
    free(number);
    return status;
  }
  memcpy(number, all->number, a * sizeof *number);
  memcpy(number + a, more->number, b * sizeof *number);
  release(all);
  *all = (sample){joined, number};
  return SVF_OK;
}

static svf_status read_sample(svf_disk *disk, size_t chunk, sample *s, svf_message *message) {
  uint64_t first = svf_chunks_first(disk->chunks, chunk);
  SVF_TRY(svf_disk_read(disk, chunk, &s->table, message));
  size_t n = svf_table_rows(s->table);
  s->number = malloc((n + 1) * sizeof *s->number);
  if (!s->number) return svf_no_memory(message, "the sample");
  for (size_t i = 0; i < n; i++) s->number[i] = first + i;
  return thin(disk, s, message);
}

static svf_status draw(svf_disk *disk, sample *all, svf_message *message) {
  size_t chunks;
  SVF_TRY(svf_disk_divide(disk, 8.0 * (double)svf_chunks_columns(disk->chunks) + 48, 4, &chunks, message));
  for (size_t c = 0; c < chunks; c++) {
    sample more = {0};
    SVF_TRY(svf_disk_pause(disk, "reading", (double)c / (double)chunks, message));
    svf_status status = read_sample(disk, c, all->table ? &more : all, message);
    if (!status && more.table) status = join(all, &more, message);
    if (!status && more.table) status = thin(disk, all, message);
    release(&more);
    SVF_TRY(status);
  }
  return SVF_OK;
}

/* Each chunk had few integers; all chunks together may have many, and in memory they would be values. */
static svf_status check_task(const svf_disk *disk, const svf_table *table, svf_message *message) {
  size_t classes = svf_table_classes(table);
  if (!svf_chunks_guess_task(disk->chunks) || classes <= FEW_VALUES) return SVF_OK;
  for (size_t c = 0; c < classes; c++) {
    char *end;
    strtod(svf_table_class_name(table, c), &end);
    if (*end) return SVF_OK;
  }
  return svf_fail(message, SVF_DATA,
                  "%s: the target has %zu integers: say what it is with --task class or --task regress",
                  svf_chunks_path(disk->chunks), classes);
}

static svf_status decide(svf_disk *disk, sample *all, svf_message *message) {
  const svf_disk_options *options = disk->options;
  svf_disk_stage(disk, 0, 0.1);
  SVF_TRY(draw(disk, all, message));
  SVF_TRY(check_task(disk, all->table, message));
  message->text[0] = 0;
  svf_status status = options->prepare ? options->prepare(options->user, all->table, message) : SVF_OK;
  if (status && !message->text[0]) return svf_fail(message, status, "the sample cannot be prepared");
  if (status) return status;
  svf_disk_stage(disk, 0.1, 0.15);
  return svf_partition(disk->settings, all->table, all->number, svf_chunks_rows(disk->chunks), &disk->run,
                       &disk->cuts, message);
}

svf_status svf_disk_cuts(svf_disk *disk, svf_message *message) {
  if (svf_disk_there(disk, SVF_DISK_CUTS, 0, 0)) {
    disk->kept++;
    return svf_disk_load(disk, SVF_DISK_CUTS, 0, 0, &disk->cuts, message);
  }
  sample all = {0};
  svf_status status = decide(disk, &all, message);
  release(&all);
  return status ? status : svf_disk_save(disk, disk->cuts, SVF_DISK_CUTS, 0, 0, message);
}

/* ---- groups of cells ---- */

/* Neighbours whose rows together take 1/6 of the memory, by the rows of the sample. */
static void group(svf_disk *disk, const svf_portion_info *info, const uint64_t *count) {
  uint64_t seen = 0;
  for (size_t c = 0; c < info->cells.count; c++) seen += count[c];
  double rows = (double)info->rows * (double)info->trees / (double)(seen ? seen : 1),
         most = (double)disk->memory / 6 / svf_disk_row(info->columns), sum = 0;
  for (size_t c = 0; c < info->cells.count; c++) {
    double more = rows * (double)count[c];
    if (!disk->groups || sum + more > most) {
      disk->group[disk->groups++] = (svf_cells){c, 0};
      sum = 0;
    }
    disk->group[disk->groups - 1].count++;
    sum += more;
  }
}

svf_status svf_disk_groups(svf_disk *disk, svf_message *message) {
  svf_portion_info info;
  svf_portion_describe(disk->cuts, &info);
  size_t cells = (size_t)info.cells.count;
  uint64_t *count = calloc(cells + 1, sizeof *count);
  disk->group = calloc(cells + 1, sizeof *disk->group);
  svf_status status = count && disk->group ? SVF_OK : svf_no_memory(message, "groups of cells");
  if (!status) status = svf_portion_count(disk->cuts, disk->cuts, count, message);
  if (!status) group(disk, &info, count);
  free(count);
  return status;
}
