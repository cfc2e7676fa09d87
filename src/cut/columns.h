/* columns.h - the table by columns, for cuts along one feature: made once per forest, shared by all trees.
 *
 * A category, codes or 0/1 columns in the frame, is one column of level numbers here. Numbers are copied, or kept as their ranks
 * among the distinct values of their column: equal order and equal cuts in two bytes (four where there are more than
 * 65535), sorted faster than floats, and counted without sorting where values are few. */
#ifndef SVF_CUT_COLUMNS_H
#define SVF_CUT_COLUMNS_H

#include "cut/site.h"

#define SVF_LN2 0.693147180559945309417

typedef struct svf_column_copy { /* one feature */
  const float *number;           /* n numbers, NaN: missing; NULL: ranks are kept */
  const uint16_t *narrow;        /* n ranks or levels, or NULL; */
  const uint32_t *wide;          /* then here */
  uint32_t ranks;                /* distinct values, or levels; a rank of this: missing */
  const float *value;            /* of each rank of a column of numbers */
  uint32_t first;                /* its encoded column; of 0/1 columns, that of level 0 */
  bool category;
  bool one_hot;            /* a category of 0/1 columns, and */
  const float *low, *high; /* what stands for 0 and 1 in each of them */
} svf_column_copy;

typedef struct svf_columns {
  size_t count;
  svf_column_copy *column;
  const uint32_t *home;  /* d: which of them holds an encoded column */
  size_t most_levels;    /* that a category has */
  const uint32_t *start; /* count: 0, 1, 2, ...: from where draws of features set out */
  const double *target;  /* n numbers to learn, moved and scaled into [-1, 1]; NULL: classes */
  double unit;           /* square of what 1 stands for there; 1 for classes */
  double lift;           /* a power of 2 that brings the largest weight to 1..2, so that no square vanishes */
  const double *entropy; /* x log2 x for x = 0..entropies-1; NULL: not asked for, or rows have weights */
  size_t entropies;
} svf_columns;

static inline uint32_t svf_rank_at(const svf_column_copy *column, uint32_t row) {
  return column->narrow ? column->narrow[row] : column->wide[row];
}

/* level_plane.c: fills term, count and threshold of a cut that sends the listed levels (ascending) of a category right. False:
 * the arena ran out. */
bool svf_levels_plane(const svf_column_copy *column, const uint32_t *level, size_t listed, svf_arena *arena,
                      svf_plane *plane);

/* For svf_cut.prepare: ranks, or copies of the numbers. */
svf_status svf_columns_rank(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                            const void **prepared, svf_message *message);
svf_status svf_columns_copy(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                            const void **prepared, svf_message *message);
/* For svf_cut.sides. */
void svf_columns_sides(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                       unsigned char *right);

#endif
