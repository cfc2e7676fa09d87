/* number_exact.c - the nearest double to a decimal number, by a guess and exact comparisons.
 *
 * Let the number be N * 10^t with N of many digits. A guess b = m * 2^e of a few units is easy. It is the
 * answer if N * 10^t lies between the two midpoints (2m - 1) * 2^(e-1) and (2m + 1) * 2^(e-1); else the
 * neighbour on that side is the next guess. The comparisons are made in whole numbers of some 4000 bits, so
 * they are exact. */
#include "data/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The midpoint of two doubles has at most 767 digits that are not 0: digits after these only matter by being
 * there, and one 1 stands for them all. */
enum { MOST_DIGITS = 780, WORDS = 160 };

typedef struct big { /* word[0] is the lowest */
  uint32_t word[WORDS];
  int count;
} big;

static void multiply(big *number, uint32_t factor, uint32_t add) {
  uint64_t carry = add;
  for (int i = 0; i < number->count; i++) {
    carry += (uint64_t)number->word[i] * factor;
    number->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && number->count < WORDS) number->word[number->count++] = (uint32_t)carry;
}

static void times_power(big *number, uint32_t base, int power) {
  for (; power >= 9 && base == 5; power -= 9) multiply(number, 1953125, 0);
  for (; power >= 31 && base == 2; power -= 31) multiply(number, UINT32_C(1) << 31, 0);
  for (; power > 0; power--) multiply(number, base, 0);
}

static int compare(const big *a, const big *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int i = a->count - 1; i >= 0; i--)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

typedef struct decimal { /* digits * 10^exponent */
  big digits;
  uint64_t leading; /* its first digits, at most 19 */
  int64_t exponent, leading_exponent;
} decimal;

/* Sign of number - m * 2^exponent. */
static int against(const decimal *number, uint64_t m, int exponent) {
  big left = number->digits, right = {.word = {(uint32_t)m, (uint32_t)(m >> 32)}, .count = m >> 32 ? 2 : 1};
  int ten = (int)number->exponent;
  int two = ten - exponent; /* the powers of two go to the side where theirs is positive */
  times_power(ten > 0 ? &left : &right, 5, ten > 0 ? ten : -ten);
  times_power(two > 0 ? &left : &right, 2, two > 0 ? two : -two);
  return compare(&left, &right);
}

static decimal collect(const char *begin, const char *end, int64_t exponent) {
  decimal number = {.exponent = exponent};
  int used = 0;
  bool point = false, rest = false;
  for (const char *p = begin; p < end; p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    uint32_t digit = (uint32_t)(*p - '0');
    bool takes = used < MOST_DIGITS;
    number.exponent += !takes - point;
    rest |= !takes && digit;
    if (!takes) continue;
    multiply(&number.digits, 10, digit);
    used += used > 0 || digit;
    if (used <= 19) number.leading = 10 * number.leading + digit;
  }
  number.leading_exponent = number.exponent + (used > 19 ? used - 19 : 0);
  if (rest) {
    multiply(&number.digits, 10, 1);
    number.exponent--;
  }
  return number;
}

static double guess(const decimal *number) {
  double value = (double)number->leading;
  int64_t e = number->leading_exponent;
  for (; e <= -22; e += 22) value /= 1e22;
  for (; e >= 22; e -= 22) value *= 1e22;
  double ten = 1;
  for (int64_t i = e < 0 ? -e : e; i > 0; i--) ten *= 10;
  value = e < 0 ? value / ten : value * ten;
  return value < DBL_MAX ? value : DBL_MAX;
}

/* -1, 0 or 1: the nearest double is below, at or above m * 2^e; lowest: m is the smallest of its exponent. */
static int side(const decimal *number, uint64_t m, int e, bool lowest) {
  int above = against(number, 2 * m + 1, e - 1);
  if (above > 0 || (above == 0 && m & 1)) return 1;
  if (m == 0) return 0;
  int below = lowest ? against(number, 4 * m - 1, e - 2) : against(number, 2 * m - 1, e - 1);
  return below < 0 || (below == 0 && m & 1) ? -1 : 0;
}

double svf_number_exact(const char *begin, const char *end, int64_t exponent) {
  decimal number = collect(begin, end, exponent);
  if (number.leading == 0 || number.leading_exponent < -400) return 0;
  if (number.leading_exponent > 310) return INFINITY;
  for (double value = guess(&number);;) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int scale = (int)(bits >> 52);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    bool lowest = m == 0 && scale > 1;
    if (scale) m |= UINT64_C(1) << 52;
    int step = side(&number, m, (scale ? scale : 1) - 1075, lowest);
    if (step == 0) return value;
    if (step > 0 && value == DBL_MAX) return INFINITY;
    bits = step > 0 ? bits + 1 : bits - 1; /* the next double has the next pattern of bits */
    memcpy(&value, &bits, sizeof value);
  }
}
