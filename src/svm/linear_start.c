/* linear_start.c - where the tracks of linear_fit.h begin. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* H of no rows. */
static void start_empty(svf_track *t, const svf_tracks *tracks, svf_start *start) {
  svf_track_clear(t, tracks);
  t->start = start;
  if (start) svf_track_clear(t, tracks);
}

/* H of all rows with the shared costs. */
static void start_full(svf_track *t, const svf_tracks *tracks, svf_start *start) {
  const svf_form *form = tracks->form;
  t->start = start;
  if (start) start->h = form->total, start->wide = form->wide_total;
  else svf_track_join(t, tracks, &(svf_start){.h = form->total, .wide = form->wide_total}, form->folds);
}

/* All rows are active at w = 0; rows whose cost differs from the shared one pay for H again. */
void svf_track_whole(svf_track *t, const svf_tracks *tracks, const svf_costs *costs, svf_start *start) {
  const svf_form *form = tracks->form;
  memset(t->s, 0, form->panels * SVF_PANEL * sizeof *t->s);
  if (svf_form_gram(form)) return;
  if (form->regime->first == SVF_FIRST_GRADIENT) {
    start_empty(t, tracks, start);
    return;
  }
  start_full(t, tracks, start);
  for (size_t f = 0; costs && f < form->folds; f++) {
    size_t count = 0;
    for (size_t i = form->start[f]; i < form->start[f + 1]; i++) {
      float differs = fabsf(t->v[i]) - svf_cost(costs, i);
      if (differs == 0) continue;
      tracks->list[count] = (uint32_t)i;
      tracks->weight[count++] = differs;
      if (count < tracks->room) continue;
      svf_track_rank(t, tracks, f, count, tracks->list, tracks->weight);
      count = 0;
    }
    svf_track_rank(t, tracks, f, count, tracks->list, tracks->weight);
  }
  for (size_t b = 0; b < form->panels; b++)
    for (size_t i = 0; i < SVF_PANEL; i++) t->kept[b] |= (uint64_t)(t->v[b * SVF_PANEL + i] != 0) << i;
  if (start) svf_track_join(t, tracks, start, form->folds);
}

/* The first step from w = 0 takes every row for an active one, those beyond their margin too: the solution is longer by
 * about that. One step less of 4 to 6 on rows of 20 numbers and two classes. */
#define LEAP 1.2

void svf_track_leap(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  svf_tracks_look(&t, 1, tracks, C, false);
  if (svf_tracks_newton(&t, 1, tracks, C) == 0) return;
  for (size_t j = 0; j < form->p; j++) t->w[j] = LEAP * t->next_w[j], t->w32[j] = (float)t->w[j];
  svf_form_scores(form, 0, form->panels, 1, (const float *const *)&t->w32, &t->s);
}

/* With fewer rows weights are smaller: so much, and a part rarely begins with too few active rows. (Of n x n steps more
 * rows are a cost.) */
#define SHRINK .96

typedef struct parting {
  svf_track *part;
  const svf_track *whole;
  float share;
} parting;

static void part_rows(void *context, size_t first, size_t end) {
  const parting *k = context;
  memcpy(k->part->v + first, k->whole->v + first, (end - first) * sizeof(float));
  memset(k->part->last_s + first, 0, (end - first) * sizeof(float)); /* the C before the first is 0 */
  for (size_t i = first; i < end; i++) k->part->s[i] = k->share * k->whole->s[i];
}

void svf_track_part(svf_track *t, const svf_tracks *tracks, const svf_track *whole, size_t part) {
  const svf_form *form = tracks->form;
  size_t first = form->start[part], end = form->start[part + 1];
  double share = svf_form_gram(form) ? 1 : SHRINK;
  parting k = {t, whole, (float)share};
  svf_solver_rows(tracks->solver, form->panels * SVF_PANEL, part_rows, &k);
  memset(t->v + first, 0, (end - first) * sizeof *t->v);
  for (size_t j = 0; j < form->ld; j++) t->w[j] = share * whole->w[j];
  memset(t->last_w, 0, form->ld * sizeof *t->last_w);
  memset(t->stride, 0, form->ld * sizeof *t->stride);
  t->factor_C = 0, t->ahead = false;
  if (svf_form_gram(form)) return;
  memcpy(t->kept, whole->kept, form->panels * sizeof *t->kept);
  for (size_t i = first; i < end; i++) t->kept[i / SVF_PANEL] &= ~((uint64_t)1 << i % SVF_PANEL);
  svf_track_join(t, tracks, whole->start, part);
}

typedef struct scoring {
  const svf_form *form;
  const svf_track *track;
} scoring;

static void score_rows(void *context, size_t first, size_t end) {
  const scoring *k = context;
  const svf_form *form = k->form;
  const float *w = k->track->w32;
  float *s = k->track->s + first;
  svf_form_scores(form, first / SVF_PANEL, (end - first) / SVF_PANEL, 1, &w, &s);
}

void svf_track_begin(svf_track *t, const svf_tracks *tracks, const double *w) {
  const svf_form *form = tracks->form;
  scoring k = {form, t};
  for (size_t j = 0; j < form->p; j++) t->w[j] = w[j], t->w32[j] = (float)w[j];
  svf_solver_rows(tracks->solver, form->panels * SVF_PANEL, score_rows, &k);
}

/* The approach: a step ends when conjugate gradients have brought the squared residual down to ROUGH of what it was, the
 * whole when the gap is NEAR: from there Newton steps with a matrix are few. */
#define ROUGH .1
#define NEAR  3e-3
enum { ROUNDS = 10, TURNS = 12 };

/* u = (I + 2C H) d by passes over the rows; t->a: costs of the active ones, else 0. s: X d. */
static void curve(const svf_track *t, const svf_tracks *tracks, double C, const float *d, float *s, double *u) {
  const svf_form *form = tracks->form;
  const svf_single *la = form->la->single;
  float *b = tracks->weight;
  svf_form_scores(form, 0, form->panels, 1, &d, &s);
  for (size_t i = 0; i < form->panels * SVF_PANEL; i++) b[i] = t->a[i] * s[i];
  memset(u, 0, form->ld * sizeof *u);
  la->combine(form->panels, form->ld, form->x, 1, &(const float *){b}, t->set, &u);
  for (size_t j = 0; j < form->p; j++) u[j] = d[j] + 2 * C * u[j];
}

/* The next point, by some conjugate gradients for (I + 2C H) delta = -g; its scores come with them. */
static void conjugate(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  size_t p = form->p, padded = form->panels * SVF_PANEL;
  float *d = t->w32, *r = tracks->z, *s = t->last_s;
  double *u = t->last_w, square = 0;
  for (size_t i = 0; i < padded; i++) t->a[i] = t->a[i] != 0 ? fabsf(t->v[i]) : 0;
  for (size_t j = 0; j < p; j++) d[j] = r[j] = (float)-t->g[j], square += t->g[j] * t->g[j];
  memcpy(t->next_w, t->w, form->ld * sizeof *t->w);
  memcpy(t->next_s, t->s, padded * sizeof *t->s);
  double enough = ROUGH * square;
  for (int turn = 0; turn < TURNS && square > enough && !svf_solver_stopped(tracks->solver); turn++) {
    double along = 0, left = 0;
    curve(t, tracks, C, d, s, u);
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

void svf_track_approach(svf_track *t, const svf_tracks *tracks, double C) {
  svf_tracks_look(&t, 1, tracks, C, false);
  for (int round = 0; round < ROUNDS && t->gap > NEAR && !svf_solver_stopped(tracks->solver); round++) {
    double before = t->P;
    conjugate(t, tracks, C);
    svf_track_swap(t);
    svf_tracks_look(&t, 1, tracks, C, false);
    if (t->P <= before) continue;
    svf_track_go_back(t, tracks->form, C);
    svf_tracks_look(&t, 1, tracks, C, false);
  }
}
