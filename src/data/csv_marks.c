/* csv_marks.c - see csv_stops.h; 64 bytes at a time, compiled once per instruction set. */
#include "data/csv_stops.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif
#include "base/bits.h"

#ifdef __SSE2__
/* One bit for each of 64 bytes: is it that byte? */
static inline uint64_t equal(const char *at, char byte) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(byte));
#elif defined(__AVX2__)
  const __m256i *half = (const __m256i *)(const void *)at, all = _mm256_set1_epi8(byte);
  uint64_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(half), all));
  return first | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(half + 1), all)) << 32;
#else
  const __m128i *part = (const __m128i *)(const void *)at, all = _mm_set1_epi8(byte);
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++)
    mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(part + i), all)) << 16 * i;
  return mask;
#endif
}

/* Appends base + i for every bit i of the mask; there must be room for 64. Four at a time: how often that is hardly changes
 * from mask to mask, so that the processor foresees it. */
static inline uint32_t *list_bits(uint64_t mask, uint32_t base, uint32_t *next) {
  const uint64_t last = UINT64_C(1) << 63; /* a bit to be found where none is left */
  size_t count = svf_bits(mask);
  for (size_t i = 0; i < count; i += 4)
    for (size_t q = i; q < i + 4; q++, mask &= mask - 1) next[q] = base + (uint32_t)__builtin_ctzll(mask | last);
  return next + count;
}

/* Appends, for every bit of the newlines' mask, how many stops are before it. */
static inline uint32_t *list_lines(uint64_t mask, uint64_t newlines, uint32_t before, uint32_t *next) {
  for (; newlines; newlines &= newlines - 1)
    *next++ = before + (uint32_t)svf_bits(mask & ((newlines & -newlines) - 1));
  return next;
}
#endif

void SVF_CSV_MARKS(const svf_csv *csv, svf_csv_stops *found);
void SVF_CSV_MARKS(const svf_csv *csv, svf_csv_stops *found) {
  const char *begin = csv->text.begin, *at = begin, *end = csv->text.end, newline = csv->text.newline;
  uint32_t *next = found->stop, *line = found->line;
  uint64_t odd = 0;
#ifdef __SSE2__
  for (; end - at >= 64; at += 64) {
    uint64_t newlines = equal(at, newline), mask = newlines | equal(at, csv->separator);
    odd |= equal(at, '"') | equal(at, 0);
    line = list_lines(mask, newlines, (uint32_t)(next - found->stop), line);
    next = list_bits(mask, (uint32_t)(at - begin), next);
  }
#endif
  for (; at < end; at++) {
    odd |= *at == '"' || !*at;
    if (*at == newline) *line++ = (uint32_t)(next - found->stop);
    if (*at == newline || *at == csv->separator) *next++ = (uint32_t)(at - begin);
  }
  *next++ = (uint32_t)(end - begin);
  found->count = (size_t)(next - found->stop), found->lines = (size_t)(line - found->line);
  found->odd = odd;
}
