/* band.h - a symmetric matrix as a band between orthogonal factors: what an eigendecomposition is good for, at a third of
 * its cost, where only (A + shift I)^-1 is asked for, for many shifts.
 *
 *     A = P B P',   P'P = I,   B_ij = 0 where |i - j| > SVF_BAND
 *
 * Reflections in blocks do it (Golub and Van Loan, Matrix Computations, sections 5.1.7 and 8.3.1; Schreiber and Van Loan
 * 1989 for the compact form I - V T V'): about 8/3 n^3 operations, nearly all of them products of matrices. Then a factor of
 * B + shift I takes n SVF_BAND^2, a solution n SVF_BAND, the diagonal of the inverse 2 n^2 SVF_BAND operations. */
#ifndef SVF_LA_BAND_H
#define SVF_LA_BAND_H

#include <stdatomic.h>
#include "base/arena.h"
#include "la/la.h"

enum { SVF_BAND_ROW = SVF_BAND + 1 };

/* a: n x ld, its upper triangle is read and spoilt, pads are 0; entries below 1e-140 are taken as 0. band: n x SVF_BAND_ROW, number t of row i is B_i,i+t, 0
 * beyond the last column. basis: n x ld, P'. stop: once that is not 0 the rest is not done; NULL: nobody asks. False:
 * scratch ran out. */
bool svf_band_reduce(const svf_la *la, size_t n, size_t ld, double *a, double *band, double *basis,
                     const atomic_int *stop, svf_arena *scratch);

/* B + shift I = L L'. factor: n x SVF_BAND_ROW, row e holds 1 / L_ee, then L_e,e-1, L_e,e-2, ... False: not positive
 * definite in this arithmetic. */
bool svf_band_factor(size_t n, const double *band, double shift, double *factor);
/* Solves L L' v = b in place. */
void svf_band_solve(size_t n, const double *factor, double *b);

#endif
