/* median.h - a node cut at the median along a direction, until a cell has at most cell_rows rows: what cut=halve and
 * cut=gradient share.
 *
 * With z = T x (svf_metric; T = I where nothing was learned) a direction u is the plane u.T x = w.x with w = T u in the encoded
 * columns. Of several equal values all go to one side, the one that leaves the sides more even: rows that coincide end in one leaf.
 * Columns that do not vary in the node, or miss a value there, have no part in it; if there are no others, the varying one that
 * is missing least is cut alone. */
#ifndef SVF_CUT_MEDIAN_H
#define SVF_CUT_MEDIAN_H

#include "cut/cut.h"

typedef struct svf_median {
  const svf_ground *ground;
  const svf_site *site;
  uint32_t *column; /* those that take part */
  size_t count;
  double *w, *scratch; /* padded d; w: the next direction */
  float *value;        /* of the rows that have one */
  size_t there;
  svf_term *term;
} svf_median;

/* Is the node to be cut by this candidate at all? */
bool svf_median_wanted(const svf_ground *ground, const svf_site *site, size_t trial);

/* Terms come from ground->arena, the rest from ground->worker->arena. False: memory ran out. */
bool svf_median_open(svf_median *median, const svf_ground *ground, const svf_site *site);

/* Along u, which is in median->w and is spoilt. False: all rows have the same value, or a side would be too small. */
bool svf_median_try(svf_median *median, svf_plane *plane);

/* Along a random direction, uniform on the sphere; drawn again, a few times, where it cannot be cut. */
bool svf_median_draw(svf_median *median, svf_random *random, svf_plane *plane);

#endif
