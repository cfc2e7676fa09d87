/* file.h - writing a file so that a crash leaves the old one or the new one, never half of one. */
#ifndef SVF_BASE_FILE_H
#define SVF_BASE_FILE_H

#include <stddef.h>
#include "base/status.h"

/* Writes the bytes to a temporary file beside `path`, syncs it and renames it to `path`; a link is followed
 * and an existing file's permissions are kept. Temporary files that killed writers of `path` left behind are
 * removed (base/temporary.h). "-" is standard output. What exists and is no regular file (a pipe, a device) is
 * written into; a directory is refused. Failure leaves the old file as it was. */
svf_status svf_file_write(const char *path, const void *bytes, size_t size, svf_message *message);

/* The same for one of many files that can be made again: it is not synced, so that after a crash of the machine it may be damaged, and
 * temporary files of killed writers, NAME.PID.NUMBER.tmp, stay. */
svf_status svf_file_write_scratch(const char *path, const void *bytes, size_t size, svf_message *message);

/* SVF_IO "cannot <what> <path>: <the system's words for error>"; error is an errno. */
svf_status svf_file_fail(svf_message *message, const char *what, const char *path, int error);

#endif
