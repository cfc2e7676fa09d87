/* dump.c - every tree of a model as indented text or as JSON. */
#include "dump.h"
#include "plane.h"
#include <stdlib.h>

/* A node still to be printed. Trees may be deep, so the stack is ours and not the machine's. */
typedef struct visit {
  size_t node, parent;
  size_t depth;
  bool left;
} visit;

/* What a leaf holds, in words; free() it. */
static char *leaf_text(const svf_forest *forest, size_t tree, size_t leaf) {
  size_t length = svf_forest_leaf_text(forest, tree, leaf, NULL, 0);
  char *text = CLI_TAKE(char, length + 1);
  svf_forest_leaf_text(forest, tree, leaf, text, length + 1);
  return text;
}

static bool is_leaf(const svf_node_info *node) { return node->left == 0 && node->right == 0; }

/* The categories that go right at a node, and the feature. */
typedef struct levels {
  size_t feature, count;
  uint32_t *code; /* free() it */
} levels;

static levels levels_of(const svf_forest *forest, size_t tree, size_t number, const svf_node_info *node) {
  svf_encoded_info column;
  svf_forest_encoded(forest, node->terms[0].feature, &column);
  levels l = {.feature = column.feature,
              .code = CLI_TAKE(uint32_t, svf_forest_categories(forest, column.feature) + 1)};
  l.count = svf_forest_node_levels(forest, tree, number, l.code);
  return l;
}

/* "colour is red or blue", "colour is not red or blue". */
static void print_levels(FILE *out, const svf_forest *forest, size_t tree, const visit *at) {
  svf_node_info parent;
  svf_forest_node(forest, tree, at->parent, &parent);
  levels l = levels_of(forest, tree, at->parent, &parent);
  fprintf(out, "%s %s", svf_forest_feature_name(forest, l.feature), at->left ? "is not" : "is");
  for (size_t i = 0; i < l.count; i++)
    fprintf(out, "%s %s", i ? " or" : "", svf_forest_category_name(forest, l.feature, l.code[i]));
  if (!l.count) fputs(" any known category", out);
  free(l.code);
}

static void print_condition(FILE *out, const svf_forest *forest, size_t tree, const visit *at) {
  svf_node_info parent;
  cli_plane plane;
  svf_forest_node(forest, tree, at->parent, &parent);
  if (parent.centres) {
    fprintf(out, "nearest to centre %zu of %zu", at->node - parent.left + 1, parent.centres);
    return;
  }
  if (parent.by_levels) print_levels(out, forest, tree, at);
  else {
    cli_plane_of(forest, &parent, &plane);
    cli_plane_print(out, &plane, at->left);
    free(plane.term);
  }
  if (at->left == (parent.missing_left != 0)) fputs(" or missing", out);
}

static void print_node(FILE *out, const svf_forest *forest, size_t tree, const visit *at) {
  svf_node_info node;
  svf_forest_node(forest, tree, at->node, &node);
  if (at->depth == 0 && !is_leaf(&node)) return;
  fprintf(out, "%*s", 2 * (int)(at->depth ? at->depth : 1), "");
  if (at->depth) print_condition(out, forest, tree, at);
  if (is_leaf(&node)) {
    svf_leaf_info leaf;
    char *text = leaf_text(forest, tree, node.leaf);
    svf_forest_leaf(forest, tree, node.leaf, &leaf);
    fprintf(out, "%sleaf %zu, %zu rows: %s", at->depth ? ": " : "", node.leaf + 1, leaf.rows, text);
    free(text);
  }
  fputc('\n', out);
}

static void print_tree(FILE *out, const svf_forest *forest, size_t tree) {
  svf_tree_info info;
  svf_forest_tree(forest, tree, &info);
  fprintf(out, "\ntree %zu: %zu nodes, %zu leaves\n", info.number + 1, info.nodes, info.leaves);
  visit *stack = CLI_TAKE(visit, info.nodes + 1);
  size_t height = 1;
  while (height) {
    svf_node_info node;
    visit at = stack[--height];
    print_node(out, forest, tree, &at);
    svf_forest_node(forest, tree, at.node, &node);
    if (is_leaf(&node)) continue;
    for (size_t c = node.centres; c > 0; c--)
      stack[height++] = (visit){node.left + c - 1, at.node, at.depth + 1, true};
    if (node.centres) continue;
    stack[height++] = (visit){node.right, at.node, at.depth + 1, false};
    stack[height++] = (visit){node.left, at.node, at.depth + 1, true};
  }
  free(stack);
}

void cli_dump_text(FILE *out, const svf_forest *forest) {
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  for (size_t tree = 0; tree < info.trees; tree++) print_tree(out, forest, tree);
}

static void json_levels(cli_json *json, const svf_forest *forest, size_t tree, size_t number) {
  svf_node_info node;
  svf_forest_node(forest, tree, number, &node);
  levels l = levels_of(forest, tree, number, &node);
  cli_json_text(json, "feature", svf_forest_feature_name(forest, l.feature));
  cli_json_row(json, "categories");
  for (size_t i = 0; i < l.count; i++)
    cli_json_text(json, NULL, svf_forest_category_name(forest, l.feature, l.code[i]));
  cli_json_close(json);
  cli_json_count(json, "in", node.right);
  cli_json_count(json, "not_in", node.left);
  cli_json_count(json, "missing", node.missing_left ? node.left : node.right);
  free(l.code);
}

static void json_plane(cli_json *json, const svf_forest *forest, const svf_node_info *node) {
  cli_plane plane;
  cli_plane_of(forest, node, &plane);
  cli_json_list(json, "terms");
  for (size_t i = 0; i < plane.count; i++) {
    cli_json_object(json, NULL);
    cli_json_text(json, "feature", plane.term[i].feature);
    if (plane.term[i].category) cli_json_text(json, "category", plane.term[i].category);
    if (plane.term[i].part) cli_json_text(json, "part", plane.term[i].part);
    if (plane.term[i].part_class) cli_json_text(json, "class", plane.term[i].part_class);
    cli_json_number(json, "weight", plane.term[i].weight);
    if (plane.term[i].clipped) {
      cli_json_number(json, "clip_shift", plane.term[i].shift);
      cli_json_number(json, "clip_scale", plane.term[i].scale);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_number(json, "threshold", plane.threshold);
  cli_json_count(json, "below", plane.swapped ? node->right : node->left);
  cli_json_count(json, "above", plane.swapped ? node->left : node->right);
  cli_json_count(json, "missing", node->missing_left ? node->left : node->right);
  free(plane.term);
}

/* In the units of the table; of a category, 1 where the centre has it. */
static void json_centres(cli_json *json, const svf_forest *forest, const svf_node_info *node) {
  size_t d = node->term_count / node->centres;
  cli_json_list(json, "centres");
  for (size_t c = 0; c < node->centres; c++) {
    cli_json_object(json, NULL);
    cli_json_count(json, "node", node->left + c);
    cli_json_row(json, "at");
    for (size_t j = 0; j < d; j++) {
      svf_encoded_info column;
      svf_forest_encoded(forest, j, &column);
      cli_json_number(json, NULL, svf_encoded_decode(&column, (double)node->terms[c * d + j].weight));
    }
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void json_leaf(cli_json *json, const svf_forest *forest, size_t tree, size_t number) {
  svf_leaf_info leaf;
  char *text = leaf_text(forest, tree, number);
  svf_forest_leaf(forest, tree, number, &leaf);
  cli_json_count(json, "leaf", number + 1);
  cli_json_count(json, "rows", leaf.rows);
  cli_json_text(json, "text", text);
  cli_json_row(json, "numbers");
  for (size_t i = 0; i < leaf.length; i++)
    cli_json_number(json, NULL, leaf.singles ? (double)leaf.singles[i] : leaf.numbers[i]);
  cli_json_close(json);
  free(text);
}

static void json_tree(cli_json *json, const svf_forest *forest, size_t tree) {
  svf_tree_info info;
  svf_forest_tree(forest, tree, &info);
  cli_json_object(json, NULL);
  cli_json_count(json, "tree", info.number + 1);
  cli_json_list(json, "nodes");
  for (size_t i = 0; i < info.nodes; i++) {
    svf_node_info node;
    svf_forest_node(forest, tree, i, &node);
    cli_json_object(json, NULL);
    cli_json_count(json, "node", i);
    if (is_leaf(&node)) json_leaf(json, forest, tree, node.leaf);
    else if (node.centres) json_centres(json, forest, &node);
    else if (node.by_levels) json_levels(json, forest, tree, i);
    else json_plane(json, forest, &node);
    cli_json_close(json);
  }
  cli_json_close(json);
  cli_json_close(json);
}

void cli_dump_json(cli_json *json, const svf_forest *forest) {
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  cli_json_list(json, "forest");
  for (size_t tree = 0; tree < info.trees; tree++) json_tree(json, forest, tree);
  cli_json_close(json);
}
