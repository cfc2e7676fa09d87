/* adaptive_empty.c - what cells without rows say (TBRF, section 6.1.2). */
#include <math.h>
#include "cut/adaptive.h"

/* Squared distance of the centres of two plots, times 4. */
static double apart(const svf_patch *p, size_t a, size_t b) {
  const float *x = p->box + a * 2 * p->d, *y = p->box + b * 2 * p->d;
  double sum = 0;
  for (size_t j = 0; j < p->d; j++) {
    double step = ((double)x[j] + x[p->d + j]) - ((double)y[j] + y[p->d + j]);
    if (x[j] <= x[p->d + j]) sum += step * step; /* a column without numbers has no side */
  }
  return sum;
}

static size_t nearest(const svf_patch *p, size_t plot) {
  size_t found = 0;
  double least = INFINITY;
  for (size_t other = 0; other < p->count && !svf_worker_stopped(p->ground->worker); other++) {
    if (!p->plot[other].n) continue;
    double distance = apart(p, plot, other);
    if (!(distance < least)) continue;
    least = distance;
    found = other;
  }
  return found;
}

void svf_adaptive_fill(const svf_patch *p, svf_site *const *site) {
  bool nn = p->ground->settings->vacancy == SVF_VACANCY_NN;
  for (size_t plot = 0; plot < p->count; plot++)
    if (!p->plot[plot].n) site[plot]->filler = nn ? site[nearest(p, plot)] : p->site;
}
