/* ls_metric.c - see ls_metric.h. */
#include "svm/ls_metric.h"

#include <math.h>
#include <string.h>
#include "la/cholesky.h"
#include "la/eigen.h"

enum { PIECE = 64, ASKED = 64 }; /* rows at a time */
#define TRUST 1e-10              /* least part of the trace that 1/C may be: a fit here need not be exact */

static bool stopped(const svf_learning *m) { return svf_solver_stopped(m->solver); }

bool svf_learning_open(svf_learning *m) {
  svf_arena *arena = m->solver->arena;
  size_t n = m->rows.n, d = m->rows.d;
  m->wide = svf_padded(n), m->ld = svf_padded(d);
  m->t = SVF_ZERO(arena, double, m->full ? d * m->ld : d);
  m->z = SVF_TAKE(arena, float, n *d);
  m->pane = SVF_ZERO(arena, float, m->wide *d);
  m->alpha = SVF_ZERO(arena, double, m->rows.targets * m->wide);
  m->bias = SVF_ZERO(arena, double, m->rows.targets);
  m->distance = SVF_TAKE(arena, double, n * m->wide);
  m->k = SVF_TAKE(arena, double, n * m->wide);
  m->g = SVF_TAKE(arena, double, n * m->ld);
  if (svf_arena_failed(arena)) return false;
  for (size_t j = 0; j < d; j++) m->t[m->full ? j * m->ld + j : j] = 1;
  return true;
}

svf_metric svf_learning_metric(const svf_learning *m) { return (svf_metric){m->rows.d, m->full, m->t}; }

/* Pieces of rows, on idle threads too. */
static bool share_rows(const svf_learning *m, svf_piece piece, void *context) {
  return svf_solver_share(m->solver, (m->rows.n + PIECE - 1) / PIECE, piece, context);
}

static size_t piece_end(const svf_learning *m, size_t first) {
  return m->rows.n - first < PIECE ? m->rows.n : first + PIECE;
}

/* ---- fit ---- */

static bool take_coordinates(svf_learning *m) {
  svf_arena *arena = m->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_metric metric = svf_learning_metric(m);
  size_t d = m->rows.d;
  double *scratch = SVF_TAKE(arena, double, m->ld);
  for (size_t i = 0; scratch && i < m->rows.n && !stopped(m); i++) {
    svf_metric_apply(&metric, m->solver->la, m->rows.x + i * d, scratch, m->z + i * d);
    for (size_t j = 0; j < d; j++) m->pane[(i / SVF_LANES * d + j) * SVF_LANES + i % SVF_LANES] = m->z[i * d + j];
  }
  svf_arena_release(arena, mark);
  return scratch != NULL;
}

/* Panes are whole: the first rows of one that is cut off are those of a table of their own. */
static bool choose(svf_learning *m) {
  svf_arena *arena = m->solver->arena;
  m->sigma = m->width[0], m->best_C = m->C[0];
  if (m->absolute && m->widths * m->C_count == 1) return true;
  size_t n = m->tries < m->rows.n ? m->tries : m->rows.n, d = m->rows.d;
  svf_mark mark = svf_arena_mark(arena);
  float *pane = SVF_ZERO(arena, float, svf_padded(n) * d);
  double *y = SVF_TAKE(arena, double, m->rows.targets *n);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) pane[(i / SVF_LANES * d + j) * SVF_LANES + i % SVF_LANES] = m->z[i * d + j];
  for (size_t q = 0; q < m->rows.targets; q++) memcpy(y + q * n, m->rows.y + q * m->rows.n, n * sizeof *y);
  svf_gauss_problem problem = {.rows = {m->z, n, d, d},
                               .pane = pane,
                               .targets = m->rows.targets,
                               .y = y,
                               .weight = m->rows.weight,
                               .width = m->width,
                               .widths = m->widths,
                               .relative = !m->absolute,
                               .no_bias = m->no_bias,
                               .C = m->C,
                               .C_count = m->C_count,
                               .kernel = m->kernel};
  svf_gauss chosen;
  bool fine = svf_gauss_fit(&problem, m->solver, &chosen);
  m->sigma = chosen.sigma, m->best_C = chosen.C;
  svf_arena_release(arena, mark);
  return fine;
}

static bool fill_some(void *context, size_t index, svf_worker *worker) {
  svf_learning *m = context;
  const svf_blocked *blocked = m->solver->la->blocked;
  size_t n = m->rows.n, d = m->rows.d, first = index * PIECE, end = piece_end(m, first);
  double factor = svf_ls_factor(m->kernel, m->sigma);
  (void)worker;
  blocked->distances(svf_ls_distance(m->kernel), &(svf_asked){m->z + first * d, end - first, d, d},
                     m->wide / SVF_LANES, m->pane, (svf_dense){m->distance + first * m->wide, m->wide});
  for (size_t i = first; i < end; i++) {
    double *row = m->k + i * m->wide;
    blocked->gaussians(m->wide, factor, m->distance + i * m->wide, row);
    for (size_t j = n; j < m->wide; j++) row[j] = 0;
  }
  return true;
}

/* (K + diag(1/(C c))) v = b for the ones and each target; alpha = v_y - bias v_1 with sum alpha = 0, or v_y without a bias. */
static bool solve(svf_learning *m) {
  svf_arena *arena = m->solver->arena;
  const svf_la *la = m->solver->la;
  size_t n = m->rows.n;
  double strongest = 0, total = 0;
  for (size_t i = 0; i < n; i++) strongest = fmax(strongest, m->rows.weight ? m->rows.weight[i] : 1);
  for (size_t i = 0; i < n; i++) {
    double c = m->rows.weight ? fmax(m->rows.weight[i] / strongest, TRUST) : 1;
    m->k[i * m->wide + i] += fmax(svf_ridge(m->best_C * strongest, c), TRUST * (double)n);
  }
  double *one = SVF_ZERO(arena, double, m->wide);
  if (!one || !svf_cholesky_blocked(la, n, m->wide, m->k, m->solver->stop, arena))
    return !svf_arena_failed(arena) && stopped(m);
  for (size_t i = 0; i < n; i++) one[i] = 1;
  la->solve(n, m->wide, m->k, one);
  for (size_t i = 0; i < n; i++) total += one[i];
  for (size_t q = 0; q < m->rows.targets && !stopped(m); q++) {
    double *alpha = m->alpha + q * m->wide, sum = 0;
    memset(alpha, 0, m->wide * sizeof *alpha);
    memcpy(alpha, m->rows.y + q * n, n * sizeof *alpha);
    la->solve(n, m->wide, m->k, alpha);
    for (size_t i = 0; i < n; i++) sum += alpha[i];
    m->bias[q] = m->no_bias ? 0 : sum / total;
    for (size_t i = 0; i < n; i++) alpha[i] -= m->bias[q] * one[i];
  }
  return true;
}

bool svf_learning_fit(svf_learning *m) {
  if (!take_coordinates(m) || !choose(m)) return false;
  if (stopped(m)) return true;
  if (!share_rows(m, fill_some, m)) return false;
  if (stopped(m)) return true;
  svf_mark mark = svf_arena_mark(m->solver->arena);
  bool fine = solve(m);
  svf_arena_release(m->solver->arena, mark);
  return fine;
}

/* ---- gradient ---- */

/* Distances become w, or k for manhattan. */
static bool slope_some(void *context, size_t index, svf_worker *worker) {
  svf_learning *m = context;
  size_t first = index * PIECE, end = piece_end(m, first);
  double factor = svf_ls_factor(m->kernel, m->sigma), sigma = m->sigma;
  (void)worker;
  for (size_t i = first; i < end; i++) {
    double *k = m->k + i * m->wide, *w = m->distance + i * m->wide;
    m->solver->la->blocked->gaussians(m->wide, factor, w, k);
    for (size_t l = 0; l < m->wide; l++) {
      double far = w[l];
      if (l >= m->rows.n) w[l] = 0;
      else if (m->kernel == SVF_LS_KERNEL_RBF) w[l] = -k[l] / sigma / sigma;
      else if (m->kernel == SVF_LS_KERNEL_LAPLACE) w[l] = far > 0 ? -k[l] / (sigma * far) : 0;
      else w[l] = -k[l] / sigma;
    }
  }
  return true;
}

void svf_learning_slopes(svf_learning *m) { share_rows(m, slope_some, m); }

typedef struct gradient {
  const svf_learning *m;
  const double *alpha; /* wide */
  double *pulled;      /* n x ld: alpha_l z_l; manhattan: the columns of z, d x wide */
} gradient;

static bool pull_some(void *context, size_t index, svf_worker *worker) {
  const gradient *a = context;
  const svf_learning *m = a->m;
  const svf_la *la = m->solver->la;
  size_t d = m->rows.d, first = index * PIECE, end = piece_end(m, first);
  (void)worker;
  memset(m->g + first * m->ld, 0, (end - first) * m->ld * sizeof *m->g);
  la->blocked->outer(end - first, m->ld, m->rows.n, (svf_dense){m->distance + first, m->wide},
                     (svf_dense){a->pulled, m->ld}, (svf_dense){m->g + first * m->ld, m->ld});
  for (size_t i = first; i < end; i++) {
    double *g = m->g + i * m->ld, all = la->dot(m->wide, m->distance + i * m->wide, a->alpha);
    for (size_t j = 0; j < d; j++) g[j] = all * m->z[i * d + j] - g[j];
  }
  return true;
}

static bool sign_some(void *context, size_t index, svf_worker *worker) {
  const gradient *a = context;
  const svf_learning *m = a->m;
  size_t d = m->rows.d, first = index * PIECE, end = piece_end(m, first);
  (void)worker;
  for (size_t i = first; i < end; i++) {
    double *scaled = m->k + i * m->wide, *g = m->g + i * m->ld;
    for (size_t l = 0; l < m->wide; l++) scaled[l] = a->alpha[l] * m->distance[i * m->wide + l];
    memset(g, 0, m->ld * sizeof *g);
    m->solver->la->blocked->signs(m->wide, d, scaled, m->z + i * d, (svf_dense){a->pulled, m->wide}, g);
  }
  return true;
}

bool svf_learning_gradient(const svf_learning *m, size_t q) {
  svf_arena *arena = m->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t n = m->rows.n, d = m->rows.d;
  bool city = m->kernel == SVF_LS_KERNEL_MANHATTAN;
  gradient a = {m, m->alpha + q * m->wide, SVF_ZERO(arena, double, city ? d * m->wide : n * m->ld)};
  bool fine = a.pulled != NULL;
  for (size_t i = 0; fine && i < n; i++)
    for (size_t j = 0; j < d; j++) {
      if (city) a.pulled[j * m->wide + i] = m->z[i * d + j];
      else a.pulled[i * m->ld + j] = a.alpha[i] * m->z[i * d + j];
    }
  fine = fine && share_rows(m, city ? sign_some : pull_some, &a);
  svf_arena_release(arena, mark);
  return fine;
}

/* ---- metric ---- */

/* Adds sum_i c_i g_i g_i' of one target to the upper triangle of G, or to its diagonal. */
static bool add_products(const svf_learning *m, double *G) {
  svf_arena *arena = m->solver->arena;
  size_t n = m->rows.n;
  if (!m->full) {
    for (size_t i = 0; i < n; i++) {
      double c = m->rows.weight ? m->rows.weight[i] : 1;
      for (size_t j = 0; j < m->rows.d; j++) G[j] += c * m->g[i * m->ld + j] * m->g[i * m->ld + j];
    }
    return true;
  }
  svf_mark mark = svf_arena_mark(arena);
  const double **row = SVF_TAKE(arena, const double *, n);
  double *c = SVF_TAKE(arena, double, n);
  bool fine = row && c;
  for (size_t i = 0; fine && i < n; i++) row[i] = m->g + i * m->ld, c[i] = m->rows.weight ? m->rows.weight[i] : 1;
  svf_rows shape = {n, m->rows.d, m->ld, NULL};
  if (fine) svf_solver_rank(m->solver, &shape, row, c, G);
  svf_arena_release(arena, mark);
  return fine;
}

/* T from the diagonal of G. */
static void turn_diagonal(svf_learning *m, const double *G) {
  double most = 0;
  for (size_t j = 0; j < m->rows.d; j++) most = fmax(most, m->t[j] * sqrt(G[j]));
  if (!(most > 0) || !isfinite(most)) return;
  for (size_t j = 0; j < m->rows.d; j++) m->t[j] *= sqrt(G[j]) / most;
}

/* H = T G T, all of it, from the upper triangle of G; half: d x ld. */
static void wrap(const svf_learning *m, double *G, double *half, double *H) {
  const svf_blocked *blocked = m->solver->la->blocked;
  size_t d = m->rows.d, ld = m->ld;
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < ld; j++) G[i * ld + j] = j >= d ? 0 : j < i ? G[j * ld + i] : G[i * ld + j];
  blocked->outer(d, ld, d, (svf_dense){m->t, ld}, (svf_dense){G, ld}, (svf_dense){half, ld}); /* T G */
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < d; j++) G[i * ld + j] = half[j * ld + i]; /* G T */
  blocked->outer(d, ld, d, (svf_dense){m->t, ld}, (svf_dense){G, ld}, (svf_dense){H, ld});
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < i; j++) H[i * ld + j] = H[j * ld + i];
}

/* T = M^(1/2). */
static bool turn_full(svf_learning *m, double *G) {
  svf_arena *arena = m->solver->arena;
  size_t d = m->rows.d, ld = m->ld;
  double *half = SVF_ZERO(arena, double, d *ld), *H = SVF_ZERO(arena, double, d *ld),
         *value = SVF_TAKE(arena, double, d);
  double most = 0;
  if (svf_arena_failed(arena)) return false;
  wrap(m, G, half, H);
  for (size_t j = 0; j < d; j++) most = fmax(most, H[j * ld + j]);
  if (!(most > 0) || !isfinite(most)) return true;
  for (size_t i = 0; i < d * ld; i++) H[i] /= most;
  if (!svf_eigen(m->solver->la, d, (svf_dense){H, ld}, value, m->solver->stop, arena)) return false;
  if (stopped(m) || !(value[0] > 0)) return true;
  double unit = m->by_entry ? 1 : value[0];
  memset(half, 0, d * ld * sizeof *half);
  for (size_t e = 0; e < d; e++)
    for (size_t j = 0; j < ld; j++) half[e * ld + j] = sqrt(sqrt(fmax(value[e], 0) / unit)) * H[e * ld + j];
  memset(m->t, 0, d * ld * sizeof *m->t);
  m->solver->la->blocked->outer(d, ld, d, (svf_dense){half, ld}, (svf_dense){half, ld}, (svf_dense){m->t, ld});
  for (size_t i = 0; i < d; i++) /* one of the two, so that the map is symmetric to the last bit */
    for (size_t j = 0; j < i; j++) m->t[i * ld + j] = m->t[j * ld + i];
  return true;
}

bool svf_learning_products(svf_learning *m, double *G) {
  bool fine = true;
  svf_learning_slopes(m);
  for (size_t q = 0; fine && q < m->rows.targets && !stopped(m); q++)
    fine = svf_learning_gradient(m, q) && add_products(m, G);
  return fine;
}

bool svf_learning_turn(svf_learning *m) {
  svf_arena *arena = m->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  double *G = SVF_ZERO(arena, double, m->full ? m->ld * m->ld : m->rows.d);
  bool fine = G && svf_learning_products(m, G);
  if (fine && !stopped(m)) {
    if (m->full) fine = turn_full(m, G);
    else turn_diagonal(m, G);
  }
  svf_arena_release(arena, mark);
  return fine;
}

bool svf_learning_run(svf_learning *m, size_t rounds) {
  bool fine = true;
  for (size_t r = 0; fine && r < rounds && !stopped(m); r++) fine = svf_learning_fit(m) && svf_learning_turn(m);
  return fine;
}
