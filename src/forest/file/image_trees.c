/* image_trees.c - the trees of a model file are checked before anything walks through them: after this, every
 * path from a root ends in a leaf of its own tree and every index is in range. */
#include "forest/file/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the trees checked so far end in the arrays of all trees. Everything stands in order without gaps, so
 * one place in each array is all there is to remember. */
typedef struct walk {
  const svf_image *image;
  const svf_forest *forest;
  const svf_parts *parts;
  size_t node, term, leaf, number;
  double weight; /* sum */
  struct subtree {
    uint32_t start, height;
  } * stack; /* one per leaf */
} walk;

static svf_status broken(const walk *w, const svf_tree_record *tree, const char *what) {
  return svf_damaged(w->image, "tree %zu: %s", (size_t)(tree - w->parts->tree), what);
}

static svf_status check_record(walk *w, const svf_tree_record *tree) {
  size_t position = (size_t)(tree - w->parts->tree);
  if (tree->number != (uint64_t)w->forest->settings.first_tree + position)
    return broken(w, tree, "its number is wrong");
  if (tree->first_node != w->node || tree->first_leaf != w->leaf || tree->nodes == 0 ||
      tree->nodes > w->parts->nodes - w->node || tree->leaves > w->parts->leaves - w->leaf)
    return broken(w, tree, "its size is wrong");
  if (!isfinite(tree->weight) || tree->weight < 0 || tree->oob < 0)
    return broken(w, tree, "its weight or error is out of range");
  w->weight += tree->weight;
  return SVF_OK;
}

/* A cut of a category; of the NaNs that there are just one is written. */
static bool levels_fine(walk *w, const svf_node_record *node) {
  const svf_encoding *encoding = &w->forest->encoding;
  const svf_term *term = w->parts->term + w->term;
  size_t count = node->count / 2;
  if (memcmp(&node->threshold, &(float){NAN}, sizeof(float)) || node->first != w->term || count == 0 ||
      count > w->parts->terms - w->term || term->feature >= encoding->columns)
    return false;
  const svf_encoded *column = &encoding->column[term->feature];
  w->term += count;
  return column->level == SVF_ROLE_CODE &&
         svf_levels_valid(term, count, encoding->feature[column->feature].levels.count);
}

static bool plane_fine(walk *w, const svf_node_record *node) {
  size_t count = node->count / 2;
  if (svf_by_levels(node->threshold)) return levels_fine(w, node);
  if (!isfinite(node->threshold)) return false;
  if (count == 0) return node->first < w->forest->encoding.columns;
  if (node->first != w->term || count > w->parts->terms - w->term) return false;
  for (size_t t = w->term; t < w->term + count; t++)
    if (w->parts->term[t].feature >= w->forest->encoding.columns || !isfinite(w->parts->term[t].weight)) return false;
  w->term += count;
  return true;
}

/* Centres: a whole number of them, at least two, every coordinate at its place. */
static bool centres_fine(walk *w, const svf_node_record *node) {
  size_t d = w->forest->encoding.columns, count = node->count / 2;
  if (d == 0 || node->threshold != 0 || node->count % 2 || count % d || count / d < 2 || node->first != w->term ||
      count > w->parts->terms - w->term)
    return false;
  for (size_t t = 0; t < count; t++)
    if (w->parts->term[w->term + t].feature != t % d || !isfinite(w->parts->term[w->term + t].weight)) return false;
  w->term += count;
  return true;
}

/* Each node by itself, with leaves and terms numbered in order. */
static svf_status check_nodes(walk *w, const svf_tree_record *tree) {
  const svf_node_record *node = w->parts->node + tree->first_node;
  size_t leaves = 0;
  for (size_t i = 0; i < tree->nodes; i++) {
    bool fine = node[i].right == i + 1 ? centres_fine(w, &node[i])
                : node[i].right        ? plane_fine(w, &node[i])
                                       : node[i].count == 0 && node[i].threshold == 0 && node[i].first == leaves;
    if (!fine) return broken(w, tree, "a node is wrong");
    leaves += node[i].right == 0;
  }
  return leaves == tree->leaves ? SVF_OK : broken(w, tree, "it has not as many leaves as it says");
}

/* Do the last m subtrees begin at first, first + 1, ...? Then they are leaves, one per centre. */
static bool leaves_follow(const struct subtree *stack, size_t top, size_t first, size_t m) {
  if (m > top) return false;
  for (size_t c = 0; c < m; c++)
    if (stack[top - 1 - c].start != first + c || stack[top - 1 - c].height != 0) return false;
  return true;
}

/* Preorder read backwards: a leaf is a subtree, and a node joins the subtrees before it: two, or one per centre. */
static svf_status check_shape(const walk *w, const svf_tree_record *tree) {
  const svf_node_record *node = w->parts->node + tree->first_node;
  struct subtree *stack = w->stack;
  size_t top = 0;
  for (size_t i = tree->nodes; i-- > 0;) {
    uint32_t height = 0;
    if (node[i].right == i + 1) {
      size_t m = node[i].count / 2 / w->forest->encoding.columns;
      if (!leaves_follow(stack, top, i + 1, m)) return broken(w, tree, "its nodes do not make a tree");
      height = 1;
      top -= m;
    } else if (node[i].right) {
      if (top < 2 || stack[top - 1].start != i + 1 || stack[top - 2].start != node[i].right)
        return broken(w, tree, "its nodes do not make a tree");
      uint32_t left = stack[top - 1].height, right = stack[top - 2].height;
      height = 1 + (left > right ? left : right);
      top -= 2;
    }
    stack[top++] = (struct subtree){(uint32_t)i, height};
  }
  if (top != 1) return broken(w, tree, "its nodes do not make a tree");
  return stack[0].height == tree->depth ? SVF_OK : broken(w, tree, "its depth is wrong");
}

static svf_status check_leaves(walk *w, const svf_tree_record *tree) {
  for (size_t i = 0; i < tree->leaves; i++) {
    const svf_leaf_record *leaf = &w->parts->leaf[tree->first_leaf + i];
    if (leaf->first != w->number || leaf->length > w->parts->numbers - w->number)
      return broken(w, tree, "a leaf is not where it should be");
    svf_leaf_view view = svf_leaf_at(w->parts, tree->first_leaf + i, w->forest->fill, w->forest->la);
    for (size_t j = 0; j < leaf->length; j++)
      if (!isfinite(svf_leaf_number(&view, j))) return broken(w, tree, "a leaf has a value that is not a number");
    if (!(w->forest->bare ? &svf_leaf_bare : w->forest->kinds.leaf)->valid(&view))
      return broken(w, tree, "a leaf makes no sense");
    w->number += leaf->length;
  }
  return SVF_OK;
}

static svf_status check_tree(walk *w, const svf_tree_record *tree) {
  SVF_TRY(check_record(w, tree));
  SVF_TRY(check_nodes(w, tree));
  SVF_TRY(check_shape(w, tree));
  SVF_TRY(check_leaves(w, tree));
  w->node += tree->nodes;
  w->leaf += tree->leaves;
  return SVF_OK;
}

static svf_status check_gains(const svf_image *image, const svf_forest *forest) {
  const svf_parts *parts = &forest->parts;
  uint64_t first = (uint64_t)forest->settings.first_tree, end = first + parts->trees;
  for (size_t i = 0; i < parts->gains; i++) {
    const svf_gain_record *g = &parts->gain[i], *before = g - 1;
    bool later = !i || g->tree > before->tree || (g->tree == before->tree && g->feature > before->feature);
    if (!later || g->tree < first || g->tree >= end || g->feature >= svf_encoding_all(&forest->encoding) ||
        !isfinite(g->gain) || g->gain <= 0)
      return svf_damaged(image, "a gain is wrong");
  }
  return SVF_OK;
}

svf_status svf_trees_check(const svf_image *image, const svf_forest *forest) {
  const svf_parts *parts = &forest->parts;
  walk w = {.image = image, .forest = forest, .parts = parts};
  if (parts->trees != (uint64_t)forest->settings.trees * parts->sums)
    return svf_damaged(image, "it does not have the number of trees that it states");
  w.stack = calloc(parts->leaves ? parts->leaves : 1, sizeof *w.stack);
  if (!w.stack) return svf_no_memory(image->message, "a model");
  svf_status status = SVF_OK;
  for (size_t t = 0; t < parts->trees && !status; t++) status = check_tree(&w, &parts->tree[t]);
  free(w.stack);
  if (status) return status;
  if (w.node != parts->nodes || w.term != parts->terms || w.leaf != parts->leaves || w.number != parts->numbers)
    return svf_damaged(image, "it has more than its trees use");
  if (!(w.weight > 0) || !isfinite(w.weight)) return svf_damaged(image, "its trees have no weight");
  return check_gains(image, forest);
}
