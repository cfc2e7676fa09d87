/* patch.h - a cell that is cut into ever smaller ones, cut after cut, each wherever the cut likes: rows and boxes keep up.
 * Both stages of cut=adaptive work on one. The first is cut once: slips of the rows move with them. The second is cut
 * many times, in different ways, which are compared: the risk of constant answers keeps up too.
 *
 * Each of the smaller cells is a plot. Cutting plot number c leaves its left side as c and makes its right side the next
 * number, so a list of (plot, plane) says the whole way, and any prefix of it a coarser one. */
#ifndef SVF_CUT_PATCH_H
#define SVF_CUT_PATCH_H

#include "cut/site.h"
#include "cut/slips.h"

typedef struct svf_plot {
  uint32_t from, n; /* its rows in patch->order */
  double loss;      /* weight * variance of its targets, or weight * Gini index of its classes; see `weighs` */
} svf_plot;

/* One cut: which plot, and where. */
typedef struct svf_slash {
  uint32_t plot;
  svf_plane plane;
} svf_slash;

/* A column of a plot. */
typedef struct svf_taken {
  uint32_t plot, column;
} svf_taken;

typedef struct svf_patch {
  const svf_ground *ground;
  const svf_site *site;
  size_t n, d, room; /* rows, encoded columns, most plots */
  const float *x;    /* row i, column j at x[(row ? row[i] : i) * row_step + j * column_step] */
  size_t row_step, column_step;
  const uint32_t *row;
  svf_slips slips;               /* the features of the plots' rows in the order of `order` */
  bool weighs;                   /* are losses kept up? */
  const double *target, *weight; /* n: moved and scaled into [-1, 1], or the class; NULL: all 1 */
  double unit;                   /* square of what 1 stands for in `target` */
  double all;                    /* weight of the rows */
  uint32_t *order, *home;        /* n: rows grouped by plot, ascending in each; the plot of each row */
  svf_plot *plot;
  size_t count;
  float *box;          /* room x 2d: least and greatest of each plot in each column; NULL: nobody looks at them */
  double loss;         /* of all plots together */
  uint32_t *votes;     /* room: all 0 between cuts, for whoever counts plots */
  uint32_t *drawn;     /* settings->draws */
  unsigned char *side; /* n */
  uint32_t *spare;     /* n */
  float *value;        /* n: those of the column that was taken last */
  svf_taken taken;     /* which it was */
  double *tally;       /* 2 x classes */
} svf_patch;

/* Memory from ground->worker->arena for the rows of the site and up to `plots` plots. weighs: losses are kept up, and the
 * rows' features are copied, so that many cuts of few rows stay in the cache. False: memory ran out. Begin before the first
 * cut. */
bool svf_patch_open(svf_patch *patch, const svf_ground *ground, const svf_site *site, size_t plots, bool weighs);

/* One plot again, the whole cell. */
void svf_patch_begin(svf_patch *patch);

static inline float svf_patch_x(const svf_patch *patch, uint32_t i, size_t column) {
  return patch->x[(patch->row ? patch->row[i] : i) * patch->row_step + column * patch->column_step];
}

/* Least and greatest value of a column in a plot; false: it has no two different ones. */
bool svf_patch_range(svf_patch *patch, uint32_t plot, uint32_t column, float *low, float *high);

/* Has the plot rows that differ in their target? */
bool svf_patch_mixed(const svf_patch *patch, uint32_t plot);

/* Cuts; where rows miss a feature of the plane they join the larger side, which is noted in it. False: a side would have
 * fewer than `least` rows, and nothing was done. */
bool svf_patch_cut(svf_patch *patch, svf_slash *slash, size_t least);

/* Mean loss of a row, in squares of the target's units: the empirical risk of constant answers. Where losses are kept up. */
static inline double svf_patch_risk(const svf_patch *patch) {
  return patch->loss > 0 ? patch->loss / patch->all * patch->unit : 0;
}

#endif
