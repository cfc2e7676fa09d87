/* describe.c - what a model holds, for those who look into it. Whoever asks beyond the end gets NULL or a
 * struct of zeros. */
#include "data/date.h"
#include "forest/auto/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static svf_leaf_view view_of(const svf_forest *forest, size_t leaf) {
  return svf_leaf_at(&forest->parts, leaf, forest->fill, forest->la);
}

static void add_gaps(const svf_forest *forest, svf_forest_info *info) {
  if (forest->committee || !forest->kinds.leaf->gap) return;
  for (size_t i = 0; i < forest->parts.leaves; i++) {
    svf_leaf_view view = view_of(forest, i);
    double gap = forest->kinds.leaf->gap(&view);
    if (gap > forest->settings.tolerance) info->unconverged++;
    if (gap > info->worst_gap) info->worst_gap = gap;
  }
}

/* A committee has what its members have. */
static void add_member(const svf_forest *member, svf_forest_info *info) {
  svf_forest_info one;
  svf_forest_describe(member, &one);
  info->trees += one.trees;
  info->nodes += one.nodes;
  info->leaves += one.leaves;
  info->unconverged += one.unconverged;
  if (one.max_depth > info->max_depth) info->max_depth = one.max_depth;
  if (one.worst_gap > info->worst_gap) info->worst_gap = one.worst_gap;
}

void svf_forest_describe(const svf_forest *forest, svf_forest_info *info) {
  const svf_parts *parts = &forest->parts;
  const svf_encoding *encoding = &forest->encoding;
  *info = (svf_forest_info){.method = forest->settings.method,
                            .task = encoding->task,
                            .trees = parts->trees,
                            .first_tree = (size_t)forest->settings.first_tree,
                            .nodes = parts->nodes,
                            .leaves = parts->leaves,
                            .rows = (size_t)parts->rows,
                            .features = encoding->features,
                            .made = encoding->made,
                            .encoded = forest->committee ? 0 : encoding->columns,
                            .classes = encoding->classes.count,
                            .scores = svf_forest_k(forest),
                            .bytes = forest->size,
                            .oob = forest->oob,
                            .oob_chose = forest->kinds.pick && forest->kinds.pick->judges};
  for (size_t t = 0; t < parts->trees; t++)
    if (parts->tree[t].depth > info->max_depth) info->max_depth = parts->tree[t].depth;
  add_gaps(forest, info);
  for (size_t m = 0; forest->committee && m < forest->committee->count; m++)
    add_member(forest->committee->member[m].forest, info);
}

void svf_committee_describe(const svf_forest *forest, svf_committee_info *info) {
  const svf_committee *c = forest->committee;
  *info = (svf_committee_info){.members = 0};
  if (!c) return;
  static const char *const aims[] = {[SVF_AIM_LOG_LOSS] = "log-loss",
                                     [SVF_AIM_ACCURACY] = "accuracy",
                                     [SVF_AIM_AUC] = "auc",
                                     [SVF_AIM_MSE] = "mse",
                                     [SVF_AIM_MAE] = "mae"};
  int aim = svf_aim_of(&forest->settings, forest->encoding.task);
  *info = (svf_committee_info){c->count, c->plan, aims[aim], c->score, c->deviation, svf_curve_fitted(&c->curve)};
}

void svf_committee_member(const svf_forest *forest, size_t member, svf_member_info *info) {
  *info = (svf_member_info){.forest = NULL};
  if (!forest->committee || member >= forest->committee->count) return;
  const svf_member *from = &forest->committee->member[member];
  *info = (svf_member_info){
      .forest = from->forest, .settings = from->settings, .weight = from->weight, .score = from->score};
}

const svf_settings *svf_forest_settings(const svf_forest *forest) { return &forest->settings; }

const char *svf_forest_target_name(const svf_forest *forest) { return forest->encoding.target_name; }

size_t svf_forest_ids(const svf_forest *forest) { return forest->encoding.ids.count; }

const char *svf_forest_id_name(const svf_forest *forest, size_t index) {
  return index < forest->encoding.ids.count ? forest->encoding.ids.text[index] : NULL;
}

const char *svf_forest_class_name(const svf_forest *forest, size_t index) {
  const svf_names *classes = &forest->encoding.classes;
  return index < classes->count ? classes->text[index] : NULL;
}

double svf_forest_class_weight(const svf_forest *forest, size_t index) {
  const svf_encoding *encoding = &forest->encoding;
  return index < encoding->classes.count && encoding->class_weight ? encoding->class_weight[index] : 1;
}

const char *svf_forest_feature_name(const svf_forest *forest, size_t column) {
  return column < svf_encoding_all(&forest->encoding) ? forest->encoding.feature[column].name : NULL;
}

/* A text into the caller's buffer; returns its length, or 0 if it could not be made. */
static size_t lend(svf_buffer *text, bool fine, char *buffer, size_t size) {
  size_t length = fine ? text->size : 0, shown = length < size ? length : size ? size - 1 : 0;
  if (shown) memcpy(buffer, text->data, shown);
  if (size) buffer[shown] = 0;
  svf_buffer_free(text);
  return length;
}

size_t svf_forest_feature_text(const svf_forest *forest, size_t feature, char *buffer, size_t size) {
  const svf_encoding *encoding = &forest->encoding;
  svf_buffer text = {0};
  if (size) buffer[0] = 0;
  if (feature < encoding->features || feature >= svf_encoding_all(encoding)) return 0;
  const char **names = calloc(encoding->features, sizeof *names);
  for (size_t j = 0; names && j < encoding->features; j++) names[j] = encoding->feature[j].name;
  bool fine = names && svf_recipe_text(&encoding->feature[feature].recipe, names, &text);
  free(names);
  return lend(&text, fine, buffer, size);
}

int svf_forest_is_date(const svf_forest *forest, size_t column) {
  return column < forest->encoding.features && forest->encoding.feature[column].date;
}

int svf_forest_is_left_out(const svf_forest *forest, size_t column) {
  return column < forest->encoding.features && forest->encoding.feature[column].left_out;
}

int svf_date_read(const char *text, double *days) { return svf_date_parse(text, strlen(text), days); }

size_t svf_date_print(double days, char *buffer, size_t size) {
  char date[SVF_DATE_TEXT] = "";
  svf_buffer text = {0};
  size_t length = isnan(days) ? 0 : svf_date_text(days, date);
  return lend(&text, svf_buffer_add(&text, date, length), buffer, size);
}

size_t svf_forest_categories(const svf_forest *forest, size_t column) {
  return column < forest->encoding.features ? forest->encoding.feature[column].levels.count : 0;
}

const char *svf_forest_category_name(const svf_forest *forest, size_t column, size_t code) {
  return code < svf_forest_categories(forest, column) ? forest->encoding.feature[column].levels.text[code] : NULL;
}

/* The class that a column has the shares of. */
static const char *class_of(const svf_forest *forest, int32_t role) {
  const svf_names *classes = &forest->encoding.classes;
  return role <= SVF_ROLE_STATISTIC && classes->count ? classes->text[SVF_ROLE_STATISTIC - role] : NULL;
}

void svf_forest_encoded(const svf_forest *forest, size_t column, svf_encoded_info *info) {
  *info = (svf_encoded_info){0};
  if (forest->committee || column >= forest->encoding.columns) return;
  const svf_encoded *from = &forest->encoding.column[column];
  const svf_names *levels = &forest->encoding.feature[from->feature].levels;
  *info = (svf_encoded_info){from->feature,
                             from->level < 0 ? NULL : levels->text[from->level],
                             from->shift,
                             from->scale,
                             from->fill,
                             from->clipped,
                             from->level == SVF_ROLE_CODE,
                             svf_role_name(from->level, forest->encoding.classes.count > 0),
                             class_of(forest, from->level)};
}

double svf_encoded_decode(const svf_encoded_info *info, double encoded) {
  if (info->clipped) {
    double z = encoded / sqrt(fmax(1 - encoded * encoded / 9, 1e-12));
    encoded = fmax(-SVF_ENCODED_LIMIT, fmin(SVF_ENCODED_LIMIT, z));
  }
  return info->scale != 0 ? encoded / info->scale + info->shift : info->shift;
}

void svf_forest_tree(const svf_forest *forest, size_t tree, svf_tree_info *info) {
  *info = (svf_tree_info){0};
  if (tree >= forest->parts.trees) return;
  const svf_tree_record *from = &forest->parts.tree[tree];
  *info = (svf_tree_info){from->number, from->nodes, from->leaves, from->weight, from->oob};
}

void svf_forest_node(const svf_forest *forest, size_t tree, size_t node, svf_node_info *info) {
  const svf_parts *parts = &forest->parts;
  *info = (svf_node_info){0};
  if (tree >= parts->trees || node >= parts->tree[tree].nodes) return;
  const svf_node_record *from = &parts->node[parts->tree[tree].first_node + node];
  bool own = from->count < 2;
  if (!from->right) info->leaf = from->first;
  else if (from->right == node + 1) {
    size_t count = from->count / 2, m = count / forest->encoding.columns;
    *info = (svf_node_info){
        .left = node + 1, .right = node + m, .terms = parts->term + from->first, .term_count = count, .centres = m};
  } else
    *info = (svf_node_info){.left = node + 1,
                            .right = from->right,
                            .terms = (own ? forest->along : parts->term) + from->first,
                            .term_count = own ? 1 : from->count / 2,
                            .threshold = from->threshold,
                            .missing_left = from->count % 2 != 0,
                            .by_levels = svf_by_levels(from->threshold)};
}

size_t svf_forest_node_levels(const svf_forest *forest, size_t tree, size_t node, uint32_t *codes) {
  svf_node_info info;
  svf_forest_node(forest, tree, node, &info);
  if (!info.by_levels) return 0;
  const svf_encoding *encoding = &forest->encoding;
  size_t levels = encoding->feature[encoding->column[info.terms[0].feature].feature].levels.count;
  return svf_levels_list(info.terms, info.term_count, levels, codes);
}

void svf_forest_leaf(const svf_forest *forest, size_t tree, size_t leaf, svf_leaf_info *info) {
  const svf_parts *parts = &forest->parts;
  *info = (svf_leaf_info){0};
  if (tree >= parts->trees || leaf >= parts->tree[tree].leaves) return;
  const svf_leaf_record *from = &parts->leaf[parts->tree[tree].first_leaf + leaf];
  svf_leaf_view view = view_of(forest, (size_t)parts->tree[tree].first_leaf + leaf);
  *info = (svf_leaf_info){from->rows, view.numbers, from->length, view.singles};
}

size_t svf_forest_leaf_text(const svf_forest *forest, size_t tree, size_t leaf, char *buffer, size_t size) {
  const svf_parts *parts = &forest->parts;
  svf_buffer text = {0};
  if (size) buffer[0] = 0;
  if (tree >= parts->trees || leaf >= parts->tree[tree].leaves) return 0;
  svf_leaf_view view = view_of(forest, (size_t)parts->tree[tree].first_leaf + leaf);
  bool fine = forest->kinds.leaf->text(&view, &forest->encoding.classes, &text);
  return lend(&text, fine, buffer, size);
}
