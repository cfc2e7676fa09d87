/* number.c - from text to the nearest double: the common cases; number_exact.c has the rest.
 *
 * A number is m * 10^e. Up to 19 digits m fits 64 bits, and then
 *   |e| <= 22, m <= 2^53:  m and 10^|e| are doubles, so one operation rounds once (Clinger 1990);
 *   |e| <= 27:             5^|e| fits 64 bits; the product, or the quotient and whether a rest is left, say
 * in 128 bits all that rounding needs. Of more digits the first 19 give two neighbours m and m+1; where both
 * round alike, so does all between. */
#include "data/number.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 19, MOST_TENS = 22, MOST_FIVES = 27 };

static const double tens[MOST_TENS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define FIVE_9     UINT64_C(1953125) /* 5^9 */
#define NINE_OF(x) x, x * 5, x * 25, x * 125, x * 625, x * 3125, x * 15625, x * 78125, x * 390625
static const uint64_t fives[MOST_FIVES + 1] = {NINE_OF(UINT64_C(1)), NINE_OF(FIVE_9), NINE_OF(FIVE_9 *FIVE_9),
                                               FIVE_9 *FIVE_9 *FIVE_9};

/* What stands in the text. */
typedef struct decimal {
  const char *begin, *end; /* digits, perhaps with a point among them */
  int64_t count;           /* digits in all */
  int64_t exponent;        /* value = the digits as a whole number * 10^exponent */
  int64_t written;         /* the exponent after the e */
  uint64_t whole;          /* the digits as a whole number, if count <= MOST_DIGITS */
} decimal;

static inline bool digit(char c) { return (unsigned char)(c - '0') < 10; }

/* (m + something below 1, if rest) * 2^exponent, rounded; the result must be in the normal range, m >= 2^53.
 */
static double rounded(wide m, bool rest, int exponent) {
  uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
  int length = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
  int drop = length - 53;
  uint64_t kept = (uint64_t)(m >> drop);
  wide lost = m - ((wide)kept << drop), half = (wide)1 << (drop - 1);
  if (lost > half || (lost == half && (rest || kept & 1))) kept++;
  /* A carry out of the 53 bits moves into the exponent and leaves the right number. */
  uint64_t bits = ((uint64_t)(drop + exponent + 1075 - 1) << 52) + kept;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* m * 10^e for |e| <= MOST_FIVES. */
static double scaled(uint64_t m, int e) {
  if (m == 0) return 0;
  if (m <= (uint64_t)1 << 53 && e >= -MOST_TENS && e <= MOST_TENS)
    return e < 0 ? (double)m / tens[-e] : (double)m * tens[e];
  int shift = __builtin_clzll(m);
  m <<= shift;
  if (e >= 0) return rounded((wide)m * fives[e], false, e - shift);
  wide dividend = (wide)m << 64;
  wide quotient = dividend / fives[-e];
  return rounded(quotient, quotient * fives[-e] != dividend, e - 64 - shift);
}

/* More than 19 digits are read: takes the first that count, and asks whether the others can matter. */
static double longer(const decimal *number) {
  uint64_t m = 0;
  int used = 0;
  int64_t left = number->count;
  for (const char *p = number->begin; used < MOST_DIGITS && left > 0; p++) {
    if (*p == '.') continue;
    m = 10 * m + (uint64_t)(*p - '0');
    used += m != 0;
    left--;
  }
  int64_t exponent = number->exponent + left;
  if (exponent >= -MOST_FIVES && exponent <= MOST_FIVES) {
    double low = scaled(m, (int)exponent);
    if (left == 0 || low == scaled(m + 1, (int)exponent)) return low;
  }
  return svf_number_exact(number->begin, number->end, number->written);
}

static double value_of(const decimal *number) {
  if (number->count > MOST_DIGITS) return longer(number);
  if (number->exponent >= -MOST_FIVES && number->exponent <= MOST_FIVES)
    return scaled(number->whole, (int)number->exponent);
  return svf_number_exact(number->begin, number->end, number->written);
}

/* The digits after an e; text itself if there are none, for then the e is no part of the number. */
static const char *scan_exponent(const char *text, int64_t *exponent) {
  const char *p = text + 1;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!digit(*p)) return text;
  int64_t e = 0;
  for (; digit(*p); p++)
    if (e < INT64_C(1000000000000000)) e = 10 * e + (*p - '0');
  *exponent = negative ? -e : e;
  return p;
}

const char *svf_number_scan(const char *text, double *value) {
  const char *p = text + (*text == '-' || *text == '+');
  decimal number = {.begin = p};
  uint64_t whole = 0; /* wraps after 19 digits and is then not used */
  for (; digit(*p); p++) whole = 10 * whole + (uint64_t)(*p - '0');
  number.count = p - number.begin;
  if (*p == '.') {
    const char *point = p++;
    for (; digit(*p); p++) whole = 10 * whole + (uint64_t)(*p - '0');
    number.exponent = point + 1 - p;
    number.count -= number.exponent;
  }
  if (number.count == 0) return NULL;
  number.end = p;
  number.whole = whole;
  if (*p == 'e' || *p == 'E') p = scan_exponent(p, &number.written);
  number.exponent += number.written;
  double size = value_of(&number);
  *value = *text == '-' ? -size : size;
  return p;
}
