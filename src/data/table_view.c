/* table_view.c - tables that borrow their numbers from the caller's matrix, or matrices. */
#include "data/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

double svf_column_number(const svf_column *column, size_t row) {
  if (column->number) return column->number[row];
  const svf_view *view = &column->view;
  ptrdiff_t at = (ptrdiff_t)row * view->stride;
  return view->float32 ? (double)((const float *)view->values)[at] : ((const double *)view->values)[at];
}

const double *svf_column_numbers(const svf_column *column, size_t first, size_t n, double *room) {
  if (column->number) return column->number + first;
  ptrdiff_t stride = column->view.stride, at = (ptrdiff_t)first * stride;
  const float *single = column->view.values;
  const double *full = column->view.values;
  if (column->view.float32)
    for (size_t i = 0; i < n; i++, at += stride) room[i] = (double)single[at];
  else
    for (size_t i = 0; i < n; i++, at += stride) room[i] = full[at];
  return room;
}

/* Is there an infinite number among those that lie `step` apart? NaN is none. */
static bool any_infinite(const svf_matrix *matrix, ptrdiff_t at, size_t count, ptrdiff_t step) {
  bool found = false;
  if (matrix->float32)
    for (size_t i = 0; i < count; i++, at += step) found |= fabsf(((const float *)matrix->values)[at]) > FLT_MAX;
  else
    for (size_t i = 0; i < count; i++, at += step) found |= fabs(((const double *)matrix->values)[at]) > DBL_MAX;
  return found;
}

/* Refuses the first infinite number of a column, if it has one. */
static svf_status refuse_first(const svf_column *column, size_t n, svf_message *message) {
  for (size_t i = 0; i < n; i++)
    if (isinf(svf_column_number(column, i))) return svf_refuse_infinite(column, i, message);
  return SVF_OK;
}

/* Walks along the shorter stride, then looks for the first of the infinite numbers if there are any. */
static svf_status check_finite(const svf_matrix *matrix, const svf_table *table, svf_message *message) {
  bool by_rows = llabs((long long)matrix->column_stride) <= llabs((long long)matrix->row_stride), found = false;
  size_t lines = by_rows ? matrix->rows : matrix->columns, length = by_rows ? matrix->columns : matrix->rows;
  ptrdiff_t far = by_rows ? matrix->row_stride : matrix->column_stride;
  ptrdiff_t near = by_rows ? matrix->column_stride : matrix->row_stride;
  for (size_t l = 0; l < lines && !found; l++) found = any_infinite(matrix, (ptrdiff_t)l * far, length, near);
  for (size_t j = 0; found && j < table->d; j++) SVF_TRY(refuse_first(&table->column[j], table->n, message));
  return SVF_OK;
}

static bool look_at(svf_column *column, size_t j, const char *name, svf_view view) {
  column->view = view;
  column->name = svf_column_named(name, j);
  return column->name;
}

static bool look_at_all(const svf_matrix *matrix, const char *const *names, svf_table *table) {
  size_t size = matrix->float32 ? sizeof(float) : sizeof(double);
  for (size_t j = 0; j < table->d; j++) {
    ptrdiff_t off = (ptrdiff_t)j * matrix->column_stride * (ptrdiff_t)size;
    svf_view view = {(const char *)matrix->values + off, matrix->row_stride, matrix->float32};
    if (!look_at(&table->column[j], j, names ? names[j] : NULL, view)) return false;
  }
  return true;
}

svf_status svf_table_borrow(const svf_matrix *matrix, const char *const *names, svf_table **table,
                            svf_message *message) {
  *table = NULL;
  SVF_TRY(svf_matrix_check(matrix, names, message));
  svf_table *made = svf_table_alloc(matrix->rows, matrix->columns);
  svf_status status = SVF_OK;
  if (!made || !look_at_all(matrix, names, made)) status = svf_no_memory(message, "the table");
  else made->named = names != NULL, status = check_finite(matrix, made, message);
  if (status) svf_table_free(made);
  else *table = made;
  return status;
}

static svf_status borrow_columns(const svf_matrix *column, const char *const *names, svf_table *table,
                                 svf_message *message) {
  table->named = names != NULL;
  for (size_t j = 0; j < table->d; j++) {
    svf_column *made = &table->column[j];
    svf_view view = {column[j].values, column[j].row_stride, column[j].float32};
    if (column[j].columns != 1 || column[j].rows != table->n)
      return svf_fail(message, SVF_USAGE, "column %zu is a matrix of %zu x %zu; it must be %zu x 1", j + 1,
                      column[j].rows, column[j].columns, table->n);
    if (!look_at(made, j, names ? names[j] : NULL, view)) return svf_no_memory(message, "the table");
    if (any_infinite(&column[j], 0, table->n, view.stride)) SVF_TRY(refuse_first(made, table->n, message));
  }
  return SVF_OK;
}

svf_status svf_table_borrow_columns(const svf_matrix *column, size_t count, const char *const *names,
                                    svf_table **table, svf_message *message) {
  *table = NULL;
  svf_matrix whole = {.rows = count ? column[0].rows : 0, .columns = count};
  SVF_TRY(svf_matrix_check(&whole, names, message));
  svf_table *made = svf_table_alloc(whole.rows, whole.columns);
  svf_status status = made ? borrow_columns(column, names, made, message) : svf_no_memory(message, "the table");
  if (status) svf_table_free(made);
  else *table = made;
  return status;
}
