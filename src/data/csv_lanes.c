/* csv_lanes.c - see csv_lanes.h; compiled once per instruction set. A lane holds a cell: the eight bytes before its end, the last of
 * them highest, from which on svf_number_short is followed step by step; of longer cells up to three times eight bytes, the
 * last first, and then what number.c does with 19 digits. */
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

INLINE words same(uint64_t word) { return word - (words){0}; }

/* A whole number below 2^52: put into the mantissa of 2^52, which is then taken off. */
INLINE reals real(words whole) {
  return (reals)(whole | same(UINT64_C(0x4330000000000000))) - (reals)same(UINT64_C(0x4330000000000000));
}

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
/* Number `index` of a table of SVF_INVERSES. (Instructions that gather take longer.) */
INLINE words at(const uint64_t *table, words index) {
  __m512i low = _mm512_permutex2var_epi64(_mm512_loadu_si512(table), (__m512i)index, _mm512_loadu_si512(table + 8));
  __m512i high = _mm512_permutexvar_epi64((__m512i)index, _mm512_loadu_si512(table + 16));
  return (words)_mm512_mask_mov_epi64(low, _mm512_cmpgt_epu64_mask((__m512i)index, _mm512_set1_epi64(15)), high);
}
/* By 64 and more: to 0. */
INLINE words up(words x, words by) { return (words)_mm512_sllv_epi64((__m512i)x, (__m512i)by); }
/* Of the lower halves of the words. */
INLINE words times(words a, words b) { return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
/* Zeros before the first bit; word > 0. */
INLINE words zeros_before(words word) { return (words)_mm512_lzcnt_epi64((__m512i)word); }
/* Of numbers that are small in size: 0 in the place of those below 0. */
INLINE words at_least_0(words x) { return (words)_mm512_max_epi64((__m512i)x, _mm512_setzero_si512()); }
/* Of the 32 bytes before the end of each cell the last eight, the eight before them and the next eight. */
INLINE void bytes_apart(const char *text, const uint32_t *stop, size_t width, words word[3]) {
#define CELL(i) _mm256_loadu_si256((const __m256i *)(const void *)(text + stop[(i)*width] - SVF_CSV_BACK))
#define TWO(i)  _mm512_inserti64x4(_mm512_castsi256_si512(CELL(i)), CELL(i + 1), 1)
  __m512i a = TWO(0), b = TWO(2), c = TWO(4), d = TWO(6);
  for (int k = 0; k < 3; k++) {
    __m512i from = _mm512_add_epi64(_mm512_setr_epi64(0, 4, 8, 12, 0, 4, 8, 12), _mm512_set1_epi64(3 - k));
    word[k] = (words)_mm512_mask_blend_epi64(0xF0, _mm512_permutex2var_epi64(a, from, b),
                                             _mm512_permutex2var_epi64(c, from, d));
  }
}
/* Of digits in bytes, the first lowest: what four at a time make. */
INLINE words joined(words word) {
  __m512i pairs = _mm512_maddubs_epi16((__m512i)word, _mm512_set1_epi16(0x010A));
  return (words)_mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
}
#else
INLINE words widened(const uint32_t *x, size_t step) {
#define AT(i)   (int)x[(i)*step]
  return (words)_mm256_cvtepu32_epi64((__m128i)(__v4si)OF_LANES(AT));
}
INLINE unsigned bits_of(flags yes) { return (unsigned)_mm256_movemask_pd((__m256d)yes); }
INLINE reals power(words e) {
  static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
#define TEN(i)  tens[e[i]]
  return (reals)OF_LANES(TEN);
}
INLINE words at(const uint64_t *table, words index) {
  return (words)_mm256_i64gather_epi64((const long long *)(const void *)table, (__m256i)index, 8);
}
INLINE words up(words x, words by) { return (words)_mm256_sllv_epi64((__m256i)x, (__m256i)by); }
INLINE words times(words a, words b) { return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
INLINE words at_least_0(words x) { return (words)_mm256_max_epi32((__m256i)x, _mm256_setzero_si256()); }
/* From the exponent of one half of the word as a double. */
INLINE words zeros_before(words word) {
  words upper = (words)(word >> 32 != 0), half = (upper & word >> 32) | (~upper & word);
  return 1023 + 31 + (~upper & 32) - ((words)real(half) >> 52);
}
INLINE void bytes_apart(const char *text, const uint32_t *stop, size_t width, words word[3]) {
#define CELL(i) _mm256_loadu_si256((const __m256i *)(const void *)(text + stop[(i)*width] - SVF_CSV_BACK))
  __m256i low[2] = {_mm256_unpacklo_epi64(CELL(0), CELL(1)), _mm256_unpacklo_epi64(CELL(2), CELL(3))};
  __m256i high[2] = {_mm256_unpackhi_epi64(CELL(0), CELL(1)), _mm256_unpackhi_epi64(CELL(2), CELL(3))};
  word[0] = (words)_mm256_permute2x128_si256(high[0], high[1], 0x31);
  word[1] = (words)_mm256_permute2x128_si256(low[0], low[1], 0x31);
  word[2] = (words)_mm256_permute2x128_si256(high[0], high[1], 0x20);
}
INLINE words joined(words word) {
  __m256i pairs = _mm256_maddubs_epi16((__m256i)word, _mm256_set1_epi16(0x010A));
  return (words)_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));
}
#endif

/* The eight bytes before the ends of the cells. (Instructions that gather take longer.) */
INLINE words bytes_before(const char *text, const uint32_t *stop, size_t width) {
#define BYTES(i) svf_eight_bytes(text + stop[(i)*width] - 8)
  return (words)OF_LANES(BYTES);
}

INLINE words only(flags yes, words word) { return (words)yes & word; }

/* All bytes from the last `count` on, 1..8; of others no matter what. */
INLINE words last_bytes(words count) { return same(UINT64_MAX) << ((64 - 8 * count) & 63); }

/* svf_eight_digits: neighbours are joined to pairs, fours and eight. */
INLINE words digits_of(words word) {
  word = joined(word);
  return times(word, same(10000)) + (word >> 32);
}

/* How many bytes of a mask of whole bytes are set. */
INLINE words count_bytes(words mask) {
  mask &= same(SVF_EIGHT(1));
  mask += mask >> 32;
  mask += mask >> 16;
  mask += mask >> 8;
  return mask & same(15);
}

/* The lowest byte that is a point: its top bit; 0: there is none. */
INLINE words point_of(words word) {
  words other = word ^ same(SVF_EIGHT('.')), point = (other - same(SVF_EIGHT(1))) & ~other & same(SVF_EIGHT(0x80));
  return point & -point;
}

/* Cells of at most eight bytes. */
INLINE unsigned read_short(const char *text, const uint32_t *stop, size_t width, words length, double *value) {
  words word = bytes_before(text, stop, width) & last_bytes(length);
  flags fine = length - 1 < 8;
  flags negative = (word >> ((64 - 8 * length) & 63) & 0xFF) == '-';
  length += (words)negative; /* one less */
  fine &= length - 1 < 8;
  word &= last_bytes(length);
  words point = point_of(word);
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

/* ---- longer cells ---- */

INLINE flags both(flags yes, flags other) { return yes & other; }

/* The bytes of word k, counted from the end, that are among the last `count`. */
INLINE words among(words count, uint64_t k) { return up(same(UINT64_MAX), at_least_0(64 * k + 64 - 8 * count)); }

/* The upper words of the products, too small by at most 2. */
INLINE words upper_product(words a, words b) {
  return times(a >> 32, b >> 32) + (times(a, b >> 32) >> 32) + (times(a >> 32, b) >> 32);
}

/* Just these; the lower ones in *low. */
INLINE words product(words a, words b, words *low) {
  words ll = times(a, b), lh = times(a, b >> 32), hl = times(a >> 32, b), hh = times(a >> 32, b >> 32);
  words middle = (ll >> 32) + (lh & same(UINT32_MAX)) + (hl & same(UINT32_MAX));
  *low = middle << 32 | (ll & same(UINT32_MAX));
  return hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
}

/* whole / 10^e for whole > 0, as quotient() of number.c has it, but with a product that is too small by less than 4; fine: where
 * that leaves no doubt. */
INLINE words quotients(words whole, words e, flags *fine) {
  words shift = zeros_before(whole), low;
  words high = product(up(whole, shift), at(svf_number_inverse.high, e), &low);
  words more = upper_product(up(whole, shift), at(svf_number_inverse.low, e));
  low += more;
  high -= (words)(low < more); /* carries */
  words top = high >> 63, half = up(same(512), top), lost = high & (2 * half - 1);
  *fine = ~(both(lost == half, low == 0) | both(lost == half - 1, low >= same(UINT64_MAX - 3)));
  words length = (times(e, same(SVF_LENGTH_OF_5)) >> 16) - (words)(e != 0); /* svf_inverse_length */
  words exponent = 10 + top + 1 - length - e - shift + 1074;
  return (exponent << 52) + (high >> (10 + top)) - (words)(lost >= half);
}

/* Cells of any length; fine are those of at most 19 digits. */
INLINE unsigned read_long(const char *text, const uint32_t *stop, size_t width, words length, double *value) {
  enum { MOST = 19 };
  words word[3], point[3], after[3];
  bytes_apart(text, stop, width, word);
  flags over8 = (flags)length > 8, over16 = (flags)length > 16, fine = length - 1 < MOST + 2;
  words first = only(over16, word[2]) | only(both(over8, ~over16), word[1]) | only(~over8, word[0]);
  flags negative = (first >> ((64 - 8 * length) & 63) & 0xFF) == '-';
  length += (words)negative; /* one less */
  for (uint64_t k = 0; k < 3; k++) word[k] &= among(length, k), point[k] = point_of(word[k]);
  /* What is before the point moves up by one: into its place, from word to word. */
  flags with = {0};
  for (size_t k = 0; k < 3; k++) {
    flags here = point[k] != 0;
    after[k] = only(~with, -(point[k] << 1) | (words)~here);
    with |= here;
  }
  length += (words)with;
  fine &= length - 1 < MOST;
  words moved[3] = {word[0] << 8 | word[1] >> 56, word[1] << 8 | word[2] >> 56, word[2] << 8};
  words places = {0}, odd = {0}, digits[3];
  for (uint64_t k = 0; k < 3; k++) {
    word[k] = (word[k] & after[k]) | (moved[k] & ~after[k]);
    word[k] = (word[k] ^ same(SVF_EIGHT('0'))) & among(length, k);
    odd |= (word[k] + same(SVF_EIGHT(0x76))) | word[k];
    digits[k] = digits_of(word[k]);
    places += after[k] & same(SVF_EIGHT(1));
  }
  fine &= (odd & same(SVF_EIGHT(0x80))) == 0;
  places += places >> 32, places += places >> 16, places += places >> 8;
  places = only(with, places & 31);
  words upper = times(digits[2], same(100000000)) + digits[1];
  words whole = times(upper, same(100000000)) + (times(upper >> 32, same(100000000)) << 32) + digits[0];
  flags sure; /* what is not fine may not ask beyond the table */
  words size = only(whole != 0, quotients(whole, only(fine, places), &sure));
  fine &= sure;
  words bits = size | ((words)negative & same(UINT64_C(1) << 63));
  memcpy(value, &bits, sizeof bits);
  return bits_of(fine);
}

void SVF_CSV_LANES_READ(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                        unsigned char *fine);
void SVF_CSV_LANES_READ(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                        unsigned char *fine) {
  for (size_t i = 0; i < SVF_CSV_LANES; i += LANES, stop += LANES * width) {
    words before = widened(stop - 1, width);
    for (size_t j = 0; j < width; j++) {
      words end = widened(stop + j, width), length = end - before - 1;
      unsigned bits = 0;
      before = end;
      if (value[j])
        bits = bits_of(length > 8) ? read_long(text, stop + j, width, length, value[j] + row + i)
                                   : read_short(text, stop + j, width, length, value[j] + row + i);
      fine[j] = (unsigned char)(i ? fine[j] | bits << i : bits);
    }
  }
}
