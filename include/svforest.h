/* svforest.h - forests whose leaves are support vector machines: read a table, train, predict, save.
 *
 * Read it top to bottom: status and message; how a job runs; tables; settings; training; prediction; tuning; the model.
 * svforest_inspect.h is for programs that look into settings, results and models, svforest_parts.h for training in parts.
 *
 * The library never prints, exits, aborts, reads the environment or touches global state. Objects are opaque, made by a
 * function that returns a status and freed by their own _free (NULL is allowed there). A const object may be used by
 * several threads at once.
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

/* Owned by the caller; written only when a function returns something other than SVF_OK. Every function that takes one
 * accepts NULL. The text is one line without a final newline; it names file, line and column where there are any, and
 * says what to do. */
typedef struct svf_message {
  char text[1024];
} svf_message;

/* ---- how a job runs: threads, progress, the wish to stop ------------------------------------------- */

typedef struct svf_progress {
  const char
      *phase;   /* "encode", "prepare", "grow", "leaves", "predict", ...; in a committee also the member: "2/9 rf" */
  double done;  /* fraction of the whole job, 0..1, never falls */
  size_t trees; /* trees of the finished forest */
} svf_progress;

/* Called about ten times a second, always from the thread that called the library. Nonzero: stop; the job then ends
 * with SVF_STOPPED within a second of processor time and leaves nothing behind. */
typedef int (*svf_callback)(void *user, const svf_progress *progress);

/* A sentence about the table that is trained on, for its owner: it can be used, but something in it is probably not as
 * it was meant. Called before training, from the thread that called the library. */
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

/* A table that borrows the matrix instead of copying it: the memory must stay where and as it is until the table is
 * freed. Else as svf_table_new. Training then holds the numbers once, encoded, beside the caller's. A column that
 * becomes categories is no longer borrowed, and svf_table_take copies. */
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
  svf_task task;           /* AUTO: a text target, or integers with at most 50 distinct values, is classes */
  const svf_forest *model; /* NULL, or the forest the table is meant for: columns are then matched by name,
                              its categories are read as text, and its target may be absent */
  size_t memory_limit;     /* bytes the table may take; 0: the machine's memory */
  int threads;             /* 0: one per processor */
  const char *const *keep; /* names (or numbers) of columns to keep as text too, whatever else they are */
  size_t keep_count;
  const char *const *id; /* names (or numbers) of columns that identify a row: no features; a model remembers them */
  size_t id_count;
  int keep_ids; /* 1: keep the ids of `model` as text too, those that the table has, before the columns of `keep` */
  const struct svf_portion
      *cuts; /* NULL, or the cuts that route a chunk (svforest_parts.h): as `model`, with a target */
} svf_read_options;

/* Reads a table from a file; "-" is standard input; gzip is recognised by content. CSV and TSV (separator found among
 * , ; tab), LIBSVM text, NPY (2-D, little-endian floats or integers, C or Fortran order). options may be NULL. */
SVF_API svf_status svf_table_read(const char *path, const svf_read_options *options, svf_table **table,
                                  svf_message *message);

/* Gives the table a target; both copy. classes: labels[i] in 0..count-1, names in the order of the codes. */
SVF_API svf_status svf_table_set_classes(svf_table *table, const int32_t *labels, const char *const *names,
                                         size_t count, svf_message *message);
SVF_API svf_status svf_table_set_values(svf_table *table, const double *values, svf_message *message);
/* Row weights, finite and >= 0, not all 0. */
SVF_API svf_status svf_table_set_weights(svf_table *table, const double *weights, svf_message *message);
/* A weight per class in the order of the codes, finite and >= 0, not all 0, for class_weight=given. Rows of a class of
 * weight 0 are in no tree. A new target forgets the weights. */
SVF_API svf_status svf_table_set_class_weights(svf_table *table, const double *weights, svf_message *message);
/* Turns column number `column` into categories: codes[i] in 0..count-1, or -1 for missing. */
SVF_API svf_status svf_table_set_categories(svf_table *table, size_t column, const int32_t *codes,
                                            const char *const *names, size_t count, svf_message *message);

/* Turns a column of numbers, days since 1970-01-01 in UTC with a fraction, into dates: the model sees the days and,
 * where they vary in the training rows, the month, the day of the week and the hour. Refuses what is outside of the
 * years 1 to 9999. In a CSV file a column of ISO 8601 dates becomes one by itself. */
SVF_API svf_status svf_table_set_dates(svf_table *table, size_t column, svf_message *message);

/* Adds a feature made of the table's columns of numbers: "area=width*height" (a product), "w2=width^2" (a power, 1 to
 * 9), "r=distance(x=1.5,y=2)" (the distance from a point); names with other characters than letters, digits, points
 * and underscores are best put in double quotes. The recipe goes into every model trained on the table: prediction
 * needs only the columns. Costs memory for one more column. */
SVF_API svf_status svf_table_add_feature(svf_table *table, const char *text, svf_message *message);

/* Synthetic sets; svf_synth_at lists the kinds. */
typedef struct svf_synth_options {
  size_t rows, features, classes; /* 0: the kind's default */
  uint64_t seed;
} svf_synth_options;
/* bayes_risk may be NULL; NaN where the kind has no known one. */
SVF_API svf_status svf_table_synth(const char *kind, const svf_synth_options *options, svf_table **table,
                                   double *bayes_risk, svf_message *message);

/* Writes features and target as CSV with a header ("-": standard output), by temporary file and rename. */
SVF_API svf_status svf_table_write(const svf_table *table, const char *path, svf_message *message);

SVF_API void svf_table_free(svf_table *table);
SVF_API size_t svf_table_rows(const svf_table *table);
SVF_API size_t svf_table_columns(const svf_table *table); /* features only */
SVF_API const char *svf_table_column_name(const svf_table *table, size_t column);
SVF_API const char *svf_table_target_name(const svf_table *table); /* NULL: no target */
SVF_API svf_task svf_table_task(const svf_table *table);           /* AUTO: no target */
SVF_API size_t svf_table_classes(const svf_table *table);          /* 0: not classes */
SVF_API const char *svf_table_class_name(const svf_table *table, size_t index);
/* n class codes, or NULL; n target values (of a regression), or NULL; n weights, or NULL. A code of -1 is a label that
 * the model the table was read for does not know. */
SVF_API const int32_t *svf_table_labels(const svf_table *table);
SVF_API const double *svf_table_values(const svf_table *table);
SVF_API const double *svf_table_weights(const svf_table *table);
/* As many as classes, or NULL: none were given. */
SVF_API const double *svf_table_class_weights(const svf_table *table);
/* Sentences about what is probably not as it was meant, though the table can be used: numbers with a decimal comma,
 * which are taken as categories; a few cells that are no dates in a column of dates. Returns 1 and sentence number
 * `index`, from 0, or 0 if there are no more. */
SVF_API int svf_table_remark(const svf_table *table, size_t index, svf_message *remark);
/* 1: the column holds dates. */
SVF_API int svf_table_is_date(const svf_table *table, size_t column);
/* One feature value, a date as days since 1970-01-01 in UTC; NaN where missing or a category. */
SVF_API double svf_table_number(const svf_table *table, size_t row, size_t column);

/* The columns that were to be kept as text, in the order asked for, each once, and a cell of one: what the file has,
 * without quotes and the blanks around it; "" for a blank cell. A number of a file that is no CSV is the shortest text
 * that reads back to it, "" if it is NaN. */
SVF_API size_t svf_table_kept(const svf_table *table);
SVF_API const char *svf_table_kept_name(const svf_table *table, size_t kept);
SVF_API const char *svf_table_kept_text(const svf_table *table, size_t row, size_t kept);

/* A new table of the given rows (repeats allowed), without kept columns; classes and categories keep their codes. */
SVF_API svf_status svf_table_take(const svf_table *table, const size_t *rows, size_t count, svf_table **taken,
                                  svf_message *message);

/* Stratified for classes, plain for values. fold[i] in 0..folds-1. */
SVF_API svf_status svf_table_folds(const svf_table *table, size_t folds, uint64_t seed, int32_t *fold,
                                   svf_message *message);
/* part[i] = 1 for the test rows: a share `fraction` of the rows, stratified for classes. */
SVF_API svf_status svf_table_holdout(const svf_table *table, double fraction, uint64_t seed, int32_t *part,
                                     svf_message *message);

/* ---- settings -------------------------------------------------------------------------------------- */

typedef struct svf_settings svf_settings;

/* The name of the method that the command and the Python package take if none is named. */
SVF_API const char *svf_method_default(svf_task task);

/* The settings of a method. */
SVF_API svf_status svf_settings_new(const char *method, svf_settings **settings, svf_message *message);
SVF_API svf_status svf_settings_copy(const svf_settings *settings, svf_settings **copy, svf_message *message);
SVF_API void svf_settings_free(svf_settings *settings);
/* Sets one by name from text; a wrong name or value is refused and changes nothing. */
SVF_API svf_status svf_settings_set(svf_settings *settings, const char *name, const char *value,
                                    svf_message *message);
/* Canonical text of one setting into a buffer (always terminated); SVF_USAGE: no such setting, or too small. */
SVF_API svf_status svf_settings_get(const svf_settings *settings, const char *name, char *buffer, size_t size);
SVF_API const char *svf_settings_method(const svf_settings *settings);
/* Is the combination legal for this task (AUTO: for any)? SVF_USAGE says why not. svf_train asks it first. */
SVF_API svf_status svf_settings_check(const svf_settings *settings, svf_task task, svf_message *message);

/* ---- training -------------------------------------------------------------------------------------- */

/* Trains a forest. The same settings (seed included) and table give the same model bytes for any number of threads.
 * run may be NULL. On any failure *forest is NULL. With interval=conformal, here and in the other calls, some rows are
 * held apart and calibrate the model, as svf_forest_calibrate does. */
SVF_API svf_status svf_train(const svf_settings *settings, const svf_table *table, const svf_run *run,
                             svf_forest **forest, svf_message *message);
/* The same for a table that nobody needs afterwards: its columns are given back once they are encoded, which saves 8
 * bytes a number while the forest grows. The table is freed and *table is NULL after any outcome. */
SVF_API svf_status svf_train_once(const svf_settings *settings, svf_table **table, const svf_run *run,
                                  svf_forest **forest, svf_message *message);

/* Adds rounds to a forest of vote=boost, up to settings->trees of them in all, on the table that it was trained on.
 * Settings must be its own but for trees, stop_rounds=0 and stop_fraction. The result is that of one run with all
 * rounds, but for rounding. If the run stops, the rounds that are done are the forest. `before` stays as it is. */
SVF_API svf_status svf_train_more(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                                  const svf_run *run, svf_forest **forest, svf_message *message);

typedef struct svf_member_info svf_member_info; /* svforest_inspect.h */
/* How a committee is trained (method auto); all zero is a good default. */
typedef struct svf_auto_options {
  double budget; /* seconds: members are tried until they are spent; the first always comes to its end. 0: no limit */
  const char *plan; /* the members, as svf_committee_describe gives them; NULL: by effort and table */
  /* Called whenever a member has been tried, from the thread that called. NULL: not called. */
  void (*tell)(void *user, const svf_member_info *member);
  void *user;
  int wide; /* 1: also members with other settings, as svf_tune tries them, for some four times the work */
} svf_auto_options;

/* Trains a committee: forests of several methods whose answers on held-out rows decide what each counts. The same
 * plan, settings and table give the same model bytes for any number of threads. options and run may be NULL. A member
 * that fails, does not fit into memory or would pass the budget is left out. SVF_STOPPED: *forest has the committee of
 * the members that had finished, or is NULL. svf_train does the same without options for settings with committee=yes. */
SVF_API svf_status svf_train_auto(const svf_settings *settings, const svf_table *table,
                                  const svf_auto_options *options, const svf_run *run, svf_forest **forest,
                                  svf_message *message);

SVF_API void svf_forest_free(svf_forest *forest);

/* ---- prediction ------------------------------------------------------------------------------------ */

/* What is wanted: arrays of the caller, any of them NULL. n rows, k = svf_forest_info.scores. */
typedef struct svf_prediction {
  double *values;        /* n: class code, or predicted value */
  double *scores;        /* n x k: the vote's score of each class, or the value */
  double *probabilities; /* n x k: mean over trees; classes only */
  int32_t *leaves;       /* n x trees: leaf number in its tree */
  /* n: the standard deviation of the error that is expected of each value: the root of the mean square of what the leaves
   * expect to err by, less the variance of the trees' answers; or of that variance where it is larger. 0 where no leaf has
   * two rows and the trees agree. Numbers only (SVF_USAGE for classes). */
  double *spreads;
  size_t unseen; /* out: cells with a category that training did not know, taken as missing */
} svf_prediction;

/* Columns are matched by name when the table has names of its own, else by position. run may be NULL. */
SVF_API svf_status svf_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_prediction *prediction, svf_message *message);

/* How good predicted values (n: class codes, or numbers) are for a table with a target: accuracy, or mean squared
 * error, rows counted by their weights. NaN: no rows, no weight, or no target. */
SVF_API double svf_table_measure(const svf_table *table, const double *values);

/* Single rows, for programs that answer one question at a time. A predictor holds all the memory that a row needs:
 * svf_predictor_row takes none, starts no thread and waits for nobody. One predictor serves one thread at a time;
 * several threads take one each, of the same forest, which must outlive them. */
typedef struct svf_predictor svf_predictor;
SVF_API svf_status svf_predictor_new(const svf_forest *forest, svf_predictor **predictor, svf_message *message);
SVF_API void svf_predictor_free(svf_predictor *predictor);

/* `row` has one number per column (svf_forest_info.features), in the order of svf_forest_feature_name; what is made of
 * them is made here. A number is the value as it was in the training table, unscaled; of a category its code
 * (svf_forest_category_name); NaN where it is missing. A code that there is not counts as missing, and in
 * prediction->unseen; an infinite number is refused (SVF_DATA). The arrays of `prediction` have n = 1. The answer has
 * the same bits as svf_predict's. */
SVF_API svf_status svf_predictor_row(svf_predictor *predictor, const double *row, svf_prediction *prediction,
                                     svf_message *message);

/* A copy of the model with conformal scores of the rows of a table, which it was not trained on and whose answers are
 * known. A number's score is |y - value| / spread, or |y - value| if the model knows no spreads; that of a class is
 * 1 - its probability. Earlier scores are replaced; merging drops them. Row weights are refused. run may be NULL. */
SVF_API svf_status svf_forest_calibrate(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                        svf_forest **calibrated, svf_message *message);
/* How many rows the model was calibrated with; 0: it was not. */
SVF_API size_t svf_forest_calibrated(const svf_forest *forest);
/* The score that a new row stays at or below with probability `level` or more, if it and the calibration rows are
 * exchangeable: number ceil((n + 1) * level) of the n scores, infinite if there are not so many. NaN: not calibrated,
 * or level not in (0, 1). A number lies within value -+ score * spread, a class has probability 1 - score or more. */
SVF_API double svf_forest_conformal(const svf_forest *forest, double level);
/* How many spreads an interval of that level reaches to either side of a predicted number: svf_forest_conformal of a
 * calibrated model, else the quantile of the normal distribution. NaN: level not in (0, 1). */
SVF_API double svf_forest_reach(const svf_forest *forest, double level);
/* 1: the model knows the spreads of its values (svf_prediction.spreads). */
SVF_API int svf_forest_has_spreads(const svf_forest *forest);

/* ---- tuning ---------------------------------------------------------------------------------------- */

typedef enum svf_tune_search {
  SVF_TUNE_HALVING = 0, /* many on few rows; the best third goes on with three times the rows, until one has all */
  SVF_TUNE_RANDOM,      /* drawn without repeats */
  SVF_TUNE_GRID,        /* all of them, in order */
} svf_tune_search;

typedef struct svf_tuning svf_tuning;

/* All zero is a good default. */
typedef struct svf_tune_options {
  svf_tune_search search;
  size_t folds;      /* of the cross-validation; 0: 5 */
  size_t candidates; /* most that are tried; 0: all of a grid, else 27, or what the budget allows */
  double budget; /* seconds; what runs at their end is given up. 0: none, and the same seed gives the same answer */
  /* "NAME=VALUE|VALUE": search these values of these settings. None: those that the settings' table names for the
   * method and that nobody set by hand, the method's own values being the first candidate. What was set by hand stays:
   * a try of it is refused. */
  const char *const *tries;
  size_t try_count;
  /* Called whenever a candidate has run, from the thread that called svf_tune. Nonzero: stop. NULL: not called. */
  int (*tell)(void *user, const svf_tuning *tuning, size_t candidate);
  void *user;
} svf_tune_options;

/* Looks for good settings of a method by cross-validation: mean accuracy, or mean squared error, over folds that are
 * the same for every candidate and are dealt by the seed of `settings` (svf_table_folds). options and run may be NULL;
 * run->callback is told of the whole search. *tuning has the best so far whatever is returned, also SVF_STOPPED (the
 * callback or `tell` asked for it) and SVF_MEMORY (some candidate did not fit); it is NULL if none came to its end. A
 * candidate whose training fails is counted and left out, unless it is the first: that ends the search. */
SVF_API svf_status svf_tune(const svf_settings *settings, const svf_table *table, const svf_tune_options *options,
                            const svf_run *run, svf_tuning **tuning, svf_message *message);
SVF_API void svf_tuning_free(svf_tuning *tuning);
/* The best settings, ready for svf_train; lent. */
SVF_API const svf_settings *svf_tuning_settings(const svf_tuning *tuning);

/* ---- the model ------------------------------------------------------------------------------------- */

/* Written to a temporary file beside `path`, synced, renamed. "-": standard output. */
SVF_API svf_status svf_forest_save(const svf_forest *forest, const char *path, svf_message *message);
/* Maps the file and checks every index, count and number in it before first use. */
SVF_API svf_status svf_forest_load(const char *path, svf_forest **forest, svf_message *message);
/* The same from memory (copied). svf_forest_bytes lends the exact bytes of the file. */
SVF_API svf_status svf_forest_from_bytes(const void *bytes, size_t size, svf_forest **forest, svf_message *message);
SVF_API const void *svf_forest_bytes(const svf_forest *forest, size_t *size);

/* Joins forests trained in parts (first_tree=...) on the same table with the same settings; the parts may come in any
 * order and must be without gap or overlap. The result equals one run byte for byte. */
SVF_API svf_status svf_forest_merge(const svf_forest *const *parts, size_t count, svf_forest **forest,
                                    svf_message *message);

typedef struct svf_forest_info {
  const char *method;
  svf_task task;
  size_t trees, first_tree, nodes, leaves;
  size_t rows;        /* it was trained on */
  size_t features;    /* columns before encoding */
  size_t made;        /* features made of those; they are numbered after them */
  size_t encoded;     /* columns after */
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
/* The categories of a feature, and their names in the order of their codes: 0 and NULL for a number. */
SVF_API size_t svf_forest_categories(const svf_forest *forest, size_t column);
SVF_API const char *svf_forest_category_name(const svf_forest *forest, size_t column, size_t code);
/* 1: the feature is a date, which rows hold as days since 1970-01-01 in UTC. */
SVF_API int svf_forest_is_date(const svf_forest *forest, size_t column);
/* Reads an ISO 8601 date, with or without a time of day and a zone, as files may have it: 1 and the days since
 * 1970-01-01 in UTC; 0: it is none. */
SVF_API int svf_date_read(const char *text, double *days);
/* Days since 1970-01-01 as "2024-01-31", or "2024-01-31T12:30:00" if there is a time of day, into a buffer; returns
 * the length it needs. */
SVF_API size_t svf_date_print(double days, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
