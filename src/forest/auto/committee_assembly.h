/* committee_assembly.h - a committee in the making: its members are trained in committee_train.c, weighed and calibrated in
 * committee_settle.c. */
#ifndef SVF_FOREST_COMMITTEE_ASSEMBLY_H
#define SVF_FOREST_COMMITTEE_ASSEMBLY_H

#include "forest/auto/committee.h"

/* A member that is being trained. */
typedef struct svf_trial {
  double *answer; /* n x k, of held-out rows: the mean over the repeats */
  svf_buffer image;
  svf_settings settled; /* with what the training on all rows chose */
  double score, seconds;
  bool done;
} svf_trial;

typedef struct svf_assembly {
  const svf_settings *settings;
  const svf_table *table;
  svf_auto_options options;
  const svf_run *outer;
  svf_run run; /* for the trainings: its callback checks the time */
  svf_plan plan;
  svf_bench bench;
  const svf_la *la;
  svf_trial *trial;     /* one per member of the plan */
  int32_t *fold;        /* n */
  size_t *row;          /* n: scratch */
  uint32_t *all, *part; /* n: the numbers of all rows; scratch */
  svf_ranked *ranked;
  svf_arena arena;
  double start, done, price, all_price; /* time of start; estimated work: done, of this member, of the plan */
  char phase[96];                       /* the name of the current member in reports of progress */
  bool late, stopped;
  svf_status failure; /* of the first member that failed */
  svf_message why;
  svf_message *message;
} svf_assembly;

/* The finished members. */
typedef struct svf_finished {
  size_t count, member[SVF_MEMBERS];
  const double *answer[SVF_MEMBERS];
} svf_finished;

/* Weights of the finished members, and curve and scores, which go into `parts`. */
svf_status svf_committee_settle(svf_assembly *a, const svf_finished *f, double *weight, svf_committee_parts *parts);

#endif
