/* number.c - from text to the nearest double: the common cases; number_exact.c has the rest.
 *
 * A number is m * 10^e. Up to 19 digits m fits 64 bits, and then
 *   |e| <= 22, m <= 2^53:  m and 10^|e| are doubles, so one operation rounds once (Clinger 1990);
 *   |e| <= 27:             5^|e| fits 64 bits; the product, or the quotient and whether a rest is left, say
 * in 128 bits all that rounding needs. A product with 1 / 5^|e|, in 128 bits, nearly always does as well and is
 * faster than the quotient (Lemire 2021 has this for all exponents). Of more digits the first 19 give two neighbours m and m+1; where both
 * round alike, so does all between. */
#include "data/number.h"

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 19, MOST_TENS = 22, MOST_FIVES = SVF_INVERSES - 1 };

static const double tens[MOST_TENS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t powers[] = {1,       10,       100,       1000,       10000,       100000,
                                  1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};

#define FIVE_9     UINT64_C(1953125) /* 5^9 */
#define NINE_OF(x) x, x * 5, x * 25, x * 125, x * 625, x * 3125, x * 15625, x * 78125, x * 390625
static const uint64_t fives[MOST_FIVES + 1] = {NINE_OF(UINT64_C(1)), NINE_OF(FIVE_9), NINE_OF(FIVE_9 *FIVE_9),
                                               FIVE_9 *FIVE_9 *FIVE_9};

const svf_inverse svf_number_inverse = {
    .high = {UINT64_C(0x8000000000000000), UINT64_C(0xCCCCCCCCCCCCCCCC), UINT64_C(0xA3D70A3D70A3D70A),
             UINT64_C(0x83126E978D4FDF3B), UINT64_C(0xD1B71758E219652B), UINT64_C(0xA7C5AC471B478423),
             UINT64_C(0x8637BD05AF6C69B5), UINT64_C(0xD6BF94D5E57A42BC), UINT64_C(0xABCC77118461CEFC),
             UINT64_C(0x89705F4136B4A597), UINT64_C(0xDBE6FECEBDEDD5BE), UINT64_C(0xAFEBFF0BCB24AAFE),
             UINT64_C(0x8CBCCC096F5088CB), UINT64_C(0xE12E13424BB40E13), UINT64_C(0xB424DC35095CD80F),
             UINT64_C(0x901D7CF73AB0ACD9), UINT64_C(0xE69594BEC44DE15B), UINT64_C(0xB877AA3236A4B449),
             UINT64_C(0x9392EE8E921D5D07), UINT64_C(0xEC1E4A7DB69561A5), UINT64_C(0xBCE5086492111AEA),
             UINT64_C(0x971DA05074DA7BEE), UINT64_C(0xF1C90080BAF72CB1), UINT64_C(0xC16D9A0095928A27),
             UINT64_C(0x9ABE14CD44753B52), UINT64_C(0xF79687AED3EEC551), UINT64_C(0xC612062576589DDA),
             UINT64_C(0x9E74D1B791E07E48)},
    .low = {UINT64_C(0x0000000000000000), UINT64_C(0xCCCCCCCCCCCCCCCC), UINT64_C(0x3D70A3D70A3D70A3),
            UINT64_C(0x645A1CAC083126E9), UINT64_C(0xD3C36113404EA4A8), UINT64_C(0x0FCF80DC33721D53),
            UINT64_C(0xA63F9A49C2C1B10F), UINT64_C(0x3D32907604691B4C), UINT64_C(0xFDC20D2B36BA7C3D),
            UINT64_C(0x31680A88F8953030), UINT64_C(0xB573440E5A884D1B), UINT64_C(0xF78F69A51539D748),
            UINT64_C(0xF93F87B7442E45D3), UINT64_C(0x2865A5F206B06FB9), UINT64_C(0x538484C19EF38C94),
            UINT64_C(0x0F9D37014BF60A10), UINT64_C(0x4C2EBE687989A9B3), UINT64_C(0x09BEFEB9FAD487C2),
            UINT64_C(0x3AFF322E62439FCF), UINT64_C(0x2B31E9E3D06C32E5), UINT64_C(0x88F4BB1CA6BCF584),
            UINT64_C(0xD3F6FC16EBCA5E03), UINT64_C(0x5324C68B12DD6338), UINT64_C(0x75B7053C0F178293),
            UINT64_C(0xC4926A9672793542), UINT64_C(0x3A83DDBD83F52204), UINT64_C(0x95364AFE032A819D),
            UINT64_C(0x775EA264CF55347D)}};

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

/* m / 5^e * 2^exponent for m >= 2^63. */
__attribute__((noinline)) static double divided(uint64_t m, int e, int exponent) {
  wide dividend = (wide)m << 64, ratio = dividend / fives[e];
  return rounded(ratio, ratio * fives[e] != dividend, exponent - 64);
}

/* m / 10^e for m > 0: by a product that is too small by less than 2 in its 128 bits, unless that leaves open on
 * which side of a midpoint the quotient is. */
static inline double quotient(uint64_t m, int e) {
  int shift = __builtin_clzll(m);
  m <<= shift;
  wide product = (wide)m * svf_number_inverse.high[e] + ((wide)m * svf_number_inverse.low[e] >> 64);
  uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
  int drop = 10 + (int)(high >> 63); /* of the high half; the low one only says whether there is more */
  uint64_t half = UINT64_C(1) << (drop - 1), lost = high & (2 * half - 1);
  if ((lost == half && low == 0) || (lost == half - 1 && low >= UINT64_MAX - 1)) return divided(m, e, -e - shift);
  uint64_t bits =
      ((uint64_t)(drop + 1 - svf_inverse_length(e) - e - shift + 1074) << 52) + (high >> drop) + (lost >= half);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* m * 10^e for |e| <= MOST_FIVES. */
static double scaled(uint64_t m, int e) {
  if (m == 0) return 0;
  if (m <= (uint64_t)1 << 53 && e >= -MOST_TENS && e <= MOST_TENS)
    return e < 0 ? (double)m / tens[-e] : (double)m * tens[e];
  if (e < 0) return quotient(m, -e);
  int shift = __builtin_clzll(m);
  return rounded((wide)(m << shift) * fives[e], false, e - shift);
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

/* Appends the digits from p on to a whole number; returns where they end. */
static inline const char *take_digits(const char *p, const char *limit, uint64_t *whole) {
  while (limit - p >= 8) {
    uint64_t word = svf_eight_bytes(p) ^ SVF_EIGHT('0'), odd = svf_eight_odd(word);
    if (odd) {
      int count = __builtin_ctzll(odd) / 8;
      if (count) *whole = *whole * powers[count] + svf_eight_digits(word << (64 - 8 * count));
      return p + count;
    }
    *whole = *whole * 100000000 + svf_eight_digits(word);
    p += 8;
  }
  for (; digit(*p); p++) *whole = 10 * *whole + (uint64_t)(*p - '0');
  return p;
}

#ifdef __SSE2__
/* The number that sixteen digits make, which are text[0..16] without the point at `point`; false: one of them is
 * none. Neighbours are joined to pairs, fours and eights, as in svf_eight_digits. */
static inline bool sixteen(const char *text, size_t point, uint64_t *whole) {
  static const char before[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(before + 16 - point)), nine = _mm_set1_epi8(9);
  __m128i left = _mm_loadu_si128((const __m128i *)(const void *)text);
  __m128i right = _mm_loadu_si128((const __m128i *)(const void *)(text + 1));
  __m128i digits = _mm_or_si128(_mm_and_si128(mask, left), _mm_andnot_si128(mask, right));
  digits = _mm_sub_epi8(digits, _mm_set1_epi8('0'));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(digits, nine), nine)) != 0xFFFF) return false;
  __m128i tens_of = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xFF)), _mm_set1_epi16(10));
  __m128i pairs = _mm_add_epi16(tens_of, _mm_srli_epi16(digits, 8));
  __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
  __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
  *whole = (both & UINT32_MAX) * 100000000 + (both >> 32);
  return true;
}

/* 16 to 19 digits with a point among the first sixteen, all that a double has. False: another form. */
static bool full(const char *begin, const char *end, const char *limit, double *value) {
  const char *text = begin + (*begin == '-');
  size_t count = (size_t)(end - text) - 1, last = count - 16;
  if (last > MOST_DIGITS - 16 || limit - text < 33) return false;
  __m128i start = _mm_loadu_si128((const __m128i *)(const void *)text);
  unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(start, _mm_set1_epi8('.')));
  if (!points) return false;
  uint64_t whole, rest = (svf_eight_bytes(text + 17) ^ SVF_EIGHT('0')) << 32 << (32 - 8 * last);
  if (!sixteen(text, (size_t)__builtin_ctz(points), &whole) || svf_eight_odd(rest)) return false;
  whole = whole * powers[last] + svf_eight_digits(rest);
  double size = whole ? quotient(whole, (int)count - __builtin_ctz(points)) : 0;
  *value = svf_with_sign(size, *begin == '-');
  return true;
}
#else
static bool full(const char *begin, const char *end, const char *limit, double *value) {
  (void)begin, (void)end, (void)limit, (void)value;
  return false;
}
#endif

/* 9 to 19 digits with a point among the first eight, as most programs write numbers; no branch depends on how
 * many there are. False: another form. */
static bool usual(const char *begin, const char *end, const char *limit, double *value) {
  const char *text = begin + (*begin == '-');
  size_t count = (size_t)(end - text) - 1;
  if (count - 9 > MOST_DIGITS - 9 || limit - text < 25) return false;
  uint64_t word = svf_eight_bytes(text), other = word ^ SVF_EIGHT('.');
  uint64_t point = (other - SVF_EIGHT(1)) & ~other & SVF_EIGHT(0x80);
  if (!point) return false;
  uint64_t before = (point >> 7 & -(point >> 7)) - 1;
  size_t middle = count < 16 ? count - 8 : 8, last = count - 8 - middle;
  uint64_t first = ((word & before) | (svf_eight_bytes(text + 1) & ~before)) ^ SVF_EIGHT('0');
  uint64_t second = (svf_eight_bytes(text + 9) ^ SVF_EIGHT('0')) << (64 - 8 * middle);
  uint64_t third = (svf_eight_bytes(text + 17) ^ SVF_EIGHT('0')) << 32 << (32 - 8 * last);
  if (svf_eight_odd(first) | svf_eight_odd(second) | svf_eight_odd(third)) return false;
  uint64_t whole = svf_eight_digits(first) * powers[count - 8] + svf_eight_digits(second) * powers[last];
  whole += svf_eight_digits(third);
  int places = (int)count - __builtin_ctzll(point) / 8;
  double size = count > 15 && whole ? quotient(whole, places) : (double)(int64_t)whole / tens[places];
  *value = svf_with_sign(size, *begin == '-');
  return true;
}

bool svf_number_long(const char *begin, const char *end, const char *limit, double *value) {
  double found;
  if (full(begin, end, limit, value) || usual(begin, end, limit, value)) return true;
  if (svf_number_scan_within(begin, limit, &found) != end || isinf(found)) return false;
  *value = found;
  return true;
}

const char *svf_number_scan(const char *text, double *value) { return svf_number_scan_within(text, text, value); }

const char *svf_number_scan_within(const char *text, const char *limit, double *value) {
  const char *p = text + (*text == '-' || *text == '+');
  decimal number = {.begin = p};
  uint64_t whole = 0; /* wraps after 19 digits and is then not used */
  p = take_digits(p, limit, &whole);
  number.count = p - number.begin;
  if (*p == '.') {
    const char *point = p++;
    p = take_digits(p, limit, &whole);
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
