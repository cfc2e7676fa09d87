/* run_part.c - see run_part.h. */
#include "base/run_part.h"

#include <math.h>

static int move_progress(void *user, const svf_progress *progress) {
  const svf_run_part *part = user;
  svf_progress moved = *progress;
  moved.done = fmin(part->to, part->from + (part->to - part->from) * progress->done);
  return part->outer->callback(part->outer->user, &moved);
}

static void pass_remark(void *user, const char *text) {
  const svf_run_part *part = user;
  part->outer->remark(part->outer->user, text);
}

svf_run svf_run_within(svf_run_part *part) {
  svf_run run = part->outer ? *part->outer : (svf_run){0};
  if (run.callback) run.callback = move_progress;
  if (run.remark) run.remark = pass_remark;
  run.user = part;
  return run;
}
