/* least_squares.h - the least-squares support vector machine with a linear kernel (Suykens and Vandewalle 1999), which is
 * ridge regression with a free bias:
 *
 *     min over w, b:   1/2 |w|^2 + C/2 sum_i c_i (y_i - w.x_i - b)^2
 *
 * Its optimum solves the bordered system  [0 1'; 1 K + diag(1/(C c_i))] [b; alpha] = [0; y]  with K_ij = x_i.x_j and
 * w = sum_i alpha_i x_i. What a machine trained without row i errs by on it is known without training it:
 *
 *     e_i = (y_i - w.x_i - b) / (1 - h_i),    h_i = share of y_i in the machine's own value for row i
 *
 * so C is chosen by exact leave-one-out. One eigendecomposition, of the scatter matrix of the columns or of the centred K,
 * whichever is smaller, serves every C and every target. */
#ifndef SVF_SVM_LEAST_SQUARES_H
#define SVF_SVM_LEAST_SQUARES_H

#include "svm/solver.h"

typedef struct svf_squares_problem {
  svf_rows rows; /* p features, no column for the bias */
  size_t targets;
  const double *y;      /* targets x n */
  const double *weight; /* n: c_i > 0, or NULL: all 1 */
  const double *C;      /* values to choose from */
  size_t C_count;
  size_t held_out; /* the last so many rows choose C, then all train; 0: leave-one-out */
} svf_squares_problem;

typedef struct svf_squares {
  double C;         /* the value with the least error, the first of equals */
  double error;     /* leave-one-out error with it: mean of e_i^2 over rows (by weight) and targets */
  double *w, *bias; /* targets x ld, targets */
  double *left_out; /* targets x n: e_i */
} svf_squares;

/* Results from solver->arena, which keeps them. False: memory ran out. */
bool svf_least_squares(const svf_squares_problem *problem, const svf_solver *solver, svf_squares *result);

#endif
