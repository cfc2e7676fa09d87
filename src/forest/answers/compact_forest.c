/* compact_forest.c - see compact_forest.h. */
#include "forest/answers/compact_forest.h"

#include <stdlib.h>
#include <string.h>
#include "base/large.h"
#include "forest/answers/tree_answers.h"

/* A tree's leaves answer with a number: a class c < k adds the tree's weight to c; k + i adds the k numbers from i * k on
 * (in a regression i adds number i). */
struct svf_compact {
  unsigned bits;      /* of a column */
  svf_step *step;     /* nodes + 1 for each tree */
  svf_buffer *amount; /* trees: doubles */
  size_t trees;
};

enum { WORTH = 10 }; /* nodes that may be copied for every row and tree that will be asked */

static svf_step *steps_of(const svf_compact *compact, const svf_parts *parts, size_t tree) {
  return compact->step + parts->tree[tree].first_node + tree;
}

void svf_compact_free(svf_compact *compact) {
  if (!compact) return;
  for (size_t t = 0; compact->amount && t < compact->trees; t++) svf_buffer_free(&compact->amount[t]);
  free(compact->amount);
  free(compact->step);
  free(compact);
}

static unsigned bits_for(size_t columns) {
  unsigned bits = 1;
  while (columns > (size_t)1 << bits) bits++;
  return bits;
}

/* Can eight bytes hold every node? */
static bool fits(const svf_forest *forest) {
  const svf_parts *parts = &forest->parts;
  size_t columns = forest->encoding.columns, k = forest->parts.said;
  if (!forest->kinds.leaf->fixed || !forest->kinds.vote->sums) return false;
  if (parts->terms || !columns || columns > 1u << 20) return false;
  for (size_t t = 0; t < parts->trees; t++)
    if ((size_t)parts->tree[t].nodes + 1 >= (size_t)1 << (31 - bits_for(columns)) ||
        (size_t)parts->tree[t].leaves + k >= SVF_LEAST_KEY)
      return false;
  return true;
}

typedef struct job {
  const svf_forest *forest;
  svf_compact *compact;
} job;

/* What a leaf adds to the votes, as a number; k amounts are kept unless one class gets the tree's whole weight. */
static uint32_t compact_leaf(const job *j, size_t tree, size_t leaf, svf_worker *worker, double *votes) {
  const svf_forest *forest = j->forest;
  const svf_tree_record *record = &forest->parts.tree[tree];
  svf_buffer *amount = &j->compact->amount[tree];
  size_t k = forest->parts.said, hits = 0, last = 0, first = amount->size / sizeof(double);
  double *score = votes + k, *share = score + k;
  svf_leaf_view view = svf_leaf_at(&forest->parts, record->first_leaf + leaf, forest->fill, forest->la);
  const float *any = forest->fill;
  if (!forest->kinds.leaf->predict(&view, &any, 1, &worker->arena, score, share)) amount->failed = true;
  for (size_t c = 0; c < k; c++) votes[c] = 0;
  double weight = svf_tally_weight(forest->kinds.vote, record->weight);
  forest->kinds.vote->add(k, score, share, weight, votes);
  for (size_t c = 0; c < k; c++)
    if (votes[c] != 0) hits++, last = c;
  if (k > 1 && hits == 1 && votes[last] == weight) return (uint32_t)last;
  svf_buffer_add(amount, votes, k * sizeof *votes);
  return (uint32_t)(k > 1 ? k + first / k : first);
}

/* Pairs of children in the order in which their parents stand: the nodes of a small subtree are neighbours. */
static void compact_nodes(const job *j, size_t tree, uint32_t *place, double *votes, svf_worker *worker) {
  const svf_parts *parts = &j->forest->parts;
  const svf_node_record *node = parts->node + parts->tree[tree].first_node;
  svf_step *step = steps_of(j->compact, parts, tree);
  uint32_t next = 2;
  unsigned bits = j->compact->bits;
  place[0] = 1;
  step[0] = (svf_step){0, 0};
  for (uint32_t i = 0; i < parts->tree[tree].nodes; i++) {
    uint32_t at = place[i];
    if (!node[i].right) {
      uint32_t said = compact_leaf(j, tree, node[i].first, worker, votes);
      step[at] = (svf_step){said, (at - 1) << (bits + 1)}; /* no key is below: one more than at - 1 */
      continue;
    }
    step[at] = (svf_step){svf_key(node[i].threshold), next << (bits + 1) | node[i].count << bits | node[i].first};
    place[i + 1] = next++;
    place[node[i].right] = next++;
  }
}

static svf_status compact_tree(void *context, size_t tree, svf_worker *worker, svf_message *message) {
  const job *j = context;
  svf_mark mark = svf_arena_mark(&worker->arena);
  uint32_t *place = SVF_TAKE(&worker->arena, uint32_t, j->forest->parts.tree[tree].nodes);
  double *votes = SVF_TAKE(&worker->arena, double, 3 * j->forest->parts.said); /* and scores, and shares */
  bool fine = place && votes;
  if (fine) compact_nodes(j, tree, place, votes, worker);
  svf_arena_release(&worker->arena, mark);
  return fine && !j->compact->amount[tree].failed ? SVF_OK : svf_no_memory(message, "a prediction");
}

static svf_compact *new_compact(const svf_forest *forest) {
  const svf_parts *parts = &forest->parts;
  svf_compact *compact = calloc(1, sizeof *compact);
  if (!compact) return NULL;
  compact->bits = bits_for(forest->encoding.columns);
  compact->trees = parts->trees;
  compact->step = svf_large_alloc((parts->nodes + parts->trees) * sizeof *compact->step);
  compact->amount = calloc(parts->trees, sizeof *compact->amount);
  if (compact->step && compact->amount) return compact;
  svf_compact_free(compact);
  return NULL;
}

/* The forest is const to those who ask it, and what it answers stays the same. */
static bool keep(const svf_forest *forest, svf_compact *compact) {
  svf_compact *none = NULL;
  return atomic_compare_exchange_strong(&((svf_forest *)forest)->compact, &none, compact);
}

svf_status svf_compact_make(const svf_forest *forest, size_t rows, svf_pool *pool, svf_message *message) {
  const svf_parts *parts = &forest->parts;
  svf_stage stage = {"predict", 0, 0, NULL};
  if (atomic_load(&forest->compact) || parts->nodes / WORTH / parts->trees > rows || !fits(forest)) return SVF_OK;
  job j = {forest, new_compact(forest)};
  if (!j.compact) return svf_no_memory(message, "a prediction");
  svf_status status = svf_pool_run(pool, &stage, parts->trees, compact_tree, &j, message);
  if (status || !keep(forest, j.compact)) svf_compact_free(j.compact);
  return status;
}

bool svf_compact_open(svf_compact_desk *desk, const svf_forest *forest, size_t n, size_t stride, svf_arena *arena) {
  *desk = (svf_compact_desk){.compact = atomic_load(&forest->compact), .forest = forest, .stride = stride};
  if (!desk->compact) return true;
  desk->key = SVF_TAKE(arena, uint32_t, n * stride);
  desk->list = SVF_TAKE(arena, uint32_t, n);
  desk->live = SVF_TAKE(arena, uint32_t, n);
  desk->here = SVF_TAKE(arena, uint32_t, n);
  desk->said = SVF_TAKE(arena, uint32_t, n);
  return !svf_arena_failed(arena);
}

void svf_compact_read(svf_compact_desk *desk, size_t n, const float *x) {
  desk->missing = desk->forest->la->keys(n * desk->stride, x, desk->key);
}

/* One number for one of the k of a row. */
static void add_values(const svf_compact_desk *desk, size_t k, size_t n, const double *amount, double *votes) {
  for (size_t i = 0; i < n; i++) votes[desk->list[i] * k] += amount[desk->said[desk->list[i]]];
}

static void add_classes(const svf_compact_desk *desk, size_t k, size_t n, double weight, const double *amount,
                        double *votes) {
  for (size_t i = 0; i < n; i++) {
    uint32_t row = desk->list[i], said = desk->said[row];
    double *vote = votes + row * k;
    if (said < k) vote[said] += weight;
    else
      for (size_t c = 0; c < k; c++) vote[c] += amount[(said - k) * k + c];
  }
}

void svf_compact_walk(const svf_compact_desk *desk, size_t tree, size_t n) {
  svf_walk walk = {.step = steps_of(desk->compact, &desk->forest->parts, tree),
                   .bits = desk->compact->bits,
                   .missing = desk->missing,
                   .n = n,
                   .stride = desk->stride,
                   .x = desk->key,
                   .live = desk->live,
                   .here = desk->here,
                   .said = desk->said};
  memcpy(desk->live, desk->list, n * sizeof *desk->live);
  desk->forest->la->walk(&walk);
}

void svf_compact_add(const svf_compact_desk *desk, size_t tree, size_t n, double *votes) {
  const double *amount = (const void *)desk->compact->amount[tree].data;
  size_t k = svf_forest_k(desk->forest);
  if (desk->forest->parts.said == 1) add_values(desk, k, n, amount, votes + tree % desk->forest->parts.sums);
  else
    add_classes(desk, k, n, svf_tally_weight(desk->forest->kinds.vote, desk->forest->parts.tree[tree].weight), amount,
                votes);
}

void svf_compact_paths(const svf_forest *forest, size_t tree, size_t n, size_t stride, const float *x,
                       svf_path_record *path) {
  const svf_compact *compact = atomic_load(&forest->compact);
  const svf_step *step = steps_of(compact, &forest->parts, tree);
  unsigned bits = compact->bits;
  for (size_t i = 0; i < n; i++, x += stride) {
    uint32_t at = 1;
    path[i].looked = 0;
    while (step[at].key >= SVF_LEAST_KEY) {
      uint32_t word = step[at].word, column = word & ((1u << bits) - 1), key = svf_key(x[column]);
      bool left = key < step[at].key || (key == SVF_MISSING_KEY && word >> bits & 1);
      path[i].looked |= svf_column_bit(column);
      at = (word >> (bits + 1)) + !left;
    }
    path[i].said = step[at].key;
  }
}
