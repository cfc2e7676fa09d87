/* scored.h - what every cut with a score of its own reads of the settings. */
#ifndef SVF_CUT_SCORED_H
#define SVF_CUT_SCORED_H

#include "settings/kind.h"

/* Features or directions to look at, of `all` that there are; a number given by hand may be larger. */
size_t svf_features_wanted(const svf_settings *settings, size_t all, bool classes);

/* For svf_kind.check: a criterion given by hand must be one for the task; one of a preset is that of its classes, and a
 * number is judged by its variance. */
svf_status svf_criterion_check(const svf_settings *settings, svf_task task, svf_message *message);

/* For the lists of kinds. */
#define SVF_GAIN_SETTINGS                                                                                            \
  "max_depth", "min_leaf", "min_leaf_factor", "features", "criterion", "min_gain", "cut_candidates", "max_leaves"

#endif
