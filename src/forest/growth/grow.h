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
/* bag_number.c: how often the tree sees a row, where partition_rows is less than all. */
uint32_t svf_bag_count(const svf_settings *settings, uint32_t tree, uint32_t number);

/* prune.c: takes a share of the bag's rows out of it, all repeats of a row together, and returns them; at least one
 * row stays in the bag. From the arena; failure is remembered there. */
typedef struct svf_held {
  uint32_t *rows;
  size_t n;
} svf_held;
svf_held svf_hold_out(const svf_ground *ground, svf_bag *bag);
/* Reduced-error pruning: bottom-up, a cut whose node as a leaf errs no more on the held-out rows than the leaves below it
 * is undone. */
svf_status svf_prune(const svf_ground *ground, const svf_leaf *leaf, svf_site *root, svf_held held,
                     svf_message *message);

/* row_weights.c: sets weight, chance and judged of the frame by its row weights and the class weights, those last where the
 * leaf does not see to them itself. Every label must be known. */
svf_status svf_frame_weigh(const svf_settings *settings, const svf_kinds *kinds, svf_frame *frame,
                           svf_message *message);

/* Grows a tree in ground->arena and returns its root; NULL: memory ran out or the wish to stop. */
svf_site *svf_grow(const svf_ground *ground, const svf_kinds *kinds, const svf_bag *bag);

/* Are all rows of the site of one class or one value? */
bool svf_site_pure(const svf_frame *frame, const svf_site *site);
/* Divides the rows of a site by its plane among two new children; ready: what they have for leaves. False: memory ran out. */
bool svf_site_divide(const svf_ground *ground, const svf_cut *cut, svf_site *site, const svf_ready ready[2]);

/* impurity_gain.c: appends the gain records of a grown tree. False: memory ran out. */
bool svf_gains_add(const svf_ground *ground, const svf_site *root, size_t features, svf_buffer *records);

/* Sites in preorder: next one after `site`, or NULL. */
svf_site *svf_site_next(const svf_site *site);

#endif
