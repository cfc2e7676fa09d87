/* kernel.h - kernel functions, and the machine that is trained with them.
 *
 *   linear       x.z
 *   poly         (gamma x.z + coef0)^degree
 *   rbf          exp(-gamma |x - z|^2)
 *   chi2         exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)), for numbers that are not negative
 *   precomputed  what stands in row x under the number of z
 *
 * All but the last two come from the dot products of the rows, so one matrix of those serves every degree and width. */
#ifndef SVF_SVM_KERNEL_H
#define SVF_SVM_KERNEL_H

#include "la/dual.h"
#include "svm/solver.h"

typedef enum svf_kernel_kind {
  SVF_KERNEL_LINEAR,
  SVF_KERNEL_POLY,
  SVF_KERNEL_RBF,
  SVF_KERNEL_CHI2,
  SVF_KERNEL_PRECOMPUTED,
  SVF_KERNELS
} svf_kernel_kind;

typedef struct svf_kernel {
  svf_kernel_kind kind;
  double gamma, coef0;
  unsigned degree;
} svf_kernel;

/* What a kernel is made of: x.z, the sum of chi2, or the value itself. */
typedef enum svf_kernel_base { SVF_BASE_DOT, SVF_BASE_CHI, SVF_BASE_GIVEN } svf_kernel_base;
static inline svf_kernel_base svf_kernel_base_of(svf_kernel_kind kind) {
  return kind == SVF_KERNEL_CHI2 ? SVF_BASE_CHI : kind == SVF_KERNEL_PRECOMPUTED ? SVF_BASE_GIVEN : SVF_BASE_DOT;
}

/* z: what the kernel is made of, for one row against n others; becomes the kernel's values. square: |x|^2 of the row and
 * of the others, for rbf. z has svf_padded(n) numbers. */
void svf_kernel_values(const svf_kernel *kernel, const svf_la *la, size_t n, double own, const double *square,
                       double *z);

/* ---- rows of a kernel matrix, made when they are first asked for ---- */

typedef struct svf_gram svf_gram;
struct svf_gram {
  const svf_la *la;
  size_t n, ld;                                             /* rows; floats of one, pads zero */
  void (*fill)(const svf_gram *gram, size_t i, float *row); /* writes n numbers */
  void *source;                                             /* for fill */
  float *diagonal;                                          /* svf_padded(n), pads zero */
  float *memory;                                            /* room of `capacity` rows */
  size_t capacity, used, hand;
  const float **row;     /* n: where a row is; NULL: nowhere */
  uint32_t *holder;      /* capacity: whose a room is */
  unsigned char *recent; /* n: asked for since the hand last passed its room */
};

/* Takes room for as many rows as `bytes` allow, at least 3, from the arena; the caller sets fill, source and diagonal.
 * False: memory ran out. */
bool svf_gram_open(svf_gram *gram, const svf_la *la, size_t n, size_t bytes, svf_arena *arena);
/* Row i; the row `keep` stays where it is. */
const float *svf_gram_row(svf_gram *gram, size_t i, size_t keep);

/* ---- one machine ---- */

/* Two classes y_i = +-1 with costs c_i >= 0; with beta_i = y_i alpha_i the dual problem is
 *
 *     max  D(beta) = sum_i y_i beta_i - 1/2 beta' K beta,    sum_i beta_i = 0,   0 <= y_i beta_i <= C c_i
 *
 * and s_i = sum_j K_ij beta_j + b is the score of row i, e_i = y_i - (s_i - b) what steers the solver. A row with c_i = 0
 * is not there, but has its e_i. All arrays have svf_padded(n) numbers. */
typedef struct svf_smo {
  const double *sign, *cost;
  double C;
  double *beta, *e; /* where to start, and the outcome */
} svf_smo;

typedef struct svf_smo_fit {
  double bias;
  double primal, dual, gap; /* gap: (primal - dual) / primal */
  double violation;         /* of the optimality conditions, as LIBSVM has it */
  size_t steps;
} svf_smo_fit;

/* Everything 0. */
void svf_smo_reset(svf_smo *smo, size_t n);
/* From there, where C is so small that it is better: every row of the lighter class at its bound, and as much of the other.
 * Takes all rows of the matrix. */
void svf_smo_crowd(svf_gram *gram, svf_smo *smo, const svf_solver *solver);
/* A start for a larger C from the solution for this one. */
void svf_smo_rescale(svf_smo *smo, size_t n, double C);

/* Ends where the violation is at most 1e-3 and the gap at most solver->tolerance, or after max_steps * max(n, 100) steps.
 * False: memory ran out. */
bool svf_smo_run(svf_gram *gram, svf_smo *smo, const svf_solver *solver, svf_smo_fit *fit);

/* kernel_newton.c: a step of all rows between their bounds at once. False: memory ran out. */
typedef struct svf_face_end {
  size_t free;         /* rows between their bounds */
  bool moved, bounded; /* bounded: one of them is at its bound now */
} svf_face_end;
bool svf_smo_face(svf_gram *gram, svf_climb *c, const svf_solver *solver, svf_face_end *end);

#endif
