/* from_disk.c - train --from-disk: a table larger than memory, by way of a scratch folder. */
#include "from_disk.h"
#include <stdlib.h>
#include <string.h>
#include "data.h"
#include "job.h"
#include "output.h"
#include "text.h"

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

/* MODEL.parts, or that name in the folder of --scratch. */
static char *folder_of(const cli_args *args, const char *path) {
  if (!args->scratch) return cli_join(path, ".parts");
  const char *name = strrchr(path, '/');
  char *folder = cli_join(args->scratch, "/"), *model = cli_join(folder, name ? name + 1 : path),
       *parts = cli_join(model, ".parts");
  free(folder);
  free(model);
  return parts;
}

/* What the rows of the sample are given besides their columns. */
static char *describe(const cli_args *args) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  for (size_t i = 0; i < args->made.count; i++) fprintf(out, "feature=%s\n", args->made.item[i]);
  for (size_t i = 0; i < args->class_weights.count; i++)
    fprintf(out, "class_weight=%s\n", args->class_weights.item[i]);
  return fclose(out) == 0 ? text : NULL;
}

static svf_status prepare(void *user, svf_table *sample, svf_message *message) {
  cli_disk *disk = user;
  (void)message; /* it has been said */
  disk->failed = cli_extend(disk->args, sample);
  return disk->failed ? SVF_USAGE : SVF_OK;
}

static void tell(void *user, const char *text) {
  const cli_disk *disk = user;
  cli_note(disk->args, "%s", text);
}

static int train(cli_disk *disk, svf_chunks *chunks, svf_forest **forest) {
  svf_message message;
  cli_job job;
  double reading = 0;
  char *folder = folder_of(disk->args, disk->path), *text = describe(disk->args);
  svf_disk_options options = {.folder = folder,
                              .model = disk->path,
                              .job = text,
                              .memory = (size_t)disk->args->memory,
                              .prepare = prepare,
                              .tell = tell,
                              .user = disk,
                              .reading = &reading};
  cli_job_begin(&job, disk->args);
  cli_job_remarks(&job);
  svf_status status = svf_train_from_disk(disk->settings, chunks, &options, &job.run, forest, &message);
  disk->training = cli_job_end(&job) - reading;
  disk->reading += reading;
  free(folder);
  free(text);
  return disk->failed ? disk->failed : cli_status(status, &message);
}

int cli_disk_train(cli_disk *disk, svf_forest **forest) {
  svf_message message;
  svf_chunks *chunks = NULL;
  svf_read_options options = cli_reading(disk->args);
  double start = cli_now();
  CLI_TRY(cli_status(svf_chunks_open(disk->data, &options, &chunks, &message), &message));
  disk->reading = cli_now() - start;
  int code = train(disk, chunks, forest);
  svf_chunks_free(chunks);
  return code;
}
