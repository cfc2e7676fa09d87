/* table_feature.c - a table gets a column that is made of its others. */
#include "data/table.h"

#include <stdlib.h>
#include <string.h>

size_t svf_table_inputs(const svf_table *table) {
  size_t count = 0;
  while (count < table->d && table->column[count].recipe.kind == SVF_RECIPE_NONE) count++;
  return count;
}

static svf_status check_parts(const svf_table *table, const char *name, const svf_recipe *recipe,
                              svf_message *message) {
  for (size_t j = 0; j < table->d; j++)
    if (strcmp(table->column[j].name, name) == 0)
      return svf_fail(message, SVF_USAGE, "feature '%.80s': there is a column of that name; use another", name);
  if (table->target_name && strcmp(table->target_name, name) == 0)
    return svf_fail(message, SVF_USAGE, "feature '%.80s': the target has that name; use another", name);
  for (size_t i = 0; i < recipe->count; i++) {
    const svf_column *column = &table->column[recipe->part[i].column];
    if (column->code)
      return svf_fail(message, SVF_DATA, "feature '%.80s': column '%.80s' holds categories; it must hold numbers",
                      name, column->name);
  }
  return SVF_OK;
}

static void fill(const svf_table *table, svf_column *made) {
  const svf_recipe *recipe = &made->recipe;
  for (size_t i = 0; i < table->n; i++) {
    double value = svf_recipe_begin(recipe);
    for (size_t p = 0; p < recipe->count; p++) {
      const svf_column *column = &table->column[recipe->part[p].column];
      value = svf_recipe_step(recipe, p, value, svf_column_numeric(column) ? svf_column_number(column, i) : NAN);
    }
    made->number[i] = svf_recipe_end(recipe, value);
  }
}

/* Takes over what the column holds if it succeeds. */
static svf_status append(svf_table *table, svf_column *made, svf_message *message) {
  SVF_TRY(check_parts(table, made->name, &made->recipe, message));
  made->number = calloc(table->n, sizeof *made->number);
  if (!made->number) return svf_no_memory(message, "a feature");
  svf_column *grown = realloc(table->column, (table->d + 1) * sizeof *grown);
  if (!grown) return svf_no_memory(message, "a feature");
  table->column = grown;
  fill(table, made);
  grown[table->d++] = *made;
  return SVF_OK;
}

svf_status svf_table_add_feature(svf_table *table, const char *text, svf_message *message) {
  size_t inputs = svf_table_inputs(table);
  const char **names = calloc(inputs ? inputs : 1, sizeof *names);
  if (!names) return svf_no_memory(message, "a feature");
  for (size_t j = 0; j < inputs; j++) names[j] = table->column[j].name;
  svf_column made = {0};
  svf_status status = svf_recipe_parse(text, names, inputs, &made.name, &made.recipe, message);
  free(names);
  if (status) return status;
  status = append(table, &made, message);
  if (status == SVF_OK) return status;
  free(made.name);
  free(made.number);
  svf_recipe_free(&made.recipe);
  return status;
}
