/* csv_stops.c - see csv_stops.h; sixteen bytes at a time. */
#include "data/csv_stops.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "base/bits.h"

#ifdef __SSE2__
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

static void list_all(const svf_csv *csv, svf_csv_stops *found) {
  const char *begin = csv->text.begin, *at = begin, *end = csv->text.end;
  uint32_t *next = found->stop, *line = found->line;
#ifdef __SSE2__
  const __m128i separator = _mm_set1_epi8(csv->separator), newline = _mm_set1_epi8(csv->text.newline);
  for (; end - at >= 64; at += 64) {
    uint64_t mask = 0, newlines = 0;
    for (int i = 0; i < 4; i++) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
      __m128i ends = _mm_cmpeq_epi8(bytes, newline), hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, separator), ends);
      mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << 16 * i;
      newlines |= (uint64_t)(unsigned)_mm_movemask_epi8(ends) << 16 * i;
    }
    line = list_lines(mask, newlines, (uint32_t)(next - found->stop), line);
    next = list_bits(mask, (uint32_t)(at - begin), next);
  }
#endif
  for (; at < end; at++)
    if (*at == csv->separator || *at == csv->text.newline) *next++ = (uint32_t)(at - begin);
  *next++ = (uint32_t)(end - begin);
  found->count = (size_t)(next - found->stop), found->lines = (size_t)(line - found->line);
}

bool svf_csv_find_stops(const svf_csv *csv, svf_buffer *room, svf_csv_stops *found) {
  size_t most =
      (size_t)(csv->text.end - csv->text.begin) + 2; /* of either, one in front of the stops, one at their end */
  room->size = 0;
  uint32_t *list = svf_buffer_grow(room, 2 * most * sizeof *list);
  if (!list) return false;
  list[0] = UINT32_MAX;
  *found = (svf_csv_stops){.stop = list + 1, .line = list + most};
  list_all(csv, found);
  return true;
}
