/* site.h - a tree while it grows: what cuts, leaves and picks are shown of it. */
#ifndef SVF_CUT_SITE_H
#define SVF_CUT_SITE_H

#include <math.h>
#include "base/pool.h"
#include "base/random.h"
#include "cut/levels.h"
#include "data/encode.h"
#include "la/metric.h"
#include "settings/settings.h"
#include "svforest_inspect.h"

/* left if sum(weight * x[feature]) < threshold; a row that misses one of the features goes to the missing
 * side. With NaN as threshold, a cut of a category (levels.h). */
typedef struct svf_plane {
  svf_term *term;
  size_t count; /* 0: no cut, the site is a leaf */
  float threshold;
  bool missing_left;
  double gain; /* by how much the cut lowers weight * impurity of the node's rows; 0: the cut keeps no score */
  float band;  /* in training, rows within that distance of the threshold go to both sides; 0: none */
  bool noted;  /* the cut has left the sides of the site's rows in site->right */
} svf_plane;

/* Candidates of one node. Planes along one direction stand together and share their terms and missing side. */
typedef struct svf_planes {
  svf_plane *item;
  size_t count;
} svf_planes;

/* A leaf model of a site's rows that somebody trained on the way: exactly what the leaf's own training gives. */
typedef struct svf_ready {
  const double *numbers; /* NULL: there is none */
  size_t length;
  double wrong; /* error of the site's judges by it: weight of those with a wrong class, or sum of squares */
} svf_ready;

/* A node. Row lists are lists, not slices: a cut with an overlap sends rows to both sides. */
typedef struct svf_site svf_site;
struct svf_site {
  svf_site *up;       /* NULL: the root */
  svf_site *child[2]; /* left, right; NULL: a leaf; below centres, the first two of an array of so many */
  int side;           /* which child of `up` it is */
  size_t depth;
  uint64_t name;  /* names its random streams; a function of the way from the root alone */
  uint32_t *rows; /* training rows, ascending (repeats in a bootstrap); children take the list over */
  size_t n;
  uint32_t *judges; /* rows the tree does not train on that fall here; NULL: none are kept */
  size_t judge_count;
  unsigned char *right; /* while the site is cut, n: room for 0 left, 1 right; NULL: nobody would read it */
  void *note;           /* what the cut keeps of an open site (svf_cut.divided) */
  svf_plane plane;
  uint32_t centres; /* 0: `plane` is one; else its terms are the coordinates of so many centres, each of them all
                       columns in order, and a row goes to the child of the nearest */
  const svf_site *filler; /* of an empty cell: whose rows answer for it (see vacancy); NULL: the site has rows */
  svf_ready ready;
  uint32_t number; /* in preorder; set once the tree is grown */
};

/* What all nodes of one tree share. */
typedef struct svf_ground {
  const svf_frame *frame;
  const svf_settings *settings;
  const svf_la *la;
  const struct svf_leaf *leaf; /* the kind of the leaves, for picks and cuts that train some */
  uint32_t tree;               /* number in the whole forest */
  const void *prepared;        /* what the cut's prepare made; NULL: it has none */
  const void *shared;          /* what the leaf's prepare made; NULL: it has none */
  const svf_metric *metric; /* what the leaf learned for the whole forest; NULL: distances are those of the frame */
  double weight;            /* of all rows of the tree, repeats counted */
  size_t min_leaf;          /* rows each side of a cut must keep */
  size_t memory_limit;      /* bytes one leaf may take; 0: the machine's memory */
  const float *low, *high;  /* d: range of each feature in the training table, the root's cell */
  svf_arena *arena;         /* lives as long as the tree: planes, row lists */
  svf_worker *worker;       /* scratch and the wish to stop */
  const void *notes;        /* what the cut's `begin` made for this tree */
  svf_message *message;     /* why the arena was made to fail, where that is not plain memory; NULL: nobody asks */
} svf_ground;

static inline svf_random svf_site_random(const svf_ground *ground, const svf_site *site, svf_use use, size_t trial) {
  return svf_random_at((svf_place){(uint64_t)ground->settings->seed, use, ground->tree, trial, site->name});
}

/* The sum that a plane compares with its threshold; NaN: the row misses a feature of it. */
static inline float svf_terms_sum(const svf_term *term, size_t count, const float *row) {
  if (count == 1 && term[0].weight == 1) return row[term[0].feature];
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += term[i].weight * row[term[i].feature];
  return sum;
}

/* -1: the row misses a feature of the plane; else 0 left, 1 right. */
static inline int svf_plane_side(const svf_term *term, size_t count, float threshold, const float *row) {
  if (svf_by_levels(threshold)) return svf_levels_side(term, count, row);
  float sum = svf_terms_sum(term, count, row);
  return sum < threshold ? 0 : sum >= threshold ? 1 : -1;
}

/* The same for training: infinite on the side where missing rows go. For cuts with a threshold. */
static inline float svf_plane_value(const svf_plane *plane, const float *row) {
  float sum = svf_terms_sum(plane->term, plane->count, row);
  return sum == sum ? sum : plane->missing_left ? -INFINITY : INFINITY;
}
/* Does a row of that value train the child on that side? One within the band trains both. */
static inline bool svf_plane_joins(const svf_plane *plane, float value, int side) {
  return side ? value >= plane->threshold - plane->band : value < plane->threshold + plane->band;
}

/* Rows of the site on each side of the plane; missing rows are counted apart. */
typedef struct svf_sides {
  size_t left, right, missing;
} svf_sides;
svf_sides svf_plane_count(const svf_frame *frame, const uint32_t *rows, size_t n, const svf_plane *plane);

/* The nearest of m centres, the first of equals; term: m x d coordinates, fill: what stands for a missing value. */
uint32_t svf_nearest_centre(const svf_term *term, size_t m, size_t d, const float *row, const float *fill);

/* Where rows go once missing ones have gone to their side: right[i] becomes 0 or 1. */
void svf_plane_sides(const svf_frame *frame, const svf_plane *plane, const uint32_t *rows, size_t n,
                     unsigned char *right);

/* A plane with terms of its own; false: memory ran out. */
bool svf_plane_copy(const svf_plane *plane, svf_arena *arena, svf_plane *copy);

/* Rows that go to one side in training, order kept; out: room for n. Returns how many. */
size_t svf_plane_take(const svf_frame *frame, const svf_plane *plane, int side, const uint32_t *rows, size_t n,
                      uint32_t *out);

/* The child on one side, without rows. */
svf_site svf_site_child(svf_site *site, int side);

/* The site's cell in one feature: the axis cuts on the way from the root, within the root's cell. */
void svf_site_side(const svf_site *site, uint32_t feature, float root_low, float root_high, float *low, float *high);

#endif
