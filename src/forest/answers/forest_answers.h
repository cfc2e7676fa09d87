/* forest_answers.h - what a whole forest says of a block of encoded rows: for many rows in one thread, and for a single one.
 * */
#ifndef SVF_FOREST_FOREST_ANSWERS_H
#define SVF_FOREST_FOREST_ANSWERS_H

#include "forest/answers/compact_forest.h"
#include "forest/answers/tree_answers.h"

/* How the answers of trees to one row differ. Long: the square of 1e160 is none of a double's numbers. */
typedef struct svf_scatter {
  double weight;
  long double mean, squares; /* squares: weighted sum around the mean */
  long double own;           /* weighted sum of the squares of what the leaves expect to err by */
  double known;              /* weight of the leaves that do */
} svf_scatter;

typedef struct svf_block {
  const svf_forest *forest;
  size_t stride;
  float *x;          /* rows to ask about, `stride` floats each, filled by the caller */
  const float **row; /* where they are */
  uint32_t *tied;    /* rows whose votes are tied */
  svf_scatter *scatter;
  svf_desk desk;
  svf_compact_desk compact;
  svf_tally tally;
  svf_arena *arena; /* scratch of the leaves */
} svf_block;

/* Room for n rows, from the arena. False: memory ran out. */
bool svf_block_open(svf_block *block, const svf_forest *forest, size_t n, size_t stride, svf_arena *arena);

/* SVF_USAGE: something is wanted that this forest has not. */
svf_status svf_check_wanted(const svf_forest *forest, const svf_prediction *wanted, svf_message *message);

/* Asks about n rows; what is wanted goes to rows first..first+n-1 of the arrays of `out`. What comes out for a row has
 * the same bits whatever rows stand beside it and whatever else is wanted. False: memory ran out. */
bool svf_block_ask(svf_block *block, size_t n, size_t first, const svf_prediction *out);

/* predict.c: asks about all rows of a table, block by block over threads. `ask` gets a block with its rows in place and
 * writes to rows first..first+n-1 of `out`, as svf_block_ask does. */
typedef bool (*svf_block_question)(svf_block *block, size_t n, size_t first, const void *out);
svf_status svf_ask_table(const svf_forest *forest, const svf_table *table, const svf_run *run, svf_block_question ask,
                         const void *out, size_t *unseen, svf_message *message);

#endif
