/* ls_kernel.h - the least-squares support vector machine with any kernel (Suykens and Vandewalle 1999):
 *
 *     [ 0   1'                      ] [ b     ]   [ 0 ]
 *     [ 1   K + diag(1 / (C c_i))   ] [ alpha ] = [ y ]          f(x) = sum_i alpha_i k(x_i, x) + b
 *
 * With r_i = sqrt(c_i), alpha_i = r_i beta_i and R = diag(r) the system says: beta is orthogonal to r, and on the space
 * orthogonal to r  (R K R + I/C) beta = R y.  With an orthonormal basis Q of that space (n rows, n - 1 columns) in which
 * Q' R K R Q = B is a band (la/band.h),
 *
 *     beta = Q (B + I/C)^-1 Q' R y,      e_i = beta_i / (r_i G_i),   G_i = [Q (B + I/C)^-1 Q']_ii
 *
 * e_i being what a machine trained without row i errs by on it: alpha_i over the diagonal of the bordered matrix's inverse,
 * which is c_i G_i. So one reduction of a kernel matrix serves every C, every target and every left-out row. */
#ifndef SVF_SVM_LS_KERNEL_H
#define SVF_SVM_LS_KERNEL_H

#include "svm/linear.h"

typedef struct svf_ls_form {
  const svf_la *la;
  size_t n, wide, targets; /* wide: n, padded */
  double *root;            /* wide: r_i, the largest c_i taken as 1 */
  double total, strongest; /* sum of those c_i; the largest one */
  double *y;               /* targets x wide: R y */
  double *middle;          /* targets: r.(R y) / total */
  double least;            /* what of 1/C cannot be told from rounding of R K R */
  double *basis;           /* n - 1 rows of wide: Q' */
  double *band, *factor;
  double *edge;  /* n - 1: Q' R K c / total, what the bias is made of */
  double *along; /* targets x wide: Q' R y */
  /* of the C last tried */
  double *step; /* targets x wide: (B + I/C)^-1 Q' R y */
  double *beta; /* targets x wide */
  double *gain; /* wide: G_i */
  double *bias; /* targets */
} svf_ls_form;

/* y: targets of n numbers, `stride` from one to the next; weight: n, above 0, or NULL: all 1. The form lives in the arena.
 * False: memory ran out. */
typedef struct svf_ls_rows {
  size_t n, targets, stride;
  const double *y, *weight;
} svf_ls_rows;
bool svf_ls_open(svf_ls_form *form, const svf_ls_rows *rows, const svf_la *la, svf_arena *arena);

/* k: K, n x wide, both triangles, pads 0; spoilt. False: scratch ran out. */
bool svf_ls_reduce(svf_ls_form *form, double *k, svf_arena *scratch);

/* Finds beta and the bias for this C; with `left_out` the G_i too, and returns the mean of e_i^2 over rows (by weight)
 * and targets. */
double svf_ls_try(svf_ls_form *form, double C, bool left_out);

/* The machine of this C on the same K, not spoilt, refined until the residual of the system is nothing but rounding:
 * alpha is targets x wide, pads 0; left_out (or NULL) is targets x n. Returns what svf_ls_try does. */
double svf_ls_solve(svf_ls_form *form, double C, const double *k, double *alpha, double *left_out);

/* Bytes that a form and its matrix take, and what reducing it takes. */
double svf_ls_memory(size_t n, size_t targets);

#endif
