/* linear_fit.h - fits of the squared hinge (linear_squared.h) on their way along C, several side by side, in single precision.
 *
 * A fit is at a point w with its scores s = Xw. From the scores come the active set A, the pulls
 * a_i = c_i y_i max(0, 1 - y_i s_i), P, and the gradient from all active rows,
 *     g = w - 2C sum_i a_i x_i,      gap = 1/2 |g|^2,
 * and the Newton step is (I + 2C H) delta = -g, H = sum_A c_i x_i x_i'. Because g is the gradient itself and not what is
 * left of an exact solve, H and its factor may be single precision: their errors shorten a step a little and never move
 * the solution. Points are kept in double. With more numbers than rows the same step is taken in n x n numbers,
 *     delta = -g + X_A' z,      (K_AA + D) z = X_A g,      K = XX',  D = diag(1 / 2 C c).
 *
 * What is shared. H holds neither C nor I: it is carried along the path and changed only by rows that change state.
 * All fits of one problem (the whole set, and the parts that leave out a fold) go side by side, so that one pass over
 * the rows scores them all; the whole set keeps H by fold at the smallest C, and a part starts from the sum of the others.
 * On to the next C, scores are extrapolated: that is a point, too, and costs no pass.
 *
 * While C stays and few rows have changed since the factor of I + 2C H was made, the next step corrects it for them
 * (la/border.h) instead of making another. Where rows are many H is large and changes little: then a factor of the same H
 * for the C before does (linear_hessian.c).
 *
 * With long rows H costs more than some passes over them: then the whole set goes from w = 0 to the neighbourhood of its
 * first solution by conjugate gradients, and H begins with the rows that are active there (SVF_FIRST_GRADIENT). */
#ifndef SVF_SVM_LINEAR_FIT_H
#define SVF_SVM_LINEAR_FIT_H

#include "base/bits.h"
#include "svm/linear_shared.h"

/* With more rows, H in single precision is too inexact for svf_newton_glance. */
enum { SVF_GLANCE = 4096 };

/* H by fold: float where rows are few, double where they are many (svf_shared_double). Points at the shared totals
 * until H changes; own_*: room for the private copy. */
typedef struct svf_start {
  float *h, *own;
  double *h_double, *own_double;
} svf_start;

typedef enum svf_newton_state {
  SVF_NEWTON_OPEN,
  SVF_NEWTON_SOLVED,
  SVF_NEWTON_FAILED /* single precision is not enough */
} svf_newton_state;

typedef struct svf_newton {
  float *v;                         /* rows: y c / scale, c the cost; 0: not there */
  double *w, *next_w, *last_w;      /* the point, the one after it, that of the C before */
  double *stride;                   /* p: from the C before the last to the last */
  float *s, *next_s, *last_s;       /* their scores */
  float *w32;                       /* the next point for scores */
  float *a;                         /* pulls, of long rows */
  double *g;                        /* the gradient */
  uint64_t *set, *kept;             /* the active set; the set that H stands for */
  uint64_t *before;                 /* small: the active set of the last step */
  float *h, *factor;                /* primal */
  double *h_double, *factor_double; /* the same where rows are many */
  svf_start addends; /* in double, apart: H is the sum of these, without one of them, and is still to be made */
  size_t without;
  bool apart;
  double factor_C;  /* of which C the factor is; 0: there is none of this H */
  svf_start *start; /* primal, whole set at the smallest C: H by fold; NULL later */
  double P, gap;    /* at the point; gap is relative to P */
  double last_P;    /* at the point before the step */
  size_t steps;
  float further; /* ahead: how far */
  bool ahead;    /* the scores of the point are still to be made of those in last_s and next_s */
  svf_newton_state state;
} svf_newton;

/* Scratch that the fits of one problem share. */
typedef struct svf_newton_scratch {
  const svf_shared *shared;
  const svf_solver *solver;
  double *sums;               /* of each block of rows: a sum of pulls and a loss for every fit (see linear_pass.c) */
  float *z, *step;            /* a right-hand side and a solution; small: SVF_COLUMNS of them, ld after each other */
  float *systems;             /* small: what they are solved in */
  float *border;              /* primal: correct's */
  float *matrix, *factor;     /* n x n: the system, and its factor */
  double *spare;              /* n x n: a sum of rows */
  const float **row;          /* n x n: the active rows */
  size_t room;                /* rows that list and weight can name at a time: all, but of a crowd some panels */
  uint32_t *list;             /* rows */
  double *step_double, *rest; /* where rows are many: a solution, and what is left of the right-hand side */
  svf_double_scratch addition;
  float *weight; /* rows: for sums */
  /* Where several threads take their steps (crowd, many), scratch of each; the first shares what is here. */
  struct svf_newton_scratch *own;
} svf_newton_scratch;

/* Everything from the arena, which is the solver's; ask svf_arena_failed after. */
void svf_newton_scratch_open(svf_newton_scratch *scratch, const svf_shared *shared, const svf_solver *solver);
void svf_newton_open(svf_newton *fit, const svf_shared *shared, svf_arena *arena);
/* Its matrices, which come after all that is small: where they are large, the threads that fill them touch them first. */
void svf_newton_room(svf_newton *fit, const svf_shared *shared, svf_arena *arena);

void svf_start_open(svf_start *start, const svf_shared *shared, svf_arena *arena);

/* linear_start.c: the whole set from w = 0 (costs: the shared ones, NULL: the fit has no others; start: opened, filled
 * here; NULL: no part will follow), and the part that leaves out a fold from where the whole set is. */
void svf_newton_whole(svf_newton *fit, const svf_newton_scratch *scratch, const svf_costs *costs, svf_start *start);
void svf_newton_part(svf_newton *fit, const svf_newton_scratch *scratch, const svf_newton *whole, size_t part);
/* From w = 0 to where the active set is nearly right, by Newton's method with conjugate gradients: no matrix. */
void svf_newton_approach(svf_newton *fit, const svf_newton_scratch *scratch, double C);
/* From w = 0 by a long step. */
void svf_newton_leap(svf_newton *fit, const svf_newton_scratch *scratch, double C);
/* The whole set, from any w (p numbers). */
void svf_newton_begin(svf_newton *fit, const svf_newton_scratch *scratch, const double *w);

/* linear_step.c: the next points of a Newton step of 0..SVF_COLUMNS fits. Those fail whose matrix is not positive definite in
 * this arithmetic; the others come first, and their number is returned. */
size_t svf_newton_step(svf_newton **fit, size_t count, const svf_newton_scratch *scratch, double C);
/* linear_hessian.c: H += weight[q] x_i x_i', i = list[q]; rows of one fold, where the fit keeps H by fold. */
void svf_newton_rank(svf_newton *fit, const svf_newton_scratch *scratch, size_t fold, size_t count,
                     const uint32_t *list, const float *weight);
/* H as the sum of those by fold, without one of them (folds: with all); in double they must stay, and it is made when a
 * row changes it: by svf_newton_make. */
void svf_newton_join(svf_newton *fit, const svf_newton_scratch *scratch, const svf_start *start, size_t without);
void svf_newton_make(svf_newton *fit, const svf_newton_scratch *scratch);
/* H becomes 0, by fold where it is kept so. */
void svf_newton_clear(svf_newton *fit, const svf_newton_scratch *scratch);
/* (I + 2C H) step = z; false: not positive definite in this arithmetic. */
bool svf_newton_system(svf_newton *fit, const svf_newton_scratch *scratch, double C);
/* So few active rows that a step is n x n and H is not needed? */
bool svf_newton_few(const svf_newton *fit, const svf_shared *shared);
/* Brings H up to date with the active set. */
void svf_newton_settle(svf_newton *fit, const svf_newton_scratch *scratch);

/* linear_pass.c: where 1..SVF_COLUMNS fits are: active set, pulls, gradient, P and gap; score: the scores of w32 first. */
void svf_newton_look(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C, bool score);
/* The same after a step, of small systems, for less: as far as the step was exact, nothing is left of the gradient but what
 * the rows make that changed state. The sum over all rows is made where those are many, and where the fit seems solved: no
 * fit ends with less. */
void svf_newton_glance(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* How many pieces a pass over the rows has. */
size_t svf_newton_blocks(const svf_shared *shared);
/* linear_fit.c: the next point becomes the point, and the point the one before (in next_*). */
void svf_newton_swap(svf_newton *fit);
/* Back to the minimiser of the convex P between the point before and the point; w32 too. Its scores are between theirs, and
 * as inexact. */
void svf_newton_go_back(svf_newton *fit, const svf_shared *shared, double C);
/* Those of the fits that are open and neither solved nor given up now; how many. */
size_t svf_newton_left(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, svf_newton **open);
/* After a step: the next point becomes the point, and where that is. */
void svf_newton_move(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* Where P has risen, back to its minimiser between the two points. */
void svf_newton_shorten(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* linear_solve.c: solves 1..SVF_COLUMNS fits for one C, side by side. */
void svf_newton_solve(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C);
/* On to the next C: a guess from the solutions at the last two; first: there is only one yet. */
void svf_newton_advance(svf_newton *fit, const svf_newton_scratch *scratch, bool first);
/* There is no C before this one. */
void svf_newton_rest(svf_newton *fit, const svf_shared *shared);

#endif
