/* linear_fit.c - the fits of linear_fit.h: their memory, where they are after a step, and when they are done. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* Sums of single-precision scores make P noisy in its seventh digit: a rise within that is none. The first TRUST
 * steps may raise P: they mostly repair the guess of the active set. A fit that is not solved after PATIENCE steps is left
 * to double precision. */
#define NOISE 1e-5
/* The next stride along C, over the last: the first after w = 0, of short rows; the second; and later ones, over how the
 * last went on from the one before it. */
#define FIRST   .1
#define SECOND  .55
#define FURTHER .7
enum { TRUST = 4, PATIENCE = 25 };

/* What a Newton step is made in. */
static void open_scratch(svf_tracks *tracks, const svf_form *form, svf_arena *arena) {
  size_t padded = form->panels * SVF_PANEL,
         side = svf_form_gram(form) && form->gram_ld > form->ld ? form->gram_ld : form->ld;
  size_t abreast = svf_form_batch(form) ? SVF_COLUMNS : 1;
  tracks->z = SVF_ZERO(arena, float, abreast *side);
  tracks->step = SVF_ZERO(arena, float, abreast *side);
  if (svf_form_batch(form)) tracks->systems = SVF_TAKE(arena, float, svf_padded(form->p) * (form->p / 4 + 1) * 16);
  tracks->room = form->storage == SVF_PANELS_ONLY ? SVF_BLOCK * SVF_PANEL : padded;
  tracks->list = SVF_TAKE(arena, uint32_t, tracks->room);
  tracks->weight = SVF_TAKE(arena, float, tracks->room);
  size_t most = svf_form_gram(form)                      ? form->n
                : form->regime->step == SVF_STEP_SMALLER ? form->p
                                                         : 0; /* active rows in an n x n step */
  if (most) {
    tracks->matrix = SVF_TAKE(arena, float, svf_padded(most) * svf_padded_single(most));
    tracks->factor = SVF_TAKE(arena, float, svf_padded(most) * svf_padded_single(most));
    tracks->spare = SVF_TAKE(arena, double, form->ld);
    tracks->row = SVF_TAKE(arena, const float *, most);
  }
  if (svf_form_double(form)) {
    tracks->wide_step = SVF_TAKE(arena, double, svf_padded(form->p));
    tracks->rest = SVF_TAKE(arena, double, svf_padded(form->p));
    svf_wide_open(&tracks->scratch, form, tracks->solver);
  } else if (!svf_form_batch(form) && !svf_form_gram(form)) {
    tracks->border = SVF_TAKE(arena, float, svf_padded(form->p) * (SVF_BORDER + 1));
  }
}

void svf_tracks_open(svf_tracks *tracks, const svf_form *form, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  *tracks = (svf_tracks){.form = form, .solver = solver};
  tracks->sums = SVF_TAKE(arena, double, svf_track_blocks(form) * SVF_COLUMNS * (form->ld + 1));
  open_scratch(tracks, form, arena);
  if (form->storage != SVF_ROWS_AND_PANELS) tracks->own = SVF_TAKE(arena, svf_tracks, SVF_COLUMNS);
  for (size_t q = 0; tracks->own && q < SVF_COLUMNS && q < form->folds; q++) {
    tracks->own[q] = q > 0 ? (svf_tracks){.form = form, .solver = solver} : *tracks;
    if (q > 0) open_scratch(&tracks->own[q], form, arena);
  }
}

/* A number for every row; of those beyond the last it is 0. */
static float *open_rows(const svf_form *form, svf_arena *arena) {
  size_t padded = form->panels * SVF_PANEL;
  float *x = SVF_TAKE(arena, float, padded);
  if (x) memset(x + padded - SVF_PANEL, 0, SVF_PANEL * sizeof *x);
  return x;
}

void svf_track_open(svf_track *track, const svf_form *form, svf_arena *arena) {
  size_t padded = form->panels * SVF_PANEL;
  *track = (svf_track){0};
  track->v = open_rows(form, arena);
  track->w = SVF_ZERO(arena, double, form->ld);
  track->next_w = SVF_ZERO(arena, double, form->ld);
  track->last_w = SVF_ZERO(arena, double, form->ld);
  track->stride = SVF_ZERO(arena, double, form->ld);
  track->s = open_rows(form, arena);
  track->next_s = open_rows(form, arena);
  track->last_s = open_rows(form, arena);
  track->w32 = SVF_ZERO(arena, float, form->ld);
  if (form->p >= SVF_SHORT) track->a = SVF_ZERO(arena, float, padded);
  track->g = SVF_ZERO(arena, double, form->ld);
  track->set = SVF_ZERO(arena, uint64_t, form->panels);
  track->kept = SVF_ZERO(arena, uint64_t, form->panels);
  if (svf_form_batch(form)) track->before = SVF_ZERO(arena, uint64_t, form->panels);
}

void svf_track_room(svf_track *track, const svf_form *form, svf_arena *arena) {
  if (svf_form_gram(form)) return;
  if (svf_form_double(form)) {
    track->wide = SVF_TAKE(arena, double, svf_wide_square(form));
    track->wide_factor = SVF_TAKE(arena, double, svf_wide_square(form));
    return;
  }
  track->h = SVF_TAKE(arena, float, svf_form_square(form));
  if (!svf_form_batch(form)) track->factor = SVF_TAKE(arena, float, svf_form_square(form));
}

void svf_track_swap(svf_track *t) {
  double *w = t->w;
  float *s = t->s;
  t->w = t->next_w, t->next_w = w;
  t->s = t->next_s, t->next_s = s;
}

/* The derivative of P on the segment from the point before (next_*) to the point, from scores alone: a + share b for the
 * norm, a sum over rows for the loss. */
static double slope(const svf_track *t, size_t n, double C, const double norm[2], double share) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double before = t->next_s[i], step = t->s[i] - before, c = fabsf(t->v[i]), y = t->v[i] < 0 ? -1 : 1;
    double slack = 1 - y * (before + share * step);
    if (slack > 0) sum += c * y * step * slack;
  }
  return norm[0] + share * norm[1] - 2 * C * sum;
}

/* By bisection of the slope. */
void svf_track_go_back(svf_track *t, const svf_form *form, double C) {
  const svf_la *la = form->la;
  double old = la->dot(form->ld, t->next_w, t->next_w), cross = la->dot(form->ld, t->next_w, t->w);
  double norm[2] = {cross - old, old - 2 * cross + la->dot(form->ld, t->w, t->w)}, low = 0, high = 1;
  for (int i = 0; i < 30; i++) {
    double middle = .5 * (low + high);
    if (slope(t, form->n, C, norm, middle) > 0) high = middle;
    else low = middle;
  }
  for (size_t j = 0; j < form->p; j++) {
    t->w[j] = t->next_w[j] + low * (t->w[j] - t->next_w[j]);
    t->w32[j] = (float)t->w[j];
  }
  for (size_t i = 0; i < form->n; i++) t->s[i] = (float)(t->next_s[i] + low * ((double)t->s[i] - t->next_s[i]));
}

/* Is a track solved, or given up? With tiny costs even w = 0 is close enough to the optimum; it is left all the same. */
static svf_track_state judge(const svf_track *t, const svf_form *form, const svf_solver *solver) {
  bool somewhere = t->steps > 0 || form->la->dot(form->ld, t->w, t->w) > 0;
  if (somewhere && t->gap <= .9 * solver->tolerance) return SVF_TRACK_SOLVED;
  if (t->steps >= PATIENCE || t->steps >= solver->max_steps || !isfinite(t->P)) return SVF_TRACK_FAILED;
  return SVF_TRACK_OPEN;
}

size_t svf_tracks_left(svf_track *const *track, size_t count, const svf_tracks *tracks, svf_track **open) {
  size_t left = 0;
  for (size_t q = 0; q < count; q++) {
    if (track[q]->state == SVF_TRACK_OPEN) track[q]->state = judge(track[q], tracks->form, tracks->solver);
    if (track[q]->state == SVF_TRACK_OPEN) open[left++] = track[q];
  }
  return left;
}

void svf_tracks_move(svf_track *const *track, size_t count, const svf_tracks *tracks, double C) {
  for (size_t q = 0; q < count; q++) {
    track[q]->last_P = track[q]->P;
    svf_track_swap(track[q]);
    track[q]->steps++;
  }
  if (svf_form_batch(tracks->form) && tracks->form->n <= SVF_GLANCE) svf_tracks_glance(track, count, tracks, C);
  else svf_tracks_look(track, count, tracks, C, true);
}

void svf_tracks_shorten(svf_track *const *track, size_t count, const svf_tracks *tracks, double C) {
  for (size_t q = 0; q < count; q++) {
    if (track[q]->steps <= TRUST || !(track[q]->P > track[q]->last_P * (1 + NOISE))) continue;
    /* scores between those of far points are worth little, and a glance takes the gradient before a step for exact */
    svf_track_go_back(track[q], tracks->form, C);
    svf_tracks_look(&track[q], 1, tracks, C, true);
  }
}

/* How far the next stride goes, over the last, which is kept. */
static double stride(svf_track *t, const svf_form *form, bool first) {
  double along = 0, square = 0;
  if (first) return form->p < SVF_SHORTEST ? FIRST : 0;
  for (size_t j = 0; j < form->p; j++) {
    double last = t->w[j] - t->last_w[j];
    along += last * t->stride[j];
    square += t->stride[j] * t->stride[j];
    t->stride[j] = last;
  }
  if (!(square > 0)) return SECOND;
  double share = FURTHER * along / square;
  return share > 0 && share < 1 ? share : SECOND;
}

void svf_track_advance(svf_track *t, const svf_tracks *tracks, bool first) {
  const svf_form *form = tracks->form;
  t->further = (float)stride(t, form, first), t->ahead = true;
  for (size_t j = 0; j < form->p; j++) t->next_w[j] = t->w[j] + t->further * (t->w[j] - t->last_w[j]);
  double *w = t->last_w;
  float *s = t->last_s;
  t->last_w = t->w, t->last_s = t->s;
  t->w = t->next_w, t->s = t->next_s;
  t->next_w = w, t->next_s = s;
}

void svf_track_rest(svf_track *t, const svf_form *form) {
  memset(t->last_s, 0, form->panels * SVF_PANEL * sizeof *t->last_s);
}
