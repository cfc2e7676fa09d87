/* settings.h - the settings as one plain struct, made from the rows of settings.def. */
#ifndef SVF_SETTINGS_SETTINGS_H
#define SVF_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buffer.h"
#include "base/status.h"
#include "svforest_inspect.h"

enum { SVF_NAME_SIZE = 32, SVF_LIST_SIZE = 64 };
enum { SVF_ROWS_ALL, SVF_ROWS_BOOTSTRAP, SVF_ROWS_SUBSAMPLE, SVF_ROWS_BALANCED };
enum { SVF_PRECISION_DOUBLE, SVF_PRECISION_SINGLE };
enum { SVF_CPU_AUTO, SVF_CPU_PORTABLE };
enum { SVF_REFUSED_STOP, SVF_REFUSED_REDRAW };
enum { SVF_RANGE_DATA, SVF_RANGE_CELL };
enum { SVF_CRITERION_AUTO, SVF_CRITERION_GINI, SVF_CRITERION_ENTROPY, SVF_CRITERION_VARIANCE };
enum { SVF_LOSS_SQUARED, SVF_LOSS_HINGE };
enum { SVF_BIAS_YES, SVF_BIAS_NO };
enum { SVF_MULTICLASS_REST, SVF_MULTICLASS_ONE, SVF_MULTICLASS_CRAMMER };
enum { SVF_CLASS_WEIGHT_NONE, SVF_CLASS_WEIGHT_BALANCED, SVF_CLASS_WEIGHT_GIVEN };
enum { SVF_REST_WEIGHT_ONE, SVF_REST_WEIGHT_CLASS };
enum { SVF_ROTATION_RANDOM, SVF_ROTATION_PCA };
enum { SVF_PROJECTION_ROWS_BOOTSTRAP, SVF_PROJECTION_ROWS_ALL };
enum { SVF_WEIGHTS_NORMAL, SVF_WEIGHTS_UNIFORM };
enum {
  SVF_BOOST_LOSS_AUTO,
  SVF_BOOST_LOSS_SQUARED,
  SVF_BOOST_LOSS_ABSOLUTE,
  SVF_BOOST_LOSS_HUBER,
  SVF_BOOST_LOSS_LOGISTIC
};
enum { SVF_SCREEN_FAST, SVF_SCREEN_EXACT };
enum { SVF_LEAF_FEATURES_LINEAR, SVF_LEAF_FEATURES_QUADRATIC };
enum { SVF_CELL_CHOICE_VOTES, SVF_CELL_CHOICE_UNIFORM };
enum { SVF_VACANCY_MEAN, SVF_VACANCY_NN };
enum { SVF_CANDIDATE_RISK_CONSTANT, SVF_CANDIDATE_RISK_LEAF };
enum { SVF_WIDTH_UNIT_CELL, SVF_WIDTH_UNIT_ONE };
enum { SVF_METRIC_NONE, SVF_METRIC_DIAGONAL, SVF_METRIC_FULL, SVF_METRIC_AUTO };
enum { SVF_METRIC_SCOPE_FOREST, SVF_METRIC_SCOPE_LEAF };
enum { SVF_CALIBRATION_NONE, SVF_CALIBRATION_LOGISTIC };
enum { SVF_SELECTION_LEFT_OUT, SVF_SELECTION_HOLDOUT };
/* Begins as svf_kernel_kind does. */
enum {
  SVF_KERNEL_CHOICE_LINEAR,
  SVF_KERNEL_CHOICE_POLY,
  SVF_KERNEL_CHOICE_RBF,
  SVF_KERNEL_CHOICE_CHI2,
  SVF_KERNEL_CHOICE_PRECOMPUTED,
  SVF_KERNEL_CHOICE_MIXED,
  SVF_KERNEL_CHOICE_LAPLACE,
  SVF_KERNEL_CHOICE_MANHATTAN,
  SVF_KERNEL_CHOICE_AUTO
};
enum { SVF_CHOOSE_LEAF, SVF_CHOOSE_FOREST, SVF_CHOOSE_RANDOM };
enum { SVF_C_SCALE_NONE, SVF_C_SCALE_ROOT };
enum { SVF_INTERVAL_NONE, SVF_INTERVAL_CONFORMAL };
enum { SVF_AIM_AUTO, SVF_AIM_LOG_LOSS, SVF_AIM_ACCURACY, SVF_AIM_AUC, SVF_AIM_MSE, SVF_AIM_MAE };

/* Words of a count are negative, -1 - their position; numbers stand for themselves. */
enum { SVF_FEATURES_AUTO = -1, SVF_FEATURES_SQRT = -2, SVF_FEATURES_THIRD = -3, SVF_FEATURES_ALL = -4 };
enum { SVF_THRESHOLDS_BEST = -1 };
enum { SVF_SEQUENCES_ALL = -1 };
enum { SVF_PARTITION_ALL = -1 };

typedef struct svf_list {
  double item[SVF_LIST_SIZE];
  size_t count;
} svf_list;

#define INTEGER(name, standard, low, high, help)      SVF_SET_##name,
#define NUMBER(name, standard, low, high, help)       SVF_SET_##name,
#define CHOICE(name, standard, words, help)           SVF_SET_##name,
#define LIST(name, standard, low, high, help)         SVF_SET_##name,
#define COUNT(name, standard, words, low, high, help) SVF_SET_##name,
#define KIND(name, standard, help)                    SVF_SET_##name,
enum {
#include "settings/settings.def"
  SVF_SETTINGS
};
#undef INTEGER
#undef NUMBER
#undef CHOICE
#undef LIST
#undef COUNT
#undef KIND

#define INTEGER(name, standard, low, high, help)      int64_t name;
#define NUMBER(name, standard, low, high, help)       double name;
#define CHOICE(name, standard, words, help)           int name;
#define LIST(name, standard, low, high, help)         svf_list name;
#define COUNT(name, standard, words, low, high, help) int64_t name;
#define KIND(name, standard, help)                    char name[SVF_NAME_SIZE];
struct svf_settings {
  char method[SVF_NAME_SIZE];
#include "settings/settings.def"
  unsigned char given[SVF_SETTINGS]; /* set by hand, neither default nor preset */
};
#undef INTEGER
#undef NUMBER
#undef CHOICE
#undef LIST
#undef COUNT
#undef KIND

/* All defaults, method "". */
void svf_settings_reset(svf_settings *settings);
/* Number of a setting by name, or -1. */
int svf_setting_find(const char *name);
/* Sets from text; a kind is taken as it is (the forest knows which there are). */
svf_status svf_settings_assign(svf_settings *settings, int number, const char *value, svf_message *message);
/* Appends the canonical text of one setting; false: memory ran out. */
bool svf_settings_print(const svf_settings *settings, int number, svf_buffer *text);

/* tuned.c: one TUNE row of settings.def; NULL after the last. */
typedef struct svf_tuned_row {
  int setting;
  const char *values, *when; /* as in settings.def */
} svf_tuned_row;
const svf_tuned_row *svf_tuned_at(size_t index);
/* Do the conditions of the row hold for these settings and this task? */
bool svf_tuned_applies(const svf_tuned_row *row, const svf_settings *settings, svf_task task);

/* Is this, however it is written, the setting's value? */
bool svf_settings_has(const svf_settings *settings, int number, const char *value);

/* presets.c: the row of a method, or NULL; and a method's settings over the defaults. */
const svf_method_info *svf_preset_find(const char *name);
svf_status svf_preset_apply(const svf_method_info *preset, svf_settings *settings, svf_message *message);

#endif
