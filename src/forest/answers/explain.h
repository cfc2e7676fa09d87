/* explain.h - Shapley values of an answer against background rows (docs/explain.md).
 *
 * With x the explained row, z a background row and S a set of features, v(S) is the answer to the row that has the values of
 * x in S and those of z elsewhere. A feature's contribution is its Shapley value in the game v, the mean over all z. Trees
 * whose answer is a mean or a sum of leaves play their games leaf by leaf, exactly (explain_tree.c); all else asks for the
 * answers to mixed rows (explain_game.c). A feature is one of the encoding, with all of its encoded columns. */
#ifndef SVF_FOREST_EXPLAIN_H
#define SVF_FOREST_EXPLAIN_H

#include "base/pool.h"
#include "forest/answers/forest_answers.h"

/* One forest of those that are explained, with both tables as it sees them. */
typedef struct svf_explained {
  const svf_forest *forest;
  double weight;          /* of its answer in the whole */
  bool by_trees;          /* its contributions come from its trees */
  svf_frame frame;        /* the explained rows */
  const float *z;         /* background rows, each as long as a row of the frame */
  const float *by_column; /* the same column by column; NULL: not by trees */
} svf_explained;

typedef struct svf_explaining {
  const svf_forest *forest;
  svf_explanation *wanted;
  svf_explained *member; /* the members of a committee, or the forest itself */
  size_t members;
  size_t rows, background, players; /* players: features */
  size_t first, outputs;            /* explained classes */
  bool play;                        /* is there any member whose contributions are not by trees? */
  bool parted;            /* a sum of members, some by trees: games are played for the sum of the others alone */
  double curve_factor;    /* of the members' sum, where the answer is linear in it */
  const double *z_answer; /* background x outputs, of the games; NULL: there are none */
  svf_arena memory;
} svf_explaining;

/* explain_tree.c: has every tree cuts on one feature each, and leaves that are constant or linear? */
bool svf_explain_fits_trees(const svf_forest *forest);
/* Adds factor * the contributions to rows first..first+n-1 by the trees of one member: number `output` of a leaf, of the
 * trees that add to that sum in a model of rounds. to: players numbers for each row, `stride` apart. False: memory ran out,
 * or the worker was stopped. */
typedef struct svf_tree_share {
  size_t output;
  double factor;
  double *to;
  size_t stride;
} svf_tree_share;
bool svf_explain_by_trees(const svf_explaining *e, const svf_explained *member, size_t first, size_t n,
                          const svf_tree_share *share, svf_worker *worker);

/* explain_game.c: a place to put mixed rows and ask about them. */
typedef struct svf_panel {
  const svf_explaining *e;
  svf_block *block;         /* of each member */
  size_t room;              /* rows at a time */
  svf_prediction part, sum; /* of one member, of all */
} svf_panel;
bool svf_panel_open(svf_panel *panel, const svf_explaining *e, svf_arena *arena);
/* Puts row number `row` of the table (or background row number `z`) at place i. */
void svf_panel_put_row(const svf_panel *panel, size_t i, size_t row);
void svf_panel_put_background(const svf_panel *panel, size_t i, size_t z);
/* The explained answers to n rows, n x outputs: of the whole model, or of what the games are played for. False: no memory. */
bool svf_panel_ask(svf_panel *panel, size_t n, bool whole, double *answer);

/* Adds the contributions to a row over all background rows, outputs x players, and the squares of their standard errors.
 * False: memory ran out, or the worker was stopped. */
bool svf_explain_by_games(svf_panel *panel, size_t row, svf_worker *worker, double *contribution, double *square);

#endif
