/* export.h - a model as C source: what the files that write it share.
 *
 * The text is types and functions from the pieces code_*.inc, as far as the model uses them, and tables of numbers. */
#ifndef SVF_FOREST_EXPORT_H
#define SVF_FOREST_EXPORT_H

#include "forest/auto/committee.h"
#include "leaf/leaf_code.h"

/* Tables of one forest; export.c has their types. */
typedef enum svf_export_list {
  SVF_EXPORT_FEATURE,
  SVF_EXPORT_COLUMN,
  SVF_EXPORT_PART,
  SVF_EXPORT_STATISTIC,
  SVF_EXPORT_FILL,
  SVF_EXPORT_METRIC,
  SVF_EXPORT_TREE,
  SVF_EXPORT_NODE,
  SVF_EXPORT_TERM,
  SVF_EXPORT_CENTRE,
  SVF_EXPORT_WORD,
  SVF_EXPORT_LEAF,
  SVF_EXPORT_VALUE,
  SVF_EXPORT_ROW,
  SVF_EXPORT_LISTS
} svf_export_list;

typedef struct svf_export_member {
  const svf_forest *forest;
  svf_code list[SVF_EXPORT_LISTS];
} svf_export_member;

/* What is written, and what all of it needs. */
typedef struct svf_export {
  const svf_forest *forest;
  const svf_export_options *options;
  const char *name; /* of the function */
  size_t count;     /* of members; 1 for a forest */
  svf_export_member *member;
  unsigned flags;
  svf_code_room room;
  svf_code out;
} svf_export;

/* export_encoding.c: the tables of the encoding and the metric; the names of features, categories and classes, and the
 * comment at the head of the file. */
void svf_export_encoding(svf_export *export, svf_export_member *member);
void svf_export_names(svf_export *export);
void svf_export_head(svf_export *export);

/* export_trees.c. SVF_USAGE: a leaf cannot be written. */
svf_status svf_export_trees(svf_export *export, svf_export_member *member, svf_message *message);

#endif
