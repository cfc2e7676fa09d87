/* scored.c - see scored.h. */
#include "cut/scored.h"

#include <math.h>

size_t svf_features_wanted(const svf_settings *settings, size_t all, bool classes) {
  size_t wanted = all;
  int64_t features = settings->features;
  if (features == SVF_FEATURES_AUTO) features = classes ? SVF_FEATURES_SQRT : SVF_FEATURES_ALL;
  if (features == SVF_FEATURES_SQRT) wanted = (size_t)sqrt((double)all);
  if (features == SVF_FEATURES_THIRD) wanted = all / 3;
  if (features > 0) wanted = (size_t)features;
  return wanted ? wanted : 1;
}

svf_status svf_criterion_check(const svf_settings *settings, svf_task task, svf_message *message) {
  bool variance = settings->criterion == SVF_CRITERION_VARIANCE;
  if (task == SVF_TASK_AUTO || settings->criterion == SVF_CRITERION_AUTO) return SVF_OK;
  if (variance && task == SVF_TASK_CLASS)
    return svf_fail(message, SVF_USAGE, "criterion=variance is for numbers, and the target is classes");
  if (!variance && task == SVF_TASK_REGRESS && settings->given[SVF_SET_criterion])
    return svf_fail(message, SVF_USAGE,
                    "criterion=gini and criterion=entropy are for classes, and the target is a number; use "
                    "criterion=variance");
  return SVF_OK;
}
