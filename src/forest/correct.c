/* correct.c - a tree of a round is added to the sums of all rows, and its leaves become what the model adds. */
#include "forest/plant.h"

#include <string.h>

/* What a leaf answers that looks at no row. */
static bool answer_of(const svf_ground *ground, const svf_leaf *kind, const double *numbers, size_t length,
                      double *answer) {
  const svf_frame *frame = ground->frame;
  svf_leaf_view view = {
      .numbers = numbers, .length = length, .d = frame->d, .k = 1, .fill = frame->fill, .la = ground->la};
  const float *any = frame->x;
  double share;
  return kind->predict(&view, &any, 1, &ground->worker->arena, answer, &share);
}

/* The leaf a row falls in that the tree was not trained on. */
static const svf_site *leaf_of(const svf_site *site, const float *row) {
  while (site->child[0]) {
    const svf_plane *plane = &site->plane;
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, row);
    site = site->child[side < 0 ? !plane->missing_left : side];
  }
  return site;
}

/* Steps by the numbers of their leaves' sites; then every row once, rows in several bags of the tree, too. */
static bool add_steps(const svf_ground *ground, const svf_correction *c, const svf_site *root, double *step) {
  const svf_frame *frame = ground->frame;
  unsigned char *seen = SVF_ZERO(&ground->worker->arena, unsigned char, frame->n);
  if (!seen) return false;
  for (const svf_site *site = root; site; site = svf_site_next(site))
    for (size_t i = 0; !site->child[0] && i < site->n; i++) {
      uint32_t row = site->rows[i];
      if (!seen[row]) c->sum[row * c->stride] += c->rate * step[site->number];
      seen[row] = 1;
    }
  for (size_t row = 0; row < frame->n; row++)
    if (!seen[row]) c->sum[row * c->stride] += c->rate * step[leaf_of(root, frame->x + row * frame->stride)->number];
  return true;
}

bool svf_correct(const svf_ground *ground, const svf_leaf *kind, svf_sapling *sapling) {
  const svf_correction *c = sapling->correction;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  double *step = SVF_TAKE(scratch, double, sapling->nodes), *numbers = (double *)(void *)sapling->records.number.data;
  const svf_leaf_record *leaf = (const void *)sapling->records.leaf.data;
  bool fine = step && !svf_records_failed(&sapling->records);
  for (const svf_site *site = sapling->root; fine && site; site = svf_site_next(site)) {
    if (site->child[0]) continue;
    fine = answer_of(ground, kind, numbers + leaf->first, leaf->length, &step[site->number]);
    kind->adjust(numbers + leaf->first, leaf->length, c->factor, c->shift);
    leaf++;
  }
  fine = fine && add_steps(ground, c, sapling->root, step);
  svf_arena_release(scratch, mark);
  return fine;
}
