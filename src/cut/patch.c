/* patch.c - see patch.h. */
#include "cut/patch.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A square that rounds to 0, or to no number, would make all risks of a cell the same. */
#define LEAST_UNIT    1e-280
#define NOTHING_TAKEN ((svf_taken){UINT32_MAX, UINT32_MAX})

/* Targets within [-1, 1], in halves so that +-1e308 have a difference; classes as they are. */
static void take_targets(svf_patch *p, double *target, double *weight) {
  const svf_frame *frame = p->ground->frame;
  const uint32_t *rows = p->site->rows;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < p->n; i++) {
    double y = frame->label ? frame->label[rows[i]] : frame->value[rows[i]];
    target[i] = y;
    low = fmin(low, y);
    high = fmax(high, y);
  }
  double middle = low / 2 + high / 2, half = high / 2 - low / 2;
  p->unit = frame->label ? 1 : fmin(fmax(half * half, LEAST_UNIT), DBL_MAX);
  for (size_t i = 0; !frame->label && i < p->n; i++)
    target[i] = half > 0 ? (target[i] / 2 - middle / 2) / half * 2 : 0;
  p->all = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (weight) weight[i] = frame->weight[rows[i]];
    p->all += weight ? weight[i] : 1;
  }
}

static void copy_rows(svf_patch *p, float *x) {
  const svf_frame *frame = p->ground->frame;
  for (size_t i = 0; i < p->n && !svf_worker_stopped(p->ground->worker); i++) {
    const float *row = frame->x + p->site->rows[i] * frame->stride;
    for (size_t j = 0; j < p->d; j++) x[j * p->n + i] = row[j];
  }
  p->x = x;
  p->row = NULL;
  p->row_step = 1;
  p->column_step = p->n;
}

bool svf_patch_open(svf_patch *p, const svf_ground *ground, const svf_site *site, size_t plots, bool weighs) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  size_t n = site->n, d = frame->d;
  *p = (svf_patch){.ground = ground, .site = site, .n = n, .d = d, .room = plots, .weighs = weighs};
  p->x = frame->x;
  p->row = site->rows;
  p->row_step = frame->stride;
  p->column_step = 1;
  float *x = weighs ? SVF_TAKE(arena, float, n *d) : NULL;
  double *target = SVF_TAKE(arena, double, n), *weight = frame->weight ? SVF_TAKE(arena, double, n) : NULL;
  p->order = SVF_TAKE(arena, uint32_t, n);
  p->home = SVF_TAKE(arena, uint32_t, n);
  p->side = SVF_TAKE(arena, unsigned char, n);
  p->spare = SVF_TAKE(arena, uint32_t, n);
  p->value = SVF_TAKE(arena, float, n);
  p->plot = SVF_TAKE(arena, svf_plot, plots);
  p->votes = SVF_ZERO(arena, uint32_t, plots);
  p->drawn = SVF_TAKE(arena, uint32_t, (size_t)ground->settings->draws);
  p->tally = SVF_TAKE(arena, double, 2 * frame->k);
  if (!ground->settings->oblique &&
      (ground->settings->range == SVF_RANGE_CELL || ground->settings->vacancy == SVF_VACANCY_NN))
    p->box = SVF_TAKE(arena, float, plots * 2 * d);
  if (!weighs && !ground->settings->oblique) svf_slips_open(&p->slips, arena, n, d);
  if (svf_arena_failed(arena)) return false;
  take_targets(p, target, weight);
  p->target = target;
  p->weight = weight;
  if (weighs) copy_rows(p, x);
  return true;
}

/* The cell's own box: the axis cuts on the way from the root, within the root's. */
static void find_box(const svf_patch *p) {
  float *low = p->box, *high = p->box + p->d;
  memcpy(low, p->ground->low, p->d * sizeof *low);
  memcpy(high, p->ground->high, p->d * sizeof *high);
  for (const svf_site *site = p->site; site->up; site = site->up) {
    const svf_plane *plane = &site->up->plane;
    size_t j = plane->term[0].feature;
    if (plane->count != 1) continue;
    if (site->side == 0 && plane->threshold < high[j]) high[j] = plane->threshold;
    if (site->side == 1 && plane->threshold > low[j]) low[j] = plane->threshold;
  }
}

/* Weight * Gini index: W - sum w_c^2 / W. */
static double gini(const double *tally, size_t k) {
  double all = 0, squares = 0;
  for (size_t c = 0; c < k; c++) all += tally[c], squares += tally[c] * tally[c];
  return all > 0 ? fmax(0, all - squares / all) : 0;
}

/* Sums of one side: weight, weight * target, weight * target^2. */
typedef struct moments {
  double w, wy, wyy;
} moments;

static double spread(moments m) { return m.w > 0 ? fmax(0, m.wyy - m.wy * (m.wy / m.w)) : 0; }

/* Loss of n rows of the order. */
static double loss_of(const svf_patch *p, const uint32_t *order, size_t n) {
  size_t k = p->ground->frame->k;
  if (p->ground->frame->label) {
    memset(p->tally, 0, k * sizeof *p->tally);
    for (size_t i = 0; i < n; i++) p->tally[(size_t)p->target[order[i]]] += p->weight ? p->weight[order[i]] : 1;
    return gini(p->tally, k);
  }
  moments m = {0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    double y = p->target[order[i]], w = p->weight ? p->weight[order[i]] : 1;
    m.w += w;
    m.wy += w * y;
    m.wyy += w * y * y;
  }
  return spread(m);
}

/* Slips of the plot's rows, unless they are too many. */
static void fill(const svf_patch *p, uint32_t plot) {
  const svf_plot *at = &p->plot[plot];
  if (!svf_slips_hold(&p->slips, at->n)) return;
  svf_slips_fill(&p->slips, p->ground->frame, p->site->rows, p->order + at->from, at->from, at->n);
}

void svf_patch_begin(svf_patch *p) {
  for (uint32_t i = 0; i < p->n; i++) p->order[i] = i, p->home[i] = 0;
  p->count = 1;
  p->taken = NOTHING_TAKEN;
  p->loss = p->weighs ? loss_of(p, p->order, p->n) : 0;
  p->plot[0] = (svf_plot){0, (uint32_t)p->n, p->loss};
  if (p->box) find_box(p);
  fill(p, 0);
}

bool svf_patch_mixed(const svf_patch *p, uint32_t plot) {
  const uint32_t *order = p->order + p->plot[plot].from;
  size_t n = p->plot[plot].n, i = 1;
  while (i < n && p->target[order[i]] == p->target[order[0]]) i++;
  return i < n;
}

/* The plot's values of a column, side by side in p->value. */
static void take_column(svf_patch *p, uint32_t plot, uint32_t column) {
  size_t from = p->plot[plot].from, n = p->plot[plot].n;
  const uint32_t *order = p->order + from;
  if (p->taken.plot == plot && p->taken.column == column) return;
  p->taken = (svf_taken){plot, column};
  if (svf_slips_hold(&p->slips, n)) {
    const float *x = p->slips.x + from * p->slips.span + column;
    for (size_t i = 0; i < n; i++) p->value[i] = x[i * p->slips.span];
  } else if (!p->row) { /* rows that were copied stand close */
    const float *x = p->x + column * p->column_step;
    for (size_t i = 0; i < n; i++) p->value[i] = x[order[i]];
  } else {
    for (size_t i = 0; i < n; i++) p->value[i] = svf_patch_x(p, order[i], column);
  }
}

bool svf_patch_range(svf_patch *p, uint32_t plot, uint32_t column, float *low, float *high) {
  float least = INFINITY, most = -INFINITY;
  take_column(p, plot, column);
  for (size_t i = 0; i < p->plot[plot].n; i++) {
    least = p->value[i] < least ? p->value[i] : least;
    most = p->value[i] > most ? p->value[i] : most;
  }
  *low = least;
  *high = most;
  return least < most;
}

/* What the plane compares with its threshold, for each of the plot's rows. */
static void project(svf_patch *p, const svf_slash *slash) {
  const svf_plane *plane = &slash->plane;
  const svf_plot *plot = &p->plot[slash->plot];
  if (plane->count == 1 && plane->term[0].weight == 1) {
    take_column(p, slash->plot, plane->term[0].feature);
    return;
  }
  for (size_t i = 0; i < plot->n; i++) {
    float sum = 0;
    for (size_t t = 0; t < plane->count; t++)
      sum += plane->term[t].weight * svf_patch_x(p, p->order[plot->from + i], plane->term[t].feature);
    p->value[i] = sum;
  }
}

/* Sides of n rows by their values: 0, 1, or 2 where a feature is missing. */
static svf_sides look(const svf_patch *p, float threshold, size_t n) {
  svf_sides sides = {0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    unsigned left = p->value[i] < threshold, right = p->value[i] >= threshold;
    p->side[i] = (unsigned char)(2 - 2 * left - right);
    sides.left += left;
    sides.right += right;
  }
  sides.missing = n - sides.left - sides.right;
  return sides;
}

/* Missing rows to the larger side. */
static void settle(const svf_patch *p, svf_plane *plane, svf_sides *sides, size_t n) {
  plane->missing_left = sides->left >= sides->right;
  for (size_t i = 0; sides->missing && i < n; i++)
    if (p->side[i] == 2) p->side[i] = plane->missing_left ? 0 : 1;
  if (plane->missing_left) sides->left += sides->missing;
  else sides->right += sides->missing;
}

/* The left rows first, order kept; the right ones move to the new plot. */
static void deal(const svf_patch *p, uint32_t *order, size_t n, uint32_t right_plot) {
  size_t left = 0, right = 0;
  for (size_t i = 0; i < n; i++) { /* without a branch: sides are as good as random */
    uint32_t row = order[i];
    order[left] = row;
    p->spare[right] = row;
    right += p->side[i];
    left += !p->side[i];
  }
  memcpy(order + left, p->spare, right * sizeof *order);
  for (size_t i = 0; i < right; i++) p->home[p->spare[i]] = right_plot;
}

static void cut_box(const svf_patch *p, uint32_t plot, uint32_t right, const svf_plane *plane) {
  float *from = p->box + plot * 2 * p->d, *to = p->box + right * 2 * p->d;
  memcpy(to, from, 2 * p->d * sizeof *to);
  from[p->d + plane->term[0].feature] = plane->threshold;
  to[plane->term[0].feature] = plane->threshold;
}

/* Losses of a plot's two halves, in place of its own. */
static void weigh_halves(svf_patch *p, uint32_t left, uint32_t right) {
  svf_plot *a = &p->plot[left], *b = &p->plot[right];
  p->loss -= a->loss;
  a->loss = loss_of(p, p->order + a->from, a->n);
  b->loss = loss_of(p, p->order + b->from, b->n);
  p->loss += a->loss + b->loss;
}

bool svf_patch_cut(svf_patch *p, svf_slash *slash, size_t least) {
  svf_plot *plot = &p->plot[slash->plot];
  uint32_t *order = p->order + plot->from, right = (uint32_t)p->count;
  project(p, slash);
  p->taken = NOTHING_TAKEN;
  svf_sides sides = look(p, slash->plane.threshold, plot->n);
  settle(p, &slash->plane, &sides, plot->n);
  if (sides.left < least || sides.right < least) return false;
  deal(p, order, plot->n, right);
  bool held = svf_slips_hold(&p->slips, plot->n);
  if (held) svf_slips_deal(&p->slips, plot->from, plot->n, p->side);
  p->plot[right] = (svf_plot){plot->from + (uint32_t)sides.left, (uint32_t)sides.right, 0};
  plot->n = (uint32_t)sides.left;
  if (!held) fill(p, slash->plot), fill(p, right);
  if (p->weighs) weigh_halves(p, slash->plot, right);
  if (p->box) cut_box(p, slash->plot, right, &slash->plane);
  p->count++;
  return true;
}
