/* image_metric.c - METR: the linear map in which the leaves of a forest measure distance. */
#include "forest/file/image.h"

#include <math.h>

bool svf_metric_write(const svf_metric *metric, svf_buffer *numbers) {
  size_t d = metric->d, ld = svf_padded(d);
  if (!metric->full) return svf_buffer_add(numbers, metric->t, d * sizeof *metric->t);
  for (size_t i = 0; i < d; i++) svf_buffer_add(numbers, metric->t + i * ld + i, (d - i) * sizeof *metric->t);
  return !numbers->failed;
}

/* Rows in memory are padded, as the kernels want them. */
static svf_status unfold(const svf_image *image, svf_forest *forest, const double *number) {
  size_t d = forest->encoding.columns, ld = svf_padded(d);
  double *t = SVF_TAKE(&forest->memory, double, d *ld);
  if (!t) return svf_no_memory(image->message, "a model");
  for (size_t i = 0; i < d; i++) {
    for (size_t j = d; j < ld; j++) t[i * ld + j] = 0;
    for (size_t j = i; j < d; j++) t[i * ld + j] = t[j * ld + i] = *number++;
  }
  forest->metric.t = t;
  return SVF_OK;
}

svf_status svf_metric_read(const svf_image *image, svf_forest *forest) {
  size_t count = svf_section_count(image->bytes, SVF_METR), d = forest->encoding.columns;
  bool full = forest->settings.metric == SVF_METRIC_FULL,
       wanted = forest->settings.metric_scope == SVF_METRIC_SCOPE_FOREST &&
                (full || forest->settings.metric == SVF_METRIC_DIAGONAL);
  if (!count) return wanted ? svf_damaged(image, "it lacks the metric that its settings speak of") : SVF_OK;
  const double *number = svf_section_data(image->bytes, SVF_METR);
  if (!wanted || d > 1u << 24 || count != svf_metric_count(d, full))
    return svf_damaged(image, "its metric does not fit its settings");
  for (size_t i = 0; i < count; i++)
    if (!(fabs(number[i]) <= 2)) return svf_damaged(image, "a number of its metric is wrong");
  forest->metric = (svf_metric){d, full, number};
  if (full) SVF_TRY(unfold(image, forest, number));
  forest->parts.metric = &forest->metric;
  return SVF_OK;
}
