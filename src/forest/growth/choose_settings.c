/* choose_settings.c - see choose_settings.h. */
#include "forest/growth/choose_settings.h"

#include <stdlib.h>
#include "base/run_part.h"
#include "forest/forest.h"

enum { FOLDS = 3, TREES = 10, FEWEST = 2 * FOLDS };

/* A choice in progress. */
typedef struct choice {
  svf_settings settings; /* of the small forests */
  svf_list *open;        /* the one of them that is chosen */
  const svf_table *table;
  svf_run run;
  size_t n, *rows;
  int32_t *fold;
  double *value;
} choice;

/* Rows in the fold, or those outside it. */
static svf_status take(const choice *c, int32_t fold, bool inside, svf_table **part, svf_message *message) {
  size_t count = 0;
  for (size_t i = 0; i < c->n; i++)
    if ((c->fold[i] == fold) == inside) c->rows[count++] = i;
  return svf_table_take(c->table, c->rows, count, part, message);
}

static double error_of(const svf_table *table, const double *value) {
  const int32_t *label = svf_table_labels(table);
  const double *target = svf_table_values(table), *weight = svf_table_weights(table);
  double sum = 0;
  for (size_t i = 0; i < svf_table_rows(table); i++) {
    double off = label ? (double)label[i] != value[i] : value[i] - target[i];
    sum += (weight ? weight[i] : 1) * off * off;
  }
  return sum;
}

/* Adds the error of one fold by a forest of the others. */
static svf_status add_fold(const choice *c, int32_t fold, double *error, svf_message *message) {
  svf_table *train = NULL, *test = NULL;
  svf_forest *forest = NULL;
  svf_prediction prediction = {.values = c->value};
  svf_status status = take(c, fold, false, &train, message);
  if (status == SVF_OK) status = take(c, fold, true, &test, message);
  if (status == SVF_OK) status = svf_train(&c->settings, train, &c->run, &forest, message);
  if (status == SVF_OK) status = svf_predict(forest, test, &c->run, &prediction, message);
  if (status == SVF_OK) *error += error_of(test, c->value);
  svf_forest_free(forest);
  svf_table_free(train);
  svf_table_free(test);
  return status;
}

static svf_status compare(const choice *c, const svf_list *list, double *best, svf_message *message) {
  double least = 0;
  SVF_TRY(svf_table_folds(c->table, FOLDS, (uint64_t)c->settings.seed, c->fold, message));
  for (size_t i = 0; i < list->count; i++) {
    double error = 0;
    *c->open = (svf_list){.item = {list->item[i]}, .count = 1};
    for (int32_t f = 0; f < FOLDS; f++) SVF_TRY(add_fold(c, f, &error, message));
    if (i == 0 || error < least) least = error, *best = list->item[i];
  }
  return SVF_OK;
}

svf_status svf_settings_choose(svf_settings *settings, const svf_table *table, const svf_run *run,
                               svf_message *message) {
  svf_kinds kinds;
  SVF_TRY(svf_kinds_find(settings, &kinds, message));
  if (!kinds.cut->several || kinds.cut->several(settings)->count == 1) return SVF_OK;
  svf_list *open = kinds.cut->several(settings), list = *open;
  double best = list.item[0];
  svf_status status = SVF_OK;
  choice c = {.settings = *settings, .table = table, .n = svf_table_rows(table)};
  c.open = kinds.cut->several(&c.settings);
  svf_run_part none = {.outer = run}; /* no progress yet: the forest is still ahead */
  c.run = svf_run_within(&none);
  c.run.remark = NULL; /* once is enough, for the whole table */
  c.settings.first_tree = 0;
  c.settings.trees = TREES; /* whatever part of the forest is trained here: parts must agree */
  c.rows = malloc(c.n * sizeof *c.rows);
  c.fold = malloc(c.n * sizeof *c.fold);
  c.value = malloc(c.n * sizeof *c.value);
  if (!c.rows || !c.fold || !c.value) status = svf_no_memory(message, "the choice of a setting");
  else if (c.n >= FEWEST) status = compare(&c, &list, &best, message);
  free(c.rows);
  free(c.fold);
  free(c.value);
  *open = (svf_list){.item = {best}, .count = 1};
  return status;
}
