/* tree_answers.h - what one tree says of some rows, and how the words of trees add up. */
#ifndef SVF_FOREST_TREE_ANSWERS_H
#define SVF_FOREST_TREE_ANSWERS_H

#include "forest/forest.h"

/* What is asked of the trees. */
typedef struct svf_question {
  const svf_parts *parts;
  const svf_leaf *leaf;
  const svf_la *la;
  const float *fill;
  const float *const *row; /* n encoded rows, NaN: missing */
  size_t n;
  bool shares; /* wanted too? */
} svf_question;

/* route.c: leaf number (in its tree) that each row falls into. */
void svf_tree_route(const svf_question *question, size_t tree, uint32_t *leaf);

/* What a leaf says of some of the rows: n x k scores and shares (NULL: not asked for). */
typedef struct svf_answer {
  const uint32_t *row; /* n: which of the question's rows */
  size_t n, k;
  const double *score, *share;
  const svf_leaf_view *leaf; /* who says it */
} svf_answer;
typedef void (*svf_listener)(void *context, const svf_answer *answer);

/* Scratch for questions of up to n rows to the trees of one forest. */
typedef struct svf_desk {
  uint32_t *leaf;        /* n: where the rows fell in the tree that spoke last */
  uint32_t *head, *next; /* lists of the rows of each leaf; between questions all heads are 0 */
  uint32_t *touched;     /* leaves that have rows */
  uint32_t *order;       /* rows of one leaf that are asked for together */
  const float **row;     /* the same */
  double *score, *share; /* what it says of them */
} svf_desk;
bool svf_desk_open(svf_desk *desk, const svf_parts *parts, size_t n, svf_arena *arena);

/* Rows are grouped by leaf, so that a leaf is used once for many rows. The listener hears of each row once. False:
 * memory ran out. */
bool svf_tree_speak(const svf_question *question, size_t tree, const svf_desk *desk, svf_arena *scratch,
                    svf_listener hear, void *context);

/* Tallies of n rows over trees. */
typedef struct svf_tally {
  double *votes;  /* n x k */
  double *shares; /* n x k: sums of shares, for ties and probabilities; NULL: not kept */
  double *weight; /* n: sum of the weights of the trees that spoke */
  size_t k;       /* numbers of a row */
  size_t at;      /* the first of them that the tree at hand adds to */
} svf_tally;
/* The tally as tree number t of the forest adds to it. */
static inline svf_tally svf_tally_of(const svf_tally *tally, const svf_parts *parts, size_t tree) {
  svf_tally of = *tally;
  of.at = tree % parts->sums;
  return of;
}
/* A tree's weight in a tally. A power of 2 is gone again in a mean, and the sum of a million values of 1e308 is finite. */
static inline double svf_tally_weight(const svf_vote *vote, double weight) {
  return vote->average ? weight * 0x1p-20 : weight;
}
/* said: numbers that the tree says. */
void svf_tally_add(const svf_vote *vote, size_t said, double weight, const double *score, const double *share,
                   const svf_tally *tally, size_t row);
/* Ends a row's tally: votes and shares averaged; returns the class, or the value for k = 1 in regression. */
double svf_tally_end(const svf_vote *vote, size_t k, bool classes, const svf_tally *tally, size_t row);
/* After the end: does another class have as many votes as this one? */
bool svf_tally_tied(size_t k, const svf_tally *tally, size_t row, double winner);

#endif
