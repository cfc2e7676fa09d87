/* rounds_correct.c - a tree of a round is added to the sums of all rows, and its leaves become what the model adds. */
#include "forest/growth/plant.h"

#include <string.h>

enum { GROUP = 256 }; /* rows that a leaf is asked for at a time */

typedef struct adder {
  const svf_ground *ground;
  const svf_leaf *kind;
  const svf_correction *c;
  const svf_leaf_record *leaf;
  double *numbers; /* of the leaves */
  uint32_t *place; /* of each node that is a leaf: its number among the leaves */
  unsigned char *seen;
} adder;

static const float *row_at(const adder *a, size_t row) {
  return a->ground->frame->x + row * a->ground->frame->stride;
}

/* Adds what leaf number `place` answers to at most GROUP rows. False: memory ran out. */
static bool add_group(const adder *a, uint32_t place, const uint32_t *rows, size_t n) {
  const svf_frame *frame = a->ground->frame;
  svf_leaf_view view = {.numbers = a->numbers + a->leaf[place].first,
                        .length = a->leaf[place].length,
                        .d = frame->d,
                        .k = 1,
                        .fill = frame->fill,
                        .la = a->ground->la};
  const float *row[GROUP];
  double step[GROUP], share[GROUP];
  size_t asked = a->kind->fixed ? 1 : n;
  for (size_t i = 0; i < asked; i++) row[i] = row_at(a, rows[i]);
  if (!a->kind->predict(&view, row, asked, &a->ground->worker->arena, step, share)) return false;
  for (size_t i = 0; i < n; i++) {
    if (!a->seen[rows[i]]) a->c->sum[rows[i] * a->c->stride] += a->c->rate * step[a->kind->fixed ? 0 : i];
    a->seen[rows[i]] = 1;
  }
  return true;
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

/* Every row once, rows in several bags of the tree, too: those of the leaves' lists first. */
static bool add_all(const adder *a, const svf_site *root) {
  for (const svf_site *site = root; site; site = svf_site_next(site))
    for (size_t i = 0; !site->child[0] && i < site->n; i += GROUP)
      if (!add_group(a, a->place[site->number], site->rows + i, site->n - i < GROUP ? site->n - i : GROUP))
        return false;
  for (uint32_t row = 0; row < a->ground->frame->n; row++)
    if (!a->seen[row] && !add_group(a, a->place[leaf_of(root, row_at(a, row))->number], &row, 1)) return false;
  return true;
}

bool svf_correct(const svf_ground *ground, const svf_leaf *kind, svf_sapling *sapling) {
  const svf_correction *c = sapling->correction;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  adder a = {.ground = ground,
             .kind = kind,
             .c = c,
             .leaf = (const void *)sapling->records.leaf.data,
             .numbers = (double *)(void *)sapling->records.number.data,
             .place = SVF_TAKE(scratch, uint32_t, sapling->nodes),
             .seen = SVF_ZERO(scratch, unsigned char, ground->frame->n)};
  bool fine = a.place && a.seen && !svf_records_failed(&sapling->records);
  uint32_t leaves = 0;
  for (const svf_site *site = sapling->root; fine && site; site = svf_site_next(site))
    if (!site->child[0]) a.place[site->number] = leaves++;
  fine = fine && add_all(&a, sapling->root);
  for (uint32_t l = 0; fine && l < leaves; l++)
    kind->adjust(a.numbers + a.leaf[l].first, a.leaf[l].length, c->factor, c->shift);
  svf_arena_release(scratch, mark);
  return fine;
}
