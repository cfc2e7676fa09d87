/* linear_fit.h - fits of the squared hinge (linear_squared.h) on their path over C, several side by side, in single precision.
 *
 * A fit is at a point w with scores s = Xw. The scores give the active set A, the pulls a_i = c_i y_i max(0, 1 - y_i s_i), P,
 * and the gradient and gap
 *     g = w - 2C sum_i a_i x_i,      gap = 1/2 |g|^2.
 * The Newton step is (I + 2C H) delta = -g, H = sum_A c_i x_i x_i'. As g is computed afresh and is not the residual of an exact
 * solve, H and its factor may be in single precision: their errors make a step a little shorter and do not move the solution.
 * Points are kept in double. With more features than rows, the same step is solved in n x n numbers,
 *     delta = -g + X_A' z,      (K_AA + D) z = X_A g,      K = XX',  D = diag(1 / 2 C c).
 *
 * What fits share. H contains neither C nor I, so it is carried along the path, and only rows that enter or leave the active
 * set change it. One pass over the rows scores all fits of a problem: the whole set and the parts, each without one fold. At the
 * smallest C, the whole set keeps H by fold, and a part starts from the sum of the others. The first point at the next C is
 * extrapolated, and so are its scores, without a pass.
 *
 * While C stays the same and few rows have changed since I + 2C H was factorised, the next step corrects the factor
 * (la/border.h). H in double is large and changes little: there the factor for the last C serves the next one, too
 * (linear_hessian.c). */
#ifndef SVF_SVM_LINEAR_FIT_H
#define SVF_SVM_LINEAR_FIT_H

#include "base/bits.h"
#include "svm/linear_shared.h"

/* With more rows, H in single precision is too inexact for svf_newton_glance. */
enum { SVF_GLANCE = 4096 };

/* H by fold, in single precision or in double (svf_shared_double). Points to the shared totals until H changes; own and
 * own_double: memory for the private copy. */
typedef struct svf_start {
  float *h, *own;
  double *h_double, *own_double;
} svf_start;

typedef enum svf_newton_state {
  SVF_NEWTON_OPEN,
  SVF_NEWTON_SOLVED,
  SVF_NEWTON_FAILED /* single precision is not enough */
} svf_newton_state;

/* One fit. */
typedef struct svf_newton {
  float *v;                         /* for each row y c / unit; 0: the row is left out */
  double *w, *next_w, *last_w;      /* the point, the next one, and the point of the last C */
  double *stride;                   /* p: from the last C but one to the last */
  float *s, *next_s, *last_s;       /* scores of w, next_w, last_w */
  float *w32;                       /* the next point in single precision, for scores */
  float *a;                         /* pulls, if rows are long */
  double *g;                        /* the gradient */
  uint64_t *set, *kept;             /* the active set, and the set that H contains */
  uint64_t *before;                 /* SVF_STEP_BATCH: the active set before the last step */
  float *h, *factor;                /* H in single precision; the factor of I + 2C H */
  double *h_double, *factor_double; /* the same in double */
  svf_start addends;                /* if apart: H is the sum of these without one fold, not yet computed */
  size_t without;
  bool apart;
  double factor_C;  /* the C of the factor; 0: this H has no factor yet */
  svf_start *start; /* whole set at the smallest C: H by fold; NULL later */
  double P, gap;    /* at the point; the gap is relative to P */
  double last_P;    /* before the last step */
  size_t steps;
  float further; /* if ahead: length of the extrapolation */
  bool ahead;    /* the point is extrapolated; its scores are not yet computed from last_s and next_s */
  svf_newton_state state;
} svf_newton;

/* Scratch memory that the fits of one problem share. */
typedef struct svf_newton_scratch {
  const svf_shared *shared;
  const svf_solver *solver;
  double *sums;           /* for each block of rows and each fit: the sum of pulls, and the loss (linear_pass.c) */
  float *z, *step;        /* a right-hand side and its solution; SVF_STEP_BATCH: SVF_COLUMNS of them, ld apart */
  float *systems;         /* SVF_STEP_BATCH: the systems */
  float *border;          /* for corrections of a factor */
  float *matrix, *factor; /* n x n steps: the system and its factor */
  double *spare;          /* n x n steps: a sum of rows */
  const float **row;      /* n x n steps: the active rows */
  size_t room;            /* how many rows list and weight can hold */
  uint32_t *list;
  double *step_double, *rest; /* H in double: a solution, and the residual */
  svf_double_scratch addition;
  float *weight;
  /* If threads share the steps (not SVF_ROWS_AND_PANELS), the scratch of each; the first uses the memory above. */
  struct svf_newton_scratch *own;
} svf_newton_scratch;

/* linear_fit.c. Memory comes from the solver's arena; ask svf_arena_failed after. */
void svf_newton_scratch_open(svf_newton_scratch *scratch, const svf_shared *shared, const svf_solver *solver);
void svf_newton_open(svf_newton *fit, const svf_shared *shared, svf_arena *arena);
/* The matrices of a fit. Call it after all small memory is taken, so that the threads that fill large matrices touch them
 * first. */
void svf_newton_room(svf_newton *fit, const svf_shared *shared, svf_arena *arena);
/* Lists the fits that are open, after closing those that are solved or have to be given up; returns their number. */
size_t svf_newton_left(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, svf_newton **open);
/* After a step: the next point becomes the point, and is looked at. */
void svf_newton_move(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* Exact line search for the fits whose P has risen. */
void svf_newton_shorten(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* The next point becomes the point, and the point becomes the one before it (in next_*). */
void svf_newton_swap(svf_newton *fit);
/* To the minimiser of P on the segment from the point before to the point; w32 too. Its scores are interpolated. */
void svf_newton_go_back(svf_newton *fit, const svf_shared *shared, double C);
/* To the next C: extrapolates from the solutions at the last two. first: there is only one yet. */
void svf_newton_advance(svf_newton *fit, const svf_newton_scratch *scratch, bool first);
/* Sets the scores of the C before the first to 0. */
void svf_newton_rest(svf_newton *fit, const svf_shared *shared);

/* linear_solve.c: solves 1..SVF_COLUMNS fits for one C, side by side. */
void svf_newton_solve(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);

/* linear_start.c: the whole set at w = 0. costs: the shared ones, NULL: the fit has no others. start: opened, filled here;
 * NULL: no part will follow. */
void svf_newton_whole(svf_newton *fit, const svf_newton_scratch *scratch, const svf_costs *costs, svf_start *start);
/* The part without one fold, from the point of the whole set. */
void svf_newton_part(svf_newton *fit, const svf_newton_scratch *scratch, const svf_newton *whole, size_t part);
/* From w = 0 to a nearly right active set, by Newton's method with conjugate gradients: no matrix. */
void svf_newton_approach(svf_newton *fit, const svf_newton_scratch *scratch, double C);
/* From w = 0, beyond the first Newton step. */
void svf_newton_leap(svf_newton *fit, const svf_newton_scratch *scratch, double C);
/* The whole set at any w (p numbers). */
void svf_newton_begin(svf_newton *fit, const svf_newton_scratch *scratch, const double *w);

/* linear_pass.c: computes active set, pulls, gradient, P and gap of 1..SVF_COLUMNS fits; score: first the scores of w32. */
void svf_newton_look(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C, bool score);
/* The same after a step of SVF_STEP_BATCH, for less: as far as the step was exact, only rows that entered or left the active set
 * contribute to the gradient. If these are many, or if the fit seems solved, all rows are summed; no fit ends before that. */
void svf_newton_glance(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* Number of blocks in a pass over the rows. */
size_t svf_newton_blocks(const svf_shared *shared);

/* linear_step.c: the next points of 0..SVF_COLUMNS fits, by a Newton step. A fit fails if its matrix is not positive definite
 * in this arithmetic; the others are moved to the front, and their number is returned. */
size_t svf_newton_step(svf_newton **fit, size_t count, const svf_newton_scratch *scratch, double C);
/* Are so few rows active that a step is n x n and H is not needed? */
bool svf_newton_few(const svf_newton *fit, const svf_shared *shared);
/* Brings H up to date with the active set. */
void svf_newton_settle(svf_newton *fit, const svf_newton_scratch *scratch);

/* linear_hessian.c: memory for H by fold. */
void svf_start_open(svf_start *start, const svf_shared *shared, svf_arena *arena);
/* H += weight[q] x_i x_i', i = list[q]; if the fit keeps H by fold, the rows are of one fold. */
void svf_newton_rank(svf_newton *fit, const svf_newton_scratch *scratch, size_t fold, size_t count,
                     const uint32_t *list, const float *weight);
/* H = the sum over all folds without one (folds: over all). In double only the addends are noted, and must stay; the sum is
 * computed by svf_newton_make, when a row changes it. */
void svf_newton_join(svf_newton *fit, const svf_newton_scratch *scratch, const svf_start *start, size_t without);
void svf_newton_make(svf_newton *fit, const svf_newton_scratch *scratch);
/* H = 0, by fold if it is kept so. */
void svf_newton_clear(svf_newton *fit, const svf_newton_scratch *scratch);
/* (I + 2C H) step = z. False: not positive definite in this arithmetic. */
bool svf_newton_system(svf_newton *fit, const svf_newton_scratch *scratch, double C);

#endif
