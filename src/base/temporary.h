/* temporary.h - a new file that takes the place of an old one when it is complete.
 *
 * The new file has no name while it is written, where the system can do that (O_TMPFILE): a kill then leaves
 * nothing. Else, and for the moment between its naming and its renaming, it is called PATH.PID.NUMBER.tmp and
 * its writer holds a lock on it (flock). A file of such a name whose lock is free has no writer any more.
 * Functions return 0 or an errno. */
#ifndef SVF_BASE_TEMPORARY_H
#define SVF_BASE_TEMPORARY_H

#include <stdbool.h>

typedef struct svf_temporary {
  const char *path; /* of the file to replace; the caller's */
  char *name;       /* of the temporary file, once it is named */
  bool named;
  bool scratch; /* it need not outlast a crash of the machine: nothing is synced */
  int fd;       /* to write into */
} svf_temporary;

/* Removes what killed writers of `path` left behind (not for scratch files, of which a folder may have many), and makes a new
 * file in its folder. After success the caller must call svf_temporary_finish. */
int svf_temporary_open(svf_temporary *file, const char *path, bool scratch);

/* Gives a complete file its name. Failure: the system cannot do that; svf_temporary_again helps. */
int svf_temporary_link(svf_temporary *file);

/* Drops the file for an empty one that has its name from the start. */
int svf_temporary_again(svf_temporary *file);

/* Ends the work: with error 0 a named file is renamed to its path, else it is removed. */
int svf_temporary_finish(svf_temporary *file, int error);

#endif
