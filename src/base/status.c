/* status.c - messages and the refusal of jobs that cannot fit. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

svf_status svf_fail(svf_message *message, svf_status status, const char *format, ...) {
  if (message) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    for (char *c = message->text; *c; c++)
      if (*c == '\n' || *c == '\r') *c = ' ';
  }
  return status;
}

svf_status svf_no_memory(svf_message *message, const char *what) {
  return svf_fail(message, SVF_MEMORY, "not enough memory for %s", what);
}

const char *svf_size_text(double bytes, char *buffer, size_t size) {
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  int u = 0;
  while (bytes >= 1000 && u < 5) bytes /= 1000, u++;
  snprintf(buffer, size, bytes < 10 && u ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
  return buffer;
}

static double machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (double)pages * (double)page : 1e18;
}

svf_status svf_check_memory(svf_message *message, double bytes, size_t limit, const char *what) {
  double bound = limit ? (double)limit : machine_memory();
  if (bytes <= bound) return SVF_OK;
  char need[32], have[32];
  return svf_fail(message, SVF_MEMORY, "%s would need %s of memory; the limit is %s", what,
                  svf_size_text(bytes, need, sizeof need), svf_size_text(bound, have, sizeof have));
}
