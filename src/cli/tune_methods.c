/* tune_methods.c - tune where no method is named: a committee of several methods and many settings of each, as train makes
 * one of few. What it prints is the plan, which train takes back. */
#include "members.h"
#include "data.h"
#include "output.h"
#include "report_lines.h"
#include "text.h"
#include "verb_tune.h"
#include <stdlib.h>
#include <string.h>

typedef struct work {
  cli_tuning *tuning;
  cli_committee tried;
  svf_forest *forest;
} work;

/* Options that are for the settings of one method. */
static int check(const cli_args *args) {
  const char *given = args->tries.count  ? "try"
                      : args->search     ? "search"
                      : args->candidates ? "candidates"
                      : args->folds      ? "folds"
                                         : NULL;
  if (!given) return CLI_DONE;
  return cli_fail(CLI_USAGE, "tune: --%s is for the settings of one method: name it with -m", given);
}

static void tell_member(void *user, const svf_member_info *member) {
  work *w = user;
  const cli_args *args = w->tuning->args;
  cli_committee_note(&w->tried, member);
  if (!args->verbose || args->quiet || member->dropped) return;
  fprintf(stderr, "%5zu  %-10s  %s\n", w->tried.count, cli_short(member->score).text, member->settings);
}

static int search(work *w) {
  svf_message message;
  cli_tuning *t = w->tuning;
  svf_auto_options options = {.budget = t->args->budget, .tell = tell_member, .user = w, .wide = 1};
  cli_job_begin(&t->job, t->args);
  cli_job_remarks(&t->job);
  cli_committee_begin(&w->tried, &t->job);
  svf_status status = svf_train_auto(t->settings, t->table, &options, &t->job.run, &w->forest, &message);
  t->training = cli_job_end(&t->job);
  if (!w->forest) return cli_status(status, &message);
  t->stopped = status == SVF_STOPPED;
  if (t->stopped) cli_note(t->args, "stopped; the best of %zu candidates follows", w->tried.count);
  if (!t->args->output) return CLI_DONE;
  status = svf_forest_save(w->forest, t->args->output, &message);
  t->trained = status == SVF_OK;
  return cli_status(status, &message);
}

static void print_flags(FILE *out, const work *w) {
  svf_committee_info info;
  svf_committee_describe(w->forest, &info);
  cli_tune_given(out, w->tuning);
  cli_tune_flag(out, "--plan", info.plan, strlen(info.plan));
}

static void tell_flags(const work *w, cli_report *r) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return;
  print_flags(out, w);
  fclose(out);
  cli_json_text(&r->json, "flags", text);
  free(text);
}

static void report(const work *w, FILE *out) {
  cli_report r;
  const cli_tuning *t = w->tuning;
  size_t dropped = 0;
  for (size_t i = 0; i < w->tried.count; i++) dropped += w->tried.item[i].dropped != NULL;
  cli_report_begin(&r, out, t->args->json);
  cli_report_text(&r, "method", svf_settings_method(t->settings));
  cli_report_text(&r, "task", cli_task_name(svf_table_task(t->table)));
  cli_report_count(&r, "tried", w->tried.count);
  if (dropped || r.as_json) cli_report_count(&r, "left_out", dropped);
  cli_report_number(&r, "seconds", t->training);
  cli_committee_tell(&r, w->forest, &w->tried);
  cli_report_text(&r, "model", t->trained && !cli_is_stdio(t->args->output) ? t->args->output : NULL);
  if (r.as_json) {
    cli_json_flag(&r.json, "stopped", t->stopped);
    tell_flags(w, &r);
  }
  cli_report_end(&r);
}

static void tell(const work *w) {
  const cli_args *args = w->tuning->args;
  FILE *out = w->tuning->trained && cli_is_stdio(args->output) ? stderr : stdout;
  if (args->json || !args->quiet) report(w, out);
  if (args->json) return;
  if (!args->quiet) fputc('\n', out);
  print_flags(out, w);
  fputc('\n', out);
}

int cli_tune_methods(cli_tuning *tuning) {
  work w = {.tuning = tuning};
  CLI_TRY(check(tuning->args));
  CLI_TRY(cli_read(tuning->args, tuning->args->operands.item[0], &tuning->table, NULL));
  int code = search(&w);
  if (w.forest) tell(&w);
  svf_forest_free(w.forest);
  cli_committee_free(&w.tried);
  return code;
}
