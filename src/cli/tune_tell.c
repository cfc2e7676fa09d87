/* tune_tell.c - what a search for settings found: a report, and the flags that give it back. */
#include "data.h"
#include "output.h"
#include "report_lines.h"
#include "text.h"
#include "verb_tune.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plain for a shell? Else it is put in quotes. */
static bool plain(const char *word, size_t length) {
  static const char *const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return strspn(word, safe) >= length;
}

void cli_tune_flag(FILE *out, const char *name, const char *text, size_t length) {
  bool bare = plain(text, length);
  fprintf(out, " %s %s", name, bare ? "" : "'");
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') fputs("'\\''", out);
    else fputc(text[i], out);
  }
  if (!bare) fputc('\'', out);
}

void cli_tune_given(FILE *out, const cli_tuning *w) {
  const cli_args *args = w->args;
  const char *method = svf_settings_method(w->settings);
  fprintf(out, "-m %s", method);
  for (size_t i = 0; i < args->settings.count; i++)
    cli_tune_flag(out, "-s", args->settings.item[i], strlen(args->settings.item[i]));
  if (args->seed) cli_tune_flag(out, "--seed", args->seed, strlen(args->seed));
}

/* The same, and what was found. */
static void print_flags(FILE *out, const cli_tuning *w, const char *found) {
  cli_tune_given(out, w);
  for (const char *at = found; *at;) {
    size_t length = strcspn(at, " ");
    cli_tune_flag(out, "-s", at, length);
    at += length + (at[length] == ' ');
  }
}

static void json_candidates(const cli_tuning *w, cli_json *json) {
  cli_json_list(json, "results");
  for (size_t i = 0; i < w->info.candidates; i++) {
    svf_candidate_info c;
    svf_tuning_candidate(w->tuning, i, &c);
    cli_json_object(json, NULL);
    cli_json_text(json, "settings", c.settings);
    cli_json_number(json, "mean", c.score);
    cli_json_number(json, "sd", c.deviation);
    cli_json_number(json, "rows", c.rows);
    cli_json_number(json, "seconds", c.seconds);
    cli_json_close(json);
  }
  cli_json_close(json);
}

/* "name=value name=value" as the members of an object. */
static void json_settings(cli_json *json, const char *found) {
  char *text = cli_join(found, ""), *rest = NULL;
  cli_json_object(json, "settings");
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(pair, '=');
    *equals = 0;
    cli_json_text(json, pair, equals + 1);
  }
  cli_json_close(json);
  free(text);
}

/* The flags as text; free() it. NULL: no memory. */
static char *flags(const cli_tuning *w, const char *found) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  print_flags(out, w, found);
  fclose(out);
  return text;
}

static void json_rest(const cli_tuning *w, cli_json *json, const char *found) {
  char *text = flags(w, found);
  cli_json_flag(json, "stopped", w->stopped);
  cli_json_flag(json, "late", w->info.late);
  if (w->info.refused) cli_json_text(json, "refusal", w->info.refusal);
  cli_json_text(json, "flags", text);
  json_settings(json, found);
  json_candidates(w, json);
  free(text);
}

static void report(const cli_tuning *w, FILE *out, const svf_candidate_info *best) {
  static const char *const search[] = {"halving", "random", "grid"};
  const svf_tuning_info *info = &w->info;
  svf_candidate_info first;
  cli_report r;
  svf_tuning_candidate(w->tuning, 0, &first);
  cli_report_begin(&r, out, w->args->json);
  cli_report_text(&r, "method", svf_settings_method(w->settings));
  cli_report_text(&r, "task", cli_task_name(svf_table_task(w->table)));
  cli_report_text(&r, "search", search[w->args->search ? w->args->search - 1 : 0]);
  cli_report_count(&r, "folds", info->folds);
  cli_report_count(&r, "combinations", (size_t)info->combinations);
  cli_report_count(&r, "tried", info->candidates);
  cli_report_count(&r, "on_all_rows", info->complete);
  if (info->failed || r.as_json) cli_report_count(&r, "failed", info->failed);
  if (info->refused || r.as_json) cli_report_count(&r, "refused", info->refused);
  cli_report_number(&r, "seconds", info->seconds);
  cli_report_text(&r, "measure", w->measure);
  cli_report_number(&r, "untuned", w->args->tries.count ? NAN : first.score);
  cli_report_number(&r, "best", best->score);
  cli_report_number(&r, "sd", best->deviation);
  cli_report_number(&r, "train_seconds", w->trained ? w->training : NAN);
  cli_report_text(&r, "model", w->trained && !cli_is_stdio(w->args->output) ? w->args->output : NULL);
  if (r.as_json) json_rest(w, &r.json, best->settings);
  cli_report_end(&r);
}

void cli_tune_tell(const cli_tuning *w) {
  svf_candidate_info best;
  FILE *out = w->trained && cli_is_stdio(w->args->output) ? stderr : stdout;
  svf_tuning_candidate(w->tuning, w->info.best, &best);
  if (w->args->json || !w->args->quiet) report(w, out, &best);
  if (w->args->json) return;
  if (!w->args->quiet) fputc('\n', out);
  print_flags(out, w, best.settings);
  fputc('\n', out);
}
