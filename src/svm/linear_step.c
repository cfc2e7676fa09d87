/* linear_step.c - the linear algebra of one Newton step of linear_fit.h, in its two forms. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* With fewer active rows per number of a row than that, the n x n step is cheaper. */
#define FEW .6

/* Rows of panels first..end-1 in which two sets differ. */
static size_t list_changes(size_t first, size_t end, const uint64_t *a, const uint64_t *b, uint32_t *list) {
  size_t count = 0;
  for (size_t q = first; q < end; q++)
    for (uint64_t left = a[q] ^ b[q]; left; left &= left - 1)
      list[count++] = (uint32_t)(q * SVF_PANEL + (size_t)__builtin_ctzll(left));
  return count;
}

static size_t count_changes(const svf_form *form, const uint64_t *a, const uint64_t *b) {
  size_t count = 0;
  for (size_t q = 0; q < form->panels; q++) count += svf_bits(a[q] ^ b[q]);
  return count;
}

static size_t list_rows(const svf_form *form, const uint64_t *set, uint32_t *list) {
  size_t count = 0;
  for (size_t q = 0; q < form->panels; q++)
    for (uint64_t left = set[q]; left; left &= left - 1)
      list[count++] = (uint32_t)(q * SVF_PANEL + (size_t)__builtin_ctzll(left));
  return count;
}

static size_t size_of(const svf_form *form, const uint64_t *set) {
  size_t count = 0;
  for (size_t q = 0; q < form->panels; q++) count += svf_bits(set[q]);
  return count;
}

static bool in(const uint64_t *set, size_t i) { return set[i / SVF_PANEL] >> i % SVF_PANEL & 1; }

/* Rows list[first..] of a fold (of all, where H is not kept by fold) change H: those in the set join, the others leave;
 * returns the first that is not of it. */
static size_t change(svf_track *t, const svf_tracks *tracks, size_t fold, size_t first, size_t end) {
  const svf_form *form = tracks->form;
  const uint32_t *list = tracks->list;
  size_t q = first, before = t->start ? form->start[fold + 1] : form->n;
  for (; q < end && list[q] < before; q++) {
    float c = fabsf(t->v[list[q]]);
    tracks->weight[q] = in(t->set, list[q]) ? c : -c;
  }
  svf_track_rank(t, tracks, fold, q - first, list + first, tracks->weight + first);
  return q;
}

bool svf_track_few(const svf_track *t, const svf_form *form) {
  return form->regime->step == SVF_STEP_SMALLER && (double)size_of(form, t->set) < FEW * (double)form->p;
}

void svf_track_settle(svf_track *t, const svf_tracks *tracks) {
  const svf_form *form = tracks->form;
  size_t count = count_changes(form, t->kept, t->set);
  if (svf_form_gram(form) || count == 0) return;
  if (count > size_of(form, t->set)) { /* all active rows from nothing cost less */
    svf_track_clear(t, tracks);
    memset(t->kept, 0, form->panels * sizeof *t->kept);
  }
  size_t fold = 0, step = tracks->room / SVF_PANEL;
  for (size_t first = 0; first < form->panels; first += step) {
    size_t end = form->panels - first < step ? form->panels : first + step, at = 0;
    count = list_changes(first, end, t->kept, t->set, tracks->list);
    while (at < count) {
      at = change(t, tracks, fold, at, count);
      if (at < count) fold++;
    }
  }
  memcpy(t->kept, t->set, form->panels * sizeof *t->kept);
  t->factor_C = 0;
  if (t->start) svf_track_join(t, tracks, t->start, form->folds);
}

/* R'^-1 z by the factor at hand, corrected for the rows listed. */
static bool correct(const svf_track *t, const svf_tracks *tracks, double C, size_t count) {
  const svf_form *form = tracks->form;
  const float *row[SVF_BORDER];
  for (size_t q = 0; q < count; q++) {
    size_t i = tracks->list[q];
    float e = 1 / (float)(2 * C * fabsf(t->v[i]));
    row[q] = form->x + i * form->ld;
    tracks->weight[q] = in(t->set, i) ? e : -e;
  }
  return form->la->single->correct(form->p, form->ld, t->factor, count, row, tracks->weight, tracks->z,
                                   tracks->border);
}

/* -g over its largest number, which single precision may not hold; returns that number. */
static double copy_gradient(const svf_track *t, const svf_form *form, float *z) {
  double most = 0;
  for (size_t j = 0; j < form->p; j++)
    if (fabs(t->g[j]) > most) most = fabs(t->g[j]);
  if (most < 1e-300) most = 0; /* nothing that a step could change */
  double scale = most > 0 ? 1 / most : 0;
  for (size_t j = 0; j < form->p; j++) z[j] = (float)(-t->g[j] * scale);
  memset(z + form->p, 0, (form->ld - form->p) * sizeof *z);
  return most;
}

static void move(svf_track *t, const svf_form *form, double scale, const float *step) {
  for (size_t j = 0; j < form->p; j++) {
    t->next_w[j] = t->w[j] + scale * step[j];
    t->w32[j] = (float)t->next_w[j];
  }
}

static bool step_primal(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  bool corrected = false;
  double scale = copy_gradient(t, form, tracks->z);
  if (!svf_form_double(form) && t->factor_C == C) {
    size_t count = count_changes(form, t->kept, t->set);
    if (count <= SVF_BORDER) list_changes(0, form->panels, t->kept, t->set, tracks->list);
    corrected = count <= SVF_BORDER && correct(t, tracks, C, count);
    if (!corrected) copy_gradient(t, form, tracks->z);
  }
  if (corrected) {
    form->la->single->backward(form->p, form->ld, t->factor, tracks->z, tracks->step);
  } else {
    svf_track_settle(t, tracks);
    if (!svf_track_solve(t, tracks, C)) return false;
  }
  move(t, form, scale, tracks->step);
  return true;
}

/* delta = -g + X_A' z, (K_AA + D) z = X_A g. */
static bool step_dual(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  const svf_single *la = form->la->single;
  uint32_t *on = tracks->list;
  float *g = t->w32, *pull = t->next_s, *diagonal = tracks->weight;
  size_t m = list_rows(form, t->set, on), ld = svf_padded_single(m);
  double scale = copy_gradient(t, form, g);
  svf_form_know(form, tracks->solver, on, m);
  for (size_t a = 0; a < m; a++) tracks->row[a] = form->x + on[a] * form->ld;
  la->products(form->ld, m, tracks->row, g, tracks->z);
  for (size_t a = 0; a < m; a++) {
    const float *k = form->gram + on[a] * form->gram_ld;
    float *to = tracks->matrix + a * ld;
    for (size_t b = a & ~(size_t)15; b < a; b++) to[b] = 0;
    for (size_t b = a; b < m; b++) to[b] = k[on[b]];
    memset(to + m, 0, (ld - m) * sizeof *to);
    diagonal[a] = (float)(1 / (2 * C * fabsf(t->v[on[a]])));
  }
  memset(tracks->matrix + m * ld, 0, (svf_padded(m) - m) * ld * sizeof(float));
  svf_system system = {m, ld, tracks->matrix, 1, diagonal, tracks->solver->stop};
  if (m > 0 && !la->factor(&system, tracks->factor, tracks->z)) return false;
  if (m > 0) la->backward(m, ld, tracks->factor, tracks->z, tracks->step);
  for (size_t a = 0; a < m; a++) pull[on[a]] = tracks->step[a];
  memset(tracks->spare, 0, form->ld * sizeof(double));
  la->combine(form->panels, form->ld, form->x, 1, &(const float *){pull}, t->set, &(double *){tracks->spare});
  for (size_t j = 0; j < form->p; j++) {
    t->next_w[j] = t->w[j] - t->g[j] - scale * tracks->spare[j];
    t->w32[j] = (float)t->next_w[j];
  }
  return true;
}

static bool newton(svf_track *t, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  return svf_form_gram(form) || svf_track_few(t, form) ? step_dual(t, tracks, C) : step_primal(t, tracks, C);
}

/* Small systems: another factor costs less than a correction of the last. */
static void step_small(svf_track *const *track, size_t count, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  const float *h[SVF_COLUMNS], *z[SVF_COLUMNS];
  float *step[SVF_COLUMNS];
  double scale[SVF_COLUMNS];
  for (size_t q = 0; q < count; q++) {
    float *right = tracks->z + q * form->ld;
    scale[q] = copy_gradient(track[q], form, right);
    svf_track_settle(track[q], tracks);
    h[q] = track[q]->h, z[q] = right, step[q] = tracks->step + q * form->ld;
  }
  unsigned fine = form->la->single->systems(form->p, form->ld, count, h, (float)(2 * C), z, step, tracks->systems);
  for (size_t q = 0; q < count; q++)
    if (fine >> q & 1) move(track[q], form, scale[q], step[q]);
    else track[q]->state = SVF_TRACK_FAILED;
}

typedef struct stepping {
  svf_track *const *track;
  const svf_tracks *tracks;
  double C;
} stepping;

static bool step_one(void *context, size_t q, svf_worker *worker) {
  const stepping *k = context;
  svf_tracks scratch = k->tracks->own ? k->tracks->own[q] : *k->tracks;
  svf_solver solver = svf_solver_on(scratch.solver, worker);
  scratch.solver = &solver;
  if (!newton(k->track[q], &scratch, k->C)) k->track[q]->state = SVF_TRACK_FAILED;
  return true;
}

size_t svf_tracks_newton(svf_track **track, size_t count, const svf_tracks *tracks, double C) {
  stepping k = {track, tracks, C};
  if (count > 0 && svf_form_batch(tracks->form)) step_small(track, count, tracks, C);
  else if (tracks->own) svf_solver_share(tracks->solver, count, step_one, &k);
  else
    for (size_t q = 0; q < count; q++) step_one(&k, q, NULL);
  size_t left = 0;
  for (size_t q = 0; q < count; q++)
    if (track[q]->state != SVF_TRACK_FAILED) track[left++] = track[q];
  return left;
}
