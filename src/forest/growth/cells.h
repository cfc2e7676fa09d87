/* cells.h - trees that grow by cells instead of by nodes: two stages, candidates for each cell, and what empty ones say. */
#ifndef SVF_FOREST_CELLS_H
#define SVF_FOREST_CELLS_H

#include "forest/growth/grow.h"

/* The cuts of one candidate in the order they were made. */
typedef struct svf_way {
  svf_slash *cut; /* room of them, each with `width` terms of its own */
  size_t count;
  double score;
} svf_way;

/* Grows a tree below its root by the cut's `draw`. False: memory ran out or the wish to stop. */
bool svf_grow_cells(const svf_ground *ground, const svf_kinds *kinds, svf_site *root);

/* centres.c: gives the root a child for each of the cut's centres. False: memory ran out. */
bool svf_grow_centres(const svf_ground *ground, const svf_kinds *kinds, svf_site *root);

/* How many cells of the first stage, or of a Voronoi partition, n rows have: at least 1, at most n. */
size_t svf_cell_count(const svf_settings *settings, size_t n);

/* candidate_risk.c: mean loss of a row under the leaves that the patch's plots would have, trained for it: squared error,
 * of class shares summed over the classes. False: memory ran out, or a leaf cannot be trained. */
bool svf_candidate_risk(const svf_patch *patch, const svf_way *way, const svf_leaf *leaf, double *risk);

/* empty_cells.c: says for each empty plot whose rows answer for it: those of the whole cell, or of the plot with rows whose
 * centre is nearest, the first of equals. site: of each plot. */
void svf_fill_vacancies(const svf_patch *patch, svf_site *const *site);

#endif
