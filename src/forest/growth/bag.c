/* bag.c - which rows a tree sees: all, a bootstrap, a balanced bootstrap, or a subsample.
 *
 * With frame->chance, weights act here and nowhere else in the tree:
 *     bootstrap        rows are drawn in proportion to their weights
 *     balanced         the same within each class
 *     all, subsample   a row that was taken stays with the chance weight / largest weight: rejection sampling (Zadrozny,
 *                      Langford and Abe, Cost-sensitive learning by cost-proportionate example weighting, 2003) */
#include "forest/growth/grow.h"

#include <math.h>
#include "base/wheel.h"

/* The rows a bag is drawn from, those with a weight above 0, and how often each was drawn. */
typedef struct pot {
  uint32_t *row, *count;
  double *chance; /* of each; NULL: all are alike */
  size_t n;
  svf_random random;
  svf_arena *scratch;
} pot;

/* Some rows of a pot. */
typedef struct group {
  const uint32_t *place; /* in the pot; NULL: its first */
  const double *chance;  /* NULL: all are alike */
  size_t n;
} group;

static void draw_repeats(pot *p, const group *from, size_t draws) {
  svf_wheel wheel = {0};
  if (from->chance && !(wheel = svf_wheel_make(p->scratch, from->n, from->chance)).sum) return;
  for (size_t draw = 0; draw < draws; draw++) {
    size_t i = wheel.sum ? svf_wheel_draw(&wheel, &p->random) : (size_t)svf_random_below(&p->random, from->n);
    p->count[from->place ? from->place[i] : i]++;
  }
}

/* The rows of each class; class: k groups without rows. False: memory ran out. */
static bool list_classes(const svf_frame *frame, const pot *p, group *class) {
  uint32_t *place = SVF_TAKE(p->scratch, uint32_t, p->n), *next = SVF_TAKE(p->scratch, uint32_t, frame->k);
  double *chance = p->chance ? SVF_TAKE(p->scratch, double, p->n) : NULL;
  if (svf_arena_failed(p->scratch)) return false;
  for (size_t i = 0; i < p->n; i++) class[frame->label[p->row[i]]].n++;
  for (size_t c = 0, first = 0; c < frame->k; first += class[c++].n) {
    class[c].place = place + first;
    class[c].chance = chance ? chance + first : NULL;
    next[c] = (uint32_t)first;
  }
  for (size_t i = 0; i < p->n; i++) {
    uint32_t at = next[frame->label[p->row[i]]]++;
    place[at] = (uint32_t)i;
    if (chance) chance[at] = p->chance[i];
  }
  return true;
}

static double mean_chance(const group *class) {
  double sum = 0;
  if (!class->chance || !class->n) return class->n > 0;
  for (size_t i = 0; i < class->n; i++) sum += class->chance[i];
  return sum / (double)class->n;
}

/* Balanced bootstrap (Chen, Liaw and Breiman, Using random forest to learn imbalanced data, 2004): from every class as many
 * rows, with repeats, as the rarest class has; by weight, that times the mean weight of its rows over that of the class
 * where it is largest. */
static void draw_classes(const svf_frame *frame, pot *p) {
  group *class = SVF_ZERO(p->scratch, group, frame->k);
  double most = 0;
  size_t least = p->n;
  if (!class || !list_classes(frame, p, class)) return;
  for (size_t c = 0; c < frame->k; c++) {
    if (class[c].n && class[c].n < least) least = class[c].n;
    most = fmax(most, mean_chance(&class[c]));
  }
  for (size_t c = 0; c < frame->k; c++)
    if (class[c].n) draw_repeats(p, &class[c], (size_t)ceil((double)least * (mean_chance(&class[c]) / most)));
}

/* Selection sampling: every subset of the wanted size is equally likely. */
static void draw_subset(pot *p, size_t wanted) {
  size_t taken = 0;
  for (size_t i = 0; i < p->n; i++)
    if (svf_random_below(&p->random, p->n - i) < wanted - taken) p->count[i] = 1, taken++;
}

/* Each of the rows taken stays with its chance; if none did, the one with the best, the first of equals. */
static void reject(pot *p, svf_random random) {
  size_t best = p->n, kept = 0;
  for (size_t i = 0; i < p->n; i++) {
    bool stays = svf_random_unit(&random) < p->chance[i];
    if (p->count[i] && (best == p->n || p->chance[i] > p->chance[best])) best = i;
    if (!stays) p->count[i] = 0;
    kept += p->count[i];
  }
  if (!kept) p->count[best] = 1;
}

/* Of a table that is learned from in parts. */
static void draw_by_number(const svf_ground *ground, pot *p) {
  const uint32_t *number = ground->frame->number;
  for (size_t i = 0; i < p->n; i++)
    p->count[i] = svf_bag_count(ground->settings, ground->tree, number ? number[p->row[i]] : p->row[i]);
}

static void draw_counts(const svf_ground *ground, pot *p) {
  const svf_settings *settings = ground->settings;
  if (settings->partition_rows > 0) {
    draw_by_number(ground, p);
    return;
  }
  svf_place place = {(uint64_t)settings->seed, SVF_USE_ROWS, ground->tree, 0, 0};
  p->random = svf_random_at(place);
  bool repeats = settings->rows == SVF_ROWS_BOOTSTRAP || settings->rows == SVF_ROWS_BALANCED;
  if (settings->rows == SVF_ROWS_BOOTSTRAP) draw_repeats(p, &(group){NULL, p->chance, p->n}, p->n);
  else if (settings->rows == SVF_ROWS_BALANCED) draw_classes(ground->frame, p);
  else if (settings->rows == SVF_ROWS_SUBSAMPLE)
    draw_subset(p, (size_t)ceil(settings->sample_fraction * (double)p->n));
  else
    for (size_t i = 0; i < p->n; i++) p->count[i] = 1;
  place.use = SVF_USE_REJECT;
  if (p->chance && !repeats) reject(p, svf_random_at(place));
}

static void fill_pot(const svf_frame *frame, pot *p) {
  const double *weight = frame->chance ? frame->chance : frame->weight;
  for (size_t i = 0; i < frame->n; i++) {
    if (weight && !(weight[i] > 0)) continue;
    if (p->chance) p->chance[p->n] = weight[i];
    p->row[p->n++] = (uint32_t)i;
  }
}

static size_t taken(const pot *p) {
  size_t sum = 0;
  for (size_t i = 0; i < p->n; i++) sum += p->count[i];
  return sum;
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
  size_t n = frame->n;
  svf_bag bag = {0};
  pot p = {.row = SVF_TAKE(scratch, uint32_t, n),
           .count = SVF_ZERO(scratch, uint32_t, n),
           .chance = frame->chance ? SVF_TAKE(scratch, double, n) : NULL,
           .scratch = scratch};
  if (!svf_arena_failed(scratch)) {
    fill_pot(frame, &p);
    draw_counts(ground, &p);
  }
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  else bag.rows = SVF_TAKE(ground->arena, uint32_t, taken(&p));
  if (ground->settings->rows != SVF_ROWS_ALL) bag.judges = SVF_TAKE(ground->arena, uint32_t, n);
  if (!ground->arena->failed) fill_bag(&p, &bag);
  svf_arena_release(scratch, mark);
  return bag;
}
