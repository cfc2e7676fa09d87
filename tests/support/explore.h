/* explore.h - touches everything a forest offers: what a sanitizer should see of a model that was accepted. Memory may run
 * out and questions may be refused; nothing else may go wrong. */
#ifndef SVF_TESTS_EXPLORE_H
#define SVF_TESTS_EXPLORE_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "svforest_inspect.h"

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

/* A table for the forest, with its categories and a target: zeros, ones, missing values, then other numbers. */
typedef struct explore_rows {
  size_t n;
  double *x; /* as svf_predictor_row takes them */
  svf_table *table;
} explore_rows;

static inline void explore_columns(const svf_forest *forest, size_t d, const explore_rows *rows) {
  const char **names = NULL;
  int32_t *code = malloc(rows->n * sizeof *code);
  for (size_t j = 0; code && j < d; j++) {
    size_t levels = svf_forest_categories(forest, j);
    if (!levels || !(names = malloc(levels * sizeof *names))) continue;
    for (size_t c = 0; c < levels; c++) names[c] = svf_forest_category_name(forest, j, c);
    for (size_t i = 0; i < rows->n; i++) {
      double x = rows->x[i * d + j];
      code[i] = isnan(x) || x < 0 ? -1 : (int32_t)(i % levels);
    }
    svf_table_set_categories(rows->table, j, code, names, levels, NULL);
    free(names);
  }
  free(code);
}

static inline void explore_target(const svf_forest *forest, const svf_forest_info *info, const explore_rows *rows) {
  const char **names = malloc((info->classes + 1) * sizeof *names);
  int32_t *label = malloc(rows->n * sizeof *label);
  double *value = malloc(rows->n * sizeof *value);
  for (size_t i = 0; label && value && i < rows->n; i++) {
    label[i] = info->classes ? (int32_t)(i % info->classes) : 0;
    value[i] = (double)i;
  }
  for (size_t c = 0; names && c < info->classes; c++) names[c] = svf_forest_class_name(forest, c);
  if (names && label && info->classes) svf_table_set_classes(rows->table, label, names, info->classes, NULL);
  if (value && !info->classes) svf_table_set_values(rows->table, value, NULL);
  free(names);
  free(label);
  free(value);
}

static inline void explore_open(explore_rows *rows, const svf_forest *forest, const svf_forest_info *info, size_t n) {
  static const double odd[] = {-1, 2.5, 1e300, -DBL_MAX, DBL_TRUE_MIN};
  size_t d = info->features;
  *rows = (explore_rows){.n = n, .x = malloc(n * d * sizeof *rows->x)};
  for (size_t i = 0; rows->x && i < n; i++)
    for (size_t j = 0; j < d; j++) rows->x[i * d + j] = i < 2 ? (double)i : i == 2 ? NAN : odd[(i + j) % 5];
  svf_matrix matrix = {.values = rows->x, .rows = n, .columns = d, .row_stride = (ptrdiff_t)d, .column_stride = 1};
  if (!rows->x || svf_table_new(&matrix, NULL, &rows->table, NULL) != SVF_OK) return;
  explore_columns(forest, d, rows);
  explore_target(forest, info, rows);
}

static inline void explore_close(explore_rows *rows) {
  svf_table_free(rows->table);
  free(rows->x);
}

static inline int explore_has_leaves(const svf_forest *forest) {
  svf_committee_info info;
  svf_committee_describe(forest, &info);
  return info.members == 0;
}

static inline void explore_predict(const svf_forest *forest, const svf_forest_info *info, const explore_rows *rows) {
  size_t n = rows->n, k = info->scores;
  double *values = malloc(n * sizeof *values), *spreads = malloc(n * sizeof *spreads);
  double *scores = malloc(n * k * sizeof *scores), *shares = malloc(n * k * sizeof *shares);
  int32_t *leaves = malloc(n * info->trees * sizeof *leaves);
  svf_prediction out = {.values = values,
                        .scores = scores,
                        .probabilities = shares,
                        .leaves = explore_has_leaves(forest) ? leaves : NULL,
                        .spreads = info->classes ? NULL : spreads};
  svf_run run = {.threads = 1};
  if (values && spreads && scores && shares && leaves && rows->table) {
    svf_predictor *predictor = NULL;
    svf_predict(forest, rows->table, &run, &out, NULL);
    if (svf_predictor_new(forest, &predictor, NULL) == SVF_OK)
      for (size_t i = 0; i < n; i++) svf_predictor_row(predictor, rows->x + i * info->features, &out, NULL);
    svf_predictor_free(predictor);
  }
  free(values);
  free(spreads);
  free(scores);
  free(shares);
  free(leaves);
}

static inline void explore_explanations(const svf_forest *forest, const svf_forest_info *info,
                                        const explore_rows *rows) {
  size_t k = info->classes ? info->classes : 1, d = info->features + info->made;
  enum { FEW = 40 };
  if (k > FEW || d > FEW) return; /* orders of many features take long */
  double *contributions = malloc(rows->n * k * d * sizeof *contributions);
  svf_explanation e = {.class_code = -1, .contributions = contributions, .permutations = 2};
  svf_run run = {.threads = 1};
  if (contributions && rows->table) {
    svf_explain(forest, rows->table, &run, &e, NULL);
    e.background = rows->table;
    svf_explain(forest, rows->table, &run, &e, NULL);
    e.what = SVF_EXPLAIN_MARGIN;
    svf_explain(forest, rows->table, &run, &e, NULL);
  }
  free(contributions);
}

static inline void explore_calibration(const svf_forest *forest, const explore_rows *rows) {
  svf_forest *made = NULL;
  svf_run run = {.threads = 1};
  (void)svf_forest_conformal(forest, .5);
  if (!rows->table || svf_forest_calibrate(forest, rows->table, &run, &made, NULL) != SVF_OK) return;
  (void)svf_forest_conformal(made, .5);
  svf_forest_free(made);
}

static inline void explore_features(const svf_forest *forest, size_t count) {
  double *gain = malloc(count * sizeof *gain), *leaf = malloc(count * sizeof *leaf);
  char text[64];
  if (gain && leaf) svf_forest_importance(forest, gain, leaf, NULL);
  if (gain) svf_forest_metric(forest, gain);
  for (size_t i = 0; i < count; i++) svf_forest_feature_text(forest, i, text, sizeof text);
  free(gain);
  free(leaf);
}

/* What needs as many rows as the forest was trained on, where those are few. */
static inline void explore_training(const svf_forest *forest, const svf_forest_info *info) {
  enum { FEW = 64 };
  explore_rows rows;
  svf_run run = {.threads = 1};
  if (!info->rows || info->rows > FEW) return;
  explore_open(&rows, forest, info, info->rows);
  if (rows.table) {
    double curve[FEW], values[FEW];
    svf_oob_answers answers = {.values = values, .curve = info->trees <= FEW ? curve : NULL};
    svf_permutation permutation = {.repeats = 1, .oob = 1};
    svf_bound bound = {0};
    svf_forest_oob(forest, rows.table, &run, &answers, NULL);
    svf_forest_permute(forest, rows.table, &run, &permutation, NULL);
    svf_forest_bound(forest, rows.table, &run, &bound, NULL);
  }
  explore_close(&rows);
}

/* A file may be written in another way than merging does; what was merged alone stays as it is. Two of one are refused.
 * Returns whether that is so. */
static inline int explore_merge(const svf_forest *forest) {
  const svf_forest *parts[] = {forest, forest};
  svf_forest *alone, *again = NULL, *twice;
  svf_committee_info info;
  size_t size, other;
  svf_committee_describe(forest, &info);
  if (info.members) return svf_forest_merge(parts, 1, &alone, NULL) == SVF_USAGE;
  svf_status status = svf_forest_merge(parts, 1, &alone, NULL);
  if (status == SVF_OK) status = svf_forest_merge((const svf_forest *const *)&alone, 1, &again, NULL);
  int fine = status == SVF_MEMORY;
  if (again) {
    const void *bytes = svf_forest_bytes(alone, &size), *merged = svf_forest_bytes(again, &other);
    fine = size == other && !memcmp(bytes, merged, size);
  }
  fine &= svf_forest_merge(parts, 2, &twice, NULL) != SVF_OK;
  svf_forest_free(alone);
  svf_forest_free(again);
  svf_forest_free(twice);
  return fine;
}

static inline void explore_one(const svf_forest *forest) {
  enum { ROWS = 6 };
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
  if (!info.features) return;
  explore_rows rows;
  explore_open(&rows, forest, &info, ROWS);
  explore_predict(forest, &info, &rows);
  explore_explanations(forest, &info, &rows);
  explore_calibration(forest, &rows);
  explore_close(&rows);
  explore_training(forest, &info);
}

/* A forest, or a committee and its members. */
static inline void explore(const svf_forest *forest) {
  svf_committee_info info;
  svf_committee_describe(forest, &info);
  explore_one(forest);
  for (size_t m = 0; m < info.members; m++) {
    svf_member_info member;
    svf_committee_member(forest, m, &member);
    explore_one(member.forest);
  }
}

#endif
