/* choose_settings.h - settings of a whole forest of which several values are given: one is chosen by cross-validation. */
#ifndef SVF_FOREST_CHOOSE_SETTINGS_H
#define SVF_FOREST_CHOOSE_SETTINGS_H

#include "settings/settings.h"

/* Leaves one value in every such list: the one whose small forests err least on three folds, the first of equals. Parts of
 * one forest choose the same. */
svf_status svf_settings_choose(svf_settings *settings, const svf_table *table, const svf_run *run,
                               svf_message *message);

/* What the leaf kind chooses, and the scale with it (leaf.h). */
svf_status svf_settings_choose_leaf(svf_settings *settings, const svf_table *table, const svf_run *run,
                                    svf_message *message);

#endif
