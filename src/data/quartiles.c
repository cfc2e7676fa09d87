/* quartiles.c - see quartiles.h. */
#include "data/quartiles.h"

#include <math.h>
#include <stdint.h>

enum { SAMPLE = 1024, FAR = 1000 };

/* Hoare's FIND. Pivots come from a fixed sequence, so that no order that real tables have is a slow one. */
void svf_put_rank(double *value, size_t n, size_t rank) {
  ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, place = (ptrdiff_t)rank;
  uint64_t state = 1;
  while (low < high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double pivot = value[low + (ptrdiff_t)((state >> 33) % (uint64_t)(high - low + 1))];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (value[i] < pivot) i++;
      while (value[j] > pivot) j--;
      if (i > j) break;
      double swapped = value[i];
      value[i++] = value[j];
      value[j--] = swapped;
    }
    if (place <= j) high = j;
    else if (place >= i) low = i;
    else return;
  }
}

double svf_half_quartile_range(double *value, size_t n) {
  size_t first = (n - 1) / 4, third = n - 1 - first;
  svf_put_rank(value, n, first);
  svf_put_rank(value + first, n - first, third - first);
  return value[third] / 2 - value[first] / 2;
}

double svf_half_robust_unit(double *value, size_t n, double median) {
  double rounding = SVF_ROUNDING * fabs(median) / 2, half = svf_half_quartile_range(value, n);
  size_t others = 0;
  if (half > rounding) return half;
  for (size_t i = 0; i < n; i++)
    if (fabs(value[i] / 2 - median / 2) > rounding) value[others++] = value[i];
  if (!others) return 0;
  half = svf_half_quartile_range(value, others);
  if (half > rounding) return half;
  for (size_t i = 0; i < others; i++) value[i] = fabs(value[i] / 2 - median / 2);
  svf_put_rank(value, others, others / 2);
  return value[others / 2];
}

/* Numbers `step` apart, NaN left out, to out; returns how many. */
static size_t take_every(const double *value, size_t n, size_t step, double *out) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i += step)
    if (!isnan(value[i])) out[kept++] = value[i];
  return kept;
}

/* Most columns are far from it, as a few of their numbers show. */
bool svf_has_outliers(const double *value, size_t n, double half_range, double median, double *scratch) {
  size_t step = n > SAMPLE ? n / SAMPLE : 1, kept = step > 1 ? take_every(value, n, step, scratch) : 0;
  if (kept && svf_half_quartile_range(scratch, kept) > 4 * half_range / FAR) return false;
  kept = take_every(value, n, 1, scratch);
  double half = kept ? svf_half_robust_unit(scratch, kept, median) : 0;
  return half > 0 && half_range / FAR > half;
}
