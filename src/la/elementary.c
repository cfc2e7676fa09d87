/* elementary.c - see elementary.h. */
#include "la/elementary.h"

#include <math.h>

static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;

/* x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) by its series, which ends below 1e-17 after r^13. */
double svf_exp(double x) {
  if (!(x > -745)) return x < 0 ? 0 : x;
  if (x > 709.782712893384) return INFINITY;
  double k = floor(x * 1.4426950408889634 + .5), r = (x - k * ln2_high) - k * ln2_low, sum = 1;
  for (int i = 13; i >= 1; i--) sum = 1 + r * sum / i;
  return ldexp(sum, (int)k);
}

/* x = m 2^k with m near 1; log m = 2 (s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1), |s| < .172. */
double svf_log(double x) {
  int k;
  double m = frexp(x, &k);
  if (m < .7071067811865476) m *= 2, k--;
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int i = 21; i >= 1; i -= 2) sum = sum * square + 1. / i;
  return k * ln2_high + (2 * s * sum + k * ln2_low);
}
