/* say.c - failures and remarks on stderr, and memory that is there or ends the program. */
#include "cli.h"
#include "job.h"
#include <stdarg.h>
#include <stdlib.h>

int cli_fail(int code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("svforest: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return code;
}

int cli_status(svf_status status, const svf_message *message) {
  if (status == SVF_OK) return CLI_DONE;
  if (status == SVF_STOPPED) return cli_stopped();
  return cli_fail(status == SVF_USAGE ? CLI_USAGE : CLI_FAULT, "%s", message->text);
}

void cli_note(const cli_args *args, const char *format, ...) {
  if (args->quiet) return;
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
}

void *cli_take(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size ? size : 1);
  if (memory) return memory;
  exit(cli_fail(CLI_FAULT, "out of memory (%zu items of %zu bytes)", count, size));
}
