/* screen.h - a classifier whose statistics add, to compare many ways of dividing one set of rows in two.
 *
 * One side of a division has rows S with weights c_i. The sums of c_i x_i x_i' over S and of c_i x_i over each class in S
 * give the linear discriminant: with class means m_k, shares q_k and the pooled covariance V around the means,
 *
 *     score_k(x) = x.V^-1 m_k - 1/2 m_k.V^-1 m_k + log q_k
 *
 * V gets half a row of average spread on its diagonal, so that it can be factored, and its inverse the factor
 * (n - classes - d - 1) / n (at least 1 / n) that makes it unbiased for normal rows. Differences of scores are log-odds, and
 * the error of a judge is the chance of the best other class against its own: it tells more of few judges than a count of
 * wrong classes does. (The same sums give the least-squares machine of every class against the rest; with many classes
 * that one hides classes behind others, and its choices were worse.) For numbers it is least squares of the value
 * with ridge r, and the error is the square.
 *
 * Both sums add over rows. Rows are sorted into blocks between the thresholds of one direction; sums run along the
 * blocks, a left side is a prefix of them and a right side what is left of the whole: each side costs one Cholesky
 * factorisation.
 *
 * With fewer rows than numbers in a row nearly all rows are support vectors, and least squares is the machine: the one
 * with squared hinge loss, every row active, r = 1 / (2 C). It comes from K = XX':  w = sum_i alpha_i x_i,
 * (K_SS + r diag(1/c)) alpha = t_S; there the factor of a prefix is the leading part of the factor of all rows, so
 * one factorisation serves all left sides and another, of the rows backwards, all right sides. */
#ifndef SVF_SVM_SCREEN_H
#define SVF_SVM_SCREEN_H

#include "svm/linear_shared.h"

typedef struct svf_screen_set {
  svf_points points;
  const int32_t *label; /* n: 0..k-1; NULL: numbers */
  const double *value;  /* n; NULL: classes */
  const double *weight; /* n, above 0 */
} svf_screen_set;

/* One node: rows to train on, and judges, whose errors count. */
typedef struct svf_screen {
  svf_screen_set rows, judges;
  size_t k;     /* classes, or 1 */
  double ridge; /* r above */
  const svf_la *la;
  const atomic_int *stop; /* as the solver's: what comes out is then not used */

  size_t p, ld;    /* numbers of a row: the discriminant sums no constant; doubles from row to row */
  double *x;       /* n rows of ld */
  bool gram;       /* more numbers than rows: by way of K */
  double *k_rows;  /* gram: K, n x k_ld, both triangles */
  size_t k_ld;     /* padded n */
  size_t width;    /* numbers that a solution has: those of a judge with a constant, or n by way of K */
  size_t judge_ld; /* floats from judge to judge */
  float *judge;    /* what a solution is multiplied with: the judge's numbers, or its row of K */
  double *a, *b;   /* sums over all rows: ld x ld, k x ld; not for gram */
  double *count;   /* k: rows of each class, and their weight */
  double *mass;
  double *error; /* of every judge by all rows: what svf_screen_whole found; 0 before */
} svf_screen;

/* Fills what follows `stop` from what stands before it, from the arena; false: memory ran out. */
bool svf_screen_open(svf_screen *screen, svf_arena *arena);

/* Divisions along one direction. The left side of division q is the blocks before left_end[q], the right side those from
 * right_start[q] on; blocks between them are in both. */
typedef struct svf_sweep {
  size_t blocks, count;
  const uint32_t *block, *judge_block; /* of every row, of every judge */
  const uint32_t *left_end, *right_start;
  double *wrong;  /* out, 2 x count, left then right of each: weighted sum of the errors of the judges there; NaN: the
                     sums are beyond this arithmetic */
  double *change; /* out, the same: weighted sum of the squared changes of those errors from screen->error */
} svf_sweep;

/* False: memory ran out. Threads may sweep one screen, each with its own arena. */
bool svf_screen_sweep(const svf_screen *screen, const svf_sweep *sweep, svf_arena *arena);
/* The errors of the judges by all rows: each in screen->error, and their sum. */
bool svf_screen_whole(svf_screen *screen, svf_arena *arena, double *wrong);

/* ---- inside the screening ---- */

/* A sweep in progress: screen.c orders and judges, screen_sums.c and screen_gram.c solve. */
typedef struct svf_screening {
  const svf_screen *screen;
  const svf_sweep *sweep;
  svf_arena *arena;
  uint32_t *order, *start; /* rows in the order of their blocks; where each block starts, blocks + 1 */
  uint32_t *judge_order, *judge_start;
  unsigned char
      *wanted;        /* 2 x (blocks + 1): is there a left side that ends, a right side that starts at that block? */
  double *wrong;      /* the same: its error */
  double *change;     /* the same */
  double *error;      /* of every judge by the side asked last; NULL: nobody asks */
  float *panel;       /* judges in the order of their blocks */
  float *w;           /* k x judge_ld: the solution being judged */
  size_t *present, m; /* its classes */
  size_t *place;      /* k: where each class is among them; SIZE_MAX: it is not there */
  double *count, *mass;       /* k: rows and weight of each class on the side */
  int32_t *judge_label;       /* of the judges in their order */
  float *score, *own, *other; /* scratch of the judging */
  double *chance;
} svf_screening;

/* Upper triangle of a += sum_q weight[q] x_q x_q' over count rows. */
static inline void svf_screen_rank(const svf_screen *s, size_t count, const double *const *x, const double *weight,
                                   double *a) {
  svf_solver solver = {.la = s->la, .stop = s->stop};
  svf_solver_rank(&solver, &(svf_rows){count, s->p, s->ld, NULL}, x, weight, a);
}
/* Lists the classes that s->count has. */
void svf_screen_present(svf_screening *s);
/* Judges the side that ends, or starts, at a boundary by the solution in s->w, one vector for each class present; fine
 * false: there is no solution. */
void svf_screen_judge(const svf_screening *s, size_t boundary, int side, bool fine);
static inline bool svf_screen_wanted(const svf_screening *s, size_t boundary, int side) {
  return s->wanted[2 * boundary + (size_t)side];
}
bool svf_screen_sums(svf_screening *s);
bool svf_screen_gram(svf_screening *s);

#endif
