/* linear_regime.h - how the squared hinge is solved on one set of rows: chosen once, from its size, costs and folds.
 *
 * A regime is a row of the table in linear_regime.c: which matrix the fits share, what a Newton step solves, and where the
 * first fit starts. How the rows are stored depends on their number and length alone. docs/solvers.md explains the choice. */
#ifndef SVF_SVM_LINEAR_REGIME_H
#define SVF_SVM_LINEAR_REGIME_H

#include <stdbool.h>
#include <stddef.h>

/* Row lengths p at which another way becomes the faster one. */
enum {
  SVF_SHORTEST = 32, /* below: scores and sums of all rows in one pass */
  SVF_SHORT = 64,    /* below: sums over all rows in panels are cheaper than sums over the active rows */
  SVF_LONG = 80,     /* from here: the Gram matrix of all rows costs more than the passes that make it unnecessary */
};

/* How the rows are stored. Except for SVF_ROWS_AND_PANELS, all threads share each pass over the rows. */
typedef enum svf_storage {
  SVF_ROWS_AND_PANELS,
  SVF_ROWS_ONLY,   /* many long rows */
  SVF_PANELS_ONLY, /* very many short rows */
} svf_storage;

/* n rows of p numbers. */
svf_storage svf_storage_choose(size_t n, size_t p);

/* From this many numbers in all rows on, threads share the work on one problem: its parts, or each pass over the rows. */
enum { SVF_MANY = 1 << 19 };

/* The matrix that all fits on the rows share. */
typedef enum svf_regime_matrix {
  SVF_GRAM,     /* K = XX' in single precision */
  SVF_H_SINGLE, /* H = sum c x x', by fold, in single precision */
  SVF_H_DOUBLE, /* the same in double: in single precision, its errors would exceed the I that is added to it */
  SVF_H_SUMS,   /* in double, from products of 128 rows that are summed in single precision */
} svf_regime_matrix;

/* The linear system of a Newton step. */
typedef enum svf_regime_step {
  SVF_STEP_ROWS,     /* n x n, as large as the active set */
  SVF_STEP_FEATURES, /* p x p */
  SVF_STEP_BATCH,    /* p x p, one system of each fit in a vector lane */
  SVF_STEP_SMALLER,  /* n x n while few rows are active, else p x p */
} svf_regime_step;

/* Where the first fit starts, unless the caller has a better point. */
typedef enum svf_regime_first {
  SVF_FIRST_ZERO, /* w = 0 */
  SVF_FIRST_LEAP, /* beyond the first Newton step from w = 0 */
  SVF_FIRST_GRADIENT, /* near the solution, by conjugate gradients from w = 0; H is made of the rows that are active there */
} svf_regime_first;

typedef struct svf_regime {
  const char *name;
  svf_regime_matrix matrix;
  svf_regime_step step;
  svf_regime_first first;
} svf_regime;

/* Size alone does not decide: svf_regime_choose first asks for few rows, for a crowd and for the bound, then for the length. Rows
 * of 20 features that are uniform in [0, 1] pass the bound of 1e6 at C = 4 from some 20,000 rows on, those of 500 from some 800. */
typedef enum svf_regime_number {
  SVF_REGIME_GRAM,      /* more features than 0.8 times the rows of a training part */
  SVF_REGIME_GRAM_LONG, /* the same, p >= 80 */
  SVF_REGIME_BRIEF,     /* p < 32 */
  SVF_REGIME_SHORT,     /* p < 64 */
  SVF_REGIME_MIDDLE,    /* p < 80 */
  SVF_REGIME_LONG,      /* p >= 80 */
  SVF_REGIME_LONG_FEW,  /* p >= 128, n <= 3.5 p */
  SVF_REGIME_DOUBLE,    /* 2C H has eigenvalues too large for single precision */
  SVF_REGIME_SUMS,      /* the same, p >= 64, and sums in double are exact enough */
  SVF_REGIME_CROWD,     /* p < 64, n p >= 2^22 */
  SVF_REGIMES
} svf_regime_number;
extern const svf_regime svf_regimes[SVF_REGIMES];

/* What the choice depends on: n rows of p numbers, folds (1: none), and a bound on the eigenvalues of 2C H at the largest C,
 * into which C and the costs of the rows go. The number of classes is not among them. */
typedef struct svf_extent {
  size_t n, p, folds;
  double bound;
} svf_extent;

const svf_regime *svf_regime_choose(const svf_extent *extent);

/* Are sums with a relative error e in each number of H exact enough? If not, SVF_REGIME_DOUBLE does what SVF_REGIME_SUMS
 * does. */
bool svf_regime_sums(const svf_extent *extent, double e);

#endif
