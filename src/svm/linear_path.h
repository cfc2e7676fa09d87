/* linear_path.h - one two-class problem along all values of C, on the whole set and on the parts that leave out one fold. */
#ifndef SVF_SVM_LINEAR_PATH_H
#define SVF_SVM_LINEAR_PATH_H

#include "svm/linear_rows.h"
#include "svm/linear_machines.h"

/* What the paths of all two-class problems on one set of rows share. */
typedef struct svf_path {
  const svf_form *form;
  const svf_machines_options *options;
  bool held;          /* are there parts? */
  const double *base; /* n: the costs that most of the problems have */
  double scale;       /* the largest of them, the unit of costs in single precision */
} svf_path;

/* base: costs in the order of the form; memory from the solver's arena, false: it ran out. */
bool svf_path_open(svf_path *path, svf_form *form, const svf_machines_options *options, const double *base,
                   bool held);

/* Results of one problem. */
typedef struct svf_path_result {
  double *w;   /* C_count x ld (svf_padded(p)): machines of the whole set, or where they will begin */
  float *held; /* C_count x n: the score of each row by the machine that did not see its fold; NULL without parts */
  double *gap; /* C_count: relative duality gaps of the machines of the whole set; infinite where it was not solved */
  const double
      *begin; /* p numbers near the solution for the smallest C, to begin from (squared hinge); NULL: w = 0 */
} svf_path_result;

/* Solves the parts for every C, and the whole set for every C if there are no parts, else for the smallest. False: memory
 * ran out. Several threads may run paths with the same svf_path, each with its own arena. */
bool svf_path_run(const svf_path *path, const svf_binary *binary, const svf_solver *solver,
                  const svf_path_result *result);
/* Solves the whole set for value number c, from the mean of the parts. */
bool svf_path_finish(const svf_path *path, const svf_binary *binary, const svf_solver *solver, size_t c,
                     const svf_path_result *result);

#endif
