/* cell_polygons.c - the cells of a tree over two features, as polygons: a box, cut by one plane after the other; the cell of
 * a centre by the planes halfway between it and each of the others. */
#include "cell_polygons.h"
#include "plane.h"
#include <stdlib.h>

/* weight . x - threshold, the sign turned for the right side: below 0 is kept. */
typedef struct half {
  double weight[2], threshold;
} half;

static half half_of(const svf_forest *forest, const svf_node_info *node, bool left) {
  cli_plane plane;
  half h = {{0, 0}, 0};
  cli_plane_of(forest, node, &plane);
  double sign = left != plane.swapped ? 1 : -1;
  for (size_t i = 0; i < plane.count; i++) h.weight[plane.term[i].column] += sign * plane.term[i].weight;
  h.threshold = sign * plane.threshold;
  free(plane.term);
  return h;
}

static double outside(const half *h, const double x[2]) {
  return h->weight[0] * x[0] + h->weight[1] * x[1] - h->threshold;
}

static void add(cli_cell *cell, double x, double y) {
  if (cell->count == CLI_CELL_CORNERS) return;
  cell->corner[cell->count][0] = x;
  cell->corner[cell->count++][1] = y;
}

/* The part of a convex cell in the half plane (Sutherland and Hodgman 1974). */
static cli_cell clip(const cli_cell *cell, const half *h) {
  cli_cell kept = {.count = 0};
  for (size_t i = 0; i < cell->count; i++) {
    const double *a = cell->corner[i], *b = cell->corner[(i + 1) % cell->count];
    double u = outside(h, a), v = outside(h, b);
    if (u <= 0) add(&kept, a[0], a[1]);
    if ((u < 0 && v > 0) || (u > 0 && v < 0))
      add(&kept, a[0] + u / (u - v) * (b[0] - a[0]), a[1] + u / (u - v) * (b[1] - a[1]));
  }
  return kept;
}

/* Nearer to centre a than to b: |e - a|^2 <= |e - b|^2, with e = (x - shift) * scale, is linear in x. */
static half half_between(const svf_forest *forest, const svf_node_info *node, size_t a, size_t b) {
  size_t d = node->term_count / node->centres;
  half h = {{0, 0}, 0};
  for (size_t j = 0; j < d; j++) {
    svf_encoded_info e;
    svf_forest_encoded(forest, j, &e);
    double p = (double)node->terms[a * d + j].weight, q = (double)node->terms[b * d + j].weight;
    double weight = 2 * (q - p) * e.scale;
    h.weight[e.feature] += weight;
    h.threshold += (q - p) * (q + p) + weight * e.shift;
  }
  return h;
}

static void use_centres(const svf_forest *forest, const svf_node_info *node, const cli_cell *box, cli_cell_use use,
                        void *user) {
  for (size_t a = 0; a < node->centres; a++) {
    cli_cell cell = *box;
    for (size_t b = 0; b < node->centres; b++) {
      half h = half_between(forest, node, a, b);
      if (b != a) cell = clip(&cell, &h);
    }
    use(user, &cell);
  }
}

typedef struct visit {
  size_t node;
  cli_cell cell;
} visit;

static visit descend(const svf_forest *forest, const svf_node_info *node, const cli_cell *cell, bool left) {
  half h = half_of(forest, node, left);
  return (visit){left ? node->left : node->right, clip(cell, &h)};
}

void cli_cells_each(const svf_forest *forest, size_t tree, const double low[2], const double high[2],
                    cli_cell_use use, void *user) {
  svf_tree_info info;
  svf_forest_tree(forest, tree, &info);
  visit *stack = CLI_TAKE(visit, info.nodes + 1);
  size_t height = 1;
  add(&stack[0].cell, low[0], low[1]);
  add(&stack[0].cell, high[0], low[1]);
  add(&stack[0].cell, high[0], high[1]);
  add(&stack[0].cell, low[0], high[1]);
  while (height) {
    svf_node_info node;
    visit at = stack[--height];
    svf_forest_node(forest, tree, at.node, &node);
    bool leaf = node.left == 0 && node.right == 0;
    if (leaf) use(user, &at.cell);
    if (node.centres) use_centres(forest, &node, &at.cell, use, user);
    if (leaf || node.centres) continue;
    stack[height++] = descend(forest, &node, &at.cell, false);
    stack[height++] = descend(forest, &node, &at.cell, true);
  }
  free(stack);
}
