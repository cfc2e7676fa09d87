/* cca.c - canonical correlation forests (Rainforth and Wood, arXiv:1507.05444, 2015): at every node the directions that go
 * best with the target are cut at their best threshold.
 *
 * `features` features are drawn (auto: ceil(log2 D) + 1 of the D columns of the table), those that do not vary in the node
 * replaced by others; a category brings all its encoded columns. Canonical directions are computed from a bootstrap of the
 * node's rows (projection_rows=bootstrap, the authors' "projection bootstrap"), or from all of them where the
 * bootstrap has one class or one row only. Thresholds are sought over all rows of the node. If the rows that
 * give the directions are two different ones, repeated, the direction is the line between them: the cut of the largest
 * margin. Without a gain the node is a leaf. */
#include "cut/canonical.h"
#include "cut/oblique.h"

#include <math.h>
#include <string.h>

/* A node while its directions are found. */
typedef struct node {
  const svf_ground *ground;
  const svf_site *site;
  svf_drawn columns;
  svf_best best;
  double *weight; /* n: how much each row counts for the directions */
} node;

static size_t wanted_features(const svf_ground *ground) {
  size_t all = ((const svf_oblique *)ground->notes)->features, bits = 0;
  if (ground->settings->features != SVF_FEATURES_AUTO)
    return svf_features_wanted(ground->settings, all, ground->frame->label != NULL);
  while (((size_t)1 << bits) < all) bits++;
  return bits + 1;
}

/* Every row that misses nothing. */
static void take_all(const node *n) {
  const double *weight = n->best.search.weight;
  for (size_t i = 0; i < n->site->n; i++) n->weight[i] = !n->columns.whole[i] ? 0 : weight ? weight[i] : 1;
}

/* As many draws with repeats as there are such rows. */
static bool take_bootstrap(const node *n, svf_random *random) {
  const double *weight = n->best.search.weight;
  size_t whole = 0, rows = n->columns.rows;
  uint32_t *place = SVF_TAKE(&n->ground->worker->arena, uint32_t, rows);
  if (!place) return false;
  for (size_t i = 0; i < n->site->n; i++) {
    n->weight[i] = 0;
    if (n->columns.whole[i]) place[whole++] = (uint32_t)i;
  }
  for (size_t i = 0; i < rows; i++) {
    size_t row = place[svf_below(random, (uint32_t)rows)];
    n->weight[row] += weight ? weight[row] : 1;
  }
  return true;
}

static bool one_class(const node *n) {
  const int32_t *label = n->best.search.label;
  int32_t first = -1;
  for (size_t i = 0; label && i < n->site->n; i++) {
    if (!(n->weight[i] > 0)) continue;
    if (first < 0) first = label[i];
    else if (label[i] != first) return false;
  }
  return label != NULL;
}

/* How many different rows give the directions, up to 3: 1, 2 (in `pair`), or more. */
static size_t count_distinct(const node *n, const float *pair[2]) {
  size_t bytes = n->columns.count * sizeof(float), found = 0;
  for (size_t i = 0; i < n->site->n; i++) {
    const float *x = n->columns.x + i * n->columns.count;
    if (!(n->weight[i] > 0) || (found > 0 && !memcmp(x, pair[0], bytes)) || (found > 1 && !memcmp(x, pair[1], bytes)))
      continue;
    if (found == 2) return 3;
    pair[found++] = x;
  }
  return found;
}

/* Tries directions in single precision, the largest weight of each being 1 or -1. */
static bool try_directions(node *n, const double *direction, size_t count) {
  size_t p = n->columns.count;
  float *weight = SVF_TAKE(&n->ground->worker->arena, float, count *p);
  if (!weight) return false;
  for (size_t q = 0; q < count; q++) {
    double most = 0;
    for (size_t j = 0; j < p; j++) most = fmax(most, fabs(direction[q * p + j]));
    bool fine = most > 0 && isfinite(most);
    for (size_t j = 0; j < p; j++) weight[q * p + j] = fine ? (float)(direction[q * p + j] / most) : 0;
  }
  return svf_best_try(&n->best, n->ground, &n->columns, weight, count);
}

static bool try_pair(node *n, const float *const pair[2]) {
  double *line = SVF_TAKE(&n->ground->worker->arena, double, n->columns.count);
  for (size_t j = 0; line && j < n->columns.count; j++) line[j] = (double)pair[1][j] - pair[0][j];
  return line && try_directions(n, line, 1);
}

static bool try_canonical(node *n) {
  const svf_search *search = &n->best.search;
  svf_sample sample = {.n = n->site->n,
                       .p = n->columns.count,
                       .x = n->columns.x,
                       .weight = n->weight,
                       .label = search->label,
                       .value = search->value,
                       .k = search->k,
                       .stop = n->ground->worker->stop};
  svf_canonical canonical;
  return svf_canonical_find(n->ground->la, &sample, &n->ground->worker->arena, &canonical) &&
         try_directions(n, canonical.direction, canonical.count);
}

/* False: memory ran out. */
static bool search(node *n, size_t trial) {
  svf_random random = svf_site_random(n->ground, n->site, SVF_USE_CUT, trial);
  svf_arena *arena = &n->ground->worker->arena;
  const svf_oblique *oblique = n->ground->notes;
  const float *pair[2] = {NULL, NULL};
  if (!svf_best_open(&n->best, n->ground, n->site, oblique)) return false;
  if (!svf_drawn_take(n->ground, n->site, oblique, wanted_features(n->ground), &random, &n->columns))
    return !n->ground->arena->failed;
  n->weight = SVF_TAKE(arena, double, n->site->n);
  if (svf_arena_failed(arena)) return false;
  bool all = n->ground->settings->projection_rows == SVF_PROJECTION_ROWS_ALL;
  if (!all && !take_bootstrap(n, &random)) return false;
  if (all || one_class(n) || count_distinct(n, pair) < 2) take_all(n);
  size_t distinct = count_distinct(n, pair);
  return distinct == 2 ? try_pair(n, pair) : distinct < 2 || try_canonical(n);
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (site->n < 2 * ground->min_leaf || trial >= (size_t)ground->settings->cut_candidates) return false;
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  node n = {.ground = ground, .site = site};
  bool fine = search(&n, trial), made = fine && svf_best_plane(&n.best, ground, plane);
  svf_arena_release(&ground->worker->arena, mark);
  if (!fine) ground->arena->failed = true;
  return made;
}

static const char *const settings[] = {SVF_GAIN_SETTINGS, "projection_rows", NULL};

extern const svf_cut svf_cut_cca;
const svf_cut svf_cut_cca = {.kind.name = "cca",
                             .kind.help = "the node's canonical directions, with the best threshold",
                             .kind.settings = settings,
                             .kind.check = svf_criterion_check,
                             .begin = svf_oblique_begin,
                             .propose = propose};
