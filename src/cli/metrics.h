/* metrics.h - how good predictions are. */
#ifndef CLI_METRICS_H
#define CLI_METRICS_H

#include <stddef.h>
#include <stdint.h>

/* n rows and what was said of them; k classes. A label of -1 is one that the model does not know: an error in
 * every measure but AUC, which leaves such rows out. */
typedef struct cli_outcome {
  size_t n, k;
  const int32_t *label;        /* classes */
  const double *value;         /* regression */
  const double *predicted;     /* class codes, or values */
  const double *probabilities; /* n x k; NULL: AUC and log-loss are NaN */
  const double *weight;        /* NULL: every row 1 */
} cli_outcome;

typedef struct cli_class_metrics {
  double accuracy;
  double balanced_accuracy; /* mean recall of the classes that are there */
  double f1;                /* mean over the classes that are there or were predicted */
  double auc;               /* of the second of two classes; more classes: mean of one against the rest */
  double log_loss;
  size_t unknown;    /* rows with a label that the model does not know */
  double *confusion; /* (k + 1) x k: weight of rows by label and prediction; the last row: unknown labels */
} cli_class_metrics;

typedef struct cli_value_metrics {
  double mse, rmse, mae, r2;
} cli_value_metrics;

/* The confusion table is the caller's to free(). */
cli_class_metrics cli_measure_classes(const cli_outcome *outcome);
cli_value_metrics cli_measure_values(const cli_outcome *outcome);

#endif
