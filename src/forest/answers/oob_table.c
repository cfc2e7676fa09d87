/* oob_table.c - out-of-bag answers of a finished forest from its training table: score, curve, rows. */
#include "forest/measures/judge.h"
#include "forest/auto/committee.h"

#include <stdlib.h>

typedef struct job {
  svf_judging judging;
  svf_oob_answers *out;
  size_t blocks, trees;
  svf_sum *whole, *curve, *tree; /* of each block: 1, trees, trees */
} job;

static svf_status judge_block(void *context, size_t block, svf_worker *worker, svf_message *message) {
  const job *j = context;
  svf_verdict verdict = {.curve = j->curve + block * j->trees,
                         .tree = j->tree + block * j->trees,
                         .values = j->out->values,
                         .scores = j->out->scores,
                         .probabilities = j->judging.frame.label ? j->out->probabilities : NULL};
  if (!svf_judge(&j->judging, block, &worker->arena, &verdict)) return svf_no_memory(message, "out-of-bag votes");
  j->whole[block] = verdict.whole;
  return SVF_OK;
}

/* Sum over the blocks, in order. */
static svf_sum total(const svf_sum *of, size_t blocks, size_t step) {
  svf_sum sum = {0, 0};
  for (size_t b = 0; b < blocks; b++) svf_sum_join(&sum, of[b * step]);
  return sum;
}

static svf_status judge_all(job *j, svf_pool *pool, svf_message *message) {
  svf_stage stage = {"out of bag", 0, 1, NULL};
  j->blocks = svf_judge_blocks(&j->judging);
  j->whole = calloc(j->blocks, sizeof *j->whole);
  j->curve = calloc(j->blocks * j->trees, sizeof *j->curve);
  j->tree = calloc(j->blocks * j->trees, sizeof *j->tree);
  if (!j->whole || !j->curve || !j->tree) return svf_no_memory(message, "out-of-bag votes");
  SVF_TRY(svf_pool_run(pool, &stage, j->blocks, judge_block, j, message));
  for (size_t t = 0; t < j->trees; t++) j->tree[t] = total(j->tree + t, j->blocks, j->trees);
  SVF_TRY(svf_judging_check(&j->judging, j->tree, message));
  svf_sum whole = total(j->whole, j->blocks, 1);
  j->out->result = svf_sum_mean(whole);
  for (size_t t = 0; j->out->curve && t < j->trees; t++)
    j->out->curve[t] = svf_sum_mean(total(j->curve + t, j->blocks, j->trees));
  return SVF_OK;
}

svf_status svf_forest_oob(const svf_forest *forest, const svf_table *table, const svf_run *run,
                          svf_oob_answers *answers, svf_message *message) {
  svf_pool pool;
  job j = {.out = answers, .trees = forest->parts.trees};
  SVF_TRY(svf_committee_refuse(forest, "out-of-bag answers", message));
  SVF_TRY(svf_pool_open(&pool, run, message));
  pool.trees = j.trees;
  svf_status status = svf_judging_open(&j.judging, forest, table, SVF_JUDGED_OOB, &pool, message);
  if (status == SVF_OK) status = judge_all(&j, &pool, message);
  svf_judging_close(&j.judging);
  svf_pool_close(&pool);
  free(j.whole);
  free(j.curve);
  free(j.tree);
  return status;
}
