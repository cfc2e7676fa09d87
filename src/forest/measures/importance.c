/* importance.c - how much a forest owes to each feature: by the gains of its cuts, by the weights in its leaves, and by
 * what shuffling a feature costs. docs/importance.md says what each means. */
#include "forest/auto/committee.h"
#include "forest/measures/judge.h"

#include <math.h>
#include <stdlib.h>
#include "base/random.h"
#include "forest/answers/compact_forest.h"

#define MOST 1e290 /* weights of leaves; sums of them are finite */

/* Divides by the sum; all zeros stay so. */
static void normalise(double *value, size_t count) {
  double sum = 0, most = 0;
  for (size_t j = 0; j < count; j++) most = fmax(most, value[j]);
  if (!(most > 0)) return;
  for (size_t j = 0; j < count; j++) sum += value[j] /= most; /* the largest to 1 first: no sum overflows */
  for (size_t j = 0; j < count; j++) value[j] /= sum;
}

/* Half of the mean over the trees: gains may be as large as a double can be, and a mean of such may be rounded up. */
static void add_gains(const svf_parts *parts, double *gain) {
  for (size_t i = 0; i < parts->gains; i++)
    gain[parts->gain[i].feature] += parts->gain[i].gain / (2 * (double)parts->trees);
}

/* Each leaf's weights count by its share of the tree's rows. */
static bool add_weights(const svf_forest *forest, double *feature) {
  const svf_parts *parts = &forest->parts;
  const svf_encoding *encoding = &forest->encoding;
  svf_arena arena = {0};
  double *column = SVF_TAKE(&arena, double, encoding->columns);
  double *scratch = SVF_TAKE(&arena, double, 2 * svf_padded(encoding->columns));
  if (svf_arena_failed(&arena)) {
    svf_arena_free(&arena);
    return false;
  }
  for (size_t t = 0; t < parts->trees; t++) {
    size_t first = (size_t)parts->tree[t].first_leaf, leaves = parts->tree[t].leaves;
    double rows = 0;
    for (size_t l = first; l < first + leaves; l++) rows += parts->leaf[l].rows;
    for (size_t l = first; l < first + leaves && rows > 0; l++) {
      svf_leaf_view view = svf_leaf_at(parts, l, forest->fill, forest->la);
      for (size_t c = 0; c < encoding->columns; c++) column[c] = 0;
      forest->kinds.leaf->weights(&view, scratch, column);
      for (size_t c = 0; c < encoding->columns; c++)
        feature[encoding->column[c].feature] +=
            fmin(column[c], MOST) * (parts->leaf[l].rows / rows) / (double)parts->trees;
    }
  }
  svf_arena_free(&arena);
  return true;
}

/* The weighted mean over the members that have any; a machine without cuts has no gains. */
static svf_status of_members(const svf_forest *forest, double *gain, double *leaf, svf_message *message) {
  size_t count = svf_encoding_all(&forest->encoding);
  double *own = calloc(2 * count + 1, sizeof *own);
  svf_status status = own ? SVF_OK : svf_no_memory(message, "importances");
  for (size_t j = 0; gain && j < count; j++) gain[j] = 0;
  for (size_t j = 0; leaf && j < count; j++) leaf[j] = 0;
  for (size_t m = 0; m < forest->committee->count && !status; m++) {
    const svf_member *member = &forest->committee->member[m];
    status = svf_forest_importance(member->forest, own, own + count, message);
    for (size_t j = 0; gain && j < count; j++) gain[j] += member->weight * own[j];
    for (size_t j = 0; leaf && j < count; j++) leaf[j] += member->weight * own[count + j];
  }
  free(own);
  if (gain) normalise(gain, count);
  if (leaf) normalise(leaf, count);
  return status;
}

svf_status svf_forest_importance(const svf_forest *forest, double *gain, double *leaf, svf_message *message) {
  size_t count = svf_encoding_all(&forest->encoding);
  if (forest->committee) return of_members(forest, gain, leaf, message);
  for (size_t j = 0; gain && j < count; j++) gain[j] = 0;
  for (size_t j = 0; leaf && j < count; j++) leaf[j] = 0;
  if (gain) add_gains(&forest->parts, gain);
  if (leaf && forest->kinds.leaf->weights && !add_weights(forest, leaf)) return svf_no_memory(message, "importances");
  if (gain) normalise(gain, count);
  if (leaf) normalise(leaf, count);
  return SVF_OK;
}

/* ---- by the metric ---- */

/* Squared length of column number j of T, whose entries are at most 2. */
static double squared_length(const svf_metric *metric, size_t j) {
  if (!metric->full) return metric->t[j] * metric->t[j];
  double sum = 0;
  for (size_t i = 0; i < metric->d; i++)
    sum += metric->t[i * svf_padded(metric->d) + j] * metric->t[i * svf_padded(metric->d) + j];
  return sum;
}

/* Of the metrics that leaves have learned for themselves each counts by its rows. False: none has. */
static bool add_lengths(const svf_forest *forest, double *weight) {
  const svf_parts *parts = &forest->parts;
  bool any = false;
  for (size_t l = 0; forest->kinds.leaf->length && l < parts->leaves; l++) {
    svf_leaf_view view = svf_leaf_at(parts, l, forest->fill, forest->la);
    for (size_t c = 0; c < view.d; c++) {
      double squared = forest->kinds.leaf->length(&view, c);
      if (squared < 0) break;
      weight[forest->encoding.column[c].feature] += parts->leaf[l].rows * squared;
      any = true;
    }
  }
  return any;
}

int svf_forest_metric(const svf_forest *forest, double *weight) {
  size_t count = svf_encoding_all(&forest->encoding);
  const svf_metric *metric = forest->committee ? NULL : forest->parts.metric;
  for (size_t j = 0; j < count; j++) weight[j] = 0;
  for (size_t c = 0; metric && c < metric->d; c++)
    weight[forest->encoding.column[c].feature] += squared_length(metric, c);
  bool any = metric || (!forest->committee && add_lengths(forest, weight));
  for (size_t j = 0; j < count; j++) weight[j] = sqrt(weight[j]);
  normalise(weight, count);
  return any;
}

/* ---- by shuffling ---- */

typedef struct job {
  svf_judging judging;
  svf_permutation *wanted;
  double *result; /* [feature][repeat], after the one of the rows as they are */
  svf_sum *tree;  /* each tree alone, the rows as they are */
} job;

/* Result over all rows, blocks in order. */
static svf_status judge_all(const job *j, const svf_shuffle *shuffle, svf_worker *worker, double *result,
                            svf_message *message) {
  svf_sum sum = {0, 0};
  for (size_t b = 0; b < svf_judge_blocks(&j->judging); b++) {
    svf_verdict verdict = {.shuffle = shuffle, .tree = shuffle ? NULL : j->tree};
    if (atomic_load(worker->stop)) return svf_fail(message, SVF_STOPPED, "stopped");
    if (!svf_judge(&j->judging, b, &worker->arena, &verdict)) return svf_no_memory(message, "importances");
    svf_sum_join(&sum, verdict.whole);
  }
  *result = svf_sum_mean(sum);
  return SVF_OK;
}

void svf_permutation_draw(uint64_t seed, size_t feature, size_t repeat, size_t n, uint32_t *from) {
  svf_random random = svf_random_at((svf_place){seed, SVF_USE_SHUFFLE, (uint32_t)feature, repeat, 0});
  for (size_t i = 0; i < n; i++) from[i] = (uint32_t)i;
  svf_random_shuffle(&random, from, n);
}

/* Job 0 judges the rows as they are, job 1 + feature * repeats + repeat with that feature shuffled. */
static svf_status shuffle_one(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  if (index == 0) return judge_all(j, NULL, worker, &j->result[0], message);
  size_t feature = (index - 1) / j->wanted->repeats, repeat = (index - 1) % j->wanted->repeats,
         n = j->judging.frame.n;
  const svf_feature *of = &j->judging.forest->encoding.feature[feature];
  svf_mark mark = svf_arena_mark(&worker->arena);
  uint32_t *from = SVF_TAKE(&worker->arena, uint32_t, n);
  svf_status status = from ? SVF_OK : svf_no_memory(message, "importances");
  if (from) {
    svf_permutation_draw(j->wanted->seed, feature, repeat, n, from);
    svf_shuffle shuffle = {from, of->first, of->width};
    status = judge_all(j, &shuffle, worker, &j->result[index], message);
  }
  svf_arena_release(&worker->arena, mark);
  return status;
}

void svf_permutation_end(const svf_forest *forest, const double *all, svf_permutation *p) {
  double sign = forest->encoding.classes.count ? 1 : -1, count = (double)p->repeats;
  p->result = all[0];
  for (size_t f = 0; f < svf_encoding_all(&forest->encoding); f++) {
    const double *result = all + 1 + f * p->repeats;
    double sum = 0, square = 0;
    for (size_t r = 0; r < p->repeats; r++) sum += sign * (all[0] - result[r]);
    for (size_t r = 0; r < p->repeats; r++) {
      double off = sign * (all[0] - result[r]) - sum / count;
      square += off * off;
    }
    if (p->mean) p->mean[f] = sum / count;
    if (p->deviation) p->deviation[f] = p->repeats > 1 ? sqrt(square / (count - 1)) : (double)NAN;
  }
}

svf_status svf_forest_permute(const svf_forest *forest, const svf_table *table, const svf_run *run,
                              svf_permutation *permutation, svf_message *message) {
  svf_pool pool;
  job j = {.wanted = permutation};
  size_t features = svf_encoding_all(&forest->encoding);
  if (permutation->repeats == 0 || permutation->repeats > INT32_MAX)
    return svf_fail(message, SVF_USAGE, "permutation importance needs 1 repeat or more");
  if (forest->committee) return svf_committee_permute(forest, table, run, permutation, message);
  SVF_TRY(svf_pool_open(&pool, run, message));
  pool.trees = forest->parts.trees;
  svf_stage stage = {"shuffle", 0, 1, NULL};
  svf_judged judged = permutation->oob ? SVF_JUDGED_OOB : SVF_JUDGED_ANY;
  svf_status status = svf_judging_open(&j.judging, forest, table, judged, &pool, message);
  if (status == SVF_OK) {
    j.result = calloc(1 + features * permutation->repeats, sizeof *j.result);
    j.tree = calloc(forest->parts.trees, sizeof *j.tree);
    if (!j.result || !j.tree) status = svf_no_memory(message, "importances");
  }
  if (status == SVF_OK)
    status = svf_compact_make(forest, j.judging.frame.n * features * permutation->repeats, &pool, message);
  if (status == SVF_OK) status = svf_judging_paths(&j.judging, &pool, message);
  if (status == SVF_OK)
    status = svf_pool_run(&pool, &stage, 1 + features * permutation->repeats, shuffle_one, &j, message);
  if (status == SVF_OK && permutation->oob) status = svf_judging_check(&j.judging, j.tree, message);
  if (status == SVF_OK) svf_permutation_end(forest, j.result, permutation);
  svf_judging_close(&j.judging);
  svf_pool_close(&pool);
  free(j.result);
  free(j.tree);
  return status;
}
