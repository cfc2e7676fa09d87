/* histogram_tree.c - the histograms of a growing tree (histogram.h).
 *
 * A node costs one pass over its rows and features. Of two siblings only the smaller one is added up: the histogram of the other
 * is that of the node above less the smaller one's. Sums of a column run in the order of the rows, and columns are shared out
 * among threads, so that the result does not depend on the threads. */
#include "cut/histogram.h"
#include "cut/scored.h"

#include <float.h>
#include <string.h>

enum { SHARED_WORK = 1 << 14 }; /* rows times columns that are worth a second thread */

/* The number that a row has: a value, or for two classes whether it is the second. */
static double number_of(const svf_frame *frame, uint32_t row) {
  return frame->label ? frame->label[row] == 1 : frame->value[row];
}

/* Power of two that brings x to 1..2. */
static double lift_of(double x) { return x > 0 ? ldexp(1, -ilogb(x)) : 1; }

/* Rows as pairs of floats: numbers less their mean, and weights, both scaled to at most 2. With a prior, the mean stays. */
static void fill_pairs(svf_binned *t, const svf_site *root) {
  const svf_frame *frame = t->ground->frame;
  double centre = 0, largest = 0, heaviest = 0, lightest = INFINITY;
  for (size_t i = 0; i < root->n && !(frame->prior > 0); i++)
    centre += (number_of(frame, root->rows[i]) / 2 - centre) / (double)(i + 1);
  for (size_t i = 0; i < root->n; i++) {
    uint32_t row = root->rows[i];
    largest = fmax(largest, fabs(number_of(frame, row) / 2 - centre));
    heaviest = fmax(heaviest, frame->weight ? frame->weight[row] : 1);
    lightest = fmin(lightest, frame->weight ? frame->weight[row] : 1);
  }
  t->plain = lightest == heaviest;
  double lift = lift_of(largest), raise = t->plain ? 1 / heaviest : lift_of(heaviest);
  for (size_t i = 0; i < root->n; i++) {
    uint32_t row = root->rows[i];
    double weight = raise * (frame->weight ? frame->weight[row] : 1);
    t->pair[row] = (svf_pair){(float)(weight * (lift * (number_of(frame, row) / 2 - centre))), (float)weight};
  }
  t->unit = fmin(fmax(t->k ? 1 / raise : 4 / lift / lift / raise, DBL_MIN), DBL_MAX);
  if (frame->label && !t->k) t->unit *= 2; /* Gini's index is twice the variance */
  t->prior = fmin(raise * frame->prior, DBL_MAX);
}

/* The columns that the tree may cut, ascending. */
static void draw_columns(svf_binned *t) {
  const svf_settings *settings = t->ground->settings;
  size_t all = t->bins->count, wanted = (size_t)ceil(settings->tree_features * (double)all);
  svf_random random = svf_random_at((svf_place){(uint64_t)settings->seed, SVF_USE_FEATURES, t->ground->tree, 0, 0});
  for (uint32_t c = 0; c < all; c++)
    if (wanted == all || svf_random_below(&random, all - c) < wanted - t->columns) t->column[t->columns++] = c;
  t->wanted = svf_features_wanted(settings, all, t->ground->frame->label != NULL);
}

/* What threads share: the smaller of two siblings, whose rows are added up, and the larger, which has the sums of both. */
typedef struct job {
  const svf_binned *t;
  const svf_bin_rows *rows;
  svf_histogram *small, *large; /* large NULL: no sibling */
} job;

static void subtract(const svf_binned *t, const svf_bin_column *c, svf_histogram *from, const svf_histogram *what) {
  for (size_t b = c->at; b <= c->at + c->bins; b++) {
    from->cell[b].sum -= what->cell[b].sum;
    from->cell[b].weight -= what->cell[b].weight;
    from->cell[b].rows -= what->cell[b].rows;
  }
  for (size_t i = c->at * t->k; i < (c->at + c->bins + 1) * t->k; i++) from->of[i] -= what->of[i];
}

static bool do_column(void *context, size_t index, svf_worker *worker) {
  const job *j = context;
  const svf_binned *t = j->t;
  uint32_t number = t->column[index];
  const svf_bin_column *c = &t->bins->column[number];
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_bin_cells cells = {.cell = j->small->cell + c->at, .room = SVF_TAKE(&worker->arena, double, t->k)};
  if (!cells.room) return false;
  cells.of = t->k ? j->small->of + c->at * t->k : NULL;
  svf_bins_add(t, c, j->rows, &cells);
  j->small->best[index] = svf_bins_sweep(t, number, j->small, &cells);
  if (j->large) {
    subtract(t, c, j->large, j->small);
    cells.cell = j->large->cell + c->at;
    cells.of = t->k ? j->large->of + c->at * t->k : NULL;
    j->large->best[index] = svf_bins_sweep(t, number, j->large, &cells);
  }
  svf_arena_release(&worker->arena, mark);
  return true;
}

/* Sums of a node and, with `large`, of its sibling, both with the best cuts of all columns. */
static bool add_up(const svf_binned *t, const svf_site *site, svf_histogram *small, svf_histogram *large) {
  svf_worker *worker = t->ground->worker;
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_bin_rows rows;
  job j = {t, &rows, small, large};
  bool fine = svf_bins_gather(t, site, &rows, small);
  if (fine && large) svf_bins_leave(t, large, small);
  if (fine && site->n * t->columns >= SHARED_WORK) fine = svf_share(worker, t->columns, do_column, &j);
  else
    for (size_t c = 0; c < t->columns && fine; c++) fine = do_column(&j, c, worker);
  svf_arena_release(&worker->arena, mark);
  if (!fine) t->ground->arena->failed = true;
  return fine;
}

bool svf_binned_may_cut(const svf_ground *ground, const svf_site *site) {
  size_t deepest = (size_t)ground->settings->max_depth;
  return site->n >= 2 * ground->min_leaf && (!deepest || site->depth < deepest);
}

svf_histogram *svf_histogram_of(const svf_binned *t, const svf_site *site) { return site->up ? site->note : t->root; }

void svf_binned_divided(const svf_ground *ground, svf_site *site) {
  const svf_binned *t = ground->notes;
  svf_histogram *from = svf_histogram_of(t, site);
  if (!from) return;
  site->note = NULL;
  int small = site->child[1]->n < site->child[0]->n;
  svf_site *less = site->child[small], *more = site->child[!small];
  if (more->n <= SVF_BINS_FEW || !(svf_binned_may_cut(ground, less) || svf_binned_may_cut(ground, more))) {
    svf_histogram_give(t, from);
    return;
  }
  svf_histogram *fresh = svf_histogram_take(t);
  if (!fresh || !add_up(t, less, fresh, from)) return;
  less->note = fresh;
  more->note = from;
}

void svf_binned_closed(const svf_ground *ground, svf_site *site) {
  const svf_binned *t = ground->notes;
  if (site->note) svf_histogram_give(t, site->note);
  site->note = NULL;
}

const void *svf_binned_begin(const svf_ground *ground, const svf_site *root) {
  const svf_frame *frame = ground->frame;
  svf_arena *scratch = &ground->worker->arena;
  svf_binned *t = SVF_ZERO(scratch, svf_binned, 1);
  const svf_bins *bins = ground->prepared;
  svf_pair *pair = SVF_TAKE(scratch, svf_pair, frame->n);
  uint32_t *column = SVF_TAKE(scratch, uint32_t, bins->count);
  svf_histogram_pool *pool = SVF_ZERO(scratch, svf_histogram_pool, 1);
  svf_ground *own = SVF_TAKE(scratch, svf_ground, 1);
  if (svf_arena_failed(scratch)) return ground->arena->failed = true, NULL;
  *own = *ground;
  *t = (svf_binned){.ground = own, .bins = bins, .pair = pair, .column = column, .pool = pool};
  t->k = frame->label && frame->k > 2 ? frame->k : 0;
  fill_pairs(t, root);
  draw_columns(t);
  if (t->wanted < t->columns || root->n <= SVF_BINS_FEW || !svf_binned_may_cut(ground, root)) return t;
  t->root = svf_histogram_take(t);
  if (!t->root) ground->arena->failed = true;
  else if (!add_up(t, root, t->root, NULL)) t->root = NULL;
  return t;
}
