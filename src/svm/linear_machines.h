/* linear_machines.h - all the machines of one set of rows: several classes, C by cross-validation, calibrated
 * probabilities.
 *
 * Class scores from machine scores:
 *   one-vs-rest      two classes: -s and s; more: the machine's own score
 *   one-vs-one       wins against the other classes, ties settled by margins, scaled into [-1, 1]
 *   crammer-singer   the class's own score
 * The C with the most correct held-out rows is taken, the smallest of equals; then the machines of the whole
 * set with that C. Held-out scores at that C also fit one sigmoid per class. */
#ifndef SVF_SVM_LINEAR_MACHINES_H
#define SVF_SVM_LINEAR_MACHINES_H

#include "svm/linear_shared.h"

typedef enum svf_loss { SVF_SQUARED_HINGE, SVF_HINGE } svf_loss;
typedef enum svf_scheme { SVF_ONE_VS_REST, SVF_ONE_VS_ONE, SVF_CRAMMER_SINGER } svf_scheme;

typedef struct svf_machines_problem {
  svf_points points;
  const int32_t *label; /* n: 0..m-1, every class present */
  size_t m;             /* m >= 2 */
  const double *weight; /* n: row weights > 0, or NULL: 1 */
  const int32_t *fold;  /* n: 0..folds-1, or NULL: no cross-validation */
  size_t folds;
  const double *const
      *begin; /* for each machine weights (and bias) that it may begin from, or NULL; NULL: no machine has
                                 any. Crammer-Singer and the hinge do not look at them. */
} svf_machines_problem;

typedef struct svf_machines_options {
  svf_loss loss;
  svf_scheme scheme;
  bool balanced;       /* class weight n / (m n_k), rows counted by their weights; else given, or 1 */
  const double *given; /* m class weights, or NULL */
  bool rest_class;     /* one-vs-rest: every row its class weight; else the rest have 1 */
  const double *C;     /* ascending */
  size_t C_count;      /* more than one needs folds */
  svf_solver solver;
} svf_machines_options;

typedef struct svf_machines { /* arrays from solver.arena */
  size_t count, ld;
  double *w; /* count x ld: d weights, the bias if there is one, zeros */
  double C;
  double gap;      /* worst relative duality gap of the machines kept */
  double held_out; /* share of the held-out rows' weight classified right; NaN: no folds */
  double *sigmoid; /* m x 2: p_k = 1 / (1 + exp(a s_k + b)), then normalised */
} svf_machines;

size_t svf_machine_count(svf_scheme scheme, size_t m);

/* False: memory ran out. The caller marks and releases the arena. */
bool svf_machines_train(const svf_machines_problem *problem, const svf_machines_options *options,
                        svf_machines *machines);

/* Position of the largest score, the first of equals. */
size_t svf_largest(size_t m, const double *score);

/* m class scores from the scores of the machines. */
void svf_class_scores(svf_scheme scheme, size_t m, const double *machine, double *score);
/* m probabilities from m class scores; with two classes only the second sigmoid is used. */
void svf_class_shares(size_t m, const double *sigmoid, const double *score, double *share);

#endif
