/* ls_svm.h - what the files of the least-squares leaf share.
 *
 * numbers:  HEAD numbers (classes present, or 0 for a number; form; C; mean squared leave-one-out error, or minus its
 *                    root where the square is too large or too small for a number)
 *           m        codes of the classes present, ascending
 *           calibrated leaves, whose form is SVF_LS_FORMS more:  the rows; the curve of its probabilities (ls_svm_calibrate.c): a and b, or t and r
 *           leaves with a metric of their own have forms that are more still: by 2 SVF_LS_FORMS a diagonal, by 4 SVF_LS_FORMS a full one
 *           none where m = 1; else
 *   linear, quadratic:  (p+1) x  weights of each machine, the bias last
 *   step:  4 x  of each feature: its column, the ends of its range in the leaf, its weight above the lower end; then the answer where
 *          all features are at their lower ends
 *   rbf, laplace, manhattan:  sigma, rows n, (n+1) x  alpha of each machine, the bias last; then the leaf's own metric, if it has one (svf_metric_count numbers: the diagonal, or the upper
 *                       triangle row by row); then the rows, in learned coordinates if leaf or forest have a metric, as floats in panes (la.h),
 *                       the last pane filled with zeros: two floats in a number, or one under precision=single */
#ifndef SVF_LEAF_LS_SVM_H
#define SVF_LEAF_LS_SVM_H

#include "cut/lesson.h"
#include "leaf/leaf.h"
#include "svm/least_squares.h"
#include "svm/ls_gauss.h"

enum { SVF_LS_CLASSES, SVF_LS_FORM, SVF_LS_COST, SVF_LS_ERROR, SVF_LS_HEAD };
/* Files hold these numbers, and SVF_LS_FORMS in the form: a new one must not change what older files say. */
enum { SVF_LS_LINEAR, SVF_LS_QUADRATIC, SVF_LS_RBF, SVF_LS_LAPLACE, SVF_LS_MANHATTAN, SVF_LS_STEP, SVF_LS_FORMS };
enum { SVF_LS_STEP_EACH = 4 }; /* numbers of a feature of a step */

/* Forms from SVF_LS_RBF on are machines with a kernel of distances, in the order of svf_ls_kernel; but for the last one. */
static inline bool svf_ls_has_rows(int form) { return form >= SVF_LS_RBF && form != SVF_LS_STEP; }
static inline svf_ls_kernel svf_ls_kernel_of(int form) { return (svf_ls_kernel)(form - SVF_LS_RBF); }
/* The form that the settings ask for. */
int svf_ls_form_of(const svf_settings *settings);

/* Root mean squared leave-one-out error. */
double svf_ls_spread(const svf_leaf_view *leaf);

/* What a leaf's numbers say of themselves. */
typedef struct svf_ls_view {
  const svf_leaf_view *leaf;
  size_t m, machines;
  int form;
  size_t curve;       /* where it begins, after the rows; 0: the leaf is not calibrated */
  size_t first;       /* of the machines */
  size_t each, count; /* numbers of a machine without its bias: features, or rows */
  double sigma;
  size_t map; /* where the leaf's own metric begins; 0: it has none */
  bool full;
  size_t pane; /* where the rows begin; 0: there are none */
  bool apart;  /* one float of them in a double: a leaf in training under precision=single, never one from a file */
} svf_ls_view;

/* False: they are not those of such a leaf. The floats of its rows are looked at by the second one alone. */
bool svf_ls_read(const svf_leaf_view *leaf, svf_ls_view *view);
bool svf_ls_valid(const svf_leaf_view *leaf);

bool svf_ls_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                    double *share);

void svf_ls_weights(const svf_leaf_view *leaf, double *scratch, double *sum);
bool svf_ls_linear(const svf_leaf_view *leaf, double *w);

/* Features that a linear machine sees of d columns, and what it sees of a row. */
static inline size_t svf_ls_width(size_t d, int form) { return form == SVF_LS_QUADRATIC ? d + d * (d + 1) / 2 : d; }
static inline void svf_ls_expand(size_t d, int form, const float *row, const float *fill, double *x) {
  for (size_t j = 0; j < d; j++) x[j] = row[j] == row[j] ? row[j] : fill[j];
  double *next = x + d;
  for (size_t a = 0; form == SVF_LS_QUADRATIC && a < d; a++)
    for (size_t b = a; b < d; b++) *next++ = x[a] * x[b];
}

/* Numbers of the curve. */
static inline size_t svf_ls_curve(size_t classes) { return classes > 1 ? 2 : 0; }

/* A leaf in training. */
typedef struct svf_ls_cell {
  const svf_ground *ground;
  const svf_site *site;
  size_t m;             /* classes present; 0: a number */
  int32_t *present;     /* their codes */
  const uint32_t *rows; /* the site's, those held out last */
  size_t held_out;
  size_t targets;
  double *y, *weight; /* targets x n; n or NULL */
  double middle, scale;
  double C[SVF_LIST_SIZE];
  size_t C_count;
  double *curve;  /* svf_ls_curve numbers; NULL: the leaf is not calibrated */
  svf_metric own; /* what the leaf learned for itself; t NULL: nothing */
} svf_ls_cell;

/* Trains the machines and appends their numbers, from the head on. */
svf_status svf_ls_train_linear(svf_ls_cell *cell, svf_buffer *numbers, svf_message *message);
svf_status svf_ls_train_gauss(svf_ls_cell *cell, svf_buffer *numbers, svf_message *message);

/* ls_svm_step.c: steps of boosting. A view is one of a step; before it is asked, a leaf must be valid. */
svf_status svf_ls_train_step(const svf_ls_cell *cell, svf_buffer *numbers, svf_message *message);
bool svf_ls_step_valid(const svf_ls_view *view);
double svf_ls_step_answer(const svf_ls_view *view, const float *row);
void svf_ls_step_adjust(double *numbers, size_t length, double factor, double shift);

/* Appends the head and the classes; a number; a machine's coefficients and its bias, in the units of the target. Numbers
 * are kept finite whatever those are. */
void svf_ls_write_head(const svf_ls_cell *cell, int form, double C, double error, svf_buffer *numbers);
double svf_ls_bound(double value); /* the nearest finite number */
void svf_ls_write(svf_buffer *numbers, double value);
void svf_ls_write_error(svf_buffer *numbers, double squared, double unit); /* squared: in units of `unit` */
void svf_ls_write_machine(const svf_ls_cell *cell, const double *coefficient, size_t count, double bias,
                          svf_buffer *numbers);

/* ls_svm_calibrate.c: fits the cell's curve, if it has one, to scores of rows left out (targets x n: their errors). False:
 * memory ran out. */
bool svf_ls_calibrate(svf_ls_cell *cell, const double *left_out);
/* Probabilities of the m classes that are present, of what the machines say of one row. */
void svf_ls_shares(const svf_ls_view *view, const double *own, double *share);

svf_status svf_ls_train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

/* ls_svm_metric.c: the forest's metric. */
svf_status svf_ls_learn(const svf_ground *ground, svf_metric *metric, svf_message *message);

/* ls_svm_own.c: the metric that a leaf learns for itself, under metric_scope=leaf. The widths and C that a round chooses from
 * are those of the machine. */
svf_status svf_ls_own_check(const svf_ls_cell *cell, svf_message *message); /* does learning it fit into memory? */
bool svf_ls_own_learn(svf_ls_cell *cell, const svf_gauss_problem *machine); /* false: memory ran out */
void svf_ls_own_write(const svf_ls_cell *cell, svf_buffer *numbers);
/* A view's metric; memory for it comes from the arena. False: that ran out. */
bool svf_ls_own_take(const svf_ls_view *view, svf_arena *arena, svf_metric *metric);
void svf_ls_own_pull(const svf_ls_view *view, double *w, double *scratch); /* w becomes T w; scratch: d numbers */
double svf_ls_own_length(const svf_leaf_view *leaf, size_t column);

/* ls_svm_choose.c: kernel, metric and scale. */
bool svf_ls_chooses(const svf_settings *settings);
svf_status svf_ls_choose(const svf_choosing *choosing, svf_settings *settings, size_t *frame, svf_message *message);

/* ls_svm_flat.c: the mean, or the shares of the classes, of the site's rows, everywhere. */
svf_status svf_ls_flat(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

#endif
