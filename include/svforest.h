/* svforest.h - forests whose leaves are support vector machines: read a table, train, predict, save.
 *
 * Read it top to bottom: status and message; how a job runs; tables; settings; training; prediction; tuning; the model.
 * svforest_inspect.h is for programs that look into settings, results and models; svforest_parts.h is for training in
 * parts.
 *
 * The library never prints, exits, aborts, reads the environment or touches global state. Objects are opaque: they are
 * made by a function that returns a status, and freed by their own _free function, which accepts NULL. Several threads
 * may use a const object at once.
 */
#ifndef SVFOREST_H
#define SVFOREST_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define SVF_API
#else
#define SVF_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SVF_VERSION_MAJOR 0
#define SVF_VERSION_MINOR 2
#define SVF_VERSION_PATCH 0

SVF_API const char *svf_version(void); /* "0.2.0" */

/* ---- status and message ---------------------------------------------------------------------------- */

typedef enum svf_status {
  SVF_OK = 0,
  SVF_USAGE,   /* a setting, an option or a call is wrong */
  SVF_DATA,    /* what was read is wrong: a table or a model file */
  SVF_IO,      /* the system refused to open, read, write, sync or rename */
  SVF_MEMORY,  /* memory ran out, or the job would need more than the limit */
  SVF_STOPPED, /* the callback asked to stop */
} svf_status;

/* Owned by the caller; written only when a function returns something other than SVF_OK. Every function that takes
 * one accepts NULL. The text is one line without a final newline; it names file, line and column where there are any,
 * and says what to do. */
typedef struct svf_message {
  char text[1024];
} svf_message;

/* ---- how a job runs: threads, progress, stopping --------------------------------------------------- */

typedef struct svf_progress {
  const char
      *phase;   /* "encode", "prepare", "grow", "leaves", "predict", ...; in a committee also the member: "2/9 rf" */
  double done;  /* fraction of the whole job, 0..1, never falls */
  size_t trees; /* trees of the finished forest */
} svf_progress;

/* Called about ten times a second, always from the thread that called the library. To stop the job, return nonzero:
 * it then ends with SVF_STOPPED within a second of processor time and leaves nothing behind. */
typedef int (*svf_callback)(void *user, const svf_progress *progress);

/* Receives a warning about the training table, one sentence: the table can be used, but something in it may be a
 * mistake. Called before training, from the thread that called the library. */
typedef void (*svf_remark)(void *user, const char *text);

/* All zero is a good default. Nothing in here can change a result. */
typedef struct svf_run {
  int threads;           /* 0: one per processor that this process may use */
  svf_callback callback; /* NULL: no progress, cannot be stopped */
  void *user;            /* handed to both callbacks */
  size_t memory_limit;   /* bytes a job may ask for; 0: the machine's memory */
  svf_remark remark;     /* NULL: no remarks */
} svf_run;

/* ---- tables: what comes in ------------------------------------------------------------------------- */

typedef struct svf_table svf_table;
typedef struct svf_forest svf_forest;
struct svf_portion;

typedef enum svf_task { SVF_TASK_AUTO = 0, SVF_TASK_CLASS, SVF_TASK_REGRESS } svf_task;
typedef enum svf_format { SVF_FORMAT_AUTO = 0, SVF_FORMAT_CSV, SVF_FORMAT_LIBSVM, SVF_FORMAT_NPY } svf_format;

/* A matrix in the caller's memory; strides in elements. */
typedef struct svf_matrix {
  const void *values;
  int float32; /* 1: float, 0: double */
  size_t rows, columns;
  ptrdiff_t row_stride, column_stride;
} svf_matrix;

/* A table of numeric columns, copied from a matrix; NaN is missing, an infinite value is refused. names may be NULL:
 * x1, x2, ... */
SVF_API svf_status svf_table_new(const svf_matrix *matrix, const char *const *names, svf_table **table,
                                 svf_message *message);

/* As svf_table_new, but the table borrows the matrix instead of copying it: the memory must neither move nor change
 * until the table is freed. Training then needs memory for the encoded numbers alone. A column that becomes
 * categories is no longer borrowed. svf_table_take copies. */
SVF_API svf_status svf_table_borrow(const svf_matrix *matrix, const char *const *names, svf_table **table,
                                    svf_message *message);
/* The same for `count` columns that lie apart: each is a matrix of one column, all with the same number of rows. A
 * row_stride of 0 repeats one value, for example NaN in a column that svf_table_set_categories fills. */
SVF_API svf_status svf_table_borrow_columns(const svf_matrix *column, size_t count, const char *const *names,
                                            svf_table **table, svf_message *message);

/* All zero is a good default: format by name and content, header found, target in the last column. */
typedef struct svf_read_options {
  svf_format format;
  const char *target;      /* name, or number from 1; NULL: the last column (LIBSVM: the label) */
  const char *const *drop; /* names (or numbers) of columns to leave out */
  size_t drop_count;
  const char *weight;      /* name (or number) of the column of row weights; NULL: none */
  svf_task task;           /* AUTO: classes if the target is text or integers with at most 50 distinct values */
  const svf_forest *model; /* NULL, or the forest that the table is for: columns are then matched by name, columns
                              that it has as categories are read as text, and the target may be absent */
  size_t memory_limit;     /* bytes the table may take; 0: the machine's memory */
  int threads;             /* 0: one per processor */
  const char *const *keep; /* names (or numbers) of columns whose text is kept too, whatever else they are used for */
  size_t keep_count;
  const char *const *id; /* names (or numbers) of columns that identify a row: no features; a model remembers them */
  size_t id_count;
  int keep_ids; /* 1: the text of the model's id columns, if the table has them, is kept before that of `keep` */
  const struct svf_portion
      *cuts; /* NULL, or the cuts that route this chunk (svforest_parts.h): as `model`, but the target is needed */
} svf_read_options;

/* Reads a table from a file; "-" is standard input; gzip is recognised by content. CSV and TSV (separator found among
 * , ; tab), LIBSVM text, NPY (2-D, little-endian floats or integers, C or Fortran order). options may be NULL. */
SVF_API svf_status svf_table_read(const char *path, const svf_read_options *options, svf_table **table,
                                  svf_message *message);

/* These two set the target, which is copied. Classes: labels[i] is a code in 0..count-1, names are in the order of
 * codes. */
SVF_API svf_status svf_table_set_classes(svf_table *table, const int32_t *labels, const char *const *names,
                                         size_t count, svf_message *message);
SVF_API svf_status svf_table_set_values(svf_table *table, const double *values, svf_message *message);
/* Row weights, finite and >= 0, not all 0. */
SVF_API svf_status svf_table_set_weights(svf_table *table, const double *weights, svf_message *message);
/* A weight per class in the order of the codes, finite and >= 0, not all 0, for class_weight=given. Rows of a class
 * of weight 0 are in no tree. Setting a new target drops the weights. */
SVF_API svf_status svf_table_set_class_weights(svf_table *table, const double *weights, svf_message *message);
/* Turns column number `column` into categories: codes[i] in 0..count-1, or -1 for missing. */
SVF_API svf_status svf_table_set_categories(svf_table *table, size_t column, const int32_t *codes,
                                            const char *const *names, size_t count, svf_message *message);

/* Turns a column of numbers into dates. A number is the days since 1970-01-01 in UTC, with a fraction for the time of
 * day; numbers outside the years 1 to 9999 are refused. The model sees the days and, if they vary in the training
 * rows, the month, the day of the week and the hour. A column of ISO 8601 dates in a CSV file needs no call: it is
 * recognised. */
SVF_API svf_status svf_table_set_dates(svf_table *table, size_t column, svf_message *message);

/* Adds a feature made of the table's columns of numbers: "area=width*height" (a product), "w2=width^2" (a power, 1 to
 * 9), "r=distance(x=1.5,y=2)" (the distance from a point); names with characters other than letters, digits, points
 * and underscores are best put in double quotes. Every model trained on the table stores the recipe, so prediction
 * needs only the columns. Costs memory for one more column. */
SVF_API svf_status svf_table_add_feature(svf_table *table, const char *text, svf_message *message);

/* Writes features and target as CSV with a header ("-": standard output), to a temporary file that is then
 * renamed. */
SVF_API svf_status svf_table_write(const svf_table *table, const char *path, svf_message *message);

SVF_API void svf_table_free(svf_table *table);
SVF_API size_t svf_table_rows(const svf_table *table);
SVF_API size_t svf_table_columns(const svf_table *table); /* features only */
SVF_API const char *svf_table_column_name(const svf_table *table, size_t column);
SVF_API const char *svf_table_target_name(const svf_table *table); /* NULL: no target */
SVF_API svf_task svf_table_task(const svf_table *table);           /* AUTO: no target */
SVF_API size_t svf_table_classes(const svf_table *table);          /* 0: not classes */
SVF_API const char *svf_table_class_name(const svf_table *table, size_t index);
/* Each has n entries, or is NULL: class codes, target values of a regression, row weights. Code -1 is a label unknown
 * to the model that the table was read for. */
SVF_API const int32_t *svf_table_labels(const svf_table *table);
SVF_API const double *svf_table_values(const svf_table *table);
SVF_API const double *svf_table_weights(const svf_table *table);
/* One weight per class, or NULL if none were given. */
SVF_API const double *svf_table_class_weights(const svf_table *table);
/* Warnings, one sentence each, if the table looks misread: for example numbers with a decimal comma, which become
 * categories, or a few cells that are no dates in a column of dates. Returns 1 and warning number `index`, counted
 * from 0; returns 0 if there are no more. */
SVF_API int svf_table_remark(const svf_table *table, size_t index, svf_message *remark);
/* 1: the column holds dates. */
SVF_API int svf_table_is_date(const svf_table *table, size_t column);
/* One feature value; for a date, the days since 1970-01-01 in UTC. NaN if it is missing or a category. */
SVF_API double svf_table_number(const svf_table *table, size_t row, size_t column);

/* The columns that are kept as text (svf_read_options.keep): how many, each once and in the order asked for; their
 * names; and the text of a cell. The text is as in the file, without quotes and the blanks around it; "" for a blank
 * cell. A number of a LIBSVM or NPY file is the shortest text that reads back as the same number; "" for NaN. */
SVF_API size_t svf_table_kept(const svf_table *table);
SVF_API const char *svf_table_kept_name(const svf_table *table, size_t kept);
SVF_API const char *svf_table_kept_text(const svf_table *table, size_t row, size_t kept);

/* A new table of the given rows (repeats allowed). It has no kept columns; classes and categories have the same
 * codes. */
SVF_API svf_status svf_table_take(const svf_table *table, const size_t *rows, size_t count, svf_table **taken,
                                  svf_message *message);

/* Assigns the rows to folds, stratified if the target is classes: fold[i] is in 0..folds-1. */
SVF_API svf_status svf_table_folds(const svf_table *table, size_t folds, uint64_t seed, int32_t *fold,
                                   svf_message *message);
/* Draws a fraction of the rows for testing, stratified if the target is classes: part[i] = 1 for these rows. */
SVF_API svf_status svf_table_holdout(const svf_table *table, double fraction, uint64_t seed, int32_t *part,
                                     svf_message *message);

/* ---- settings -------------------------------------------------------------------------------------- */

typedef struct svf_settings svf_settings;

/* The name of the default method of the command and the Python package. */
SVF_API const char *svf_method_default(svf_task task);

/* The settings of a method. */
SVF_API svf_status svf_settings_new(const char *method, svf_settings **settings, svf_message *message);
SVF_API svf_status svf_settings_copy(const svf_settings *settings, svf_settings **copy, svf_message *message);
SVF_API void svf_settings_free(svf_settings *settings);
/* Sets one setting from text. A wrong name or value is refused and changes nothing. */
SVF_API svf_status svf_settings_set(svf_settings *settings, const char *name, const char *value,
                                    svf_message *message);
/* Writes the canonical text of one setting into a buffer (always terminated). SVF_USAGE: there is no such setting, or
 * the buffer is too small. */
SVF_API svf_status svf_settings_get(const svf_settings *settings, const char *name, char *buffer, size_t size);
SVF_API const char *svf_settings_method(const svf_settings *settings);
/* Checks whether the combination is legal for this task (AUTO: for any task). SVF_USAGE: it is not, and the message
 * has the reason. svf_train calls this first. */
SVF_API svf_status svf_settings_check(const svf_settings *settings, svf_task task, svf_message *message);

/* ---- training -------------------------------------------------------------------------------------- */

/* Trains a forest. The same settings (seed included) and table give the same model bytes for any number of threads.
 * run may be NULL. On any failure *forest is NULL. With interval=conformal, this and the other training functions hold
 * out some rows and calibrate the model with them, as svf_forest_calibrate does. */
SVF_API svf_status svf_train(const svf_settings *settings, const svf_table *table, const svf_run *run,
                             svf_forest **forest, svf_message *message);
/* As svf_train, but frees the table, its columns as soon as they are encoded: this saves 8 bytes per number during
 * training. Afterwards *table is NULL, also on failure. */
SVF_API svf_status svf_train_once(const svf_settings *settings, svf_table **table, const svf_run *run,
                                  svf_forest **forest, svf_message *message);

/* Adds rounds to a forest of vote=boost until it has as many as the setting trees says. `table` must be the one that
 * `before` was trained on, and the settings must be the same except for trees, stop_rounds=0 and stop_fraction. Up to
 * rounding, the result is that of one run with all rounds. If the run is stopped, *forest has the rounds finished so
 * far. `before` does not change. */
SVF_API svf_status svf_train_more(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                                  const svf_run *run, svf_forest **forest, svf_message *message);

typedef struct svf_member_info svf_member_info; /* svforest_inspect.h */
/* How a committee is trained (method auto); all zero is a good default. */
typedef struct svf_auto_options {
  double budget;    /* seconds for trying members; the first member is always finished. 0: no limit */
  const char *plan; /* the members, as svf_committee_describe lists them; NULL: chosen by effort and table */
  /* Called after each member has been tried, from the thread that called svf_train_auto. NULL: not called. */
  void (*tell)(void *user, const svf_member_info *member);
  void *user;
  int wide; /* 1: also try members with other settings, as svf_tune does; about four times the work */
} svf_auto_options;

/* Trains a committee: forests of several methods, weighted by their predictions for held-out rows. The same plan,
 * settings and table give the same model bytes for any number of threads. options and run may be NULL. A member that
 * fails, does not fit into memory or would exceed the budget is left out. SVF_STOPPED: *forest is the committee of
 * the members that were finished, or NULL. svf_train does the same, without options, if committee=yes. */
SVF_API svf_status svf_train_auto(const svf_settings *settings, const svf_table *table,
                                  const svf_auto_options *options, const svf_run *run, svf_forest **forest,
                                  svf_message *message);

SVF_API void svf_forest_free(svf_forest *forest);

/* ---- prediction ------------------------------------------------------------------------------------ */

/* The caller's arrays for the results; set those that are not wanted to NULL. n rows, k = svf_forest_info.scores. */
typedef struct svf_prediction {
  double *values;        /* n: class code, or predicted value */
  double *scores;        /* n x k: the vote's score of each class, or the value */
  double *probabilities; /* n x k: mean over trees; classes only */
  int32_t *leaves;       /* n x trees: leaf number in its tree */
  /* n: the expected error of each value, as a standard deviation: sqrt(max(E - V, V)), where E is the mean square of
   * the errors that the leaves expect and V is the variance of the trees' predictions. 0 if no leaf has two rows and
   * the trees agree. Regression only (SVF_USAGE for classes). */
  double *spreads;
  size_t unseen; /* out: cells with a category that did not occur in training; they count as missing */
} svf_prediction;

/* Columns are matched by name when the table has names of its own, else by position. run may be NULL. */
SVF_API svf_status svf_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_prediction *prediction, svf_message *message);

/* Compares predicted values (n class codes, or numbers) with the table's target: accuracy, or mean squared error,
 * rows counted by their weights. NaN: the table has no rows, no weight above 0, or no target. */
SVF_API double svf_table_measure(const svf_table *table, const double *values);

/* For programs that predict one row at a time. A predictor has all the memory that a row needs: svf_predictor_row
 * allocates nothing, starts no thread and takes no lock. Only one thread at a time may use a predictor; several
 * threads take one each of the same forest. The forest must outlive its predictors. */
typedef struct svf_predictor svf_predictor;
SVF_API svf_status svf_predictor_new(const svf_forest *forest, svf_predictor **predictor, svf_message *message);
SVF_API void svf_predictor_free(svf_predictor *predictor);

/* `row` has one number per column (svf_forest_info.features), in the order of svf_forest_feature_name; made features
 * are computed here. A number is as in the training table, unscaled; a category is its code
 * (svf_forest_category_name); a missing value is NaN. An unknown code counts as missing and adds to
 * prediction->unseen; an infinite number is refused (SVF_DATA). The arrays of `prediction` have n = 1. The results
 * have the same bits as those of svf_predict. */
SVF_API svf_status svf_predictor_row(svf_predictor *predictor, const double *row, svf_prediction *prediction,
                                     svf_message *message);

/* A copy of the model with the conformal scores of the rows of a table. The table must have its target and must not
 * have been trained on. The score of a row is |y - value| / spread in a regression, or |y - value| if the model has
 * no spreads; for classes it is 1 - the probability of the row's class. Earlier scores are replaced; merging drops
 * them. Row weights are refused. run may be NULL. */
SVF_API svf_status svf_forest_calibrate(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                        svf_forest **calibrated, svf_message *message);
/* How many rows the model was calibrated with; 0: it was not. */
SVF_API size_t svf_forest_calibrated(const svf_forest *forest);
/* Half the width of an interval of that level around a predicted number, in spreads: svf_forest_conformal if the
 * model is calibrated, else the quantile of the normal distribution. NaN: level is not in (0, 1). */
SVF_API double svf_forest_reach(const svf_forest *forest, double level);
/* 1: the model can predict spreads (svf_prediction.spreads). */
SVF_API int svf_forest_has_spreads(const svf_forest *forest);

/* ---- tuning ---------------------------------------------------------------------------------------- */

typedef enum svf_tune_search {
  SVF_TUNE_HALVING = 0, /* many candidates on few rows; the best third goes on with three times the rows, up to all */
  SVF_TUNE_RANDOM,      /* candidates drawn without repeats */
  SVF_TUNE_GRID,        /* all candidates, in order */
} svf_tune_search;

typedef struct svf_tuning svf_tuning;

/* All zero is a good default. */
typedef struct svf_tune_options {
  svf_tune_search search;
  size_t folds;      /* of the cross-validation; 0: 5 */
  size_t candidates; /* try at most so many; 0: all of a grid, else 27 or, with a budget, as many as it allows */
  double budget;     /* seconds; a candidate still running then is given up. 0: none, and a seed gives one result */
  /* "NAME=VALUE|VALUE": search these values of this setting. If there are none, the search uses the values that the
   * settings table lists for the method; the first candidate is the method itself. A setting that was set by hand is
   * not searched, and naming it here is refused. */
  const char *const *tries;
  size_t try_count;
  /* Called after each candidate, from the thread that called svf_tune; nonzero stops the search. NULL: not called. */
  int (*tell)(void *user, const svf_tuning *tuning, size_t candidate);
  void *user;
} svf_tune_options;

/* Looks for good settings of a method by cross-validation: mean accuracy, or mean squared error, over folds that are
 * the same for every candidate and depend on the seed of `settings` (svf_table_folds). options and run may be NULL;
 * run->callback gets the progress of the whole search. *tuning has the best candidate so far whatever is returned,
 * also with SVF_STOPPED (the callback or `tell` asked for it) and SVF_MEMORY (a candidate did not fit); it is NULL if
 * no candidate was finished. A candidate whose training fails is counted and left out, but if the first fails, the
 * search ends. */
SVF_API svf_status svf_tune(const svf_settings *settings, const svf_table *table, const svf_tune_options *options,
                            const svf_run *run, svf_tuning **tuning, svf_message *message);
SVF_API void svf_tuning_free(svf_tuning *tuning);
/* The best settings, ready for svf_train; they belong to `tuning`. */
SVF_API const svf_settings *svf_tuning_settings(const svf_tuning *tuning);

/* ---- the model ------------------------------------------------------------------------------------- */

/* Saves the model to `path` ("-": standard output), by way of a temporary file beside it that is synced and
 * renamed. */
SVF_API svf_status svf_forest_save(const svf_forest *forest, const char *path, svf_message *message);
/* Maps the file and checks every index, count and number in it before first use. */
SVF_API svf_status svf_forest_load(const char *path, svf_forest **forest, svf_message *message);
/* The same from memory, which is copied. svf_forest_bytes returns the exact bytes of the file; they belong to the
 * forest. */
SVF_API svf_status svf_forest_from_bytes(const void *bytes, size_t size, svf_forest **forest, svf_message *message);
SVF_API const void *svf_forest_bytes(const svf_forest *forest, size_t *size);

/* Joins forests that have some of the trees each (first_tree=...), trained on the same table with the same settings.
 * They may come in any order, but their trees must be without gap or overlap. The result equals that of one run, byte
 * for byte. */
SVF_API svf_status svf_forest_merge(const svf_forest *const *parts, size_t count, svf_forest **forest,
                                    svf_message *message);

typedef struct svf_forest_info {
  const char *method;
  svf_task task;
  size_t trees, first_tree, nodes, leaves;
  size_t rows;        /* of the training table */
  size_t features;    /* columns before encoding */
  size_t made;        /* made features; they are numbered after the columns */
  size_t encoded;     /* columns after encoding */
  size_t classes;     /* 0: regression */
  size_t scores;      /* k: scores per row */
  size_t max_depth;   /* of the deepest leaf; the root has depth 0 */
  size_t bytes;       /* of the model file */
  size_t unconverged; /* leaves whose machine did not reach its tolerance */
  double worst_gap;   /* largest relative duality gap of any leaf machine; 0: no machines */
  double oob;         /* out-of-bag accuracy (classes) or mean squared error of the run that trained this object,
                         NaN: none, or loaded from a file */
  int oob_chose;      /* 1: out-of-bag rows chose the cuts, so `oob` is far too optimistic */
} svf_forest_info;
SVF_API void svf_forest_describe(const svf_forest *forest, svf_forest_info *info);
SVF_API const svf_settings *svf_forest_settings(const svf_forest *forest);
SVF_API const char *svf_forest_target_name(const svf_forest *forest);
/* The columns that were ids in training: how many, and their names. */
SVF_API size_t svf_forest_ids(const svf_forest *forest);
SVF_API const char *svf_forest_id_name(const svf_forest *forest, size_t index);
SVF_API const char *svf_forest_class_name(const svf_forest *forest, size_t index);
SVF_API const char *svf_forest_feature_name(const svf_forest *forest, size_t column);
/* How many categories a feature has, and their names in the order of the codes; 0 and NULL if it holds numbers. */
SVF_API size_t svf_forest_categories(const svf_forest *forest, size_t column);
SVF_API const char *svf_forest_category_name(const svf_forest *forest, size_t column, size_t code);
/* 1: the feature is a date; rows have the days since 1970-01-01 in UTC. */
SVF_API int svf_forest_is_date(const svf_forest *forest, size_t column);
/* Reads an ISO 8601 date as files may have it, with or without a time of day and a zone. Returns 1 and the days since
 * 1970-01-01 in UTC, or 0 if the text is not such a date. */
SVF_API int svf_date_read(const char *text, double *days);
/* Writes days since 1970-01-01 into a buffer, as "2024-01-31", or as "2024-01-31T12:30:00" if there is a time of day.
 * Returns the length that the text needs. */
SVF_API size_t svf_date_print(double days, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
