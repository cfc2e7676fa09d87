/* explain_tree.c - exact Shapley values of trees against background rows, in time that is linear in the nodes that mixed
 * rows reach.
 *
 * Let x be the explained row and z a background row. A mixed row reaches a leaf only if every feature on the way there takes
 * the value of a row that meets all of its cuts on that way. Let u features be met by x alone and v by z alone; none may be
 * met by neither. The leaf's answer a then is a game of u + v players, all of the first and none of the second, and of a
 *     each of the u gets   a (u-1)! v! / (u+v)!        each of the v gets   -a u! (v-1)! / (u+v)!
 * A linear leaf a + sum_j w_j h_j, with h_j the value of x or z, adds for each other feature j a game of u + 1 and v players
 * with the answer w_j (x_j - z_j), and the values of z are in a.
 *
 * All background rows go through a tree together, as lists. At a cut on feature j: if x left the way at an earlier cut on j,
 * every z goes its own way. Else all go with x, and those that part from x here, and did not part from it at j before, count
 * one more in u until the walk comes back; then they alone go the other way, with one more in v. */
#include "forest/answers/explain.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 256, TABLE = 64 }; /* background rows at a time; u and v with weights at hand */

/* A cut that is on the way, and what follows once one side is done. */
typedef struct stop {
  uint32_t node, player;
  uint32_t first, count; /* the rows that go the other way, in `list` */
  double before;         /* what they, or all, had before */
  enum { PARTED, RETURNED, DIVIDED } stage;
} stop;

typedef struct walk {
  const svf_explaining *e;
  const svf_explained *member;
  const svf_forest *forest;
  const svf_node_record *node; /* of the tree */
  const svf_leaf_record *leaf;
  size_t tree, output;
  size_t d, n, base; /* columns; background rows at hand, and the first of them */
  const float *x;
  const float *z, *by_column; /* of row `base` */
  size_t stride;
  uint32_t *player;       /* d: feature of a column */
  bool few;               /* features: u and v are always below TABLE */
  double *with, *against; /* TABLE x TABLE, v by v: shares of each of u, and of each of v */
  unsigned char *parts;   /* players x TOGETHER: on this way, has the row parted from x at the feature? */
  unsigned char *left;    /* players: on this way, has x left? */
  uint32_t *u;            /* TOGETHER */
  size_t v;
  double *gained, lost; /* TOGETHER: what one of u got at all leaves so far; one of v, over all rows */
  double *contribution; /* players */
  uint32_t *list;
  size_t listed;
  stop *stops;
  size_t depth;
  double *weights; /* d + 1: of a linear leaf */
  double *answer;  /* of constant leaves of the tree; NULL: they are linear */
  double centre, factor;
} walk;

/* (u-1)! v! / (u+v)! = 1 / (u * (u+v choose u)) */
static double share_of(size_t u, size_t v) {
  size_t few = u < v ? u : v, many = u < v ? v : u;
  double share = 1 / (double)u;
  for (size_t i = 1; i <= few; i++) share *= (double)i / (double)(many + i);
  return share;
}
static double with(const walk *w, size_t u, size_t v) {
  return u < TABLE && v < TABLE ? w->with[v * TABLE + u] : u ? share_of(u, v) : 0;
}
static double against(const walk *w, size_t u, size_t v) {
  return u < TABLE && v < TABLE ? w->against[v * TABLE + u] : v ? share_of(v, u) : 0;
}

/* Where a row goes that is no column of ours: a plane of several columns of one feature, or of levels. */
static unsigned side_of(const walk *w, const svf_node_record *node, const float *row) {
  svf_term along = {node->first, 1};
  const svf_term *term = node->count > 1 ? w->forest->parts.term + node->first : &along;
  int side = svf_plane_side(term, node->count > 1 ? node->count >> 1 : 1, node->threshold, row);
  return side < 0 ? !(node->count & 1) : (unsigned)side;
}

static uint32_t player_of(const walk *w, const svf_node_record *node) {
  return w->player[node->count > 1 ? w->forest->parts.term[node->first].feature : node->first];
}

/* The same for a background row that has its value in `column`; z: for cuts that are not along one. */
static inline unsigned side_of_value(const svf_node_record *node, float value) {
  return value != value ? !(node->count & 1) : !(value < node->threshold);
}
static unsigned side_of_z(const walk *w, const svf_node_record *node, uint32_t z) {
  return side_of(w, node, w->z + z * w->stride);
}
static const float *column_of(const walk *w, const svf_node_record *node) {
  return node->count > 1 ? NULL : w->by_column + node->first * w->e->background;
}

/* ---- leaves ---- */

static void add_constant(walk *w, double answer, const uint32_t *list, size_t n) {
  size_t from = w->few ? w->v * TABLE : 0;
  const double *shares = w->with + from, *others = w->against + from;
  double lost = 0;
  if (w->few)
    for (size_t i = 0; i < n; i++) {
      w->gained[list[i]] += answer * shares[w->u[list[i]]];
      lost += others[w->u[list[i]]];
    }
  else
    for (size_t i = 0; i < n; i++) {
      w->gained[list[i]] += answer * with(w, w->u[list[i]], w->v);
      lost += against(w, w->u[list[i]], w->v);
    }
  w->lost += answer * lost;
}

static double filled(const walk *w, const float *row, size_t c) {
  return row[c] == row[c] ? row[c] : w->forest->fill[c];
}

/* One background row at a linear leaf. */
static void add_linear(walk *w, uint32_t z) {
  const float *row = w->z + z * w->stride;
  double answer = w->factor * (w->weights[w->d] - w->centre), open = 0, own = with(w, w->u[z] + 1, w->v);
  for (size_t c = 0; c < w->d; c++) {
    size_t player = w->player[c];
    double weight = w->factor * w->weights[c], at_x = weight * filled(w, w->x, c), at_z = weight * filled(w, row, c);
    if (w->left[player]) answer += at_z;
    else if (w->parts[player * TOGETHER + z]) answer += at_x;
    else {
      answer += at_z;
      open += at_x - at_z;
      w->contribution[player] += (at_x - at_z) * own;
    }
  }
  w->gained[z] += answer * with(w, w->u[z], w->v) + open * own;
  w->lost += answer * against(w, w->u[z], w->v) + open * against(w, w->u[z] + 1, w->v);
}

static svf_leaf_view view_of(const walk *w, uint32_t leaf) {
  const svf_parts *parts = &w->forest->parts;
  return svf_leaf_at(parts, (size_t)parts->tree[w->tree].first_leaf + leaf, w->forest->fill, w->forest->la);
}

static void reach(walk *w, uint32_t leaf, uint32_t first, uint32_t n) {
  if (w->answer) {
    add_constant(w, w->factor * (w->answer[leaf] - w->centre), w->list + first, n);
    return;
  }
  svf_leaf_view view = view_of(w, leaf);
  w->forest->kinds.leaf->linear(&view, w->weights);
  for (uint32_t i = 0; i < n; i++) add_linear(w, w->list[first + i]);
}

/* ---- the way through a tree ---- */

/* The rows of a list that go left come first; returns how many. */
static uint32_t divide(const walk *w, const svf_node_record *node, uint32_t *list, uint32_t n) {
  const float *column = column_of(w, node);
  uint32_t left = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t z = list[i];
    if (column ? side_of_value(node, column[z]) : side_of_z(w, node, z)) continue;
    list[i] = list[left];
    list[left++] = z;
  }
  return left;
}

/* Lists the rows that part from x here, which goes the other way, and are new to that; returns how many. */
static uint32_t part(const walk *w, const svf_node_record *node, unsigned way, uint32_t player, const uint32_t *list,
                     uint32_t n) {
  const float *column = column_of(w, node);
  const unsigned char *parts = w->parts + (size_t)player * TOGETHER;
  uint32_t *out = w->list + w->listed, count = 0;
  for (uint32_t i = 0; column && i < n; i++) {
    out[count] = list[i];
    count += (side_of_value(node, column[list[i]]) != way) & !parts[list[i]];
  }
  for (uint32_t i = 0; !column && i < n; i++) {
    out[count] = list[i];
    count += (side_of_z(w, node, list[i]) != way) & !parts[list[i]];
  }
  return count;
}

static double gained_by(const walk *w, const stop *s) {
  double sum = 0;
  for (uint32_t i = 0; i < s->count; i++) sum += w->gained[w->list[s->first + i]];
  return sum;
}

static void mark(walk *w, const stop *s, unsigned char parted) {
  for (uint32_t i = 0; i < s->count; i++) {
    uint32_t z = w->list[s->first + i];
    w->parts[(size_t)s->player * TOGETHER + z] = parted;
    if (parted) w->u[z]++;
    else w->u[z]--;
  }
}

/* Down to a leaf, with a stop wherever rows go both ways. */
static void descend(walk *w, uint32_t at, uint32_t first, uint32_t n) {
  for (;;) {
    const svf_node_record *node = &w->node[at];
    if (!node->right) {
      reach(w, node->first, first, n);
      return;
    }
    uint32_t player = player_of(w, node);
    if (w->left[player]) {
      uint32_t left = divide(w, node, w->list + first, n);
      if (left && left < n) w->stops[w->depth++] = (stop){at, player, first + left, n - left, 0, DIVIDED};
      at = left ? at + 1 : node->right;
      n = left ? left : n;
      continue;
    }
    unsigned way = side_of(w, node, w->x);
    stop s = {at, player, (uint32_t)w->listed, part(w, node, way, player, w->list + first, n), 0, PARTED};
    at = way ? node->right : at + 1;
    if (!s.count) continue;
    s.before = gained_by(w, &s);
    mark(w, &s, 1);
    w->listed += s.count;
    w->stops[w->depth++] = s;
  }
}

/* One side of a cut is done. */
static void go_on(walk *w) {
  stop *s = &w->stops[w->depth - 1];
  const svf_node_record *node = &w->node[s->node];
  if (s->stage == DIVIDED) {
    w->depth--;
    descend(w, node->right, s->first, s->count);
  } else if (s->stage == PARTED) {
    w->contribution[s->player] += gained_by(w, s) - s->before;
    mark(w, s, 0);
    w->left[s->player] = 1;
    w->v++;
    s->before = w->lost;
    s->stage = RETURNED;
    descend(w, side_of(w, node, w->x) ? s->node + 1 : node->right, s->first, s->count);
  } else {
    w->contribution[s->player] -= w->lost - s->before;
    w->left[s->player] = 0;
    w->v--;
    w->listed = s->first;
    w->depth--;
  }
}

/* What the tree says of x: contributions do not change if it is taken off every leaf, and rounding is then that of
 * differences. */
static double answer_at(walk *w) {
  const svf_node_record *node = w->node;
  while (node->right) node = side_of(w, node, w->x) ? w->node + node->right : node + 1;
  if (w->answer) return w->answer[node->first];
  svf_leaf_view view = view_of(w, node->first);
  w->forest->kinds.leaf->linear(&view, w->weights);
  double sum = w->weights[w->d];
  for (size_t c = 0; c < w->d; c++) sum += w->weights[c] * filled(w, w->x, c);
  return sum;
}

static void explain_row(walk *w, double *to) {
  const svf_explained *m = w->member;
  memset(w->contribution, 0, w->e->players * sizeof *w->contribution);
  w->centre = answer_at(w);
  for (w->base = 0; w->base < w->e->background; w->base += TOGETHER) {
    w->n = w->e->background - w->base < TOGETHER ? w->e->background - w->base : TOGETHER;
    w->z = m->z + w->base * w->stride;
    w->by_column = m->by_column + w->base;
    for (size_t i = 0; i < w->n; i++) w->list[i] = (uint32_t)i, w->gained[i] = 0;
    w->listed = w->n;
    w->lost = 0;
    descend(w, 0, 0, (uint32_t)w->n);
    while (w->depth) go_on(w);
  }
  for (size_t j = 0; j < w->e->players; j++) to[j] += w->contribution[j] / (double)w->e->background;
}

/* ---- the trees of a forest ---- */

static bool one_feature(const svf_forest *forest, const svf_node_record *node) {
  const svf_encoded *column = forest->encoding.column;
  const svf_term *term = forest->parts.term + node->first;
  if (svf_by_levels(node->threshold)) return true;
  for (size_t t = 1; t < node->count / 2; t++)
    if (column[term[t].feature].feature != column[term[0].feature].feature) return false;
  return true;
}

bool svf_explain_fits_trees(const svf_forest *forest) {
  const svf_parts *parts = &forest->parts;
  const svf_leaf *kind = forest->kinds.leaf;
  for (size_t t = 0; t < parts->trees; t++) {
    const svf_node_record *node = parts->node + parts->tree[t].first_node;
    for (size_t i = 0; i < parts->tree[t].nodes; i++)
      if (node[i].right && (node[i].right == i + 1 || !one_feature(forest, &node[i]))) return false;
  }
  for (size_t l = 0; l < parts->leaves && !kind->fixed; l++) {
    svf_leaf_view view = svf_leaf_at(parts, l, forest->fill, forest->la);
    if (!kind->linear || parts->said != 1 || !kind->linear(&view, NULL)) return false;
  }
  return true;
}

/* Most leaves and deepest leaf of any tree. */
static void measure(const svf_parts *parts, size_t *leaves, size_t *depth) {
  *leaves = *depth = 0;
  for (size_t t = 0; t < parts->trees; t++) {
    if (parts->tree[t].leaves > *leaves) *leaves = parts->tree[t].leaves;
    if (parts->tree[t].depth > *depth) *depth = parts->tree[t].depth;
  }
}

/* A row is listed once more for every feature that it parts at, and a way has no more features than cuts. */
static bool open_walk(walk *w, svf_arena *arena) {
  const svf_parts *parts = &w->forest->parts;
  const svf_encoding *encoding = &w->forest->encoding;
  size_t leaves, depth, players = w->e->players;
  measure(parts, &leaves, &depth);
  w->player = SVF_TAKE(arena, uint32_t, w->d);
  w->with = SVF_ZERO(arena, double, TABLE *TABLE);
  w->against = SVF_ZERO(arena, double, TABLE *TABLE);
  w->parts = SVF_ZERO(arena, unsigned char, players *TOGETHER);
  w->left = SVF_ZERO(arena, unsigned char, players);
  w->few = players < TABLE;
  w->u = SVF_ZERO(arena, uint32_t, TOGETHER);
  w->gained = SVF_TAKE(arena, double, TOGETHER);
  w->contribution = SVF_TAKE(arena, double, players);
  w->list = SVF_TAKE(arena, uint32_t, TOGETHER * ((depth < players ? depth : players) + 2));
  w->stops = SVF_TAKE(arena, stop, depth + 1);
  w->weights = SVF_TAKE(arena, double, w->d + 1);
  w->answer = w->forest->kinds.leaf->fixed ? SVF_TAKE(arena, double, leaves) : NULL;
  if (svf_arena_failed(arena)) return false;
  for (size_t c = 0; c < w->d; c++) w->player[c] = encoding->column[c].feature;
  for (size_t u = 0; u < TABLE; u++)
    for (size_t v = 0; v < TABLE; v++) {
      w->with[v * TABLE + u] = u ? share_of(u, v) : 0;
      w->against[v * TABLE + u] = v ? share_of(v, u) : 0;
    }
  return true;
}

/* The answers of constant leaves. */
static bool list_answers(walk *w, svf_arena *arena) {
  size_t said = w->forest->parts.said;
  svf_mark mark = svf_arena_mark(arena);
  double *score = SVF_TAKE(arena, double, said), *share = SVF_TAKE(arena, double, said);
  bool fine = score && share;
  for (uint32_t l = 0; fine && l < w->forest->parts.tree[w->tree].leaves; l++) {
    svf_leaf_view view = view_of(w, l);
    fine = w->forest->kinds.leaf->predict(&view, &w->x, 1, arena, score, share);
    if (fine) w->answer[l] = said > 1 ? share[w->output] : score[0];
  }
  svf_arena_release(arena, mark);
  return fine;
}

/* What all trees count where the answer is a mean; else it is a sum. */
static double unit_of(const svf_forest *forest) {
  double all = 0;
  if (!forest->kinds.vote->average) return 1;
  for (size_t t = 0; t < forest->parts.trees; t++) all += forest->parts.tree[t].weight;
  return all;
}

bool svf_explain_by_trees(const svf_explaining *e, const svf_explained *member, size_t first, size_t n,
                          const svf_tree_share *share, svf_worker *worker) {
  const svf_forest *forest = member->forest;
  const svf_parts *parts = &forest->parts;
  const svf_frame *frame = &member->frame;
  walk w = {.e = e, .member = member, .forest = forest, .d = frame->d, .stride = frame->stride};
  double unit = unit_of(forest);
  w.output = share->output;
  w.x = frame->x + first * frame->stride;
  svf_mark mark = svf_arena_mark(&worker->arena);
  bool fine = open_walk(&w, &worker->arena);
  for (w.tree = 0; w.tree < parts->trees && fine; w.tree++) {
    if (parts->sums > 1 && w.tree % parts->sums != share->output) continue;
    w.node = parts->node + parts->tree[w.tree].first_node;
    w.factor = share->factor * (parts->tree[w.tree].weight / unit);
    w.x = frame->x + first * frame->stride;
    if (w.answer) fine = list_answers(&w, &worker->arena);
    for (size_t i = 0; i < n && fine; i++) {
      w.x = frame->x + (first + i) * frame->stride;
      explain_row(&w, share->to + i * share->stride);
    }
    fine = fine && !svf_worker_stopped(worker);
  }
  svf_arena_release(&worker->arena, mark);
  return fine;
}
