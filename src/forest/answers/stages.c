/* stages.c - what a forest said while it grew: the answers of its first trees, and of each tree alone. */
#include "forest/answers/forest_answers.h"
#include "forest/auto/committee.h"

#include <string.h>

/* A tally while one tree speaks, and what that tree alone says. */
typedef struct ballot {
  const svf_vote *vote;
  svf_tally tally;
  double weight;
  bool classes;
  double *alone; /* n */
  svf_tally one; /* of one row */
} ballot;

static double end_alone(const ballot *b, size_t said, const double *score, const double *share) {
  memset(b->one.votes, 0, b->one.k * sizeof(double));
  memset(b->one.shares, 0, b->one.k * sizeof(double));
  *b->one.weight = 0;
  svf_tally_add(b->vote, said, b->weight, score, share, &b->one, 0);
  return svf_tally_end(b->vote, b->one.k, b->classes, &b->one, 0);
}

static void count_votes(void *context, const svf_answer *answer) {
  const ballot *b = context;
  size_t k = answer->k;
  for (size_t i = 0; i < answer->n; i++) {
    const double *score = answer->score + i * k, *share = answer->share + i * k;
    svf_tally_add(b->vote, k, b->weight, score, share, &b->tally, answer->row[i]);
    b->alone[answer->row[i]] = end_alone(b, k, score, share);
  }
}

/* Where a row's tally stands; a copy is ended, for the tally goes on. */
static double stand(const ballot *b, size_t k, size_t row) {
  memcpy(b->one.votes, b->tally.votes + row * k, k * sizeof(double));
  memcpy(b->one.shares, b->tally.shares + row * k, k * sizeof(double));
  *b->one.weight = b->tally.weight[row];
  return svf_tally_end(b->vote, k, b->classes, &b->one, 0);
}

/* One more tree about all rows. */
static bool add_tree(svf_block *block, const svf_question *question, size_t tree, size_t first, const svf_stages *out,
                     ballot *b) {
  const svf_parts *parts = question->parts;
  size_t k = svf_forest_k(block->forest);
  b->weight = parts->tree[tree].weight;
  b->tally = svf_tally_of(&block->tally, parts, tree);
  b->one.at = b->tally.at;
  if (!svf_tree_speak(question, tree, &block->desk, block->arena, count_votes, b)) return false;
  for (size_t i = 0; i < question->n; i++) {
    size_t at = (first + i) * parts->trees + tree;
    double value = out->values || out->shares ? stand(b, k, i) : 0;
    if (out->values) out->values[at] = value;
    if (out->shares && b->classes) memcpy(out->shares + at * k, b->one.shares, k * sizeof(double));
    if (out->alone) out->alone[at] = b->alone[i];
  }
  return true;
}

static bool ask(svf_block *block, size_t n, size_t first, const void *out) {
  const svf_forest *forest = block->forest;
  size_t k = svf_forest_k(forest);
  ballot b = {.vote = forest->kinds.vote, .classes = forest->encoding.classes.count > 0};
  b.alone = SVF_TAKE(block->arena, double, n);
  b.one = (svf_tally){SVF_TAKE(block->arena, double, k), SVF_TAKE(block->arena, double, k),
                      SVF_TAKE(block->arena, double, 1), k, 0};
  if (svf_arena_failed(block->arena)) return false;
  for (size_t i = 0; i < n; i++) block->row[i] = block->x + i * block->stride;
  memset(block->tally.votes, 0, n * k * sizeof(double));
  memset(block->tally.shares, 0, n * k * sizeof(double));
  memset(block->tally.weight, 0, n * sizeof(double));
  svf_question question = {&forest->parts, forest->kinds.leaf, forest->la, forest->fill, block->row, n, true};
  for (size_t t = 0; t < forest->parts.trees; t++)
    if (!add_tree(block, &question, t, first, out, &b)) return false;
  return true;
}

svf_status svf_predict_stages(const svf_forest *forest, const svf_table *table, const svf_run *run,
                              const svf_stages *stages, svf_message *message) {
  size_t unseen;
  SVF_TRY(svf_committee_refuse(forest, "stages", message));
  return svf_ask_table(forest, table, run, ask, stages, &unseen, message);
}
