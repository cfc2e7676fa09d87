/* raw_meaning.c - what the text of a feature means: true and false, dates, or categories. */
#include "data/dates.h"
#include "data/raw.h"
#include "data/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOSTLY = 10 }; /* dates with at most one other cell in so many are probably meant as dates */

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
  snprintf(what, sizeof what, "'%.40s' is no date; the model needs one, as 2024-01-31 or 2024-01-31T12:30",
           column->levels.text[column->code[row]]);
  return svf_raw_refuse(raw, row, j, what, message);
}

static svf_status remark_cell(const svf_raw *raw, size_t j, const svf_dates *found, svf_table *table,
                              svf_message *message) {
  const svf_column *column = &raw->column[j];
  char what[240];
  svf_message remark;
  size_t row = find_other(column);
  if (row == SIZE_MAX) return svf_no_memory(message, raw->path);
  snprintf(
      what, sizeof what,
      "'%.40s' is no date. All but %zu of %zu cells are dates, but the column is now taken as categories; correct "
      "the others or leave them blank",
      column->levels.text[column->code[row]], found->others, found->dates + found->others);
  svf_raw_refuse(raw, row, j, what, &remark);
  return svf_table_add_remark(table, remark.text) ? SVF_OK : svf_no_memory(message, raw->path);
}

svf_status svf_raw_meaning(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  svf_column *column = &raw->column[j];
  svf_dates found;
  if (raw->role[j].text) return SVF_OK;
  if (!svf_truth_numbers(column, raw->n) || !svf_dates_numbers(column, raw->n, raw->role[j].date, &found))
    return svf_no_memory(message, raw->path);
  if (raw->role[j].date && column->code) return refuse_cell(raw, j, message);
  bool mostly = column->code && found.dates && found.others <= (found.dates + found.others) / MOSTLY;
  return mostly && !raw->like ? remark_cell(raw, j, &found, table, message) : SVF_OK;
}
