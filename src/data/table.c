/* table.c - a table's life, what can be asked of it, and the taking of rows. */
#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

svf_table *svf_table_alloc(size_t n, size_t d) {
  svf_table *table = calloc(1, sizeof *table);
  if (!table) return NULL;
  *table = (svf_table){.n = n, .d = d};
  table->column = calloc(d ? d : 1, sizeof *table->column);
  if (table->column) return table;
  free(table);
  return NULL;
}

void svf_table_free(svf_table *table) {
  if (!table) return;
  for (size_t j = 0; j < table->d; j++) {
    svf_column *column = &table->column[j];
    free(column->name);
    free(column->number);
    free(column->code);
    svf_names_free(&column->levels);
    svf_recipe_free(&column->recipe);
  }
  free(table->column);
  free(table->path);
  free(table->target_name);
  free(table->label);
  svf_names_free(&table->classes);
  free(table->class_weight);
  free(table->value);
  free(table->weight);
  svf_kept_free(table->kept, table->kept_count);
  svf_names_free(&table->ids);
  svf_names_free(&table->remarks);
  free(table);
}

void svf_table_strip(svf_table *table) {
  for (size_t j = 0; j < table->d; j++) {
    free(table->column[j].number);
    free(table->column[j].code);
    table->column[j].number = NULL;
    table->column[j].code = NULL;
  }
}

size_t svf_table_rows(const svf_table *table) { return table->n; }

size_t svf_table_columns(const svf_table *table) { return table->d; }

const char *svf_table_column_name(const svf_table *table, size_t column) {
  return column < table->d ? table->column[column].name : NULL;
}

const char *svf_table_target_name(const svf_table *table) { return table->target_name; }

svf_task svf_table_task(const svf_table *table) { return table->task; }

size_t svf_table_classes(const svf_table *table) { return table->classes.count; }

const char *svf_table_class_name(const svf_table *table, size_t index) {
  return index < table->classes.count ? table->classes.text[index] : NULL;
}

const int32_t *svf_table_labels(const svf_table *table) { return table->label; }

const double *svf_table_values(const svf_table *table) { return table->value; }

const double *svf_table_weights(const svf_table *table) { return table->weight; }

const double *svf_table_class_weights(const svf_table *table) { return table->class_weight; }

int svf_table_is_date(const svf_table *table, size_t column) {
  return column < table->d && table->column[column].date;
}

double svf_table_number(const svf_table *table, size_t row, size_t column) {
  if (row >= table->n || column >= table->d || !svf_column_numeric(&table->column[column])) return NAN;
  return svf_column_number(&table->column[column], row);
}

/* The pieces of a new table: each copies what is there and leaves alone what is not. */

typedef struct choice {
  const size_t *rows;
  size_t count;
} choice;

static bool copy_text(const char *text, char **copy) { return !text || (*copy = strdup(text)); }

static bool take_numbers(const double *from, choice chosen, double **to) {
  if (!from) return true;
  double *taken = *to = calloc(chosen.count, sizeof *taken);
  for (size_t i = 0; taken && i < chosen.count; i++) taken[i] = from[chosen.rows[i]];
  return taken;
}

/* What was borrowed becomes the new table's own. */
static bool take_column_numbers(const svf_column *from, choice chosen, svf_column *to) {
  if (!from->view.values) return take_numbers(from->number, chosen, &to->number);
  to->number = calloc(chosen.count, sizeof *to->number);
  for (size_t i = 0; to->number && i < chosen.count; i++) to->number[i] = svf_column_number(from, chosen.rows[i]);
  return to->number;
}

static bool take_codes(const int32_t *from, choice chosen, int32_t **to) {
  if (!from) return true;
  int32_t *taken = *to = calloc(chosen.count, sizeof *taken);
  for (size_t i = 0; taken && i < chosen.count; i++) taken[i] = from[chosen.rows[i]];
  return taken;
}

static bool copy_numbers(const double *from, size_t count, double **to) {
  if (!from) return true;
  if ((*to = calloc(count, sizeof **to))) memcpy(*to, from, count * sizeof **to);
  return *to;
}

static bool take_column(const svf_column *from, choice chosen, svf_column *to) {
  to->text_line = from->text_line;
  to->date = from->date;
  return copy_text(from->name, &to->name) && take_column_numbers(from, chosen, to) &&
         take_codes(from->code, chosen, &to->code) && svf_names_copy(&from->levels, &to->levels) &&
         svf_recipe_copy(&from->recipe, &to->recipe);
}

static bool take_all(const svf_table *from, choice chosen, svf_table *to) {
  to->named = from->named;
  to->task = from->task;
  for (size_t j = 0; j < from->d; j++)
    if (!take_column(&from->column[j], chosen, &to->column[j])) return false;
  return svf_names_copy(&from->ids, &to->ids) && copy_text(from->path, &to->path) &&
         copy_text(from->target_name, &to->target_name) && take_codes(from->label, chosen, &to->label) &&
         svf_names_copy(&from->classes, &to->classes) &&
         copy_numbers(from->class_weight, from->classes.count, &to->class_weight) &&
         take_numbers(from->value, chosen, &to->value) && take_numbers(from->weight, chosen, &to->weight);
}

svf_status svf_table_take(const svf_table *table, const size_t *rows, size_t count, svf_table **taken,
                          svf_message *message) {
  *taken = NULL;
  if (!count) return svf_fail(message, SVF_USAGE, "a table needs at least one row");
  for (size_t i = 0; i < count; i++)
    if (rows[i] >= table->n)
      return svf_fail(message, SVF_USAGE, "row number %zu was asked for; the table has rows 0 to %zu", rows[i],
                      table->n - 1);
  svf_table *made = svf_table_alloc(count, table->d);
  if (!made || !take_all(table, (choice){rows, count}, made)) {
    svf_table_free(made);
    return svf_no_memory(message, "rows of the table");
  }
  *taken = made;
  return SVF_OK;
}
