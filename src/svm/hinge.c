/* hinge.c - the two-class machine with the hinge loss, by a primal-dual interior-point method.
 *
 * Row i of A is y_i x_i, u_i = C c_i > 0 (rows without cost are left out):
 *
 *   primal   min  1/2 |w|^2 + sum_i u_i xi_i           s_i = a_i.w - 1 + xi_i >= 0,  xi_i >= 0
 *   dual     max  sum_i alpha_i - 1/2 |A'alpha|^2      alpha_i >= 0,  z_i = u_i - alpha_i >= 0
 *
 * At the solution w = A'alpha, alpha_i s_i = 0 and z_i xi_i = 0. The method follows the path where all these
 * products equal mu, for falling mu. A Newton step solves
 *
 *   (Theta + AA') dalpha = e,     Theta = diag(s_i / alpha_i + xi_i / z_i)
 *
 * once to see how far mu can fall and once, with the same factor, to get there (Mehrotra 1992). Where n >= p
 * it goes through the p x p matrix I + A'Theta^-1 A, else through the n x n matrix itself.
 *
 * Stop: alpha stays inside its box, so that with margins m = Aw the duality gap is, without cancellation,
 *
 *   P(w) - D(alpha) = 1/2 |A'alpha - w|^2 + sum_i (alpha_i max(0, m_i - 1) + z_i max(0, 1 - m_i)).
 *
 * w is carried by itself, not made from alpha: rounding in dalpha, which a small Theta blows up, then enters
 * the gap only as a square. */
#include "svm/interior.h"
#include "svm/solver.h"

#include <string.h>

typedef struct point {
  const svf_la *la;
  const svf_solver *solver;
  size_t n, p, ld;      /* rows with a cost; columns */
  size_t order, stride; /* of the matrix that is factored: p and ld, or n and its padding */
  double *a;            /* n x ld */
  const double **row;   /* n: where the rows of a start */
  double *u, *alpha, *z, *s, *xi, *margin;
  double *theta, *weight; /* Theta and its inverse */
  double *rs, *rx;        /* what alpha_i s_i and z_i xi_i are to gain */
  double *dalpha, *dz, *ds, *dxi;
  double *w, *dw, *rw; /* ld; rw = A'alpha - w */
  double *gram;        /* AA' where n < p, else NULL */
  double *factor;
  double cost; /* sum of u */
} point;

static bool take(point *at, const svf_rows *rows, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  bool wide = at->n < rows->p;
  size_t n = svf_padded(at->n), ld = rows->ld;
  at->la = solver->la, at->solver = solver, at->p = rows->p, at->ld = ld;
  at->order = wide ? at->n : rows->p;
  at->stride = wide ? n : ld;
  at->a = SVF_TAKE(arena, double, at->n *ld);
  at->row = SVF_TAKE(arena, const double *, at->n);
  double **vectors[] = {&at->u,      &at->alpha, &at->z,  &at->s,      &at->xi, &at->margin, &at->theta,
                        &at->weight, &at->rs,    &at->rx, &at->dalpha, &at->dz, &at->ds,     &at->dxi};
  for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) *vectors[v] = SVF_ZERO(arena, double, n);
  at->w = SVF_ZERO(arena, double, ld);
  at->dw = SVF_ZERO(arena, double, ld);
  at->rw = SVF_ZERO(arena, double, ld);
  at->gram = wide ? SVF_ZERO(arena, double, n *n) : NULL;
  at->factor = SVF_TAKE(arena, double, at->stride * at->stride);
  return !svf_arena_failed(arena);
}

/* The signed rows that have a cost, and their Gram matrix where that is the smaller one. */
static void gather(point *at, const svf_rows *rows, const svf_binary *problem, double C) {
  size_t i = 0, ld = at->ld;
  for (size_t r = 0; r < rows->n; r++) {
    if (!(C * problem->cost[r] > 0)) continue;
    double *to = at->a + i * ld;
    for (size_t j = 0; j < ld; j++) to[j] = problem->sign[r] * rows->x[r * ld + j];
    at->row[i] = to;
    at->u[i++] = C * problem->cost[r];
  }
  svf_bound_costs(at->n, at->u);
  for (i = 0; i < at->n; i++) at->cost += at->u[i];
  for (i = 0; at->gram && i < at->n && !svf_solver_stopped(at->solver); i++)
    at->la->product(at->n, ld, at->a, at->row[i], at->gram + i * at->stride);
}

/* out = A'v */
static void combine(const point *at, const double *v, double *out) {
  memset(out, 0, at->ld * sizeof *out);
  for (size_t i = 0; i < at->n; i++) at->la->axpy(at->ld, v[i], at->row[i], out);
}

/* The margins m = Aw, and how far w is from A'alpha. */
static void measure(point *at) {
  combine(at, at->alpha, at->rw);
  at->la->axpy(at->ld, -1, at->w, at->rw);
  at->la->product(at->n, at->ld, at->a, at->w, at->margin);
}

/* alpha = t u with the t that is best for the dual, at most 1/2; then s and xi that meet s - xi = m - 1 with
 * all products at least mu, the mean cost. */
static void start(point *at) {
  combine(at, at->u, at->w);
  double square = at->la->dot(at->ld, at->w, at->w);
  double t = square > 2 * at->cost ? at->cost / square : 0.5, mu = at->cost / (double)at->n;
  for (size_t i = 0; i < at->n; i++) {
    at->alpha[i] = t * at->u[i];
    at->z[i] = at->u[i] - at->alpha[i];
  }
  for (size_t j = 0; j < at->ld; j++) at->w[j] *= t;
  measure(at);
  for (size_t i = 0; i < at->n; i++) {
    double over = at->margin[i] - 1;
    at->xi[i] = fmax(mu / at->z[i], mu / at->alpha[i] - over);
    at->s[i] = at->xi[i] + over;
  }
}

static void judge(const point *at, svf_solution *fit) {
  double loss = 0, gap = 0.5 * at->la->dot(at->ld, at->rw, at->rw);
  for (size_t i = 0; i < at->n; i++) {
    double under = 1 - at->margin[i];
    loss += at->u[i] * fmax(0, under);
    gap += under > 0 ? at->z[i] * under : at->alpha[i] * -under;
  }
  fit->objective = 0.5 * at->la->dot(at->ld, at->w, at->w) + loss;
  fit->gap = gap / fit->objective;
}

/* False: the arithmetic can go no further, or the result is no longer wanted. */
static bool factorise(point *at) {
  svf_rows shape = {at->n, at->p, at->ld, NULL};
  double *h = at->factor;
  size_t stride = at->stride;
  for (size_t i = 0; i < at->n; i++) {
    at->theta[i] = at->s[i] / at->alpha[i] + at->xi[i] / at->z[i];
    at->weight[i] = 1 / at->theta[i];
  }
  if (at->gram) memcpy(h, at->gram, stride * stride * sizeof *h);
  else memset(h, 0, stride * stride * sizeof *h);
  for (size_t i = 0; i < at->order; i++) h[i * stride + i] += at->gram ? at->theta[i] : 1;
  if (!at->gram && !svf_solver_rank(at->solver, &shape, at->row, at->weight, h)) return false;
  return at->la->cholesky(at->order, stride, h, at->solver->stop);
}

/* The Newton step for the products rs and rx:
 *   AA' dalpha - ds + dxi = 1 - m + s - xi,   s dalpha + alpha ds = rs,   -xi dalpha + z dxi = rx. */
static void newton(point *at) {
  size_t n = at->n;
  double *d = at->dalpha, *image = at->ds;
  for (size_t i = 0; i < n; i++) {
    double rest = 1 - at->margin[i] + at->s[i] - at->xi[i];
    d[i] = rest + at->rs[i] / at->alpha[i] - at->rx[i] / at->z[i];
  }
  if (at->gram) {
    at->la->solve(at->order, at->stride, at->factor, d);
    combine(at, d, at->dw);
    at->la->axpy(at->ld, 1, at->rw, at->dw);
  } else {
    for (size_t i = 0; i < n; i++) image[i] = d[i] * at->weight[i];
    combine(at, image, at->dw);
    at->la->axpy(at->ld, 1, at->rw, at->dw);
    at->la->solve(at->order, at->stride, at->factor, at->dw);
    at->la->product(n, at->ld, at->a, at->dw, image);
    for (size_t i = 0; i < n; i++) d[i] = (d[i] - image[i]) * at->weight[i];
  }
  for (size_t i = 0; i < n; i++) {
    at->ds[i] = (at->rs[i] - at->s[i] * d[i]) / at->alpha[i];
    at->dxi[i] = (at->rx[i] + at->xi[i] * d[i]) / at->z[i];
    at->dz[i] = -d[i];
  }
}

static double rate(const point *at, double limit) {
  limit = svf_interior_rate(at->n, at->alpha, at->dalpha, svf_interior_rate(at->n, at->s, at->ds, limit));
  return svf_interior_rate(at->n, at->z, at->dz, svf_interior_rate(at->n, at->xi, at->dxi, limit));
}

/* mu after a step of the given length. */
static double centre(const point *at, double length) {
  double sum = svf_interior_sum(at->n, at->alpha, at->dalpha, at->s, at->ds, length) +
               svf_interior_sum(at->n, at->z, at->dz, at->xi, at->dxi, length);
  return sum / (2 * (double)at->n);
}

/* The direction: straight at mu = 0 first; what that can reach sets the mu to aim at, and the products of its
 * changes are made good. */
static void aim(point *at) {
  for (size_t i = 0; i < at->n; i++) {
    at->rs[i] = -at->alpha[i] * at->s[i];
    at->rx[i] = -at->z[i] * at->xi[i];
  }
  newton(at);
  double mu = svf_interior_aim(centre(at, 0), centre(at, 1 / rate(at, 1)));
  for (size_t i = 0; i < at->n; i++) {
    at->rs[i] += mu - at->dalpha[i] * at->ds[i];
    at->rx[i] += mu - at->dz[i] * at->dxi[i];
  }
  newton(at);
}

/* One step; false: the arithmetic can go no further. */
static bool advance(point *at) {
  if (!factorise(at)) return false;
  aim(at);
  double length = svf_interior_length(rate(at, 0));
  svf_interior_add(at->n, length, at->dalpha, at->alpha);
  svf_interior_add(at->n, length, at->dz, at->z);
  svf_interior_add(at->n, length, at->ds, at->s);
  svf_interior_add(at->n, length, at->dxi, at->xi);
  at->la->axpy(at->ld, length, at->dw, at->w);
  measure(at);
  return true;
}

static void follow(point *at, const svf_solver *solver, double *w, svf_solution *fit) {
  start(at);
  judge(at, fit);
  memcpy(w, at->w, at->ld * sizeof *w);
  while (!(fit->gap <= solver->tolerance) && fit->steps < solver->max_steps) {
    if (svf_solver_stopped(solver) || !advance(at)) return;
    svf_solution next = {.steps = ++fit->steps};
    judge(at, &next);
    if (next.gap * next.objective < fit->gap * fit->objective) {
      *fit = next;
      memcpy(w, at->w, at->ld * sizeof *w);
    }
    if (!(centre(at, 0) > SVF_ROUNDING * fit->gap * fit->objective / (double)at->n)) return;
  }
}

bool svf_hinge_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                   svf_solution *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  point at = {0};
  *fit = (svf_solution){0};
  memset(w, 0, rows->ld * sizeof *w);
  if (svf_solver_stopped(solver)) return true; /* the next of many machines need not begin */
  for (size_t i = 0; i < rows->n; i++) at.n += C * problem->cost[i] > 0;
  bool there = take(&at, rows, solver);
  if (there && at.n) {
    gather(&at, rows, problem, C);
    follow(&at, solver, w, fit);
  }
  svf_arena_release(solver->arena, mark);
  return there;
}
