/* target.c - a column becomes the target: classes or values.
 *
 * For a model, the model's task. Else as the options say, or else: text, or whole numbers of at most 50
 * distinct values, are classes; other numbers are values. Classes are sorted: numbers by value, text
 * bytewise. A class of numbers is named by its shortest text, so 1 and 1.0 are one class. A missing target is
 * refused unless the table is for a model: there it is -1 or NaN, as is -1 a label that the model does not
 * know. */
#include "data/raw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number_text.h"
#include "data/dates.h"
#include "data/number.h"
#include "data/truth.h"

enum { MOST_CLASSES = 10000, FEW_VALUES = 50, SMALL = 64 };

/* A whole number from 0 on as such, so that most labels need no search; anything else is SMALL. */
static size_t small_number(double value) {
  if (!(value >= 0 && value < SMALL)) return SMALL;
  size_t number = (size_t)value;
  return (double)number == value ? number : SMALL;
}

/* Where in the ascending list the value is, or belongs. */
static size_t place_of(double value, const double *list, size_t count) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The distinct numbers among n in ascending order, without NaN; stops when there are more than `most`. */
static size_t distinct(const double *value, size_t n, size_t most, double *list) {
  size_t count = 0;
  bool seen[SMALL + 1] = {false};
  for (size_t i = 0; i < n && count <= most; i++) {
    size_t small = small_number(value[i]);
    if (seen[small]) continue;
    seen[small] = small < SMALL;
    size_t at = place_of(value[i], list, count);
    if (isnan(value[i]) || (at < count && list[at] == value[i])) continue;
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = value[i];
    count++;
  }
  return count;
}

static bool few_integers(const double *value, size_t n) {
  double list[FEW_VALUES + 2];
  size_t count = distinct(value, n, FEW_VALUES, list);
  for (size_t i = 0; i < count; i++)
    if (list[i] != floor(list[i])) return false;
  return count <= FEW_VALUES;
}

static svf_status too_many(const svf_raw *raw, size_t j, svf_message *message) {
  return svf_fail(message, SVF_DATA, "%s: column '%.80s': more than %d classes; is the task regression?", raw->path,
                  raw->names.text[j], MOST_CLASSES);
}

static bool name_numbers(const double *list, size_t count, svf_names *names) {
  char text[SVF_NUMBER_TEXT];
  names->text = calloc(count ? count : 1, sizeof *names->text);
  for (size_t i = 0; names->text && i < count; i++) {
    svf_number_text(list[i], text);
    if (!(names->text[i] = strdup(text))) return false;
    names->count++;
  }
  return names->text;
}

/* The codes of numbers that are all in the list, or missing. */
static void place_all(svf_column *column, size_t n, const double *list, size_t count) {
  int32_t known[SMALL];
  for (size_t v = 0; v < SMALL; v++) known[v] = (int32_t)place_of((double)v, list, count);
  for (size_t i = 0; i < n; i++) {
    double value = column->number[i];
    size_t small = small_number(value);
    column->code[i] = small < SMALL ? known[small] : isnan(value) ? -1 : (int32_t)place_of(value, list, count);
  }
}

/* Turns a column of numbers into one of categories. */
static svf_status number_classes(svf_raw *raw, size_t j, svf_message *message) {
  svf_column *column = &raw->column[j];
  double *list = malloc((MOST_CLASSES + 2) * sizeof *list);
  column->code = malloc(raw->n * sizeof *column->code);
  svf_status status = list && column->code ? SVF_OK : svf_no_memory(message, raw->path);
  size_t count = status ? 0 : distinct(column->number, raw->n, MOST_CLASSES, list);
  if (count > MOST_CLASSES) status = too_many(raw, j, message);
  if (!status && !name_numbers(list, count, &column->levels)) status = svf_no_memory(message, raw->path);
  if (!status) place_all(column, raw->n, list, count);
  free(list);
  return status;
}

/* The model's class of a label: by its text, by its truth, or by the number that the text stands for. */
static int32_t known_class(const svf_names *classes, const char *label) {
  int32_t found = svf_names_find(classes, label, strlen(label));
  int truth = svf_truth_of(label);
  if (found < 0 && truth >= 0) return svf_truth_find(classes, truth);
  double value;
  const char *end = svf_number_scan(label, &value);
  if (found >= 0 || !end || *end) return found;
  char text[SVF_NUMBER_TEXT];
  return svf_names_find(classes, text, svf_number_text(value, text));
}

static svf_status match_classes(svf_raw *raw, size_t j, svf_message *message) {
  svf_column *column = &raw->column[j];
  size_t count = column->levels.count;
  int32_t *known = malloc((count + 1) * sizeof *known);
  svf_names classes;
  if (!known || !svf_names_copy(&raw->like->classes, &classes)) {
    free(known);
    return svf_no_memory(message, raw->path);
  }
  for (size_t c = 0; c < count; c++) known[c] = known_class(&classes, column->levels.text[c]);
  for (size_t i = 0; i < raw->n; i++)
    if (column->code[i] >= 0) column->code[i] = known[column->code[i]];
  free(known);
  svf_names_free(&column->levels);
  column->levels = classes;
  return SVF_OK;
}

static svf_status set_classes(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  svf_column *column = &raw->column[j];
  if (column->number) SVF_TRY(number_classes(raw, j, message));
  if (column->levels.count > MOST_CLASSES) return too_many(raw, j, message);
  if (raw->like) SVF_TRY(match_classes(raw, j, message));
  table->label = column->code;
  table->classes = column->levels;
  column->code = NULL;
  column->levels = (svf_names){0};
  return SVF_OK;
}

static svf_status set_values(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  svf_column *column = &raw->column[j];
  if (!column->number) return svf_raw_refuse_text(raw, j, "the target of a regression must be a number", message);
  table->value = column->number;
  column->number = NULL;
  return SVF_OK;
}

static svf_status refuse_missing(const svf_raw *raw, size_t j, svf_message *message) {
  const svf_column *column = &raw->column[j];
  for (size_t i = 0; i < raw->n; i++)
    if (column->number ? isnan(column->number[i]) : column->code[i] < 0)
      return svf_raw_refuse(raw, i, j, "the target is missing; fill it in or leave the row out", message);
  return SVF_OK;
}

/* Neither a class nor a number: what is to be learned of a date is for its owner to say. */
static svf_status refuse_dates(const svf_raw *raw, size_t j, svf_message *message) {
  const svf_column *column = &raw->column[j];
  if (!column->code || !svf_dates_only(&column->levels)) return SVF_OK;
  return svf_raw_refuse_text(raw, j,
                             "the target is a date; make it a number, such as days since a day, or a class, such as "
                             "the month's name, or name another column by --target",
                             message);
}

static svf_task task_of(const svf_raw *raw, const svf_column *column) {
  if (raw->like) return raw->like->task;
  if (raw->options.task != SVF_TASK_AUTO) return raw->options.task;
  return !column->number || few_integers(column->number, raw->n) ? SVF_TASK_CLASS : SVF_TASK_REGRESS;
}

svf_status svf_target_set(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  if (!raw->like) SVF_TRY(refuse_missing(raw, j, message));
  if (!raw->like) SVF_TRY(refuse_dates(raw, j, message));
  table->task = task_of(raw, &raw->column[j]);
  if (table->task == SVF_TASK_CLASS) SVF_TRY(set_classes(raw, j, table, message));
  else SVF_TRY(set_values(raw, j, table, message));
  table->target_name = raw->names.text[j];
  raw->names.text[j] = NULL;
  return SVF_OK;
}
