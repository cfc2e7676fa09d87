/* train_refusals.h - every reason for which a small table may be refused, and when it is true. A refusal with other words,
 * or for a reason that is not true, is a finding. */
#ifndef SVF_FUZZ_TRAIN_REFUSALS_H
#define SVF_FUZZ_TRAIN_REFUSALS_H

#include "train_table.h"

typedef struct reason {
  svf_status status;
  const char *text;    /* a part of the message */
  const char *setting; /* NAME=VALUE that the settings must have for it; NULL: see the comment */
  bool (*holds)(const sample *s);
} reason;

static inline bool of_numbers(const sample *s) { return s->classes == 0; }
static inline bool of_classes(const sample *s) { return s->classes > 0; }
static inline bool class_weighted(const sample *s) { return s->class_weighted; }
static inline bool not_class_weighted(const sample *s) { return !s->class_weighted; }

/* Also by the class weights that balance tiny ones. */
static inline bool large_weights(const sample *s) {
  bool odd = s->class_weighted;
  for (size_t i = 0; s->weighted && i < s->n; i++)
    odd |= s->weight[i] > 1e99 || (s->weight[i] > 0 && s->weight[i] < 1e-99);
  return odd;
}

static inline bool large_target(const sample *s) {
  bool large = false;
  for (size_t i = 0; i < s->n; i++) large |= fabs(s->value[i]) > 1e280;
  return large;
}

/* A made feature may be far larger than the numbers it is made of. */
static inline bool beyond_limit(const sample *s) {
  bool beyond = s->made;
  for (size_t i = 0; i < s->n * s->d; i++) beyond |= fabs(s->x[i]) > 1e15;
  return beyond;
}

static inline bool has_missing(const sample *s) {
  bool missing = false;
  for (size_t i = 0; i < s->n * s->d; i++) missing |= isnan(s->x[i]);
  return missing;
}

static inline bool has_negative(const sample *s) {
  bool negative = false;
  for (size_t i = 0; i < s->n * s->d; i++) negative |= s->x[i] < 0;
  return negative;
}

static const reason reasons[] = {
    /* The target. */
    {SVF_USAGE, "is for classes, and the target is a number", NULL, of_numbers},
    {SVF_USAGE, "classifies, and the target is a number", NULL, of_numbers},
    {SVF_USAGE, "are for classes, and the target is a number", NULL, of_numbers},
    {SVF_USAGE, "class_weight is for classes, and the target is a number", NULL, of_numbers},
    {SVF_USAGE, "rows=balanced is for classes, and the target is a number", "rows=balanced", of_numbers},
    {SVF_USAGE, "criterion=variance is for numbers, and the target is classes", "criterion=variance", of_classes},
    /* What a committee reads. */
    {SVF_USAGE, "is for a committee, and this is one forest", NULL, NULL},
    /* Kinds that do not go together. */
    {SVF_USAGE, "prune removes cuts of single nodes", NULL, NULL},  /* cut=none, adaptive, voronoi */
    {SVF_USAGE, "chooses among whole trees of a cell", NULL, NULL}, /* another cut than adaptive */
    {SVF_USAGE, "chooses at a node, and cut=adaptive", "cut=adaptive", NULL},
    {SVF_USAGE, "chooses cuts, and cut=voronoi", "cut=voronoi", NULL},
    {SVF_USAGE, "has no constant prediction for empty cells", "vacancy=mean", NULL}, /* leaves of machines */
    {SVF_USAGE, "rows=all leaves none", "rows=all", NULL},     /* a pick or vote by out-of-bag rows */
    {SVF_USAGE, "chooses among machines", "pick=bound", NULL}, /* another leaf than kernel-svm */
    {SVF_USAGE, "counts the features that cuts are drawn from", "pick=bound", NULL}, /* another cut than best */
    {SVF_USAGE, "proposes one cut per node", "cut=histogram", NULL},                 /* a pick that chooses */
    {SVF_USAGE, "scores a tree by its own predictions, and with vote=boost it has none", "vote=boost", NULL},
    {SVF_USAGE, "gives each tree other targets", "vote=boost", NULL},       /* another cut than histogram */
    {SVF_USAGE, "adds numbers, and leaf=", "vote=boost", NULL},             /* another leaf than constant */
    {SVF_USAGE, "the steps of vote=boost are linear", "leaf=ls-svm", NULL}, /* another kernel */
    {SVF_USAGE, "the steps of vote=boost choose C by", "selection=holdout", NULL},
    {SVF_USAGE, "predict medians, and leaf=", "boost_loss=absolute", NULL}, /* another leaf than constant */
    {SVF_USAGE, "it cannot balance the rows of each", "rows=balanced", NULL},
    {SVF_USAGE, "trees of vote=boost correct those before them", "vote=boost", NULL}, /* first_tree, merge */
    {SVF_USAGE, "prune is for trees that predict alone", "vote=boost", NULL},
    {SVF_USAGE, "is for classes, and the target is a number: use boost_loss=auto", "boost_loss=logistic", of_numbers},
    {SVF_USAGE, "is for numbers, and the target is classes: use boost_loss=auto", NULL, of_classes},
    /* Settings that do not go together. */
    {SVF_USAGE, "max_leaves cuts the node with the largest gain", NULL, NULL}, /* a pick that chooses cuts */
    {SVF_USAGE, "no meaning", NULL, NULL},                                     /* nobody reads it */
    {SVF_USAGE, " not used ", NULL, NULL},                                     /* another setting makes it void */
    {SVF_USAGE, "which already sets the number of cells", NULL, NULL},
    {SVF_USAGE, "needs folds=2 or more", NULL, NULL}, /* folds=0 without C */
    {SVF_USAGE, "vacancy=nn needs cells that are boxes", "oblique=yes", NULL},
    {SVF_USAGE, "range is for cuts along one feature", "oblique=yes", NULL},
    {SVF_USAGE, "overlap is for drawn thresholds", "threshold_candidates=best", NULL},
    {SVF_USAGE, "are for rotation=pca only", "rotation=random", NULL},
    {SVF_USAGE, "candidate_risk=leaf would train new leaves for every prefix", "prefixes=yes", NULL},
    {SVF_USAGE, "has no multiclass=crammer-singer", "multiclass=crammer-singer", NULL},
    {SVF_USAGE, "kernel=chi2 is for non-negative numbers", "kernel=chi2", NULL}, /* another scale than unit, none */
    {SVF_USAGE, "kernel=precomputed reads similarities as they are", "kernel=precomputed", NULL}, /* any scale */
    {SVF_USAGE, "leaf=ls-svm has no such kernel", "leaf=ls-svm", NULL}, /* poly and others */
    {SVF_USAGE, "kernel=laplace, manhattan and auto are for leaf=ls-svm", "leaf=kernel-svm", NULL},
    {SVF_USAGE, "scale=auto is chosen", "scale=auto", NULL},
    {SVF_USAGE, "gamma depends on the kernel", "kernel=auto", NULL},
    {SVF_USAGE, "kernel=manhattan has one weight per feature", "metric=full", NULL},
    {SVF_USAGE, "metric=full would learn a matrix", "metric=full", NULL},
    {SVF_USAGE, "metric_judges are rows of a leaf", "metric_scope=forest", NULL},
    {SVF_USAGE, "cut=gradient would learn a matrix", "cut=gradient", NULL},
    {SVF_USAGE, "leaf_features=quadratic is for kernel=linear", "leaf_features=quadratic", NULL},
    {SVF_USAGE, "for kernel=poly and kernel=mixed", NULL, NULL}, /* degrees, coef0 of another kernel */
    {SVF_USAGE, "are for kernel=rbf, kernel=chi2 and kernel=mixed", NULL, NULL}, /* gamma_factors of another kernel */
    {SVF_USAGE, "rest_weight has a meaning for multiclass=one-vs-rest only", NULL, NULL},
    /* The table. */
    {SVF_DATA, "values beyond 1e15 need scale=unit", "scale=none", beyond_limit},
    {SVF_DATA, "row weights times class weights are too large", NULL, large_weights},
    {SVF_DATA, "row weights times class weights are 0 in every row", NULL, class_weighted},
    {SVF_USAGE, "class_weight=given needs a weight per class", "class_weight=given", not_class_weighted},
    {SVF_USAGE, "the table comes with class weights", NULL, class_weighted},
    {SVF_DATA, "which precision=single cannot", "precision=single", NULL},
    {SVF_DATA, "too large for the weights of a leaf", "leaf=ls-svm", large_target},
    {SVF_DATA, "kernel=chi2 is for counts or frequencies", "kernel=chi2", has_negative},
    {SVF_DATA, "kernel=precomputed reads column j", "kernel=precomputed", NULL}, /* columns are not as many as rows */
    {SVF_DATA, "kernel=precomputed needs all similarities", "kernel=precomputed", has_missing},
    {SVF_DATA, "kernel=precomputed needs a symmetric table", "kernel=precomputed", NULL},
    /* Questions to a forest. */
    {SVF_USAGE, "trees of vote=boost correct each other", "vote=boost", NULL},
    {SVF_USAGE, "the trees of vote=boost are added up", "vote=boost", NULL},
    {SVF_USAGE, "every tree of this model saw all rows", "rows=all", NULL},
    {SVF_USAGE, "the bound is for leaves of kernel machines", NULL,
     NULL}, /* another leaf, or a cut that draws none */
    {SVF_USAGE, "a model of classes has no spread", NULL, of_classes},
};

static inline bool has_setting(const svf_settings *settings, const char *wanted) {
  char name[32], value[256];
  size_t length = strcspn(wanted, "=");
  snprintf(name, sizeof name, "%.*s", (int)length, wanted);
  return svf_settings_get(settings, name, value, sizeof value) == SVF_OK && !strcmp(value, wanted + length + 1);
}

static inline bool is_reason(const sample *s, const svf_settings *settings, svf_status status, const char *text) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    const reason *r = &reasons[i];
    if (r->status == status && strstr(text, r->text) && (!r->setting || has_setting(settings, r->setting)) &&
        (!r->holds || r->holds(s)))
      return true;
  }
  return false;
}

/* Each of the complaints of a message must be a true one. */
static inline void demand_reason(const sample *s, const svf_settings *settings, svf_status status,
                                 const svf_message *message) {
  static const char moreover[] = "; moreover, ";
  char all[sizeof message->text], *text = all;
  memcpy(all, message->text, sizeof all);
  for (char *next; text; text = next) {
    next = strstr(text, moreover);
    if (next) *next = 0, next += sizeof moreover - 1;
    if (!is_reason(s, settings, status, text)) fuzz_found("a refusal", (int)status, text);
  }
}

#endif
