/* metric.c - see metric.h. */
#include "la/metric.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t svf_metric_count(size_t d, bool full) { return full ? d * (d + 1) / 2 : d; }

static float bounded(double z) { return (float)fmax(-FLT_MAX, fmin(FLT_MAX, z)); }

void svf_metric_apply(const svf_metric *m, const svf_la *la, const float *x, double *scratch, float *z) {
  size_t ld = svf_padded(m->d);
  if (!m->full) {
    for (size_t j = 0; j < m->d; j++) z[j] = bounded(m->t[j] * x[j]);
    return;
  }
  memset(scratch, 0, ld * sizeof *scratch);
  for (size_t l = 0; l < m->d; l++)
    if (x[l] != 0) la->axpy(ld, x[l], m->t + l * ld, scratch);
  for (size_t j = 0; j < m->d; j++) z[j] = bounded(scratch[j]);
}

void svf_metric_pull(const svf_metric *m, const svf_la *la, double *w, double *scratch) {
  size_t ld = svf_padded(m->d);
  if (m->full) memset(scratch, 0, ld * sizeof *scratch);
  for (size_t l = 0; m->full && l < m->d; l++) la->axpy(ld, w[l], m->t + l * ld, scratch);
  for (size_t j = 0; j < m->d; j++) w[j] = m->full ? scratch[j] : w[j] * m->t[j];
}
