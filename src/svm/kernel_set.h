/* kernel_set.h - all the kernel machines of one set of rows: every kernel, pair of classes, fold and C on one matrix.
 *
 * Rows stand class by class, so the rows of a pair of classes are two ranges. The matrix of dot products (or chi2 sums)
 * is made once; the matrix of a kernel follows from it number by number. Where they do not fit into the memory that is
 * allowed, the machines make the rows of their part that they look at.
 *
 * With sum_i beta_i = 0, K_ij - a_i - a_j has the same solutions as K_ij for any a. Linear and polynomial kernels are
 * kept as K_ij - K(x_i, c) - K(x_j, c) + K(c, c), c the mean row: numbers without the large common part that would cost
 * single precision its last digits. */
#ifndef SVF_SVM_KERNEL_SET_H
#define SVF_SVM_KERNEL_SET_H

#include "svm/kernel.h"
#include "svm/linear_machines.h"

enum { SVF_MOST_C = 64 }; /* values of C at a time */

typedef struct svf_kernel_problem {
  size_t n, d;
  const float *const *row;
  const float *fill;    /* d: what stands for NaN; NULL: nothing is missing */
  const uint32_t *id;   /* n: column of a precomputed kernel that each row has; NULL: none is asked for */
  const int32_t *label; /* n: 0..m-1, every class present */
  size_t m;             /* m >= 2 */
  const double *weight; /* n: row weights > 0, or NULL: 1 */
  const int32_t *fold;  /* n: 0..folds-1, or NULL: none */
  size_t folds;
  svf_scheme scheme;   /* one-vs-one or one-vs-rest */
  bool balanced;       /* class weight n / (m n_k), rows counted by their weights; else given, or 1 */
  const double *given; /* m class weights, or NULL */
  bool rest_class;     /* one-vs-rest: every row its class weight; else the rest have 1 */
  size_t bytes;        /* that the matrices may take; 0: a quarter of a gigabyte */
  svf_solver solver;
} svf_kernel_problem;

typedef struct svf_kernel_set {
  const svf_kernel_problem *problem;
  size_t n, ld, m, machines;
  uint32_t *order; /* n: which of the problem's rows a row is */
  size_t *start;   /* m + 1: rows start[c]..start[c+1]-1 are of class c */
  size_t *place;   /* machines + 1: where a machine's part of the beta begins */
  int32_t *label, *fold;
  double *weight, *cost;
  float *x; /* n x ld */
  uint32_t *id;
  double *square;     /* n: |x_i|^2 */
  svf_kernel kernel;  /* the one in use */
  double *offset;     /* n: a_i above; all 0 for the other kernels */
  float *diagonal;    /* n: K_ii of the kernel in use, as it is kept */
  bool dense;         /* the matrices are kept */
  bool based;         /* `base` is there, */
  svf_kernel_base of; /* of this kind */
  double *base;       /* n x n */
  float *gram;        /* n x svf_padded(n): the kernel in use */
} svf_kernel_set;

/* Everything comes from solver.arena, whose mark the caller keeps. False: memory ran out. */
bool svf_kernel_open(svf_kernel_set *set, const svf_kernel_problem *problem);
/* Makes `kernel` the one in use. */
bool svf_kernel_take(svf_kernel_set *set, const svf_kernel *kernel);

/* The rows of a machine: of class plus and of class minus, or all (minus -1). */
typedef struct svf_sides_of {
  int32_t plus, minus;
  size_t from[2], count[2]; /* ranges of rows; the second may be empty */
} svf_sides_of;
svf_sides_of svf_kernel_sides(const svf_kernel_set *set, size_t machine);

typedef struct svf_kernel_machines {
  double C;
  double *beta; /* set->place: of the machine's rows, the second range svf_padded(count[0]) after the first; pads 0 */
  double *bias; /* machines: for the kernel as it is */
  double *kept; /* machines: for the kernel as the set keeps it */
  double gap;   /* the worst */
} svf_kernel_machines;

/* The machines of the kernel in use, on all rows. */
bool svf_kernel_train(const svf_kernel_set *set, double C, svf_kernel_machines *machines);
/* n x m class scores that the machines give to their own rows. */
bool svf_kernel_ask(const svf_kernel_set *set, const svf_kernel_machines *machines, double *score);
/* [C][n][m]: class scores of every row from the machines that were trained without its fold, for each of the ascending C. */
bool svf_kernel_hold(const svf_kernel_set *set, const double *C, size_t C_count, double *score);
/* Weight of the rows whose class has the largest of n x m scores. */
double svf_kernel_right(const svf_kernel_set *set, const double *score);
/* m x 2 sigmoids for held-out scores. False: memory ran out. */
bool svf_kernel_calibrate(const svf_kernel_set *set, const double *score, double *sigmoid);

/* kernel_ask.c: machines of `parts` folds (1: of all rows) and C_count costs, as the rows with coefficients, and what they
 * are asked for. */
typedef struct svf_asking {
  const svf_kernel_set *set;
  size_t parts, C_count;
  uint32_t *row; /* [part][set->place]: which rows, */
  double *beta;  /* and their C_count coefficients each */
  size_t *terms; /* [part][machine]: how many rows */
  double *kept;  /* [part][C][machine]: biases for the kernel as the set keeps it */
  double *score; /* [C][n][m]: the outcome */
  const size_t *run;
} svf_asking;
bool svf_asking_open(svf_asking *asking, const svf_kernel_set *set, size_t parts, size_t C_count);
/* Leaves out the rows of a machine, of so many, that have no coefficient. */
void svf_asking_close_up(svf_asking *asking, size_t part, size_t machine, size_t rows);
bool svf_kernel_ask_all(svf_asking *asking);

/* kernel_rows.c: K(x_i, x_j) - a_i - a_j of row i against two ranges of rows; z: svf_padded of their number. */
void svf_kernel_row(const svf_kernel_set *set, size_t i, const svf_sides_of *sides, double *wide, double *z);

#endif
