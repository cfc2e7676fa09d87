/* verb_tune.h - what the files of the verb tune share. */
#ifndef CLI_VERB_TUNE_H
#define CLI_VERB_TUNE_H

#include "job.h"

typedef struct cli_tuning {
  const cli_args *args;
  svf_settings *settings; /* what the search starts from */
  svf_table *table;
  svf_tuning *tuning;
  svf_tuning_info info;
  const char *measure;
  bool stopped, trained; /* by a signal; the model is written */
  double training;       /* seconds */
  cli_job job;
} cli_tuning;

/* A flag and its value, in quotes where a shell needs them. */
void cli_tune_flag(FILE *out, const char *name, const char *text, size_t length);
/* -m METHOD and the flags given by hand that make a difference to the model. */
void cli_tune_given(FILE *out, const cli_tuning *tuning);
/* The search among methods, where none is named. */
int cli_tune_methods(cli_tuning *tuning);
/* The result, as text or JSON. */
void cli_tune_tell(const cli_tuning *tuning);

#endif
