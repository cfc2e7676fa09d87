/* verb_demo.h - the two halves of the verb demo: a table of results, and pictures. */
#ifndef CLI_VERB_DEMO_H
#define CLI_VERB_DEMO_H

#include "job.h"

/* A synthetic set, halved: rows to train on and rows to test on, of the same distribution. */
typedef struct cli_halves {
  svf_table *train, *test;
  double risk; /* Bayes risk, NaN: not known */
  uint64_t seed;
} cli_halves;
int cli_halves_make(const char *kind, size_t rows, uint64_t seed, cli_halves *halves);
void cli_halves_free(cli_halves *halves);

/* Trains a method (settings: "name=value ..." over its own) with the seed of the set, and tests it. The
 * forest is the caller's to free; NULL: not wanted. */
typedef struct cli_trial {
  const char *method, *settings;
  double accuracy, seconds;
} cli_trial;
int cli_trial_run(cli_trial *trial, const cli_halves *halves, cli_job *job, svf_forest **forest);

/* Writes regions.svg and tree.svg into the folder. */
int cli_demo_pictures(const cli_args *args, const char *folder, cli_job *job);

#endif
