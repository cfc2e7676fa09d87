/* linear_pass.c - passes over the rows: active set, pulls, gradient, P and gap of the fits of linear_fit.h. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* Panels in a block of a pass. With short rows, or many long ones, a block stays in the second cache. */
static size_t block_of(const svf_shared *shared) {
  enum { LONG_BLOCK = 8 };
  return shared->p < SVF_SHORT ? SVF_BLOCK : shared->storage == SVF_ROWS_ONLY ? LONG_BLOCK : shared->panels;
}

size_t svf_newton_blocks(const svf_shared *shared) {
  return (shared->panels + block_of(shared) - 1) / block_of(shared);
}

/* One pass over the rows for several fits: scores, pulls, and the sums of both. */
typedef struct pass {
  svf_newton *const *fit;
  size_t count;
  const svf_newton_scratch *scratch;
  bool score; /* the point is new: its scores come first */
} pass;

/* The sums of a block for one fit: ld numbers, the sum of pulls, and the loss. */
static double *sums_at(const svf_newton_scratch *scratch, size_t block, size_t q) {
  return scratch->sums + (block * SVF_COLUMNS + q) * (scratch->shared->ld + 1);
}

/* Are sums over the active rows of a set cheaper than over all rows in panels? Short rows leave too little to do at each. */
static bool few_active(const svf_shared *shared, const uint64_t *set, size_t panels) {
  enum { SHARE = 4 };
  size_t active = 0;
  if (shared->storage == SVF_PANELS_ONLY) return false;
  for (size_t b = 0; b < panels; b++) active += svf_bits(set[b]);
  return active < panels * SVF_PANEL / SHARE;
}

/* Scores of an extrapolated point, in some panels. */
static void extend(const svf_newton *t, const svf_shared *shared, size_t at, size_t panels) {
  if (t->ahead) shared->la->single->extend(panels * SVF_PANEL, t->further, t->last_s + at, t->next_s + at, t->s + at);
}

/* A block of the shortest rows: scores, pulls, gradient and loss in one pass over its panels. */
static bool pass_brief(void *context, size_t block, svf_worker *worker) {
  (void)worker;
  const pass *k = context;
  const svf_shared *shared = k->scratch->shared;
  size_t first = block * SVF_BLOCK, panels = shared->panels - first > SVF_BLOCK ? SVF_BLOCK : shared->panels - first;
  size_t at = first * SVF_PANEL;
  float scratch[SVF_COLUMNS * SVF_SHORTEST * 16] __attribute__((aligned(64)));
  svf_sight sight[SVF_COLUMNS];
  for (size_t q = 0; q < k->count; q++) {
    svf_newton *t = k->fit[q];
    double *sum = sums_at(k->scratch, block, q);
    extend(t, shared, at, panels);
    memset(sum, 0, shared->ld * sizeof *sum);
    sight[q] = (svf_sight){t->w32, t->s + at, t->v + at, t->set + first, 0, sum};
  }
  shared->la->single->look(panels, shared->p, shared->panel + at * shared->p, k->count, sight, k->score, scratch);
  for (size_t q = 0; q < k->count; q++) sums_at(k->scratch, block, q)[shared->ld] = sight[q].loss;
  return true;
}

/* A block of a pass: some panels of short rows or of many long ones, else all panels. Many long rows are read once for all
 * fits: the pull of a row that is not active is 0. */
static bool pass_block(void *context, size_t block, svf_worker *worker) {
  (void)worker;
  const pass *k = context;
  const svf_shared *shared = k->scratch->shared;
  const svf_single *la = shared->la->single;
  bool brief = shared->p < SVF_SHORT;
  size_t most = block_of(shared), first = block * most, left_over = shared->panels - first;
  size_t panels = left_over < most ? left_over : most;
  size_t at = first * SVF_PANEL, left = 0;
  float pulls[SVF_COLUMNS][SVF_BLOCK * SVF_PANEL] __attribute__((aligned(64)));
  float scratch[SVF_COLUMNS * SVF_SHORT * 16] __attribute__((aligned(64)));
  const float *w[SVF_COLUMNS] = {0}, *a[SVF_COLUMNS] = {0};
  float *s[SVF_COLUMNS] = {0};
  double *g[SVF_COLUMNS] = {0};
  uint64_t any[SVF_BLOCK] = {0};
  for (size_t q = 0; q < k->count; q++) w[q] = k->fit[q]->w32, s[q] = k->fit[q]->s + at;
  if (k->score) svf_shared_scores(shared, first, panels, k->count, w, s);
  for (size_t q = 0; q < k->count; q++) {
    svf_newton *t = k->fit[q];
    float *pull = brief ? pulls[q] : t->a + at;
    double *sum = sums_at(k->scratch, block, q);
    extend(t, shared, at, panels);
    memset(sum, 0, shared->ld * sizeof *sum);
    sum[shared->ld] = la->slacks(panels, s[q], t->v + at, pull, t->set + first);
    if (shared->storage == SVF_ROWS_ONLY || (brief && !few_active(shared, t->set + first, panels)))
      a[left] = pull, g[left++] = sum;
    else
      la->combine(panels, shared->ld, shared->x + at * shared->ld, 1, &(const float *){pull}, t->set + first, &sum);
    for (size_t b = 0; shared->storage == SVF_ROWS_ONLY && b < panels; b++) any[b] |= t->set[first + b];
  }
  if (left > 0 && shared->storage == SVF_ROWS_ONLY)
    la->combine(panels, shared->ld, shared->x + at * shared->ld, left, a, any, g);
  else if (left > 0) la->gather(panels, shared->p, shared->panel + at * shared->p, left, a, g, scratch);
  return true;
}

/* P and the gap, from the loss and the gradient. */
static void judge(svf_newton *t, const svf_shared *shared, double C, double loss) {
  t->P = .5 * shared->la->dot(shared->ld, t->w, t->w) + C * loss;
  t->gap = t->P > 0 ? .5 * shared->la->dot(shared->ld, t->g, t->g) / t->P : 0;
}

/* P, the gradient and the gap, from the sums of the blocks. */
static void weigh(svf_newton *t, const svf_newton_scratch *scratch, double C, size_t q) {
  const svf_shared *shared = scratch->shared;
  double loss = 0;
  t->ahead = false;
  memset(t->g, 0, shared->ld * sizeof *t->g);
  for (size_t b = 0; b < svf_newton_blocks(shared); b++) {
    const double *sum = sums_at(scratch, b, q);
    for (size_t j = 0; j < shared->p; j++) t->g[j] += sum[j];
    loss += sum[shared->ld];
  }
  for (size_t j = 0; j < shared->p; j++) t->g[j] = t->w[j] - 2 * C * t->g[j];
  judge(t, shared, C, loss);
}

void svf_newton_look(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C, bool score) {
  pass k = {fit, count, scratch, score};
  size_t blocks = svf_newton_blocks(scratch->shared);
  svf_piece job = scratch->shared->p < SVF_SHORTEST ? pass_brief : pass_block;
  if (scratch->shared->storage != SVF_ROWS_AND_PANELS) svf_solver_share(scratch->solver, blocks, job, &k);
  else
    for (size_t b = 0; b < blocks; b++) job(&k, b, NULL);
  for (size_t q = 0; q < count; q++) weigh(fit[q], scratch, C, q);
}

/* If more than one row in so many has changed state, sums over all rows in panels are cheaper. */
enum { CHANGED = 16 };

/* From the active set of the last step, which became `before`, to the gradient: the step left nothing of it but what the
 * rows that changed state make. False: they are too many. */
static bool recall(svf_newton *t, const svf_newton_scratch *scratch, double C, double loss) {
  const svf_shared *shared = scratch->shared;
  float *a = scratch->weight;
  size_t count = 0;
  for (size_t b = 0; b < shared->panels; b++) count += svf_bits(t->before[b] ^= t->set[b]);
  if (count > SVF_PANEL && count * CHANGED > shared->n) return false;
  for (size_t b = 0; b < shared->panels; b++)
    for (uint64_t left = t->before[b]; left; left &= left - 1) {
      size_t i = b * SVF_PANEL + (size_t)__builtin_ctzll(left);
      float slack = 1 - (t->v[i] < 0 ? -t->s[i] : t->s[i]);
      a[i] = -t->v[i] * fabsf(slack);
    }
  memset(t->g, 0, shared->ld * sizeof *t->g);
  shared->la->single->combine(shared->panels, shared->ld, shared->x, 1, &(const float *){a}, t->before, &t->g);
  for (size_t j = 0; j < shared->p; j++) t->g[j] *= 2 * C;
  judge(t, shared, C, loss);
  return true;
}

void svf_newton_glance(svf_newton *const *fit, size_t count, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  svf_sight sight[SVF_COLUMNS];
  svf_newton *again[SVF_COLUMNS];
  size_t left = 0;
  for (size_t q = 0; q < count; q++) {
    svf_newton *t = fit[q];
    uint64_t *set = t->set;
    t->set = t->before, t->before = set;
    sight[q] = (svf_sight){t->w32, t->s, t->v, t->set, 0, NULL};
  }
  shared->la->single->look(shared->panels, shared->p, shared->panel, count, sight, true, NULL);
  for (size_t q = 0; q < count; q++) {
    svf_newton *t = fit[q];
    bool fine = recall(t, scratch, C, sight[q].loss);
    if (!fine || t->gap <= scratch->solver->tolerance) again[left++] = t;
  }
  if (left > 0) svf_newton_look(again, left, scratch, C, false);
}
