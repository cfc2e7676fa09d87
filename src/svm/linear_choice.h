/* linear_choice.h - which C: the one with the most held-out rows right, and the sigmoids fitted to its held-out
 * scores. */
#ifndef SVF_SVM_LINEAR_CHOICE_H
#define SVF_SVM_LINEAR_CHOICE_H

#include "svm/linear_machines.h"

typedef struct svf_choice {
  const svf_solver *solver;
  size_t n, m;          /* rows, classes */
  const int32_t *label; /* n */
  svf_scheme scheme;
  size_t machines, C_count;
  const float *held;    /* [machine][C][n] */
  const double *weight; /* n, or NULL: 1 */
} svf_choice;

/* best: number of the C, the smallest of equals; share: of the rows' weight classified right; sigmoid: m x 2.
 * False: memory ran out. */
bool svf_choice_make(const svf_choice *choice, size_t *best, double *share, double *sigmoid);

#endif
