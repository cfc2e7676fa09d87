/* judge.h - a finished forest judged by rows with known answers, all of its trees or those that did not see a row. */
#ifndef SVF_FOREST_JUDGE_H
#define SVF_FOREST_JUDGE_H

#include <math.h>
#include "base/pool.h"
#include "data/measure.h"
#include "forest/forest.h"

enum { SVF_JUDGE_BLOCK = 4096 }; /* rows judged together, a tree once for all; sums of blocks are added in order */

typedef struct svf_judging {
  const svf_forest *forest;
  svf_frame frame;              /* with labels or values, all of them known */
  unsigned char *seen;          /* a bit per tree and row: the tree is not asked; NULL: every tree is asked */
  size_t stride;                /* bytes of one tree in `seen` */
  struct svf_path_record *path; /* n for each tree: the rows as they are; NULL: not known */
} svf_judging;

typedef enum svf_judged { SVF_JUDGED_ANY, SVF_JUDGED_TRAINING, SVF_JUDGED_OOB } svf_judged;

/* Encodes the table; the table that the forest was trained on as it was then. oob: and draws the bags again, so that a tree
 * is asked only of the rows it did not see. On failure nothing is held. */
svf_status svf_judging_open(svf_judging *judging, const svf_forest *forest, const svf_table *table, svf_judged judged,
                            svf_pool *pool, svf_message *message);
void svf_judging_close(svf_judging *judging);

/* Notes the paths of all rows, where the forest has a compact copy and memory that is at hand: a row with one feature
 * shuffled need then go only through trees that looked at it. */
svf_status svf_judging_paths(svf_judging *judging, svf_pool *pool, svf_message *message);

/* One feature with the values of other rows. */
typedef struct svf_shuffle {
  const uint32_t *from;  /* n: row i shows the values of row from[i] */
  uint32_t first, width; /* its encoded columns */
} svf_shuffle;

/* What is wanted of a block of rows; any of the pointers may be NULL. */
typedef struct svf_verdict {
  const svf_shuffle *shuffle; /* NULL: the rows as they are */
  svf_sum whole;              /* out: of the vote of all trees */
  svf_sum *curve;             /* trees: of the vote of the first 1, 2, ... */
  svf_sum *tree;              /* trees: of each alone */
  double *values;             /* as in svf_prediction, for all rows of the table; NaN where no tree was asked */
  double *scores, *probabilities;
} svf_verdict;

/* Judges block number `block`. False: memory ran out. */
bool svf_judge(const svf_judging *judging, size_t block, svf_arena *scratch, svf_verdict *verdict);

static inline size_t svf_judge_blocks(const svf_judging *judging) {
  return (judging->frame.n + SVF_JUDGE_BLOCK - 1) / SVF_JUDGE_BLOCK;
}

/* importance.c: the rows whose values row i shows of a feature, repeat after repeat; and what shuffling costs, from the
 * results: all[0] as the rows are, then repeats for each feature. */
void svf_permutation_draw(uint64_t seed, size_t feature, size_t repeat, size_t n, uint32_t *from);
void svf_permutation_end(const svf_forest *forest, const double *all, svf_permutation *permutation);

/* Are these the trees' own results out of bag? Else the table is not the one that the forest was trained on. */
svf_status svf_judging_check(const svf_judging *judging, const svf_sum *tree, svf_message *message);

#endif
