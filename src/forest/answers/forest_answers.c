/* forest_answers.c - see forest_answers.h. Shares cost an exponential each, so they are taken where probabilities are wanted
 * or the vote reads them; else only rows whose votes are tied are asked about again, with shares. */
#include "forest/answers/forest_answers.h"
#include "forest/auto/committee.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool svf_block_open(svf_block *block, const svf_forest *forest, size_t n, size_t stride, svf_arena *arena) {
  size_t k = svf_forest_k(forest);
  *block = (svf_block){.forest = forest, .stride = stride, .arena = arena};
  block->x = SVF_TAKE(arena, float, n *stride);
  block->row = SVF_TAKE(arena, const float *, n);
  block->tied = SVF_TAKE(arena, uint32_t, n);
  block->scatter = SVF_TAKE(arena, svf_scatter, n);
  block->tally =
      (svf_tally){SVF_TAKE(arena, double, n *k), SVF_TAKE(arena, double, n *k), SVF_TAKE(arena, double, n), k, 0};
  return svf_compact_open(&block->compact, forest, n, stride, arena) &&
         svf_desk_open(&block->desk, &forest->parts, n, arena) && !svf_arena_failed(arena);
}

svf_status svf_check_wanted(const svf_forest *forest, const svf_prediction *wanted, svf_message *message) {
  if (wanted->leaves) SVF_TRY(svf_committee_refuse(forest, "leaves", message));
  if (wanted->spreads && forest->committee && !(svf_committee_spread_weight(forest) > 0))
    return svf_fail(message, SVF_USAGE, "no member of this committee knows the spread of its predictions");
  if (wanted->spreads && !forest->committee && forest->kinds.vote->rounds)
    return svf_fail(message, SVF_USAGE, "the trees of vote=%s are added up, so they do not give a spread",
                    forest->settings.vote);
  if (!wanted->spreads || !forest->encoding.classes.count) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "a model of classes has no spread: use probabilities");
}

/* A tally while one tree speaks. */
typedef struct ballot {
  const svf_vote *vote;
  const svf_tally *tally;
  double weight;
  const svf_leaf *leaf;
  svf_scatter *scatter; /* n: of the answers so far; NULL: nobody asks */
} ballot;

/* Running mean and sum of squares around it (Welford), and what the leaves expect to err by. */
static void add_scatter(const ballot *b, const svf_answer *answer) {
  long double own = b->leaf->spread ? b->leaf->spread(answer->leaf) : 0;
  for (size_t i = 0; i < answer->n && b->weight > 0; i++) {
    svf_scatter *s = &b->scatter[answer->row[i]];
    long double apart = answer->score[i] - s->mean;
    s->weight += b->weight;
    s->mean += apart * (b->weight / s->weight);
    s->squares += b->weight * apart * (answer->score[i] - s->mean);
    s->own += b->weight * own * own;
    s->known += own > 0 ? b->weight : 0;
  }
}

static void count_votes(void *context, const svf_answer *answer) {
  const ballot *b = context;
  size_t k = answer->k;
  if (b->scatter) add_scatter(b, answer);
  for (size_t i = 0; i < answer->n; i++)
    svf_tally_add(b->vote, k, b->weight, answer->score + i * k, answer->share ? answer->share + i * k : NULL,
                  b->tally, answer->row[i]);
}

static void clear(const svf_tally *tally, size_t n, size_t k) {
  memset(tally->votes, 0, n * k * sizeof(double));
  if (tally->shares) memset(tally->shares, 0, n * k * sizeof(double));
  memset(tally->weight, 0, n * sizeof(double));
}

/* Every tree in order about the first n rows of block->row. leaves: n x trees, or NULL. */
static bool ask_trees(const svf_block *block, const svf_tally *tally, size_t n, int32_t *leaves, bool scatter) {
  const svf_forest *forest = block->forest;
  const svf_parts *parts = &forest->parts;
  ballot b = {.vote = forest->kinds.vote, .leaf = forest->kinds.leaf};
  if (scatter) b.scatter = memset(block->scatter, 0, n * sizeof *block->scatter);
  svf_question question = {parts, forest->kinds.leaf, forest->la, forest->fill, block->row, n, tally->shares != NULL};
  clear(tally, n, svf_forest_k(forest));
  for (size_t t = 0; t < parts->trees; t++) {
    svf_tally here = svf_tally_of(tally, parts, t);
    b.tally = &here;
    b.weight = parts->tree[t].weight;
    if (!svf_tree_speak(&question, t, &block->desk, block->arena, count_votes, &b)) return false;
    for (size_t i = 0; leaves && i < n; i++) leaves[i * parts->trees + t] = (int32_t)block->desk.leaf[i];
  }
  return true;
}

/* The same by the compact copy. */
static void ask_compact(svf_block *block, const svf_tally *tally, size_t n) {
  const svf_parts *parts = &block->forest->parts;
  size_t k = svf_forest_k(block->forest);
  double weight = 0;
  clear(tally, n, k);
  svf_compact_read(&block->compact, n, block->x);
  for (size_t i = 0; i < n; i++) block->compact.list[i] = (uint32_t)i;
  for (size_t t = 0; t < parts->trees; t++) {
    svf_compact_walk(&block->compact, t, n);
    svf_compact_add(&block->compact, t, n, tally->votes);
    weight += svf_tally_weight(block->forest->kinds.vote, parts->tree[t].weight);
  }
  for (size_t i = 0; i < n; i++) tally->weight[i] = weight;
  if (tally->shares) memcpy(tally->shares, tally->votes, n * k * sizeof(double));
}

/* Asks again, with shares, about the rows in block->tied. */
static bool settle(const svf_block *block, size_t count, double *values) {
  size_t k = svf_forest_k(block->forest);
  for (size_t i = 0; i < count; i++) block->row[i] = block->row[block->tied[i]]; /* tied[i] >= i */
  if (!ask_trees(block, &block->tally, count, NULL, false)) return false;
  for (size_t i = 0; i < count; i++)
    values[block->tied[i]] = svf_tally_end(block->forest->kinds.vote, k, true, &block->tally, i);
  return true;
}

/* The squared error of a mean of answers is the mean of theirs less their variance (Krogh and Vedelsby 1995), and theirs is
 * what leaves expect. Far from all rows leaves expect too little, and the trees disagree: no less than the variance. */
static double deviation(const svf_scatter *s) {
  long double variance = s->squares / s->weight, own = s->known > 0 ? s->own / s->known : 0;
  long double found = sqrtl(own - variance > variance ? own - variance : variance);
  return found > DBL_MAX ? DBL_MAX : (double)found;
}

bool svf_block_ask(svf_block *block, size_t n, size_t first, const svf_prediction *out) {
  const svf_forest *forest = block->forest;
  const svf_vote *vote = forest->kinds.vote;
  size_t k = svf_forest_k(forest), bytes = n * k * sizeof(double), count = 0;
  bool classes = forest->encoding.classes.count > 0;
  svf_tally tally = block->tally;
  if (!out->probabilities && !vote->shares) tally.shares = NULL;
  for (size_t i = 0; i < n; i++) block->row[i] = block->x + i * block->stride;
  bool spread = out->spreads && !classes;
  if (!out->leaves && !spread && svf_compact_serves(&block->compact, tally.shares)) ask_compact(block, &tally, n);
  else if (!ask_trees(block, &tally, n, out->leaves ? out->leaves + first * forest->parts.trees : NULL, spread))
    return false;
  for (size_t i = 0; i < n; i++) {
    double value = svf_tally_end(vote, k, classes, &tally, i);
    if (out->values) out->values[first + i] = value;
    if (out->spreads && !classes) out->spreads[first + i] = deviation(&block->scatter[i]);
    if (!tally.shares && classes && svf_tally_tied(k, &tally, i, value)) block->tied[count++] = (uint32_t)i;
  }
  if (out->scores) memcpy(out->scores + first * k, tally.votes, bytes);
  if (out->probabilities && classes) memcpy(out->probabilities + first * k, tally.shares, bytes);
  return !count || !out->values || settle(block, count, out->values + first);
}
