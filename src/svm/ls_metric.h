/* ls_metric.h - a least-squares machine that learns which features matter (recursive feature machines: Radhakrishnan,
 * Beaglehole, Pandit and Belkin, Science 2024), with a kernel of the distance between learned coordinates z = T x, T = I at
 * first. A round is
 *
 *     fit       sigma and C with the least leave-one-out error on the first rows, then f on all rows (ls_kernel.h)
 *     gradient  rbf, laplace:  g_i = grad f(z_i) = sum_l alpha_l w_il (z_i - z_l),
 *                              w_il = -k_il / sigma^2   or   -k_il / (sigma |z_i - z_l|), 0 where the two coincide
 *               manhattan:     g_ij = sum_l alpha_l k_il sign(z_lj - z_ij) / sigma
 *               G = sum_i c_i g_i g_i' / sum_i c_i, summed over the targets, c_i being the weight of a row
 *     metric    M = T G T, divided by its largest eigenvalue (diagonal: entry);   full: T = M^(1/2);   diagonal: T = diag(M)^(1/2)
 *
 * Manhattan has the diagonal metric alone. */
#ifndef SVF_SVM_LS_METRIC_H
#define SVF_SVM_LS_METRIC_H

#include "la/metric.h"
#include "svm/ls_gauss.h"

typedef struct svf_learning_rows {
  size_t n, d, targets;
  const float *x;       /* n x d, nothing missing */
  const double *y;      /* targets x n */
  const double *weight; /* n, above 0; NULL: all 1 */
} svf_learning_rows;

typedef struct svf_learning {
  svf_learning_rows rows;
  svf_ls_kernel kernel;
  bool full;
  size_t tries;            /* the first so many rows choose sigma and C */
  const double *width, *C; /* what they choose from, ascending; widths in units of the root mean squared distance */
  size_t widths, C_count;
  bool absolute; /* widths are in the units of the coordinates */
  bool no_bias;
  bool by_entry;            /* M is divided by its largest entry, if it is full, too */
  const svf_solver *solver; /* work is shared with idle threads where it has a worker */

  /* made by svf_learning_open */
  double *t; /* T: d numbers, or d x svf_padded(d) */
  size_t wide, ld;
  float *z, *pane;      /* rows in learned coordinates, and in panes (la.h) */
  double sigma, best_C; /* of the last fit */
  double *alpha, *bias; /* targets x wide; targets */
  double *distance, *k; /* n x wide: of the last fit; k is scratch */
  double *g;            /* n x ld: gradients of one target */
} svf_learning;

/* Takes memory from solver->arena; T = I. False: memory ran out. */
bool svf_learning_open(svf_learning *learning);
svf_metric svf_learning_metric(const svf_learning *learning);

/* False: memory ran out. After the wish to stop the outcome means nothing. */
bool svf_learning_fit(svf_learning *learning);
/* Gradients of target q at all rows, after a fit and svf_learning_slopes, to learning->g. */
void svf_learning_slopes(svf_learning *learning);
bool svf_learning_gradient(const svf_learning *learning, size_t q);
/* G, its upper triangle in rows of `ld` numbers or, of a diagonal metric, its diagonal; times the sum of the weights. After a fit,
 * which it spoils. False: memory ran out. */
bool svf_learning_products(svf_learning *learning, double *G);
/* The new metric, after a fit; where f is flat T stays as it is. */
bool svf_learning_turn(svf_learning *learning);

/* The whole of it: so many rounds, from where T is. */
bool svf_learning_run(svf_learning *learning, size_t rounds);

/* Mean of squared errors of the fit, by weight and over targets, at other rows; scaled: of the fit times the number, one for each
 * target, that makes it least. False: memory ran out. */
bool svf_learning_error(const svf_learning *learning, const svf_learning_rows *other, bool scaled, double *error);

/* How many of n rows a round may have, so that it takes about as long for any table; and bytes that so many take. */
size_t svf_learning_rows_within(const svf_learning_rows *rows, size_t wanted, double operations);
double svf_learning_memory(const svf_learning_rows *rows, bool full);

#endif
