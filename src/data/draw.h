/* draw.h - some rows of a table, drawn once each, as many of every class as its share. */
#ifndef SVF_DATA_DRAW_H
#define SVF_DATA_DRAW_H

#include "base/arena.h"
#include "base/random.h"

typedef struct svf_draw {
  size_t n, classes;
  const int32_t *label; /* n; NULL: classes is 1 */
  const double *weight; /* n, rows of weight 0 are not drawn; NULL: all may be */
} svf_draw;

/* About `wanted` rows, in random order, at least 2 of every class that has so many; row: room for n. Returns how many; 0 too
 * where scratch ran out, which the arena remembers. */
size_t svf_draw_rows(const svf_draw *draw, svf_random *random, size_t wanted, svf_arena *scratch, uint32_t *row);

#endif
