/* linear_step.c - one Newton step of linear_fit.h: p x p, n x n, or p x p for all fits in one batch. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* With fewer active rows than this times p, the n x n step is cheaper. */
#define FEW .6

/* Rows of panels first..end-1 in which two sets differ. */
static size_t list_changes(size_t first, size_t end, const uint64_t *a, const uint64_t *b, uint32_t *list) {
  size_t count = 0;
  for (size_t q = first; q < end; q++)
    for (uint64_t left = a[q] ^ b[q]; left; left &= left - 1)
      list[count++] = (uint32_t)(q * SVF_PANEL + (size_t)__builtin_ctzll(left));
  return count;
}

static size_t count_changes(const svf_shared *shared, const uint64_t *a, const uint64_t *b) {
  size_t count = 0;
  for (size_t q = 0; q < shared->panels; q++) count += svf_bits(a[q] ^ b[q]);
  return count;
}

static size_t list_rows(const svf_shared *shared, const uint64_t *set, uint32_t *list) {
  size_t count = 0;
  for (size_t q = 0; q < shared->panels; q++)
    for (uint64_t left = set[q]; left; left &= left - 1)
      list[count++] = (uint32_t)(q * SVF_PANEL + (size_t)__builtin_ctzll(left));
  return count;
}

static size_t size_of(const svf_shared *shared, const uint64_t *set) {
  size_t count = 0;
  for (size_t q = 0; q < shared->panels; q++) count += svf_bits(set[q]);
  return count;
}

static bool in(const uint64_t *set, size_t i) { return set[i / SVF_PANEL] >> i % SVF_PANEL & 1; }

/* Rows list[first..] of a fold (of all, where H is not kept by fold) change H: those in the set join, the others leave;
 * returns the first that is not of it. */
static size_t change(svf_newton *t, const svf_newton_scratch *scratch, size_t fold, size_t first, size_t end) {
  const svf_shared *shared = scratch->shared;
  const uint32_t *list = scratch->list;
  size_t q = first, before = t->start ? shared->start[fold + 1] : shared->n;
  for (; q < end && list[q] < before; q++) {
    float c = fabsf(t->v[list[q]]);
    scratch->weight[q] = in(t->set, list[q]) ? c : -c;
  }
  svf_newton_rank(t, scratch, fold, q - first, list + first, scratch->weight + first);
  return q;
}

bool svf_newton_few(const svf_newton *t, const svf_shared *shared) {
  return shared->regime->step == SVF_STEP_SMALLER && (double)size_of(shared, t->set) < FEW * (double)shared->p;
}

void svf_newton_settle(svf_newton *t, const svf_newton_scratch *scratch) {
  const svf_shared *shared = scratch->shared;
  size_t count = count_changes(shared, t->kept, t->set);
  if (svf_shared_gram(shared) || count == 0) return;
  if (count > size_of(shared, t->set)) { /* all active rows from nothing cost less */
    svf_newton_clear(t, scratch);
    memset(t->kept, 0, shared->panels * sizeof *t->kept);
  }
  size_t fold = 0, step = scratch->room / SVF_PANEL;
  for (size_t first = 0; first < shared->panels; first += step) {
    size_t end = shared->panels - first < step ? shared->panels : first + step, at = 0;
    count = list_changes(first, end, t->kept, t->set, scratch->list);
    while (at < count) {
      at = change(t, scratch, fold, at, count);
      if (at < count) fold++;
    }
  }
  memcpy(t->kept, t->set, shared->panels * sizeof *t->kept);
  t->factor_C = 0;
  if (t->start) svf_newton_join(t, scratch, t->start, shared->folds);
}

/* R'^-1 z by the factor at hand, corrected for the rows listed. */
static bool correct(const svf_newton *t, const svf_newton_scratch *scratch, double C, size_t count) {
  const svf_shared *shared = scratch->shared;
  const float *row[SVF_BORDER];
  for (size_t q = 0; q < count; q++) {
    size_t i = scratch->list[q];
    float e = 1 / (float)(2 * C * fabsf(t->v[i]));
    row[q] = shared->x + i * shared->ld;
    scratch->weight[q] = in(t->set, i) ? e : -e;
  }
  return shared->la->single->correct(shared->p, shared->ld, t->factor, count, row, scratch->weight, scratch->z,
                                     scratch->border);
}

/* -g over its largest number, which single precision may not hold; returns that number. */
static double copy_gradient(const svf_newton *t, const svf_shared *shared, float *z) {
  double most = 0;
  for (size_t j = 0; j < shared->p; j++)
    if (fabs(t->g[j]) > most) most = fabs(t->g[j]);
  if (most < 1e-300) most = 0; /* nothing that a step could change */
  double scale = most > 0 ? 1 / most : 0;
  for (size_t j = 0; j < shared->p; j++) z[j] = (float)(-t->g[j] * scale);
  memset(z + shared->p, 0, (shared->ld - shared->p) * sizeof *z);
  return most;
}

static void move(svf_newton *t, const svf_shared *shared, double scale, const float *step) {
  for (size_t j = 0; j < shared->p; j++) {
    t->next_w[j] = t->w[j] + scale * step[j];
    t->w32[j] = (float)t->next_w[j];
  }
}

static bool step_features(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  bool corrected = false;
  double scale = copy_gradient(t, shared, scratch->z);
  if (!svf_shared_double(shared) && t->factor_C == C) {
    size_t count = count_changes(shared, t->kept, t->set);
    if (count <= SVF_BORDER) list_changes(0, shared->panels, t->kept, t->set, scratch->list);
    corrected = count <= SVF_BORDER && correct(t, scratch, C, count);
    if (!corrected) copy_gradient(t, shared, scratch->z);
  }
  if (corrected) {
    shared->la->single->backward(shared->p, shared->ld, t->factor, scratch->z, scratch->step);
  } else {
    svf_newton_settle(t, scratch);
    if (!svf_newton_system(t, scratch, C)) return false;
  }
  move(t, shared, scale, scratch->step);
  return true;
}

/* delta = -g + X_A' z, (K_AA + D) z = X_A g. */
static bool step_rows(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  const svf_single *la = shared->la->single;
  uint32_t *on = scratch->list;
  float *g = t->w32, *pull = t->next_s, *diagonal = scratch->weight;
  size_t m = list_rows(shared, t->set, on), ld = svf_padded_single(m);
  double scale = copy_gradient(t, shared, g);
  svf_shared_know(shared, scratch->solver, on, m);
  for (size_t a = 0; a < m; a++) scratch->row[a] = shared->x + on[a] * shared->ld;
  la->products(shared->ld, m, scratch->row, g, scratch->z);
  for (size_t a = 0; a < m; a++) {
    const float *k = shared->gram + on[a] * shared->gram_ld;
    float *to = scratch->matrix + a * ld;
    for (size_t b = a & ~(size_t)15; b < a; b++) to[b] = 0;
    for (size_t b = a; b < m; b++) to[b] = k[on[b]];
    memset(to + m, 0, (ld - m) * sizeof *to);
    diagonal[a] = (float)(1 / (2 * C * fabsf(t->v[on[a]])));
  }
  memset(scratch->matrix + m * ld, 0, (svf_padded(m) - m) * ld * sizeof(float));
  svf_system system = {m, ld, scratch->matrix, 1, diagonal, scratch->solver->stop};
  if (m > 0 && !la->factor(&system, scratch->factor, scratch->z)) return false;
  if (m > 0) la->backward(m, ld, scratch->factor, scratch->z, scratch->step);
  for (size_t a = 0; a < m; a++) pull[on[a]] = scratch->step[a];
  memset(scratch->spare, 0, shared->ld * sizeof(double));
  la->combine(shared->panels, shared->ld, shared->x, 1, &(const float *){pull}, t->set, &(double *){scratch->spare});
  for (size_t j = 0; j < shared->p; j++) {
    t->next_w[j] = t->w[j] - t->g[j] - scale * scratch->spare[j];
    t->w32[j] = (float)t->next_w[j];
  }
  return true;
}

static bool newton(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  return svf_shared_gram(shared) || svf_newton_few(t, shared) ? step_rows(t, scratch, C)
                                                              : step_features(t, scratch, C);
}

/* Small systems: another factor costs less than a correction of the last. */
static void step_batch(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  const float *h[SVF_COLUMNS], *z[SVF_COLUMNS];
  float *step[SVF_COLUMNS];
  double scale[SVF_COLUMNS];
  for (size_t q = 0; q < count; q++) {
    float *right = scratch->z + q * shared->ld;
    scale[q] = copy_gradient(fit[q], shared, right);
    svf_newton_settle(fit[q], scratch);
    h[q] = fit[q]->h, z[q] = right, step[q] = scratch->step + q * shared->ld;
  }
  unsigned fine =
      shared->la->single->systems(shared->p, shared->ld, count, h, (float)(2 * C), z, step, scratch->systems);
  for (size_t q = 0; q < count; q++)
    if (fine >> q & 1) move(fit[q], shared, scale[q], step[q]);
    else fit[q]->state = SVF_NEWTON_FAILED;
}

typedef struct stepping {
  svf_newton *const *fit;
  const svf_newton_scratch *scratch;
  double C;
} stepping;

static bool step_one(void *context, size_t q, svf_worker *worker) {
  const stepping *k = context;
  svf_newton_scratch scratch = k->scratch->own ? k->scratch->own[q] : *k->scratch;
  svf_solver solver = svf_solver_on(scratch.solver, worker);
  scratch.solver = &solver;
  if (!newton(k->fit[q], &scratch, k->C)) k->fit[q]->state = SVF_NEWTON_FAILED;
  return true;
}

size_t svf_newton_step(svf_newton **fit, size_t count, const svf_newton_scratch *scratch, double C) {
  stepping k = {fit, scratch, C};
  if (count > 0 && svf_shared_batch(scratch->shared)) step_batch(fit, count, scratch, C);
  else if (scratch->own) svf_solver_share(scratch->solver, count, step_one, &k);
  else
    for (size_t q = 0; q < count; q++) step_one(&k, q, NULL);
  size_t left = 0;
  for (size_t q = 0; q < count; q++)
    if (fit[q]->state != SVF_NEWTON_FAILED) fit[left++] = fit[q];
  return left;
}
