/* output.c - a file that appears whole or not at all. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"
#include "text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_stdio(const char *path) { return !path || strcmp(path, "-") == 0; }

static int refuse(const char *path) { return cli_fail(CLI_FAULT, "%s: %s", path, strerror(errno)); }

static int check_inputs(const char *path, const struct stat *output, const cli_list *inputs) {
  struct stat input;
  for (size_t i = 0; i < inputs->count; i++)
    if (stat(inputs->item[i], &input) == 0 && input.st_dev == output->st_dev && input.st_ino == output->st_ino)
      return cli_fail(CLI_USAGE, "%s: is an input file and would be overwritten; name another file with -o", path);
  return CLI_DONE;
}

/* The folder that holds the path; free() it. */
static char *folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = cli_join(path, ".");
  if (slash) name[slash - path + 1] = 0;
  else strcpy(name, ".");
  return name;
}

int cli_output_check(const char *path, const cli_list *inputs) {
  struct stat found;
  if (cli_is_stdio(path)) return CLI_DONE;
  if (stat(path, &found) == 0) {
    if (S_ISDIR(found.st_mode)) return cli_fail(CLI_FAULT, "%s: is a directory; name a file in it with -o", path);
    if (!S_ISREG(found.st_mode)) return CLI_DONE;
    CLI_TRY(check_inputs(path, &found, inputs));
  }
  char *home = folder(path);
  int code = access(home, W_OK | X_OK) == 0 ? CLI_DONE : refuse(path);
  free(home);
  return code;
}

static void forget(cli_output *output) {
  free(output->target);
  free(output->temporary);
}

/* A temporary file beside the target, with the permissions of the old file or those of a plain new one. */
static int open_beside(cli_output *output, const struct stat *old) {
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".%ld.tmp", (long)getpid());
  output->target = old ? realpath(output->path, NULL) : NULL;
  if (!output->target) output->target = cli_join(output->path, "");
  output->temporary = cli_join(output->target, suffix);
  int descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0 && (!old || fchmod(descriptor, old->st_mode & 07777) == 0))
    output->file = fdopen(descriptor, "w");
  if (output->file) return CLI_DONE;
  int code = refuse(output->path);
  if (descriptor >= 0) {
    close(descriptor);
    unlink(output->temporary);
  }
  forget(output);
  return code;
}

int cli_output_open(cli_output *output, const char *path) {
  struct stat found;
  *output = (cli_output){.path = path};
  if (cli_is_stdio(path)) {
    output->file = stdout;
    return CLI_DONE;
  }
  bool exists = stat(path, &found) == 0;
  if (!exists || S_ISREG(found.st_mode)) return open_beside(output, exists ? &found : NULL);
  output->file = fopen(path, "w"); /* a device or a pipe cannot be replaced */
  return output->file ? CLI_DONE : refuse(path);
}

/* Flushed, synced and closed without loss? */
static bool close_well(cli_output *output) {
  bool good = fflush(output->file) == 0 && !ferror(output->file);
  if (good && output->temporary) good = fsync(fileno(output->file)) == 0;
  int reason = errno;
  if (fclose(output->file) != 0 && good) return false;
  errno = reason;
  return good;
}

int cli_output_finish(cli_output *output) {
  if (cli_is_stdio(output->path)) return cli_stdout_finish();
  bool good = close_well(output);
  if (good && output->temporary) good = rename(output->temporary, output->target) == 0;
  int code = good ? CLI_DONE : refuse(output->path);
  if (!good && output->temporary) unlink(output->temporary);
  forget(output);
  return code;
}

void cli_output_drop(cli_output *output) {
  if (cli_is_stdio(output->path)) return;
  fclose(output->file);
  if (output->temporary) unlink(output->temporary);
  forget(output);
}

int cli_stdout_finish(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
  return cli_fail(CLI_FAULT, "standard output: %s", errno ? strerror(errno) : "could not be written");
}

void cli_descriptors_guard(void) {
  static const int mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int i = 0; i < 3; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", mode[i]) != i) exit(CLI_FAULT);
}
