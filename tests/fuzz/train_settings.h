/* train_settings.h - the fuzzer's bytes as settings: a preset, some settings of it changed, and small sizes. */
#ifndef SVF_FUZZ_TRAIN_SETTINGS_H
#define SVF_FUZZ_TRAIN_SETTINGS_H

#include "train_refusals.h"

typedef struct values {
  const char *name, *list;
} values;

/* What keeps a run short; a setting that the method does not read is left as it is. */
static const values sizes[] = {{"trees", "1|1|2|3"},
                               {"cell_rows", "10|40|3"},
                               {"tree_candidates", "1|2"},
                               {"cut_candidates", "1|3"},
                               {"choice_trees", "1|2"},
                               {"sequences", "1|3|all"},
                               {"degrees", "2|1,9"},
                               {"metric_rows", "20|50"},
                               {"metric_rounds", "1|2"},
                               {"direction_rows", "20|50"},
                               {"widths", "1|0.1,1|1e-6,1e6"},
                               {"C_grid", "1|1|0.1,10|1e-12,1e12"},
                               {"max_steps", "20|20|20|20|5|1|200|1000"}};

/* Values of settings that are numbers; choices and kinds name theirs themselves. */
static const values numbers[] = {{"seed", "1|9007199254740991"},
                                 {"sample_fraction", "0.001|0.5|1"},
                                 {"max_depth", "1|2|5"},
                                 {"min_leaf", "2|5|100"},
                                 {"min_leaf_factor", "0.5|1|1000000"},
                                 {"prune", "0.3|0.9"},
                                 {"features", "1|sqrt|third|all|5"},
                                 {"min_gain", "1e-9|0.1|1e300"},
                                 {"projection_size", "1|2|all"},
                                 {"threshold_candidates", "1|4|best"},
                                 {"overlap", "0.25|0,0.1"},
                                 {"group_size", "1|2|1000"},
                                 {"group_fraction", "0.01|1"},
                                 {"cells", "1|2|9|1000000000"},
                                 {"draws", "1|3"},
                                 {"splits_per_row", "0|0.05|1|3"},
                                 {"split_penalty", "1e-9|1|1e300"},
                                 {"keep", "0|1|4"},
                                 {"doubt", "0|1|1000000"},
                                 {"C", "1e-12|1e-6|1|1e6|1e12"},
                                 {"C_draws", "1|3"},
                                 {"folds", "0|2|5|100"},
                                 {"tolerance", "1e-14|0.001|0.1"},
                                 {"gamma", "1e-300|1e-6|1|1e6|1e12"},
                                 {"gamma_factors", "1e-9|0.1,10|1e9"},
                                 {"coef0", "0|1e12"},
                                 {"kernel_memory", "1"},
                                 {"metric_judges", "0|0.1|0.5"},
                                 {"bound_scale", "0|1|1e6"},
                                 {"max_leaves", "1|2|5|1000000000"},
                                 {"bins", "2|3|16|255"},
                                 {"tree_features", "0.001|0.5|1"},
                                 {"level_smoothing", "0|1|1e9"},
                                 {"learning_rate", "1e-6|0.1|1"},
                                 {"leaf_prior", "0|1|1e12"},
                                 {"stop_rounds", "0|1|3"},
                                 {"stop_fraction", "0.01|0.2|0.5"}};

/* Sets one if the library finds no reason against it. */
static inline void try_setting(svf_settings **settings, const sample *s, const char *name, const char *value) {
  svf_message message;
  svf_settings *changed;
  fuzz_demand(svf_settings_copy(*settings, &changed, NULL) == SVF_OK);
  fuzz_demand(svf_settings_set(changed, name, value, &message) == SVF_OK);
  svf_status status = svf_settings_check(changed, s->classes ? SVF_TASK_CLASS : SVF_TASK_REGRESS, &message);
  if (status) demand_reason(s, changed, status, &message);
  svf_settings_free(status ? changed : *settings);
  if (!status) *settings = changed;
}

static inline void try_one_of(fuzz_input *in, svf_settings **settings, const sample *s, const values *v) {
  char word[64];
  fuzz_word(in, v->list, word, sizeof word);
  try_setting(settings, s, v->name, word);
}

/* Another kind of one of the four seams. */
static inline void try_kind(fuzz_input *in, svf_settings **settings, const sample *s) {
  svf_kind_info kind = svf_kind_at(fuzz_choice(in, svf_kind_count()));
  try_setting(settings, s, kind.seam, kind.name);
}

/* Committees have no trees of their own, and tests/unit/test_committee.c: this target trains single forests. */
static inline bool is_committee(const svf_method_info *method) { return strstr(method->settings, "committee=yes"); }

static inline size_t count_methods(void) {
  size_t count = 0;
  while (count < svf_method_count() && !is_committee(svf_method_at(count))) count++; /* committees come last */
  return count;
}

static inline void try_any(fuzz_input *in, svf_settings **settings, const sample *s) {
  const svf_setting_info *info = svf_setting_at(fuzz_choice(in, svf_setting_count()));
  if (!strcmp(info->name, "committee")) return;
  if (!strcmp(info->name, "interval"))
    return; /* this target knows the rows of a forest; tests/unit/test_conformal.c */
  if (!strcmp(info->type, "kind")) try_kind(in, settings, s);
  if (!strcmp(info->type, "choice")) try_one_of(in, settings, s, &(values){info->name, info->range});
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp(numbers[i].name, info->name)) try_one_of(in, settings, s, &numbers[i]);
}

/* NULL: the method is not for the target. */
static inline svf_settings *take_settings(fuzz_input *in, const sample *s, size_t method) {
  svf_message message;
  svf_settings *settings;
  fuzz_demand(svf_settings_new(svf_method_at(method)->name, &settings, NULL) == SVF_OK);
  svf_status status = svf_settings_check(settings, s->classes ? SVF_TASK_CLASS : SVF_TASK_REGRESS, &message);
  if (status) {
    demand_reason(s, settings, status, &message);
    svf_settings_free(settings);
    return NULL;
  }
  if (s->class_weighted) try_setting(&settings, s, "class_weight", "given");
  for (size_t count = fuzz_choice(in, 8); count; count--) try_any(in, &settings, s);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) try_one_of(in, &settings, s, &sizes[i]);
  return settings;
}

#endif
