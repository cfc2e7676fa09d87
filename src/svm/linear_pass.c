/* linear_pass.c - passes over the rows for the tracks of linear_fit.h: where they are. */
#include "svm/linear_fit.h"

#include <math.h>
#include <string.h>

/* Panels in a piece of a pass over the rows; those of short rows, or of many long ones, stay in the second cache. */
static size_t block_of(const svf_form *form) {
  enum { LONG_BLOCK = 8 };
  return form->p < SVF_SHORT ? SVF_BLOCK : form->storage == SVF_ROWS_ONLY ? LONG_BLOCK : form->panels;
}

size_t svf_track_blocks(const svf_form *form) { return (form->panels + block_of(form) - 1) / block_of(form); }

/* One pass over the rows for several tracks: scores, pulls, and the sums of both. */
typedef struct pass {
  svf_track *const *track;
  size_t count;
  const svf_tracks *tracks;
  bool score; /* the point is new: its scores come first */
} pass;

/* Where a block leaves its sums for one track: ld numbers of the pulls, and the loss. */
static double *sums_at(const svf_tracks *tracks, size_t block, size_t q) {
  return tracks->sums + (block * SVF_COLUMNS + q) * (tracks->form->ld + 1);
}

/* Are sums over the active rows of a set cheaper than over all rows in panels? Short rows leave too little to do at each. */
static bool few_active(const svf_form *form, const uint64_t *set, size_t panels) {
  enum { SHARE = 4 };
  size_t active = 0;
  if (form->storage == SVF_PANELS_ONLY) return false;
  for (size_t b = 0; b < panels; b++) active += svf_bits(set[b]);
  return active < panels * SVF_PANEL / SHARE;
}

/* Where the guess for another C is, in some panels. */
static void extend(const svf_track *t, const svf_form *form, size_t at, size_t panels) {
  if (t->ahead) form->la->single->extend(panels * SVF_PANEL, t->further, t->last_s + at, t->next_s + at, t->s + at);
}

/* Of the shortest rows some panels, all at once. */
static bool pass_brief(void *context, size_t block, svf_worker *worker) {
  (void)worker;
  const pass *k = context;
  const svf_form *form = k->tracks->form;
  size_t first = block * SVF_BLOCK, panels = form->panels - first > SVF_BLOCK ? SVF_BLOCK : form->panels - first;
  size_t at = first * SVF_PANEL;
  float scratch[SVF_COLUMNS * SVF_SHORTEST * 16] __attribute__((aligned(64)));
  svf_sight sight[SVF_COLUMNS];
  for (size_t q = 0; q < k->count; q++) {
    svf_track *t = k->track[q];
    double *sum = sums_at(k->tracks, block, q);
    extend(t, form, at, panels);
    memset(sum, 0, form->ld * sizeof *sum);
    sight[q] = (svf_sight){t->w32, t->s + at, t->v + at, t->set + first, 0, sum};
  }
  form->la->single->look(panels, form->p, form->panel + at * form->p, k->count, sight, k->score, scratch);
  for (size_t q = 0; q < k->count; q++) sums_at(k->tracks, block, q)[form->ld] = sight[q].loss;
  return true;
}

/* Of short rows, or of many long ones, some panels; else all. Many long rows are read once for all tracks: a pull is 0 where a
 * row is not active. */
static bool pass_block(void *context, size_t block, svf_worker *worker) {
  (void)worker;
  const pass *k = context;
  const svf_form *form = k->tracks->form;
  const svf_single *la = form->la->single;
  bool brief = form->p < SVF_SHORT;
  size_t most = block_of(form), first = block * most, left_over = form->panels - first;
  size_t panels = left_over < most ? left_over : most;
  size_t at = first * SVF_PANEL, left = 0;
  float pulls[SVF_COLUMNS][SVF_BLOCK * SVF_PANEL] __attribute__((aligned(64)));
  float scratch[SVF_COLUMNS * SVF_SHORT * 16] __attribute__((aligned(64)));
  const float *w[SVF_COLUMNS] = {0}, *a[SVF_COLUMNS] = {0};
  float *s[SVF_COLUMNS] = {0};
  double *g[SVF_COLUMNS] = {0};
  uint64_t any[SVF_BLOCK] = {0};
  for (size_t q = 0; q < k->count; q++) w[q] = k->track[q]->w32, s[q] = k->track[q]->s + at;
  if (k->score) svf_form_scores(form, first, panels, k->count, w, s);
  for (size_t q = 0; q < k->count; q++) {
    svf_track *t = k->track[q];
    float *pull = brief ? pulls[q] : t->a + at;
    double *sum = sums_at(k->tracks, block, q);
    extend(t, form, at, panels);
    memset(sum, 0, form->ld * sizeof *sum);
    sum[form->ld] = la->slacks(panels, s[q], t->v + at, pull, t->set + first);
    if (form->storage == SVF_ROWS_ONLY || (brief && !few_active(form, t->set + first, panels)))
      a[left] = pull, g[left++] = sum;
    else la->combine(panels, form->ld, form->x + at * form->ld, 1, &(const float *){pull}, t->set + first, &sum);
    for (size_t b = 0; form->storage == SVF_ROWS_ONLY && b < panels; b++) any[b] |= t->set[first + b];
  }
  if (left > 0 && form->storage == SVF_ROWS_ONLY)
    la->combine(panels, form->ld, form->x + at * form->ld, left, a, any, g);
  else if (left > 0) la->gather(panels, form->p, form->panel + at * form->p, left, a, g, scratch);
  return true;
}

/* P and the gap, from the loss and the gradient. */
static void judge(svf_track *t, const svf_form *form, double C, double loss) {
  t->P = .5 * form->la->dot(form->ld, t->w, t->w) + C * loss;
  t->gap = t->P > 0 ? .5 * form->la->dot(form->ld, t->g, t->g) / t->P : 0;
}

/* P, the gradient and the gap, from the sums of the blocks. */
static void weigh(svf_track *t, const svf_tracks *tracks, double C, size_t q) {
  const svf_form *form = tracks->form;
  double loss = 0;
  t->ahead = false;
  memset(t->g, 0, form->ld * sizeof *t->g);
  for (size_t b = 0; b < svf_track_blocks(form); b++) {
    const double *sum = sums_at(tracks, b, q);
    for (size_t j = 0; j < form->p; j++) t->g[j] += sum[j];
    loss += sum[form->ld];
  }
  for (size_t j = 0; j < form->p; j++) t->g[j] = t->w[j] - 2 * C * t->g[j];
  judge(t, form, C, loss);
}

void svf_tracks_look(svf_track *const *track, size_t count, const svf_tracks *tracks, double C, bool score) {
  pass k = {track, count, tracks, score};
  size_t blocks = svf_track_blocks(tracks->form);
  svf_piece job = tracks->form->p < SVF_SHORTEST ? pass_brief : pass_block;
  if (tracks->form->storage != SVF_ROWS_AND_PANELS) svf_solver_share(tracks->solver, blocks, job, &k);
  else
    for (size_t b = 0; b < blocks; b++) job(&k, b, NULL);
  for (size_t q = 0; q < count; q++) weigh(track[q], tracks, C, q);
}

/* Of that many rows one may have changed state; if there are more, sums over all of them in panels are cheaper. */
enum { CHANGED = 16 };

/* From the active set of the last step, which became `before`, to the gradient: the step left nothing of it but what the
 * rows that changed state make. False: they are too many. */
static bool recall(svf_track *t, const svf_tracks *tracks, double C, double loss) {
  const svf_form *form = tracks->form;
  float *a = tracks->weight;
  size_t count = 0;
  for (size_t b = 0; b < form->panels; b++) count += svf_bits(t->before[b] ^= t->set[b]);
  if (count > SVF_PANEL && count * CHANGED > form->n) return false;
  for (size_t b = 0; b < form->panels; b++)
    for (uint64_t left = t->before[b]; left; left &= left - 1) {
      size_t i = b * SVF_PANEL + (size_t)__builtin_ctzll(left);
      float slack = 1 - (t->v[i] < 0 ? -t->s[i] : t->s[i]);
      a[i] = -t->v[i] * fabsf(slack);
    }
  memset(t->g, 0, form->ld * sizeof *t->g);
  form->la->single->combine(form->panels, form->ld, form->x, 1, &(const float *){a}, t->before, &t->g);
  for (size_t j = 0; j < form->p; j++) t->g[j] *= 2 * C;
  judge(t, form, C, loss);
  return true;
}

void svf_tracks_glance(svf_track *const *track, size_t count, const svf_tracks *tracks, double C) {
  const svf_form *form = tracks->form;
  svf_sight sight[SVF_COLUMNS];
  svf_track *again[SVF_COLUMNS];
  size_t left = 0;
  for (size_t q = 0; q < count; q++) {
    svf_track *t = track[q];
    uint64_t *set = t->set;
    t->set = t->before, t->before = set;
    sight[q] = (svf_sight){t->w32, t->s, t->v, t->set, 0, NULL};
  }
  form->la->single->look(form->panels, form->p, form->panel, count, sight, true, NULL);
  for (size_t q = 0; q < count; q++) {
    svf_track *t = track[q];
    bool fine = recall(t, tracks, C, sight[q].loss);
    if (!fine || t->gap <= tracks->solver->tolerance) again[left++] = t;
  }
  if (left > 0) svf_tracks_look(again, left, tracks, C, false);
}
