/* impurity_gain.c - what the cuts of a tree took away of the impurity, by feature (Breiman's mean decrease in impurity).
 *
 * The impurity of a set of rows is its weight times its Gini index, or the weighted sum of squares around its mean. A cut
 * gains the impurity of its two sides together less that of each; the sum over a tree is divided by the weight of its
 * rows. A plane of several terms shares its gain among them in proportion to |weight|. Any cut has a gain, whatever it was
 * chosen by. Sides are summed up from the leaves, so a tree costs its rows once and k numbers per node. */
#include "forest/growth/grow.h"

#include <float.h>
#include <math.h>

/* What a subtree holds: its weight, then the weight of each class, or the mean. */
typedef struct heap {
  const svf_frame *frame;
  size_t k;      /* numbers per set: 1 + classes, or 2 */
  double *stack; /* sets whose parent has not come yet */
  size_t top, room;
  double *feature; /* gain of each */
} heap;

static double *top_set(const heap *h, size_t down) { return h->stack + (h->top - down) * h->k; }

static bool push_leaf(heap *h, const svf_site *site, svf_arena *scratch) {
  const svf_frame *frame = h->frame;
  if (h->top == h->room) {
    double *grown = SVF_TAKE(scratch, double, 2 * h->room * h->k);
    if (!grown) return false;
    for (size_t i = 0; i < h->top * h->k; i++) grown[i] = h->stack[i];
    h->stack = grown;
    h->room *= 2;
  }
  double *set = h->stack + h->top++ * h->k;
  for (size_t c = 0; c < h->k; c++) set[c] = 0;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    double weight = frame->weight ? frame->weight[row] : 1;
    set[0] += weight;
    if (frame->label) set[1 + frame->label[row]] += weight;
    else set[1] += 2 * (weight / set[0]) * (frame->value[row] / 2 - set[1] / 2);
  }
  return true;
}

/* Joins b to a; returns how much impurity the two have less than both together. */
static double join(const heap *h, double *a, const double *b) {
  double all = a[0] + b[0], gain = 0;
  if (!(a[0] > 0) || !(b[0] > 0)) { /* an empty cell */
    for (size_t c = 0; c < h->k; c++) a[c] = b[0] > 0 ? b[c] : a[c];
    return 0;
  }
  if (h->frame->label)
    for (size_t c = 1; c < h->k; c++) {
      double sum = a[c] + b[c];
      gain += a[c] * (a[c] / a[0]) + b[c] * (b[c] / b[0]) - sum * (sum / all);
      a[c] = sum;
    }
  else {
    double apart = b[1] / 2 - a[1] / 2; /* halves: the range of 1e308 */
    gain = a[0] * (b[0] / all) * (4 * apart * apart);
    a[1] += 2 * (b[0] / all) * apart;
  }
  a[0] = all;
  return gain;
}

static void share(const heap *h, const svf_plane *plane, double gain) {
  double all = 0;
  if (!(gain > 0)) return;
  if (svf_by_levels(plane->threshold)) {
    h->feature[h->frame->origin[plane->term[0].feature]] += gain;
    return;
  }
  for (size_t i = 0; i < plane->count; i++) all += fabs((double)plane->term[i].weight);
  for (size_t i = 0; i < plane->count && all > 0; i++)
    h->feature[h->frame->origin[plane->term[i].feature]] += gain * (fabs((double)plane->term[i].weight) / all);
}

/* The site before this one in preorder; NULL for the root. */
static const svf_site *before(const svf_site *site) {
  if (!site->up || site->side == 0) return site->up;
  for (site = site->up->child[0]; site->child[0];) site = site->child[1];
  return site;
}

/* Preorder backwards: a leaf is a set, and a cut joins the two sets before it. False: memory ran out. */
static bool walk(heap *h, const svf_site *root, svf_arena *scratch) {
  const svf_site *site = root;
  while (site->child[0]) site = site->child[1];
  for (; site; site = before(site)) {
    if (!site->child[0]) {
      if (!push_leaf(h, site, scratch)) return false;
      continue;
    }
    double *left = top_set(h, 1), *right = top_set(h, 2);
    share(h, &site->plane, join(h, right, left));
    h->top--;
  }
  return true;
}

bool svf_gains_add(const svf_ground *ground, const svf_site *root, size_t features, svf_buffer *records) {
  svf_arena *scratch = &ground->worker->arena;
  if (root->centres) return true; /* distances are of all features alike */
  svf_mark mark = svf_arena_mark(scratch);
  heap h = {.frame = ground->frame, .k = ground->frame->label ? 1 + ground->frame->k : 2, .room = 64};
  h.feature = SVF_ZERO(scratch, double, features);
  h.stack = SVF_TAKE(scratch, double, h.room *h.k);
  bool fine = !svf_arena_failed(scratch) && walk(&h, root, scratch);
  for (uint32_t j = 0; fine && j < features; j++) {
    svf_gain_record record = {ground->tree, j, fmin(h.feature[j] / h.stack[0], DBL_MAX)};
    if (record.gain > 0) fine = svf_buffer_add(records, &record, sizeof record);
  }
  svf_arena_release(scratch, mark);
  return fine;
}
