/* predictor.c - one row at a time: a block of one, opened once, and scratch that has seen the largest leaf. */
#include "forest/answers/forest_answers.h"
#include "forest/auto/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct svf_predictor {
  const svf_forest *forest;
  svf_block block; /* of one forest */
  svf_arena arena;
  svf_predictor **member;   /* of a committee, NULL after the last; NULL: the model is one forest */
  svf_prediction part, sum; /* of a committee: room for one row */
};

/* Asks every leaf once: scratch only grows, so that no later question finds it too small. */
static bool grow_scratch(svf_predictor *p) {
  const svf_forest *forest = p->block.forest;
  const float *row = p->block.x;
  for (size_t c = 0; c < forest->encoding.columns; c++) p->block.x[c] = 0;
  for (size_t i = 0; i < forest->parts.leaves; i++) {
    svf_leaf_view view = svf_leaf_at(&forest->parts, i, forest->fill, forest->la);
    if (!forest->kinds.leaf->predict(&view, &row, 1, &p->arena, p->block.desk.score, p->block.desk.share))
      return false;
  }
  return true;
}

static svf_status open_members(svf_predictor *p, svf_message *message) {
  const svf_committee *committee = p->forest->committee;
  size_t classes = p->forest->encoding.classes.count, k = classes ? classes : 1;
  p->member = SVF_ZERO(&p->arena, svf_predictor *, committee->count + 1);
  double *room = SVF_TAKE(&p->arena, double, 2 * k + 2);
  if (svf_arena_failed(&p->arena)) return svf_no_memory(message, "a predictor");
  for (size_t m = 0; m < committee->count; m++)
    SVF_TRY(svf_predictor_new(committee->member[m].forest, &p->member[m], message));
  p->part = (svf_prediction){
      .values = room, .probabilities = classes ? room + 2 : NULL, .spreads = classes ? NULL : room + 1};
  p->sum.probabilities = p->sum.values = room + 2 + k;
  return SVF_OK;
}

/* A block of one, and scratch for its leaves. */
static svf_status open_block(svf_predictor *p, svf_message *message) {
  bool fine = svf_block_open(&p->block, p->forest, 1, p->forest->encoding.columns, &p->arena) && grow_scratch(p);
  return fine ? SVF_OK : svf_no_memory(message, "a predictor");
}

svf_status svf_predictor_new(const svf_forest *forest, svf_predictor **predictor, svf_message *message) {
  *predictor = NULL;
  svf_predictor *made = calloc(1, sizeof *made);
  if (!made) return svf_no_memory(message, "a predictor");
  made->forest = forest;
  svf_status status = forest->committee ? open_members(made, message) : open_block(made, message);
  if (status) svf_predictor_free(made);
  else *predictor = made;
  return status;
}

void svf_predictor_free(svf_predictor *predictor) {
  if (!predictor) return;
  for (size_t m = 0; predictor->member && predictor->member[m]; m++) svf_predictor_free(predictor->member[m]);
  svf_arena_free(&predictor->arena);
  free(predictor);
}

/* Sums go into the caller's arrays where there are any. */
static svf_status ask_members(svf_predictor *p, const double *row, svf_prediction *prediction, svf_message *message) {
  size_t classes = p->forest->encoding.classes.count, k = classes ? classes : 1;
  svf_prediction sum = *prediction;
  if (classes && !sum.probabilities) sum.probabilities = p->sum.probabilities;
  if (!classes && !sum.values) sum.values = p->sum.values;
  memset(classes ? sum.probabilities : sum.values, 0, k * sizeof(double));
  if (sum.spreads) *sum.spreads = 0;
  prediction->unseen = 0;
  for (size_t m = 0; p->member[m]; m++) {
    svf_prediction part = p->part;
    if (!sum.spreads || !svf_committee_asks_spread(p->forest, m)) part.spreads = NULL;
    SVF_TRY(svf_predictor_row(p->member[m], row, &part, message));
    svf_committee_add(p->forest, m, 1, &part, &sum);
    if (part.unseen > prediction->unseen) prediction->unseen = part.unseen;
  }
  svf_committee_end(p->forest, 1, &sum);
  return SVF_OK;
}

svf_status svf_predictor_row(svf_predictor *predictor, const double *row, svf_prediction *prediction,
                             svf_message *message) {
  svf_block *block = &predictor->block;
  SVF_TRY(svf_check_wanted(predictor->forest, prediction, message));
  if (predictor->member) return ask_members(predictor, row, prediction, message);
  const svf_encoding *encoding = &block->forest->encoding;
  for (size_t j = 0; j < encoding->features; j++)
    if (isinf(row[j]))
      return svf_fail(message, SVF_DATA, "column '%s' is infinite: give a number, or NaN for a missing one",
                      encoding->feature[j].name);
  prediction->unseen = svf_encode_row(encoding, row, block->x);
  return svf_block_ask(block, 1, 0, prediction) ? SVF_OK : svf_no_memory(message, "a prediction");
}
