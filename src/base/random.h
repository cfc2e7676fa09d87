/* random.h - random numbers by place: a stream is named, not advanced.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011). The key
 * is a hash of the name (seed, use, tree, trial, node), the counter counts blocks of four words. Two
 * streams with different names are independent; no stream depends on threads or on what was drawn before. */
#ifndef SVF_BASE_RANDOM_H
#define SVF_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What a stream is for. New uses are added at the end, so that old forests stay the same. */
typedef enum svf_use {
  SVF_USE_ROWS = 1,   /* which rows a tree sees */
  SVF_USE_CUT,        /* a node's cut */
  SVF_USE_LEAF,       /* folds and draws inside a leaf */
  SVF_USE_FOLDS,      /* folds and splits of a whole table */
  SVF_USE_SYNTH,      /* synthetic sets */
  SVF_USE_SOLVER,     /* the order in which a solver visits its rows */
  SVF_USE_SHUFFLE,    /* a column's values, for its importance */
  SVF_USE_PRUNE,      /* rows held out to prune a tree */
  SVF_USE_TUNE,       /* the order in which settings are tried, and the rows they are tried on */
  SVF_USE_SEQUENCE,   /* degrees that a pick tries at the leaves of a tree */
  SVF_USE_REJECT,     /* rows that a tree leaves out by their weights */
  SVF_USE_FEATURES,   /* features that a tree may cut */
  SVF_USE_STOP,       /* rows held apart to stop boosting */
  SVF_USE_LEVELS,     /* folds of the statistics of categories */
  SVF_USE_COMMITTEE,  /* rows that the weights of a committee are chosen on */
  SVF_USE_METRIC,     /* rows that learn a metric, and rows that judge it */
  SVF_USE_BACKGROUND, /* rows that a model keeps to explain answers */
  SVF_USE_EXPLAIN,    /* orders in which features join */
  SVF_USE_PARTITION,  /* rows of a large table that decide the cuts of all trees */
  SVF_USE_COUNTS,     /* how often a tree sees a row, by the row's number alone */
  SVF_USE_INTERVAL,   /* rows held apart to calibrate intervals */
  SVF_USE_REPORT,     /* bootstrap samples, and rows that stand for a table */
} svf_use;

typedef struct svf_place {
  uint64_t seed;
  uint32_t use, tree;
  uint64_t trial, node;
} svf_place;

typedef struct svf_random {
  uint32_t key[2];
  uint64_t counter;
  uint32_t block[4];
  int left; /* words of the block not handed out yet */
} svf_random;

svf_random svf_random_at(svf_place place);
uint32_t svf_random_u32(svf_random *random);
uint64_t svf_random_u64(svf_random *random);
/* Uniform in [0, 1), 53 bits. */
double svf_random_unit(svf_random *random);
/* Uniform in 0..bound-1 without bias; bound >= 1. */
uint64_t svf_random_below(svf_random *random, uint64_t bound);
/* Standard normal (Box-Muller, one value per call). */
double svf_random_normal(svf_random *random);
/* Fisher-Yates. */
void svf_random_shuffle(svf_random *random, uint32_t *items, size_t count);

/* The node on the left (side 0) or right (side 1) of a node; the root is 1. */
uint64_t svf_random_child(uint64_t node, int side);

/* Ten rounds of Philox4x32 on one block; open for the test against published vectors. */
void svf_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

#endif
