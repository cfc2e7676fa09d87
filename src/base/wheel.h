/* wheel.h - draws of one of n items in proportion to their weights, in constant time on average.
 *
 * Indexed search (Chen and Asau, On generating random variates from an empirical distribution, 1974): a number drawn between
 * 0 and the sum of the weights falls to one item; a guide of n entries says where to begin to look for it. */
#ifndef SVF_BASE_WHEEL_H
#define SVF_BASE_WHEEL_H

#include "base/arena.h"
#include "base/random.h"

typedef struct svf_wheel {
  double *sum;     /* n: of the weights up to and with each item */
  uint32_t *guide; /* n: the first item whose sum is above g/n of the whole */
  size_t n;
} svf_wheel;

/* n >= 1 weights above 0 with a finite sum; the wheel is from the arena, and without sums where memory ran out. */
svf_wheel svf_wheel_make(svf_arena *arena, size_t n, const double *weight);
size_t svf_wheel_draw(const svf_wheel *wheel, svf_random *random);

#endif
