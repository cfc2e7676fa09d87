/* predictor.c - one row at a time: a block of one, opened once, and scratch that has seen the largest leaf. */
#include "forest/ask.h"

#include <math.h>
#include <stdlib.h>

struct svf_predictor {
  svf_block block;
  svf_arena arena;
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

svf_status svf_predictor_new(const svf_forest *forest, svf_predictor **predictor, svf_message *message) {
  svf_predictor *made = calloc(1, sizeof *made);
  bool fine =
      made && svf_block_open(&made->block, forest, 1, forest->encoding.columns, &made->arena) && grow_scratch(made);
  if (!fine) svf_predictor_free(made);
  *predictor = fine ? made : NULL;
  return fine ? SVF_OK : svf_no_memory(message, "a predictor");
}

void svf_predictor_free(svf_predictor *predictor) {
  if (!predictor) return;
  svf_arena_free(&predictor->arena);
  free(predictor);
}

svf_status svf_predictor_row(svf_predictor *predictor, const double *row, svf_prediction *prediction,
                             svf_message *message) {
  svf_block *block = &predictor->block;
  SVF_TRY(svf_check_wanted(block->forest, prediction, message));
  const svf_encoding *encoding = &block->forest->encoding;
  for (size_t j = 0; j < encoding->features; j++)
    if (isinf(row[j]))
      return svf_fail(message, SVF_DATA, "column '%s' is infinite: give a number, or NaN for a missing one",
                      encoding->feature[j].name);
  prediction->unseen = svf_encode_row(encoding, row, block->x);
  return svf_block_ask(block, 1, 0, prediction) ? SVF_OK : svf_no_memory(message, "a prediction");
}
