/* ls_svm_metric.h - rows of a frame as those that learn or judge a metric. */
#ifndef SVF_LEAF_LS_SVM_METRIC_H
#define SVF_LEAF_LS_SVM_METRIC_H

#include "leaf/ls_svm.h"
#include "svm/ls_metric.h"

/* Numbers are scaled to -1..1; two classes have one target of -1 and 1, more have one each. */
typedef struct svf_lesson {
  const svf_frame *frame;
  size_t targets;
  double middle, scale;
} svf_lesson;

/* False: all these rows have the same target. */
bool svf_lesson_open(svf_lesson *lesson, const svf_frame *frame, const uint32_t *row, size_t n);
/* False: memory ran out. */
bool svf_lesson_rows(const svf_lesson *lesson, const uint32_t *row, size_t n, svf_arena *arena,
                     svf_learning_rows *out);
/* With the grids of width and C that a round chooses from; svf_learning_open is next. */
svf_learning svf_lesson_learning(const svf_learning_rows *rows, svf_ls_kernel kernel, bool full,
                                 const svf_solver *solver);

#endif
