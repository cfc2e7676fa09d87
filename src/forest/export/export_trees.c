/* export_trees.c - trees as tables of C. */
#include "forest/export/export.h"
#include "forest/answers/tree_answers.h"

#include <stdio.h>

enum { AXIS, PLANE, BITS, LIST, CENTRE }; /* as in code_types.inc */

/* What becomes of a cut. */
typedef struct cut {
  int form;
  size_t first, length;
  float threshold;
} cut;

static cut write_plane(svf_export *export, svf_code *terms, const svf_term *term, size_t count) {
  cut c = {.form = PLANE, .first = terms->items, .length = count};
  export->flags |= SVF_CODE_OBLIQUE | SVF_CODE_PLANES;
  for (size_t i = 0; i < count; i++) {
    char weight[SVF_CODE_TEXT], item[2 * SVF_CODE_TEXT];
    svf_code_float_text(term[i].weight, weight);
    snprintf(item, sizeof item, "{%u, %s}", term[i].feature, weight);
    svf_code_item(terms, item);
  }
  return c;
}

/* The column of codes, then the codes that go right or their bits. */
static cut write_levels(svf_export *export, svf_code *words, const svf_term *term, size_t count) {
  bool list = term[0].weight > 0;
  cut c = {
      .form = list ? LIST : BITS, .first = words->items, .length = list ? (size_t)term[0].weight : 2 * (count - 1)};
  export->flags |= SVF_CODE_LEVELS | SVF_CODE_PLANES;
  svf_code_whole(words, term[0].feature);
  for (size_t i = 0; i < c.length; i++) svf_code_whole(words, svf_levels_word(term + 1, i));
  return c;
}

static cut write_centres(svf_export *export, svf_code *centres, const svf_term *term, size_t count, size_t d) {
  cut c = {.form = CENTRE, .first = centres->items, .length = d ? count / d : 0};
  export->flags |= SVF_CODE_CENTRES | SVF_CODE_FILLED;
  for (size_t i = 0; i < count; i++) svf_code_float(centres, term[i].weight);
  return c;
}

static cut write_cut(svf_export *export, svf_export_member *member, size_t number, const svf_node_record *node) {
  const svf_parts *parts = &member->forest->parts;
  const svf_term *term = parts->term + node->first;
  size_t count = node->count >> 1;
  if (node->right == number + 1)
    return write_centres(export, &member->list[SVF_EXPORT_CENTRE], term, count, parts->encoding->columns);
  if (count && svf_by_levels(node->threshold))
    return write_levels(export, &member->list[SVF_EXPORT_WORD], term, count);
  cut c = {.form = AXIS, .first = count ? term[0].feature : node->first};
  if (count > 1 || (count == 1 && term[0].weight != 1))
    c = write_plane(export, &member->list[SVF_EXPORT_TERM], term, count);
  c.threshold = node->threshold;
  return c;
}

static void write_node(svf_export *export, svf_export_member *member, size_t number, const svf_node_record *node) {
  char threshold[SVF_CODE_TEXT], item[4 * SVF_CODE_TEXT];
  cut c = {.first = node->first};
  if (node->right) c = write_cut(export, member, number, node);
  size_t word = c.length << 4 | (size_t)c.form << 1 | (node->right ? node->count & 1 : 0);
  svf_code_float_text(c.threshold, threshold);
  snprintf(item, sizeof item, "{%u, %zu, %zu, %s}", node->right, c.first, word, threshold);
  svf_code_item(&member->list[SVF_EXPORT_NODE], item);
}

static svf_status write_leaf(svf_export *export, svf_export_member *member, size_t leaf, svf_message *message) {
  const svf_forest *forest = member->forest;
  svf_code *value = &member->list[SVF_EXPORT_VALUE], *row = &member->list[SVF_EXPORT_ROW];
  svf_leaf_view view = svf_leaf_at(&forest->parts, leaf, forest->fill, forest->la);
  size_t first = value->items;
  char item[64];
  if (!forest->kinds.leaf->code->write(&view, value, row, &export->room))
    return svf_fail(message, SVF_USAGE, "a leaf of this model has a form that cannot be written as C");
  snprintf(item, sizeof item, "{%zu, %zu}", first, value->items - first);
  svf_code_item(&member->list[SVF_EXPORT_LEAF], item);
  return SVF_OK;
}

/* A tree counts in a mean by its weight times a power of 2, as in prediction (tree_answers.h). */
static void write_tree(svf_export_member *member, const svf_tree_record *tree, double weight) {
  char number[SVF_CODE_TEXT], item[4 * SVF_CODE_TEXT];
  svf_code *trees = &member->list[SVF_EXPORT_TREE];
  svf_code_number_text(trees, weight, number);
  snprintf(item, sizeof item, "{%zu, %zu, %s}", (size_t)tree->first_node, (size_t)tree->first_leaf, number);
  svf_code_item(trees, item);
}

/* Are all places in the tables numbers of 32 bits, and lengths of cuts of 28? */
static bool fits(const svf_export_member *member) {
  for (int i = 0; i < SVF_EXPORT_LISTS; i++)
    if (member->list[i].items > UINT32_MAX >> 4) return false;
  return true;
}

svf_status svf_export_trees(svf_export *export, svf_export_member *member, svf_message *message) {
  const svf_forest *forest = member->forest;
  const svf_parts *parts = &forest->parts;
  for (size_t t = 0; t < parts->trees; t++) {
    const svf_tree_record *tree = &parts->tree[t];
    write_tree(member, tree, svf_tally_weight(forest->kinds.vote, tree->weight));
    for (size_t i = 0; i < tree->nodes; i++) write_node(export, member, i, &parts->node[tree->first_node + i]);
  }
  for (size_t i = 0; i < parts->leaves; i++) SVF_TRY(write_leaf(export, member, i, message));
  if (member->list[SVF_EXPORT_ROW].items) export->flags |= SVF_CODE_ROWS;
  if (fits(member)) return SVF_OK;
  return svf_fail(message, SVF_USAGE,
                  "the model is too large to be written as C: its tables have more than 2^28 items");
}
