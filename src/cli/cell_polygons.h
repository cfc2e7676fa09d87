/* cell_polygons.h - the cells of a tree over two features, as polygons. */
#ifndef CLI_CELL_POLYGONS_H
#define CLI_CELL_POLYGONS_H

#include "cli.h"

enum { CLI_CELL_CORNERS = 64 }; /* a convex cell gains at most one corner per cut; more are left out */

typedef struct cli_cell {
  size_t count;
  double corner[CLI_CELL_CORNERS][2];
} cli_cell;

typedef void (*cli_cell_use)(void *user, const cli_cell *cell);

/* Calls back for each leaf of the tree in order, with its part of the box. The features are two numbers,
 * not clipped (scale=robust): a cell would have curved sides. */
void cli_cells_each(const svf_forest *forest, size_t tree, const double low[2], const double high[2],
                    cli_cell_use use, void *user);

#endif
