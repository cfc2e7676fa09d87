/* write.c - a table as CSV text that svf_table_read reads back to the same table. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/number_text.h"
#include "data/date.h"
#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Quotes what a reader could take for something else: separators, line ends, blanks at an end, nothing. */
static bool needs_quotes(const char *text) {
  size_t length = strlen(text);
  return length == 0 || text[strcspn(text, ",;\t\"\r\n")] || text[0] == ' ' || text[length - 1] == ' ';
}

static void put_text(svf_buffer *out, const char *text) {
  if (!needs_quotes(text)) {
    svf_buffer_add(out, text, strlen(text));
    return;
  }
  svf_buffer_add(out, "\"", 1);
  for (const char *c = text; *c; c++) svf_buffer_add(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  svf_buffer_add(out, "\"", 1);
}

/* A missing value is NA: an empty cell would make an empty line where it is the only one. */
static void put_number(svf_buffer *out, double number) {
  char text[SVF_NUMBER_TEXT] = "NA";
  svf_buffer_add(out, text, isnan(number) ? 2 : svf_number_text(number, text));
}

static void put_date(svf_buffer *out, double days) {
  char text[SVF_DATE_TEXT] = "NA";
  svf_buffer_add(out, text, isnan(days) ? 2 : svf_date_text(days, text));
}

static void put_name(svf_buffer *out, const svf_names *names, int32_t code) {
  put_text(out, code < 0 ? "NA" : names->text[code]);
}

static void put_header(svf_buffer *out, const svf_table *table) {
  for (size_t j = 0; j < table->d; j++) {
    if (j) svf_buffer_add(out, ",", 1);
    put_text(out, table->column[j].name);
  }
  if (table->task != SVF_TASK_AUTO) {
    if (table->d) svf_buffer_add(out, ",", 1);
    put_text(out, table->target_name);
  }
  svf_buffer_add(out, "\n", 1);
}

static void put_row(svf_buffer *out, const svf_table *table, size_t i) {
  for (size_t j = 0; j < table->d; j++) {
    const svf_column *column = &table->column[j];
    if (j) svf_buffer_add(out, ",", 1);
    if (column->date) put_date(out, svf_column_number(column, i));
    else if (svf_column_numeric(column)) put_number(out, svf_column_number(column, i));
    else put_name(out, &column->levels, column->code[i]);
  }
  if (table->d && table->task != SVF_TASK_AUTO) svf_buffer_add(out, ",", 1);
  if (table->label) put_name(out, &table->classes, table->label[i]);
  if (table->value) put_number(out, table->value[i]);
  svf_buffer_add(out, "\n", 1);
}

svf_status svf_table_write(const svf_table *table, const char *path, svf_message *message) {
  svf_buffer out = {0};
  put_header(&out, table);
  for (size_t i = 0; i < table->n && !out.failed; i++) put_row(&out, table, i);
  svf_status status =
      out.failed ? svf_no_memory(message, "the table's text") : svf_file_write(path, out.data, out.size, message);
  svf_buffer_free(&out);
  return status;
}
