/* track_start.c - where the tracks of track.h begin. */
#include "svm/track.h"

#include <math.h>
#include <string.h>

/* All rows are active at w = 0; rows whose cost differs from the shared one pay for H again. */
void svf_track_whole(svf_track *t, const svf_tracks *tracks, const double *base, const svf_start *start) {
  const svf_form *form = tracks->form;
  if (form->dual) return;
  if (form->wide) memcpy(start->wide, form->wide_total, form->folds * svf_wide_square(form) * sizeof(double));
  else memcpy(start->h, form->total, form->folds * svf_form_square(form) * sizeof(float));
  t->start = start;
  for (size_t f = 0; f < form->folds; f++) {
    size_t count = 0;
    for (size_t i = form->start[f]; i < form->start[f + 1]; i++) {
      float differs = fabsf(t->v[i]) - (float)base[i];
      if (differs == 0) continue;
      tracks->row[count] = form->x + i * form->ld;
      tracks->weight[count++] = differs;
    }
    svf_track_rank(t, tracks, f, count);
  }
  for (size_t i = 0; i < form->n; i++)
    if (t->v[i] != 0) t->kept[i / SVF_PANEL] |= (uint64_t)1 << i % SVF_PANEL;
  svf_track_join(t, tracks, start, form->folds);
}

void svf_track_part(svf_track *t, const svf_tracks *tracks, const svf_track *whole, size_t part) {
  const svf_form *form = tracks->form;
  size_t first = form->start[part], end = form->start[part + 1], padded = form->panels * SVF_PANEL;
  memcpy(t->v, whole->v, padded * sizeof *t->v);
  memset(t->v + first, 0, (end - first) * sizeof *t->v);
  memcpy(t->w, whole->w, form->ld * sizeof *t->w);
  memcpy(t->s, whole->s, padded * sizeof *t->s);
  t->factor_C = 0;
  if (form->dual) return;
  memcpy(t->kept, whole->kept, form->panels * sizeof *t->kept);
  for (size_t i = first; i < end; i++) t->kept[i / SVF_PANEL] &= ~((uint64_t)1 << i % SVF_PANEL);
  svf_track_join(t, tracks, whole->start, part);
}

void svf_track_begin(svf_track *t, const svf_tracks *tracks, const double *w) {
  const svf_form *form = tracks->form;
  for (size_t j = 0; j < form->p; j++) t->w[j] = w[j], t->w32[j] = (float)w[j];
  form->la->single->scores(form->panels, form->p, form->panel, 1, (const float *const *)&t->w32, &t->s);
}
