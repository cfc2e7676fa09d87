/* bag.c - which rows a tree sees: all, a bootstrap, a balanced bootstrap, or a subsample. */
#include "forest/grow.h"

#include <math.h>

/* The rows a bag is drawn from, those with a weight above 0, and how often each was drawn. */
typedef struct pot {
  uint32_t *row, *count;
  size_t n;
} pot;

/* Balanced bootstrap (Chen, Liaw and Breiman, Using random forest to learn imbalanced data, 2004): from every
 * class as many rows, with repeats, as the rarest class has. order: room for n; start: k + 1 zeros. */
static void draw_classes(const svf_frame *frame, const pot *p, svf_random *random, uint32_t *order, uint32_t *start) {
  size_t least = p->n;
  for (size_t i = 0; i < p->n; i++) start[frame->label[p->row[i]] + 1]++;
  for (size_t c = 0; c < frame->k; c++) {
    if (start[c + 1] && start[c + 1] < least) least = start[c + 1];
    start[c + 1] += start[c];
  }
  for (size_t i = 0; i < p->n; i++) order[start[frame->label[p->row[i]]]++] = (uint32_t)i; /* start[c]: now its end */
  for (size_t c = 0; c < frame->k; c++) {
    size_t from = c ? start[c - 1] : 0, size = start[c] - from;
    for (size_t draw = 0; size && draw < least; draw++) p->count[order[from + svf_random_below(random, size)]]++;
  }
}

static void draw_counts(const svf_ground *ground, const pot *p, uint32_t *order, uint32_t *start) {
  const svf_settings *settings = ground->settings;
  svf_random random = svf_random_at((svf_place){(uint64_t)settings->seed, SVF_USE_ROWS, ground->tree, 0, 0});
  size_t wanted = (size_t)ceil(settings->sample_fraction * (double)p->n), taken = 0;
  switch (settings->rows) {
  case SVF_ROWS_ALL:
    for (size_t i = 0; i < p->n; i++) p->count[i] = 1;
    break;
  case SVF_ROWS_BOOTSTRAP:
    for (size_t i = 0; i < p->n; i++) p->count[svf_random_below(&random, p->n)]++;
    break;
  case SVF_ROWS_BALANCED:
    draw_classes(ground->frame, p, &random, order, start);
    break;
  default: /* selection sampling: every subset of the wanted size is equally likely */
    for (size_t i = 0; i < p->n; i++)
      if (svf_random_below(&random, p->n - i) < wanted - taken) p->count[i] = 1, taken++;
  }
}

static void fill_bag(const pot *p, svf_bag *bag) {
  for (size_t i = 0; i < p->n; i++) {
    for (uint32_t c = 0; c < p->count[i]; c++) bag->rows[bag->n++] = p->row[i];
    if (bag->judges && p->count[i] == 0) bag->judges[bag->judge_count++] = p->row[i];
  }
}

svf_bag svf_bag_draw(const svf_ground *ground) {
  const svf_frame *frame = ground->frame;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  size_t n = frame->n, balance = ground->settings->rows == SVF_ROWS_BALANCED ? 1 : 0;
  svf_bag bag = {0};
  pot p = {SVF_TAKE(scratch, uint32_t, n), SVF_ZERO(scratch, uint32_t, n), 0};
  uint32_t *order = SVF_TAKE(scratch, uint32_t, balance * n);
  uint32_t *start = SVF_ZERO(scratch, uint32_t, balance * (frame->k + 1));
  bag.rows = SVF_TAKE(ground->arena, uint32_t, n); /* no way of drawing takes more than n */
  if (ground->settings->rows != SVF_ROWS_ALL) bag.judges = SVF_TAKE(ground->arena, uint32_t, n);
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  if (!ground->arena->failed) {
    for (size_t i = 0; i < n; i++)
      if (!frame->weight || frame->weight[i] > 0) p.row[p.n++] = (uint32_t)i;
    draw_counts(ground, &p, order, start);
    fill_bag(&p, &bag);
  }
  svf_arena_release(scratch, mark);
  return bag;
}
