/* linear_path.h - one two-class problem along all values of C, on the whole set and on the parts that leave out one fold. */
#ifndef SVF_SVM_LINEAR_PATH_H
#define SVF_SVM_LINEAR_PATH_H

#include "svm/linear_fit.h"
#include "svm/linear_machines.h"

/* Shared by the paths of all two-class problems on one set of rows. */
typedef struct svf_path {
  const svf_shared *shared;
  const svf_machines_options *options;
  bool held;          /* are there parts? */
  const double *base; /* n: the costs that most of the problems have */
  double scale;       /* the largest of them, the unit of costs in single precision */
} svf_path;

/* linear_path.c: the regime, and the matrices that all fits share. base: costs in the order of the folds; memory from the
 * solver's arena, false: it ran out. */
bool svf_path_open(svf_path *path, svf_shared *shared, const svf_machines_options *options, const double *base,
                   bool held);

/* Results of one problem. */
typedef struct svf_path_result {
  double *w;   /* C_count x ld (svf_padded(p)): machines of the whole set, or where they will begin */
  float *held; /* C_count x n: the score of each row by the machine that did not see its fold; NULL without parts */
  double *gap; /* C_count: relative duality gaps of the machines of the whole set; infinite where it was not solved */
  const double
      *begin; /* p numbers near the solution for the smallest C, to begin from (squared hinge); NULL: w = 0 */
} svf_path_result;

/* linear_solve.c: solves the parts for every C, and the whole set for every C if there are no parts, else for the smallest. False: memory
 * ran out. Several threads may run paths with the same svf_path, each with its own arena. */
bool svf_path_run(const svf_path *path, const svf_binary *binary, const svf_solver *solver,
                  const svf_path_result *result);
/* Solves the whole set for value number c, from the mean of the parts. */
bool svf_path_finish(const svf_path *path, const svf_binary *binary, const svf_solver *solver, size_t c,
                     const svf_path_result *result);

/* The fits of one problem: the whole set, and a group of parts that go along together. */
typedef struct svf_fits {
  const svf_path *path;
  const svf_binary *binary;
  const svf_solver *solver;
  const svf_path_result *result;
  svf_newton_scratch scratch;
  svf_newton whole, part[SVF_COLUMNS];
  svf_start start;
  double *part_w;   /* folds x C_count x p: the points of the parts */
  double costliest; /* largest cost */
} svf_fits;

/* In the place of a part's number. */
enum { SVF_WHOLE = -1 };

/* Memory, and the whole set at w = 0; parts: some may begin from it. */
bool svf_fits_open(svf_fits *fits, bool parts);
/* To where the whole set starts at the smallest C: the caller's point, or what the regime says. */
void svf_fits_begin(svf_fits *fits);
/* Solves some fits for value number c; those too hard for single precision fail. */
void svf_fits_solve(svf_fits *fits, svf_newton *const *fit, size_t count, size_t c);
/* Keeps the machine of the whole set, or the point of a part and the scores of its fold. A fit that failed is solved in double
 * first. False: memory ran out. */
bool svf_fits_keep(const svf_fits *fits, const svf_newton *fit, size_t c, ptrdiff_t part);
/* linear_solve.c: some parts, or the whole set, along all values of C. */
bool svf_fits_along(svf_fits *fits, svf_newton *const *fit, size_t count, ptrdiff_t part);
/* All parts, by one thread or several; the whole set will begin at their mean. */
bool svf_fits_parts(svf_fits *fits);
/* The point of a part: p numbers. */
double *svf_fits_part_point(const svf_fits *fits, size_t c, size_t part);

/* linear_alone.c: one fit by itself in double, kept as svf_fits_keep does; and every fit of the hinge. */
bool svf_fits_alone(const svf_fits *fits, size_t c, ptrdiff_t part);
bool svf_fits_hinge(const svf_fits *fits);

#endif
