/* grow.h - from rows to one tree of sites, its leaves not yet trained. */
#ifndef SVF_FOREST_GROW_H
#define SVF_FOREST_GROW_H

#include "forest/forest.h"

/* bag.c: which rows a tree sees. rows: ascending; judges: the others (NULL where all are seen). Rows with
 * weight 0 are in neither. From the arena; failure is remembered there. */
typedef struct svf_bag {
  uint32_t *rows, *judges;
  size_t n, judge_count;
} svf_bag;
svf_bag svf_bag_draw(const svf_ground *ground);

/* Grows a tree in ground->arena and returns its root; NULL: memory ran out or the wish to stop. */
svf_site *svf_grow(const svf_ground *ground, const svf_kinds *kinds, const svf_bag *bag);

/* Sites in preorder: next one after `site`, or NULL. */
svf_site *svf_site_next(const svf_site *site);

#endif
