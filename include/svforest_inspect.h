/* svforest_inspect.h - for programs that look into settings, results and models. svforest.h is enough to train and predict.
 *
 * Read it top to bottom: lists of settings, methods, kinds and synthetic sets; measures; tuning; features and their encoding;
 * committees; trees, nodes and leaves; out-of-bag answers and importance; answers tree by tree; explanations; a report; a
 * model as C; a learning bound. What holds for svforest.h holds here.
 */
#ifndef SVFOREST_INSPECT_H
#define SVFOREST_INSPECT_H

#include "svforest.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lists of settings, methods, kinds and synthetic sets ------------------------------------------ */

/* One row of the settings table: everything that checks, prints or documents a setting reads this. */
typedef struct svf_setting_info {
  const char *name;
  const char *type;     /* "integer", "number", "choice", "count" (a word or an integer), "list", "kind" */
  const char *standard; /* default, as text */
  const char *range;    /* "1..1000000", "all|bootstrap|subsample", ... */
  const char *help;     /* one sentence */
} svf_setting_info;
SVF_API size_t svf_setting_count(void);
SVF_API const svf_setting_info *svf_setting_at(size_t index);
/* Is setting number `index` (svf_setting_at) read with these settings? Others have no meaning, and are refused if set. */
SVF_API int svf_settings_reads(const svf_settings *settings, size_t index);

/* One published (or own) method: a row of settings. */
typedef struct svf_method_info {
  const char *name;
  const char *title;
  const char *paper;    /* who published it; says so where it is our own */
  const char *settings; /* "cut=random refused=stop ...": what differs from the defaults */
} svf_method_info;
SVF_API size_t svf_method_count(void);
SVF_API const svf_method_info *svf_method_at(size_t index);
/* The name in the list that is nearest to one that is not in it, for "did you mean ...?"; NULL: none is near. */
SVF_API const char *svf_name_nearest(const char *wanted, const char *const *names, size_t count);

/* One kind of one seam: "cut", "leaf", "pick" or "vote". */
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

/* ---- measures -------------------------------------------------------------------------------------- */

/* n rows and what was predicted for them; k classes. A label of -1 is one that the model does not know: an error in
 * every measure but AUC, which leaves such rows out. */
typedef struct svf_outcome {
  size_t n, k;                 /* k 0: numbers */
  const int32_t *label;        /* classes */
  const double *value;         /* numbers */
  const double *predicted;     /* class codes, or values */
  const double *probabilities; /* n x k; NULL: AUC and log-loss are NaN */
  const double *weight;        /* NULL: every row 1 */
} svf_outcome;

typedef struct svf_class_measures {
  double accuracy;
  double balanced_accuracy; /* mean recall of the classes that are there */
  double f1;                /* mean over the classes that are there or were predicted */
  double auc;               /* of the second of two classes; more classes: mean of one against the rest */
  double log_loss;          /* of probabilities of at least 1e-15 */
  size_t unknown;           /* rows with a label that the model does not know */
} svf_class_measures;

typedef struct svf_value_measures {
  double mse, rmse, mae, r2;
} svf_value_measures;

/* confusion: (k + 1) x k of the caller, or NULL: the weight of rows by label and prediction; the last row is for
 * unknown labels. */
SVF_API svf_status svf_measure_classes(const svf_outcome *outcome, double *confusion, svf_class_measures *measures,
                                       svf_message *message);
SVF_API void svf_measure_values(const svf_outcome *outcome, svf_value_measures *measures);

/* ---- tuning: what is tried, what was found --------------------------------------------------------- */

/* What svf_tune tries of itself with these settings for this task: number `index`, as "NAME=VALUE|VALUE" into a
 * buffer, the present value first. SVF_USAGE: there are no more, or the buffer is too small. */
SVF_API svf_status svf_tune_values(const svf_settings *settings, svf_task task, size_t index, char *buffer,
                                   size_t size);

typedef struct svf_tuning_info {
  size_t candidates; /* that have run, as numbered for svf_tuning_candidate */
  size_t complete;   /* of those: on all rows of all folds */
  size_t failed;     /* of those: the training failed */
  size_t best;       /* the number of the best complete one, the first of equals */
  size_t folds;
  double combinations; /* how many candidates there would be, also those that do not go together */
  double seconds;      /* since the search began */
  int late;            /* 1: the budget was spent */
  size_t refused;      /* combinations that do not go together: met on the way and left out */
  const char *refusal; /* why the first of them was; "": there is none. Lent, as long as the tuning lives */
} svf_tuning_info;
SVF_API void svf_tuning_describe(const svf_tuning *tuning, svf_tuning_info *info);

typedef struct svf_candidate_info {
  const char *settings;    /* "name=value name=value", where they differ from those svf_tune was given; "": nowhere */
  double score, deviation; /* mean and deviation over the folds; NaN: it failed */
  double rows;             /* share of the training rows that it last ran with; below 1 it fell behind */
  double seconds;          /* of that run */
} svf_candidate_info;
SVF_API void svf_tuning_candidate(const svf_tuning *tuning, size_t index, svf_candidate_info *info);

/* ---- features and their encoding ------------------------------------------------------------------- */

/* The weight that training was given for the class; 1 where none was. */
SVF_API double svf_forest_class_weight(const svf_forest *forest, size_t index);
/* How a made feature comes about, "width*height", into a buffer; returns the length it needs, or 0 if the feature is a
 * column of the table or memory ran out. */
SVF_API size_t svf_forest_feature_text(const svf_forest *forest, size_t feature, char *buffer, size_t size);
/* 1: the feature was left out, as nearly every row had a text of its own (name_levels); tables may have anything
 * there, and need not have it. */
SVF_API int svf_forest_is_left_out(const svf_forest *forest, size_t column);
/* One column of the encoded table: encoded = (x - shift) * scale for numbers; 1 for `category`, else 0, then scaled,
 * for categories; or, where `codes` is set, the code of the category itself; or what `part` says: "missing": 1 where
 * the feature is missing, else 0; "share": of a class among the training rows of its category; "mean": of a target of
 * numbers there; "frequency": log(1 + training rows of its category); "days", "month", "weekday" and "hour": of a
 * date. If `clipped` is set (scale=robust), encoded / sqrt(1 + (encoded/3)^2) follows. Missing values are `fill` for
 * leaf machines. */
typedef struct svf_encoded_info {
  size_t feature;       /* column, or made feature, it came from */
  const char *category; /* NULL: a number */
  double shift, scale, fill;
  int clipped;
  int codes;
  const char *part;       /* what it holds of its feature; NULL: the number, the category or its code */
  const char *part_class; /* the class of a "share"; else NULL */
} svf_encoded_info;
SVF_API void svf_forest_encoded(const svf_forest *forest, size_t column, svf_encoded_info *info);
/* The value that is encoded so; `shift` for a constant column. */
SVF_API double svf_encoded_decode(const svf_encoded_info *info, double encoded);

/* ---- committees ------------------------------------------------------------------------------------ */

/* What a committee is made of. */
typedef struct svf_committee_info {
  size_t members;   /* 0: the model is one forest, and nothing below is set */
  const char *plan; /* for svf_auto_options.plan */
  const char *aim;  /* what its weights minimise: "log-loss", "accuracy", "auc", "mse" or "mae" */
  /* Of the committee by that measure, on held-out rows that had no say in its weights; and its standard error. */
  double score, deviation;
  int calibrated; /* 1: probabilities were fitted to held-out rows */
} svf_committee_info;
SVF_API void svf_committee_describe(const svf_forest *forest, svf_committee_info *info);

struct svf_member_info {
  const svf_forest *forest; /* lent: the member, a model of its own; NULL while a committee is trained */
  const char *settings;     /* "rf trees=200"; lent: for the call, or as long as the committee lives */
  double weight;            /* NaN while a committee is trained */
  double score;             /* of held-out rows, as svf_committee_info.score */
  double seconds;           /* while a committee is trained, else 0: times are not in the file */
  const char *dropped;      /* why it was left out; NULL: it was not */
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

/* A node is a leaf; or a plane: left if sum(weight * x[feature]) < threshold, else right; or m centres: to the child
 * of the nearest, the first of equals. */
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
  int missing_left; /* where a row goes that misses one of the features */
  int by_levels; /* a cut of a category: terms[0].feature is its encoded column, and svf_forest_node_levels has the levels
                       that go right; the other terms and the threshold are not for use */
  size_t centres; /* 0: a plane; else m: the children are nodes left..right, one per centre, and the terms are the
                       coordinates, encoded columns of the first centre, then of the next */
} svf_node_info;
SVF_API void svf_forest_node(const svf_forest *forest, size_t tree, size_t node, svf_node_info *info);
/* The codes of the categories that go right at a node that is cut by levels, ascending; codes: room for all categories
 * of the feature, or NULL. Returns how many; 0 for any other node. All other categories go left. */
SVF_API size_t svf_forest_node_levels(const svf_forest *forest, size_t tree, size_t node, uint32_t *codes);

typedef struct svf_leaf_info {
  size_t rows;           /* training rows in it */
  const double *numbers; /* the leaf's model, as only its kind reads it; NULL under precision=single */
  size_t length;
  const float *singles; /* the same under precision=single, else NULL */
} svf_leaf_info;
SVF_API void svf_forest_leaf(const svf_forest *forest, size_t tree, size_t leaf, svf_leaf_info *info);
/* One line that says in words and numbers what the leaf holds, into a buffer; returns the length it needs, or 0 if
 * memory ran out. */
SVF_API size_t svf_forest_leaf_text(const svf_forest *forest, size_t tree, size_t leaf, char *buffer, size_t size);

/* ---- out-of-bag answers and importance ------------------------------------------------------------- */

/* What is wanted: arrays of the caller, any of them NULL. n rows, k = svf_forest_info.scores. A row that every tree
 * saw (or that has weight 0) has NaN. */
typedef struct svf_oob_answers {
  double *values;        /* n: class code, or predicted value, by the trees that did not see the row */
  double *scores;        /* n x k */
  double *probabilities; /* n x k; classes only */
  double *curve;         /* trees: accuracy, or mean squared error, of the first 1, 2, ... trees */
  double result;         /* out: of all trees; NaN: no row is out of bag */
} svf_oob_answers;

/* Out-of-bag answers of a forest, trained here, loaded or merged, from the table it was trained on: the bags are drawn
 * again from the seed. Another table, or its rows in another order, is refused (each tree's own result is in the
 * file), as is a model with rows=all. run may be NULL. */
SVF_API svf_status svf_forest_oob(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                  svf_oob_answers *answers, svf_message *message);

/* What the model itself says of its features, made ones after the others (svf_forest_info.features + made of them);
 * either may be NULL. gain: by how much the cuts on the feature lessen the impurity; leaf: by the weights of the
 * machines in the leaves. Each sums to 1, or is all 0 where there is nothing to tell: no cuts, constant leaves. */
SVF_API svf_status svf_forest_importance(const svf_forest *forest, double *gain, double *leaf, svf_message *message);

/* What the machines of a forest learned of the distance between rows, once for all leaves or in each of them (then the
 * mean over the leaves by their rows): for every feature as above how far a step of one unit in its encoded columns
 * moves a row, divided by the sum over the features. 1: done; 0, and only zeros: the forest has no learned metric, or
 * is a committee, whose members may have one. */
SVF_API int svf_forest_metric(const svf_forest *forest, double *weight);

/* What shuffling a feature costs on a table whose answers are known. */
typedef struct svf_permutation {
  size_t repeats; /* shuffles per feature */
  uint64_t seed;
  int oob;           /* 1: the table is the training table, and a row is judged by the trees that did not see it */
  double *mean;      /* out, one per feature as above: lost accuracy, or added mean squared error; may be NULL */
  double *deviation; /* out: over the repeats, NaN for one; may be NULL */
  double result;     /* out: accuracy or mean squared error without shuffling */
} svf_permutation;
SVF_API svf_status svf_forest_permute(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                      svf_permutation *permutation, svf_message *message);

/* ---- answers tree by tree -------------------------------------------------------------------------- */

/* What is wanted: arrays of the caller, any NULL. n rows, k classes. */
typedef struct svf_stages {
  double *values; /* n x trees: class code or value that the first 1, 2, ... trees give together */
  double *alone;  /* n x trees: what each tree says alone */
  double *shares; /* n x trees x k: class probabilities that the first 1, 2, ... trees give together (classes only) */
} svf_stages;
/* The last of a row's values and shares have the same bits as svf_predict's. run may be NULL. */
SVF_API svf_status svf_predict_stages(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                      const svf_stages *stages, svf_message *message);

/* ---- explanations ---------------------------------------------------------------------------------- */

/* What is explained. */
typedef enum svf_explain_what {
  SVF_EXPLAIN_ANSWER = 0, /* the predicted number, or the probability of a class */
  SVF_EXPLAIN_LOG_ODDS,   /* log(p / (1 - p)) of the probability p of a class, kept within 1e-6 of 0 and 1 */
  SVF_EXPLAIN_MARGIN      /* the score of a class, for models of classes whose trees add up (vote=boost) */
} svf_explain_what;

/* In: what is wanted. Out: arrays of the caller, of n rows, k explained classes (1 for a number or a single class) and
 * d features, made ones after the columns of the table (svf_forest_info.features + made). */
typedef struct svf_explanation {
  const svf_table *background; /* rows that explained rows are compared with; NULL: those that the model keeps */
  svf_explain_what what;
  int class_code; /* the class that is explained; -1: all of them. Not read in a model of numbers */
  /* Pairs of orders that are drawn per background row, where sampling is needed; 0: enough that a row has 64, and at least
   * 2. 1 is refused. */
  size_t permutations;
  uint64_t seed; /* of the orders */

  double *contributions;  /* out, n x k x d: what each feature adds to the base */
  double *errors;         /* out, the same: standard errors by sampling, 0 where exact; may be NULL */
  double *answers;        /* out, n x k: base + contributions = answer; may be NULL */
  double *bases;          /* out, k: the mean answer of the background rows; may be NULL */
  size_t background_rows; /* out */
  double largest_error;   /* out: of all standard errors; 0: everything is exact */
  size_t unseen;          /* out: as in svf_prediction */
} svf_explanation;

/* Shapley values of the features, for each row: the mean over the background rows of what a feature adds when it takes
 * the row's value in place of the background row's, over all orders in which the features do so. A category counts as
 * one feature, and so does a made feature. Exact by the trees' own structure if leaves are constant or linear, cuts
 * look at one feature each, and the answer is a mean or a sum of what leaves answer; else exact over all subsets for a
 * pair of rows that differ in at most 6 features, and by sampled orders for others. What is said of a row has the same
 * bits whatever rows stand beside it. run may be NULL. */
SVF_API svf_status svf_explain(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_explanation *explanation, svf_message *message);

/* ---- a report -------------------------------------------------------------------------------------- */

typedef struct svf_report_options {
  uint64_t seed;    /* of all draws */
  size_t resamples; /* bootstrap samples of the rows, for the intervals of the scores; 0: 500 */
  int oob;          /* 1: the table is the training table, and a row is answered by the trees that did not see it */
} svf_report_options;

/* Writes one HTML file without links, with pictures as inline SVG, to `path` ("-": standard output): what the model
 * is, and how good its answers are on a table with known ones. The same bytes for any number of threads. The cost is
 * that of predicting the table, and of some 300,000 rows for importance and partial dependence. options and run may be
 * NULL. */
SVF_API svf_status svf_forest_report(const svf_forest *forest, const svf_table *table,
                                     const svf_report_options *options, const svf_run *run, const char *path,
                                     svf_message *message);

/* ---- a model as C --------------------------------------------------------------------------------- */

typedef struct svf_export_options {
  const char *name; /* of the function; NULL: "predict" */
  int single;       /* 1: numbers are floats, rows and answers too; else doubles */
} svf_export_options;

/* Writes the model to `path` ("-": standard output) as one C11 file without dependencies; a comment at its head says
 * how it is called. SVF_USAGE says why a model cannot be written so. options may be NULL. */
SVF_API svf_status svf_forest_export_c(const svf_forest *forest, const svf_export_options *options, const char *path,
                                       svf_message *message);

/* ---- a learning bound ------------------------------------------------------------------------------ */

/* The terms of Theorem 1 of DeSalvo and Mohri, Random composite forests (AAAI 2016), for one tree with hard leaves:
 * each says the class of its largest score and nothing else. */
typedef struct svf_bound_tree {
  size_t leaves;
  double error;      /* share of the rows that the tree gets wrong */
  double complexity; /* sum over the leaves of min(8 c A_k, m_k+ / m) */
  double remainder;  /* what the leaves beyond the first 1 / rho add */
  double margin;     /* C(m, p, rho) */
  double confidence; /* sqrt(log(2 / delta) / 2m) */
  double bound;      /* the sum of these */
  double criterion;  /* error + sum over the leaves of min(8 c bound_scale A_k, m_k+ / m): what pick=bound compares */
} svf_bound_tree;

typedef struct svf_bound {
  double delta;         /* in: the bound fails with this probability; 0: 0.05 */
  double rho;           /* in; 0: 2^-max_depth, or 1 / leaves of the largest tree. out: what was taken */
  svf_bound_tree *tree; /* trees of the caller, or NULL */
  double rows;          /* out: m; of weighted rows, how many of equal weight say as much */
  size_t classes, drawn, features, families; /* out: c, r, |F|, p */
  double error;                              /* out: of the vote of the hard trees */
  double bound;  /* out: of that vote: twice the mean of the trees' bounds, each with delta / trees */
  int guarantee; /* out: 1: rho was fixed before the trees were seen and every tree saw all rows, unweighted; else 0 */
} svf_bound;

/* `table` must be the one that the forest was trained on. For forests of kernel machines on cuts of random features.
 * run may be NULL. */
SVF_API svf_status svf_forest_bound(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                    svf_bound *bound, svf_message *message);

#ifdef __cplusplus
}
#endif
#endif
