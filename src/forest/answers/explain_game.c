/* explain_game.c - Shapley values by asking for the answers to mixed rows: x's values in some features, z's in the others.
 *
 * Features in which x and z agree contribute nothing. With a of them left, at most FEW, all 2^a mixed rows are asked about:
 *     phi_j = sum over S without j of |S|! (a - |S| - 1)! / a! (v(S + j) - v(S))
 * With more, features join in random orders, each order also backwards, which takes out what is even in the order (antithetic
 * pairs); what a feature adds when it joins is averaged. The standard error is that of a mean of pairs, for each background
 * row apart. The orders are named by background row and number, so that all explained rows have the same. */
#include "forest/answers/explain.h"
#include "forest/auto/committee.h"

#include <math.h>
#include <string.h>
#include "base/random.h"

enum { FEW = 6, LEAST_ROOM = 8, MOST_ROOM = 256, ROOM_BYTES = 512 << 10 };

/* ---- mixed rows ---- */

static bool asked(const svf_panel *panel, size_t m, bool whole) {
  return whole || !panel->e->parted || !panel->e->member[m].by_trees;
}

bool svf_panel_open(svf_panel *panel, const svf_explaining *e, svf_arena *arena) {
  size_t k = svf_forest_k(e->forest), widest = 1;
  for (size_t m = 0; m < e->members; m++)
    if (e->member[m].frame.stride > widest) widest = e->member[m].frame.stride;
  size_t room = ROOM_BYTES / (widest * sizeof(float));
  room = room < LEAST_ROOM ? LEAST_ROOM : room > MOST_ROOM ? MOST_ROOM : room;
  *panel = (svf_panel){.e = e, .room = room, .block = SVF_TAKE(arena, svf_block, e->members)};
  double *part = SVF_TAKE(arena, double, room *k), *sum = SVF_TAKE(arena, double, room *k);
  if (svf_arena_failed(arena)) return false;
  bool classes = e->forest->encoding.classes.count > 0, margin = e->wanted->what == SVF_EXPLAIN_MARGIN;
  panel->part = (svf_prediction){.values = classes ? NULL : part,
                                 .probabilities = classes && !margin ? part : NULL,
                                 .scores = margin ? part : NULL};
  panel->sum = (svf_prediction){.values = classes ? NULL : sum, .probabilities = classes ? sum : NULL};
  for (size_t m = 0; m < e->members; m++)
    if (!svf_block_open(&panel->block[m], e->member[m].forest, room, e->member[m].frame.stride, arena)) return false;
  return true;
}

static const float *row_of(const svf_explained *m, size_t row) { return m->frame.x + row * m->frame.stride; }
static const float *background_of(const svf_explained *m, size_t z) { return m->z + z * m->frame.stride; }

static void put(const svf_panel *panel, size_t m, size_t i, const float *row) {
  size_t stride = panel->block[m].stride;
  memcpy(panel->block[m].x + i * stride, row, stride * sizeof *row);
}

void svf_panel_put_row(const svf_panel *panel, size_t i, size_t row) {
  for (size_t m = 0; m < panel->e->members; m++) put(panel, m, i, row_of(&panel->e->member[m], row));
}

void svf_panel_put_background(const svf_panel *panel, size_t i, size_t z) {
  for (size_t m = 0; m < panel->e->members; m++) put(panel, m, i, background_of(&panel->e->member[m], z));
}

/* What is explained of one answer. */
static void write_answer(const svf_panel *panel, const double *said, double *answer) {
  const svf_explaining *e = panel->e;
  for (size_t o = 0; o < e->outputs; o++) {
    double p = said[e->first + o];
    if (e->wanted->what == SVF_EXPLAIN_LOG_ODDS) p = fmin(fmax(p, 1e-6), 1 - 1e-6), p = log(p / (1 - p));
    answer[o] = p;
  }
}

static const double *said_of(const svf_prediction *p) {
  return p->scores ? p->scores : p->probabilities ? p->probabilities : p->values;
}

bool svf_panel_ask(svf_panel *panel, size_t n, bool whole, double *answer) {
  const svf_explaining *e = panel->e;
  size_t k = svf_forest_k(e->forest);
  bool committee = e->forest->committee != NULL;
  double *sum = (double *)said_of(&panel->sum);
  if (committee) memset(sum, 0, n * k * sizeof *sum);
  for (size_t m = 0; m < e->members; m++) {
    if (!asked(panel, m, whole)) continue;
    if (!svf_block_ask(&panel->block[m], n, 0, &panel->part)) return false;
    if (committee) svf_committee_add(e->forest, m, n, &panel->part, &panel->sum);
  }
  if (committee && (whole || !e->parted)) svf_committee_end(e->forest, n, &panel->sum);
  else if (committee)
    for (size_t i = 0; i < n * k; i++) sum[i] *= e->curve_factor;
  const double *said = committee ? sum : said_of(&panel->part);
  for (size_t i = 0; i < n; i++) write_answer(panel, said + i * k, answer + i * e->outputs);
  return true;
}

/* ---- the game of one pair of rows ---- */

typedef struct game {
  svf_panel *panel;
  size_t row, z;
  uint32_t *active; /* features in which the rows differ */
  size_t count;
  uint32_t *order; /* pairs x count */
  size_t pairs;    /* 0: all subsets */
  double *answer;  /* of every mixed row, outputs each */
  const double *at_x, *at_z;
  double *mean, *squares, *one; /* outputs x count: over the pairs; of one pair */
} game;

static bool differ(const svf_explaining *e, size_t row, size_t z, size_t player) {
  for (size_t m = 0; m < e->members; m++) {
    const svf_explained *member = &e->member[m];
    const svf_feature *feature = &member->forest->encoding.feature[player];
    const float *x = row_of(member, row) + feature->first, *other = background_of(member, z) + feature->first;
    if (memcmp(x, other, feature->width * sizeof *x)) return true;
  }
  return false;
}

/* The feature takes x's value at place i. */
static void join(const game *g, size_t i, uint32_t player) {
  const svf_explaining *e = g->panel->e;
  for (size_t m = 0; m < e->members; m++) {
    const svf_explained *member = &e->member[m];
    const svf_feature *feature = &member->forest->encoding.feature[player];
    memcpy(g->panel->block[m].x + i * g->panel->block[m].stride + feature->first,
           row_of(member, g->row) + feature->first, feature->width * sizeof(float));
  }
}

/* Mixed row number t: the subset t + 1, or the first features of an order, forwards, then backwards. */
static void mix(const game *g, size_t i, size_t t) {
  svf_panel_put_background(g->panel, i, g->z);
  if (!g->pairs) {
    for (size_t j = 0; j < g->count; j++)
      if ((t + 1) >> j & 1) join(g, i, g->active[j]);
    return;
  }
  size_t steps = g->count - 1, number = t / steps, joined = t % steps + 1;
  const uint32_t *order = g->order + number / 2 * g->count;
  for (size_t j = 0; j < joined; j++) join(g, i, g->active[order[number % 2 ? g->count - 1 - j : j]]);
}

static size_t mixtures(const game *g) {
  return g->pairs ? 2 * g->pairs * (g->count - 1) : ((size_t)1 << g->count) - 2;
}

static bool ask(const game *g) {
  size_t all = mixtures(g), outputs = g->panel->e->outputs;
  for (size_t from = 0; from < all; from += g->panel->room) {
    size_t n = all - from < g->panel->room ? all - from : g->panel->room;
    for (size_t i = 0; i < n; i++) mix(g, i, from + i);
    if (!svf_panel_ask(g->panel, n, false, g->answer + from * outputs)) return false;
  }
  return true;
}

/* v of a subset. */
static double worth(const game *g, size_t subset, size_t output) {
  size_t all = ((size_t)1 << g->count) - 1;
  if (subset == 0) return g->at_z[output];
  return subset == all ? g->at_x[output] : g->answer[(subset - 1) * g->panel->e->outputs + output];
}

static void settle_subsets(const game *g, double part, double *contribution) {
  static const double factorial[] = {1, 1, 2, 6, 24, 120, 720};
  const svf_explaining *e = g->panel->e;
  for (size_t o = 0; o < e->outputs; o++)
    for (size_t j = 0; j < g->count; j++) {
      double sum = 0;
      for (size_t s = 0; s < (size_t)1 << g->count; s++) {
        if (s >> j & 1) continue;
        int size = __builtin_popcountll(s);
        sum += factorial[size] * factorial[(int)g->count - 1 - size] *
               (worth(g, s | (size_t)1 << j, o) - worth(g, s, o));
      }
      contribution[o * e->players + g->active[j]] += part * sum / factorial[g->count];
    }
}

/* What every feature added in one order, half of it. */
static void add_order(const game *g, size_t number, size_t output) {
  size_t outputs = g->panel->e->outputs, steps = g->count - 1;
  const uint32_t *order = g->order + number / 2 * g->count;
  double before = g->at_z[output];
  for (size_t j = 0; j < g->count; j++) {
    double after = j < steps ? g->answer[(number * steps + j) * outputs + output] : g->at_x[output];
    g->one[order[number % 2 ? g->count - 1 - j : j]] += (after - before) / 2;
    before = after;
  }
}

static void settle_orders(const game *g, double part, double *contribution, double *square) {
  const svf_explaining *e = g->panel->e;
  for (size_t o = 0; o < e->outputs; o++) {
    memset(g->mean, 0, g->count * sizeof *g->mean);
    memset(g->squares, 0, g->count * sizeof *g->squares);
    for (size_t p = 0; p < g->pairs; p++) {
      memset(g->one, 0, g->count * sizeof *g->one);
      add_order(g, 2 * p, o);
      add_order(g, 2 * p + 1, o);
      for (size_t j = 0; j < g->count; j++) {
        double apart = g->one[j] - g->mean[j];
        g->mean[j] += apart / (double)(p + 1);
        g->squares[j] += apart * (g->one[j] - g->mean[j]);
      }
    }
    for (size_t j = 0; j < g->count; j++) {
      size_t to = o * e->players + g->active[j];
      contribution[to] += part * g->mean[j];
      square[to] += part * part * g->squares[j] / ((double)g->pairs * (double)(g->pairs - 1));
    }
  }
}

static void draw_orders(const game *g) {
  for (size_t p = 0; p < g->pairs; p++) {
    svf_random random = svf_random_at(
        (svf_place){.seed = g->panel->e->wanted->seed, .use = SVF_USE_EXPLAIN, .trial = p, .node = g->z});
    uint32_t *order = g->order + p * g->count;
    for (size_t j = 0; j < g->count; j++) order[j] = (uint32_t)j;
    svf_random_shuffle(&random, order, g->count);
  }
}

static bool open_game(game *g, size_t pairs, svf_arena *arena) {
  size_t outputs = g->panel->e->outputs;
  g->pairs = g->count > FEW ? pairs : 0;
  g->order = SVF_TAKE(arena, uint32_t, g->pairs * g->count + 1);
  g->answer = SVF_TAKE(arena, double, mixtures(g) * outputs + 1);
  g->mean = SVF_TAKE(arena, double, g->count);
  g->squares = SVF_TAKE(arena, double, g->count);
  g->one = SVF_TAKE(arena, double, g->count);
  return !svf_arena_failed(arena);
}

/* At least two pairs for each background row, whose difference says how much chance there is in them. */
static size_t pairs_of(const svf_explaining *e) {
  enum { WANTED = 64, LEAST = 2 };
  if (e->wanted->permutations) return e->wanted->permutations;
  size_t share = (WANTED + e->background - 1) / e->background;
  return share < LEAST ? LEAST : share;
}

static bool play(game *g, svf_arena *arena, double *contribution, double *square) {
  const svf_explaining *e = g->panel->e;
  double part = 1 / (double)e->background;
  g->count = 0;
  for (size_t j = 0; j < e->players; j++)
    if (differ(e, g->row, g->z, j)) g->active[g->count++] = (uint32_t)j;
  if (g->count == 0) return true;
  if (!open_game(g, pairs_of(e), arena)) return false;
  draw_orders(g);
  if (!ask(g)) return false;
  if (g->pairs) settle_orders(g, part, contribution, square);
  else settle_subsets(g, part, contribution);
  return true;
}

bool svf_explain_by_games(svf_panel *panel, size_t row, svf_worker *worker, double *contribution, double *square) {
  const svf_explaining *e = panel->e;
  svf_mark mark = svf_arena_mark(&worker->arena);
  double *at_x = SVF_TAKE(&worker->arena, double, e->outputs);
  game g = {.panel = panel, .row = row, .at_x = at_x, .active = SVF_TAKE(&worker->arena, uint32_t, e->players)};
  bool fine = !svf_arena_failed(&worker->arena);
  if (fine) svf_panel_put_row(panel, 0, row);
  fine = fine && svf_panel_ask(panel, 1, false, at_x);
  for (g.z = 0; g.z < e->background && fine; g.z++) {
    svf_mark inner = svf_arena_mark(&worker->arena);
    g.at_z = e->z_answer + g.z * e->outputs;
    fine = play(&g, &worker->arena, contribution, square) && !svf_worker_stopped(worker);
    svf_arena_release(&worker->arena, inner);
  }
  svf_arena_release(&worker->arena, mark);
  return fine;
}
