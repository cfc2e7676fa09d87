/* predict.c - a table through a forest: rows in blocks over threads, trees in order within a block. */
#include "forest/speak.h"

#include <string.h>

enum { BLOCK = 1024 };

typedef struct job {
  const svf_forest *forest;
  const svf_frame *frame;
  const svf_prediction *out;
} job;

/* What a block needs. */
typedef struct block {
  const float **row;
  svf_speech speech;
  svf_tally tally;
} block;

static bool open_block(block *b, size_t n, size_t k, svf_arena *arena) {
  b->row = SVF_TAKE(arena, const float *, n);
  b->speech = (svf_speech){SVF_TAKE(arena, double, n *k), SVF_TAKE(arena, double, n *k), SVF_TAKE(arena, int32_t, n)};
  b->tally = (svf_tally){SVF_ZERO(arena, double, n *k), SVF_ZERO(arena, double, n *k), SVF_ZERO(arena, double, n)};
  return !svf_arena_failed(arena);
}

static bool ask_trees(const job *j, const block *b, size_t first, size_t n, svf_arena *arena) {
  const svf_forest *forest = j->forest;
  size_t k = svf_forest_k(forest), trees = forest->parts.trees;
  for (size_t t = 0; t < trees; t++) {
    if (!svf_tree_speak(&forest->parts, &forest->kinds, t, b->row, n, forest->fill, arena, &b->speech)) return false;
    double weight = forest->parts.tree[t].weight;
    for (size_t i = 0; i < n; i++) {
      svf_tally_add(forest->kinds.vote, k, weight, b->speech.score + i * k, b->speech.share + i * k, &b->tally, i);
      if (j->out->leaves) j->out->leaves[(first + i) * trees + t] = b->speech.leaf[i];
    }
  }
  return true;
}

static void write_out(const job *j, const block *b, size_t first, size_t n) {
  size_t k = svf_forest_k(j->forest), bytes = n * k * sizeof(double);
  bool classes = j->forest->encoding.classes.count > 0;
  for (size_t i = 0; i < n; i++) {
    double value = svf_tally_end(j->forest->kinds.vote, k, classes, &b->tally, i);
    if (j->out->values) j->out->values[first + i] = value;
  }
  if (j->out->scores) memcpy(j->out->scores + first * k, b->tally.votes, bytes);
  if (j->out->probabilities && classes) memcpy(j->out->probabilities + first * k, b->tally.shares, bytes);
}

static svf_status predict_block(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  size_t first = index * BLOCK, n = j->frame->n - first < BLOCK ? j->frame->n - first : BLOCK;
  svf_mark mark = svf_arena_mark(&worker->arena);
  block b;
  bool fine = open_block(&b, n, svf_forest_k(j->forest), &worker->arena);
  if (fine) {
    for (size_t i = 0; i < n; i++) b.row[i] = j->frame->x + (first + i) * j->frame->stride;
    fine = ask_trees(j, &b, first, n, &worker->arena);
  }
  if (fine) write_out(j, &b, first, n);
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "a prediction");
}

svf_status svf_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                       svf_prediction *prediction, svf_message *message) {
  svf_frame frame;
  svf_pool pool;
  SVF_TRY(svf_encode(&forest->encoding, table, run ? run->memory_limit : 0, &frame, message));
  prediction->unseen = frame.unseen;
  job j = {forest, &frame, prediction};
  svf_stage stage = {"predict", 0, 1, NULL};
  svf_status status = svf_pool_open(&pool, run, message);
  if (status == SVF_OK) {
    pool.trees = forest->parts.trees;
    status = svf_pool_run(&pool, &stage, (frame.n + BLOCK - 1) / BLOCK, predict_block, &j, message);
    svf_pool_close(&pool);
  }
  svf_frame_free(&frame);
  return status;
}
