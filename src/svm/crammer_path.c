/* crammer_path.c - the Crammer-Singer machine by a primal-dual interior-point method.
 *
 * With t_i >= max_k G_ik and s_ik = t_i - G_ik >= 0 the solution has beta_ik s_ik = 0; the method follows the
 * path where all these products equal mu, for falling mu. With tau = beta / s and T_i = sum_k tau_ik the
 * Newton step for w is
 *
 *   dw_k + sum_i tau_ik (x_i.dw_k - sum_l tau_il x_i.dw_l / T_i) x_i = rw_k - sum_i q_ik x_i,
 *
 * one system of m p unknowns (its matrix: m (m + 1) / 2 weighted Gram matrices), solved twice with one factor. */
#include "svm/crammer.h"
#include "svm/interior.h"

#include <string.h>

typedef struct path {
  const svf_crammer *c;
  size_t cells, size;      /* n m; m ld */
  double *slope, *s, *tau; /* n x m */
  double *rc, *dbeta, *ds; /* n x m; rc: what beta_ik s_ik is to gain */
  double *t, *dt, *T, *ru; /* n; ru_i = u_i - sum_k beta_ik */
  double *rw, *dw;         /* m x ld; rw = v - w */
  double *block, *weight;  /* one Gram matrix (ld x ld) and its weights (n) */
  double *factor;          /* size x size */
} path;

static bool take(path *at, svf_arena *arena) {
  size_t n = at->c->n, ld = at->c->ld;
  double **cells[] = {&at->slope, &at->s, &at->tau, &at->rc, &at->dbeta, &at->ds};
  for (size_t v = 0; v < sizeof cells / sizeof *cells; v++) *cells[v] = SVF_ZERO(arena, double, at->cells);
  double **rows[] = {&at->t, &at->dt, &at->T, &at->ru, &at->weight};
  for (size_t v = 0; v < sizeof rows / sizeof *rows; v++) *rows[v] = SVF_ZERO(arena, double, n);
  at->rw = SVF_TAKE(arena, double, at->size);
  at->dw = SVF_TAKE(arena, double, at->size);
  at->block = SVF_TAKE(arena, double, ld *ld);
  at->factor = SVF_TAKE(arena, double, at->size * at->size);
  return !svf_arena_failed(arena);
}

/* All that follows from w and beta. */
static void measure(path *at) {
  const svf_crammer *c = at->c;
  svf_crammer_weights(c, at->rw);
  c->la->axpy(at->size, -1, c->w, at->rw);
  for (size_t i = 0; i < c->n; i++) {
    svf_crammer_slope(c, i, at->slope + i * c->m);
    at->ru[i] = c->u[i];
    for (size_t k = 0; k < c->m; k++) at->ru[i] -= c->beta[i * c->m + k];
  }
}

/* beta_i = u_i times a mixture of its own class and all classes, w = v; the share of the latter is what is
 * best for the dual. Then t such that all products are at least mu. */
static void start(path *at) {
  const svf_crammer *c = at->c;
  double cost = 0, even = 1 / (double)c->m;
  for (size_t i = 0; i < c->n; i++) {
    cost += c->u[i];
    for (size_t k = 0; k < c->m; k++) c->beta[i * c->m + k] = c->u[i] * even;
  }
  svf_crammer_weights(c, c->w);
  double square = c->la->dot(at->size, c->w, c->w), gain = cost * (1 - even);
  double share = square > gain ? gain / square : 1, mu = cost / (double)at->cells;
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < c->m; k++)
      c->beta[i * c->m + k] = c->u[i] * (share * even + (k == (size_t)c->label[i] ? 1 - share : 0));
  for (size_t j = 0; j < at->size; j++) c->w[j] *= share;
  measure(at);
  for (size_t i = 0; i < c->n; i++) {
    const double *slope = at->slope + i * c->m, *beta = c->beta + i * c->m;
    at->t[i] = slope[0] + mu / beta[0];
    for (size_t k = 1; k < c->m; k++) at->t[i] = fmax(at->t[i], slope[k] + mu / beta[k]);
    for (size_t k = 0; k < c->m; k++) at->s[i * c->m + k] = at->t[i] - slope[k];
  }
}

/* Weights of the Gram matrix that couples classes k and l. */
static void couple(path *at, size_t k, size_t l) {
  size_t m = at->c->m;
  for (size_t i = 0; i < at->c->n; i++) {
    const double *tau = at->tau + i * m;
    double other = -tau[l];
    if (k == l) {
      other = 0;
      for (size_t j = 0; j < m; j++) other += j == k ? 0 : tau[j];
    }
    at->weight[i] = tau[k] * (other / at->T[i]);
  }
}

static bool factorise(path *at) {
  const svf_crammer *c = at->c;
  size_t m = c->m, ld = c->ld;
  for (size_t i = 0; i < c->n; i++) {
    at->T[i] = 0;
    for (size_t k = i * m; k < (i + 1) * m; k++) at->T[i] += at->tau[k] = c->beta[k] / at->s[k];
  }
  for (size_t k = 0; k < m; k++)
    for (size_t l = k; l < m; l++) {
      couple(at, k, l);
      memset(at->block, 0, ld * ld * sizeof *at->block);
      for (size_t i = 0; k == l && i < ld; i++) at->block[i * ld + i] = 1;
      if (!svf_solver_rank(c->solver, &(svf_rows){c->n, c->p, ld, NULL}, c->row, at->weight, at->block)) return false;
      for (size_t i = 0; i < ld; i++) {
        double *to = at->factor + (k * ld + i) * at->size + l * ld;
        for (size_t j = 0; j < ld; j++) to[j] = at->block[i < j ? i * ld + j : j * ld + i];
      }
    }
  return c->la->cholesky(at->size, at->size, at->factor, c->solver->stop);
}

/* The Newton step for the products rc:
 *   dw_k + sum_i dbeta_ik x_i = rw_k,   sum_k dbeta_ik = ru_i,   s dbeta + beta ds = rc,
 *   ds_ik = dt_i - x_i.dw_k + rest_ik,  rest_ik = t_i - G_ik - s_ik. */
static void newton(path *at) {
  const svf_crammer *c = at->c;
  size_t m = c->m;
  memcpy(at->dw, at->rw, at->size * sizeof *at->dw);
  for (size_t i = 0; i < c->n; i++) {
    double sum = -at->ru[i];
    for (size_t q = i * m; q < (i + 1) * m; q++) {
      at->ds[q] = at->t[i] - at->slope[q] - at->s[q];
      at->dbeta[q] = at->rc[q] / at->s[q] - at->tau[q] * at->ds[q];
      sum += at->dbeta[q];
    }
    at->dt[i] = sum / at->T[i];
    for (size_t k = 0; k < m; k++) {
      double q = at->dbeta[i * m + k] - at->tau[i * m + k] * at->dt[i];
      c->la->axpy(c->ld, -q, c->row[i], at->dw + k * c->ld);
    }
  }
  c->la->solve(at->size, at->size, at->factor, at->dw);
  for (size_t i = 0; i < c->n; i++) {
    c->la->product(m, c->ld, at->dw, c->row[i], c->value);
    double sum = 0;
    for (size_t k = 0; k < m; k++) sum += at->tau[i * m + k] * c->value[k];
    at->dt[i] += sum / at->T[i];
    for (size_t k = 0; k < m; k++) {
      double change = at->dt[i] - c->value[k];
      at->ds[i * m + k] += change;
      at->dbeta[i * m + k] -= at->tau[i * m + k] * change;
    }
  }
}

static double rate(const path *at, double limit) {
  limit = svf_interior_rate(at->cells, at->c->beta, at->dbeta, limit);
  return svf_interior_rate(at->cells, at->s, at->ds, limit);
}

/* mu after a step of the given length. */
static double centre(const path *at, double length) {
  return svf_interior_sum(at->cells, at->c->beta, at->dbeta, at->s, at->ds, length) / (double)at->cells;
}

static bool advance(path *at) {
  const svf_crammer *c = at->c;
  if (!factorise(at)) return false;
  for (size_t q = 0; q < at->cells; q++) at->rc[q] = -c->beta[q] * at->s[q];
  newton(at);
  double mu = svf_interior_aim(centre(at, 0), centre(at, 1 / rate(at, 1)));
  for (size_t q = 0; q < at->cells; q++) at->rc[q] += mu - at->dbeta[q] * at->ds[q];
  newton(at);
  double length = svf_interior_length(rate(at, 0));
  svf_interior_add(at->cells, length, at->dbeta, c->beta);
  svf_interior_add(at->cells, length, at->ds, at->s);
  svf_interior_add(c->n, length, at->dt, at->t);
  c->la->axpy(at->size, length, at->dw, c->w);
  measure(at);
  return true;
}

bool svf_crammer_path(const svf_crammer *c, const svf_solver *solver, svf_solution *fit) {
  path at = {.c = c, .cells = c->n * c->m, .size = c->m * c->ld};
  if (!take(&at, solver->arena)) return false;
  start(&at);
  svf_crammer_judge(c, fit);
  while (!(fit->gap <= solver->tolerance) && fit->steps < solver->max_steps) {
    if (svf_solver_stopped(solver) || !advance(&at)) break;
    fit->steps++;
    svf_crammer_judge(c, fit);
    if (!(centre(&at, 0) > SVF_ROUNDING * fit->gap * fit->objective / (double)c->n)) break;
  }
  return true;
}
