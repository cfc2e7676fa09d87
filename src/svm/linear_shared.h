/* linear_shared.h - what all fits on one set of rows share: the rows, gathered in the order of their folds in single precision,
 * as rows (for updates of H) and as panels (for scores); the regime; and the matrices that serve every class, C and fold. */
#ifndef SVF_SVM_LINEAR_SHARED_H
#define SVF_SVM_LINEAR_SHARED_H

#include "svm/linear_regime.h"
#include "svm/solver.h"

/* n rows of d floats, anywhere in a table. */
typedef struct svf_points {
  size_t n, d;
  bool bias; /* a constant feature 1 follows the others */
  const float *x;
  size_t stride;        /* floats from one row of the table to the next */
  const uint32_t *list; /* n: which rows of the table they are; NULL: 0..n-1 */
  const float *fill;    /* d: replaces NaN; NULL: nothing is missing */
} svf_points;

static inline const float *svf_point(const svf_points *points, size_t i) {
  return points->x + (points->list ? points->list[i] : i) * points->stride;
}

typedef struct svf_shared {
  const svf_la *la;
  size_t n, p, ld;      /* rows; numbers of a row, with the bias; floats from one row to the next */
  size_t panels;        /* of SVF_PANEL rows; rows beyond n are zero */
  size_t folds, *start; /* rows start[f]..start[f+1]-1 are fold f; 1 if there are none */
  uint32_t *order;      /* n: the point of each row */
  svf_storage storage;
  const svf_regime *regime; /* NULL before svf_shared_make */
  float *x, *panel;         /* rows; panels; one of them may be NULL: see svf_storage */
  double longest;           /* largest |x_i|^2 */
  double mean_square;       /* mean |x_i|^2 */
  float *total;             /* SVF_H_SINGLE: per fold sum base_i x_i x_i', svf_padded(p) x ld each */
  double *total_double;     /* H in double: the same, svf_padded(p) x svf_padded(p) each */
  float *gram;              /* SVF_GRAM: upper triangle of K = XX'; SVF_STEP_SMALLER: its known rows; n x gram_ld */
  struct svf_known *known;  /* SVF_STEP_SMALLER: which rows of K are known */
  size_t gram_ld;
  float *one; /* svf_padded(p) numbers: 1 */
} svf_shared;

/* Are steps n x n, is H kept in double, are the steps of all fits taken in one batch? */
static inline bool svf_shared_gram(const svf_shared *shared) { return shared->regime->matrix == SVF_GRAM; }
static inline bool svf_shared_batch(const svf_shared *shared) { return shared->regime->step == SVF_STEP_BATCH; }
static inline bool svf_shared_double(const svf_shared *shared) { return shared->regime->matrix >= SVF_H_DOUBLE; }

/* linear_rows.c: gathers the rows in the order of their folds (fold NULL: as they are). Memory comes from solver->arena; ask
 * svf_arena_failed after. */
void svf_shared_open(svf_shared *shared, const svf_points *points, const int32_t *fold, size_t folds,
                     const svf_solver *solver);
/* n costs that most problems on the rows have, in a unit of their own. */
typedef struct svf_costs {
  const double *base;
  double unit;
} svf_costs;
static inline float svf_cost(const svf_costs *costs, size_t i) { return (float)(costs->base[i] / costs->unit); }

/* Panels in a block of work. With short rows, a block stays in the second cache. */
enum { SVF_BLOCK = 64 };

/* linear_totals.c: chooses the regime and computes the shared matrices. C: the largest, for costs in their unit. False: memory
 * ran out. */
bool svf_shared_make(svf_shared *shared, const svf_costs *costs, double C, const svf_solver *solver);

/* Adds sum_q weight[q] x_i x_i', i = list[q], to an H in single precision. */
void svf_shared_rank(const svf_shared *shared, const svf_solver *solver, size_t count, const uint32_t *list,
                     const float *weight, float *h);
/* linear_double.c: the same to an H in double, some rows at a time. */
enum { SVF_DOUBLE_ROWS = 128 };
typedef struct svf_double_scratch {
  const svf_solver *solver;
  double *x; /* some rows in double, and their weights */
  const double **row;
  double *weight;
  float *packed, *scaled; /* SVF_H_SUMS: rows in groups of columns, as they are and times their weights */
} svf_double_scratch;
void svf_double_open(svf_double_scratch *scratch, const svf_shared *shared, const svf_solver *solver);
void svf_double_rank(const svf_shared *shared, const svf_double_scratch *scratch, size_t count, const uint32_t *list,
                     const float *weight, double *h);
/* SVF_H_SUMS: the same of 1..SVF_DOUBLE_ROWS rows for columns from..to-1 of the upper triangle alone, multiples of SVF_LANES. */
typedef struct svf_strip {
  size_t from, to;
} svf_strip;
void svf_double_strip(const svf_shared *shared, const svf_double_scratch *scratch, svf_strip columns, size_t count,
                      const uint32_t *list, const float *weight, double *h);

/* s[q][i] = row_i . w[q] for the rows of panels first.. and 1..SVF_COLUMNS vectors of ld numbers: one pass for all. */
void svf_shared_scores(const svf_shared *shared, size_t first, size_t panels, size_t columns, const float *const *w,
                       float *const *s);
/* The same in double for one vector of svf_padded(p) numbers. */
void svf_shared_scores_double(const svf_shared *shared, size_t first, size_t panels, const double *w, double *s);

/* Row i in double: p numbers. */
void svf_shared_fetch(const svf_shared *shared, size_t i, double *to);

/* SVF_STEP_SMALLER: computes the listed rows of K that are not known yet. Threads may ask for the same ones. */
void svf_shared_know(const svf_shared *shared, const svf_solver *solver, const uint32_t *list, size_t count);

/* Numbers in one H in double. */
static inline size_t svf_double_square(const svf_shared *shared) {
  return svf_padded(shared->p) * svf_padded(shared->p);
}
/* Numbers in one H in single precision. */
static inline size_t svf_shared_square(const svf_shared *shared) { return svf_padded(shared->p) * shared->ld; }

/* linear_certify.c: P and the relative duality gap of any w (svf_padded(p) numbers), from the rows in double. False: memory ran out. */
bool svf_shared_certify(const svf_shared *shared, const svf_binary *problem, double C, const svf_solver *solver,
                        const double *w, svf_solution *fit);

/* linear_rows.c: the rows in double, for other solvers; rows->x from solver->arena, NULL: memory ran out. */
svf_rows svf_shared_rows(const svf_shared *shared, const svf_solver *solver);

#endif
