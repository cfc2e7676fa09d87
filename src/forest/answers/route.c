/* route.c - rows to leaves: by the kernel where all cuts go along one column, else node by node. */
#include "forest/answers/tree_answers.h"

static uint32_t route_row(const svf_question *question, const svf_node_record *node, const float *row) {
  const svf_parts *parts = question->parts;
  const svf_node_record *here = node;
  while (here->right) {
    if (here->right == (uint32_t)(here - node) + 1) { /* centres */
      size_t d = parts->encoding->columns, m = (here->count >> 1) / d;
      here += 1 + svf_nearest_centre(parts->term + here->first, m, d, row, question->fill);
      continue;
    }
    svf_term along = {here->first, 1};
    const svf_term *term = here->count > 1 ? parts->term + here->first : &along;
    int side = svf_plane_side(term, here->count > 1 ? here->count >> 1 : 1, here->threshold, row);
    if (side < 0) side = here->count & 1 ? 0 : 1;
    here = side ? node + here->right : here + 1;
  }
  return here->first;
}

void svf_tree_route(const svf_question *question, size_t tree, uint32_t *leaf) {
  const svf_parts *parts = question->parts;
  const svf_tree_record *record = &parts->tree[tree];
  const svf_node_record *node = parts->node + record->first_node;
  if (!parts->terms && record->nodes < 1u << 29) question->la->descend(node, question->n, question->row, leaf);
  else
    for (size_t i = 0; i < question->n; i++) leaf[i] = route_row(question, node, question->row[i]);
}
