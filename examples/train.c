/* train.c - the library from C: reads a table, keeps a quarter of it for testing, trains, saves, loads,
 * predicts.
 *
 * From the top of a checkout, after `./dev build`:
 *   cc -std=c11 -Wall -Iinclude examples/train.c -Lbuild -lsvforest -Wl,-rpath,"$PWD/build" -o
 * build/example-train build/example-train DATA.csv build/example.svf With an installed library: cc
 * examples/train.c $(pkg-config --cflags --libs svforest) -o train
 */
#include <stdio.h>
#include <stdlib.h>
#include <svforest.h>

/* Called about ten times a second; a nonzero answer would stop the training. */
static int show(void *user, const svf_progress *progress) {
  (void)user;
  fprintf(stderr, "\r%-10s %3.0f%%", progress->phase, 100 * progress->done);
  return 0;
}

/* The rows of one part of a split: 0 for training, 1 for testing. */
static svf_status take(const svf_table *all, const int32_t *part, int32_t wanted, svf_table **taken,
                       svf_message *message) {
  size_t n = svf_table_rows(all), count = 0, *rows = malloc(n * sizeof *rows);
  if (!rows) return SVF_MEMORY;
  for (size_t i = 0; i < n; i++)
    if (part[i] == wanted) rows[count++] = i;
  svf_status status = svf_table_take(all, rows, count, taken, message);
  free(rows);
  return status;
}

static svf_status split(const svf_table *all, svf_table **train, svf_table **test, svf_message *message) {
  int32_t *part = malloc(svf_table_rows(all) * sizeof *part);
  if (!part) return SVF_MEMORY;
  svf_status status = svf_table_holdout(all, 0.25, 1, part, message);
  if (!status) status = take(all, part, 0, train, message);
  if (!status) status = take(all, part, 1, test, message);
  free(part);
  return status;
}

/* Trains 20 trees of rsvt-full and leaves the model in a file. */
static svf_status train(const svf_table *table, const char *path, svf_message *message) {
  svf_settings *settings = NULL;
  svf_forest *forest = NULL;
  svf_run run = {.callback = show};
  svf_status status = svf_settings_new("rsvt-full", &settings, message);
  if (!status) status = svf_settings_set(settings, "trees", "20", message);
  if (!status) status = svf_train(settings, table, &run, &forest, message);
  fputc('\n', stderr);
  if (!status) status = svf_forest_save(forest, path, message);
  svf_forest_free(forest);
  svf_settings_free(settings);
  return status;
}

/* Loads the model and counts the rows it classifies right. */
static svf_status test(const char *path, const svf_table *table, svf_message *message) {
  svf_forest *forest = NULL;
  size_t n = svf_table_rows(table), right = 0;
  svf_prediction prediction = {.values = malloc(n * sizeof(double))};
  if (!prediction.values) return SVF_MEMORY;
  svf_status status = svf_forest_load(path, &forest, message);
  if (!status) status = svf_predict(forest, table, NULL, &prediction, message);
  for (size_t i = 0; i < n && !status; i++) right += prediction.values[i] == svf_table_labels(table)[i];
  if (!status) printf("%zu of %zu test rows right\n", right, n);
  svf_forest_free(forest);
  free(prediction.values);
  return status;
}

int main(int argc, char **argv) {
  svf_message message = {"not enough memory"};
  svf_table *all = NULL, *part[2] = {NULL, NULL};
  if (argc != 3) {
    fprintf(stderr, "usage: %s DATA MODEL\n", argv[0]);
    return 2;
  }
  svf_read_options options = {.task = SVF_TASK_CLASS};
  svf_status status = svf_table_read(argv[1], &options, &all, &message);
  if (!status) status = split(all, &part[0], &part[1], &message);
  if (!status) status = train(part[0], argv[2], &message);
  if (!status) status = test(argv[2], part[1], &message);
  if (status) fprintf(stderr, "%s\n", message.text);
  svf_table_free(part[1]);
  svf_table_free(part[0]);
  svf_table_free(all);
  return status ? 1 : 0;
}
