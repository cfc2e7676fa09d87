/* contributing.c - trains, predicts, saves and loads with the preset of CONTRIBUTING.md, whose four kinds the page defines. */
#include "svforest_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static svf_message message;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "FAIL: %s (%s)\n", what, message.text);
  exit(1);
}

/* Is the kind that the preset names in the table of its seam? */
static void listed(const svf_settings *settings, const char *seam) {
  char name[64];
  expect(svf_settings_get(settings, seam, name, sizeof name) == SVF_OK, seam);
  for (size_t i = 0; i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    if (!strcmp(kind.seam, seam) && !strcmp(kind.name, name)) return;
  }
  expect(0, name);
}

static svf_forest *train(const svf_settings *settings, const svf_table *table, int threads) {
  svf_forest *forest = NULL;
  expect(svf_train(settings, table, &(svf_run){.threads = threads}, &forest, &message) == SVF_OK, "training");
  return forest;
}

/* Share of the rows that are predicted right. */
static double accuracy(const svf_forest *forest, const svf_table *table) {
  size_t rows = svf_table_rows(table), right = 0;
  double *value = malloc(rows * sizeof *value);
  expect(value != NULL, "memory");
  svf_prediction prediction = {.values = value};
  expect(svf_predict(forest, table, NULL, &prediction, &message) == SVF_OK, "predicting");
  for (size_t i = 0; i < rows; i++) right += value[i] == svf_table_labels(table)[i];
  free(value);
  return (double)right / (double)rows;
}

static void same_bytes(const svf_forest *a, const svf_forest *b, const char *what) {
  size_t size_a, size_b;
  const void *bytes_a = svf_forest_bytes(a, &size_a), *bytes_b = svf_forest_bytes(b, &size_b);
  expect(size_a == size_b && !memcmp(bytes_a, bytes_b, size_a), what);
}

/* The loader accepts the leaves, and the copy has the same bytes. */
static void loads(const svf_forest *forest) {
  size_t size;
  svf_forest *again = NULL;
  const void *bytes = svf_forest_bytes(forest, &size);
  expect(svf_forest_from_bytes(bytes, size, &again, &message) == SVF_OK, "loading");
  same_bytes(forest, again, "a model changes when it is saved and loaded");
  svf_forest_free(again);
}

static void refused(const svf_settings *settings) {
  svf_settings *other;
  expect(svf_settings_check(settings, SVF_TASK_REGRESS, &message) == SVF_USAGE, "regression is not refused");
  expect(svf_settings_copy(settings, &other, &message) == SVF_OK, "copying");
  expect(svf_settings_set(other, "rows", "all", &message) == SVF_OK, "setting");
  expect(svf_settings_check(other, SVF_TASK_CLASS, &message) == SVF_USAGE,
         "a pick without out-of-bag rows is not refused");
  svf_settings_free(other);
}

int main(int argc, char **argv) {
  svf_settings *settings;
  svf_table *table;
  expect(argc == 2, "usage: contributing PRESET");
  expect(svf_settings_new(argv[1], &settings, &message) == SVF_OK, "the preset");
  listed(settings, "cut"), listed(settings, "leaf"), listed(settings, "pick"), listed(settings, "vote");
  expect(svf_table_synth("moons", &(svf_synth_options){.rows = 600, .seed = 1}, &table, NULL, &message) == SVF_OK,
         "rows");
  svf_forest *forest = train(settings, table, 1), *same = train(settings, table, 3);
  same_bytes(forest, same, "the number of threads changes the model");
  double right = accuracy(forest, table);
  expect(right > .85, "the forest learns nothing");
  loads(forest);
  refused(settings);
  printf("%s: accuracy %.3f\n", argv[1], right);
  svf_forest_free(forest), svf_forest_free(same);
  svf_table_free(table);
  svf_settings_free(settings);
  return 0;
}
