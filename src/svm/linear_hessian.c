/* linear_hessian.c - H of linear_fit.h in its two precisions: single, and double where rows are many. */
#include "svm/linear_fit.h"

#include <string.h>

void svf_start_open(svf_start *start, const svf_form *form, svf_arena *arena) {
  *start = (svf_start){0};
  if (svf_form_gram(form)) return;
  if (svf_form_double(form)) start->own_wide = SVF_TAKE(arena, double, form->folds *svf_wide_square(form));
  else start->own = SVF_TAKE(arena, float, form->folds *svf_form_square(form));
}

typedef struct copying {
  const svf_form *form;
  const svf_start *start;
} copying;

static bool copy_fold(void *context, size_t f, svf_worker *worker) {
  (void)worker;
  const copying *k = context;
  size_t wide = svf_wide_square(k->form), single = svf_form_square(k->form);
  if (svf_form_double(k->form))
    memcpy(k->start->own_wide + f * wide, k->start->wide + f * wide, wide * sizeof(double));
  else memcpy(k->start->own + f * single, k->start->h + f * single, single * sizeof(float));
  return true;
}

/* Before H by fold changes: the totals stay what they are. */
static void own_start(svf_start *start, const svf_tracks *tracks) {
  copying k = {tracks->form, start};
  if (start->h == start->own && start->wide == start->own_wide) return;
  svf_solver_share(tracks->solver, tracks->form->folds, copy_fold, &k);
  start->h = start->own, start->wide = start->own_wide;
}

void svf_track_rank(svf_track *t, const svf_tracks *tracks, size_t fold, size_t count, const uint32_t *list,
                    const float *weight) {
  const svf_form *form = tracks->form;
  if (count == 0) return;
  if (t->start) own_start(t->start, tracks);
  else svf_track_make(t, tracks);
  if (svf_form_double(form)) {
    double *h = t->start ? t->start->wide + fold * svf_wide_square(form) : t->wide;
    svf_wide_rank(form, &tracks->scratch, count, list, weight, h);
  } else {
    float *h = t->start ? t->start->h + fold * svf_form_square(form) : t->h;
    svf_form_rank(form, tracks->solver, count, list, weight, h);
  }
}

/* Several H become one, in parts where they are large. */
typedef struct joining {
  const svf_form *form;
  const svf_track *track;
  const svf_start *start;
  size_t without, parts;
} joining;

static bool join_part(void *context, size_t part, svf_worker *worker) {
  (void)worker;
  const joining *k = context;
  const svf_form *form = k->form;
  size_t square = svf_form_double(form) ? svf_wide_square(form) : svf_form_square(form), each = square / k->parts;
  size_t at = part * each, fold = k->without == 0;
  if (svf_form_double(form)) memcpy(k->track->wide + at, k->start->wide + fold * square + at, each * sizeof(double));
  else memcpy(k->track->h + at, k->start->h + fold * square + at, each * sizeof(float));
  while (++fold < form->folds) {
    if (fold == k->without) continue;
    if (svf_form_double(form)) form->la->axpy(each, 1, k->start->wide + fold * square + at, k->track->wide + at);
    else form->la->single->add(each, k->start->h + fold * square + at, k->track->h + at);
  }
  return true;
}

/* The sides of an H are multiples of 8, so that each of the parts is one of 16. */
static void join(const svf_track *t, const svf_tracks *tracks, const svf_start *start, size_t without) {
  joining k = {tracks->form, t, start, without, tracks->form->storage == SVF_ROWS_ONLY ? 4 : 1};
  svf_solver_share(tracks->solver, k.parts, join_part, &k);
}

void svf_track_join(svf_track *t, const svf_tracks *tracks, const svf_start *start, size_t without) {
  if (svf_form_double(tracks->form)) t->addends = *start, t->without = without, t->apart = true;
  else join(t, tracks, start, without);
}

void svf_track_make(svf_track *t, const svf_tracks *tracks) {
  if (t->apart) join(t, tracks, &t->addends, t->without);
  t->apart = false;
}

void svf_track_clear(svf_track *t, const svf_tracks *tracks) {
  const svf_form *form = tracks->form;
  t->apart = false;
  if (t->start) t->start->h = t->start->own, t->start->wide = t->start->own_wide;
  size_t square = svf_form_double(form) ? svf_wide_square(form) : svf_form_square(form),
         count = t->start ? form->folds : 1;
  if (svf_form_double(form)) memset(t->start ? t->start->wide : t->wide, 0, count * square * sizeof(double));
  else memset(t->start ? t->start->h : t->h, 0, count * square * sizeof(float));
}

/* With the factor of M = I + 2C H at hand, and rC in the place of C: I + 2rC H = rM - (r-1) I, so that
 *     step = sum_k (r-1)^k (rM)^-(k+1) z,      what is left of z after some terms = (r-1) (the last term).
 * Where the eigenvalues of M are far above 1, a few terms do what would take another factor. False: more would be needed than
 * that takes, or the numbers are so few that it takes next to nothing. */
#define ENOUGH 1e-2
static bool solve_again(const svf_track *t, const svf_tracks *tracks, double C) {
  enum { TERMS = 4 };
  const svf_la *la = tracks->form->la;
  size_t p = tracks->form->p, ld = svf_padded(p);
  double *term = tracks->rest, *step = tracks->wide_step, ratio = C / t->factor_C;
  double enough = ENOUGH * ENOUGH * la->dot(ld, term, term);
  if (p < SVF_SHORT) return false;
  memset(step, 0, ld * sizeof *step);
  for (int k = 0; k < TERMS; k++) {
    la->solve(p, ld, t->wide_factor, term);
    la->axpy(ld, 1 / ratio, term, step);
    for (size_t j = 0; j < ld; j++) term[j] *= (ratio - 1) / ratio;
    if (la->dot(ld, term, term) <= enough) return true;
  }
  return false;
}

/* The upper triangle of I + 2C H, and its factor. */
static bool factor_wide(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  size_t p = form->p, ld = svf_padded(p), count = t->apart ? form->folds : 1;
  const double *h = t->apart ? t->addends.wide : t->wide;
  for (size_t i = 0; i < ld; i++) {
    size_t first = i & ~(size_t)(SVF_LANES - 1), at = i * ld + first;
    memset(t->wide_factor + at, 0, (ld - first) * sizeof *t->wide_factor);
    for (size_t f = 0; f < count; f++)
      if (!t->apart || f != t->without)
        form->la->axpy(ld - first, 2 * C, h + f * svf_wide_square(form) + at, t->wide_factor + at);
  }
  for (size_t j = 0; j < p; j++) t->wide_factor[j * ld + j] += 1;
  t->factor_C = form->la->cholesky(p, ld, t->wide_factor, tracks->solver->stop) ? C : 0;
  return t->factor_C > 0;
}

static void copy_right_side(const svf_tracks *tracks, double *to) {
  size_t p = tracks->form->p;
  for (size_t j = 0; j < p; j++) to[j] = tracks->z[j];
  memset(to + p, 0, (svf_padded(p) - p) * sizeof *to);
}

static bool solve_wide(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  size_t p = form->p;
  copy_right_side(tracks, tracks->rest);
  if (!(t->factor_C > 0 && solve_again(t, tracks, C))) {
    if (!factor_wide(t, tracks, C)) return false;
    copy_right_side(tracks, tracks->wide_step);
    form->la->solve(p, svf_padded(p), t->wide_factor, tracks->wide_step);
  }
  for (size_t j = 0; j < p; j++) tracks->step[j] = (float)tracks->wide_step[j];
  return true;
}

bool svf_track_solve(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  if (svf_form_double(form)) return solve_wide(t, tracks, C);
  t->factor_C = 0;
  svf_system system = {form->p, form->ld, t->h, (float)(2 * C), form->one, tracks->solver->stop};
  if (!form->la->single->factor(&system, t->factor, tracks->z)) return false;
  t->factor_C = C;
  form->la->single->backward(form->p, form->ld, t->factor, tracks->z, tracks->step);
  return true;
}
