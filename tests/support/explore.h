/* explore.h - touches everything a forest offers: what a sanitizer should see of a model that was accepted.
 */
#ifndef SVF_TESTS_EXPLORE_H
#define SVF_TESTS_EXPLORE_H

#include <math.h>
#include <stdlib.h>
#include "svforest.h"

static inline void explore_trees(const svf_forest *forest, size_t trees) {
  for (size_t t = 0; t < trees; t++) {
    svf_tree_info tree;
    svf_forest_tree(forest, t, &tree);
    for (size_t i = 0; i < tree.nodes; i++) {
      svf_node_info node;
      svf_forest_node(forest, t, i, &node);
      for (size_t j = 0; j < node.term_count; j++) (void)svf_forest_feature_name(forest, node.terms[j].feature);
    }
    for (size_t i = 0; i < tree.leaves; i++) {
      char text[64];
      svf_leaf_info leaf;
      svf_forest_leaf(forest, t, i, &leaf);
      svf_forest_leaf_text(forest, t, i, text, sizeof text);
    }
  }
}

/* Three rows: zeros, ones, all missing. Memory may run out, nothing else may go wrong. */
static inline void explore_predict(const svf_forest *forest, const svf_forest_info *info) {
  size_t n = 3, d = info->features;
  double *x = malloc(n * d * sizeof *x), *values = malloc(n * sizeof *values);
  double *scores = malloc(n * info->scores * sizeof *scores), *shares = malloc(n * info->scores * sizeof *shares);
  int32_t *leaves = malloc(n * info->trees * sizeof *leaves);
  svf_table *table = NULL;
  for (size_t i = 0; x && i < n * d; i++) x[i] = i / d < 2 ? (double)(i / d) : NAN;
  svf_matrix matrix = {.values = x, .rows = n, .columns = d, .row_stride = (ptrdiff_t)d, .column_stride = 1};
  svf_prediction out = {.values = values, .scores = scores, .probabilities = shares, .leaves = leaves};
  svf_run run = {.threads = 1};
  if (x && values && scores && shares && leaves && svf_table_new(&matrix, NULL, &table, NULL) == SVF_OK)
    svf_predict(forest, table, &run, &out, NULL);
  svf_predictor *predictor = NULL;
  if (table && svf_predictor_new(forest, &predictor, NULL) == SVF_OK)
    for (size_t i = 0; i < n; i++) svf_predictor_row(predictor, x + i * d, &out, NULL);
  svf_predictor_free(predictor);
  svf_table_free(table);
  free(x);
  free(values);
  free(scores);
  free(shares);
  free(leaves);
}

static inline void explore_features(const svf_forest *forest, size_t count) {
  double *gain = malloc(count * sizeof *gain), *leaf = malloc(count * sizeof *leaf);
  char text[64];
  if (gain && leaf) svf_forest_importance(forest, gain, leaf, NULL);
  for (size_t i = 0; i < count; i++) svf_forest_feature_text(forest, i, text, sizeof text);
  free(gain);
  free(leaf);
}

static inline void explore(const svf_forest *forest) {
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  explore_features(forest, info.features + info.made);
  (void)svf_forest_target_name(forest);
  for (size_t i = 0; i < info.classes; i++) (void)svf_forest_class_name(forest, i);
  for (size_t i = 0; i < info.encoded; i++) {
    svf_encoded_info column;
    svf_forest_encoded(forest, i, &column);
  }
  explore_trees(forest, info.trees);
  if (info.features) explore_predict(forest, &info);
}

#endif
