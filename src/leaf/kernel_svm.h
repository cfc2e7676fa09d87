/* kernel_svm.h - the leaf kernel-svm: kernel_svm_common.c has what all leaves share, kernel_svm_cell.c the rows of one,
 * kernel_svm.c chooses and trains, kernel_svm_model.c writes what was trained, kernel_svm_predict.c does the rest.
 *
 * numbers:  SVF_KL_HEAD numbers (classes m, scheme, form, kernel, degree, gamma, coef0, C, gap, held-out accuracy or -1,
 *           support vectors V)
 *           m      codes of the classes present, ascending
 *           2 m    sigmoids                                            (from here on: m > 1)
 * and, by the form,
 *   vectors m      support vectors of each class; they stand class by class
 *           ...    biases of the machines
 *           V x c  coefficients: one-vs-one of its machine with each other class, c = m - 1; else of each machine
 *           V x d  the vectors; of a precomputed kernel their columns (V x 1)
 *   weights ... x P  weights of each machine for the P monomials of svf_monomials, the bias in the first
 *
 * A leaf with one class has m = 1 and no machine. A class absent from the leaf scores -1 and has no share. */
#ifndef SVF_LEAF_KERNEL_SVM_H
#define SVF_LEAF_KERNEL_SVM_H

#include "leaf/leaf.h"
#include "svm/kernel_set.h"

enum {
  SVF_KL_CLASSES,
  SVF_KL_SCHEME,
  SVF_KL_FORM,
  SVF_KL_KERNEL,
  SVF_KL_DEGREE,
  SVF_KL_GAMMA,
  SVF_KL_COEF0,
  SVF_KL_COST,
  SVF_KL_GAP,
  SVF_KL_HELD_OUT,
  SVF_KL_VECTORS,
  SVF_KL_HEAD
};
enum { SVF_FORM_VECTORS, SVF_FORM_WEIGHTS };
enum { SVF_MOST_DEGREE = 30, SVF_MOST_FOLDED = 3 }; /* of a kernel; of one that is folded into weights */

/* What all leaves share. */
enum { SVF_KL_CANDIDATES = 2 * SVF_LIST_SIZE + 1 };
typedef struct svf_kernel_common {
  size_t count;
  svf_kernel kernel[SVF_KL_CANDIDATES];
  double C[SVF_KL_CANDIDATES]; /* where they are chosen for the forest */
  size_t taken;                /* the candidate, where it is */
} svf_kernel_common;

/* kernel_svm_common.c: the members of the kind; how many candidates there are; the values of C to try, ascending. */
svf_status svf_kernel_prepare(const svf_frame *frame, const svf_settings *settings, svf_arena *arena, void **shared,
                              svf_message *message);
svf_status svf_kernel_check(const svf_settings *settings, svf_task task, svf_message *message);
size_t svf_kernel_candidates(const svf_settings *settings);
size_t svf_kernel_costs(const svf_settings *settings, double *C);

/* kernel_svm_cell.c: one cell at work. */
typedef struct svf_kernel_cell {
  const svf_ground *ground;
  const svf_site *site;
  const svf_kernel_common *all;
  svf_kernel_problem problem;
  svf_kernel_set set;
  size_t m;
  int32_t *present;
  double share;    /* of the tree's rows */
  double *held;    /* n x m: scores of the best so far; NULL: no folds */
  double *scores;  /* of one candidate: [C][n][m] */
  double held_out; /* share of the best's rows that are right; -1: not measured */
  double *sigmoid;
} svf_kernel_cell;
/* Is C chosen for the forest? */
bool svf_kernel_C_of_forest(const svf_settings *settings);
/* Finds the classes that are there; 0: memory ran out. */
size_t svf_kernel_classes(svf_kernel_cell *c);
/* Everything that candidates need; the leaf has at least two classes. */
svf_status svf_kernel_cell_open(svf_kernel_cell *c, svf_message *message);
/* The costs that a candidate is tried with in this leaf. */
size_t svf_kernel_costs_of(const svf_kernel_cell *c, size_t candidate, double *C);
/* The best C of the kernel in use by held-out rows; true: better than the best so far, whose scores are kept. */
bool svf_kernel_try(svf_kernel_cell *c, const double *C, size_t count, size_t *best, bool *fine);
/* What to return where all went well, or memory ran out, or the run was stopped. */
svf_status svf_kernel_ended(const svf_kernel_cell *c, bool fine, svf_message *message);

/* What was trained in a cell. */
typedef struct svf_kernel_result {
  const svf_kernel_set *set;
  const svf_kernel_machines *machines;
  const int32_t *present; /* m class codes */
  double held_out;        /* -1: not measured */
  const double *sigmoid;  /* m x 2 */
} svf_kernel_result;

/* kernel_svm_model.c: appends the numbers. False: memory ran out. */
bool svf_kernel_write(const svf_kernel_result *result, svf_buffer *numbers);
bool svf_kernel_write_pure(int32_t code, svf_buffer *numbers);

/* All monomials of up to `degree` of d variables: each is its parent times a variable; number 0 is the constant. `scale`
 * makes their products the kernel: K(x, z) = sum_q scale_q m_q(x) m_q(z). */
typedef struct svf_monomials {
  size_t count;
  uint32_t *parent, *variable;
  double *scale;
} svf_monomials;
/* How many there are, infinite if beyond 2^53: also the VC dimension of their sign functions. */
double svf_monomial_count(size_t d, unsigned degree);
/* Of a degree up to SVF_MOST_FOLDED, from the arena; false: memory ran out. Linear kernels have degree 1. */
bool svf_monomials_open(svf_monomials *m, const svf_kernel *kernel, size_t d, svf_arena *arena);
void svf_monomials_value(const svf_monomials *m, const float *x, double *value);

/* kernel_svm_predict.c: the members of the kind; see leaf.h. */
bool svf_kernel_valid(const svf_leaf_view *leaf);
bool svf_kernel_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch,
                        double *score, double *share);
double svf_kernel_gap(const svf_leaf_view *leaf);
double svf_kernel_capacity(const svf_leaf_view *leaf);
/* Of the sign functions of a kernel in d columns: polynomials have that of their monomials; the Gaussian kinds have none,
 * and of a precomputed kernel nothing is known. */
double svf_kernel_dimension(const svf_kernel *kernel, size_t d);
bool svf_kernel_text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out);

#endif
