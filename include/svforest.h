/* svforest.h - forests whose leaves are support vector machines: the whole public interface.
 *
 * Read it top to bottom: status and message; tables; settings and methods; training; prediction; tuning; the
 * model.
 * The library never prints, exits, aborts, reads the environment or touches global state. Objects are
 * opaque, made by a function that returns a status and freed by their own _free (NULL is allowed there).
 * A const object may be used by several threads at once.
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

/* "0.1.0" */
SVF_API const char *svf_version(void);

/* ---- status and message ------------------------------------------------------------------------ */

typedef enum svf_status {
  SVF_OK = 0,
  SVF_USAGE,   /* a setting, an option or a call is wrong */
  SVF_DATA,    /* what was read is wrong: a table or a model file */
  SVF_IO,      /* the system refused to open, read, write, sync or rename */
  SVF_MEMORY,  /* memory ran out, or the job would need more than the limit */
  SVF_STOPPED, /* the callback asked to stop */
} svf_status;

/* Owned by the caller; written only when a function returns something other than SVF_OK. Every function
 * that takes one accepts NULL. The text is one line without a final newline; it names file, line and
 * column where there are any, and says what to do. */
typedef struct svf_message {
  char text[1024];
} svf_message;

/* ---- how a job runs: threads, progress, the wish to stop ---------------------------------------- */

typedef struct svf_progress {
  const char
      *phase; /* "encode", "prepare", "grow", "leaves", "predict", ...; of a committee the member at hand: "2/9 rf" */
  double done;  /* share of the whole job, 0..1, never falls */
  size_t trees; /* trees of the finished forest */
} svf_progress;

/* Called about ten times a second, always from the thread that called the library. Nonzero: stop; the job
 * then ends with SVF_STOPPED within a second of processor time and leaves nothing behind. */
typedef int (*svf_callback)(void *user, const svf_progress *progress);

/* A sentence about the table that is trained on, for its owner: it can be used, but something in it is probably not as it
 * was meant. Called before training, from the thread that called the library. */
typedef void (*svf_remark)(void *user, const char *text);

/* All zero is a good default. Nothing in here can change a result. */
typedef struct svf_run {
  int threads;           /* 0: one per processor that this process may use */
  svf_callback callback; /* NULL: no progress, cannot be stopped */
  void *user;            /* handed to both callbacks */
  size_t memory_limit;   /* bytes a job may ask for; 0: the machine's memory */
  svf_remark remark;     /* NULL: no remarks */
} svf_run;

/* ---- tables: what comes in ----------------------------------------------------------------------- */

typedef struct svf_table svf_table;
typedef struct svf_forest svf_forest;
struct svf_portion;

typedef enum svf_task { SVF_TASK_AUTO = 0, SVF_TASK_CLASS, SVF_TASK_REGRESS } svf_task;
typedef enum svf_format { SVF_FORMAT_AUTO = 0, SVF_FORMAT_CSV, SVF_FORMAT_LIBSVM, SVF_FORMAT_NPY } svf_format;

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
  const char *const
      *id; /* names (or numbers) of columns that say which row it is: no features, and a model remembers them */
  size_t id_count;
  int keep_ids; /* 1: keep the ids of `model` as text too, those that the table has, before the columns of `keep` */
  const struct svf_portion
      *cuts; /* NULL, or the cuts that a chunk is to be routed by: as `model`, but with a target */
} svf_read_options;

/* Reads a table from a file; "-" is standard input; gzip is recognised by content. CSV and TSV (separator
 * found among , ; tab), LIBSVM text, NPY (2-D, little-endian floats or integers, C or Fortran order).
 * options may be NULL. */
SVF_API svf_status svf_table_read(const char *path, const svf_read_options *options, svf_table **table,
                                  svf_message *message);

/* A matrix in the caller's memory; strides in elements. */
typedef struct svf_matrix {
  const void *values;
  int float32; /* 1: float, 0: double */
  size_t rows, columns;
  ptrdiff_t row_stride, column_stride;
} svf_matrix;

/* A table of numeric columns, copied from a matrix; NaN is missing, an infinite value is refused.
 * names may be NULL: x1, x2, ... */
SVF_API svf_status svf_table_new(const svf_matrix *matrix, const char *const *names, svf_table **table,
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

/* Turns a column of numbers, days since 1970-01-01 in UTC with a fraction, into dates: the model sees the days and, where
 * they vary in the training rows, the month, the day of the week and the hour. Refuses what is outside of the years 1 to
 * 9999. In a CSV file a column of ISO 8601 dates becomes one by itself. */
SVF_API svf_status svf_table_set_dates(svf_table *table, size_t column, svf_message *message);

/* Adds a feature made of the table's columns of numbers: "area=width*height" (a product), "w2=width^2" (a power, 1
 * to 9), "r=distance(x=1.5,y=2)" (the distance from a point); names with other characters than letters, digits, points
 * and underscores are best put in double quotes. The recipe goes into every model trained on the table: prediction needs
 * only the columns. Costs memory for one more column. */
SVF_API svf_status svf_table_add_feature(svf_table *table, const char *text, svf_message *message);

/* Synthetic sets; `svf_synth_at` lists them. d 0: the kind's own default. */
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
/* n class codes, or NULL; n target values (of a regression), or NULL; n weights, or NULL. A code of -1 is a
 * label that the model the table was read for does not know. */
SVF_API const int32_t *svf_table_labels(const svf_table *table);
SVF_API const double *svf_table_values(const svf_table *table);
SVF_API const double *svf_table_weights(const svf_table *table);
/* As many as classes, or NULL: none were given. */
SVF_API const double *svf_table_class_weights(const svf_table *table);
/* Sentences about what is probably not as it was meant, though the table can be used: numbers with a decimal comma, which
 * are taken as categories; a few cells that are no dates in a column of dates. Returns 1 and sentence number `index`, from
 * 0, or 0 if there are no more. */
SVF_API int svf_table_remark(const svf_table *table, size_t index, svf_message *remark);
/* 1: the column holds dates. */
SVF_API int svf_table_is_date(const svf_table *table, size_t column);
/* One feature value, a date as days since 1970-01-01 in UTC; NaN where missing or a category. */
SVF_API double svf_table_number(const svf_table *table, size_t row, size_t column);

/* The columns that were to be kept as text, in the order asked for, each once, and a cell of one: what the file has, without
 * quotes and the blanks around it; "" for a blank cell. A number of a file that is no CSV is the shortest text that reads
 * back to it, "" if it is NaN. */
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

/* ---- settings and methods -------------------------------------------------------------------------- */

typedef struct svf_settings svf_settings;

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

/* One published (or own) method: a row of settings. */
typedef struct svf_method_info {
  const char *name;
  const char *title;
  const char *paper;    /* who published it; says so where it is our own */
  const char *settings; /* "cut=random refused=stop ...": what differs from the defaults */
} svf_method_info;
SVF_API size_t svf_method_count(void);
SVF_API const svf_method_info *svf_method_at(size_t index);
/* The name of the method that the command and the Python package take if none is named. */
SVF_API const char *svf_method_default(svf_task task);

/* The name in the list that is nearest to one that is not in it, for "did you mean ...?"; NULL: none is near. */
SVF_API const char *svf_name_nearest(const char *wanted, const char *const *names, size_t count);

/* One kind of one seam: "cut", "leaf", "pick" or "vote". */
typedef struct svf_kind_info {
  const char *seam, *name, *help;
  const char *const *settings; /* names of the settings it reads, NULL-terminated */
} svf_kind_info;
SVF_API size_t svf_kind_count(void);
SVF_API svf_kind_info svf_kind_at(size_t index);

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
/* Is setting number `index` (svf_setting_at) read with these settings? Others have no meaning, and are refused if set. */
SVF_API int svf_settings_reads(const svf_settings *settings, size_t index);
/* Is the combination legal for this task (AUTO: for any)? SVF_USAGE says why not. svf_train asks it first. */
SVF_API svf_status svf_settings_check(const svf_settings *settings, svf_task task, svf_message *message);

/* ---- training --------------------------------------------------------------------------------------- */

/* Trains a forest. The same settings (seed included) and table give the same model bytes for any number of
 * threads. run may be NULL. On any failure *forest is NULL. With interval=conformal, here and in the other calls, some rows are
 * held apart and calibrate the model, as svf_forest_calibrate does. */
SVF_API svf_status svf_train(const svf_settings *settings, const svf_table *table, const svf_run *run,
                             svf_forest **forest, svf_message *message);
/* The same for a table that nobody needs afterwards: its columns are given back once they are encoded, which saves 8 bytes
 * a number while the forest grows. The table is freed and *table is NULL after any outcome. */
SVF_API svf_status svf_train_once(const svf_settings *settings, svf_table **table, const svf_run *run,
                                  svf_forest **forest, svf_message *message);

/* Adds rounds to a forest of vote=boost, up to settings->trees of them in all, on the table that it was trained on. Settings must be
 * its own but for trees, stop_rounds=0 and stop_fraction. The result is that of one run with all rounds, but for rounding. If
 * the run stops, the rounds that are done are the forest. `before` stays as it is. */
SVF_API svf_status svf_train_more(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                                  const svf_run *run, svf_forest **forest, svf_message *message);

/* How a committee is trained (method auto); all zero is a good default. */
typedef struct svf_member_info svf_member_info;
typedef struct svf_auto_options {
  double budget; /* seconds: members are tried until they are spent; the first always comes to its end. 0: no limit */
  const char
      *plan; /* the members, as svf_committee_describe or an earlier run names them; NULL: by effort and table */
  /* Called whenever a member has been tried, from the thread that called. NULL: not called. */
  void (*tell)(void *user, const svf_member_info *member);
  void *user;
  int wide; /* 1: also members with other settings, as svf_tune tries them, for some four times the work */
} svf_auto_options;

/* Trains a committee: forests of several methods whose answers on held-out rows decide what each counts. The same plan,
 * settings and table give the same model bytes for any number of threads. options and run may be NULL. A member that
 * fails, does not fit into memory or would pass the budget is left out. SVF_STOPPED: *forest has the committee of the members that had finished, or is NULL. svf_train
 * does the same without options for settings with committee=yes. */
SVF_API svf_status svf_train_auto(const svf_settings *settings, const svf_table *table,
                                  const svf_auto_options *options, const svf_run *run, svf_forest **forest,
                                  svf_message *message);

SVF_API void svf_forest_free(svf_forest *forest);

/* ---- training in parts ------------------------------------------------------------------------------ */

/* For tables that do not fit into memory, or that lie on several machines. The setting partition_rows says how many rows
 * decide encoding and cuts. Four steps, each a function of its arguments alone: cuts from a sample; rows of a chunk to
 * their cells; leaves from the rows of some cells; a model from cuts and leaves. Whatever the chunks and however cells are
 * shared out, the model has the bytes that svf_train gives for the whole table with the same settings. */
typedef struct svf_portion svf_portion;
typedef enum svf_portion_kind {
  SVF_PORTION_NONE = 0,
  SVF_PORTION_CUTS,
  SVF_PORTION_ROWS,
  SVF_PORTION_LEAVES
} svf_portion_kind;

/* Cells first..first+count-1 of the cuts. */
typedef struct svf_cells {
  uint64_t first, count;
} svf_cells;

/* A file that is larger than memory, some rows at a time. */
typedef struct svf_chunks svf_chunks;
/* CSV, NPY or LIBSVM, in a file that is not packed. It is looked through once, so that each chunk is read as its rows are in the
 * whole file: header, separator, columns and lines in messages are those of the file. The options' texts are borrowed. */
SVF_API svf_status svf_chunks_open(const char *path, const svf_read_options *options, svf_chunks **chunks,
                                   svf_message *message);
SVF_API void svf_chunks_free(svf_chunks *chunks);
SVF_API uint64_t svf_chunks_rows(const svf_chunks *chunks);
SVF_API size_t svf_chunks_columns(const svf_chunks *chunks); /* target and all */
/* Divides them into chunks of at most `rows` rows, or of as few as the format allows. Returns how many; 0: memory ran out. At
 * first there is one. */
SVF_API size_t svf_chunks_divide(svf_chunks *chunks, size_t rows);
/* The number of a chunk's first row; of the chunk after the last, how many rows there are. */
SVF_API uint64_t svf_chunks_first(const svf_chunks *chunks, size_t chunk);
/* A chunk as a table; cuts: NULL, or those by which it is to be routed. */
SVF_API svf_status svf_chunks_read(svf_chunks *chunks, size_t chunk, const svf_portion *cuts, svf_table **table,
                                   svf_message *message);

/* Which rows of a chunk may be in the sample: `numbers` are those of its rows in the whole table (NULL: 0, 1, ...). rows:
 * room for as many as the chunk has; filled with `count` of them, ascending by number. Of the rows so kept of all chunks,
 * svf_partition draws the sample. */
SVF_API svf_status svf_table_sample(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                    size_t *rows, size_t *count, svf_message *message);
/* One table after the other; columns, target and weights must be alike. Categories and classes are joined in order. */
SVF_API svf_status svf_table_join(const svf_table *const *tables, size_t count, svf_table **joined,
                                  svf_message *message);
/* Encoding and cuts from a table that has at least the rows of the sample, with their numbers (NULL: 0, 1, ...) among the
 * `rows` of the whole table. */
SVF_API svf_status svf_partition(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                                 uint64_t rows, const svf_run *run, svf_portion **cuts, svf_message *message);
/* The rows of a chunk, of which the first has number first_row, by the cells they fall into; cells: NULL for all. */
SVF_API svf_status svf_route(const svf_portion *cuts, const svf_table *chunk, uint64_t first_row,
                             const svf_cells *cells, const svf_run *run, svf_portion **rows, svf_message *message);
/* The leaves of some cells (NULL: of all) from the rows of all chunks, in any order. */
SVF_API svf_status svf_fit(const svf_portion *cuts, const svf_portion *const *rows, size_t count,
                           const svf_cells *cells, const svf_run *run, svf_portion **leaves, svf_message *message);
/* The model, from the leaves of all cells, in any order. */
SVF_API svf_status svf_portion_merge(const svf_portion *cuts, const svf_portion *const *leaves, size_t count,
                                     svf_forest **forest, svf_message *message);

/* Files and bytes of all three kinds, as those of forests. */
SVF_API svf_status svf_portion_save(const svf_portion *part, const char *path, svf_message *message);
SVF_API svf_status svf_portion_load(const char *path, svf_portion **part, svf_message *message);
SVF_API svf_status svf_portion_from_bytes(const void *bytes, size_t size, svf_portion **part, svf_message *message);
SVF_API const void *svf_portion_bytes(const svf_portion *part, size_t *size);
SVF_API void svf_portion_free(svf_portion *part);
/* What a file's first bytes say that it is; SVF_PORTION_NONE: none of these, or it cannot be read. */
SVF_API svf_portion_kind svf_portion_look(const char *path);

typedef struct svf_portion_info {
  svf_portion_kind kind;
  uint64_t rows;      /* cuts: of the whole table; rows: of the chunk; leaves: 0 */
  uint64_t first_row; /* rows: number of the first */
  svf_cells cells;    /* cuts: all */
  size_t trees;       /* cuts */
  size_t leaves;      /* in these cells; rows: those that have any */
  size_t columns;     /* cuts: encoded */
  uint64_t unseen;    /* rows: category cells that the sample did not have; they count as missing */
  size_t bytes;
} svf_portion_info;
SVF_API void svf_portion_describe(const svf_portion *part, svf_portion_info *info);
/* Of rows that went to some cells, those for some of these cells. */
SVF_API svf_status svf_portion_select(const svf_portion *cuts, const svf_portion *rows, const svf_cells *cells,
                                      svf_portion **some, svf_message *message);
/* How many rows were routed to each cell of a part of rows: room for as many as its cells.count. Summed over all chunks, the
 * counts must be equal before and after the rows were sent to where their cell is trained. If `part` is cuts: how many rows of the
 * sample each cell has. */
SVF_API svf_status svf_portion_count(const svf_portion *cuts, const svf_portion *part, uint64_t *count,
                                     svf_message *message);

/* ---- prediction ------------------------------------------------------------------------------------- */

/* What is wanted: arrays of the caller, any of them NULL. n rows, k = svf_forest_info.scores. */
typedef struct svf_prediction {
  double *values;        /* n: class code, or predicted value */
  double *scores;        /* n x k: the vote's score of each class, or the value */
  double *probabilities; /* n x k: mean over trees; classes only */
  int32_t *leaves;       /* n x trees: leaf number in its tree */
  double
      *spreads;  /* n: by how much the value may be off, as a standard deviation: the root of the mean square of what
                            the leaves expect to err by less the variance of the trees' answers, or of that variance where
                            it is larger; 0 where no leaf has two rows and the trees agree. Numbers only (SVF_USAGE for
                            classes) */
  size_t unseen; /* out: cells with a category that training did not know, taken as missing */
} svf_prediction;

/* Columns are matched by name when the table has names of its own, else by position. run may be NULL. */
SVF_API svf_status svf_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_prediction *prediction, svf_message *message);

/* How good predicted values (n: class codes, or numbers) are for a table with a target: accuracy, or mean squared error,
 * rows counted by their weights. NaN: no rows, no weight, or no target. */
SVF_API double svf_table_measure(const svf_table *table, const double *values);

/* n rows and what was predicted for them; k classes. A label of -1 is one that the model does not know: an error in every
 * measure but AUC, which leaves such rows out. */
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

/* confusion: (k + 1) x k of the caller, or NULL: the weight of rows by label and prediction; the last row is for unknown
 * labels. */
SVF_API svf_status svf_measure_classes(const svf_outcome *outcome, double *confusion, svf_class_measures *measures,
                                       svf_message *message);
SVF_API void svf_measure_values(const svf_outcome *outcome, svf_value_measures *measures);

/* Single rows, for programs that answer one question at a time. A predictor holds all the memory that a row needs:
 * svf_predictor_row takes none, starts no thread and waits for nobody. One predictor serves one thread at a time; several
 * threads take one each, of the same forest, which must outlive them. */
typedef struct svf_predictor svf_predictor;
SVF_API svf_status svf_predictor_new(const svf_forest *forest, svf_predictor **predictor, svf_message *message);
SVF_API void svf_predictor_free(svf_predictor *predictor);

/* `row` has one number per column (svf_forest_info.features), in the order of svf_forest_feature_name; what is made of
 * them is made here. A number is the value as it was in the training table, unscaled; of a category its code
 * (svf_forest_category_name); NaN where it is missing. A code that there is not counts as missing, and in
 * prediction->unseen; an infinite number is refused (SVF_DATA). The arrays of `prediction` have n = 1. The answer has the
 * same bits as svf_predict's. */
SVF_API svf_status svf_predictor_row(svf_predictor *predictor, const double *row, svf_prediction *prediction,
                                     svf_message *message);

/* ---- tuning ------------------------------------------------------------------------------------------ */

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

/* Looks for good settings of a method by cross-validation: mean accuracy, or mean squared error, over folds that are the
 * same for every candidate and are dealt by the seed of `settings` (svf_table_folds). options and run may be NULL;
 * run->callback is told of the whole search. *tuning has the best so far whatever is returned, also SVF_STOPPED (the
 * callback or `tell` asked for it) and SVF_MEMORY (some candidate did not fit); it is NULL if none came to its end. A
 * candidate whose training fails is counted and left out, unless it is the first: that ends the search. */
SVF_API svf_status svf_tune(const svf_settings *settings, const svf_table *table, const svf_tune_options *options,
                            const svf_run *run, svf_tuning **tuning, svf_message *message);
/* What svf_tune tries of itself with these settings for this task: number `index`, as "NAME=VALUE|VALUE" into a buffer,
 * the present value first. SVF_USAGE: there are no more, or the buffer is too small. */
SVF_API svf_status svf_tune_values(const svf_settings *settings, svf_task task, size_t index, char *buffer,
                                   size_t size);
SVF_API void svf_tuning_free(svf_tuning *tuning);

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
/* The best settings, ready for svf_train; lent. */
SVF_API const svf_settings *svf_tuning_settings(const svf_tuning *tuning);

typedef struct svf_candidate_info {
  const char *settings;    /* "name=value name=value", where they differ from those svf_tune was given; "": nowhere */
  double score, deviation; /* mean and deviation over the folds; NaN: it failed */
  double rows;             /* share of the training rows that it last ran with; below 1 it fell behind */
  double seconds;          /* of that run */
} svf_candidate_info;
SVF_API void svf_tuning_candidate(const svf_tuning *tuning, size_t index, svf_candidate_info *info);

/* ---- the model -------------------------------------------------------------------------------------- */

/* Written to a temporary file beside `path`, synced, renamed. "-": standard output. */
SVF_API svf_status svf_forest_save(const svf_forest *forest, const char *path, svf_message *message);
/* Maps the file and checks every index, count and number in it before first use. */
SVF_API svf_status svf_forest_load(const char *path, svf_forest **forest, svf_message *message);
/* The same from memory (copied). svf_forest_bytes lends the exact bytes of the file. */
SVF_API svf_status svf_forest_from_bytes(const void *bytes, size_t size, svf_forest **forest, svf_message *message);
SVF_API const void *svf_forest_bytes(const svf_forest *forest, size_t *size);

/* Joins forests trained in parts (first_tree=...) on the same table with the same settings; the parts may
 * come in any order and must be without gap or overlap. The result equals one run byte for byte. */
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
} svf_forest_info;
SVF_API void svf_forest_describe(const svf_forest *forest, svf_forest_info *info);
SVF_API const svf_settings *svf_forest_settings(const svf_forest *forest);
SVF_API const char *svf_forest_target_name(const svf_forest *forest);
/* The columns that were ids in training: how many, and their names. */
SVF_API size_t svf_forest_ids(const svf_forest *forest);
SVF_API const char *svf_forest_id_name(const svf_forest *forest, size_t index);
SVF_API const char *svf_forest_class_name(const svf_forest *forest, size_t index);
/* The weight that training was given for the class; 1 where none was. */
SVF_API double svf_forest_class_weight(const svf_forest *forest, size_t index);
SVF_API const char *svf_forest_feature_name(const svf_forest *forest, size_t column);
/* How a made feature comes about, "width*height", into a buffer; returns the length it needs, or 0 if the feature is a
 * column of the table or memory ran out. */
SVF_API size_t svf_forest_feature_text(const svf_forest *forest, size_t feature, char *buffer, size_t size);
/* The categories of a feature, and their names in the order of their codes: 0 and NULL for a number. */
SVF_API size_t svf_forest_categories(const svf_forest *forest, size_t column);
SVF_API const char *svf_forest_category_name(const svf_forest *forest, size_t column, size_t code);

/* 1: the feature was left out, as nearly every row had a text of its own (name_levels); tables may have anything there, and
 * need not have it. */
SVF_API int svf_forest_is_left_out(const svf_forest *forest, size_t column);
/* 1: the feature is a date, which rows hold as days since 1970-01-01 in UTC. */
SVF_API int svf_forest_is_date(const svf_forest *forest, size_t column);
/* Reads an ISO 8601 date, with or without a time of day and a zone, as files may have it: 1 and the days since 1970-01-01 in
 * UTC; 0: it is none. */
SVF_API int svf_date_read(const char *text, double *days);
/* Days since 1970-01-01 as "2024-01-31", or "2024-01-31T12:30:00" if there is a time of day, into a buffer; returns the
 * length it needs. */
SVF_API size_t svf_date_print(double days, char *buffer, size_t size);

/* One column of the encoded table: encoded = (x - shift) * scale for numbers; 1 for `category`, else 0, then
 * scaled, for categories; or, where `codes` is set, the code of the category itself; or what `part`
 * says: "missing": 1 where the feature is missing, else 0; "share": of a class among the training rows of its category; "mean": of
 * a target of numbers there; "frequency": log(1 + training rows of its category);
 * "days", "month", "weekday" and "hour": of a date. If `clipped` is set (scale=robust), encoded / sqrt(1 + (encoded/3)^2) follows. Missing values are
 * `fill` for leaf machines. */
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

/* What a committee is made of. */
typedef struct svf_committee_info {
  size_t members;   /* 0: the model is one forest, and nothing below is set */
  const char *plan; /* for svf_auto_options.plan */
  const char *aim;  /* what its weights minimise: "log-loss", "accuracy", "auc", "mse" or "mae" */
  double score,
      deviation; /* of the committee by that measure on held-out rows that had no say in its weights; standard error */
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

typedef struct svf_tree_info {
  size_t number; /* first_tree + position */
  size_t nodes, leaves;
  double weight; /* in a weighted vote */
  double oob;    /* accuracy or mean squared error on the rows it did not see; NaN: saw all */
} svf_tree_info;
SVF_API void svf_forest_tree(const svf_forest *forest, size_t tree, svf_tree_info *info);

/* A node is a leaf; or a plane: left if sum(weight * x[feature]) < threshold, else right; or m centres: to the child of the
 * nearest, the first of equals. */
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
/* The codes of the categories that go right at a node that is cut by levels, ascending; codes: room for all categories of the
 * feature, or NULL. Returns how many; 0 for any other node. All other categories go left. */
SVF_API size_t svf_forest_node_levels(const svf_forest *forest, size_t tree, size_t node, uint32_t *codes);

typedef struct svf_leaf_info {
  size_t rows;           /* training rows in it */
  const double *numbers; /* the leaf's model, as only its kind reads it; NULL under precision=single */
  size_t length;
  const float *singles; /* the same under precision=single, else NULL */
} svf_leaf_info;
SVF_API void svf_forest_leaf(const svf_forest *forest, size_t tree, size_t leaf, svf_leaf_info *info);
/* One line that says in words and numbers what the leaf holds, into a buffer; returns the length it needs,
 * or 0 if memory ran out. */
SVF_API size_t svf_forest_leaf_text(const svf_forest *forest, size_t tree, size_t leaf, char *buffer, size_t size);

/* ---- out of bag, and importance ---------------------------------------------------------------------- */

/* What is wanted: arrays of the caller, any of them NULL. n rows, k = svf_forest_info.scores. A row that every tree saw
 * (or that has weight 0) has NaN. */
typedef struct svf_oob_answers {
  double *values;        /* n: class code, or predicted value, by the trees that did not see the row */
  double *scores;        /* n x k */
  double *probabilities; /* n x k; classes only */
  double *curve;         /* trees: accuracy, or mean squared error, of the first 1, 2, ... trees */
  double result;         /* out: of all trees; NaN: no row is out of bag */
} svf_oob_answers;

/* Out-of-bag answers of a forest, trained here, loaded or merged, from the table it was trained on: the bags are drawn
 * again from the seed. Another table, or its rows in another order, is refused (each tree's own result is in the file),
 * as is a model with rows=all. run may be NULL. */
SVF_API svf_status svf_forest_oob(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                  svf_oob_answers *answers, svf_message *message);

/* What the model itself says of its features, made ones after the others (svf_forest_info.features + made of them);
 * either may be NULL. gain: by how much the cuts on the feature lessen the impurity; leaf: by the weights of the machines
 * in the leaves. Each sums to 1, or is all 0 where there is nothing to tell: no cuts, constant leaves. */
SVF_API svf_status svf_forest_importance(const svf_forest *forest, double *gain, double *leaf, svf_message *message);

/* What the machines of a forest learned of the distance between rows, once for all leaves or in each of them (then the mean over
 * the leaves by their rows): for every feature as above how far a step of one unit in its encoded columns moves a row, divided by
 * the sum over the features. 1: done; 0, and only zeros: the
 * forest has no learned metric, or is a committee, whose members may have one. */
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

/* ---- intervals and sets that hold ---------------------------------------------------------------------- */

/* A copy of the model with conformal scores of the rows of a table, which it was not trained on and whose answers are known. A
 * number's score is |y - value| / spread, or |y - value| if the model knows no spreads; that of a class is 1 - its
 * probability. Earlier scores are replaced; merging drops them. Row weights are refused. run may be NULL. */
SVF_API svf_status svf_forest_calibrate(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                        svf_forest **calibrated, svf_message *message);
/* How many rows the model was calibrated with; 0: it was not. */
SVF_API size_t svf_forest_calibrated(const svf_forest *forest);
/* The score that a new row stays at or below with probability `level` or more, if it and the calibration rows are exchangeable:
 * number ceil((n + 1) * level) of the n scores, infinite if there are not so many. NaN: not calibrated, or level not in (0, 1).
 * A number lies within value -+ score * spread, a class has a probability of 1 - score or more. */
SVF_API double svf_forest_conformal(const svf_forest *forest, double level);
/* How many spreads an interval of that level reaches to either side of a predicted number: svf_forest_conformal of a calibrated
 * model, else the quantile of the normal distribution. NaN: level not in (0, 1). */
SVF_API double svf_forest_reach(const svf_forest *forest, double level);
/* 1: the model knows the spreads of its values (svf_prediction.spreads). */
SVF_API int svf_forest_has_spreads(const svf_forest *forest);

/* ---- explanations ------------------------------------------------------------------------------------ */

/* What is explained. */
typedef enum svf_explain_what {
  SVF_EXPLAIN_ANSWER = 0, /* the predicted number, or the probability of a class */
  SVF_EXPLAIN_LOG_ODDS,   /* log(p / (1 - p)) of the probability p of a class, kept within 1e-6 of 0 and 1 */
  SVF_EXPLAIN_MARGIN      /* the score of a class, for models of classes whose trees add up (vote=boost) */
} svf_explain_what;

/* In: what is wanted. Out: arrays of the caller, of n rows, k explained classes (1 for a number or a single class) and d
 * features, made ones after the columns of the table (svf_forest_info.features + made). */
typedef struct svf_explanation {
  const svf_table *background; /* rows that explained rows are compared with; NULL: those that the model keeps */
  svf_explain_what what;
  int class_code; /* the class that is explained; -1: all of them. Not read in a model of numbers */
  size_t
      permutations; /* pairs of orders that are drawn per background row, where sampling is needed; 0: enough that a
                          row has 64, and at least 2. 1 is refused */
  uint64_t seed;    /* of the orders */

  double *contributions;  /* out, n x k x d: what each feature adds to the base */
  double *errors;         /* out, the same: standard errors by sampling, 0 where exact; may be NULL */
  double *answers;        /* out, n x k: base + contributions = answer; may be NULL */
  double *bases;          /* out, k: the mean answer of the background rows; may be NULL */
  size_t background_rows; /* out */
  double largest_error;   /* out: of all standard errors; 0: everything is exact */
  size_t unseen;          /* out: as in svf_prediction */
} svf_explanation;

/* Shapley values of the features, for each row: the mean over the background rows of what a feature adds when it takes the
 * row's value in place of the background row's, over all orders in which the features do so. A category counts as one
 * feature, and so does a made feature. Exact by the trees' own structure if leaves are constant or linear, cuts look at one
 * feature each, and the answer is a mean or a sum of what leaves answer; else exact over all subsets for a pair of rows that
 * differ in at most 6 features, and by sampled orders for others. What is said of a row has the same bits whatever rows stand
 * beside it. run may be NULL. */
SVF_API svf_status svf_explain(const svf_forest *forest, const svf_table *table, const svf_run *run,
                               svf_explanation *explanation, svf_message *message);

/* ---- a page to look at --------------------------------------------------------------------------------- */

typedef struct svf_report_options {
  uint64_t seed;    /* of all draws */
  size_t resamples; /* bootstrap samples of the rows, for the intervals of the scores; 0: 500 */
  int oob;          /* 1: the table is the training table, and a row is answered by the trees that did not see it */
} svf_report_options;

/* Writes one HTML file without links, with pictures as inline SVG, to `path` ("-": standard output): what the model is, and how
 * good its answers are on a table with known ones. The same bytes for any number of threads. The cost is that of predicting
 * the table, and of some 300,000 rows for importance and partial dependence. options and run may be NULL. */
SVF_API svf_status svf_forest_report(const svf_forest *forest, const svf_table *table,
                                     const svf_report_options *options, const svf_run *run, const char *path,
                                     svf_message *message);

/* ---- code -------------------------------------------------------------------------------------------- */

typedef struct svf_export_options {
  const char *name; /* of the function; NULL: "predict" */
  int single;       /* 1: numbers are floats, rows and answers too; else doubles */
} svf_export_options;

/* Writes the model to `path` ("-": standard output) as one C11 file without dependencies; a comment at its head says how
 * it is called. SVF_USAGE says why a model cannot be written so. options may be NULL. */
SVF_API svf_status svf_forest_export_c(const svf_forest *forest, const svf_export_options *options, const char *path,
                                       svf_message *message);

/* ---- for programs that hold their data already, and that want to see a forest grow ------------------- */

/* A table that borrows the matrix instead of copying it: the memory must stay where and as it is until the table is
 * freed. Else as svf_table_new. Training then holds the numbers once, encoded, beside the caller's. A column that becomes
 * categories is no longer borrowed, and svf_table_take copies. */
SVF_API svf_status svf_table_borrow(const svf_matrix *matrix, const char *const *names, svf_table **table,
                                    svf_message *message);
/* The same for `count` columns that lie apart: each is a matrix of one column, all with the same number of rows. A
 * row_stride of 0 repeats one value, for example NaN in a column that svf_table_set_categories fills. */
SVF_API svf_status svf_table_borrow_columns(const svf_matrix *column, size_t count, const char *const *names,
                                            svf_table **table, svf_message *message);

/* What is wanted: arrays of the caller, any NULL. n rows, k classes. */
typedef struct svf_stages {
  double *values; /* n x trees: class code or value that the first 1, 2, ... trees give together */
  double *alone;  /* n x trees: what each tree says alone */
  double *shares; /* n x trees x k: class probabilities that the first 1, 2, ... trees give together (classes only) */
} svf_stages;
/* The last of a row's values and shares have the same bits as svf_predict's. run may be NULL. */
SVF_API svf_status svf_predict_stages(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                      const svf_stages *stages, svf_message *message);

/* ---- a learning bound ------------------------------------------------------------------------------- */

/* The terms of Theorem 1 of DeSalvo and Mohri, Random composite forests (AAAI 2016), for one tree with hard leaves: each
 * says the class of its largest score and nothing else. */
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
