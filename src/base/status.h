/* status.h - say why once, into the caller's message; pass the code on with one macro. */
#ifndef SVF_BASE_STATUS_H
#define SVF_BASE_STATUS_H

#include "svforest.h"

/* Writes the message (NULL allowed) and returns the status, so that `return svf_fail(...)` is one line. */
svf_status svf_fail(svf_message *message, svf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* SVF_MEMORY with the usual words; what: "the table", "a leaf of 80000 rows", ... */
svf_status svf_no_memory(svf_message *message, const char *what);

/* Refuses a job that needs more bytes than the limit (0: the machine's memory), saying both sizes. */
svf_status svf_check_memory(svf_message *message, double bytes, size_t limit, const char *what);

/* "12.3 MB" for messages and reports. */
const char *svf_size_text(double bytes, char *buffer, size_t size);

#define SVF_TRY(call)                                                                                                \
  do {                                                                                                               \
    svf_status svf_try_status = (call);                                                                              \
    if (svf_try_status != SVF_OK) return svf_try_status;                                                             \
  } while (0)

#endif
