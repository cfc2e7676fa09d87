/* number.h - from text to the nearest double, whatever the locale. */
#ifndef SVF_DATA_NUMBER_H
#define SVF_DATA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads [+-]digits[.digits][e[+-]digits], digits on at least one side of the point, as the nearest double
 * (ties to even); too large a number gives an infinity, too small a one a zero. Returns the first byte after
 * the number, or NULL if none starts here. Words (inf, nan) and hexadecimals are not numbers. The text needs
 * an end that is no digit: a 0, a separator, a blank. */
const char *svf_number_scan(const char *text, double *value);
/* The same, faster where the bytes up to `limit` may be looked at, whatever they are. */
const char *svf_number_scan_within(const char *text, const char *limit, double *value);

/* The slow way that is always right: digits * 10^exponent, where `begin..end` holds digits and at most one
 * point, which counts. Open for number.c and the tests. */
double svf_number_exact(const char *begin, const char *end, int64_t exponent);

/* ---- eight digits at a time ---------------------------------------------------------------------- */

#define SVF_EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes as a number, the first of them lowest. */
static inline uint64_t svf_eight_bytes(const char *text) {
  uint64_t word;
  memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/* Of eight bytes less '0' each: the top bit of the first that is no digit, and perhaps of some after it. */
static inline uint64_t svf_eight_odd(uint64_t word) { return ((word + SVF_EIGHT(0x76)) | word) & SVF_EIGHT(0x80); }

/* The number that eight digits make, the first of them lowest: joins neighbours to pairs, fours and eight. */
static inline uint64_t svf_eight_digits(uint64_t word) {
  word = word * (10 * 256 + 1) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
  word = word * (100 * 65536 + 1) >> 16 & UINT64_C(0x0000FFFF0000FFFF);
  return word * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* 2^(127 + length) / 5^e rounded down, for e up to 27, with `length` such that it has just 128 bits: the bits of 5^e, but 0 of
 * 5^0. */
enum { SVF_INVERSES = 28, SVF_LENGTH_OF_5 = 152171 /* in 1/65536 bits */ };
typedef struct svf_inverse {
  uint64_t high[SVF_INVERSES], low[SVF_INVERSES];
} svf_inverse;
extern const svf_inverse svf_number_inverse;
static inline int svf_inverse_length(int e) { return (e * SVF_LENGTH_OF_5 >> 16) + (e != 0); }

/* Without a branch: signs come as they like. */
static inline double svf_with_sign(double size, bool negative) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits |= (uint64_t)negative << 63;
  memcpy(&size, &bits, sizeof size);
  return size;
}

/* Reads a number that is all of begin..end, at most eight digits and a point; false: it is longer, of another
 * form, or too near to `limit`. No branch depends on how long the number is. */
static inline bool svf_number_short(const char *begin, const char *end, const char *limit, double *value) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  bool negative = *begin == '-';
  begin += negative;
  size_t length = (size_t)(end - begin), places = 0;
  if (length - 1 > 7 || limit - begin < 8) return false;
  uint64_t word = svf_eight_bytes(begin) << (64 - 8 * length); /* the last byte is highest */
  uint64_t other = word ^ SVF_EIGHT('.'), point = (other - SVF_EIGHT(1)) & ~other & SVF_EIGHT(0x80);
  if (point) { /* what is before the point moves up by one */
    point &= -point;
    uint64_t before = (point >> 7) - 1, after = ~((point << 1) - 1);
    word = (word & before) << 8 | (word & after);
    places = (size_t)(63 - __builtin_ctzll(point)) / 8;
    if (--length == 0) return false;
  }
  word ^= SVF_EIGHT('0') << (64 - 8 * length);
  if (svf_eight_odd(word)) return false;
  double size = (double)(int64_t)svf_eight_digits(word) / tens[places]; /* both exact, so rounded once */
  *value = svf_with_sign(size, negative);
  return true;
}

/* Reads a finite number that is all of begin..end, however long; false: it is none. */
bool svf_number_long(const char *begin, const char *end, const char *limit, double *value);

#endif
