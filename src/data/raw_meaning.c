/* raw_meaning.c - what the text of a feature means: true and false, dates, or categories. */
#include "data/dates.h"
#include "data/number.h"
#include "data/raw.h"
#include "data/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOSTLY = 10 }; /* dates or numbers with at most one other cell in so many are probably meant as such */

static bool mostly(size_t cells, size_t others) { return cells && others <= (cells + others) / MOSTLY; }

/* The first row with a text that is no date; there is one. SIZE_MAX: no memory. */
static size_t find_other(const svf_column *column) {
  double *days = malloc(column->levels.count * sizeof *days);
  size_t row = 0;
  if (!days) return SIZE_MAX;
  svf_dates_of(column, 0, days);
  while (column->code[row] < 0 || !isinf(days[column->code[row]])) row++;
  free(days);
  return row;
}

static svf_status refuse_cell(const svf_raw *raw, size_t j, svf_message *message) {
  const svf_column *column = &raw->column[j];
  char what[160];
  size_t row = find_other(column);
  if (row == SIZE_MAX) return svf_no_memory(message, raw->path);
  snprintf(what, sizeof what, "'%.40s' is not a date; the model needs one, such as 2024-01-31 or 2024-01-31T12:30",
           column->levels.text[column->code[row]]);
  return svf_raw_refuse(raw, row, j, what, message);
}

/* The cell in a row is not what most others are. */
static svf_status remark_cell(const svf_raw *raw, size_t j, size_t row, const char *kind, size_t cells, size_t others,
                              svf_table *table, svf_message *message) {
  const svf_column *column = &raw->column[j];
  char what[240];
  svf_message remark;
  snprintf(
      what, sizeof what,
      "'%.40s' is not a %s. All but %zu of %zu cells are %ss, but the column is now taken as categories; correct the "
      "others or leave them blank",
      column->levels.text[column->code[row]], kind, others, cells + others, kind);
  svf_raw_refuse(raw, row, j, what, &remark);
  return svf_table_add_remark(table, remark.text) ? SVF_OK : svf_no_memory(message, raw->path);
}

static svf_status remark_dates(const svf_raw *raw, size_t j, const svf_dates *found, svf_table *table,
                               svf_message *message) {
  size_t row = find_other(&raw->column[j]);
  if (row == SIZE_MAX) return svf_no_memory(message, raw->path);
  return remark_cell(raw, j, row, "date", found->dates, found->others, table, message);
}

static bool is_number(const char *text) {
  double value;
  const char *end = svf_number_scan(text, &value);
  return end && !*end;
}

static svf_status remark_numbers(const svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  const svf_column *column = &raw->column[j];
  if (!column->levels.count) return SVF_OK;
  size_t numbers = 0, others = 0, first = 0;
  bool *number = malloc(column->levels.count * sizeof *number), any = false;
  if (!number) return svf_no_memory(message, raw->path);
  for (size_t l = 0; l < column->levels.count; l++) any |= number[l] = is_number(column->levels.text[l]);
  for (size_t i = 0; any && i < raw->n; i++) {
    if (column->code[i] < 0) continue;
    if (number[column->code[i]]) numbers++;
    else if (!others++) first = i;
  }
  free(number);
  bool few = others && mostly(numbers, others);
  return few ? remark_cell(raw, j, first, "number", numbers, others, table, message) : SVF_OK;
}

svf_status svf_raw_meaning(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  svf_column *column = &raw->column[j];
  svf_dates found;
  if (raw->role[j].text) return SVF_OK;
  if (!svf_truth_numbers(column, raw->n) || !svf_dates_numbers(column, raw->n, raw->role[j].date, &found))
    return svf_no_memory(message, raw->path);
  if (raw->role[j].date && column->code) return refuse_cell(raw, j, message);
  if (!column->code || raw->like) return SVF_OK;
  return mostly(found.dates, found.others) ? remark_dates(raw, j, &found, table, message)
                                           : remark_numbers(raw, j, table, message);
}
