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
 * which is c_i G_i. So one reduction of a kernel matrix serves every C, every target and every left-out row.
 *
 * Without a bias the system is (K + diag(1 / (C c_i))) alpha = y, and Q has all n columns; the rest stays as it is. */
#ifndef SVF_SVM_LS_KERNEL_H
#define SVF_SVM_LS_KERNEL_H

#include "svm/solver.h"

typedef struct svf_ls_form {
  const svf_la *la;
  const atomic_int *stop;  /* NULL, or once it is not 0 nobody uses what comes out */
  size_t n, wide, targets; /* wide: n, padded */
  bool no_bias;            /* b = 0 */
  double *root;            /* wide: r_i, the largest c_i taken as 1, none below SVF_LEAST_WEIGHT */
  double total, strongest; /* sum of those c_i; the largest one */
  double *y;               /* targets x wide: R y */
  double *middle;          /* targets: r.(R y) / total */
  double least;            /* what of 1/C cannot be told from rounding of R K R */
  double *basis;           /* n - 1 rows of wide, n without a bias: Q' */
  double *band;
  double *edge;  /* n - 1: Q' R K c / total, what the bias is made of */
  double *along; /* targets x wide: Q' R y */
} svf_ls_form;

/* Machines of several C. */
typedef struct svf_ls_path {
  const double *C;
  size_t count;
  double *factor; /* of B + I/C, one after the other */
  double *beta;   /* count x targets x wide */
  double *bias;   /* count x targets */
  double *gain;   /* count x wide: G_i */
  double *step;   /* wide: scratch */
} svf_ls_path;

/* y: targets of n numbers, `stride` from one to the next; weight: n, above 0, or NULL: all 1. The form lives in the arena.
 * False: memory ran out. */
typedef struct svf_ls_rows {
  size_t n, targets, stride;
  const double *y, *weight;
  bool no_bias;
} svf_ls_rows;
bool svf_ls_open(svf_ls_form *form, const svf_ls_rows *rows, const svf_la *la, svf_arena *arena);

/* k: K, n x wide, both triangles, pads 0; spoilt. False: scratch ran out. */
bool svf_ls_reduce(svf_ls_form *form, double *k, svf_arena *scratch);

/* Solves for every C of the path, the G_i too where left_out is set; its arrays come from the arena. False: memory ran
 * out. */
bool svf_ls_walk(const svf_ls_form *form, svf_ls_path *path, bool left_out, svf_arena *arena);

/* Mean of e_i^2 over rows (by weight) and targets with the path's C number c; left_out (or NULL) gets the e_i, targets x n. */
double svf_ls_error(const svf_ls_form *form, const svf_ls_path *path, size_t c, double *left_out);

/* Refines the path's first machine on the same K, not spoilt, until the residual of the system is nothing but rounding;
 * alpha is targets x wide, pads 0. Spoils form->along. */
void svf_ls_refine(svf_ls_form *form, svf_ls_path *path, const double *k, double *alpha);

/* Bytes that a form, its matrix and a path of `count` machines take, and what making them takes. */
double svf_ls_memory(size_t n, size_t targets, size_t count);

#endif
