/* committee_permute.c - what shuffling a feature costs a committee: every member answers the shuffled rows, and the sum of
 * the answers is judged. */
#include "forest/auto/committee.h"
#include "forest/measures/judge.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
  const svf_forest *forest;
  const svf_table *table;
  const svf_permutation *wanted;
  svf_judging *judging; /* of each member */
  double *result;       /* as rows are; then repeats for each feature */
} job;

/* The answers of one member to all rows. */
static svf_status ask_member(const job *j, size_t m, const svf_shuffle *shuffle, const svf_prediction *part,
                             svf_worker *worker, svf_message *message) {
  const svf_judging *judging = &j->judging[m];
  svf_shuffle own;
  svf_verdict verdict = {.values = part->values, .probabilities = part->probabilities};
  if (shuffle) {
    const svf_feature *feature = &judging->forest->encoding.feature[shuffle->first];
    own = (svf_shuffle){shuffle->from, feature->first, feature->width};
    verdict.shuffle = &own;
  }
  for (size_t b = 0; b < svf_judge_blocks(judging); b++) {
    if (svf_worker_stopped(worker)) return svf_fail(message, SVF_STOPPED, "stopped");
    if (!svf_judge(judging, b, &worker->arena, &verdict)) return svf_no_memory(message, "importances");
  }
  return SVF_OK;
}

/* shuffle->first is the number of the feature. */
static svf_status ask_all(const job *j, const svf_shuffle *shuffle, svf_worker *worker, double *result,
                          svf_message *message) {
  size_t n = svf_table_rows(j->table), classes = j->forest->encoding.classes.count, k = classes ? classes : 1;
  svf_arena *arena = &worker->arena;
  double *values = SVF_ZERO(arena, double, n), *sum = SVF_ZERO(arena, double, n *k),
         *part = SVF_TAKE(arena, double, n *k);
  if (svf_arena_failed(arena)) return svf_no_memory(message, "importances");
  svf_prediction one = {.values = classes ? NULL : part, .probabilities = classes ? part : NULL};
  svf_prediction all = {.values = values, .probabilities = classes ? sum : NULL};
  for (size_t m = 0; m < j->forest->committee->count; m++) {
    SVF_TRY(ask_member(j, m, shuffle, &one, worker, message));
    svf_committee_add(j->forest, m, n, &one, &all);
  }
  svf_committee_end(j->forest, n, &all);
  *result = svf_table_measure(j->table, values);
  return SVF_OK;
}

static svf_status shuffle_one(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  size_t repeats = j->wanted->repeats, n = svf_table_rows(j->table);
  svf_mark mark = svf_arena_mark(&worker->arena);
  uint32_t *from = SVF_TAKE(&worker->arena, uint32_t, n);
  svf_status status = from ? SVF_OK : svf_no_memory(message, "importances");
  if (from && index) svf_permutation_draw(j->wanted->seed, (index - 1) / repeats, (index - 1) % repeats, n, from);
  svf_shuffle shuffle = {from, index ? (uint32_t)((index - 1) / repeats) : 0, 0};
  if (!status) status = ask_all(j, index ? &shuffle : NULL, worker, &j->result[index], message);
  svf_arena_release(&worker->arena, mark);
  return status;
}

svf_status svf_committee_permute(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                 svf_permutation *permutation, svf_message *message) {
  if (permutation->oob) return svf_committee_refuse(forest, "out-of-bag rows", message);
  svf_pool pool;
  svf_stage stage = {"shuffle", 0, 1, NULL};
  size_t members = forest->committee->count, jobs = 1 + svf_encoding_all(&forest->encoding) * permutation->repeats;
  SVF_TRY(svf_pool_open(&pool, run, message));
  job j = {forest, table, permutation, calloc(members, sizeof *j.judging), calloc(jobs, sizeof *j.result)};
  svf_status status = j.judging && j.result ? SVF_OK : svf_no_memory(message, "importances");
  size_t open = 0;
  for (; open < members && !status; open++)
    status = svf_judging_open(&j.judging[open], forest->committee->member[open].forest, table, false, &pool, message);
  if (!status) status = svf_pool_run(&pool, &stage, jobs, shuffle_one, &j, message);
  if (!status) svf_permutation_end(forest, j.result, permutation);
  for (size_t m = 0; j.judging && m < open; m++) svf_judging_close(&j.judging[m]);
  svf_pool_close(&pool);
  free(j.judging);
  free(j.result);
  return status;
}
