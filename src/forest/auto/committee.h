/* committee.h - several forests that answer together. A plan says which ones are trained (committee_plan.c), held-out rows
 * give each its weight (committee_weights.c) and turn the sum into calibrated probabilities (committee_curve.c).
 *
 *   classes   p(x) = curve(sum_m w_m p_m(x)),    numbers   f(x) = sum_m w_m f_m(x),    w_m > 0, sum_m w_m = 1
 *
 * A committee is an svf_forest without trees of its own: everything that takes a model takes it or says why not. */
#ifndef SVF_FOREST_COMMITTEE_H
#define SVF_FOREST_COMMITTEE_H

#include "forest/file/image.h"

enum { SVF_MEMBERS = 64, SVF_EFFORTS = 9 }; /* most members of a committee; the highest effort */

/* ---- the plan ---- */

typedef struct svf_planned {
  svf_settings settings;
  double price;       /* arithmetic of all its trainings, in seconds of a nominal processor */
  double folds_price; /* of those of the folds alone */
} svf_planned;

typedef struct svf_plan {
  svf_task task;
  int64_t effort;
  size_t folds, repeats; /* of the cross-validation */
  size_t count;
  svf_planned *member;
} svf_plan;

/* What a price depends on. */
typedef struct svf_shape {
  double rows, features, columns, classes; /* columns: with one per level of a category; classes: 1 for numbers */
} svf_shape;

/* The plan for a table and an effort; base: the settings of the committee, which every member takes its seed, cpu and
 * class_weight from. */
svf_status svf_plan_make(const svf_settings *base, const svf_table *table, int64_t effort, svf_plan *plan,
                         svf_message *message);
/* committee_more.c: adds members with other settings, in an order that the seed draws, up to a multiple of the plan's work. */
svf_status svf_plan_widen(svf_plan *plan, svf_message *message);
/* "effort=5 task=class folds=5 repeats=1; rf trees=100; ccf", and back. */
svf_status svf_plan_read(const char *text, const svf_settings *base, svf_task task, svf_plan *plan,
                         svf_message *message);
bool svf_plan_write(const svf_plan *plan, const bool *wanted, svf_buffer *text);
/* What a member changes of its method: "rf trees=100". */
bool svf_planned_write(const svf_settings *settings, svf_buffer *text);
void svf_plan_free(svf_plan *plan);
/* committee_portfolio.c: one candidate after the other, in the order in which they earn a place; NULL after the last. */
typedef struct svf_portfolio_row {
  const char *method, *settings; /* "trees=200", or "" */
  svf_task task;                 /* AUTO: both */
  int effort;                    /* from which effort on */
  double (*price)(const svf_shape *shape, const svf_settings *settings);
  double (*choice)(const svf_shape *shape); /* of it, what is chosen once and kept for the folds; NULL: nothing */
  bool (*fits)(const svf_shape *shape, const svf_settings *settings); /* NULL: every table */
} svf_portfolio_row;
const svf_portfolio_row *svf_portfolio_at(size_t index);

/* ---- answers of held-out rows ---- */

/* What the weights minimise: the setting, auto settled by the task. */
int svf_aim_of(const svf_settings *settings, svf_task task);

/* The training rows as a judge sees them. */
typedef struct svf_bench {
  size_t n, k;          /* rows; classes, or 1 */
  const int32_t *label; /* NULL: numbers */
  const double *value;
  const double *weight; /* n, what each row counts; rows of weight 0 do not */
  int aim;
  double unit;   /* of numbers: losses are of answers divided by it, so that their squares are finite */
  double smooth; /* what every probability is mixed with before a logarithm: (1 - smooth) p + smooth / k */
} svf_bench;

/* Loss of answers, n x k, over some rows: less is better, for accuracy and auc 1 minus them. scratch: n pairs. */
typedef struct svf_ranked {
  double answer, weight;
  bool hit;
} svf_ranked;
double svf_bench_loss(const svf_bench *bench, const double *answer, const uint32_t *rows, size_t count,
                      svf_ranked *scratch);
/* The loss in the words of the user: accuracy and auc as they are, the others in the unit of the target, finite. */
double svf_bench_score(const svf_bench *bench, double loss);
/* A probability before its logarithm. */
static inline double svf_bench_smooth(const svf_bench *bench, double p) {
  return (1 - bench->smooth) * p + bench->smooth / (double)bench->k;
}

/* committee_weights.c: greedy weights of `count` members from their answers on some rows; weight: count, out. False:
 * memory ran out. */
bool svf_committee_weigh(const svf_bench *bench, const double *const *answer, size_t count, const uint32_t *rows,
                         size_t row_count, uint64_t seed, double *weight);

/* ---- the curve from sums to probabilities ---- */

typedef enum svf_curve_kind { SVF_CURVE_NONE, SVF_CURVE_LOGISTIC, SVF_CURVE_TEMPERATURE, SVF_CURVES } svf_curve_kind;

/* none: p; logistic (two classes): 1 / (1 + exp(slope z + shift)), z the log-odds of the smoothed probabilities;
 * temperature: the smoothed probabilities to the power `slope`, divided by their sum. */
typedef struct svf_curve {
  uint64_t kind;
  double smooth, slope, shift;
} svf_curve;
/* Smoothed probabilities, no more: the curve where none that is fitted is better. */
static inline svf_curve svf_curve_smooth(double smooth) {
  return (svf_curve){.kind = SVF_CURVE_TEMPERATURE, .smooth = smooth, .slope = 1};
}
static inline bool svf_curve_fitted(const svf_curve *curve) {
  return curve->kind != SVF_CURVE_NONE && !(curve->kind == SVF_CURVE_TEMPERATURE && curve->slope == 1);
}
svf_curve svf_curve_fit(const svf_bench *bench, const svf_la *la, const double *answer, const uint32_t *rows,
                        size_t count, svf_arena *scratch);
void svf_curve_apply(const svf_curve *curve, size_t k, double *p);

/* ---- the committee ---- */

typedef struct svf_member {
  svf_forest *forest; /* its image is a stretch of the committee's */
  char *settings;     /* "rf trees=200" */
  double weight, score;
} svf_member;

struct svf_committee {
  svf_member *member;
  size_t count;
  svf_curve curve;
  double score, deviation; /* of the whole committee, out of fold */
  const char *plan;        /* in the image, ends with 0 */
};

/* Trains a committee; options may be NULL. */
svf_status svf_committee_train(const svf_settings *settings, const svf_table *table, const svf_auto_options *options,
                               const svf_run *run, svf_forest **forest, svf_message *message);

/* committee_image.c. image: the bytes of each member's own file. */
typedef struct svf_committee_parts {
  const svf_settings *settings;
  const char *plan;
  const svf_buffer *image;
  const double *weight, *score;
  size_t count;
  svf_curve curve;
  double whole_score, whole_deviation;
  svf_buffer background; /* kept rows, as svf_background_draw makes them */
} svf_committee_parts;
svf_status svf_committee_make(const svf_committee_parts *parts, svf_forest **forest, svf_message *message);
/* For svf_image_open: checks the bytes and fills what a committee has of a forest. */
svf_status svf_committee_open(const svf_image *image, svf_forest *forest);
void svf_committee_free(svf_committee *committee);

/* committee_answers.c: adds what member m answers, `part`, to `sum`; arrays of n rows, `sum` zero before member 0. */
void svf_committee_add(const svf_forest *forest, size_t m, size_t n, const svf_prediction *part,
                       const svf_prediction *sum);
/* The weight of the members that know the spread of their values; 0: none does. And does member m? */
double svf_committee_spread_weight(const svf_forest *forest);
bool svf_committee_asks_spread(const svf_forest *forest, size_t m);
/* Turns sums into answers. */
void svf_committee_end(const svf_forest *forest, size_t n, const svf_prediction *sum);
svf_status svf_committee_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                 svf_prediction *prediction, svf_message *message);
/* committee_permute.c: as svf_forest_permute. */
svf_status svf_committee_permute(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                 svf_permutation *permutation, svf_message *message);
/* SVF_USAGE where the model is a committee: it has no `what` of its own. */
svf_status svf_committee_refuse(const svf_forest *forest, const char *what, svf_message *message);

#endif
