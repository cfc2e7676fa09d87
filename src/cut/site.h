/* site.h - a tree while it grows: what cuts, leaves and picks are shown of it. */
#ifndef SVF_CUT_SITE_H
#define SVF_CUT_SITE_H

#include "base/pool.h"
#include "base/random.h"
#include "data/encode.h"
#include "la/la.h"
#include "settings/settings.h"

/* left if sum(weight * x[feature]) < threshold; a row that misses one of the features goes to the missing
 * side. */
typedef struct svf_plane {
  svf_term *term;
  size_t count; /* 0: no cut, the site is a leaf */
  float threshold;
  bool missing_left;
  double gain; /* by how much the cut lowers weight * impurity of the node's rows; 0: the cut keeps no score */
} svf_plane;

/* A node. Row lists are lists, not slices: a cut with an overlap sends rows to both sides. */
typedef struct svf_site svf_site;
struct svf_site {
  svf_site *up;       /* NULL: the root */
  svf_site *child[2]; /* left, right; NULL: a leaf */
  int side;           /* which child of `up` it is */
  size_t depth;
  uint64_t name;  /* names its random streams; a function of the way from the root alone */
  uint32_t *rows; /* training rows, ascending (repeats in a bootstrap); children take the list over */
  size_t n;
  uint32_t *judges; /* rows the tree does not train on that fall here; NULL: none are kept */
  size_t judge_count;
  svf_plane plane;
  uint32_t number; /* in preorder; set once the tree is grown */
};

/* What all nodes of one tree share. */
typedef struct svf_ground {
  const svf_frame *frame;
  const svf_settings *settings;
  const svf_la *la;
  uint32_t tree;           /* number in the whole forest */
  const void *prepared;    /* what the cut's prepare made; NULL: it has none */
  const void *shared;      /* what the leaf's prepare made; NULL: it has none */
  double weight;           /* of all rows of the tree, repeats counted */
  size_t min_leaf;         /* rows each side of a cut must keep */
  size_t memory_limit;     /* bytes one leaf may take; 0: the machine's memory */
  const float *low, *high; /* d: range of each feature in the training table, the root's cell */
  svf_arena *arena;        /* lives as long as the tree: planes, row lists */
  svf_worker *worker;      /* scratch and the wish to stop */
  const void *notes;       /* what the cut's `begin` made for this tree */
} svf_ground;

static inline svf_random svf_site_random(const svf_ground *ground, const svf_site *site, svf_use use, size_t trial) {
  return svf_random_at((svf_place){(uint64_t)ground->settings->seed, use, ground->tree, trial, site->name});
}

/* -1: the row misses a feature of the plane; else 0 left, 1 right. */
static inline int svf_plane_side(const svf_term *term, size_t count, float threshold, const float *row) {
  float sum = row[term[0].feature];
  if (count > 1 || term[0].weight != 1) {
    sum = 0;
    for (size_t i = 0; i < count; i++) sum += term[i].weight * row[term[i].feature];
  }
  return sum < threshold ? 0 : sum >= threshold ? 1 : -1;
}

/* Rows of the site on each side of the plane; missing rows are counted apart. */
typedef struct svf_sides {
  size_t left, right, missing;
} svf_sides;
svf_sides svf_plane_count(const svf_frame *frame, const uint32_t *rows, size_t n, const svf_plane *plane);

/* Where rows go once missing ones have gone to their side: right[i] becomes 0 or 1. */
void svf_plane_sides(const svf_frame *frame, const svf_plane *plane, const uint32_t *rows, size_t n,
                     unsigned char *right);

/* The site's cell in one feature: the axis cuts on the way from the root, within the root's cell. */
void svf_site_side(const svf_site *site, uint32_t feature, float root_low, float root_high, float *low, float *high);

/* Smallest and largest value of a feature in the rows, missing ones apart; false: all missing. */
bool svf_feature_range(const svf_frame *frame, const uint32_t *rows, size_t n, uint32_t feature, float *low,
                       float *high);

#endif
