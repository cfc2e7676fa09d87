/* adaptive.h - cut=adaptive: adaptive.c draws the next cut of a cell, adaptive_tree.c grows a tree of two stages by such cuts,
 * adaptive_risk.c judges a candidate by trained leaves, adaptive_empty.c sees to cells without rows. */
#ifndef SVF_CUT_ADAPTIVE_H
#define SVF_CUT_ADAPTIVE_H

#include "cut/cut.h"
#include "cut/patch.h"

/* The cuts of one candidate in the order they were made. */
typedef struct svf_way {
  svf_slash *cut; /* room of them, each with `width` terms of its own */
  size_t count;
  double score;
} svf_way;

/* Draws the next cut of a patch, its plot and its plane (room for d terms, or for one where cuts are axis-parallel). False:
 * the cut is forgone. */
bool svf_adaptive_draw(svf_patch *patch, svf_random *random, svf_slash *slash);

/* svf_cut.grow. */
bool svf_adaptive_grow(const svf_ground *ground, svf_cell_score *score, svf_site *root);

/* Mean loss of a row under the leaves that the patch's plots would have, trained for it: squared error, of class shares
 * summed over the classes. False: memory ran out, or a leaf cannot be trained. */
bool svf_adaptive_risk(const svf_patch *patch, const svf_way *way, double *risk);

/* Says for each empty plot whose rows answer for it: those of the whole cell, or of the plot with rows whose centre is
 * nearest, the first of equals. site: of each plot. */
void svf_adaptive_fill(const svf_patch *patch, svf_site *const *site);

#endif
