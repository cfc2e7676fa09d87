/* elementary.c - see elementary.h. */
#include "la/elementary.h"

#include <math.h>

static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;

static const double inverse_factorial[] = {
    1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
    1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
static const double inverse_odd[] = {1,       1. / 3,  1. / 5,  1. / 7,  1. / 9, 1. / 11,
                                     1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21};

/* x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) by its series, which ends below 1e-17 after r^13. */
double svf_exp(double x) {
  if (!(x > -745)) return x < 0 ? 0 : x;
  if (x > 709.782712893384) return INFINITY;
  double k = floor(x * 1.4426950408889634 + .5), r = (x - k * ln2_high) - k * ln2_low, sum = 0;
  for (int i = 13; i >= 0; i--) sum = sum * r + inverse_factorial[i];
  return ldexp(sum, (int)k);
}

/* x = m 2^k with m near 1; log m = 2 (s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1), |s| < .172. */
double svf_log(double x) {
  int k;
  double m = frexp(x, &k);
  if (m < .7071067811865476) m *= 2, k--;
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int i = 10; i >= 0; i--) sum = sum * square + inverse_odd[i];
  return k * ln2_high + (2 * s * sum + k * ln2_low);
}
