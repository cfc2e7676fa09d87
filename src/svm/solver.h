/* solver.h - linear machines on one set of rows: losses, classes, choice of C, calibration.
 *
 * The rows carry the bias as a constant feature, so it is penalised like any weight (as LIBLINEAR does). For
 * a two-class problem with signs y_i = +-1 and costs c_i > 0 (a row with c_i = 0 is not there):
 *
 *     P(w) = 1/2 |w|^2 + sum_i c_i loss(y_i w.x_i),    loss(m) = max(0, 1-m)^2  (squared hinge)  or  max(0,
 * 1-m)  (hinge)
 *
 * Every solution comes with its relative duality gap (P - D) / max(P, tiny), D computed from a feasible dual
 * point. */
#ifndef SVF_SVM_SOLVER_H
#define SVF_SVM_SOLVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <math.h>
#include "base/arena.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/status.h"
#include "la/la.h"

/* n rows of ld padded numbers: d features, then 1 in column d if there is a bias, then zeros. p = d + bias.
 */
/* Least-squares machines: relative weights below this count as this. They have no part in a solution either way, and
 * dividing by their roots stays in the range of a double. */
#define SVF_LEAST_WEIGHT 1e-100
/* 1 / (C * weight), kept where neither it nor a solution divided by it leaves that range. */
static inline double svf_ridge(double C, double weight) { return 1 / fmin(fmax(C * weight, 1e-200), 1e60); }

typedef struct svf_rows {
  size_t n, p, ld;
  const double *x;
} svf_rows;

/* How to solve; shared by every solver. */
typedef struct svf_solver {
  const svf_la *la;
  double tolerance;       /* relative duality gap to reach */
  size_t max_steps;       /* then the result stands as it is, with its gap */
  const atomic_int *stop; /* nonzero: give up soon (the result is then not used); NULL: never */
  svf_arena *arena;       /* scratch; solvers give back what they took */
  svf_worker *worker;     /* whose arena that is, to share large work with idle threads; NULL: work alone */
} svf_solver;

/* Is the result no longer wanted? */
static inline bool svf_solver_stopped(const svf_solver *solver) {
  return solver->stop && atomic_load_explicit(solver->stop, memory_order_relaxed);
}

/* h += sum_i a_i x_i x_i' over the rows, as la->rank does it, with a look at the stop flag now and then; false: stopped. */
static inline bool svf_solver_rank(const svf_solver *solver, const svf_rows *shape, const double *const *x,
                                   const double *a, double *h) {
  enum { WORK = 1 << 28, LEAST = 8 }; /* multiplications between two looks; rows, so that groups stay whole */
  size_t some = WORK / (shape->ld * shape->ld) / LEAST * LEAST + LEAST;
  for (size_t i = 0; i < shape->n; i += some) {
    if (svf_solver_stopped(solver)) return false;
    solver->la->rank(shape->p, shape->ld, shape->n - i < some ? shape->n - i : some, x + i, a + i, h);
  }
  return true;
}

/* The same for a piece of work that another thread does. */
static inline svf_solver svf_solver_on(const svf_solver *solver, svf_worker *worker) {
  svf_solver other = *solver;
  if (worker) other.worker = worker, other.arena = &worker->arena;
  return other;
}

/* Pieces of work, on idle threads too where the solver has a worker; svf_share says what the wish to stop leaves out. */
static inline bool svf_solver_share(const svf_solver *solver, size_t count, svf_piece piece, void *context) {
  bool fine = true;
  if (solver->worker) return svf_share(solver->worker, count, piece, context);
  for (size_t i = 0; i < count && !svf_solver_stopped(solver); i++) fine = piece(context, i, NULL) && fine;
  return fine;
}

/* The same for work on n rows, of which a piece has SVF_PIECE: whole panels. */
enum { SVF_PIECE = 1 << 14 };
typedef void (*svf_some_rows)(void *context, size_t first, size_t end);
void svf_solver_rows(const svf_solver *solver, size_t n, svf_some_rows job, void *context);
static inline size_t svf_pieces(size_t n) { return (n + SVF_PIECE - 1) / SVF_PIECE; }

/* What a solution is worth. */
typedef struct svf_solution {
  double objective; /* P(w) */
  double gap;       /* (P - D) / P, or 0 where P is 0 */
  size_t steps;
} svf_solution;

/* One two-class problem on the rows. */
typedef struct svf_binary {
  const double *sign; /* n: +1 or -1 */
  const double *cost; /* n: c_i >= 0, C not included */
} svf_binary;

/* What the interior-point solvers make of n costs u_i = C c_i > 0, so that no square or quotient of two of them overflows.
 * Rows above the first bound are hard constraints to every digit of a double, as at the bound; rows that count less than
 * the second one times the largest cost keep their place below all others. Other costs keep their bits. */
#define SVF_MOST_COST  1e40
#define SVF_LEAST_COST 1e-40
static inline void svf_bound_costs(size_t n, double *u) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    u[i] = fmin(u[i], SVF_MOST_COST);
    largest = fmax(largest, u[i]);
  }
  for (size_t i = 0; i < n; i++) u[i] = fmax(u[i], SVF_LEAST_COST * largest);
}

/* hinge.c: cost is multiplied by C; w: ld numbers out. False: memory ran out. */
bool svf_hinge_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                   svf_solution *fit);

/* crammer.c: all classes at once (Crammer and Singer 2001):
 *   min 1/2 sum_k |w_k|^2 + C sum_i c_i max_k (1[k != y_i] - (w_{y_i} - w_k).x_i)
 * label in 0..m-1; cost 0: the row is not there; w: m x ld out. False: memory ran out. */
bool svf_crammer_fit(const svf_rows *rows, const int32_t *label, size_t m, const double *cost, double C,
                     const svf_solver *solver, double *w, svf_solution *fit);

/* platt.c: Platt's sigmoid p = 1 / (1 + exp(a s + b)) fitted to scores and outcomes (hit[i] nonzero:
 * positive) with his smoothed targets, by a safeguarded Newton method; weights may be NULL. a <= 0 always (a
 * rising curve); with one outcome only, or no rows, a = -2 and b = 0. */
void svf_calibrate(const svf_la *la, size_t n, const double *score, const unsigned char *hit, const double *weight,
                   double *a, double *b);
static inline double svf_sigmoid_clip(double z) { return z < -500 ? -500 : z > 500 ? 500 : z; }

#endif
