/* raw.c - from a parser's columns to a table; see raw.h. */
#include "data/raw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void svf_raw_begin(svf_raw *raw, const svf_read *read) {
  *raw = (svf_raw){.path = read->path, .like = read->like};
  if (read->options) raw->options = *read->options;
  if (read->span) raw->first = read->span->first;
}

svf_status svf_raw_fits(const svf_raw *raw, size_t width, svf_message *message) {
  char what[512];
  snprintf(what, sizeof what, "%.400s: a table of %zu rows and %zu columns", raw->path, raw->n, width);
  /* A column costs its numbers, and its name and what the allocator adds to both. */
  double column = 8.0 * (double)raw->n + (double)sizeof(svf_column) + (double)sizeof(svf_role) + 64;
  return svf_check_memory(message, column * (double)width, raw->options.memory_limit, what);
}

svf_status svf_raw_widen(svf_raw *raw, size_t width, svf_message *message) {
  if (width >= INT32_MAX) return svf_fail(message, SVF_DATA, "%s: %zu columns are too many", raw->path, width);
  raw->names.text = calloc(width, sizeof *raw->names.text);
  raw->column = calloc(width, sizeof *raw->column);
  raw->role = calloc(width, sizeof *raw->role);
  if (!raw->names.text || !raw->column || !raw->role) return svf_no_memory(message, raw->path);
  raw->width = width;
  return SVF_OK;
}

bool svf_raw_name(svf_raw *raw, const char *text, size_t length) {
  char number[24];
  if (!text || length == 0) {
    length = (size_t)snprintf(number, sizeof number, "x%zu", raw->names.count + 1);
    text = number;
  }
  char *name = strndup(text, length);
  if (name) raw->names.text[raw->names.count++] = name;
  return name;
}

void svf_raw_free(svf_raw *raw) {
  for (size_t j = 0; j < raw->width; j++) {
    free(raw->column[j].number);
    free(raw->column[j].code);
    svf_names_free(&raw->column[j].levels);
  }
  free(raw->column);
  free(raw->role);
  svf_kept_free(raw->kept, raw->kept_count);
  svf_names_free(&raw->names);
}

svf_status svf_raw_refuse(const svf_raw *raw, size_t row, size_t column, const char *what, svf_message *message) {
  const char *name = raw->names.text[column];
  if (!raw->line)
    return svf_fail(message, SVF_DATA, "%s: row %zu, column '%.80s': %s", raw->path, raw->first + row + 1, name,
                    what);
  size_t line = raw->line(raw->source, row);
  return svf_fail(message, SVF_DATA, "%s:%zu: column '%.80s': %s", raw->path, line, name, what);
}

svf_status svf_raw_refuse_text(const svf_raw *raw, size_t column, const char *what, svf_message *message) {
  return svf_fail(message, SVF_DATA, "%s:%zu: column '%.80s': %s", raw->path, raw->column[column].text_line,
                  raw->names.text[column], what);
}

static svf_status set_weights(svf_raw *raw, size_t j, svf_table *table, svf_message *message) {
  svf_column *column = &raw->column[j];
  if (!column->number) return svf_raw_refuse_text(raw, j, "a row weight must be a number", message);
  double sum = 0;
  for (size_t i = 0; i < raw->n; i++) {
    double weight = column->number[i];
    if (isnan(weight)) return svf_raw_refuse(raw, i, j, "a row weight is missing", message);
    if (weight < 0) return svf_raw_refuse(raw, i, j, "a row weight must not be negative", message);
    sum += weight;
  }
  if (!svf_weights_sum(sum))
    return svf_fail(message, SVF_DATA, "%s: column '%.80s': the row weights are %s", raw->path, raw->names.text[j],
                    sum > 0 ? "too large to be summed: divide them by a number" : "all 0");
  table->weight = column->number;
  column->number = NULL;
  return SVF_OK;
}

/* A move: the raw columns keep nothing of it. */
static void take_feature(svf_raw *raw, size_t j, svf_column *feature) {
  *feature = raw->column[j];
  raw->column[j] = (svf_column){0};
  feature->name = raw->names.text[j];
  raw->names.text[j] = NULL;
}

/* The names of the ids, in the order of the file. */
static bool take_ids(svf_raw *raw, svf_names *ids) {
  ids->text = calloc(raw->width, sizeof *ids->text);
  for (size_t j = 0; ids->text && j < raw->width; j++) {
    if (raw->role[j].part != SVF_PART_ID) continue;
    ids->text[ids->count++] = raw->names.text[j];
    raw->names.text[j] = NULL;
  }
  return ids->text;
}

static svf_status fill_table(svf_raw *raw, svf_table *table, svf_message *message) {
  table->named = raw->named;
  table->path = strdup(raw->path);
  if (!table->path || !take_ids(raw, &table->ids)) return svf_no_memory(message, raw->path);
  for (size_t j = 0, feature = 0; j < raw->width; j++) {
    svf_part part = raw->role[j].part;
    if (part == SVF_PART_FEATURE) SVF_TRY(svf_raw_meaning(raw, j, table, message));
    if (part == SVF_PART_FEATURE) take_feature(raw, j, &table->column[feature++]);
    if (part == SVF_PART_TARGET) SVF_TRY(svf_target_set(raw, j, table, message));
    if (part == SVF_PART_WEIGHT) SVF_TRY(set_weights(raw, j, table, message));
  }
  table->kept = raw->kept, table->kept_count = raw->kept_count;
  raw->kept = NULL, raw->kept_count = 0;
  return SVF_OK;
}

svf_status svf_raw_table(svf_raw *raw, svf_table **table, svf_message *message) {
  size_t features = 0;
  SVF_TRY(svf_raw_keep_numbers(raw, message));
  for (size_t j = 0; j < raw->width; j++) features += raw->role[j].part == SVF_PART_FEATURE;
  svf_table *made = svf_table_alloc(raw->n, features);
  if (!made) return svf_no_memory(message, raw->path);
  svf_status status = fill_table(raw, made, message);
  if (status) svf_table_free(made);
  else *table = made;
  return status;
}
