/* measure.h - accuracy and mean squared error: the outcome of a row, and the weighted mean of outcomes. */
#ifndef SVF_DATA_MEASURE_H
#define SVF_DATA_MEASURE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Of classes 1 for the right one, else 0; of numbers (label NULL) the squared error. */
static inline double svf_row_outcome(const int32_t *label, const double *value, size_t row, double predicted) {
  if (label) return predicted == label[row];
  double error = predicted - value[row];
  return error * error;
}

/* weight NULL: every row 1. */
static inline double svf_row_weight(const double *weight, size_t row) { return weight ? weight[row] : 1; }

typedef struct svf_sum {
  double sum, all; /* weighted outcomes, and the weights */
} svf_sum;

static inline void svf_sum_add(svf_sum *to, double outcome, double weight) {
  to->sum += weight * outcome;
  to->all += weight;
}
static inline void svf_sum_join(svf_sum *to, svf_sum from) {
  to->sum += from.sum;
  to->all += from.all;
}
/* NaN: no weight. */
static inline double svf_sum_mean(svf_sum sum) { return sum.all > 0 ? sum.sum / sum.all : (double)NAN; }

#endif
