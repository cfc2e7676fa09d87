/* demo_trial.c - a method trained and tested on a synthetic set, for the demo. */
#include "verb_demo.h"
#include <stdlib.h>
#include <string.h>

/* Rows of one part into a new table. */
static svf_status take(const svf_table *whole, const int32_t *part, int32_t wanted, svf_table **table,
                       svf_message *message) {
  size_t n = svf_table_rows(whole), count = 0;
  size_t *rows = CLI_TAKE(size_t, n);
  for (size_t i = 0; i < n; i++)
    if (part[i] == wanted) rows[count++] = i;
  svf_status status = svf_table_take(whole, rows, count, table, message);
  free(rows);
  return status;
}

int cli_halves_make(const char *kind, size_t rows, uint64_t seed, cli_halves *halves) {
  svf_message message;
  svf_table *whole = NULL;
  svf_synth_options options = {.rows = 2 * rows, .seed = seed};
  int32_t *part = CLI_TAKE(int32_t, 2 * rows);
  *halves = (cli_halves){.seed = seed};
  svf_status status = svf_table_synth(kind, &options, &whole, &halves->risk, &message);
  if (status == SVF_OK) status = svf_table_holdout(whole, 0.5, seed, part, &message);
  if (status == SVF_OK) status = take(whole, part, 0, &halves->train, &message);
  if (status == SVF_OK) status = take(whole, part, 1, &halves->test, &message);
  free(part);
  svf_table_free(whole);
  if (status != SVF_OK) cli_halves_free(halves);
  return cli_status(status, &message);
}

void cli_halves_free(cli_halves *halves) {
  svf_table_free(halves->train);
  svf_table_free(halves->test);
  halves->train = halves->test = NULL;
}

/* "name=value name=value" */
static svf_status set_all(svf_settings *settings, const char *text, svf_message *message) {
  while (*text) {
    char pair[64] = "";
    size_t length = strcspn(text, " ");
    memcpy(pair, text, length < sizeof pair ? length : sizeof pair - 1);
    char *equals = pair + strcspn(pair, "=");
    if (*equals) *equals++ = 0;
    svf_status status = svf_settings_set(settings, pair, equals, message);
    if (status != SVF_OK) return status;
    text += length + (text[length] == ' ');
  }
  return SVF_OK;
}

static svf_status set_seed(svf_settings *settings, uint64_t seed, svf_message *message) {
  char digits[32];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
  return svf_settings_set(settings, "seed", digits, message);
}

static svf_status test(cli_trial *trial, const cli_halves *halves, const svf_forest *forest, const svf_run *run,
                       svf_message *message) {
  size_t n = svf_table_rows(halves->test);
  svf_prediction prediction = {.values = CLI_TAKE(double, n)};
  svf_status status = svf_predict(forest, halves->test, run, &prediction, message);
  if (status == SVF_OK) trial->accuracy = svf_table_measure(halves->test, prediction.values);
  free(prediction.values);
  return status;
}

int cli_trial_run(cli_trial *trial, const cli_halves *halves, cli_job *job, svf_forest **forest) {
  svf_message message;
  svf_settings *settings = NULL;
  svf_forest *grown = NULL;
  svf_status status = svf_settings_new(trial->method, &settings, &message);
  if (status == SVF_OK) status = set_all(settings, trial->settings, &message);
  if (status == SVF_OK) status = set_seed(settings, halves->seed, &message);
  double start = cli_now();
  if (status == SVF_OK) status = svf_train(settings, halves->train, &job->run, &grown, &message);
  trial->seconds = cli_now() - start;
  if (status == SVF_OK) status = test(trial, halves, grown, &job->run, &message);
  svf_settings_free(settings);
  if (forest && status == SVF_OK) *forest = grown;
  else svf_forest_free(grown);
  return cli_status(status, &message);
}
