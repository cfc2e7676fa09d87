/* inspect.h - what info tells beside sizes and settings: out-of-bag results and importances. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli.h"
#include "report_lines.h"

typedef struct cli_inspection {
  const cli_args *args;
  const svf_forest *forest;
  const svf_table *table; /* NULL: the model alone */
  svf_forest_info info;
  svf_oob_answers oob;
  double *gain, *leaf;      /* of each feature */
  double *metric;           /* of each feature; NULL: nothing was learned */
  double *mean, *deviation; /* what shuffling it costs; NULL: nothing was shuffled */
  double result;            /* without shuffling */
  svf_bound bound;
} cli_inspection;

/* Asks before anything is printed, so that a failure prints nothing. What they hold is freed by cli_inspection_free. */
int cli_inspect_oob(cli_inspection *inspection);
int cli_inspect_importance(cli_inspection *inspection);
int cli_inspect_bound(cli_inspection *inspection);
void cli_inspection_free(cli_inspection *inspection);

/* What was learned of the distance between rows, if anything was: kernel, kind of metric, scale, and the features that weigh
 * most (all of them as JSON). */
void cli_inspect_metric(cli_inspection *inspection);
void cli_tell_metric(const cli_inspection *inspection, cli_report *report);

/* A line per tree; with the training table also the forest's result and its curve. */
void cli_tell_oob(const cli_inspection *inspection, cli_report *report);
/* A line per feature, the most important first; with a table also what shuffling it costs. */
void cli_tell_importance(const cli_inspection *inspection, cli_report *report);
/* A line per tree with every term of the bound, their mean, and the forest's. */
void cli_tell_bound(const cli_inspection *inspection, cli_report *report);

#endif
