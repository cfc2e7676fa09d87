/* plant.h - a forest in the making: trees in batches, each grown, its leaves trained, its records appended.
 */
#ifndef SVF_FOREST_PLANT_H
#define SVF_FOREST_PLANT_H

#include "forest/growth/grow.h"

/* Records of the trees so far. */
typedef struct svf_records {
  svf_buffer tree, node, term, leaf, number, gain;
} svf_records;

/* Which part of the work the trees are, for progress. */
typedef struct svf_span {
  const char *phase; /* NULL: growth and leaves have names of their own */
  double from, to;
  size_t trees;
} svf_span;

typedef struct svf_planting {
  const svf_settings *settings;
  const svf_encoding *encoding;
  const svf_frame *frame;
  const svf_la *la;
  svf_kinds kinds;
  svf_pool *pool;
  const float *low, *high;      /* range of each encoded column */
  svf_arena arena;              /* holds them, and what the cut prepared */
  const void *prepared;         /* by the cut; NULL: nothing */
  void *shared;                 /* by the leaf; NULL: nothing */
  svf_metric metric;            /* learned by the leaf; t NULL: none */
  const svf_buffer *background; /* rows that the model keeps */
  const svf_forest *before;     /* whose rounds come first; NULL: there are none */
  svf_records records;
  svf_span span;
  double done; /* share of the whole behind us, for progress */
} svf_planting;

/* What is done with the answers of a tree that corrects others: rate * answer is added to a sum of each row, and in the
 * model the answer becomes factor * answer + shift. */
typedef struct svf_correction {
  double *sum; /* of row 0 */
  size_t stride;
  double rate, factor, shift;
} svf_correction;

/* A tree between growing and its records. */
typedef struct svf_sapling {
  const svf_frame *frame;           /* its own; NULL: that of the forest */
  const svf_correction *correction; /* NULL: it answers alone */
  svf_arena arena;                  /* row lists */
  svf_arena wood;                   /* sites and planes, until the tree's records are made */
  svf_bag bag;
  double weight; /* of the rows in the bag */
  svf_site *root;
  size_t nodes, leaves;
  svf_records records; /* of this tree alone, its places counted from 0 */
} svf_sapling;

/* A leaf to be trained. */
typedef struct svf_leaf_task {
  size_t tree; /* position in the batch */
  const svf_site *site;
  svf_buffer numbers;
  svf_draft *draft; /* under a pick that chooses among them */
} svf_leaf_task;

/* rounds_correct.c: does that, once the leaves of a grown tree are in its records. False: memory ran out. */
bool svf_correct(const svf_ground *ground, const svf_leaf *kind, svf_sapling *sapling);

/* What the nodes of tree number `number` see. */
svf_ground svf_plant_ground(const svf_planting *planting, svf_sapling *sapling, size_t number, svf_worker *worker);
/* Grows trees number..number+count-1 of the forest, no more. */
svf_status svf_plant_grow(svf_planting *planting, svf_sapling *sapling, size_t number, size_t count,
                          const svf_stage *stage, svf_message *message);

/* column_ranges.c: low and high. */
svf_status svf_ranges_find(svf_planting *planting, svf_message *message);
/* choose_survey.c: lets the leaf kind choose what it chooses for the whole forest. */
svf_status svf_survey(svf_planting *planting, svf_message *message);
/* leaf_drafts.c: drafts of the leaves, tree by tree in preorder; one of each becomes its numbers. */
svf_status svf_draft_leaves(svf_planting *planting, svf_sapling *sapling, size_t first, svf_leaf_task *task,
                            size_t count, const svf_stage *stage, svf_message *message);

/* Grows and trains trees first..first+count-1 (positions in this run) and appends their records. The saplings
 * (zeroed by the caller, freed by the caller) keep their bags. */
svf_status svf_plant(svf_planting *planting, svf_sapling *sapling, size_t first, size_t count, svf_message *message);

/* train.c. Can the table be trained on with these settings? */
svf_status svf_train_check(const svf_settings *settings, const svf_table *table, svf_message *message);
/* What all trees share. */
svf_status svf_plant_prepare(svf_planting *planting, svf_message *message);
/* All trees, in batches; judged: by their out-of-bag rows too. */
svf_status svf_plant_all(svf_planting *planting, bool judged, double *oob_result, svf_message *message);

/* tree_records.c. A node of a tree, sites coming in preorder; leaf: leaves so far. */
void svf_records_add_node(svf_records *records, const svf_site *site, uint32_t *leaf);
/* Room for the records of a tree before they are made. */
void svf_records_expect(svf_records *tree, size_t nodes, size_t leaves);
/* Room for the records of some trees. */
void svf_records_reserve(svf_records *all, const svf_sapling *sapling, size_t count);
/* Appends a tree's records to those of the forest, their places counted from there, and frees them. */
void svf_records_append(svf_records *all, svf_records *tree);
bool svf_records_failed(const svf_records *records);
/* The records as parts of a model. */
svf_parts svf_records_parts(const svf_planting *planting);
void svf_records_free(svf_records *records);
void svf_sapling_free(svf_sapling *sapling);

/* oob.c: out-of-bag votes over the trees of a run. */
typedef struct svf_oob svf_oob;
svf_oob *svf_oob_open(const svf_planting *planting, svf_message *message);
/* Lets a tree that is in the records speak of the rows it did not see: sets its oob and its weight. */
svf_status svf_oob_add(svf_oob *oob, svf_planting *planting, size_t tree, const svf_bag *bag, svf_message *message);
/* Accuracy, or mean squared error, over the rows that some tree did not see; NaN: there are none. */
double svf_oob_result(svf_oob *oob, const svf_planting *planting);
void svf_oob_free(svf_oob *oob);
/* The vote's weight of a tree that is in the records, for a run without out-of-bag rows. */
void svf_tree_weigh(svf_planting *planting, size_t tree);

#endif
