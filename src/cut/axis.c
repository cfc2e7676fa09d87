/* axis.c - see axis.h. */
#include "cut/axis.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Each row once, with how often it was drawn; repeats stand beside each other. */
static size_t gather_rows(const svf_site *site, svf_crowd *crowd) {
  size_t m = 0;
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < site->n; i++) {
    uint32_t row = site->rows[i], fresh = row != last;
    m += fresh;
    crowd->row[m - 1] = last = row;
    crowd->count[m - 1] = fresh ? 1 : crowd->count[m - 1] + 1;
  }
  return m;
}

static void gather_classes(const svf_frame *frame, double lift, svf_crowd *crowd) {
  double all = 0;
  for (size_t i = 0; i < crowd->m; i++) {
    uint32_t row = crowd->row[i];
    double weight = crowd->count[i] * (frame->weight ? lift * frame->weight[row] : 1);
    crowd->label[i] = (uint32_t)frame->label[row];
    crowd->weight[i] = weight;
    crowd->all.weight_of[crowd->label[i]] += weight;
    all += weight;
  }
  crowd->all.weight = all;
}

static void gather_numbers(const svf_frame *frame, double lift, const double *target, svf_crowd *crowd) {
  double all = 0, sum = 0, rest = 0;
  for (size_t i = 0; i < crowd->m; i++) {
    uint32_t row = crowd->row[i];
    double weight = crowd->count[i] * (frame->weight ? lift * frame->weight[row] : 1);
    crowd->label[i] = 0;
    crowd->weight[i] = weight;
    all += weight;
    sum += weight * target[row];
  }
  double mean = sum / all;
  for (size_t i = 0; i < crowd->m; i++) {
    crowd->sum[i] = crowd->weight[i] * (target[crowd->row[i]] - mean);
    rest += crowd->sum[i];
  }
  crowd->all.weight = all;
  crowd->all.sum = rest;
}

void svf_balance_load(svf_balance *b, int side, const svf_side *all) {
  for (int s = 0; s < 2; s++) {
    double *weight_of = b->side[s].weight_of;
    if (s == side) memcpy(weight_of, all->weight_of, b->k * sizeof *weight_of);
    else memset(weight_of, 0, b->k * sizeof *weight_of);
    b->side[s] = s == side ? *all : (svf_side){0};
    b->side[s].weight_of = weight_of;
  }
}

void svf_side_sum(const svf_balance *b, svf_side *side) {
  side->sum = 0;
  for (size_t c = 0; c < b->k; c++) {
    double w = side->weight_of[c];
    side->sum += b->criterion == SVF_CRITERION_GINI ? w * w : svf_entropy(b, w);
  }
}

static bool gather(svf_axis *a, const svf_site *site) {
  const svf_frame *frame = a->ground->frame;
  svf_arena *scratch = &a->ground->worker->arena;
  size_t n = site->n, k = frame->k;
  int criterion = frame->label ? a->ground->settings->criterion : SVF_CRITERION_VARIANCE;
  if (criterion == SVF_CRITERION_AUTO) criterion = SVF_CRITERION_GINI;
  svf_crowd *crowd = &a->crowd;
  crowd->row = SVF_TAKE(scratch, uint32_t, n);
  crowd->count = SVF_TAKE(scratch, uint32_t, n);
  crowd->label = SVF_TAKE(scratch, uint32_t, n);
  crowd->weight = SVF_TAKE(scratch, double, n);
  crowd->sum = SVF_TAKE(scratch, double, frame->label ? 0 : n);
  a->room = SVF_TAKE(scratch, uint32_t, n);
  a->count_of = SVF_TAKE(scratch, uint32_t, k);
  a->listed = SVF_TAKE(scratch, uint32_t, a->columns->most_levels < n ? a->columns->most_levels : n);
  double *weight_of = SVF_ZERO(scratch, double, 3 * k);
  if (svf_arena_failed(scratch)) return false;
  a->balance = (svf_balance){
      .criterion = criterion, .k = k, .entropy = a->columns->entropy, .entropies = a->columns->entropies};
  a->balance.side[SVF_LEFT].weight_of = weight_of + k;
  a->balance.side[SVF_RIGHT].weight_of = weight_of + 2 * k;
  crowd->all = (svf_side){.rows = n, .weight_of = weight_of};
  crowd->m = gather_rows(site, crowd);
  crowd->whole = !frame->weight;
  crowd->plain = crowd->whole && crowd->m == n;
  if (frame->label) gather_classes(frame, a->columns->lift, crowd), svf_side_sum(&a->balance, &crowd->all);
  else gather_numbers(frame, a->columns->lift, a->columns->target, crowd);
  return true;
}

/* Any cut between two rows is as good as another: of a fully grown tree these are near half of all nodes. */
static bool settled(const svf_axis *a) { return a->best.found && a->crowd.m == 2 && !a->ground->frame->missing; }

/* Draws features and lets `look` weigh their cuts. */
static void draw(svf_axis *a, svf_look look, uint32_t *order) {
  const svf_columns *columns = a->columns;
  size_t wanted = svf_features_wanted(a->ground->settings, columns->count, a->ground->frame->label != NULL);
  bool varies = false;
  memcpy(order, columns->start, columns->count * sizeof *order);
  for (size_t i = 0; i < columns->count && (i < wanted || !varies) && !settled(a); i++) {
    if (svf_worker_stopped(a->ground->worker)) return;
    size_t j = i + (size_t)svf_random_below(&a->random, columns->count - i);
    const svf_column_copy *column = &columns->column[order[j]];
    order[j] = order[i];
    varies |= look(a, column);
  }
}

static bool make_plane(const svf_axis *a, svf_plane *plane) {
  const svf_candidate *best = &a->best;
  if (!best->found) return false;
  double gain = best->worth + best->penalty - svf_side_worth(&a->balance, a->balance.criterion, &a->crowd.all);
  plane->gain = fmin(fmax(0, gain) / a->columns->lift * a->columns->unit, DBL_MAX);
  if (plane->gain < a->ground->settings->min_gain * a->ground->weight) return false;
  plane->missing_left = best->missing_left;
  if (best->column) return svf_levels_plane(best->column, a->listed, best->listed, a->ground->arena, plane);
  plane->term = SVF_TAKE(a->ground->arena, svf_term, 1);
  if (!plane->term) return false;
  plane->term[0] = (svf_term){best->feature, 1};
  plane->count = 1;
  plane->threshold = best->threshold;
  return true;
}

bool svf_axis_propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane, svf_look look) {
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  svf_axis a = {.ground = ground, .columns = ground->prepared};
  a.random = svf_site_random(ground, site, SVF_USE_CUT, trial);
  uint32_t *order = SVF_TAKE(scratch, uint32_t, a.columns->count);
  if (gather(&a, site)) draw(&a, look, order);
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  bool made = !ground->arena->failed && make_plane(&a, plane);
  svf_arena_release(scratch, mark);
  return made;
}
