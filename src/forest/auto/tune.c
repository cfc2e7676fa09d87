/* tune.c - svf_tune: opens a search, lets it run, says how it ended. */
#include "forest/auto/tune.h"

#include <stdlib.h>

static svf_status finish(svf_seeking *s, svf_status status) {
  svf_tuning *t = s->tuning;
  svf_message *message = s->message;
  t->info.seconds = svf_tune_now() - t->start;
  if (status != SVF_OK && status != SVF_STOPPED) return status;
  if (s->stopped) return svf_fail(message, SVF_STOPPED, "stopped");
  if (!t->any && t->info.late)
    return svf_fail(
        message, SVF_STOPPED,
        "%g seconds passed before the first candidate finished: raise the budget, or take fewer folds or trees",
        s->options.budget);
  if (!t->any)
    return svf_fail(message, SVF_USAGE, "no candidate is legal with the other settings: %s", t->refusal.text);
  if (s->failure == SVF_OK) return SVF_OK;
  return svf_fail(message, s->failure, "%zu of %zu candidates failed: %.800s", t->info.failed, t->info.candidates,
                  s->why.text);
}

static svf_status check(const svf_tune_options *options, svf_message *message) {
  if (!(options->budget >= 0 && options->budget <= 1e12))
    return svf_fail(message, SVF_USAGE, "a budget of %g seconds: it must be 0 (none) or more", options->budget);
  if ((int)options->search < 0 || options->search > SVF_TUNE_GRID)
    return svf_fail(message, SVF_USAGE, "there is no search number %d", (int)options->search);
  return SVF_OK;
}

static svf_status go(svf_seeking *s, const svf_settings *settings, const svf_table *table) {
  svf_tuning *t = s->tuning;
  t->start = svf_tune_now();
  t->less = svf_table_task(table) == SVF_TASK_REGRESS;
  if (!s->options.try_count) SVF_TRY(svf_settings_check(settings, svf_table_task(table), s->message));
  SVF_TRY(svf_space_open(&t->space, settings, svf_table_task(table), &s->options, s->message));
  t->info.combinations = (double)t->space.size;
  t->info.folds = s->options.folds ? s->options.folds : 5;
  SVF_TRY(svf_course_open(&s->course, table, t->info.folds, (uint64_t)settings->seed, s->message));
  svf_status status = finish(s, svf_tune_seek(s));
  svf_course_close(&s->course);
  return status;
}

svf_status svf_tune(const svf_settings *settings, const svf_table *table, const svf_tune_options *options,
                    const svf_run *run, svf_tuning **tuning, svf_message *message) {
  svf_message last = {""}; /* candidates may fail and the search go well */
  svf_seeking s = {.options = options ? *options : (svf_tune_options){0}, .outer = run, .message = &last};
  *tuning = NULL;
  if (settings->committee)
    return svf_fail(message, SVF_USAGE, "a committee has no settings to tune: raise effort, or name a method");
  SVF_TRY(check(&s.options, message));
  s.run = (svf_run){.callback = svf_tune_look, .user = &s};
  if (run) s.run.threads = run->threads, s.run.memory_limit = run->memory_limit;
  s.tuning = calloc(1, sizeof *s.tuning);
  if (!s.tuning) return svf_no_memory(message, "the search");
  svf_status status = go(&s, settings, table);
  if (status != SVF_OK && message) *message = last;
  if (s.tuning->any) *tuning = s.tuning;
  else svf_tuning_free(s.tuning);
  return status;
}

void svf_tuning_free(svf_tuning *tuning) {
  if (!tuning) return;
  for (size_t i = 0; i < tuning->list.size / sizeof(svf_candidate); i++) free(svf_candidate_at(tuning, i)->text);
  svf_buffer_free(&tuning->list);
  svf_space_close(&tuning->space);
  free(tuning);
}

void svf_tuning_describe(const svf_tuning *tuning, svf_tuning_info *info) {
  *info = tuning->info;
  info->refusal = tuning->refusal.text;
}

const svf_settings *svf_tuning_settings(const svf_tuning *tuning) { return &tuning->best; }

void svf_tuning_candidate(const svf_tuning *tuning, size_t index, svf_candidate_info *info) {
  const svf_candidate *c = svf_candidate_at(tuning, index);
  *info = (svf_candidate_info){c->text, c->score, c->deviation, c->rows, c->seconds};
}
