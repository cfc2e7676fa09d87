/* predict.c - a table through a forest: rows in blocks over threads, each encoded, asked about and forgotten. */
#include "forest/answers/forest_answers.h"
#include "forest/auto/committee.h"

#include <stdatomic.h>

/* A block's rows, encoded, take about BLOCK_BYTES, so that they stay in a core's own cache while tree after tree looks
 * at them; more rows per block mean more rows per leaf, and fewer trips of a large tree to the cache. */
enum { BLOCK_BYTES = 512 << 10, LEAST_ROWS = 256, MOST_ROWS = 8192 };

typedef struct job {
  const svf_forest *forest;
  const svf_encoder *encoder;
  svf_block_question ask;
  const void *out;
  size_t rows, block; /* of the table, of a block */
  atomic_size_t unseen;
} job;

static svf_status predict_block(void *context, size_t index, svf_worker *worker, svf_message *message) {
  job *j = context;
  size_t first = index * j->block, n = j->rows - first < j->block ? j->rows - first : j->block;
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_block block;
  bool fine = svf_block_open(&block, j->forest, n, j->encoder->stride, &worker->arena);
  if (fine) {
    svf_findings found = svf_encoder_rows(j->encoder, first, n, block.x);
    if (found.unseen) atomic_fetch_add(&j->unseen, found.unseen);
    fine = j->ask(&block, n, first, j->out);
  }
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "a prediction");
}

/* Blocks small enough for the cache, and for every thread to have some. */
static size_t block_rows(size_t rows, size_t stride, size_t threads) {
  size_t fit = BLOCK_BYTES / (stride * sizeof(float) + 1), share = rows / (3 * threads) + 1;
  if (fit > share) fit = share;
  return fit < LEAST_ROWS ? LEAST_ROWS : fit > MOST_ROWS ? MOST_ROWS : fit;
}

static svf_status predict_rows(job *j, const svf_run *run, svf_message *message) {
  svf_pool pool;
  svf_stage stage = {"predict", 0, 1, NULL};
  SVF_TRY(svf_pool_open(&pool, run, message));
  pool.trees = j->forest->parts.trees;
  svf_status status = svf_compact_make(j->forest, j->rows, &pool, message);
  j->block = block_rows(j->rows, j->encoder->stride, pool.threads);
  if (!status) status = svf_pool_run(&pool, &stage, (j->rows + j->block - 1) / j->block, predict_block, j, message);
  svf_pool_close(&pool);
  return status;
}

svf_status svf_ask_table(const svf_forest *forest, const svf_table *table, const svf_run *run, svf_block_question ask,
                         const void *out, size_t *unseen, svf_message *message) {
  svf_arena arena = {0};
  svf_encoder encoder;
  job j = {.forest = forest, .encoder = &encoder, .ask = ask, .out = out, .rows = table->n};
  svf_status status = svf_encoder_open(&forest->encoding, table, &arena, &encoder, message);
  if (!status) status = predict_rows(&j, run, message);
  *unseen = atomic_load(&j.unseen);
  svf_arena_free(&arena);
  return status;
}

static bool predict_block_rows(svf_block *block, size_t n, size_t first, const void *out) {
  return svf_block_ask(block, n, first, out);
}

svf_status svf_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                       svf_prediction *prediction, svf_message *message) {
  SVF_TRY(svf_check_wanted(forest, prediction, message));
  if (forest->committee) return svf_committee_predict(forest, table, run, prediction, message);
  return svf_ask_table(forest, table, run, predict_block_rows, prediction, &prediction->unseen, message);
}
