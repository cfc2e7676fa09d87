/* ls_gauss.h - the least-squares machine with a kernel of a distance,
 *
 *     rbf         k(x,z) = exp(-|x-z|^2 / (2 sigma^2))
 *     laplace     k(x,z) = exp(-|x-z| / sigma)
 *     manhattan   k(x,z) = exp(-sum_j |x_j - z_j| / sigma)
 *
 * its width sigma and C chosen from grids: by exact leave-one-out (ls_kernel.h), or on rows held out, as Hang et al. (2019)
 * do. One matrix of distances serves every width, one reduction per width every C; widths are tried by idle threads, too. */
#ifndef SVF_SVM_LS_GAUSS_H
#define SVF_SVM_LS_GAUSS_H

#include "svm/ls_kernel.h"

typedef enum svf_ls_kernel { SVF_LS_KERNEL_RBF, SVF_LS_KERNEL_LAPLACE, SVF_LS_KERNEL_MANHATTAN } svf_ls_kernel;

/* The distance that a kernel is made of, and what it is multiplied by: k = exp(-factor distance). */
svf_distance svf_ls_distance(svf_ls_kernel kernel);
double svf_ls_factor(svf_ls_kernel kernel, double sigma);

typedef struct svf_gauss_problem {
  svf_asked rows;    /* n rows of d floats */
  const float *pane; /* the same rows in panes (la.h), those that fill the last one included */
  size_t targets;
  const double *y;      /* targets x n */
  const double *weight; /* n, above 0, or NULL: all 1 */
  const double *width;  /* values to choose from, ascending */
  size_t widths;
  bool
      relative; /* widths are in units of the root mean squared distance between two rows, the one that the kernel is made of */
  const double *C;
  size_t C_count;
  size_t held_out; /* the last so many rows choose, then all train; 0: leave-one-out */
  bool no_bias;
  svf_ls_kernel kernel;
} svf_gauss_problem;

typedef struct svf_gauss {
  double sigma, C;      /* chosen; first of equals */
  double error;         /* leave-one-out error of the machine: mean of e_i^2 over rows (by weight) and targets */
  double *alpha, *bias; /* targets x svf_padded(n), pads 0; targets */
  double *left_out;     /* targets x n: e_i */
} svf_gauss;

/* Results from solver->arena, which keeps them. False: memory ran out (and where solver->stop is raised, the result has no
 * meaning). */
bool svf_gauss_fit(const svf_gauss_problem *problem, const svf_solver *solver, svf_gauss *result);

/* Bytes that it takes on one thread. */
double svf_gauss_memory(size_t n, size_t targets, size_t C_count);

#endif
