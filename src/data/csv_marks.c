/* csv_marks.c - see csv_stops.h; 64 bytes at a time, compiled once per instruction set. */
#include "data/csv_stops.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif
#include "base/bits.h"

/* One bit for each of 64 bytes: is it that byte? */
static inline uint64_t equal(const char *at, char byte) {
#if defined(__AVX512BW__)
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(byte));
#elif defined(__AVX2__)
  const __m256i *half = (const __m256i *)(const void *)at, all = _mm256_set1_epi8(byte);
  uint64_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(half), all));
  return first | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(half + 1), all)) << 32;
#elif defined(__SSE2__)
  const __m128i *part = (const __m128i *)(const void *)at, all = _mm_set1_epi8(byte);
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++)
    mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(part + i), all)) << 16 * i;
  return mask;
#else
  uint64_t mask = 0;
  for (int i = 0; i < 64; i++) mask |= (uint64_t)(at[i] == byte) << i;
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

/* The same one at a time, which needs room for no more than there are. */
static inline uint32_t *list_few(uint64_t mask, uint32_t base, uint32_t *next) {
  for (; mask; mask &= mask - 1) *next++ = base + (uint32_t)__builtin_ctzll(mask);
  return next;
}

/* Appends, for every bit of the newlines' mask, how many stops are before it. */
static inline uint32_t *list_lines(uint64_t mask, uint64_t newlines, uint32_t before, uint32_t *next) {
  for (; newlines; newlines &= newlines - 1)
    *next++ = before + (uint32_t)svf_bits(mask & ((newlines & -newlines) - 1));
  return next;
}

/* ---- with quotes ---- */

/* Bit i: are there an odd number of bits in the mask up to and with bit i? */
static inline uint64_t parity_up_to(uint64_t mask) {
  for (int by = 1; by < 64; by *= 2) mask ^= mask << by;
  return mask;
}

/* Are there just blanks between the byte and the separator, the newline or the end of the text before it? */
static bool begins_cell(const svf_csv *csv, const char *at) {
  while (at > csv->text.begin && svf_csv_blank(csv, at - 1)) at--;
  return at == csv->text.begin || svf_csv_stop(csv, at - 1);
}

/* The same after it, from the byte on. */
static bool ends_cell(const svf_csv *csv, const char *at) {
  while (at < csv->text.end && svf_csv_blank(csv, at)) at++;
  return at == csv->text.end || svf_csv_stop(csv, at);
}

typedef struct quotes { /* between one block of 64 bytes and the next */
  uint64_t inside;      /* all bits: the block begins inside of quotes */
  uint64_t may_open;    /* 1: the byte before it was a stop or a closing quote, or there is none */
  uint64_t closed;      /* 1: it was a closing quote */
  bool odd;
} quotes;

/* A quote opens if those before it in the text are even in number, else it closes. Before one that opens, and after one that
 * closes, there has to be the end of a cell, or the other kind: two in a row stand for one. Returns which bytes are inside of
 * quotes; the bits of `valid` are of the text. */
static inline uint64_t follow_quotes(const svf_csv *csv, const char *at, uint64_t quote, uint64_t ends,
                                     uint64_t valid, quotes *q) {
  uint64_t inside = parity_up_to(quote) ^ q->inside, opens = quote & inside, closes = quote & ~inside;
  uint64_t before = (ends & ~inside) | closes, after = (closes << 1 | q->closed) & valid;
  uint64_t odd_open = opens & ~(before << 1 | q->may_open), odd_close = after & ~(ends | quote);
  for (; odd_open; odd_open &= odd_open - 1) q->odd |= !begins_cell(csv, at + __builtin_ctzll(odd_open));
  for (; odd_close; odd_close &= odd_close - 1) q->odd |= !ends_cell(csv, at + __builtin_ctzll(odd_close));
  q->inside = inside >> 63 ? UINT64_MAX : 0;
  q->may_open = before >> 63, q->closed = closes >> 63;
  return inside;
}

static void marks_with_quotes(const svf_csv *csv, svf_csv_stops *found) {
  const char *begin = csv->text.begin, *end = csv->text.end;
  uint32_t *next = found->stop, *line = found->line, *inner = found->inner;
  quotes q = {.may_open = 1};
  char last[64];
  for (const char *at = begin; at < end && !q.odd; at += 64) {
    size_t left = (size_t)(end - at);
    const char *block = left < 64 ? memcpy(last, at, left) : at;
    uint64_t valid = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    uint64_t newlines = equal(block, csv->text.newline) & valid,
             ends = newlines | (equal(block, csv->separator) & valid);
    uint64_t inside = follow_quotes(csv, at, equal(block, '"') & valid, ends, valid, &q);
    q.odd |= (equal(block, 0) & valid) != 0;
    if (left < 64) q.inside = inside >> (left - 1) & 1 ? UINT64_MAX : 0;
    line = list_lines(ends & ~inside, newlines & ~inside, (uint32_t)(next - found->stop), line);
    uint32_t base = (uint32_t)(at - begin);
    next = left < 64 ? list_few(ends & ~inside, base, next) : list_bits(ends & ~inside, base, next);
    inner = list_few(newlines & inside, base, inner);
  }
  *next++ = (uint32_t)(end - begin);
  found->count = (size_t)(next - found->stop), found->lines = (size_t)(line - found->line);
  found->inners = (size_t)(inner - found->inner);
  found->odd = q.odd || q.inside;
}

/* ---- without ---- */

static void marks_without(const svf_csv *csv, svf_csv_stops *found) {
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
  found->inners = 0;
  found->odd = odd;
}

void SVF_CSV_MARKS(const svf_csv *csv, svf_csv_stops *found);
void SVF_CSV_MARKS(const svf_csv *csv, svf_csv_stops *found) {
  if (csv->quotes) marks_with_quotes(csv, found);
  else marks_without(csv, found);
}
