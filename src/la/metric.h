/* metric.h - a linear map that says how far rows are from each other: z = T x, T symmetric, with entries of at most 1. */
#ifndef SVF_LA_METRIC_H
#define SVF_LA_METRIC_H

#include "la/la.h"

typedef struct svf_metric {
  size_t d;
  bool full;
  const double *t; /* d weights, T being diagonal; full: d rows of svf_padded(d), pads 0 */
} svf_metric;

/* How many different numbers it has, and one of them: the weights, or the upper triangle row by row. */
size_t svf_metric_count(size_t d, bool full);

/* z = T x for a row without missing values; scratch: svf_padded(d) numbers. What does not fit into a float becomes the
 * largest one. */
void svf_metric_apply(const svf_metric *metric, const svf_la *la, const float *x, double *scratch, float *z);

/* w becomes T w, with the same scratch. */
void svf_metric_pull(const svf_metric *metric, const svf_la *la, double *w, double *scratch);

#endif
