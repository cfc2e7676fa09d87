/* slips.h - the features of a patch's rows once more, moved as the rows are: those of a plot lie in one stretch of memory,
 * however small it has become, and cutting it reads that and nothing else. Without them, a plot of a hundred rows among a
 * million is a hundred places to fetch. */
#ifndef SVF_CUT_SLIPS_H
#define SVF_CUT_SLIPS_H

#include "base/arena.h"
#include "data/encode.h"

typedef struct svf_slips {
  float *x;     /* n x span; NULL: there are none */
  float *spare; /* most x span */
  size_t span;  /* features, and what makes them whole vectors */
  size_t most;  /* a plot of more rows has none: it is large enough without */
} svf_slips;

/* For n rows of d features. Wide rows cost more to move than to fetch: then there are none. False: memory ran out. */
bool svf_slips_open(svf_slips *slips, svf_arena *arena, size_t n, size_t d);

/* Are there slips for plots of n rows? */
static inline bool svf_slips_hold(const svf_slips *slips, size_t n) { return slips->x && n <= slips->most; }

/* Copies the features of rows[order[0..n-1]] to places from, from + 1, ... */
void svf_slips_fill(const svf_slips *slips, const svf_frame *frame, const uint32_t *rows, const uint32_t *order,
                    size_t from, size_t n);

/* Moves those of side 0 before those of side 1, order kept. */
void svf_slips_deal(const svf_slips *slips, size_t from, size_t n, const unsigned char *side);

#endif
