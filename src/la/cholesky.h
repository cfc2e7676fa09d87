/* cholesky.h - the Cholesky factor of a large matrix, by blocks: nearly all of it is products of matrices. */
#ifndef SVF_LA_CHOLESKY_H
#define SVF_LA_CHOLESKY_H

#include "base/arena.h"
#include "la/la.h"

/* H = R'R in place for the first n rows and columns, upper triangles; n x ld, pads 0. False: not positive definite in this
 * arithmetic, stopped, or scratch ran out (which the arena remembers). About n^3/3 operations. */
bool svf_cholesky_blocked(const svf_la *la, size_t n, size_t ld, double *h, const atomic_int *stop,
                          svf_arena *scratch);

#endif
