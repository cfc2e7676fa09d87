/* job.h - a long job of the library: threads, a bar on the terminal, Ctrl-C. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "cli.h"

typedef struct cli_job {
  svf_run run; /* hand this to the library */
  const cli_args *args;
  bool bar; /* may a bar be drawn? */
  bool drawn;
  double start;
  char note[64];       /* shown behind the bar, e.g. what is best so far; "": nothing */
  double first, share; /* the part of the whole that the present call to the library is */
} cli_job;

/* From here on the first SIGINT or SIGTERM asks the library to stop; one that comes more than a second later
 * ends the program. The job must not move in memory afterwards. */
void cli_job_begin(cli_job *job, const cli_args *args);
/* Remarks on the table go to stderr, unless -q. */
void cli_job_remarks(cli_job *job);
/* Of a job made of several calls: the next one is `share` of the whole and begins at `first`. */
void cli_job_part(cli_job *job, double first, double share);
/* Wipes the bar, so that a line can be written; it comes again by itself. */
void cli_job_wipe(cli_job *job);
/* Wipes the bar; returns the seconds since the beginning. */
double cli_job_end(cli_job *job);

/* The signal that asked to stop, or 0. */
int cli_signal(void);
/* What follows can be stopped by a signal of its own. */
void cli_signal_forget(void);
/* Says that the job was stopped; returns 128 + signal. */
int cli_stopped(void);

/* Seconds of a clock that never goes back. */
double cli_now(void);

#endif
