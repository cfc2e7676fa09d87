/* eigen.h - eigenvalues of a symmetric matrix, and a Cholesky factor that reveals the rank. Plain loops over the kernels
 * of la.h: the same bits for any number of threads, and on every x86-64 with the portable table. */
#ifndef SVF_LA_EIGEN_H
#define SVF_LA_EIGEN_H

#include "base/arena.h"
#include "la/la.h"

/* A = V' diag(value) V for a symmetric A of n rows (both triangles given, pads 0), which V replaces: row j of the result
 * is the eigenvector of value[j], values descending. The rows are orthonormal to rounding whatever the eigenvalues.
 * Finite input only. False: scratch ran out. About 9 n^3 operations; after the wish to stop the outcome means nothing. */
bool svf_eigen(const svf_la *la, size_t n, svf_dense a, double *value, const atomic_int *stop, svf_arena *scratch);

/* P'HP = R'R for a positive semidefinite H (both triangles given): pivots are the largest first, and the first one that is
 * at most tolerance^2 times the very first ends it. Returns the rank r; rows 0..r-1 of H become R in pivoted order,
 * pivot[k] being the column of H that stands k-th. The same as QR with column pivoting on rows whose Gram matrix H is. The
 * wish to stop ends it early. */
size_t svf_cholesky_pivoted(size_t p, size_t ld, double *h, double tolerance, uint32_t *pivot,
                            const atomic_int *stop);
/* Solves R'z = b, or R v = z, in place with the leading r rows of such a factor. */
void svf_pivoted_forward(size_t r, size_t ld, const double *factor, double *b);
void svf_pivoted_backward(size_t r, size_t ld, const double *factor, double *z);

#endif
