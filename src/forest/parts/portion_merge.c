/* portion_merge.c - cuts and the leaves of all their cells become a model. */
#include "forest/parts/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_first_cell(const void *left, const void *right) {
  const svf_portion *a = *(const svf_portion *const *)left, *b = *(const svf_portion *const *)right;
  return (a->first > b->first) - (a->first < b->first);
}

static svf_status refuse_cells(uint64_t from, uint64_t to, const char *what, svf_message *message) {
  return svf_fail(message, SVF_DATA, "the leaves of cells %llu to %llu are %s", (unsigned long long)from,
                  (unsigned long long)to - 1, what);
}

/* Every cell once, with as many leaves as it has. */
static svf_status check_cells(const svf_sketch *cuts, const svf_portion *const *leaves, size_t count,
                              svf_message *message) {
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t first = leaves[i]->first, past = first + leaves[i]->cells;
    if (first > end) return refuse_cells(end, first, "missing", message);
    if (first < end) return refuse_cells(first, past < end ? past : end, "there twice", message);
    if (past > cuts->cells) return refuse_cells(cuts->cells, past, "more than the cuts have", message);
    if (leaves[i]->made.leaves != svf_sketch_first(cuts, past) - svf_sketch_first(cuts, first))
      return refuse_cells(first, past, "not as many as the cuts have", message);
    end = past;
  }
  return end < cuts->cells ? refuse_cells(end, cuts->cells, "missing", message) : SVF_OK;
}

/* The records of a model, from those of the cuts. */
typedef struct joined {
  svf_tree_record *tree;
  svf_leaf_record *leaf;
  double *number;
  size_t numbers;
} joined;

static bool join_leaves(const svf_parts *cuts, const svf_portion *const *leaves, size_t count, joined *j) {
  size_t at = 0, numbers = 0;
  for (size_t i = 0; i < count; i++) numbers += leaves[i]->made.numbers;
  j->tree = malloc(cuts->trees * sizeof *j->tree);
  j->leaf = malloc(cuts->leaves * sizeof *j->leaf);
  j->number = malloc((numbers + 1) * sizeof *j->number);
  if (!j->tree || !j->leaf || !j->number) return false;
  memcpy(j->tree, cuts->tree, cuts->trees * sizeof *j->tree);
  for (size_t i = 0; i < count; i++) {
    const svf_made *made = &leaves[i]->made;
    if (made->numbers) memcpy(j->number + j->numbers, made->number, made->numbers * sizeof *j->number);
    for (size_t l = 0; l < made->leaves; l++, at++) {
      j->leaf[at] = (svf_leaf_record){j->numbers, made->leaf[l].length, made->leaf[l].rows};
      j->numbers += made->leaf[l].length;
    }
  }
  return true;
}

/* What each tree is worth, from its leaves in order. */
static void weigh_trees(const svf_forest *forest, const svf_portion *const *leaves, const joined *j) {
  const svf_vote *vote = forest->kinds.vote;
  size_t part = 0, at = 0;
  for (size_t t = 0; t < forest->parts.trees; t++) {
    double judged = 0, outcome = 0;
    for (uint32_t l = 0; l < j->tree[t].leaves; l++, at++) {
      if (at == leaves[part]->made.leaves) part++, at = 0;
      judged += leaves[part]->made.leaf[at].judged;
      outcome += leaves[part]->made.leaf[at].outcome;
    }
    if (judged > 0) j->tree[t].oob = outcome / judged;
    svf_vote_tree facts = {forest->encoding.task == SVF_TASK_CLASS, j->tree[t].oob, j->tree[t].leaves};
    if (vote->weight) j->tree[t].weight = vote->weight(&facts);
  }
}

static svf_status make_model(const svf_forest *forest, const joined *j, svf_forest **made, svf_message *message) {
  svf_buffer image = {0};
  svf_parts parts = forest->parts;
  parts.tree = j->tree;
  parts.leaf = j->leaf;
  parts.number = j->number;
  parts.numbers = j->numbers;
  parts.single = false;
  svf_status status = svf_image_make(&parts, &image, message);
  if (!status)
    return svf_image_open(image.data, image.size, SVF_HOLD_ALLOCATED, "the model of these leaves", made, message);
  svf_buffer_free(&image);
  return status;
}

svf_status svf_portion_merge(const svf_portion *cuts, const svf_portion *const *leaves, size_t count,
                             svf_forest **forest, svf_message *message) {
  *forest = NULL;
  joined j = {0};
  svf_cells all;
  SVF_TRY(svf_portion_cells(cuts, NULL, &all, message));
  for (size_t i = 0; i < count; i++) SVF_TRY(svf_portion_fits(leaves[i], SVF_PORTION_LEAVES, cuts, message));
  const svf_portion **sorted = malloc((count + 1) * sizeof *sorted);
  if (!sorted) return svf_no_memory(message, "the leaves");
  if (count) memcpy(sorted, leaves, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_first_cell);
  svf_status status = check_cells(&cuts->cuts, sorted, count, message);
  if (!status && !join_leaves(&cuts->cuts.forest->parts, sorted, count, &j))
    status = svf_no_memory(message, "the model");
  if (!status) weigh_trees(cuts->cuts.forest, sorted, &j);
  if (!status) status = make_model(cuts->cuts.forest, &j, forest, message);
  free(j.tree);
  free(j.leaf);
  free(j.number);
  free(sorted);
  return status;
}
