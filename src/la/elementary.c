/* elementary.c - see elementary.h. */
#include "la/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;

static const double inverse_factorial[] = {
    1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
    1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
static const double inverse_odd[] = {1,       1. / 3,  1. / 5,  1. / 7,  1. / 9, 1. / 11,
                                     1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21};

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int64_t k) {
  uint64_t bits = (uint64_t)(k + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

/* x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) by its series, which ends below 1e-17 after r^13. Even and odd powers are
 * summed apart: two short chains are faster than a long one. */
double svf_exp(double x) {
  if (!(x > -745)) return x < 0 ? 0 : x;
  if (x > 709.782712893384) return INFINITY;
  const double round = 0x1.8p52; /* adding it rounds to an integer */
  double k = (x * 1.4426950408889634 + round) - round, r = (x - k * ln2_high) - k * ln2_low;
  double square = r * r, even = inverse_factorial[12], odd = inverse_factorial[13];
  for (int i = 10; i >= 0; i -= 2) {
    even = even * square + inverse_factorial[i];
    odd = odd * square + inverse_factorial[i + 1];
  }
  int64_t power = (int64_t)k, half = power / 2; /* in two steps: the result may be subnormal */
  return (even + odd * r) * power_of_two(half) * power_of_two(power - half);
}

/* x = m 2^k with m near 1; log m = 2 (s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1), |s| < .172. */
double svf_log(double x) {
  uint64_t bits;
  bool small = x < 0x1p-1022; /* subnormal: no exponent to read */
  if (small) x *= 0x1p54;
  memcpy(&bits, &x, sizeof bits);
  int64_t k = (int64_t)(bits >> 52) - (small ? 1076 : 1022);
  bits = (bits & 0x000fffffffffffff) | 0x3fe0000000000000; /* 1/2 <= m < 1 */
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m < .7071067811865476) m *= 2, k--;
  double s = (m - 1) / (m + 1), square = s * s, fourth = square * square, even = inverse_odd[10],
         odd = inverse_odd[9];
  for (int i = 8; i >= 0; i -= 2) even = even * fourth + inverse_odd[i];
  for (int i = 7; i >= 1; i -= 2) odd = odd * fourth + inverse_odd[i];
  double sum = even + odd * square;
  return (double)k * ln2_high + (2 * s * sum + (double)k * ln2_low);
}
