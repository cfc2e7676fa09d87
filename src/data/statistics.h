/* statistics.h - what a category with many levels becomes: statistics of the target in each level, and the level's frequency.
 *
 * A statistic is the share of a class, or the mean of a target of numbers, over the rows of a level, held towards that of all
 * rows (m) by as much as SMOOTHING rows weigh:
 *     (sum of w * y + SMOOTHING * m) / (sum of w + SMOOTHING),     w with mean 1
 * The frequency is log(1 + rows of the level). A training row has them without the rows of its own fold, so that no value is made
 * of the row's own target (the count times FOLDS / (FOLDS - 1)); any other row has them of all training rows. An unseen level has m
 * and 0; missing values are a level. Micci-Barreca (SIGKDD Explorations 2001) has the smoothing. */
#ifndef SVF_DATA_STATISTICS_H
#define SVF_DATA_STATISTICS_H

#include "data/encode.h"

enum {
  SVF_STATISTIC_COLUMNS = 32
}; /* most columns of shares in a table of several classes, but one for each category */

/* The target of a training table as statistics see it. */
typedef struct svf_targets {
  size_t n, k;
  const int32_t *label; /* NULL: numbers */
  const double *value;
  double unit;          /* a power of 2: sums of value / unit are finite */
  const double *weight; /* n, of mean 1; NULL: all 1 */
  const unsigned char *fold;
} svf_targets;
/* From the arena. label: the table's, or translated. False: memory ran out. */
bool svf_targets_open(svf_targets *targets, const svf_table *table, const int32_t *label, const svf_coding *coding,
                      svf_arena *arena);

/* Does the column become statistics? */
static inline bool svf_has_statistics(const svf_column *column, const svf_coding *coding) {
  return column->code && coding->one_hot > 0 && column->levels.count > coding->one_hot && !coding->codes;
}
/* How many statistics a category has where `categories` of them have any. */
size_t svf_statistics_count(const svf_table *table, size_t categories);
/* The roles of a category's columns: those of the most frequent classes, in the order of their codes, then the frequency. False:
 * memory ran out. */
bool svf_statistics_roles(const svf_table *table, svf_encoded *column, size_t count, svf_arena *scratch);

/* The rows of a table in the order of the levels of one category. */
typedef struct svf_by_level {
  size_t levels;
  const uint32_t *row; /* n */
  const size_t *start; /* levels + 2: of missing values, then level by level */
} svf_by_level;
/* level: of each row, below 0: missing, or unseen. False: memory ran out. */
bool svf_by_level_make(svf_by_level *by, const int32_t *level, size_t n, size_t levels, svf_arena *arena);

/* The column of a role, not scaled. rows: n, of the training rows; all: levels + 2, of unseen levels, missing values and each
 * level, from all rows. NULL: not wanted. */
void svf_statistics_of(const svf_targets *targets, const svf_by_level *by, int32_t role, double *rows, double *all);

/* Learns the columns of feature j, and what they are in each level. scratch: the caller's, who gives it back. */
svf_status svf_statistics_learn(const svf_targets *targets, const svf_table *table, size_t j, svf_scale scale,
                                svf_arena *scratch, svf_encoding *encoding, svf_message *message);
/* encode.h's columns of statistics of the training rows, in a frame that has those of any other rows. */
svf_status svf_statistics_encode(const svf_encoder *encoder, const svf_table *table, const svf_coding *coding,
                                 const svf_run *run, svf_frame *frame, svf_message *message);

#endif
