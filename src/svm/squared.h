/* squared.h - the squared hinge, solved exactly by Newton steps on the active set.
 *
 *     P(w) = 1/2 |w|^2 + C sum_i c_i max(0, 1 - y_i w.x_i)^2
 *
 * For a given active set A (rows with y_i w.x_i < 1) the minimiser is one linear solve,
 *     (I + 2C H) w = 2C b,      H = sum_A c_i x_i x_i',   b = sum_A c_i y_i x_i,
 * and P is piecewise quadratic, so the Newton iteration ends after finitely many sets (Keerthi and DeCoste 2005; the
 * step is shortened by an exact line search where P would rise). With alpha_i = 2 C c_i max(0, 1 - m_i) the duality gap
 * is exactly 1/2 |grad P|^2, and after a solve the gradient has terms of the rows that changed state alone,
 *     grad P = 2C (sum_left - sum_joined) c_i (y_i - s_i) x_i,        s_i = w.x_i:
 * stopping costs next to nothing.
 *
 * The same iteration in n x n numbers, for more features than rows: w = X' beta, beta zero outside A, K = XX',
 *     (K_AA + diag(1 / 2 C c)) beta_A = y_A.
 *
 * What is shared. H holds neither C nor I: it is carried along a path of C and changed only by rows that change state.
 * All fits of one problem (the whole set, and the parts that leave out a fold) go along the path side by side, so that
 * one pass over the rows scores them all. Scores are single precision: they decide who is active; solutions are double.
 * Where that is too coarse (C c |x|^2 large, or a fit that does not end) a fit goes on with scores in double.
 *
 * While C stays and few rows have changed since the last factor R'R = I + 2C H, the next step is a low-rank correction
 * of it (Woodbury). With V = R'^-1 X_changed' and S = diag(+-1 / 2 C c) + V'V, plus for rows that joined,
 *     w = R^-1 (y - V S^-1 V'y),     y = R'^-1 2C b. */
#ifndef SVF_SVM_SQUARED_H
#define SVF_SVM_SQUARED_H

#include "svm/linear.h"

/* Most rows by which a factor may differ from the set at hand: up to that the step is a low-rank correction. */
enum { SVF_BORDER = 16 };

/* What all problems on one set of rows share. */
typedef struct svf_form {
  const svf_rows *rows;
  const svf_la *la;
  bool dual;      /* n x n */
  size_t padded;  /* rows, padded to whole panels */
  double longest; /* largest |x_i|^2 */
  float *panels;  /* the rows for scores */
  size_t folds;
  const int32_t *fold; /* NULL: no folds */
  const double *base;  /* n: the costs that `total` was made with; NULL: 1 */
  double *total;       /* primal: per fold sum base_i x_i x_i' (ld x ld each); one where there are no folds */
  double *gram;        /* dual: upper triangle of K (gram_ld x gram_ld) */
  size_t gram_ld;
  double *matrix;      /* dual, scratch: what is factored */
  double *vector;      /* scratch: one of its columns, or a row */
  double *weight;      /* scratch: n (p where that is more) */
  double *listed_sign; /* scratch: n */
  double *border;      /* scratch: SVF_BORDER x ld */
  const double **row;  /* scratch: n */
  uint32_t *changed;   /* scratch: n */
} svf_form;

/* Takes everything from the arena; ask svf_arena_failed after. base: the costs most problems share, or
 * NULL: 1. */
void svf_form_open(svf_form *form, const svf_rows *rows, const int32_t *fold, size_t folds, const double *base,
                   const svf_solver *solver);

/* H and b of the active rows of each fold apart: the whole set keeps them at the smallest C, and the part
 * that leaves out a fold starts from the sum of the others. Primal only. */
typedef struct svf_start {
  double *h, *b; /* folds x ld x ld, folds x ld */
} svf_start;

/* A fit in progress: the point w with its scores s, and the active set with what the form keeps of it. */
typedef struct svf_active {
  const svf_binary *problem;
  const float *sign;          /* padded */
  float *cost;                /* padded: cost / scale; 0: not there */
  double scale;               /* largest cost */
  bool precise;               /* scores are decided in double, and the gap is computed from all rows */
  double *exact, *next_exact; /* n: the scores then */
  double *w, *next_w;         /* ld: the point, and the Newton point */
  float *w32;                 /* p: the Newton point for scores */
  float *s, *next_s, *last;   /* padded: scores, those of the Newton point, those at the C before */
  int32_t *on;                /* padded: -1 active, 0 not */
  int32_t *kept;              /* primal, padded: the set that H and b stand for; they follow when a factor is made */
  double *h, *b;
  double *factor;   /* primal: Cholesky factor of I + 2 factor_C H */
  double factor_C;  /* 0: there is none */
  svf_start *start; /* primal, whole set: follows too where not NULL */
  svf_fit fit;
  bool open; /* not solved yet */
} svf_active;

/* squared_set.c: active sets and what is kept of them. */
void svf_start_open(svf_start *start, const svf_form *form, svf_arena *arena);
void svf_active_open(svf_active *fit, const svf_form *form, const svf_binary *problem, const float *sign,
                     svf_arena *arena);
/* Every row with a cost is active; fills start. */
void svf_active_whole(svf_active *fit, const svf_form *form, svf_start *start);
/* The part that leaves out a fold, from the active set of the whole. */
void svf_active_part(svf_active *fit, const svf_form *form, const svf_active *whole, const svf_start *start,
                     int32_t part);
/* Brings H and b up to date with the active set. */
void svf_active_settle(svf_active *fit, const svf_form *form);

/* squared_form.c: the algebra of the two forms. */
/* The Newton point of the active set into next_w and w32; false: the matrix is not positive definite in this
 * arithmetic. */
bool svf_active_newton(svf_active *fit, const svf_form *form, double C);
/* Half the squared gradient at a Newton point, given that rows changed[0..count) have just changed state. */
double svf_active_gap(const svf_active *fit, const svf_form *form, double C, size_t count);
/* squared.c: solves up to SVF_COLUMNS fits for one C, side by side. */
void svf_active_solve(svf_active *const *fits, size_t count, const svf_form *form, double C,
                      const svf_solver *solver);
/* On to the next C: guesses the active set there from the scores at the last two. first: there is only one
 * yet. */
void svf_active_advance(svf_active *fit, const svf_form *form, bool first);

/* P and the relative duality gap of any w (aligned, ld numbers), from the rows themselves in double. False: memory ran
 * out. */
bool svf_squared_certify(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver,
                         const double *w, svf_fit *fit);

/* One problem by itself, with such a certificate; w: ld out. False: memory ran out. */
bool svf_squared_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                     svf_fit *fit);

#endif
