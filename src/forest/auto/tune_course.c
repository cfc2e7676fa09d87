/* tune_course.c - the folds that all candidates run on, and one candidate on one of them. */
#include "forest/auto/tune.h"

#include <math.h>
#include "data/folds.h"
#include "data/table.h"

/* Fewer rows than these tell little of what is good on all of them. */
enum { FEWEST_ROWS = 100, FEWEST_OF_CLASS = 10, MOST_PARTS = 27 };

/* In how many parts can the training rows of a fold be tried? */
static size_t count_parts(const svf_table *table, size_t folds) {
  size_t rows = table->n - table->n / folds, least = FEWEST_OF_CLASS * svf_table_classes(table), parts = 1;
  if (least < FEWEST_ROWS) least = FEWEST_ROWS;
  while (parts < MOST_PARTS && rows / (parts * SVF_THIRDS) >= least) parts *= SVF_THIRDS;
  return parts;
}

static svf_status deal(svf_course *course, uint64_t seed, svf_message *message) {
  const svf_table *table = course->table;
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_TUNE, .tree = SVF_TUNE_ROWS});
  course->fold = SVF_TAKE(&course->arena, int32_t, table->n);
  course->part = SVF_TAKE(&course->arena, int32_t, table->n);
  course->row = SVF_TAKE(&course->arena, size_t, table->n);
  course->values = SVF_TAKE(&course->arena, double, table->n);
  if (svf_arena_failed(&course->arena)) return svf_no_memory(message, "the folds");
  SVF_TRY(svf_table_folds(table, course->folds, seed, course->fold, message));
  course->parts = count_parts(table, course->folds);
  if (!svf_stratified(&random, table->label, table->n, course->parts, &course->arena, course->part))
    return svf_no_memory(message, "the folds");
  return SVF_OK;
}

svf_status svf_course_open(svf_course *course, const svf_table *table, size_t folds, uint64_t seed,
                           svf_message *message) {
  *course = (svf_course){.table = table, .folds = folds};
  svf_status status = deal(course, seed, message);
  if (status != SVF_OK) svf_course_close(course);
  return status;
}

void svf_course_close(svf_course *course) { svf_arena_free(&course->arena); }

static svf_status take(const svf_course *course, size_t fold, bool inside, size_t parts, svf_table **table,
                       svf_message *message) {
  size_t count = 0;
  for (size_t i = 0; i < course->table->n; i++)
    if (((size_t)course->fold[i] == fold) == inside && (size_t)course->part[i] < parts) course->row[count++] = i;
  return svf_table_take(course->table, course->row, count, table, message);
}

static svf_status test(const svf_course *course, size_t fold, const svf_forest *forest, const svf_run *run,
                       double *score, svf_message *message) {
  svf_table *table;
  svf_prediction prediction = {.values = course->values};
  SVF_TRY(take(course, fold, true, course->parts, &table, message));
  svf_status status = svf_predict(forest, table, run, &prediction, message);
  if (status == SVF_OK) *score = svf_table_measure(table, course->values);
  svf_table_free(table);
  if (status == SVF_OK && isnan(*score))
    return svf_fail(message, SVF_DATA, "the rows of fold %zu have no weight: use fewer folds", fold + 1);
  return status;
}

svf_status svf_course_run(const svf_course *course, const svf_settings *settings, size_t fold, size_t parts,
                          const svf_run *run, double *score, svf_message *message) {
  svf_table *table;
  svf_forest *forest;
  SVF_TRY(take(course, fold, false, parts, &table, message));
  svf_status status = svf_train(settings, table, run, &forest, message);
  svf_table_free(table);
  if (status == SVF_OK) status = test(course, fold, forest, run, score, message);
  svf_forest_free(forest);
  return status;
}
