/* disk_folder.c - the scratch folder of train --from-disk: MODEL.parts, with the job that its files belong to. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "data.h"
#include "from_disk.h"
#include "output.h"
#include "text.h"

static char *file(const cli_disk *disk, const char *name) {
  char *folder = cli_join(disk->folder, "/"), *path = cli_join(folder, name);
  free(folder);
  return path;
}

char *cli_disk_cuts(const cli_disk *disk) { return file(disk, "cuts"); }

char *cli_disk_rows(const cli_disk *disk, size_t chunk, size_t group) {
  char name[64];
  snprintf(name, sizeof name, "rows.%zu.%zu", chunk, group);
  return file(disk, name);
}

char *cli_disk_leaves(const cli_disk *disk, size_t group) {
  char name[64];
  snprintf(name, sizeof name, "leaves.%zu", group);
  return file(disk, name);
}

bool cli_disk_there(const char *path) { return access(path, F_OK) == 0; }

/* ---- the job ---- */

static void write_setting(void *user, const svf_setting_info *info, const char *value) {
  fprintf(user, "%s=%s\n", info->name, value);
}

static void write_list(FILE *out, const char *what, const cli_list *list) {
  for (size_t i = 0; i < list->count; i++) fprintf(out, "%s=%s\n", what, list->item[i]);
}

/* All that the files depend on. */
static void write_job(const cli_disk *disk, FILE *out) {
  const cli_args *args = disk->args;
  struct stat facts = {0};
  stat(disk->data, &facts);
  fprintf(out, "svforest %s\ntable=%s\nbytes=%lld\nchanged=%lld.%09ld\nrows=%llu\nmemory=%zu\nmethod=%s\n",
          svf_version(), disk->data, (long long)facts.st_size, (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
          (unsigned long long)svf_chunks_rows(disk->chunks), disk->memory, svf_settings_method(disk->settings));
  cli_settings_each(disk->settings, write_setting, out);
  fprintf(out, "target=%s\nweight=%s\ntask=%d\nformat=%d\n", args->target ? args->target : "",
          args->weight ? args->weight : "", args->task, args->format);
  write_list(out, "drop", &args->drop);
  write_list(out, "id", &args->ids);
  write_list(out, "feature", &args->made);
  write_list(out, "class_weight", &args->class_weights);
}

static bool same_text(const char *path, const char *text, size_t size) {
  FILE *in = fopen(path, "rb");
  char *there = CLI_TAKE(char, size + 1);
  bool same = in && fread(there, 1, size + 1, in) == size && !memcmp(there, text, size);
  free(there);
  if (in) fclose(in);
  return same;
}

static int write_text(const cli_disk *disk, const char *path, const char *text, size_t size) {
  cli_output output;
  CLI_TRY(cli_output_open(&output, path));
  fwrite(text, 1, size, output.file);
  int code = cli_output_finish(&output);
  return code == CLI_DONE ? code : cli_fail(code, "%s holds nothing yet: make room on its disk", disk->folder);
}

/* The folder is new, or of this job, or of one that has done nothing yet. */
static int claim(const cli_disk *disk) {
  char *text = NULL, *path = file(disk, "job"), *cuts = cli_disk_cuts(disk);
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out) write_job(disk, out);
  int code = out && fclose(out) == 0 ? CLI_DONE : cli_fail(CLI_FAULT, "not enough memory");
  if (code == CLI_DONE && !same_text(path, text, size))
    code = !cli_disk_there(cuts)
               ? write_text(disk, path, text, size)
               : cli_fail(CLI_FAULT,
                          "%s holds the parts of another job (%s says which): remove it, or name another folder with "
                          "--scratch",
                          disk->folder, path);
  free(text);
  free(path);
  free(cuts);
  return code;
}

static char *folder_of(const cli_args *args, const char *path) {
  if (!args->scratch) return cli_join(path, ".parts");
  const char *name = strrchr(path, '/');
  char *folder = cli_join(args->scratch, "/"), *model = cli_join(folder, name ? name + 1 : path),
       *parts = cli_join(model, ".parts");
  free(folder);
  free(model);
  return parts;
}

int cli_disk_open(cli_disk *disk) {
  disk->folder = folder_of(disk->args, disk->path);
  if (mkdir(disk->folder, 0777) && errno != EEXIST)
    return cli_fail(CLI_FAULT, "cannot make the folder %s: %s", disk->folder, strerror(errno));
  disk->lock = open(disk->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (disk->lock < 0) return cli_fail(CLI_FAULT, "cannot open the folder %s: %s", disk->folder, strerror(errno));
  if (flock(disk->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    return cli_fail(CLI_FAULT, "%s is in use by another run", disk->folder);
  return claim(disk);
}

/* ---- space ---- */

static void size_text(double bytes, char text[32]) {
  static const char *const unit[] = {"kB", "MB", "GB", "TB"};
  int u = 0;
  for (bytes /= 1e3; bytes >= 1e3 && u < 3; u++) bytes /= 1e3;
  snprintf(text, 32, "%.1f %s", bytes, unit[u]);
}

void cli_disk_announce(const cli_disk *disk, double bytes) {
  struct statvfs facts;
  char needed[32], left[32];
  size_text(bytes, needed);
  double free_bytes = statvfs(disk->folder, &facts) ? bytes : (double)facts.f_bavail * (double)facts.f_frsize;
  size_text(free_bytes, left);
  cli_note(disk->args, "scratch space in %s: about %s, and %s are free%s", disk->folder, needed, left,
           free_bytes < bytes ? "; name a folder on a larger disk with --scratch" : "");
}

int cli_disk_status(const cli_disk *disk, svf_status status, const svf_message *message) {
  if (status == SVF_MEMORY)
    return cli_fail(CLI_FAULT, "%s; raise --memory, and remove %s, whose parts are cut for less", message->text,
                    disk->folder);
  if (status != SVF_IO) return cli_status(status, message);
  return cli_fail(CLI_FAULT, "%s; %s keeps what is done: mend that and run the same command again", message->text,
                  disk->folder);
}

/* ---- the end ---- */

static void drop(char *path) {
  unlink(path);
  free(path);
}

void cli_disk_clean(cli_disk *disk) {
  for (size_t g = 0; g < disk->groups; g++) drop(cli_disk_leaves(disk, g));
  drop(cli_disk_cuts(disk));
  drop(file(disk, "job"));
  if (rmdir(disk->folder)) cli_note(disk->args, "%s has other files, too, and stays", disk->folder);
}

void cli_disk_free(cli_disk *disk) {
  if (disk->lock >= 0) close(disk->lock);
  svf_chunks_free(disk->chunks);
  svf_portion_free(disk->cuts);
  free(disk->group);
  free(disk->folder);
}
