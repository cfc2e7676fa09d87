/* export_check.h - is an exported file what the model is? */
#ifndef CLI_EXPORT_CHECK_H
#define CLI_EXPORT_CHECK_H

#include "cli.h"

typedef struct cli_comparison {
  size_t rows; /* compared; 0: not, and `reason` says why */
  const char *reason;
  double difference; /* largest, over the range of the answers */
  size_t beyond;     /* rows that differ by more than they may, or have another class */
} cli_comparison;

/* Writes the model as C into a folder of its own, compiles it with `cc` (or $CC), asks both about rows that are drawn around
 * the model's medians, with missing values and unseen categories, and removes the folder. Returns an exit code, after saying
 * what failed; a missing compiler is no failure. */
int cli_export_compare(const svf_forest *forest, const svf_export_options *options, cli_comparison *comparison);

#endif
