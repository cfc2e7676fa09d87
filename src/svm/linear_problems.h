/* linear_problems.h - all the machines of one set of rows while they are trained: the two-class problem of each, and their
 * results for every C. */
#ifndef SVF_SVM_LINEAR_PROBLEMS_H
#define SVF_SVM_LINEAR_PROBLEMS_H

#include "svm/linear_path.h"

/* Everything of every machine before C is chosen. Rows are in the order of the folds. */
typedef struct svf_work {
  const svf_machines_problem *problem;
  const svf_machines_options *options;
  svf_shared shared;
  size_t machines, n, ld;
  int32_t *label;
  svf_path path;
  double *w;      /* [machine][C][ld] */
  float *held;    /* [machine][C][n], or NULL */
  double *gap;    /* [machine][C] */
  double *weight; /* n: row weights; NULL: all 1, and no machine asks for them */
  double *cost;   /* n: row weight times class weight */
  size_t chosen;  /* number of the C */
} svf_work;

/* Place of a machine's result for one C among all of them. */
static inline size_t svf_work_at(const svf_work *k, size_t machine, size_t C) {
  return machine * k->options->C_count + C;
}

/* The machines' memory, which outlives the work. Ask svf_arena_failed after. */
void svf_machines_open(const svf_machines_problem *problem, const svf_machines_options *options,
                       svf_machines *machines);
/* Gathers the rows; labels and costs. False: memory ran out. */
bool svf_work_open(svf_work *work, const svf_machines_problem *problem, const svf_machines_options *options,
                   const svf_machines *machines);
/* n: the costs that most two-class problems have. */
const double *svf_work_base(const svf_work *work);

/* Something to do for each machine, by whichever thread; the solver is that thread's. False: memory ran out. */
typedef bool (*svf_machine_job)(const svf_work *work, const svf_binary *binary, const svf_solver *solver,
                                svf_path_result *result);
bool svf_work_each(const svf_work *work, svf_machine_job job);

/* linear_alone.c: Crammer-Singer has one solution for all classes: fitted per C, and per fold for the held-out scores. */
bool svf_work_joint(svf_work *work);

/* The C with the best held-out scores, and the sigmoids. False: memory ran out. */
bool svf_work_choose(svf_work *work, svf_machines *machines);
/* Takes the machines for the chosen C out of the work. */
void svf_work_keep(const svf_work *work, svf_machines *machines);

#endif
