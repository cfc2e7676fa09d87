/* histogram.h - what cut=histogram knows of a tree and of a node: sums of the rows of each bin.
 *
 * A row counts w and has a number v (a value, 0 or 1 for two classes, or -g/h of a loss with weight h: svf_frame.prior). With
 * S = sum w v and W = sum w of a set of rows and the prior weight p of an answer of 0, its worth is
 *     S^2 / (W + p),    for more classes    sum over classes W_c^2 / W
 * and a cut gains the worth of its sides less that of the node (criterion.h says why). */
#ifndef SVF_CUT_HISTOGRAM_H
#define SVF_CUT_HISTOGRAM_H

#include "cut/bins.h"

/* A row as it is added up: w v and w. */
typedef struct svf_pair {
  float sum, weight;
} svf_pair;

/* Some rows: those of a bin, or of a side. */
typedef struct svf_bin_sum {
  double sum, weight;
  size_t rows;
} svf_bin_sum;

/* The bins of one column. */
typedef struct svf_bin_cells {
  svf_bin_sum *cell;
  double *of;   /* k for each: weight of each class */
  double *room; /* k */
  bool few;     /* `used` says which bins have rows; the others are not filled in */
  uint64_t used[4];
} svf_bin_cells;

/* The best cut of one column. */
typedef struct svf_bin_cut {
  bool found;
  double worth; /* less the penalty */
  double penalty;
  uint32_t column;
  bool missing_left;
  size_t left;           /* rows on the left side */
  uint32_t below, above; /* numbers: the bins on both sides of the threshold; above = bins: none is right */
  uint64_t right[4];     /* levels: the bins that go right */
} svf_bin_cut;

/* A node's sums, column by column. */
typedef struct svf_histogram {
  svf_bin_sum *cell; /* of all bins */
  double *of;        /* k for each of them: weight of each class; NULL: numbers or two classes */
  svf_bin_sum all;   /* of the node */
  double *of_all;    /* k */
  double square;     /* sum w v^2 */
  double noise;      /* what one level more of a category gains by chance (level_order.h) */
  svf_bin_cut *best; /* of each column that the tree may cut */
  struct svf_histogram *next;
} svf_histogram;

/* What can be used again. */
typedef struct svf_histogram_pool {
  svf_histogram *free;
} svf_histogram_pool;

/* What a tree's nodes share (ground->notes). */
typedef struct svf_binned {
  const svf_ground *ground;
  const svf_bins *bins;
  size_t k;               /* classes where there are more than two; else 0 */
  svf_pair *pair;         /* of each row of the table that is in the tree */
  bool plain;             /* all rows weigh the same, 1 in a pair */
  double unit;            /* what a gain in the units of the pairs is to be multiplied by */
  double prior;           /* p, in units of the pairs' weights */
  uint32_t *column;       /* that the tree may cut */
  size_t columns, wanted; /* how many; how many of them are drawn at a node */
  svf_histogram_pool *pool;
  svf_histogram *root; /* NULL: too small, or columns are drawn */
} svf_binned;

/* Nodes of at most this many rows have no histogram: their rows are added up feature by feature. */
enum { SVF_BINS_FEW = 256 };

/* histogram_sums.c: rows of a node in its order, gathered from the worker's arena. */
typedef struct svf_bin_rows {
  const uint32_t *row;
  const svf_pair *pair;
  size_t n;
} svf_bin_rows;
bool svf_bins_gather(const svf_binned *t, const svf_site *site, svf_bin_rows *rows, svf_histogram *h);
/* Takes the rows of `part` out of the node's sums. */
void svf_bins_leave(const svf_binned *t, svf_histogram *node, const svf_histogram *part);
/* Adds the rows up by the bins of a column. */
void svf_bins_add(const svf_binned *t, const svf_bin_column *column, const svf_bin_rows *rows, svf_bin_cells *cells);
/* A histogram from the pool or from the tree's arena; NULL: memory ran out. */
svf_histogram *svf_histogram_take(const svf_binned *t);
void svf_histogram_give(const svf_binned *t, svf_histogram *h);

/* histogram_sweep.c: the best cut of column number `column` by the sums of its bins; h: sums of the node. */
svf_bin_cut svf_bins_sweep(const svf_binned *t, uint32_t column, const svf_histogram *h, const svf_bin_cells *cells);

/* histogram_tree.c: for svf_cut. */
const void *svf_binned_begin(const svf_ground *ground, const svf_site *root);
void svf_binned_divided(const svf_ground *ground, svf_site *site);
void svf_binned_closed(const svf_ground *ground, svf_site *site);
/* The node's histogram with the best cut of each column; NULL: it has none. */
svf_histogram *svf_histogram_of(const svf_binned *t, const svf_site *site);
/* Do rows and depth allow a cut? */
bool svf_binned_may_cut(const svf_ground *ground, const svf_site *site);

#endif
