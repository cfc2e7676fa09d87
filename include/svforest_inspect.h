/* svforest_inspect.h - for programs that look into settings, results and models. svforest.h is enough to train and
 * predict.
 *
 * Read it top to bottom: lists of settings, methods, kinds and synthetic sets; measures; tuning; features and their
 * encoding; committees; trees, nodes and leaves; out-of-bag answers and importance; answers tree by tree; explanations;
 * a report; a model as C; a learning bound. The rules at the top of svforest.h hold here, too.
 */
#ifndef SVFOREST_INSPECT_H
#define SVFOREST_INSPECT_H

#include "svforest.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lists of settings, methods, kinds and synthetic sets ------------------------------------------ */

/* One row of the settings table, from which settings are checked, printed and documented. */
typedef struct svf_setting_info {
  const char *name;
  const char *type;     /* "integer", "number", "choice", "count" (a word or an integer), "list", "kind" */
  const char *standard; /* default, as text */
  const char *range;    /* "1..1000000", "all|bootstrap|subsample", ... */
  const char *help;     /* one sentence */
} svf_setting_info;
SVF_API size_t svf_setting_count(void);
SVF_API const svf_setting_info *svf_setting_at(size_t index);
/* 1: setting number `index` (svf_setting_at) has an effect together with these settings. Others are refused if
 * set. */
SVF_API int svf_settings_reads(const svf_settings *settings, size_t index);

/* One published (or own) method: a row of settings. */
typedef struct svf_method_info {
  const char *name;
  const char *title;
  const char *paper;    /* who published it, or that it is our own */
  const char *settings; /* "cut=random refused=stop ...": what differs from the defaults */
} svf_method_info;
SVF_API size_t svf_method_count(void);
SVF_API const svf_method_info *svf_method_at(size_t index);
/* The name in the list that is most similar to `wanted`, for "did you mean ...?"; NULL: none is similar. */
SVF_API const char *svf_name_nearest(const char *wanted, const char *const *names, size_t count);

/* One kind of one of the four choices (seams): "cut", "leaf", "pick" or "vote". */
typedef struct svf_kind_info {
  const char *seam, *name, *help;
  const char *const *settings; /* names of the settings it reads, NULL-terminated */
} svf_kind_info;
SVF_API size_t svf_kind_count(void);
SVF_API svf_kind_info svf_kind_at(size_t index);

/* One kind of synthetic set (svf_table_synth). */
typedef struct svf_synth_info {
  const char *name, *help;
  svf_task task;
  size_t features; /* default d */
} svf_synth_info;
SVF_API size_t svf_synth_count(void);
SVF_API const svf_synth_info *svf_synth_at(size_t index);
typedef struct svf_synth_options {
  size_t rows, features, classes; /* 0: the kind's default */
  uint64_t seed;
} svf_synth_options;
/* bayes_risk: set to the least possible error, or NaN if it is not known for this kind; may be NULL. */
SVF_API svf_status svf_table_synth(const char *kind, const svf_synth_options *options, svf_table **table,
                                   double *bayes_risk, svf_message *message);

/* ---- measures -------------------------------------------------------------------------------------- */

/* n rows with their targets and predictions; k classes. A label of -1 is unknown to the model. It counts as an error
 * in every measure but AUC, which leaves such rows out. */
typedef struct svf_outcome {
  size_t n, k;                 /* k = 0: regression */
  const int32_t *label;        /* classes */
  const double *value;         /* numbers */
  const double *predicted;     /* class codes, or values */
  const double *probabilities; /* n x k; NULL: AUC and log-loss are NaN */
  const double *weight;        /* NULL: every row 1 */
} svf_outcome;

typedef struct svf_class_measures {
  double accuracy;
  double balanced_accuracy; /* mean recall of the classes that occur */
  double f1;                /* mean over the classes that occur or were predicted */
  double auc;               /* of the second of two classes; more classes: mean of one against the rest */
  double log_loss;          /* probabilities below 1e-15 count as 1e-15 */
  size_t unknown;           /* rows with a label that the model does not know */
} svf_class_measures;

typedef struct svf_value_measures {
  double mse, rmse, mae, r2;
} svf_value_measures;

/* confusion: the caller's (k + 1) x k array, or NULL. Set to the weight of the rows by label and prediction; the last
 * row is for unknown labels. */
SVF_API svf_status svf_measure_classes(const svf_outcome *outcome, double *confusion, svf_class_measures *measures,
                                       svf_message *message);
SVF_API void svf_measure_values(const svf_outcome *outcome, svf_value_measures *measures);

/* The bound on a new row's score that holds with probability `level` or more, if the row and the calibration rows are
 * exchangeable: the ceil((n + 1) * level)-th smallest of the n scores, or infinity if there are fewer. NaN: the model
 * is not calibrated, or level is not in (0, 1). So a number lies within value -+ bound * spread, and the label set
 * has all classes with probability 1 - bound or more. */
SVF_API double svf_forest_conformal(const svf_forest *forest, double level);

/* ---- tuning: what is tried, what was found --------------------------------------------------------- */

/* What svf_tune tries by default with these settings for this task: writes number `index`, as "NAME=VALUE|VALUE",
 * into a buffer; the first value is the current one. SVF_USAGE: there are no more, or the buffer is too small. */
SVF_API svf_status svf_tune_values(const svf_settings *settings, svf_task task, size_t index, char *buffer,
                                   size_t size);

typedef struct svf_tuning_info {
  size_t candidates; /* how many have run; svf_tuning_candidate numbers them from 0 */
  size_t complete;   /* how many of them ran on all rows of all folds */
  size_t failed;     /* for how many of them the training failed */
  size_t best;       /* number of the best complete one; the first, if several are equal */
  size_t folds;
  double combinations; /* how many candidates the searched values allow, illegal combinations included */
  double seconds;      /* since the search began */
  int late;            /* 1: the budget was spent */
  size_t refused;      /* illegal combinations that the search met and left out */
  const char *refusal; /* why the first of them was refused, or ""; valid until the tuning is freed */
} svf_tuning_info;
SVF_API void svf_tuning_describe(const svf_tuning *tuning, svf_tuning_info *info);

typedef struct svf_candidate_info {
  const char *settings;    /* "name=value name=value": those that differ from the settings given to svf_tune; or "" */
  double score, deviation; /* mean and standard deviation over the folds; NaN: it failed */
  double rows;             /* fraction of the training rows in its last run; below 1: others were better */
  double seconds;          /* of that run */
} svf_candidate_info;
SVF_API void svf_tuning_candidate(const svf_tuning *tuning, size_t index, svf_candidate_info *info);

/* ---- features and their encoding ------------------------------------------------------------------- */

/* The class weight that training was given; 1 if it was given none. */
SVF_API double svf_forest_class_weight(const svf_forest *forest, size_t index);
/* Writes the recipe of a made feature, such as "width*height", into a buffer. Returns the length that it needs, or 0
 * if the feature is a column of the table or memory ran out. */
SVF_API size_t svf_forest_feature_text(const svf_forest *forest, size_t feature, char *buffer, size_t size);
/* 1: the column was left out of training because nearly every row had a text of its own (name_levels). In tables to
 * predict it may have any content, or be absent. */
SVF_API int svf_forest_is_left_out(const svf_forest *forest, size_t column);
/* One column of the encoded table: encoded = (x - shift) * scale. Here x is
 *   - the number, in a feature of numbers;
 *   - if `category` is set: 1 if the row has this category, else 0;
 *   - if `codes` is set: the code of the category, not scaled;
 *   - if `part` is set: what it names. "missing": 1 if the feature is missing, else 0; "share": the frequency of the
 *     class `part_class` among the training rows of the row's category; "mean": the mean of a numeric target among
 *     them; "frequency": log(1 + how many there are); "days", "month", "weekday" and "hour": that of a date.
 * If `clipped` is set (scale=robust), encoded becomes encoded / sqrt(1 + (encoded/3)^2). Machines in the leaves see
 * `fill` in place of a missing value. */
typedef struct svf_encoded_info {
  size_t feature;       /* the column or made feature that it was computed from */
  const char *category; /* NULL: a number */
  double shift, scale, fill;
  int clipped;
  int codes;
  const char *part;       /* what it holds of its feature; NULL: the number, the category or its code */
  const char *part_class; /* the class of a "share"; else NULL */
} svf_encoded_info;
SVF_API void svf_forest_encoded(const svf_forest *forest, size_t column, svf_encoded_info *info);
/* The inverse: the value x that `encoded` was computed from; `shift` for a constant column. */
SVF_API double svf_encoded_decode(const svf_encoded_info *info, double encoded);

/* ---- committees ------------------------------------------------------------------------------------ */

/* What a committee is made of. */
typedef struct svf_committee_info {
  size_t members;   /* 0: the model is a single forest, and the fields below are not set */
  const char *plan; /* for svf_auto_options.plan */
  const char *aim;  /* what its weights minimise: "log-loss", "accuracy", "auc", "mse" or "mae" */
  /* The committee's score by that measure, on held-out rows that did not decide its weights; and its standard
   * error. */
  double score, deviation;
  int calibrated; /* 1: probabilities were fitted to held-out rows */
} svf_committee_info;
SVF_API void svf_committee_describe(const svf_forest *forest, svf_committee_info *info);

struct svf_member_info {
  const svf_forest *forest; /* the member, a model that belongs to the committee; NULL during training */
  const char *settings;     /* "rf trees=200"; valid until the committee is freed, in training until `tell` returns */
  double weight;            /* NaN during training */
  double score;             /* on held-out rows, as svf_committee_info.score */
  double seconds;           /* during training; else 0, as model files have no times */
  const char *dropped;      /* why the member was left out; NULL: it was not */
};
SVF_API void svf_committee_member(const svf_forest *forest, size_t member, svf_member_info *info);

/* ---- trees, nodes and leaves ----------------------------------------------------------------------- */

typedef struct svf_tree_info {
  size_t number; /* first_tree + position */
  size_t nodes, leaves;
  double weight; /* in a weighted vote */
  double oob;    /* accuracy or mean squared error on the rows it did not see; NaN: saw all */
} svf_tree_info;
SVF_API void svf_forest_tree(const svf_forest *forest, size_t tree, svf_tree_info *info);

/* A node is one of three: a leaf; a plane, where a row goes left if sum(weight * x[feature]) < threshold, else right;
 * or m centres, where it goes to the child of the nearest centre (the first, if several are equally near). */
typedef struct svf_term {
  uint32_t feature; /* encoded column */
  float weight;
} svf_term;
typedef struct svf_node_info {
  size_t left, right; /* node numbers; both 0: a leaf */
  size_t leaf;        /* leaf number, for a leaf */
  const svf_term *terms;
  size_t term_count;
  double threshold;
  int missing_left; /* 1: a row that misses one of the features goes left; 0: right */
  int by_levels; /* 1: a cut of a category. terms[0].feature is its encoded column, and svf_forest_node_levels returns
                       the levels that go right; ignore the other terms and the threshold */
  size_t centres; /* 0: a plane; else m. The children are the nodes left..right, one per centre; the terms are the
                       coordinates of the first centre in the encoded columns, then those of the next */
} svf_node_info;
SVF_API void svf_forest_node(const svf_forest *forest, size_t tree, size_t node, svf_node_info *info);
/* The codes of the categories that go right at a node with by_levels, ascending; all others go left. codes: room for
 * all categories of the feature, or NULL. Returns how many go right; 0 for any other node. */
SVF_API size_t svf_forest_node_levels(const svf_forest *forest, size_t tree, size_t node, uint32_t *codes);

typedef struct svf_leaf_info {
  size_t rows;           /* training rows in it */
  const double *numbers; /* the leaf's model, in a layout of its kind; NULL if precision=single */
  size_t length;
  const float *singles; /* the same if precision=single, else NULL */
} svf_leaf_info;
SVF_API void svf_forest_leaf(const svf_forest *forest, size_t tree, size_t leaf, svf_leaf_info *info);
/* Writes a description of the leaf, one line of words and numbers, into a buffer. Returns the length that it needs,
 * or 0 if memory ran out. */
SVF_API size_t svf_forest_leaf_text(const svf_forest *forest, size_t tree, size_t leaf, char *buffer, size_t size);

/* ---- out-of-bag answers and importance ------------------------------------------------------------- */

/* The caller's arrays for the results; set those that are not wanted to NULL. n rows, k = svf_forest_info.scores. The
 * results of a row are NaN if every tree trained on it or if its weight is 0. */
typedef struct svf_oob_answers {
  double *values;        /* n: class code or predicted value, by the trees that did not train on the row */
  double *scores;        /* n x k */
  double *probabilities; /* n x k; classes only */
  double *curve;         /* trees: accuracy, or mean squared error, of the first 1, 2, ... trees */
  double result;         /* out: the same of all trees; NaN: no row is out of bag */
} svf_oob_answers;

/* Out-of-bag predictions of a forest (trained here, loaded or merged) for the table that it was trained on. The rows
 * of each tree are drawn again from the seed. The model stores the out-of-bag result of
 * each tree; a table that gives other results, such as the same rows in another order, is refused. So is a model with
 * rows=all. run may be NULL. */
SVF_API svf_status svf_forest_oob(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                  svf_oob_answers *answers, svf_message *message);

/* Importance of the features, computed from the model alone. gain: how much the cuts on a feature reduce the
 * impurity; leaf: how large its weights are in the machines of the leaves. Each array has svf_forest_info.features +
 * made entries, made features last, and may be NULL. The entries sum to 1; without cuts (gain), or with constant
 * leaves (leaf), all are 0. */
SVF_API svf_status svf_forest_importance(const svf_forest *forest, double *gain, double *leaf, svf_message *message);

/* The metric that the machines of a forest learned. For every feature, in the order above: how far a step of one unit
 * in its encoded columns moves a row, divided by the sum over the features. If every leaf has a metric of its own,
 * this is the mean over the leaves, weighted by their rows. Returns 1, or 0 and only zeros if the forest has no
 * learned metric or is a committee (its members may have one). */
SVF_API int svf_forest_metric(const svf_forest *forest, double *weight);

/* How much worse predictions become when a feature is shuffled, on a table with a target. */
typedef struct svf_permutation {
  size_t repeats; /* shuffles per feature */
  uint64_t seed;
  int oob;           /* 1: the table is the training table; trees that did not train on a row predict it */
  double *mean;      /* out, one per feature as above: lost accuracy, or added mean squared error; may be NULL */
  double *deviation; /* out: standard deviation over the repeats, NaN if there is one; may be NULL */
  double result;     /* out: accuracy or mean squared error without shuffling */
} svf_permutation;
SVF_API svf_status svf_forest_permute(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                      svf_permutation *permutation, svf_message *message);

/* ---- answers tree by tree -------------------------------------------------------------------------- */

/* The caller's arrays for the results; set those that are not wanted to NULL. n rows, k classes. */
typedef struct svf_stages {
  double *values; /* n x trees: class code or value predicted by the first 1, 2, ... trees together */
  double *alone;  /* n x trees: that predicted by each tree alone */
  double *shares; /* n x trees x k: class probabilities by the first 1, 2, ... trees together (classes only) */
} svf_stages;
/* The last entries of a row, those of all trees, have the same bits as the results of svf_predict. run may be
 * NULL. */
SVF_API svf_status svf_predict_stages(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                      const svf_stages *stages, svf_message *message);

/* ---- explanations ---------------------------------------------------------------------------------- */

/* What is explained. */
typedef enum svf_explain_what {
  SVF_EXPLAIN_ANSWER = 0, /* the predicted number, or the probability of a class */
  SVF_EXPLAIN_LOG_ODDS,   /* log(p / (1 - p)) of the probability p of a class, kept within 1e-6 of 0 and 1 */
  SVF_EXPLAIN_MARGIN      /* the score of a class, for models of classes whose trees add up (vote=boost) */
} svf_explain_what;

/* The first fields are options; those marked `out` are results, some of them in the caller's arrays. n rows; k
 * explained classes (1 for a number or a single class); d = svf_forest_info.features + made features, made ones
 * last. */
typedef struct svf_explanation {
  const svf_table *background; /* rows to compare with; NULL: those that the model stores */
  svf_explain_what what;
  int class_code; /* the class that is explained; -1: all of them. Ignored in regression */
  /* If sampling is needed: how many pairs of orders to draw per background row, at least 2. 0: so many that a row has
   * 64 pairs in all, and at least 2. */
  size_t permutations;
  uint64_t seed; /* of the orders */

  double *contributions;  /* out, n x k x d: what each feature adds to the base */
  double *errors;         /* out, n x k x d: standard errors of sampling, 0 if exact; may be NULL */
  double *answers;        /* out, n x k: base + contributions = answer; may be NULL */
  double *bases;          /* out, k: the mean answer of the background rows; may be NULL */
  size_t background_rows; /* out: how many there are */
  double largest_error;   /* out: the largest of all standard errors; 0: everything is exact */
  size_t unseen;          /* out: as in svf_prediction */
} svf_explanation;

/* Shapley values of the features, for each row. Starting from a background row, the features take the values of the
 * explained row one by one; the contribution of a feature is how much the prediction changes at its turn, averaged
 * over all orders of the features and over the background rows. A category is one feature, and so is a made feature.
 *
 * The values are computed exactly from the trees if leaves are constant or linear, each cut uses one feature, and the
 * prediction is a mean or a sum over leaves. Otherwise they are exact, over all subsets, for pairs of rows that
 * differ in at most 6 features, and sampled for other pairs. The result for a row has the same bits whatever other
 * rows the table has. run may be NULL. */
SVF_API svf_status svf_explain(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_explanation *explanation, svf_message *message);

/* ---- a report -------------------------------------------------------------------------------------- */

typedef struct svf_report_options {
  uint64_t seed;    /* for all random numbers */
  size_t resamples; /* bootstrap samples of the rows, for the intervals of the scores; 0: 500 */
  int oob;          /* 1: the table is the training table; trees that did not train on a row predict it */
} svf_report_options;

/* Writes a report to `path` ("-": standard output), one HTML file without links, with pictures as inline SVG: what
 * the model is, and how good its predictions are on a table with a target. The bytes are the same for any number of
 * threads. The time is that of predicting the table and, for importance and partial dependence, about 300,000 more
 * rows. options and run may be NULL. */
SVF_API svf_status svf_forest_report(const svf_forest *forest, const svf_table *table,
                                     const svf_report_options *options, const svf_run *run, const char *path,
                                     svf_message *message);

/* ---- a model as C --------------------------------------------------------------------------------- */

typedef struct svf_export_options {
  const char *name; /* of the function; NULL: "predict" */
  int single;       /* 1: all numbers are floats, also rows and predictions; 0: doubles */
} svf_export_options;

/* Writes the model to `path` ("-": standard output) as one C11 file without dependencies; the comment at its top
 * shows how to call it. SVF_USAGE: this model cannot be exported, and the message has the reason. options may be
 * NULL. */
SVF_API svf_status svf_forest_export_c(const svf_forest *forest, const svf_export_options *options, const char *path,
                                       svf_message *message);

/* ---- a learning bound ------------------------------------------------------------------------------ */

/* The terms of Theorem 1 of DeSalvo and Mohri, Random composite forests (AAAI 2016), for one tree with hard leaves: a
 * leaf predicts the class with the largest score, without a probability. */
typedef struct svf_bound_tree {
  size_t leaves;
  double error;      /* fraction of the rows that the tree predicts wrongly */
  double complexity; /* sum over the leaves of min(8 c A_k, m_k+ / m) */
  double remainder;  /* the term of the leaves beyond the first 1 / rho */
  double margin;     /* C(m, p, rho) */
  double confidence; /* sqrt(log(2 / delta) / 2m) */
  double bound;      /* the sum of these */
  double criterion;  /* error + sum over the leaves of min(8 c bound_scale A_k, m_k+ / m): what pick=bound compares */
} svf_bound_tree;

typedef struct svf_bound {
  double delta;         /* in: the bound fails with this probability; 0: 0.05 */
  double rho;           /* in; 0: 2^-max_depth, or 1 / leaves of the largest tree. out: the value used */
  svf_bound_tree *tree; /* out: the caller's array, one entry per tree; or NULL */
  double rows;          /* out: m; if rows are weighted, the number of equally weighted rows that is worth as much */
  size_t classes, drawn, features, families; /* out: c, r, |F|, p */
  double error;                              /* out: error of the vote of the hard trees */
  double bound;  /* out: bound for this vote: twice the mean of the trees' bounds, each with delta / trees */
  int guarantee; /* out: 1: rho was fixed before the trees were known, and every tree saw all rows, unweighted */
} svf_bound;

/* `table` must be the one that the forest was trained on. For forests of kernel machines on cuts of random features.
 * run may be NULL. */
SVF_API svf_status svf_forest_bound(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                    svf_bound *bound, svf_message *message);

#ifdef __cplusplus
}
#endif
#endif
