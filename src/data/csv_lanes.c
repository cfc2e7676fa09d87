/* csv_lanes.c - see csv_lanes.h; compiled once per instruction set. A lane holds a cell: the eight bytes before its end, the last of
 * them highest, from which on svf_number_short is followed step by step. */
#include "data/csv_lanes.h"

#include "data/number.h"

#include <immintrin.h>

#ifdef __AVX512DQ__
enum { LANES = 8 };
#define OF_LANES(f)                                                                                                  \
  { f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7) }
#else
enum { LANES = 4 };
#define OF_LANES(f)                                                                                                  \
  { f(0), f(1), f(2), f(3) }
#endif

typedef uint64_t words __attribute__((vector_size(8 * LANES)));
typedef int64_t flags __attribute__((vector_size(8 * LANES))); /* -1: yes */
typedef double reals __attribute__((vector_size(8 * LANES)));

#define INLINE static inline __attribute__((always_inline))

#ifdef __AVX512DQ__
INLINE words widened(const uint32_t *x, size_t step) {
#define AT(i) (int)x[(i)*step]
  return (words)_mm512_cvtepu32_epi64((__m256i)(__v8si)OF_LANES(AT));
}
INLINE unsigned bits_of(flags yes) { return _mm512_movepi64_mask((__m512i)yes); }
INLINE reals power(words e) {
  const __m512d tens = _mm512_setr_pd(1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7);
  return (reals)_mm512_permutexvar_pd((__m512i)e, tens);
}
#else
INLINE words widened(const uint32_t *x, size_t step) {
#define AT(i)  (int)x[(i)*step]
  return (words)_mm256_cvtepu32_epi64((__m128i)(__v4si)OF_LANES(AT));
}
INLINE unsigned bits_of(flags yes) { return (unsigned)_mm256_movemask_pd((__m256d)yes); }
INLINE reals power(words e) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
#define TEN(i) tens[e[i]]
  return (reals)OF_LANES(TEN);
}
#endif

/* The eight bytes before the ends of the cells. (Instructions that gather take longer.) */
INLINE words bytes_before(const char *text, const uint32_t *stop, size_t width) {
#define BYTES(i) svf_eight_bytes(text + stop[(i)*width] - 8)
  return (words)OF_LANES(BYTES);
}

INLINE words same(uint64_t word) { return word - (words){0}; }
INLINE words only(flags yes, words word) { return (words)yes & word; }

/* All bytes from the last `count` on, 1..8; of others no matter what. */
INLINE words last_bytes(words count) { return same(UINT64_MAX) << ((64 - 8 * count) & 63); }

/* svf_eight_digits without products of whole words. */
INLINE words digits_of(words word) {
  word = ((word << 3) + (word << 1) + (word >> 8)) & same(UINT64_C(0x00FF00FF00FF00FF));
  word = ((word << 6) + (word << 5) + (word << 2) + (word >> 16)) & same(UINT64_C(0x0000FFFF0000FFFF));
  words high = word >> 32, low = word & same(UINT32_MAX); /* low * 10000 */
  return high + (low << 13) + (low << 10) + (low << 9) + (low << 8) + (low << 4);
}

/* How many bytes of a mask of whole bytes are set. */
INLINE words count_bytes(words mask) {
  mask &= same(SVF_EIGHT(1));
  mask += mask >> 32;
  mask += mask >> 16;
  mask += mask >> 8;
  return mask & same(15);
}

/* A whole number below 2^52: put into the mantissa of 2^52, which is then taken off. */
INLINE reals real(words whole) {
  return (reals)(whole | same(UINT64_C(0x4330000000000000))) - (reals)same(UINT64_C(0x4330000000000000));
}

INLINE unsigned read_lanes(const char *text, const uint32_t *stop, size_t width, double *value) {
  words length = widened(stop, width) - widened(stop - 1, width) - 1;
  words word = bytes_before(text, stop, width) & last_bytes(length);
  flags fine = length - 1 < 8;
  flags negative = (word >> ((64 - 8 * length) & 63) & 0xFF) == '-';
  length += (words)negative; /* one less */
  fine &= length - 1 < 8;
  word &= last_bytes(length);
  words other = word ^ same(SVF_EIGHT('.')), point = (other - same(SVF_EIGHT(1))) & ~other & same(SVF_EIGHT(0x80));
  point &= -point;
  flags with = point != 0;
  words before = (point >> 7) - 1, after = ~((point << 1) - 1);
  word = only(with, (word & before) << 8 | (word & after)) | only(~with, word);
  length += (words)with;
  fine &= length - 1 < 8;
  word ^= same(SVF_EIGHT('0')) & last_bytes(length);
  fine &= (((word + same(SVF_EIGHT(0x76))) | word) & same(SVF_EIGHT(0x80))) == 0;
  reals size = real(digits_of(word)) / power(only(with, count_bytes(after)));
  words bits = (words)size | ((words)negative & same(UINT64_C(1) << 63));
  memcpy(value, &bits, sizeof bits);
  return bits_of(fine);
}

void SVF_CSV_LANES_READ(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                        unsigned char *fine);
void SVF_CSV_LANES_READ(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                        unsigned char *fine) {
  for (size_t j = 0; j < width; j++) {
    unsigned bits = 0;
    for (size_t i = 0; value[j] && i < SVF_CSV_LANES; i += LANES)
      bits |= read_lanes(text, stop + j + i * width, width, value[j] + row + i) << i;
    fine[j] = (unsigned char)bits;
  }
}
