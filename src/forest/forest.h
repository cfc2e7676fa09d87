/* forest.h - a forest in memory: arrays in the layout of the model file, and what is read out of them once.
 *
 * A trained forest and a loaded one are the same thing: one image (see docs/format.md) and pointers into it.
 */
#ifndef SVF_FOREST_FOREST_H
#define SVF_FOREST_FOREST_H

#include <stdatomic.h>
#include "cut/cut.h"
#include "leaf/leaf.h"
#include "pick/pick.h"
#include "vote/vote.h"
#include "svforest_inspect.h"

/* The four choices of a method. */
typedef struct svf_kinds {
  const svf_cut *cut;
  const svf_leaf *leaf;
  const svf_pick *pick;
  const svf_vote *vote;
} svf_kinds;

/* method.c: finds the kinds by their names; SVF_USAGE lists what there is. */
svf_status svf_kinds_find(const svf_settings *settings, svf_kinds *kinds, svf_message *message);
/* How many numbers a leaf says, and how many trees a round has, for k classes or numbers with k = 1. */
size_t svf_kinds_said(const svf_kinds *kinds, size_t k);
size_t svf_kinds_sums(const svf_kinds *kinds, size_t k);
/* How a table is encoded for such a forest. */
svf_status svf_coding_of(const svf_settings *settings, svf_coding *coding, svf_message *message);
/* Is the setting read by the forest itself or by one of the four kinds? False where a kind is unknown. */
bool svf_setting_used(const svf_settings *settings, int number);

/* Records of the model file, little-endian. */
typedef struct svf_tree_record {
  uint64_t first_node, first_leaf; /* in the arrays of all trees */
  uint32_t nodes, leaves;
  uint32_t number; /* in the whole forest: first_tree + position */
  uint32_t depth;  /* of its deepest leaf */
  double weight;   /* in the vote */
  double oob;      /* accuracy or mean squared error out of bag; NaN: saw all rows */
} svf_tree_record;

/* right, first, count, threshold: what the kernels walk through, and more. `first` is the first term of its plane in all
 * terms of the forest; of a cut without terms, the encoded column it looks at, with weight 1; of a leaf, its number in
 * its tree. `count` is terms * 2 + (missing goes left). A leaf has right, count and threshold 0. */
typedef svf_fork svf_node_record;

typedef struct svf_leaf_record {
  uint64_t first; /* in the numbers of all leaves */
  uint32_t length;
  uint32_t rows; /* training rows in it */
} svf_leaf_record;

/* What the cuts of one tree on one feature took away of the impurity; by tree, then by feature, and none that is 0. */
typedef struct svf_gain_record {
  uint32_t tree;    /* its number in the whole forest */
  uint32_t feature; /* before encoding */
  double gain;
} svf_gain_record;

/* Everything a model file holds, and what follows from it. Leaf and node records follow each other tree by tree, terms and
 * numbers too.
 */
typedef struct svf_parts {
  const svf_settings *settings;
  const svf_encoding *encoding;
  uint64_t rows; /* of the training table */
  const svf_tree_record *tree;
  const svf_node_record *node;
  const svf_term *term;
  const svf_leaf_record *leaf;
  const void *number; /* double, or float where `single` */
  bool single;
  const svf_gain_record *gain;
  const svf_metric *metric; /* in which the leaves measure distance; NULL: as the columns are */
  const double *background; /* training rows for explanations, as svf_predictor_row takes them; NULL: none */
  size_t backgrounds;       /* how many */
  size_t trees, nodes, terms, leaves, numbers, gains;
  size_t said; /* numbers that a leaf says of a row: as many as classes, or 1 */
  size_t sums; /* trees of a round: tree t adds to sum t % sums of a row; 1 where trees do not know of each other */
} svf_parts;

typedef struct svf_compact svf_compact;     /* compact_forest.h */
typedef struct svf_committee svf_committee; /* committee.h */

/* How the bytes of an image are held. */
typedef enum svf_hold { SVF_HOLD_ALLOCATED, SVF_HOLD_MAPPED, SVF_HOLD_LENT } svf_hold;

/* partition_cuts.c: leaves before they are trained. A number, where there is one, is the node whose rows answer for it. */
extern const svf_leaf svf_leaf_bare;

struct svf_forest {
  svf_parts parts; /* arrays point into the image; settings and encoding to the members below */
  svf_settings settings;
  svf_encoding encoding;
  svf_kinds kinds;
  float *fill;       /* encoded columns: what machines see for a missing value */
  svf_metric metric; /* t NULL: none */
  svf_arena memory;  /* holds its numbers, where they are not those of the image */
  svf_term *along;   /* encoded columns: the term that stands for each in cuts without terms */
  const svf_la *la;
  double oob;              /* of the run that trained it; NaN otherwise */
  const double *conformal; /* conformal.c: the scores of a calibration, ascending; NULL: there was none */
  size_t conformals;
  const unsigned char *image;
  size_t size;
  svf_hold hold;
  bool bare; /* cuts of a training in parts: its leaves are bare */
  svf_committee
      *committee; /* NULL: one forest. Else the members answer: there are no parts and no kinds here, and the
                                   encoding is lent by the first member */
  _Atomic(svf_compact *) compact; /* of the trees, once a large table was predicted; else NULL */
};

static inline size_t svf_number_size(bool single) { return single ? sizeof(float) : sizeof(double); }

/* image.c: the bytes of a model file from its parts; under precision=single numbers that are double are rounded. */
svf_status svf_image_make(const svf_parts *parts, svf_buffer *image, svf_message *message);
/* image_open.c: checks every byte that will be used and fills the forest, which then owns the image (also on
 * failure: it is freed or unmapped). path: for messages; NULL: "the model". */
svf_status svf_image_open(const void *image, size_t size, svf_hold hold, const char *path, svf_forest **forest,
                          svf_message *message);

/* merge.c: are two settings alike but for trees and first_tree; were two forests trained on the same table? Else why not. */
svf_status svf_settings_alike(const svf_settings *a, const svf_settings *b, svf_message *message);
svf_status svf_forest_check_table(const svf_forest *a, const svf_forest *b, svf_message *message);
/* train.c: trains rounds after those that the forest `before` has, up to settings->trees. */
svf_status svf_train_after(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                           const svf_run *run, svf_forest **forest, svf_message *message);

/* The scores k of a forest: classes, or 1. */
static inline size_t svf_forest_k(const svf_forest *forest) {
  return forest->encoding.classes.count ? forest->encoding.classes.count : 1;
}

static inline svf_leaf_view svf_leaf_at(const svf_parts *parts, size_t leaf, const float *fill, const svf_la *la) {
  const svf_leaf_record *record = &parts->leaf[leaf];
  svf_leaf_view view = {.length = record->length,
                        .d = parts->encoding->columns,
                        .k = parts->said,
                        .fill = fill,
                        .la = la,
                        .metric = parts->metric};
  if (parts->single) view.singles = (const float *)parts->number + record->first;
  else view.numbers = (const double *)parts->number + record->first;
  return view;
}

#endif
