/* partition_cuts.c - the cuts of a forest whose leaves are still to be trained, and which of them must be trained together. */
#include "forest/parts/partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- leaves before they are trained ---- */

/* Nothing is learned but whose rows it would be: those of the leaf itself, or of the filler of an empty one. */
static svf_status note(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  (void)ground;
  double node = site->number;
  return svf_buffer_add(numbers, &node, sizeof node) ? SVF_OK : svf_no_memory(message, "a leaf");
}

static bool valid(const svf_leaf_view *leaf) {
  if (leaf->length != 1) return leaf->length == 0;
  double node = svf_leaf_number(leaf, 0);
  return node >= 0 && node < UINT32_MAX && node == (double)(uint32_t)node;
}

const svf_leaf svf_leaf_bare = {
    .kind.name = "bare", .kind.help = "nothing yet", .train = note, .flat = note, .quick = true, .valid = valid};

/* ---- which leaves belong together ---- */

/* The leaves below each node of a tree: `first` in preorder, and the end of them. */
typedef struct reach {
  uint32_t *first, *end; /* nodes */
} reach;

static bool reach_open(reach *r, size_t nodes) {
  *r = (reach){malloc(nodes * sizeof *r->first), malloc(nodes * sizeof *r->end)};
  return r->first && r->end;
}

static void reach_free(reach *r) {
  free(r->first);
  free(r->end);
}

/* The tree is sound: preorder, every child behind its parent. */
static void reach_find(const svf_parts *parts, const svf_tree_record *tree, reach *r) {
  const svf_node_record *node = parts->node + tree->first_node;
  size_t d = parts->encoding->columns;
  uint32_t leaves = 0;
  for (uint32_t i = 0; i < tree->nodes; i++) {
    r->first[i] = leaves;
    leaves += node[i].right == 0;
  }
  for (uint32_t i = tree->nodes; i-- > 0;)
    r->end[i] = !node[i].right           ? r->first[i] + 1
                : node[i].right == i + 1 ? r->first[i] + (uint32_t)(node[i].count / 2 / d)
                                         : r->end[node[i].right];
}

static bool has_filler(const svf_parts *parts, size_t leaf) { return parts->leaf[leaf].length == 1; }

/* The fillings of one tree. */
static svf_status find_fillings(svf_sketch *cuts, size_t t, const char *path, svf_message *message) {
  const svf_parts *parts = &cuts->forest->parts;
  const svf_tree_record *tree = &parts->tree[t];
  uint32_t base = (uint32_t)tree->first_leaf;
  reach r;
  svf_status status = reach_open(&r, tree->nodes) ? SVF_OK : svf_no_memory(message, "the cuts");
  if (!status) reach_find(parts, tree, &r);
  for (uint32_t l = base; l < base + tree->leaves && !status; l++) {
    if (!has_filler(parts, l)) continue;
    svf_leaf_view view = svf_leaf_at(parts, l, cuts->forest->fill, cuts->forest->la);
    double node = svf_leaf_number(&view, 0);
    if (node < tree->nodes)
      cuts->filling[cuts->fillings++] =
          (svf_filling){l, base + r.first[(size_t)node], base + r.end[(size_t)node], (uint32_t)node};
    else status = svf_fail(message, SVF_DATA, "%s: damaged: tree %zu: a leaf makes no sense", path, t);
  }
  reach_free(&r);
  return status;
}

/* Cells begin at all leaves but those that a filling joins to the one before: joined counts the fillings that open and
 * close. */
static bool find_cells(svf_sketch *cuts) {
  size_t leaves = cuts->forest->parts.leaves;
  int32_t *joined = calloc(leaves + 2, sizeof *joined), open = 0;
  cuts->start = malloc((leaves + 1) * sizeof *cuts->start);
  if (!joined || !cuts->start) {
    free(joined);
    return false;
  }
  for (size_t i = 0; i < cuts->fillings; i++) {
    const svf_filling *f = &cuts->filling[i];
    joined[(f->leaf < f->first ? f->leaf : f->first) + 1]++;
    joined[f->leaf >= f->end ? f->leaf + 1 : f->end]--;
  }
  for (size_t l = 0; l < leaves; l++) {
    open += joined[l];
    if (!open) cuts->start[cuts->cells++] = (uint32_t)l;
  }
  cuts->start[cuts->cells] = (uint32_t)leaves;
  free(joined);
  return true;
}

svf_status svf_sketch_open(svf_forest *forest, const char *path, svf_sketch *cuts, svf_message *message) {
  const svf_parts *parts = &forest->parts;
  size_t fillings = 0;
  *cuts = (svf_sketch){.forest = forest};
  if (parts->leaves >= INT32_MAX)
    return svf_fail(message, SVF_DATA, "%s: more than %d leaves: use fewer trees", path, INT32_MAX);
  if (parts->rows > SVF_MOST_ROWS) return svf_fail(message, SVF_DATA, "%s: damaged: too many rows", path);
  svf_message why;
  if (svf_partition_wanted(&forest->settings, &why) || svf_partition_check(&forest->settings, &forest->kinds, &why))
    return svf_fail(message, SVF_DATA, "%s: damaged: %.900s", path, why.text);
  bool open = forest->settings.scale == SVF_SCALE_AUTO ||
              (forest->kinds.leaf->chooses && forest->kinds.leaf->chooses(&forest->settings));
  if (open) return svf_fail(message, SVF_DATA, "%s: damaged: its settings leave a choice open", path);
  for (size_t c = 0; forest->encoding.class_weight && c < forest->encoding.classes.count; c++)
    if (!(forest->encoding.class_weight[c] > 0))
      return svf_fail(message, SVF_DATA, "%s: damaged: a class weighs nothing", path);
  for (size_t l = 0; l < parts->leaves; l++) fillings += has_filler(parts, l);
  cuts->filling = malloc((fillings + 1) * sizeof *cuts->filling);
  if (!cuts->filling) return svf_no_memory(message, "the cuts");
  for (size_t t = 0; t < parts->trees && fillings; t++) SVF_TRY(find_fillings(cuts, t, path, message));
  return find_cells(cuts) ? SVF_OK : svf_no_memory(message, "the cuts");
}

void svf_sketch_free(svf_sketch *cuts) {
  svf_forest_free(cuts->forest);
  free(cuts->start);
  free(cuts->filling);
}
