/* route.c - rows to leaves: by the kernel where all cuts go along one column, else plane by plane. */
#include "forest/speak.h"

static uint32_t route_row(const svf_parts *parts, const svf_node_record *node, const float *row) {
  const svf_node_record *here = node;
  while (here->right) {
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
    for (size_t i = 0; i < question->n; i++) leaf[i] = route_row(parts, node, question->row[i]);
}
