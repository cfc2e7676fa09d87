/* cells.c - the cells of a tree over two features, as polygons: a box, cut by one plane after the other. */
#include "cells.h"
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
    if (node.left == 0 && node.right == 0) {
      use(user, &at.cell);
      continue;
    }
    stack[height++] = descend(forest, &node, &at.cell, false);
    stack[height++] = descend(forest, &node, &at.cell, true);
  }
  free(stack);
}
