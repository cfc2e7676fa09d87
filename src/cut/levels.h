/* levels.h - cuts of a category: some of its levels go right, all others left.
 *
 * Such a cut has NaN as threshold and its levels as terms, the same in a growing tree and in a model file:
 *     term 0      feature: the encoded column of codes; weight: how many levels are listed, or 0: bits follow
 *     the others  codes of the listed levels, ascending, two in a term (a last half is 0); or 64 bits in a term, the first
 *                 of them for code 0
 * An empty set has term 0 alone. A code that is not listed goes left: also one that the node never saw. */
#ifndef SVF_CUT_LEVELS_H
#define SVF_CUT_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "svforest_inspect.h"

static inline bool svf_by_levels(float threshold) { return threshold != threshold; }

/* Word number i of the terms from `term` on. */
static inline uint32_t svf_levels_word(const svf_term *term, size_t i) {
  uint32_t word;
  memcpy(&word, (const char *)term + i * sizeof word, sizeof word);
  return word;
}

/* Is the code among the levels of `count` terms? */
static inline bool svf_levels_have(const svf_term *term, size_t count, uint32_t code) {
  size_t low = 0, high = (size_t)term[0].weight;
  if (high == 0) return code / 64 < count - 1 && svf_levels_word(term + 1, code / 32) >> code % 32 & 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (svf_levels_word(term + 1, middle) < code) low = middle + 1;
    else high = middle;
  }
  return low < (size_t)term[0].weight && svf_levels_word(term + 1, low) == code;
}

/* -1: the row misses the feature; else 0 left, 1 right. */
static inline int svf_levels_side(const svf_term *term, size_t count, const float *row) {
  float code = row[term[0].feature];
  return code != code ? -1 : svf_levels_have(term, count, (uint32_t)code);
}

/* Terms that such a cut needs, of a feature with `levels` levels. */
size_t svf_levels_terms(size_t listed, size_t levels);
/* Writes them. level: codes, ascending. */
void svf_levels_write(uint32_t column, const uint32_t *level, size_t listed, size_t levels, svf_term *term);
/* The codes that go right, ascending; out: room for `levels`, or NULL. Returns how many. */
size_t svf_levels_list(const svf_term *term, size_t count, size_t levels, uint32_t *out);
/* Are these terms, from a file, a cut as described above, of a feature with so many levels? */
bool svf_levels_valid(const svf_term *term, size_t count, size_t levels);

#endif
