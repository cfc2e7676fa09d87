/* table_join.c - tables of the same columns, one after the other: the chunks of a large one. */
#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/dict.h"
#include "data/names.h"
#include "data/number.h"
#include "svforest_parts.h"

typedef struct joining {
  const svf_table *const *table;
  size_t count;
  svf_table *to;
} joining;

static const char *name_of(const svf_table *table) { return table->path ? table->path : "a table"; }

static bool blank(const svf_column *column, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (column->code ? column->code[i] >= 0 : !isnan(svf_column_number(column, i))) return false;
  return true;
}

/* ---- are they alike? ---- */

static svf_status check_kind(const svf_table *a, const svf_table *b, size_t j, svf_message *message) {
  const svf_column *x = &a->column[j], *y = &b->column[j];
  if (!x->code != !y->code || x->date != y->date)
    return svf_fail(message, SVF_DATA, "column '%.80s' is %s in %.200s and %s in %.200s", x->name,
                    x->code   ? "a category"
                    : x->date ? "a date"
                              : "a number",
                    name_of(a),
                    y->code   ? "a category"
                    : y->date ? "a date"
                              : "a number",
                    name_of(b));
  return SVF_OK;
}

/* A blank column is what it is in the others. */
static svf_status check_column(const svf_table *const *tables, size_t count, size_t j, svf_message *message) {
  const svf_table *known = NULL, *first = tables[0];
  for (size_t t = 0; t < count; t++) {
    if (strcmp(first->column[j].name, tables[t]->column[j].name))
      return svf_fail(message, SVF_DATA, "column %zu is '%.80s' in %.200s and '%.80s' in %.200s", j + 1,
                      first->column[j].name, name_of(first), tables[t]->column[j].name, name_of(tables[t]));
    if (blank(&tables[t]->column[j], tables[t]->n)) continue;
    if (known) SVF_TRY(check_kind(known, tables[t], j, message));
    else known = tables[t];
  }
  return SVF_OK;
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : !a && !b; }

static svf_status check_table(const svf_table *a, const svf_table *b, svf_message *message) {
  if (a->d != b->d || svf_table_inputs(a) != svf_table_inputs(b) || a->named != b->named)
    return svf_fail(message, SVF_DATA, "%.200s has other columns than %.200s", name_of(b), name_of(a));
  if (a->task != b->task || !same_text(a->target_name, b->target_name))
    return svf_fail(message, SVF_DATA,
                    "the target is %s in %.200s and %s in %.200s: say which it is (--task class, --task regress)",
                    a->task == SVF_TASK_CLASS ? "a class" : "a number", name_of(a),
                    b->task == SVF_TASK_CLASS ? "a class" : "a number", name_of(b));
  if (!a->weight != !b->weight)
    return svf_fail(message, SVF_DATA, "%.200s has weights and %.200s has none", name_of(a->weight ? a : b),
                    name_of(a->weight ? b : a));
  return SVF_OK;
}

/* ---- codes ---- */

/* Adds the codes of a list of names to those of all tables: code[i] becomes the number of its text in the dictionary. */
static bool add_codes(svf_dict *dict, const svf_names *names, const int32_t *from, size_t n, int32_t *to) {
  int32_t *code = malloc((names->count + 1) * sizeof *code);
  bool fine = code != NULL;
  for (size_t l = 0; l < names->count && fine; l++) {
    code[l] = svf_dict_code(dict, names->text[l], strlen(names->text[l]));
    fine = code[l] >= 0;
  }
  for (size_t i = 0; i < n && fine; i++) to[i] = from[i] < 0 ? -1 : code[from[i]];
  free(code);
  return fine;
}

static bool number_of(const char *text, double *number) {
  const char *end = svf_number_scan(text, number);
  return end && !*end;
}

typedef struct ranked {
  double number;
  int32_t code;
} ranked;

static int by_number(const void *left, const void *right) {
  const ranked *a = left, *b = right;
  return (a->number > b->number) - (a->number < b->number);
}

/* Classes that are all numbers are in the order of these. */
static bool rank_numbers(svf_names *names, int32_t *label, size_t n) {
  ranked *rank = malloc((names->count + 1) * sizeof *rank);
  char **text = calloc(names->count + 1, sizeof *text);
  int32_t *code = malloc((names->count + 1) * sizeof *code);
  bool fine = rank && text && code, numbers = fine;
  for (size_t c = 0; c < names->count && numbers; c++) {
    rank[c].code = (int32_t)c;
    numbers = number_of(names->text[c], &rank[c].number);
  }
  if (numbers) {
    qsort(rank, names->count, sizeof *rank, by_number);
    for (size_t c = 0; c < names->count; c++) {
      text[c] = names->text[rank[c].code];
      code[rank[c].code] = (int32_t)c;
    }
    memcpy(names->text, text, names->count * sizeof *text);
    for (size_t i = 0; i < n; i++) label[i] = label[i] < 0 ? -1 : code[label[i]];
  }
  free(rank);
  free(text);
  free(code);
  return fine;
}

/* ---- columns and target ---- */

static bool join_codes(const joining *j, size_t column, svf_column *to) {
  svf_dict dict = {0};
  bool fine = (to->code = malloc((j->to->n + 1) * sizeof *to->code)) != NULL;
  int32_t *at = to->code;
  for (size_t t = 0; t < j->count && fine; at += j->table[t++]->n) {
    const svf_column *from = &j->table[t]->column[column];
    if (from->code) fine = add_codes(&dict, &from->levels, from->code, j->table[t]->n, at);
    else
      for (size_t i = 0; i < j->table[t]->n; i++) at[i] = -1;
  }
  fine = fine && svf_dict_sort(&dict, &to->levels, to->code, j->to->n);
  svf_dict_free(&dict);
  return fine;
}

static bool join_numbers(const joining *j, size_t column, svf_column *to) {
  double *at = to->number = malloc((j->to->n + 1) * sizeof *at);
  if (!at) return false;
  for (size_t t = 0; t < j->count; t++) {
    const svf_column *from = &j->table[t]->column[column];
    for (size_t i = 0; i < j->table[t]->n; i++) *at++ = from->code ? NAN : svf_column_number(from, i);
  }
  return true;
}

static bool join_column(const joining *j, size_t column) {
  const svf_column *first = &j->table[0]->column[column];
  svf_column *to = &j->to->column[column];
  bool codes = first->code != NULL, date = first->date, decided = false;
  for (size_t t = 0; t < j->count && !decided; t++) {
    const svf_column *from = &j->table[t]->column[column];
    if (blank(from, j->table[t]->n)) continue;
    codes = from->code != NULL, date = from->date, decided = true;
  }
  to->date = date;
  return (to->name = strdup(first->name)) && svf_recipe_copy(&first->recipe, &to->recipe) &&
         (codes ? join_codes(j, column, to) : join_numbers(j, column, to));
}

/* Have all tables the same classes in the same order? */
static bool alike(const joining *j) {
  const svf_names *first = &j->table[0]->classes;
  for (size_t t = 1; t < j->count; t++) {
    const svf_names *names = &j->table[t]->classes;
    if (names->count != first->count) return false;
    for (size_t c = 0; c < first->count; c++)
      if (strcmp(names->text[c], first->text[c])) return false;
  }
  return true;
}

/* Classes that the caller has ordered stay in this order. */
static bool join_classes(const joining *j) {
  svf_dict dict = {0};
  svf_table *to = j->to;
  bool fine = (to->label = malloc((to->n + 1) * sizeof *to->label)) != NULL;
  int32_t *at = to->label;
  if (fine && alike(j)) {
    for (size_t t = 0; t < j->count; at += j->table[t++]->n)
      memcpy(at, j->table[t]->label, j->table[t]->n * sizeof *at);
    return svf_names_copy(&j->table[0]->classes, &to->classes);
  }
  for (size_t t = 0; t < j->count && fine; at += j->table[t++]->n)
    fine = add_codes(&dict, &j->table[t]->classes, j->table[t]->label, j->table[t]->n, at);
  fine = fine && svf_dict_sort(&dict, &to->classes, to->label, to->n) && rank_numbers(&to->classes, to->label, to->n);
  svf_dict_free(&dict);
  return fine;
}

/* A weight of a class is that of the first table that knows the class. */
static bool join_class_weights(const joining *j) {
  svf_table *to = j->to;
  if (!j->table[0]->class_weight) return true;
  if (!(to->class_weight = malloc((to->classes.count + 1) * sizeof *to->class_weight))) return false;
  for (size_t c = 0; c < to->classes.count; c++) {
    const char *text = to->classes.text[c];
    to->class_weight[c] = 1;
    for (size_t t = j->count; t-- > 0;) {
      int32_t found = svf_names_find(&j->table[t]->classes, text, strlen(text));
      if (found >= 0 && j->table[t]->class_weight) to->class_weight[c] = j->table[t]->class_weight[found];
    }
  }
  return true;
}

static bool join_target(const joining *j) {
  const svf_table *first = j->table[0];
  svf_table *to = j->to;
  to->task = first->task;
  to->named = first->named;
  if (first->path && !(to->path = strdup(first->path))) return false;
  if (first->target_name && !(to->target_name = strdup(first->target_name))) return false;
  if (first->weight && !(to->weight = malloc((to->n + 1) * sizeof *to->weight))) return false;
  if (first->value && !(to->value = malloc((to->n + 1) * sizeof *to->value))) return false;
  for (size_t t = 0, at = 0; t < j->count; at += j->table[t++]->n) {
    size_t bytes = j->table[t]->n * sizeof(double);
    if (to->weight) memcpy(to->weight + at, j->table[t]->weight, bytes);
    if (to->value) memcpy(to->value + at, j->table[t]->value, bytes);
  }
  return (!first->label || (join_classes(j) && join_class_weights(j))) && svf_names_copy(&first->ids, &to->ids);
}

svf_status svf_table_join(const svf_table *const *tables, size_t count, svf_table **joined, svf_message *message) {
  *joined = NULL;
  size_t n = 0;
  if (!count) return svf_fail(message, SVF_USAGE, "there are no tables to join");
  for (size_t t = 0; t < count; t++) {
    if (t) SVF_TRY(check_table(tables[0], tables[t], message));
    n += tables[t]->n;
  }
  for (size_t j = 0; j < tables[0]->d; j++) SVF_TRY(check_column(tables, count, j, message));
  joining j = {tables, count, svf_table_alloc(n, tables[0]->d)};
  bool fine = j.to && join_target(&j);
  for (size_t c = 0; c < tables[0]->d && fine; c++) fine = join_column(&j, c);
  if (fine) *joined = j.to;
  else svf_table_free(j.to);
  return fine ? SVF_OK : svf_no_memory(message, "the joined table");
}
