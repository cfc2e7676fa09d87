/* lesson.h - rows of a frame as those that learn or judge a metric, or the direction of a cut. */
#ifndef SVF_CUT_LESSON_H
#define SVF_CUT_LESSON_H

#include "data/encode.h"
#include "svm/ls_metric.h"

enum { SVF_LESSON_COLUMNS = 2048 };  /* the most that a matrix of columns x columns is learned of */
#define SVF_LESSON_OPERATIONS 1.2e10 /* of a round, about */

/* A number is one machine, so are two classes, one class is none, more have one each. */
static inline size_t svf_ls_machines(size_t classes) {
  return classes == 0 || classes == 2 ? 1 : classes == 1 ? 0 : classes;
}

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
