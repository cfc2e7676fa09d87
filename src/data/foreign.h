/* foreign.h - files that svforest does not read, by what they begin with: each refused by name, with what to do. */
#ifndef SVF_DATA_FOREIGN_H
#define SVF_DATA_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

enum { SVF_FOREIGN_LOOK = 4096 }; /* so many bytes of a file are enough to know it */

/* SVF_DATA if a table that begins so is in a format that is not read. */
svf_status svf_foreign_refuse(const char *path, const char *data, size_t size, svf_message *message);
/* foreign_json.c: the same for JSON, which a CSV file might look like: not to be asked where the user names a format. */
svf_status svf_foreign_refuse_json(const char *path, const char *data, size_t size, svf_message *message);
/* SVF_IO if the path is an address such as https://... */
svf_status svf_foreign_refuse_address(const char *path, svf_message *message);

#endif
