/* levels.c - see levels.h. */
#include "cut/levels.h"

#include <math.h>

enum { LISTED_MOST = 1 << 24 }; /* whole numbers that a float can count */

static size_t bit_terms(size_t levels) { return (levels + 63) / 64; }
static size_t list_terms(size_t listed) { return (listed + 1) / 2; }

/* Whichever takes less. */
static bool as_list(size_t listed, size_t levels) {
  return listed > 0 && listed < LISTED_MOST && list_terms(listed) < bit_terms(levels);
}

size_t svf_levels_terms(size_t listed, size_t levels) {
  if (listed == 0) return 1;
  return 1 + (as_list(listed, levels) ? list_terms(listed) : bit_terms(levels));
}

void svf_levels_write(uint32_t column, const uint32_t *level, size_t listed, size_t levels, svf_term *term) {
  bool list = as_list(listed, levels);
  size_t count = svf_levels_terms(listed, levels);
  char *words = (char *)(term + 1);
  term[0] = (svf_term){column, list ? (float)listed : 0};
  memset(words, 0, (count - 1) * sizeof *term);
  for (size_t i = 0; i < listed; i++) {
    size_t at = list ? i : level[i] / 32;
    uint32_t word = list ? level[i] : svf_levels_word(term + 1, at) | UINT32_C(1) << level[i] % 32;
    memcpy(words + at * sizeof word, &word, sizeof word);
  }
}

size_t svf_levels_list(const svf_term *term, size_t count, size_t levels, uint32_t *out) {
  size_t listed = 0;
  for (uint32_t code = 0; code < levels; code++) {
    if (!svf_levels_have(term, count, code)) continue;
    if (out) out[listed] = code;
    listed++;
  }
  return listed;
}

static bool list_valid(const svf_term *term, size_t listed, size_t levels) {
  for (size_t i = 0; i < listed; i++) {
    uint32_t code = svf_levels_word(term + 1, i);
    if (code >= levels || (i && code <= svf_levels_word(term + 1, i - 1))) return false;
  }
  return listed % 2 == 0 || svf_levels_word(term + 1, listed) == 0;
}

/* No bit beyond the last level, and some before it. */
static bool bits_valid(const svf_term *term, size_t levels) {
  uint32_t any = 0;
  for (size_t i = 0; i < 2 * bit_terms(levels); i++) any |= svf_levels_word(term + 1, i);
  if (!any) return false;
  for (size_t code = levels; code < 64 * bit_terms(levels); code++)
    if (svf_levels_word(term + 1, code / 32) >> code % 32 & 1) return false;
  return true;
}

bool svf_levels_valid(const svf_term *term, size_t count, size_t levels) {
  float listed = count ? term[0].weight : NAN;
  if (!(listed >= 0 && listed < LISTED_MOST) || listed != floorf(listed)) return false;
  if (listed > 0) return count == 1 + list_terms((size_t)listed) && list_valid(term, (size_t)listed, levels);
  return count == 1 || (count == 1 + bit_terms(levels) && bits_valid(term, levels));
}
