/* encode.h - from a table to the matrix that forests see, and the recipe that the model keeps.
 *
 * A number becomes one encoded column, a category one 0/1 column per level (one column in all for two
 * levels), a date up to four (dates.h). Then each column is scaled:
 *     encoded = (x/2 - shift/2) * (2*scale)         (halves: the range of +-1e308 does not overflow)
 * unit: shift = min, scale = 1/(max - min); standard: mean and 1/deviation; a constant column has scale 0 in
 * both; none: 0 and 1; binary: see scale.c; mixed: unit for a column of two values, such as the 0/1 columns of a
 * category, standard for others. robust: median and 1/unit (quartiles.h), and then a curve that is straight near 0 and ends
 * at +-3, encoded := encoded / sqrt(1 + (encoded/3)^2), so that no outlier hides the other values. A column that varies only
 * in its last digits counts as constant. A column without any number has 0 and 0. The result is clamped to +-SVF_ENCODED_LIMIT,
 * or +-SVF_UNSCALED_LIMIT where shift and scale are 0 and 1. Missing stays NaN: cuts send it to a learned
 * side, machines see `fill`, the training median, and the indicator of the feature if it has one: one more 0/1 column, after
 * the feature's others, that is 1 where they are missing. */
#ifndef SVF_DATA_ENCODE_H
#define SVF_DATA_ENCODE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "data/table.h"

#define SVF_ENCODED_LIMIT  1e6
#define SVF_UNSCALED_LIMIT 1e15 /* larger numbers in a training table are refused under none */

typedef enum svf_scale {
  SVF_SCALE_UNIT,
  SVF_SCALE_STANDARD,
  SVF_SCALE_NONE,
  SVF_SCALE_BINARY,
  SVF_SCALE_MIXED,
  SVF_SCALE_ROBUST,
  SVF_SCALE_AUTO /* not chosen yet: no table is encoded so */
} svf_scale;

/* What is odd about a column, though the table can be used; remark.c has the sentences. */
typedef enum svf_finding {
  SVF_FOUND_NOTHING,
  SVF_FOUND_OUTLIERS,
  SVF_FOUND_ROUNDING,      /* constant but for its last digits: left out */
  SVF_FOUND_TINY,          /* a range below the smallest normal number: left out */
  SVF_FOUND_LONG_INTEGERS, /* beyond 2^53 */
  SVF_FOUND_NAMES,         /* text with a level for nearly every row: left out */
  SVF_FINDINGS
} svf_finding;

/* How a table is encoded. */
typedef struct svf_coding {
  svf_scale scale;
  bool codes;       /* a category of three levels or more is one column of codes, for cuts by levels */
  double indicator; /* a column that at least this part of the rows misses has a 0/1 column for that; 0: never */
  size_t one_hot;   /* a category of more levels becomes statistics of the target (statistics.h); 0: none does */
  uint64_t seed;    /* of their folds */
  double names;     /* a category with more levels than this part of its rows is left out; 0 or 1: none is */
  bool balanced;    /* rows count by class_weight=balanced in them */
} svf_coding;

/* What an encoded column holds that is not one level of a category; those from days to hour are of a date (dates.h). */
enum {
  SVF_ROLE_NUMBER = -1,
  SVF_ROLE_CODE = -2,
  SVF_ROLE_MISSING = -3,
  SVF_ROLE_FREQUENCY = -4,
  SVF_ROLE_LEFT_OUT = -5, /* 0 in every row */
  SVF_ROLE_DAYS = -20,
  SVF_ROLE_MONTH = -21,
  SVF_ROLE_WEEKDAY = -22,
  SVF_ROLE_HOUR = -23,
  SVF_ROLE_STATISTIC =
      -100 /* the mean of a target of numbers, or the share of class 0; then 1, 2, ... less: other classes */
};

/* encode_shape.c: what a column of such a role holds of its feature, in a word; NULL: the number, the category or its
 * code. */
const char *svf_role_name(int32_t role, bool classes);

typedef struct svf_feature { /* one column of the table, or one made of them */
  const char *name;
  svf_names levels; /* count 0: a number or a date */
  bool date;
  bool left_out;  /* names or ids: its column is 0, whatever a table has there, and no levels are kept */
  uint32_t first; /* its first encoded column */
  uint32_t width; /* how many it has */
  bool indicator; /* the last of them is 1 where the feature is missing */
  float *
      statistic; /* its columns are statistics: what they are, encoded, of unseen levels, missing values and each level */
  svf_recipe recipe; /* kind NONE: a column of the table */
} svf_feature;

typedef struct svf_encoded { /* one encoded column */
  uint32_t feature;          /* where it came from */
  int32_t level;             /* category that is 1 here; below 0: a role */
  double shift, scale, fill; /* fill in encoded units */
  bool clipped;              /* by robust's curve */
} svf_encoded;

typedef struct svf_encoding {
  size_t features, columns; /* of the table, encoded */
  svf_feature *feature;
  svf_encoded *column;
  bool named; /* match by name at prediction */
  svf_task task;
  char *target_name;
  svf_names classes;    /* empty: regression */
  double *class_weight; /* one per class, as given; NULL: none were */
  bool statistics;      /* has any category those? */
  size_t made;          /* features after the first `features`, made of those */
  svf_names ids;        /* columns of the training table that say which row it is */
} svf_encoding;

/* The matrix: n rows of `stride` floats, a multiple of 4, column j of row i at x[i*stride + j], zeros after the last. Rows
 * with weight 0 are kept. */
typedef struct svf_frame {
  size_t n, d, stride;
  float *x;
  bool missing;           /* is there any NaN in x? */
  size_t k;               /* scores per row: classes, or 1 */
  const int32_t *label;   /* in the encoding's codes, -1: not known to it; NULL: regression or no target */
  const double *value;    /* borrowed; NULL: classes or no target */
  const double *weight;   /* what rows count in cuts and leaves; NULL: all 1 */
  bool step;              /* the values are steps of a sum (vote=boost): leaves do not say how much they err */
  const double *residual; /* n: leaves take their weighted median instead of the mean of `value`; NULL: they do not */
  double prior; /* weight of an answer of 0 that every side of a cut and every leaf has beside its rows; 0: none */
  const double *chance;       /* weights over the largest, where they act in the draw of a tree's rows (bag.c);
                                 NULL: there they do not, but for rows of weight 0, which are in no tree */
  const double *judged;       /* what out-of-bag rows count for a pick that judges by them; NULL: all 1 */
  const double *measure;      /* what they count in measures: the table's own weights, borrowed; NULL: all 1 */
  const double *class_weight; /* k, as given to the encoding; NULL: none, or they are in `weight` or `chance` */
  const uint32_t *number;     /* n: of each row in the table that these were drawn from; NULL: its place here */
  const float *fill;          /* d: what machines see for a missing value */
  const uint32_t *origin;     /* d: feature each encoded column came from */
  const int32_t *role;    /* d: category that is 1 in a column, below 0: a role; NULL: all numbers or categories */
  const uint32_t *levels; /* d: levels of a column of codes, which are not scaled; 0: other columns */
  size_t unseen;          /* category cells that the encoding did not know */
  svf_arena memory;       /* holds what the frame does not borrow */
} svf_frame;

/* Numbers in `statistic`. */
static inline size_t svf_statistics_size(size_t levels, size_t width) { return (levels + 2) * width; }

/* All features, made ones too. */
static inline size_t svf_encoding_all(const svf_encoding *encoding) { return encoding->features + encoding->made; }

/* Learns the encoding from a table that has a target; on failure *encoding is empty. run: how many threads,
 * NULL: defaults. */
svf_status svf_encoding_learn(const svf_table *table, const svf_coding *coding, const svf_run *run,
                              svf_encoding *encoding, svf_message *message);
void svf_encoding_free(svf_encoding *encoding);
/* encode_shape.c: first, width, indicator and left_out of each feature, whose array is there, and the number of columns. */
svf_status svf_encoding_shape(const svf_table *table, const svf_coding *coding, const svf_run *run,
                              svf_encoding *encoding, svf_message *message);
/* How many of a column's n cells are missing. */
size_t svf_column_missing(const svf_column *column, size_t n);
/* Is the table so small that starting threads would take longer than they save? */
static inline bool svf_few_numbers(const svf_table *table) { return table->n < (1 << 16) / (table->d + 1); }
/* remark.c: hands a sentence per kind of finding to run->remark. finding: one for each column of the table. */
void svf_remark_findings(const svf_table *table, const svf_finding *finding, const svf_run *run);

/* Encodes a table, columns matched by name (both named) or by position. A column that is missing, or text
 * where a number is due, is refused with its name and line. The frame borrows value, weight and, where the
 * classes are the same, label from the table; on failure it is empty. Of run, threads and memory limit count. */
svf_status svf_encode(const svf_encoding *encoding, const svf_table *table, const svf_run *run, svf_frame *frame,
                      svf_message *message);
/* The same for the training table, whose rows have statistics without their own folds. */
svf_status svf_encode_training(const svf_encoding *encoding, const svf_table *table, const svf_coding *coding,
                               const svf_run *run, svf_frame *frame, svf_message *message);
void svf_frame_free(svf_frame *frame);
/* What a frame says of its columns: d, stride, k, class weights, fill, origin, role and levels, from the arena; the encoding is
 * borrowed. False: memory ran out. */
bool svf_frame_columns(const svf_encoding *encoding, svf_arena *arena, svf_frame *frame);

/* A table whose rows are encoded by and by, for work that never needs the whole matrix. */
typedef struct svf_encoder {
  const svf_encoding *encoding; /* borrowed */
  const struct svf_source *source;
  const struct svf_scale_lanes *lanes;
  size_t stride; /* floats from row to row */
} svf_encoder;

/* What rows held. */
typedef struct svf_findings {
  bool missing;  /* is there any NaN in them? */
  size_t unseen; /* category cells that the encoding did not know */
} svf_findings;

/* Matches the columns as svf_encode does; the encoder borrows encoding and table and lives in the arena. */
svf_status svf_encoder_open(const svf_encoding *encoding, const svf_table *table, svf_arena *arena,
                            svf_encoder *encoder, svf_message *message);
/* Rows first..first+n-1 to x: n rows of encoder->stride floats, zeros after the columns. */
svf_findings svf_encoder_rows(const svf_encoder *encoder, size_t first, size_t n, float *x);

/* One row from the caller's memory, a number per feature: NaN is missing, a category is its code in the
 * encoding, and what is no code is not known. x: one float per encoded column. Gives the cells not known. */
size_t svf_encode_row(const svf_encoding *encoding, const double *row, float *x);

#endif
