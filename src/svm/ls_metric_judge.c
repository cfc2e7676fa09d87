/* ls_metric_judge.c - what a learned metric is worth at rows that did not learn it, and what learning costs. */
#include <math.h>
#include "svm/ls_metric.h"

enum { ASKED = 64 };

/* Sums over rows, by weight: y^2, y f, f^2. */
typedef struct sums {
  double yy, yf, ff;
} sums;

static void add_rows(const svf_learning *m, const svf_learning_rows *other, size_t first, size_t count,
                     const double *said, sums *sum) {
  for (size_t q = 0; q < other->targets; q++)
    for (size_t i = 0; i < count; i++) {
      double y = other->y[q * other->n + first + i], f = said[q * ASKED + i] + m->bias[q];
      double c = other->weight ? other->weight[first + i] : 1;
      sum[q].yy += c * y * y, sum[q].yf += c * y * f, sum[q].ff += c * f * f;
    }
}

static double error_of(const sums *s, bool scaled) {
  double square = s->yf > 0 ? s->yf * s->yf : 0;
  if (!scaled) return s->yy - 2 * s->yf + s->ff;
  return s->ff > 0 ? s->yy - square / s->ff : s->yy;
}

bool svf_learning_error(const svf_learning *m, const svf_learning_rows *other, bool scaled, double *error) {
  svf_arena *arena = m->solver->arena;
  const svf_blocked *blocked = m->solver->la->blocked;
  svf_mark mark = svf_arena_mark(arena);
  svf_metric metric = svf_learning_metric(m);
  size_t d = m->rows.d;
  float *z = SVF_TAKE(arena, float, ASKED *d);
  double *k = SVF_TAKE(arena, double, ASKED * m->wide), *scratch = SVF_TAKE(arena, double, m->ld);
  double *said = SVF_TAKE(arena, double, m->rows.targets *ASKED), all = 0, total = 0;
  sums *sum = svf_arena_zero(arena, m->rows.targets, sizeof *sum);
  bool fine = !svf_arena_failed(arena);
  for (size_t first = 0; fine && first < other->n && !svf_solver_stopped(m->solver); first += ASKED) {
    size_t count = other->n - first < ASKED ? other->n - first : ASKED;
    for (size_t i = 0; i < count; i++)
      svf_metric_apply(&metric, m->solver->la, other->x + (first + i) * d, scratch, z + i * d);
    for (size_t i = 0; i < m->rows.targets * ASKED; i++) said[i] = 0;
    blocked->distances(svf_ls_distance(m->kernel), &(svf_asked){z, count, d, d}, m->wide / SVF_LANES, m->pane,
                       (svf_dense){k, m->wide});
    blocked->gaussians(count * m->wide, svf_ls_factor(m->kernel, m->sigma), k, k);
    blocked->dots(count, m->wide, m->rows.targets, (svf_dense){k, m->wide}, (svf_dense){m->alpha, m->wide},
                  (svf_dense){said, ASKED});
    add_rows(m, other, first, count, said, sum);
  }
  for (size_t i = 0; i < other->n; i++) total += other->weight ? other->weight[i] : 1;
  for (size_t q = 0; fine && q < other->targets; q++) all += error_of(&sum[q], scaled);
  *error = all / total / (double)m->rows.targets;
  svf_arena_release(arena, mark);
  return fine;
}

size_t svf_learning_rows_within(const svf_learning_rows *rows, size_t wanted, double operations) {
  double d = (double)rows->d, targets = (double)rows->targets;
  size_t n = wanted < rows->n ? wanted : rows->n;
  for (; n > 100; n -= n / 16) {
    double m = (double)n;
    if (m * m * (m / 3 + d * (3 + 2 * targets) + 2 * targets) + m * d * d * targets <= operations) break;
  }
  return n;
}

double svf_learning_memory(const svf_learning_rows *rows, bool full) {
  double n = (double)svf_padded(rows->n), d = (double)svf_padded(rows->d);
  return 8 * (2 * n * n + 4 * n * d + 2 * n * (double)rows->targets + (full ? 4 * d * d : 2 * d));
}
