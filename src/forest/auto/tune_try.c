/* tune_try.c - one candidate of a search: its run over the folds, under the clock and the wish to stop. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "forest/auto/tune.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double svf_tune_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool svf_tune_better(const svf_tuning *tuning, double a, double b) {
  if (isnan(a) || isnan(b)) return !isnan(a) && isnan(b);
  return tuning->less ? a < b : a > b;
}

static double share_done(const svf_seeking *s, double part) {
  double share = s->planned > 0 ? (s->done + part * s->cost) / s->planned : 0;
  if (s->options.budget > 0) share = fmax(share, (svf_tune_now() - s->tuning->start) / s->options.budget);
  return fmin(share, 1);
}

int svf_tune_look(void *user, const svf_progress *progress) {
  svf_seeking *s = user;
  s->tuning->info.late |= s->options.budget > 0 && svf_tune_now() - s->tuning->start > s->options.budget;
  s->reported = fmax(s->reported, share_done(s, progress->done));
  svf_progress whole = {"tune", s->reported, progress->trees};
  if (s->outer && s->outer->callback && s->outer->callback(s->outer->user, &whole)) s->stopped = true;
  return s->stopped || s->tuning->info.late;
}

bool svf_tune_over(svf_seeking *s) {
  svf_progress still = {"tune", 0, 0};
  return s->stopped || s->tuning->info.late || svf_tune_look(s, &still);
}

static void summarise(svf_candidate *c, const double *score, size_t folds) {
  double sum = 0, square = 0;
  for (size_t i = 0; i < folds; i++) sum += score[i];
  c->score = sum / (double)folds;
  for (size_t i = 0; i < folds; i++) square += (score[i] - c->score) * (score[i] - c->score);
  c->deviation = sqrt(square / (double)(folds - 1));
}

static svf_status run_folds(svf_seeking *s, size_t index, size_t parts, double *score) {
  svf_settings settings;
  svf_space_at(&s->tuning->space, svf_candidate_at(s->tuning, index)->index, &settings);
  s->cost = (double)parts / (double)s->course.parts;
  for (size_t fold = 0; fold < s->course.folds; fold++) {
    SVF_TRY(svf_course_run(&s->course, &settings, fold, parts, &s->run, &score[fold], s->message));
    s->done += s->cost;
  }
  return SVF_OK;
}

/* A failure other than the wish to stop ends the candidate; of the very first it ends the search. */
static svf_status note_failure(svf_seeking *s, size_t index, svf_status status) {
  svf_tuning *t = s->tuning;
  if (status == SVF_STOPPED || !t->any) return status;
  svf_candidate *c = svf_candidate_at(t, index);
  c->failed = true;
  c->score = c->deviation = NAN;
  t->info.failed++;
  if (status == SVF_USAGE || status == SVF_DATA || s->failure != SVF_OK) return SVF_OK;
  s->failure = status;
  s->why = *s->message;
  return SVF_OK;
}

static void note_best(svf_seeking *s, size_t index) {
  svf_tuning *t = s->tuning;
  t->info.complete++;
  if (t->any && !svf_tune_better(t, svf_candidate_at(t, index)->score, svf_candidate_at(t, t->info.best)->score))
    return;
  t->any = true;
  t->info.best = index;
  svf_space_at(&t->space, svf_candidate_at(t, index)->index, &t->best);
}

svf_status svf_tune_try(svf_seeking *s, size_t index, size_t parts) {
  svf_tuning *t = s->tuning;
  double begun = svf_tune_now(), *score = malloc(s->course.folds * sizeof *score);
  if (!score) return svf_no_memory(s->message, "the scores");
  svf_status status = run_folds(s, index, parts, score);
  svf_candidate *c = svf_candidate_at(t, index);
  if (status == SVF_OK) {
    summarise(c, score, s->course.folds);
    c->rows = (double)parts / (double)s->course.parts;
    c->seconds = svf_tune_now() - begun;
    if (parts == s->course.parts) note_best(s, index);
  } else status = note_failure(s, index, status);
  free(score);
  t->info.seconds = svf_tune_now() - t->start;
  if (status != SVF_OK) return status;
  if (index == t->info.candidates) t->info.candidates++;
  if (s->options.tell && s->options.tell(s->options.user, t, index)) s->stopped = true;
  return SVF_OK;
}
