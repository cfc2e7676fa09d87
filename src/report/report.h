/* report.h - what the page on a model says: findings, which report.c has computed, pictures.c draws and page.c writes.
 *
 * Everything lies in one arena. Rows are those whose answers are known; `number` has their places in the table. */
#ifndef SVF_REPORT_REPORT_H
#define SVF_REPORT_REPORT_H

#include "base/buffer.h"
#include "base/pool.h"
#include "data/match.h"
#include "forest/forest.h"
#include "report/outcome.h"

enum {
  SVF_REPORT_SCORES = 5,
  SVF_REPORT_BINS = 10,    /* of a calibration, of a histogram of residuals twice as many */
  SVF_REPORT_LEVELS = 6,   /* of intervals and sets */
  SVF_REPORT_LINES = 6,    /* in a picture: there are as many colours */
  SVF_REPORT_LEADING = 6,  /* features with partial dependence */
  SVF_REPORT_POINTS = 20,  /* of a partial dependence */
  SVF_REPORT_HARD = 15,    /* rows */
  SVF_REPORT_DOTS = 1500,  /* in a scatter plot */
  SVF_REPORT_COLUMNS = 200 /* in the list */
};

/* What a stream of SVF_USE_REPORT draws, as its `tree`. */
enum { SVF_REPORT_BOOTSTRAP, SVF_REPORT_SHUFFLED, SVF_REPORT_DRAWN };

typedef struct svf_score {
  const char *name;
  double value, low, high; /* the interval holds 95% of the bootstrap samples */
  double constant;         /* of the best answer that is the same for all rows; NaN: not known */
} svf_score;

typedef struct svf_spot {
  double x, y;
} svf_spot;

typedef struct svf_polyline {
  svf_spot *point;
  size_t count;
} svf_polyline;

/* One class against the rest. */
typedef struct svf_one_class {
  size_t class_code;
  double area, precision; /* under the ROC curve; average precision */
  double share;           /* of the rows */
  svf_polyline roc, recall;
} svf_one_class;

/* Rows whose probability lies in one tenth of 0..1. */
typedef struct svf_bin {
  double weight, said, held; /* mean probability; share of rows where it came true */
  double low, high;          /* Wilson's interval of `held` */
} svf_bin;

/* Intervals of numbers, or sets of classes, of one level. */
typedef struct svf_coverage {
  double level, held, low, high;
  double size; /* mean width, or mean number of classes */
} svf_coverage;

typedef struct svf_weighty { /* a feature */
  size_t feature;
  double gain, leaf;      /* as svf_forest_importance */
  double lost, deviation; /* as svf_permutation; NaN: not shuffled */
} svf_weighty;

/* The mean answer where a feature has one value in all rows. */
typedef struct svf_dependence {
  size_t feature, points;
  double *x;      /* points: numbers, or codes of categories */
  double *answer; /* points x outputs */
  double tenth[9];
} svf_dependence;

enum { SVF_REPORT_BARS = 16 };
typedef struct svf_column_facts {
  size_t missing, unseen, levels; /* levels: categories that are there */
  double low, mean, high;         /* numbers and dates */
  size_t bar[SVF_REPORT_BARS],
      largest; /* a histogram, or the counts of the most frequent categories; that category */
} svf_column_facts;

typedef struct svf_report {
  const svf_forest *forest;
  const svf_table *table;
  const svf_report_options *options;
  const svf_encoding *encoding;
  const svf_run *run;
  svf_arena memory;
  size_t unseen;

  svf_outcome rows;
  const size_t *number;
  const double *spread; /* NULL: not known */
  svf_ranks ranks;
  size_t unanswered; /* rows without truth or answer, which are left out */
  double total;      /* weight of the rows */

  size_t scores, resamples;
  svf_score score[SVF_REPORT_SCORES];
  svf_class_measures classes;
  svf_one_class curve[SVF_REPORT_LINES];
  size_t curves;
  svf_bin bin[SVF_REPORT_BINS];
  double miscalibration; /* mean distance of `said` and `held` */
  svf_coverage level[SVF_REPORT_LEVELS];
  size_t levels;

  svf_weighty *weighty;                /* all features but those left out, the weightiest first */
  size_t weighties, shuffled, repeats; /* rows that were shuffled, how often; 0: none were */
  svf_dependence dependence[SVF_REPORT_LEADING];
  size_t dependences, asked, outputs;    /* asked: rows of each; outputs: answers of a point */
  size_t line[SVF_REPORT_LINES], lines;  /* outputs that are drawn */
  size_t hard[SVF_REPORT_HARD], hardest; /* rows, the hardest first */
  const size_t *dot;                     /* rows of the scatter plots */
  size_t dots;
  svf_column_facts *column; /* of each feature that is a column */
  const svf_source *source;
} svf_report;

/* report.c: computes everything from forest, table, options, encoding and run; its owner frees `memory`. */
svf_status svf_report_find(svf_report *r, svf_message *message);
static inline double svf_report_weight(const svf_report *r, size_t row) {
  return r->rows.weight ? r->rows.weight[row] : 1;
}
/* How far the answer to a row is from the truth: 1 - its probability, or the distance. NaN: the truth is a class that the
 * model does not know. */
double svf_report_loss(const svf_report *r, size_t row);
/* `wanted` of n places, ascending, each set of them as likely; all of them if there are no more. Returns how many. */
size_t svf_report_draw(uint64_t seed, uint32_t use, size_t n, size_t wanted, size_t *place);
/* A part of the whole work, for progress. */
typedef struct svf_report_part {
  const svf_run *run;
  double from, to;
} svf_report_part;
svf_run svf_report_run(svf_report_part *part);

/* scores.c: scores and their intervals. curves.c: ranks by probability, calibration, intervals and sets. */
svf_status svf_report_scores(svf_report *r, svf_pool *pool, svf_message *message);
bool svf_report_curves(svf_report *r);
void svf_report_calibration(svf_report *r);
void svf_report_levels(svf_report *r);
/* features.c: importance, partial dependence, and what the columns hold. */
svf_status svf_report_importance(svf_report *r, svf_message *message);
svf_status svf_report_dependences(svf_report *r, svf_message *message);
svf_status svf_report_columns(svf_report *r, svf_pool *pool, svf_message *message);

/* page.c */
void svf_report_page(const svf_report *r, svf_buffer *out);

#endif
