/* oob.c - out-of-bag votes: every tree speaks of the rows it did not see, tree by tree in order. */
#include "forest/growth/plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/measure.h"
#include "forest/answers/tree_answers.h"

enum { BLOCK = 1024 };

struct svf_oob {
  svf_tally tally;       /* of all rows */
  double *score, *share; /* of the tree at hand: judges x k */
};

/* One tree at work on its judges. */
typedef struct job {
  svf_oob *oob;
  const svf_planting *planting;
  svf_parts parts;
  size_t tree;
  const svf_bag *bag;
} job;

svf_oob *svf_oob_open(const svf_planting *planting, svf_message *message) {
  size_t n = planting->frame->n, k = planting->frame->k;
  svf_oob *oob = calloc(1, sizeof *oob);
  if (oob) {
    oob->tally =
        (svf_tally){calloc(n * k, sizeof(double)), calloc(n * k, sizeof(double)), calloc(n, sizeof(double)), k, 0};
    oob->score = malloc(n * k * sizeof(double));
    oob->share = malloc(n * k * sizeof(double));
  }
  if (oob && oob->tally.votes && oob->tally.shares && oob->tally.weight && oob->score && oob->share) return oob;
  svf_oob_free(oob);
  svf_no_memory(message, "the out-of-bag votes");
  return NULL;
}

void svf_oob_free(svf_oob *oob) {
  if (!oob) return;
  free(oob->tally.votes);
  free(oob->tally.shares);
  free(oob->tally.weight);
  free(oob->score);
  free(oob->share);
  free(oob);
}

/* Where a block's answers go: the places of its judges. */
typedef struct places {
  double *score, *share;
} places;

static void note(void *context, const svf_answer *answer) {
  const places *to = context;
  size_t k = answer->k, bytes = k * sizeof(double);
  for (size_t i = 0; i < answer->n; i++) {
    memcpy(to->score + answer->row[i] * k, answer->score + i * k, bytes);
    memcpy(to->share + answer->row[i] * k, answer->share + i * k, bytes);
  }
}

static svf_status speak_block(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  const svf_planting *p = j->planting;
  size_t first = index * BLOCK, rest = j->bag->judge_count - first, n = rest < BLOCK ? rest : BLOCK;
  svf_mark mark = svf_arena_mark(&worker->arena);
  const float **row = SVF_TAKE(&worker->arena, const float *, n);
  places to = {j->oob->score + first * p->frame->k, j->oob->share + first * p->frame->k};
  svf_question question = {&j->parts, p->kinds.leaf, p->la, p->frame->fill, row, n, true};
  svf_desk desk;
  bool fine = svf_desk_open(&desk, &j->parts, n, &worker->arena) && row;
  for (size_t i = 0; fine && i < n; i++) row[i] = p->frame->x + j->bag->judges[first + i] * p->frame->stride;
  if (fine) fine = svf_tree_speak(&question, j->tree, &desk, &worker->arena, note, &to);
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "out-of-bag predictions");
}

static double tree_outcome(const job *j) {
  const svf_frame *frame = j->planting->frame;
  svf_sum sum = {0, 0};
  double lead;
  for (size_t i = 0; i < j->bag->judge_count; i++) {
    size_t row = j->bag->judges[i];
    const double *score = j->oob->score + i * frame->k;
    double predicted = frame->label ? (double)svf_vote_top(frame->k, score, &lead) : score[0];
    svf_sum_add(&sum, svf_row_outcome(frame->label, frame->value, row, predicted),
                svf_row_weight(frame->measure, row));
  }
  return svf_sum_mean(sum);
}

void svf_tree_weigh(svf_planting *planting, size_t tree) {
  svf_tree_record *record = (svf_tree_record *)planting->records.tree.data + tree;
  const svf_vote *vote = planting->kinds.vote;
  svf_vote_tree facts = {planting->frame->label != NULL, record->oob, record->leaves};
  if (vote->weight) record->weight = vote->weight(&facts);
}

svf_status svf_oob_add(svf_oob *oob, svf_planting *planting, size_t tree, const svf_bag *bag, svf_message *message) {
  const svf_frame *frame = planting->frame;
  job j = {oob, planting, svf_records_parts(planting), tree, bag};
  svf_stage stage = {"out of bag", planting->done, planting->done, NULL};
  SVF_TRY(svf_pool_run(planting->pool, &stage, (bag->judge_count + BLOCK - 1) / BLOCK, speak_block, &j, message));
  svf_tree_record *record = (svf_tree_record *)planting->records.tree.data + tree;
  record->oob = tree_outcome(&j);
  svf_tree_weigh(planting, tree);
  for (size_t i = 0; i < bag->judge_count; i++)
    svf_tally_add(planting->kinds.vote, frame->k, record->weight, oob->score + i * frame->k,
                  oob->share + i * frame->k, &oob->tally, bag->judges[i]);
  return SVF_OK;
}

double svf_oob_result(svf_oob *oob, const svf_planting *planting) {
  const svf_frame *frame = planting->frame;
  svf_sum sum = {0, 0};
  for (size_t i = 0; i < frame->n; i++) {
    if (!(oob->tally.weight[i] > 0)) continue;
    double predicted = svf_tally_end(planting->kinds.vote, frame->k, frame->label != NULL, &oob->tally, i);
    svf_sum_add(&sum, svf_row_outcome(frame->label, frame->value, i, predicted), svf_row_weight(frame->measure, i));
  }
  return svf_sum_mean(sum);
}
