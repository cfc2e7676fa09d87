/* rounds_resume.c - rounds that are there already: their trees become the first records, and their answers the sums that
 * further rounds correct. Rows are asked in the encoding of training, which statistics of categories have for it alone. */
#include "forest/growth/rounds.h"
#include "forest/answers/tree_answers.h"

#include <string.h>

enum { BLOCK = 1 << 12 };

typedef struct job {
  const svf_planting *planting;
  svf_boosting *boosting;
} job;

/* Which sum of each row a tree adds to. */
typedef struct place {
  double *sum;
  size_t stride;
} place;

static void add(void *context, const svf_answer *answer) {
  const place *to = context;
  for (size_t i = 0; i < answer->n; i++) to->sum[answer->row[i] * to->stride] += answer->score[i];
}

static svf_status sum_block(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  const svf_frame *frame = j->planting->frame;
  const svf_forest *before = j->planting->before;
  svf_boosting *b = j->boosting;
  size_t first = index * BLOCK, n = b->n - first < BLOCK ? b->n - first : BLOCK;
  svf_mark mark = svf_arena_mark(&worker->arena);
  const float **row = SVF_TAKE(&worker->arena, const float *, n);
  svf_question question = {&before->parts, before->kinds.leaf, j->planting->la, frame->fill, row, n, false};
  svf_desk desk;
  double *sum = b->sum + first * b->s;
  bool fine = svf_desk_open(&desk, &before->parts, n, &worker->arena) && row;
  for (size_t i = 0; fine && i < n; i++) row[i] = frame->x + (first + i) * frame->stride;
  memset(sum, 0, n * b->s * sizeof *sum);
  for (size_t t = 0; fine && t < before->parts.trees; t++) {
    place to = {sum + t % b->s, b->s};
    fine = svf_tree_speak(&question, t, &desk, &worker->arena, add, &to);
  }
  for (size_t i = 0; b->target && i < n; i++) sum[i] = sum[i] / b->half - b->middle / b->half;
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "the sums of the rounds");
}

/* Numbers of leaves are doubles while a forest is planted. */
static void copy_numbers(const svf_parts *parts, svf_buffer *numbers) {
  double *to = svf_buffer_grow(numbers, parts->numbers * sizeof *to);
  for (size_t i = 0; to && i < parts->numbers; i++)
    to[i] = parts->single ? (double)((const float *)parts->number)[i] : ((const double *)parts->number)[i];
}

static void copy_trees(const svf_parts *parts, svf_records *records) {
  svf_buffer_add(&records->tree, parts->tree, parts->trees * sizeof *parts->tree);
  svf_buffer_add(&records->node, parts->node, parts->nodes * sizeof *parts->node);
  svf_buffer_add(&records->leaf, parts->leaf, parts->leaves * sizeof *parts->leaf);
  if (parts->terms) svf_buffer_add(&records->term, parts->term, parts->terms * sizeof *parts->term);
  if (parts->gains) svf_buffer_add(&records->gain, parts->gain, parts->gains * sizeof *parts->gain);
  copy_numbers(parts, &records->number);
}

svf_status svf_rounds_resume(svf_planting *planting, svf_boosting *boosting, svf_message *message) {
  job j = {planting, boosting};
  svf_stage stage = {planting->kinds.vote->kind.name, 0, 0, NULL};
  copy_trees(&planting->before->parts, &planting->records);
  if (svf_records_failed(&planting->records)) return svf_no_memory(message, "the rounds");
  return svf_pool_run(planting->pool, &stage, (boosting->n + BLOCK - 1) / BLOCK, sum_block, &j, message);
}

/* What must hold before a round is trained. */
static svf_status check(const svf_forest *before, const svf_settings *settings, svf_message *message) {
  if (before->committee || !before->kinds.vote->rounds)
    return svf_fail(
        message, SVF_USAGE,
        "rounds can be added only with vote=boost: train parts of other forests with first_tree and merge them");
  if (settings->stop_rounds)
    return svf_fail(message, SVF_USAGE,
                    "stop_rounds needs held-out rows that the forest has not seen, and it has seen all: add rounds "
                    "with stop_rounds=0");
  if (settings->trees <= before->settings.trees)
    return svf_fail(message, SVF_USAGE, "the forest already has %lld rounds: set trees above that",
                    (long long)before->settings.trees);
  return SVF_OK;
}

svf_status svf_train_more(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                          const svf_run *run, svf_forest **forest, svf_message *message) {
  *forest = NULL;
  SVF_TRY(check(before, settings, message));
  svf_settings alike = before->settings;
  alike.stop_rounds = 0;
  alike.stop_fraction = settings->stop_fraction;
  alike.interval = settings->interval; /* a model does not say how its rows were chosen */
  alike.interval_fraction = settings->interval_fraction;
  SVF_TRY(svf_settings_alike(&alike, settings, message));
  SVF_TRY(svf_train_after(before, settings, table, run, forest, message));
  svf_status status = svf_forest_check_table(before, *forest, message);
  if (status) svf_forest_free(*forest), *forest = NULL;
  return status;
}
