/* tree_records.c - what a model file keeps of trees, while they are made. */
#include "forest/answers/background.h"
#include "forest/growth/plant.h"

void svf_records_add_node(svf_records *records, const svf_site *site, uint32_t *leaf) {
  svf_node_record node = {.right = 0, .first = *leaf};
  if (site->child[0]) {
    node.right = site->child[site->centres ? 0 : 1]->number;
    node.first = (uint32_t)(records->term.size / sizeof(svf_term));
    node.count = (uint32_t)(2 * site->plane.count + site->plane.missing_left);
    node.threshold = site->plane.threshold;
    svf_buffer_add(&records->term, site->plane.term, site->plane.count * sizeof(svf_term));
  } else {
    ++*leaf;
  }
  svf_buffer_add(&records->node, &node, sizeof node);
}

bool svf_records_failed(const svf_records *r) {
  return r->tree.failed || r->node.failed || r->term.failed || r->leaf.failed || r->number.failed || r->gain.failed;
}

void svf_records_expect(svf_records *tree, size_t nodes, size_t leaves) {
  svf_buffer_reserve(&tree->node, nodes * sizeof(svf_node_record));
  svf_buffer_reserve(&tree->term, (nodes - leaves) * sizeof(svf_term));
  svf_buffer_reserve(&tree->leaf, leaves * sizeof(svf_leaf_record));
  svf_buffer_reserve(&tree->number, leaves * sizeof(double));
}

void svf_records_reserve(svf_records *all, const svf_sapling *sapling, size_t count) {
  size_t node = 0, term = 0, leaf = 0, number = 0;
  for (size_t t = 0; t < count; t++) {
    const svf_records *tree = &sapling[t].records;
    node += tree->node.size, term += tree->term.size, leaf += tree->leaf.size, number += tree->number.size;
  }
  svf_buffer_reserve(&all->node, node);
  svf_buffer_reserve(&all->term, term);
  svf_buffer_reserve(&all->leaf, leaf);
  svf_buffer_reserve(&all->number, number);
}

void svf_records_append(svf_records *all, svf_records *tree) {
  uint32_t terms = (uint32_t)(all->term.size / sizeof(svf_term));
  size_t numbers = all->number.size / sizeof(double);
  svf_node_record *node = (svf_node_record *)tree->node.data;
  svf_leaf_record *leaf = (svf_leaf_record *)tree->leaf.data;
  svf_tree_record *record = (svf_tree_record *)tree->tree.data;
  for (size_t i = 0; i < record->nodes; i++)
    if (node[i].right) node[i].first += terms;
  for (size_t i = 0; i < record->leaves; i++) leaf[i].first += numbers;
  record->first_node = all->node.size / sizeof *node;
  record->first_leaf = all->leaf.size / sizeof *leaf;
  svf_buffer_add(&all->tree, tree->tree.data, tree->tree.size);
  svf_buffer_add(&all->node, tree->node.data, tree->node.size);
  svf_buffer_add(&all->term, tree->term.data, tree->term.size);
  svf_buffer_add(&all->leaf, tree->leaf.data, tree->leaf.size);
  svf_buffer_add(&all->number, tree->number.data, tree->number.size);
  svf_buffer_add(&all->gain, tree->gain.data, tree->gain.size);
  svf_records_free(tree);
}

svf_parts svf_records_parts(const svf_planting *planting) {
  const svf_records *r = &planting->records;
  return (svf_parts){
      .settings = planting->settings,
      .encoding = planting->encoding,
      .rows = planting->frame->n,
      .said = svf_kinds_said(&planting->kinds, planting->frame->k),
      .sums = svf_kinds_sums(&planting->kinds, planting->frame->k),
      .tree = (const svf_tree_record *)r->tree.data,
      .node = (const svf_node_record *)r->node.data,
      .term = (const svf_term *)r->term.data,
      .leaf = (const svf_leaf_record *)r->leaf.data,
      .number = (const double *)r->number.data,
      .gain = (const svf_gain_record *)r->gain.data,
      .metric = planting->metric.t ? &planting->metric : NULL,
      .background = planting->background ? (const double *)planting->background->data : NULL,
      .backgrounds = svf_background_rows(planting->settings, planting->frame->n),
      .trees = r->tree.size / sizeof(svf_tree_record),
      .nodes = r->node.size / sizeof(svf_node_record),
      .terms = r->term.size / sizeof(svf_term),
      .leaves = r->leaf.size / sizeof(svf_leaf_record),
      .numbers = r->number.size / sizeof(double),
      .gains = r->gain.size / sizeof(svf_gain_record),
  };
}

void svf_records_free(svf_records *records) {
  svf_buffer_free(&records->tree);
  svf_buffer_free(&records->node);
  svf_buffer_free(&records->term);
  svf_buffer_free(&records->leaf);
  svf_buffer_free(&records->number);
  svf_buffer_free(&records->gain);
  *records = (svf_records){0};
}
