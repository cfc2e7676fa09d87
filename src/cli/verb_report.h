/* verb_report.h - a page on a model, for the verbs report and eval. */
#ifndef CLI_VERB_REPORT_H
#define CLI_VERB_REPORT_H

#include "report_lines.h"
#include "cli.h"

/* Reads --seed, --resamples and --oob. */
int cli_write_report(const cli_args *args, const char *path, const svf_forest *forest, const svf_table *table);

#endif
