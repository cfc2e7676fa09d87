/* best_first.h - a tree of at most max_leaves leaves: the open site whose cut gains most is divided next. */
#ifndef SVF_FOREST_BEST_FIRST_H
#define SVF_FOREST_BEST_FIRST_H

#include "forest/growth/grow.h"

/* Grows the tree below a root, by cuts whose planes have gains. Returns the root; NULL: memory ran out or the wish to stop. */
svf_site *svf_grow_best_first(const svf_ground *ground, const svf_kinds *kinds, svf_site *root);

#endif
