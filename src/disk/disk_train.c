/* disk_train.c - see disk.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "disk/disk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "data/chunks.h"
#include "forest/parts/partition.h"

enum { MOST_CHUNKS = 1 << 20 };

/* ---- progress and time ---- */

void svf_disk_stage(svf_disk *disk, double from, double to) {
  disk->part.from = from;
  disk->part.to = to;
}

svf_status svf_disk_pause(svf_disk *disk, const char *phase, double done, svf_message *message) {
  svf_progress progress = {.phase = phase, .done = done};
  if (!disk->run.callback || !disk->run.callback(disk->run.user, &progress)) return SVF_OK;
  return svf_fail(message, SVF_STOPPED, "stopped");
}

void svf_disk_tell(const svf_disk *disk, const char *format, ...) {
  svf_message text;
  if (!disk->options->tell) return;
  va_list list;
  va_start(list, format);
  vsnprintf(text.text, sizeof text.text, format, list);
  va_end(list);
  disk->options->tell(disk->options->user, text.text);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

svf_status svf_disk_read(svf_disk *disk, size_t chunk, svf_table **table, svf_message *message) {
  double start = now();
  svf_status status = svf_chunks_read(disk->chunks, chunk, disk->cuts, table, message);
  disk->reading += now() - start;
  return status;
}

/* ---- sizes ---- */

static size_t memory_of(const svf_disk_options *options) {
  if (options->memory) return options->memory;
  return (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
}

svf_status svf_disk_divide(svf_disk *disk, double row, size_t share, size_t *chunks, svf_message *message) {
  double rows = (double)disk->memory / (double)share / row;
  if (rows >= 1 && (double)svf_chunks_rows(disk->chunks) / rows < MOST_CHUNKS) {
    *chunks = svf_chunks_divide(disk->chunks, rows < 1e15 ? (size_t)rows : SIZE_MAX);
    if (!*chunks) return svf_no_memory(message, "the places of chunks");
    return SVF_OK;
  }
  return svf_fail(message, SVF_DATA, "%s: with so little memory chunks would be too small: raise it",
                  svf_chunks_path(disk->chunks));
}

/* Before anything is read at length. */
static svf_status announce(svf_disk *disk, svf_message *message) {
  double rows = (double)svf_chunks_rows(disk->chunks), trees = (double)disk->settings->trees;
  size_t columns = svf_chunks_columns(disk->chunks);
  double drawn = (double)disk->settings->partition_rows;
  svf_disk_announce(disk, rows * trees * svf_disk_row(columns));
  if (3 * 8 * drawn * (double)columns <= (double)disk->memory) return SVF_OK;
  return svf_fail(message, SVF_DATA,
                  "partition_rows=%.0f rows do not fit into the memory to use: draw fewer, or raise it", drawn);
}

/* ---- all of it ---- */

static svf_status steps(svf_disk *disk, svf_forest **forest, svf_message *message) {
  size_t chunks = 0;
  SVF_TRY(announce(disk, message));
  SVF_TRY(svf_disk_cuts(disk, message));
  SVF_TRY(svf_disk_groups(disk, message));
  SVF_TRY(svf_disk_rows(disk, &chunks, message));
  SVF_TRY(svf_disk_leaves(disk, chunks, message));
  if (disk->kept) svf_disk_tell(disk, "%zu parts were there from an earlier run", disk->kept);
  SVF_TRY(svf_disk_merge(disk, forest, message));
  return disk->options->model ? svf_forest_save(*forest, disk->options->model, message) : SVF_OK;
}

/* What helps: the scratch folder keeps what is done. */
static svf_status advise(const svf_disk *disk, svf_status status, svf_message *message) {
  svf_message said = *message;
  if (status == SVF_MEMORY)
    return svf_fail(message, status, "%.600s; raise the memory, and remove %.300s, whose parts are made for less",
                    said.text, disk->options->folder);
  if (status == SVF_IO)
    return svf_fail(message, status, "%.600s; %.300s keeps what is done: mend that and run the same again", said.text,
                    disk->options->folder);
  return status;
}

static svf_status train(svf_disk *disk, svf_forest **forest, svf_message *message) {
  SVF_TRY(svf_partition_wanted(disk->settings, message));
  svf_status status = svf_disk_open(disk, message);
  if (status) return status;
  status = steps(disk, forest, message);
  if (!status) svf_disk_clean(disk);
  return advise(disk, status, message);
}

svf_status svf_train_from_disk(const svf_settings *settings, svf_chunks *chunks, const svf_disk_options *options,
                               const svf_run *run, svf_forest **forest, svf_message *message) {
  svf_message unheard;
  svf_disk disk = {.settings = settings,
                   .options = options,
                   .chunks = chunks,
                   .part = {.outer = run},
                   .memory = memory_of(options),
                   .lock = -1};
  *forest = NULL;
  disk.run = svf_run_within(&disk.part);
  disk.run.memory_limit = disk.memory;
  svf_status status = train(&disk, forest, message ? message : &unheard);
  if (options->reading) *options->reading = disk.reading;
  svf_portion_free(disk.cuts);
  free(disk.group);
  svf_disk_close(&disk);
  if (status) {
    svf_forest_free(*forest);
    *forest = NULL;
  }
  return status;
}
