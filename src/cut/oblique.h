/* oblique.h - what oblique cuts share: features drawn before their expansion, directions, and the search along them. */
#ifndef SVF_CUT_OBLIQUE_H
#define SVF_CUT_OBLIQUE_H

#include "cut/cut.h"
#include "cut/scored.h"
#include "cut/threshold.h"

/* Made once per tree. */
typedef struct svf_oblique {
  size_t features;       /* columns of the table */
  const uint32_t *first; /* features + 1: encoded columns of feature f are first[f]..first[f+1]-1 */
  const double *xlogx;   /* for svf_search_open; NULL: rows have weights */
} svf_oblique;

/* svf_cut.begin for cuts that need nothing else. */
const void *svf_oblique_begin(const svf_ground *ground, const svf_site *root);
bool svf_oblique_fill(svf_oblique *oblique, const svf_ground *ground, const svf_site *root);

/* Rows of a node in some of its columns. */
typedef struct svf_drawn {
  uint32_t *column; /* count encoded columns, ascending */
  size_t count;
  float *x;             /* n x count */
  unsigned char *whole; /* n: the row misses none of them */
  size_t rows, first;   /* rows that miss none of them, and none of the first feature drawn */
} svf_drawn;

/* Draws `wanted` features that vary in the node; encoded columns that do not vary are left out. Where values are missing, a
 * further feature is taken only if half of the rows that have the first one then still miss nothing. Everything from
 * the worker's arena; false: nothing varies, or memory ran out (remembered in ground->arena). */
bool svf_drawn_take(const svf_ground *ground, const svf_site *site, const svf_oblique *oblique, size_t wanted,
                    svf_random *random, svf_drawn *columns);

enum { SVF_ABREAST = 8 }; /* directions in one pass over the rows */

/* The best cut of a node while it is sought: from the worker's arena. */
typedef struct svf_best {
  svf_search search;
  svf_found found;
  svf_term *term; /* its direction; count 0: none yet */
  size_t count;
  float *value; /* SVF_ABREAST x n: what the directions being tried make of the rows */
} svf_best;
bool svf_best_open(svf_best *best, const svf_ground *ground, const svf_site *site, const svf_oblique *oblique);
/* Tries directions: weight has a row for each, with one number per column. Values are summed as svf_plane_side does, so that
 * rows fall as they were counted. False: memory ran out, remembered in ground->arena. */
bool svf_best_try(svf_best *best, const svf_ground *ground, const svf_drawn *columns, const float *weight,
                  size_t count);
/* Writes the best as a plane; false: there is none, or memory ran out. */
bool svf_best_plane(const svf_best *best, const svf_ground *ground, svf_plane *plane);

/* Standard normals, with the same bits on every processor. */
void svf_normals(svf_random *random, size_t count, double *out);
/* Uniform in 0..bound-1 for bound below 2^32; cheaper than svf_random_below. */
uint32_t svf_below(svf_random *random, uint32_t bound);

#endif
