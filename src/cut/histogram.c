/* histogram.c - the best of the thresholds between bins (bins.h), from sums of the rows of each bin (histogram.h). Small nodes, and
 * nodes that draw features, have no histogram: they look at each feature by itself. */
#include "cut/histogram.h"
#include "cut/cut.h"
#include "cut/scored.h"

#include <float.h>
#include <string.h>

/* A node that is looked at column by column. */
typedef struct bench {
  const svf_binned *t;
  svf_bin_rows rows;
  svf_histogram node; /* its sums */
  svf_bin_cells cells;
} bench;

static svf_bin_cut look(bench *b, uint32_t column) {
  svf_bins_add(b->t, &b->t->bins->column[column], &b->rows, &b->cells);
  return svf_bins_sweep(b->t, column, &b->node, &b->cells);
}

/* Draws columns without repeats, and on until one can be cut. */
static svf_bin_cut draw(bench *b, const svf_site *site, uint32_t *order) {
  const svf_binned *t = b->t;
  svf_random random = svf_site_random(t->ground, site, SVF_USE_CUT, 0);
  svf_bin_cut best = {0};
  memcpy(order, t->column, t->columns * sizeof *order);
  for (size_t i = 0; i < t->columns && (i < t->wanted || !best.found); i++) {
    size_t j = t->wanted < t->columns ? i + (size_t)svf_random_below(&random, t->columns - i) : i;
    svf_bin_cut cut = look(b, order[j]);
    order[j] = order[i];
    if (cut.found && (!best.found || cut.worth > best.worth)) best = cut;
  }
  return best;
}

static svf_bin_cut search(const svf_binned *t, const svf_site *site, svf_bin_sum *all, double *of_all) {
  svf_arena *scratch = &t->ground->worker->arena;
  svf_bin_cut best = {0};
  bench b = {.t = t, .node = {.of_all = of_all}, .cells = {.few = site->n <= SVF_BINS_FEW}};
  b.cells.cell = SVF_TAKE(scratch, svf_bin_sum, SVF_MOST_BINS + 1);
  b.cells.of = t->k ? SVF_TAKE(scratch, double, (SVF_MOST_BINS + 1) * t->k) : NULL;
  b.cells.room = SVF_TAKE(scratch, double, t->k);
  uint32_t *order = SVF_TAKE(scratch, uint32_t, t->columns);
  if (svf_arena_failed(scratch) || !svf_bins_gather(t, site, &b.rows, &b.node)) return best;
  best = draw(&b, site, order);
  *all = b.node.all;
  return best;
}

static double node_worth(const svf_binned *t, const svf_bin_sum *all, const double *of_all) {
  double sum = 0;
  if (!t->k) return all->weight + t->prior > 0 ? all->sum * all->sum / (all->weight + t->prior) : 0;
  for (size_t c = 0; c < t->k; c++) sum += of_all[c] * of_all[c];
  return all->weight > 0 ? sum / all->weight : 0;
}

/* Halfway between the bins on both sides. */
static float threshold_of(const svf_bin_column *c, const svf_bin_cut *cut) {
  if (cut->above == c->bins) return FLT_MAX; /* all numbers left, the missing right */
  float low = c->high[cut->below], high = c->low[cut->above], middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

/* Does any row have this level? If none has, its 0/1 column has one value, and the other one is unknown: the level goes left. */
static bool occurs(const svf_bin_column *c, uint32_t level) {
  return !c->levels.one_hot || c->levels.low[level] < c->levels.high[level];
}

static bool make_levels(const svf_ground *ground, const svf_bin_column *c, const svf_bin_cut *cut, svf_plane *plane) {
  svf_arena *scratch = &ground->worker->arena;
  uint32_t *level = SVF_TAKE(scratch, uint32_t, c->levels.ranks);
  size_t listed = 0;
  for (uint32_t l = 0; level && l < c->levels.ranks; l++)
    if (occurs(c, l) && cut->right[c->home[l] / 64] >> c->home[l] % 64 & 1) level[listed++] = l;
  bool made = level && svf_levels_plane(&c->levels, level, listed, ground->arena, plane);
  if (!made) ground->arena->failed = true;
  return made;
}

static bool make_plane(const svf_ground *ground, const svf_bin_cut *cut, double worth, svf_plane *plane) {
  const svf_binned *t = ground->notes;
  double gain = cut->worth - worth;
  if (!cut->found || (t->prior > 0 && !(gain > 1e-12 * worth))) return false;
  plane->gain = fmin(fmax(0, gain + cut->penalty) * t->unit, DBL_MAX);
  if (plane->gain < ground->settings->min_gain * ground->weight) return false;
  const svf_bin_column *c = &t->bins->column[cut->column];
  plane->missing_left = cut->missing_left;
  if (c->levels.category) return make_levels(ground, c, cut, plane);
  plane->term = SVF_TAKE(ground->arena, svf_term, 1);
  if (!plane->term) return false;
  plane->term[0] = (svf_term){c->first, 1};
  plane->count = 1;
  plane->threshold = threshold_of(c, cut);
  return true;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  const svf_binned *t = ground->notes;
  if (trial || ground->arena->failed || !svf_binned_may_cut(ground, site)) return false;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  const svf_histogram *h = svf_histogram_of(t, site);
  svf_bin_cut best = {0};
  svf_bin_sum all = {0};
  double *of_all = h ? h->of_all : SVF_TAKE(scratch, double, t->k);
  if (h) all = h->all;
  for (size_t c = 0; h && c < t->columns; c++)
    if (h->best[c].found && (!best.found || h->best[c].worth > best.worth)) best = h->best[c];
  if (!h) best = search(t, site, &all, of_all);
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  bool made =
      !ground->arena->failed && make_plane(ground, &best, best.found ? node_worth(t, &all, of_all) : 0, plane);
  svf_arena_release(scratch, mark);
  return made;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (!strcmp(settings->pick, "none")) return SVF_OK;
  return svf_fail(
      message, SVF_USAGE,
      "cut=histogram proposes one cut per node, but pick=%s chooses among several: use pick=none, or cut=best",
      settings->pick);
}

static const char *const settings_read[] = {
    "max_depth", "min_leaf",      "min_leaf_factor", "features",        "min_gain", "max_leaves",
    "bins",      "tree_features", "level_penalty",   "level_smoothing", NULL};

extern const svf_cut svf_cut_histogram;
const svf_cut svf_cut_histogram = {.kind.name = "histogram",
                                   .kind.help = "the best threshold between bins of r random features",
                                   .kind.settings = settings_read,
                                   .kind.check = check,
                                   .prepare = svf_bins_make,
                                   .begin = svf_binned_begin,
                                   .propose = propose,
                                   .divided = svf_binned_divided,
                                   .closed = svf_binned_closed,
                                   .sides = svf_bins_sides,
                                   .divides_levels = true,
                                   .follows = true,
                                   .shares = true};
