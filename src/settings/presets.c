/* presets.c - every published method as a row of settings over the defaults of settings.def. */
#include "settings/settings.h"

#include <stdio.h>
#include <string.h>

#define RSVT_LEAF "leaf=linear-svm class_weight=balanced C_grid=0.25,0.5,1,2,4 folds=3 vote=majority"

#define CLASSIC "trees=100 scale=binary features=auto criterion=auto leaf=constant vote=mean"

#define GAUSSIAN_LEAF                                                                                                \
  "leaf=ls-svm kernel=rbf C_grid=0.1,0.5,2,10,50,200,1000,5000,20000,100000 calibration=logistic vote=mean"

#define OBLIQUE "trees=100 leaf=constant vote=mean"

/* Trees are many and small, see half of the features each, and rows held apart tell how many. */
#define BOOST "trees=1000 learning_rate=0.05 min_leaf=10 tree_features=0.5 stop_rounds=50"

#define TBRF       "rows=all vote=mean cut=adaptive range=data pick=best-scored "
#define TBRF_PAPER "Hang, Chen and Suykens, Two-stage best-scored random forest for large-scale regression (2019)"

#define KERNEL_LEAF "leaf=kernel-svm multiclass=one-vs-one folds=3 precision=single"

#define RCF_LEAF                                                                                                     \
  KERNEL_LEAF " kernel=poly degrees=1,2,3,4,5,6,7,8,9 coef0=1 C_grid=0.001,0.01,0.1,1,10,100 C_choice=forest "       \
              "C_scale=root tolerance=0.01 vote=mean"

static const svf_method_info presets[] = {
    {"rsvt", "Random Support Vector Trees, as run: a refused cut ends its branch",
     "Buekers, Random support vector trees (thesis, KU Leuven 2020)",
     "rows=all trees=10 cut=random min_leaf_factor=1 refused=stop " RSVT_LEAF},
    {"rsvt-full", "Random Support Vector Trees, as described: a refused cut is drawn again",
     "Buekers, Random support vector trees (thesis, KU Leuven 2020)",
     "rows=all trees=10 cut=random min_leaf_factor=1 refused=redraw " RSVT_LEAF},
    {"rsvf", "Randomized Support Vector Forest: cuts chosen by the out-of-bag error of their children's machines",
     "Lv, Han, Liu and He, Randomized support vector forest (BMVC 2014)",
     "rows=bootstrap trees=100 scale=mixed cut=project projection_size=1 projection_weights=uniform "
     "cut_candidates=10 threshold_candidates=10 overlap=0 leaf=linear-svm C=1 folds=0 pick=oob-drop screen=fast "
     "keep=4 doubt=0.5 "
     "vote=majority"},
    {"rf", "Random forest: the best cuts of random features on bootstraps of the rows",
     "Breiman, Random forests (Machine Learning 2001)", "rows=bootstrap cut=best " CLASSIC},
    {"et", "Extremely randomised trees: the best of random cuts, on all rows",
     "Geurts, Ernst and Wehenkel, Extremely randomized trees (Machine Learning 2006)", "rows=all cut=extra " CLASSIC},
    {"et-svm", "Extremely randomised trees with linear machines in leaves of at least sqrt(n) rows",
     "our own: the cuts of Geurts, Ernst and Wehenkel (2006), the leaves of Buekers (2020)",
     "rows=all trees=10 scale=robust cut=extra features=auto criterion=auto min_leaf_factor=1 " RSVT_LEAF},
    {"tbrf-c", "Two-stage best-scored random forest, constant leaves", TBRF_PAPER,
     TBRF "trees=100 cell_rows=10 splits_per_row=0.4 tree_candidates=10 leaf=constant"},
    {"tbrf-l", "Two-stage best-scored random forest, linear least-squares machines in the leaves", TBRF_PAPER,
     TBRF "trees=50 scale=robust cell_rows=200 splits_per_row=0.05 tree_candidates=10 leaf=ls-svm "
          "C_grid=0.001,0.01,0.1,1,10,100"},
    {"tbrf-g", "Two-stage best-scored random forest, Gaussian least-squares machines in the leaves", TBRF_PAPER,
     TBRF "trees=10 scale=robust cell_rows=200 splits_per_row=0.005 tree_candidates=5 " GAUSSIAN_LEAF},
    {"vp-svm", "Voronoi partition with one Gaussian least-squares machine in each cell, no ensemble",
     "Meister and Steinwart, Optimal learning rates for localized SVMs (JMLR 2016)",
     "rows=all trees=1 scale=robust cut=voronoi cell_rows=200 " GAUSSIAN_LEAF},
    {"linear-svm", "One linear machine on the whole table, the baseline of the others",
     "Fan, Chang, Hsieh, Wang and Lin, LIBLINEAR (JMLR 2008)", "rows=all trees=1 cut=none " RSVT_LEAF},
    {"random-rotation", "Random rotation forest: best cuts in a space that each tree rotates at random",
     "Blaser and Fryzlewicz, Random rotation ensembles (JMLR 2016)",
     "rows=bootstrap cut=rotate rotation=random " OBLIQUE},
    {"random-projection", "Random projection forest: the best cuts of random directions at every node",
     "Rainforth, Decision trees and random forests (lecture, 2017); Breiman, Random forests (2001)",
     "rows=bootstrap scale=robust cut=project projection_size=all " OBLIQUE},
    {"rotation-forest", "Rotation forest: the best cuts along principal components of random groups of features",
     "Rodriguez, Kuncheva and Alonso, Rotation forest (IEEE PAMI 2006)",
     "rows=all scale=standard cut=rotate rotation=pca features=all criterion=entropy " OBLIQUE},
    {"ccf", "Canonical correlation forest: cuts along the canonical directions of a node's bootstrap",
     "Rainforth and Wood, Canonical correlation forests (arXiv:1507.05444, 2015)",
     "rows=all scale=standard cut=cca criterion=entropy " OBLIQUE},
    {"rsvt-ccf", "Support vector leaves on canonical correlation cuts",
     "our own: the leaves of rsvt on the cuts of ccf",
     "rows=all trees=10 scale=mixed cut=cca criterion=entropy min_leaf_factor=1 " RSVT_LEAF},
    {"ls-svm", "One least-squares machine with a Gaussian kernel on the whole table",
     "Suykens and Vandewalle, Least squares support vector machine classifiers (Neural Processing Letters 1999)",
     "rows=all trees=1 scale=robust cut=none " GAUSSIAN_LEAF},
    {"metric-forest", "Kernel machines in cells, with a metric learned once: which features matter, and how much",
     "our own; the metric of Radhakrishnan, Beaglehole, Pandit and Belkin (Science 2024)",
     "rows=all trees=5 scale=auto cut=halve cell_rows=1000 leaf=ls-svm kernel=auto metric=auto widths=0.25,0.5,1,2,4 "
     "C_grid=1,10,100,1000,10000 calibration=logistic vote=mean"},
    {"rcf", "Random composite forest: shallow trees; a learning bound chooses the degree of each leaf's machine",
     "DeSalvo and Mohri, Random composite forests (AAAI 2016)",
     "rows=all trees=100 cut=best criterion=entropy max_depth=4 pick=bound sequences=10 " RCF_LEAF},
    {"rf-svm", "Shallow trees with polynomial machines of one degree in all leaves",
     "DeSalvo and Mohri, Random composite forests (AAAI 2016)",
     "rows=all trees=100 cut=best criterion=entropy max_depth=4 kernel_choice=forest " RCF_LEAF},
    {"rbf-svm", "One Gaussian machine on the whole table",
     "Boser, Guyon and Vapnik, A training algorithm (COLT 1992)",
     "rows=all trees=1 scale=robust cut=none kernel=rbf C_grid=0.1,1,10,100 " KERNEL_LEAF
     " tolerance=0.001 vote=majority"},
    {"poly-svm", "One polynomial machine on the whole table",
     "Boser, Guyon and Vapnik, A training algorithm (COLT 1992)",
     "rows=all trees=1 scale=robust cut=none kernel=poly degrees=3 C_grid=0.1,1,10,100 " KERNEL_LEAF
     " tolerance=0.001 vote=majority"},
    {"chi2-svm", "One machine with the chi-square kernel on the whole table, for counts and histograms",
     "Chapelle, Haffner and Vapnik, SVMs for histogram-based image classification (IEEE TNN 1999)",
     "rows=all trees=1 cut=none kernel=chi2 scale=unit C_grid=0.1,1,10,100 " KERNEL_LEAF
     " tolerance=0.001 vote=majority"},
    {"boost", "Gradient boosting: trees on binned features, each correcting the sum of those before it",
     "Friedman, Greedy function approximation: a gradient boosting machine (Annals of Statistics 2001)",
     "rows=all scale=binary cut=histogram features=all leaf=constant vote=boost max_leaves=20 " BOOST},
    {"boost-l", "Gradient boosting with linear machines in the leaves: fewer trees if the target is smooth",
     "our own; after Shi, Li and Li, Gradient boosting with piece-wise linear regression trees (IJCAI 2019)",
     "rows=all scale=binary cut=histogram features=all leaf=ls-svm kernel=linear C_grid=0.001,0.01,0.1,1 "
     "vote=boost max_leaves=12 " BOOST},
    {"xrfm", "Kernel machines that learn a metric each, in cells cut along the steepest direction of the node",
     "Beaglehole, Holzmueller, Radhakrishnan and Belkin, xRFM (arXiv:2508.10053, 2025)",
     "rows=all trees=1 scale=mixed cut=gradient cell_rows=1000 leaf=ls-svm kernel=laplace bias=no metric=full "
     "metric_scope=leaf metric_rounds=5 metric_judges=0.2 widths=0.25,0.5,1,2,4 C_grid=1,10,100,1000,10000 "
     "calibration=logistic vote=mean"},
    {"auto", "A committee of several methods, weighted by their scores on held-out rows", "our own", "committee=yes"},
};

size_t svf_method_count(void) { return sizeof presets / sizeof *presets; }
const svf_method_info *svf_method_at(size_t index) { return index < svf_method_count() ? &presets[index] : NULL; }

const char *svf_method_default(svf_task task) {
  (void)task;
  return "auto";
}

const svf_method_info *svf_preset_find(const char *name) {
  for (size_t i = 0; i < svf_method_count(); i++)
    if (!strcmp(presets[i].name, name)) return &presets[i];
  return NULL;
}

/* One "name=value" of a row. */
static svf_status apply_one(const char *pair, size_t length, svf_settings *settings, svf_message *message) {
  char text[128];
  if (length >= sizeof text) return svf_fail(message, SVF_USAGE, "a preset's setting is too long");
  memcpy(text, pair, length);
  text[length] = 0;
  char *equals = strchr(text, '=');
  if (!equals) return svf_fail(message, SVF_USAGE, "a preset's setting lacks '=': %s", text);
  *equals = 0;
  int number = svf_setting_find(text);
  if (number < 0) return svf_fail(message, SVF_USAGE, "a preset names an unknown setting: %s", text);
  return svf_settings_assign(settings, number, equals + 1, message);
}

svf_status svf_preset_apply(const svf_method_info *preset, svf_settings *settings, svf_message *message) {
  svf_settings_reset(settings);
  snprintf(settings->method, sizeof settings->method, "%s", preset->name);
  for (const char *at = preset->settings; *at;) {
    size_t length = strcspn(at, " ");
    SVF_TRY(apply_one(at, length, settings, message));
    at += length + (at[length] == ' ');
  }
  memset(settings->given, 0, sizeof settings->given);
  return SVF_OK;
}
