/* table_set.c - tables made from the caller's memory: a matrix, then target, weights and categories.
 * Every setter checks and copies first and changes the table last, so a refusal changes nothing. */
#include "data/date.h"
#include "data/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double cell(const svf_matrix *matrix, size_t row, size_t column) {
  ptrdiff_t at = (ptrdiff_t)row * matrix->row_stride + (ptrdiff_t)column * matrix->column_stride;
  return matrix->float32 ? (double)((const float *)matrix->values)[at] : ((const double *)matrix->values)[at];
}

char *svf_column_named(const char *name, size_t column) {
  char text[32];
  snprintf(text, sizeof text, "x%zu", column + 1);
  return strdup(name ? name : text);
}

svf_status svf_refuse_infinite(const svf_column *column, size_t row, svf_message *message) {
  return svf_fail(message, SVF_DATA, "row %zu, column '%s': the value is infinite", row + 1, column->name);
}

static svf_status fill_column(const svf_matrix *matrix, const char *name, size_t j, svf_column *column,
                              svf_message *message) {
  column->name = svf_column_named(name, j);
  column->number = calloc(matrix->rows, sizeof *column->number);
  if (!column->name || !column->number) return svf_no_memory(message, "the table");
  for (size_t i = 0; i < matrix->rows; i++) {
    column->number[i] = cell(matrix, i, j);
    if (isinf(column->number[i])) return svf_refuse_infinite(column, i, message);
  }
  return SVF_OK;
}

svf_status svf_matrix_check(const svf_matrix *matrix, const char *const *names, svf_message *message) {
  if (!matrix->rows || !matrix->columns)
    return svf_fail(message, SVF_DATA, "a table needs rows and columns; there are %zu and %zu", matrix->rows,
                    matrix->columns);
  if (matrix->rows > INT32_MAX || matrix->columns > INT32_MAX)
    return svf_fail(message, SVF_DATA, "a table has at most %d rows and columns", INT32_MAX);
  if (!names) return SVF_OK;
  svf_names checked;
  SVF_TRY(svf_names_take(names, matrix->columns, "column", &checked, message));
  svf_names_free(&checked);
  return SVF_OK;
}

svf_status svf_table_new(const svf_matrix *matrix, const char *const *names, svf_table **table,
                         svf_message *message) {
  *table = NULL;
  SVF_TRY(svf_matrix_check(matrix, names, message));
  SVF_TRY(svf_check_memory(message, (double)matrix->rows * (double)matrix->columns * sizeof(double), 0, "the table"));
  svf_table *made = svf_table_alloc(matrix->rows, matrix->columns);
  if (!made) return svf_no_memory(message, "the table");
  made->named = names != NULL;
  svf_status status = SVF_OK;
  for (size_t j = 0; j < made->d && status == SVF_OK; j++)
    status = fill_column(matrix, names ? names[j] : NULL, j, &made->column[j], message);
  if (status) svf_table_free(made);
  else *table = made;
  return status;
}

/* The target's name: the one it had, or the wish with '_' added until no column is called so. */
static char *target_name(const svf_table *table, const char *wish) {
  if (table->target_name) return strdup(table->target_name);
  size_t length = strlen(wish);
  char *name = malloc(length + table->d + 1); /* d columns can take at most d of the names */
  if (!name) return NULL;
  strcpy(name, wish);
  for (size_t j = 0; j < table->d; j++) {
    if (strcmp(table->column[j].name, name)) continue;
    name[length++] = '_';
    name[length] = 0;
    j = SIZE_MAX; /* the longer name may stand further up */
  }
  return name;
}

static void *copy_array(const void *from, size_t count, size_t size) {
  void *copy = calloc(count, size);
  if (copy) memcpy(copy, from, count * size);
  return copy;
}

typedef struct target {
  svf_task task;
  char *name;
  int32_t *label;
  svf_names classes;
  double *value;
} target;

/* Puts the target in place of the old one; keeps the old one if a piece of the new one could not be had. */
static svf_status set_target(svf_table *table, target *made, svf_message *message) {
  if (!made->name || (!made->label && !made->value)) {
    free(made->name);
    free(made->label);
    free(made->value);
    svf_names_free(&made->classes);
    return svf_no_memory(message, "the target");
  }
  free(table->target_name);
  free(table->label);
  free(table->value);
  free(table->class_weight);
  svf_names_free(&table->classes);
  table->class_weight = NULL;
  table->task = made->task;
  table->target_name = made->name;
  table->label = made->label;
  table->value = made->value;
  table->classes = made->classes;
  return SVF_OK;
}

static svf_status check_codes(const int32_t *codes, size_t n, int32_t low, size_t count, svf_message *message) {
  if (!count) return svf_fail(message, SVF_USAGE, "a list of names is empty");
  for (size_t i = 0; i < n; i++)
    if (codes[i] < low || (codes[i] >= 0 && (size_t)codes[i] >= count))
      return svf_fail(message, SVF_DATA, "row %zu: code %d is not in %d..%zu", i + 1, (int)codes[i], (int)low,
                      count - 1);
  return SVF_OK;
}

svf_status svf_table_set_classes(svf_table *table, const int32_t *labels, const char *const *names, size_t count,
                                 svf_message *message) {
  SVF_TRY(check_codes(labels, table->n, 0, count, message));
  target made = {.task = SVF_TASK_CLASS};
  SVF_TRY(svf_names_take(names, count, "class", &made.classes, message));
  made.name = target_name(table, "class");
  made.label = copy_array(labels, table->n, sizeof *labels);
  return set_target(table, &made, message);
}

svf_status svf_table_set_values(svf_table *table, const double *values, svf_message *message) {
  for (size_t i = 0; i < table->n; i++)
    if (!isfinite(values[i]))
      return svf_fail(message, SVF_DATA, "row %zu: the target is %s", i + 1,
                      isnan(values[i]) ? "missing" : "infinite");
  target made = {.task = SVF_TASK_REGRESS};
  made.name = target_name(table, "value");
  made.value = copy_array(values, table->n, sizeof *values);
  return set_target(table, &made, message);
}

svf_status svf_table_set_weights(svf_table *table, const double *weights, svf_message *message) {
  double sum = 0;
  for (size_t i = 0; i < table->n; i++) {
    if (!isfinite(weights[i]) || weights[i] < 0)
      return svf_fail(message, SVF_DATA, "row %zu: a weight must be finite and not negative", i + 1);
    sum += weights[i];
  }
  if (!svf_weights_sum(sum))
    return svf_fail(message, SVF_DATA, "the weights are %s",
                    sum > 0 ? "too large to be summed: divide them by a number" : "all 0");
  double *copy = copy_array(weights, table->n, sizeof *weights);
  if (!copy) return svf_no_memory(message, "the weights");
  free(table->weight);
  table->weight = copy;
  return SVF_OK;
}

svf_status svf_table_set_class_weights(svf_table *table, const double *weights, svf_message *message) {
  if (!table->classes.count) return svf_fail(message, SVF_USAGE, "the table has no classes to weigh");
  bool any = false;
  for (size_t c = 0; c < table->classes.count; c++) {
    if (!isfinite(weights[c]) || weights[c] < 0)
      return svf_fail(message, SVF_DATA, "class '%.80s': a class weight must be finite and not negative",
                      table->classes.text[c]);
    any |= weights[c] > 0;
  }
  if (!any) return svf_fail(message, SVF_DATA, "the class weights are all 0");
  double *copy = copy_array(weights, table->classes.count, sizeof *weights);
  if (!copy) return svf_no_memory(message, "the class weights");
  free(table->class_weight);
  table->class_weight = copy;
  return SVF_OK;
}

svf_status svf_table_set_dates(svf_table *table, size_t column, svf_message *message) {
  if (column >= table->d)
    return svf_fail(message, SVF_USAGE, "column number %zu was asked for; the table has 0 to %zu", column,
                    table->d - 1);
  svf_column *changed = &table->column[column];
  if (!svf_column_numeric(changed) || changed->recipe.kind != SVF_RECIPE_NONE)
    return svf_fail(message, SVF_USAGE, "column '%.80s' is no column of days, which is what dates must be",
                    changed->name);
  for (size_t i = 0; i < table->n; i++) {
    double days = svf_column_number(changed, i);
    if (days < SVF_DATE_FIRST || days >= SVF_DATE_END)
      return svf_fail(message, SVF_DATA, "row %zu, column '%.80s': a date outside of the years 1 to 9999", i + 1,
                      changed->name);
  }
  changed->date = true;
  return SVF_OK;
}

/* What a made feature is made of, and the feature itself, stay numbers. */
static svf_status check_not_used(const svf_table *table, size_t column, svf_message *message) {
  for (size_t j = 0; j < table->d; j++) {
    const svf_recipe *recipe = &table->column[j].recipe;
    bool used = j == column && recipe->kind != SVF_RECIPE_NONE;
    for (size_t p = 0; p < recipe->count; p++) used |= recipe->part[p].column == column;
    if (used)
      return svf_fail(message, SVF_USAGE, "column '%.80s' cannot become categories: feature '%.80s' is made of it",
                      table->column[column].name, table->column[j].name);
  }
  return SVF_OK;
}

svf_status svf_table_set_categories(svf_table *table, size_t column, const int32_t *codes, const char *const *names,
                                    size_t count, svf_message *message) {
  if (column >= table->d)
    return svf_fail(message, SVF_USAGE, "column number %zu was asked for; the table has 0 to %zu", column,
                    table->d - 1);
  SVF_TRY(check_not_used(table, column, message));
  SVF_TRY(check_codes(codes, table->n, -1, count, message));
  svf_names levels;
  SVF_TRY(svf_names_take(names, count, "category", &levels, message));
  int32_t *copy = copy_array(codes, table->n, sizeof *codes);
  if (!copy) {
    svf_names_free(&levels);
    return svf_no_memory(message, "a column of categories");
  }
  svf_column *changed = &table->column[column];
  free(changed->number);
  free(changed->code);
  svf_names_free(&changed->levels);
  *changed = (svf_column){.name = changed->name, .code = copy, .levels = levels};
  return SVF_OK;
}
