/* linear_start.c - where the fits of linear_fit.h begin. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* H of no rows. */
static void start_empty(svf_newton *t, const svf_newton_scratch *scratch, svf_start *start) {
  svf_newton_clear(t, scratch);
  t->start = start;
  if (start) svf_newton_clear(t, scratch);
}

/* H of all rows with the shared costs. */
static void start_full(svf_newton *t, const svf_newton_scratch *scratch, svf_start *start) {
  const svf_shared *shared = scratch->shared;
  t->start = start;
  if (start) start->h = shared->total, start->h_double = shared->total_double;
  else svf_newton_join(t, scratch, &(svf_start){.h = shared->total, .h_double = shared->total_double}, shared->folds);
}

/* All rows are active at w = 0; rows whose cost differs from the shared one pay for H again. */
void svf_newton_whole(svf_newton *t, const svf_newton_scratch *scratch, const svf_costs *costs, svf_start *start) {
  const svf_shared *shared = scratch->shared;
  memset(t->s, 0, shared->panels * SVF_PANEL * sizeof *t->s);
  if (svf_shared_gram(shared)) return;
  if (shared->regime->first == SVF_FIRST_GRADIENT) {
    start_empty(t, scratch, start);
    return;
  }
  start_full(t, scratch, start);
  for (size_t f = 0; costs && f < shared->folds; f++) {
    size_t count = 0;
    for (size_t i = shared->start[f]; i < shared->start[f + 1]; i++) {
      float differs = fabsf(t->v[i]) - svf_cost(costs, i);
      if (differs == 0) continue;
      scratch->list[count] = (uint32_t)i;
      scratch->weight[count++] = differs;
      if (count < scratch->room) continue;
      svf_newton_rank(t, scratch, f, count, scratch->list, scratch->weight);
      count = 0;
    }
    svf_newton_rank(t, scratch, f, count, scratch->list, scratch->weight);
  }
  for (size_t b = 0; b < shared->panels; b++)
    for (size_t i = 0; i < SVF_PANEL; i++) t->kept[b] |= (uint64_t)(t->v[b * SVF_PANEL + i] != 0) << i;
  if (start) svf_newton_join(t, scratch, start, shared->folds);
}

/* The first step from w = 0 takes every row for an active one, those beyond their margin too: the solution is longer by
 * about that. One step less of 4 to 6 on rows of 20 numbers and two classes. */
#define LEAP 1.2

void svf_newton_leap(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  svf_newton_look(&t, 1, scratch, C, false);
  if (svf_newton_step(&t, 1, scratch, C) == 0) return;
  for (size_t j = 0; j < shared->p; j++) t->w[j] = LEAP * t->next_w[j], t->w32[j] = (float)t->w[j];
  svf_shared_scores(shared, 0, shared->panels, 1, (const float *const *)&t->w32, &t->s);
}

/* With fewer rows weights are smaller: so much, and a part rarely begins with too few active rows. (Of n x n steps more
 * rows are a cost.) */
#define SHRINK .96

typedef struct parting {
  svf_newton *part;
  const svf_newton *whole;
  float share;
} parting;

static void part_rows(void *context, size_t first, size_t end) {
  const parting *k = context;
  memcpy(k->part->v + first, k->whole->v + first, (end - first) * sizeof(float));
  memset(k->part->last_s + first, 0, (end - first) * sizeof(float)); /* the C before the first is 0 */
  for (size_t i = first; i < end; i++) k->part->s[i] = k->share * k->whole->s[i];
}

void svf_newton_part(svf_newton *t, const svf_newton_scratch *scratch, const svf_newton *whole, size_t part) {
  const svf_shared *shared = scratch->shared;
  size_t first = shared->start[part], end = shared->start[part + 1];
  double share = svf_shared_gram(shared) ? 1 : SHRINK;
  parting k = {t, whole, (float)share};
  svf_solver_rows(scratch->solver, shared->panels * SVF_PANEL, part_rows, &k);
  memset(t->v + first, 0, (end - first) * sizeof *t->v);
  for (size_t j = 0; j < shared->ld; j++) t->w[j] = share * whole->w[j];
  memset(t->last_w, 0, shared->ld * sizeof *t->last_w);
  memset(t->stride, 0, shared->ld * sizeof *t->stride);
  t->factor_C = 0, t->ahead = false;
  if (svf_shared_gram(shared)) return;
  memcpy(t->kept, whole->kept, shared->panels * sizeof *t->kept);
  for (size_t i = first; i < end; i++) t->kept[i / SVF_PANEL] &= ~((uint64_t)1 << i % SVF_PANEL);
  svf_newton_join(t, scratch, whole->start, part);
}

typedef struct scoring {
  const svf_shared *shared;
  const svf_newton *fit;
} scoring;

static void score_rows(void *context, size_t first, size_t end) {
  const scoring *k = context;
  const svf_shared *shared = k->shared;
  const float *w = k->fit->w32;
  float *s = k->fit->s + first;
  svf_shared_scores(shared, first / SVF_PANEL, (end - first) / SVF_PANEL, 1, &w, &s);
}

void svf_newton_begin(svf_newton *t, const svf_newton_scratch *scratch, const double *w) {
  const svf_shared *shared = scratch->shared;
  scoring k = {shared, t};
  for (size_t j = 0; j < shared->p; j++) t->w[j] = w[j], t->w32[j] = (float)w[j];
  svf_solver_rows(scratch->solver, shared->panels * SVF_PANEL, score_rows, &k);
}

/* The approach: a step ends when conjugate gradients have brought the squared residual down to ROUGH of what it was, the
 * whole when the gap is NEAR: from there Newton steps with a matrix are few. */
#define ROUGH .1
#define NEAR  3e-3
enum { ROUNDS = 10, TURNS = 12 };

/* u = (I + 2C H) d by passes over the rows; t->a: costs of the active ones, else 0. s: X d. */
static void curve(const svf_newton *t, const svf_newton_scratch *scratch, double C, const float *d, float *s,
                  double *u) {
  const svf_shared *shared = scratch->shared;
  const svf_single *la = shared->la->single;
  float *b = scratch->weight;
  svf_shared_scores(shared, 0, shared->panels, 1, &d, &s);
  for (size_t i = 0; i < shared->panels * SVF_PANEL; i++) b[i] = t->a[i] * s[i];
  memset(u, 0, shared->ld * sizeof *u);
  la->combine(shared->panels, shared->ld, shared->x, 1, &(const float *){b}, t->set, &u);
  for (size_t j = 0; j < shared->p; j++) u[j] = d[j] + 2 * C * u[j];
}

/* The next point, by some conjugate gradients for (I + 2C H) delta = -g; its scores come with them. */
static void conjugate(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  const svf_shared *shared = scratch->shared;
  size_t p = shared->p, padded = shared->panels * SVF_PANEL;
  float *d = t->w32, *r = scratch->z, *s = t->last_s;
  double *u = t->last_w, square = 0;
  for (size_t i = 0; i < padded; i++) t->a[i] = t->a[i] != 0 ? fabsf(t->v[i]) : 0;
  for (size_t j = 0; j < p; j++) d[j] = r[j] = (float)-t->g[j], square += t->g[j] * t->g[j];
  memcpy(t->next_w, t->w, shared->ld * sizeof *t->w);
  memcpy(t->next_s, t->s, padded * sizeof *t->s);
  double enough = ROUGH * square;
  for (int turn = 0; turn < TURNS && square > enough && !svf_solver_stopped(scratch->solver); turn++) {
    double along = 0, left = 0;
    curve(t, scratch, C, d, s, u);
    for (size_t j = 0; j < p; j++) along += d[j] * u[j];
    double length = square / along;
    for (size_t j = 0; j < p; j++) {
      t->next_w[j] += length * d[j];
      r[j] -= (float)(length * u[j]);
      left += (double)r[j] * r[j];
    }
    float step = (float)length, keep = (float)(left / square);
    for (size_t i = 0; i < padded; i++) t->next_s[i] += step * s[i];
    for (size_t j = 0; j < p; j++) d[j] = r[j] + keep * d[j];
    square = left;
  }
}

void svf_newton_approach(svf_newton *t, const svf_newton_scratch *scratch, double C) {
  svf_newton_look(&t, 1, scratch, C, false);
  for (int round = 0; round < ROUNDS && t->gap > NEAR && !svf_solver_stopped(scratch->solver); round++) {
    double before = t->P;
    conjugate(t, scratch, C);
    svf_newton_swap(t);
    svf_newton_look(&t, 1, scratch, C, false);
    if (t->P <= before) continue;
    svf_newton_go_back(t, scratch->shared, C);
    svf_newton_look(&t, 1, scratch, C, false);
  }
}
