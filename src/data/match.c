/* match.c - see match.h. */
#include "data/match.h"
#include "base/number_text.h"
#include "data/dates.h"
#include "data/names.h"
#include "data/truth.h"

#include <math.h>

static const char *place(const svf_table *table) { return table->path ? table->path : "the table"; }

int32_t *svf_match_names(const svf_names *known, const svf_names *names, int32_t unknown, svf_arena *arena) {
  svf_name_index index;
  int32_t *at = SVF_TAKE(arena, int32_t, names->count);
  if (!at || !svf_name_index_make(known->text, known->count, &index)) return NULL;
  for (size_t i = 0; i < names->count; i++) {
    at[i] = svf_name_index_find(&index, names->text[i]);
    if (at[i] < 0) at[i] = unknown;
  }
  svf_name_index_free(&index);
  return at;
}

/* The category of a number: by its text or, of 0 and 1, by its truth. */
static int32_t level_of(double number, const svf_name_index *index, const int32_t truth[2]) {
  char text[SVF_NUMBER_TEXT];
  if (isnan(number)) return SVF_LEVEL_MISSING;
  svf_number_text(number, text);
  int32_t found = svf_name_index_find(index, text);
  if (found < 0 && (number == 0 || number == 1)) found = truth[number == 1];
  return found < 0 ? SVF_LEVEL_UNSEEN : found;
}

/* Numbers of the caller's memory where the model knows categories: 2 and 2.0 are the category "2", and 1 is "True" if
 * there is no "1". */
static bool number_levels(size_t n, svf_arena *arena, svf_source *source) {
  const svf_names *levels = &source->feature->levels;
  svf_name_index index;
  int32_t *code = SVF_TAKE(arena, int32_t, n), *level = SVF_TAKE(arena, int32_t, levels->count);
  if (!code || !level || !svf_name_index_make(levels->text, levels->count, &index)) return false;
  const int32_t truth[] = {svf_truth_find(levels, 0), svf_truth_find(levels, 1)};
  for (size_t i = 0; i < n; i++) code[i] = level_of(svf_column_number(source->column, i), &index, truth);
  svf_name_index_free(&index);
  for (size_t l = 0; l < levels->count; l++) level[l] = (int32_t)l;
  source->code = code;
  source->level = level;
  return true;
}

static svf_status refuse(const svf_table *table, const svf_column *column, const char *what, svf_message *message) {
  if (column->text_line)
    return svf_fail(message, SVF_DATA, "%s:%zu: column '%s': %s", place(table), column->text_line, column->name,
                    what);
  return svf_fail(message, SVF_DATA, "%s: column '%s': %s", place(table), column->name, what);
}

/* Text as days; refuses a cell that is no date. */
static svf_status text_dates(const svf_table *table, svf_arena *arena, svf_source *source, svf_message *message) {
  const svf_column *column = source->column;
  double *level = SVF_TAKE(arena, double, column->levels.count), *days = SVF_TAKE(arena, double, table->n);
  svf_column *made = SVF_ZERO(arena, svf_column, 1);
  if (svf_arena_failed(arena)) return svf_no_memory(message, "dates");
  svf_dates_of(column, 0, level);
  for (size_t i = 0; i < table->n; i++) {
    int32_t code = column->code[i];
    days[i] = code < 0 ? NAN : level[code];
    if (isinf(days[i]))
      return svf_fail(message, SVF_DATA,
                      "%s: row %zu, column '%s': '%.80s' is not a date; the model needs one, such as 2024-01-31 or "
                      "2024-01-31T12:30",
                      place(table), i + 1, column->name, column->levels.text[code]);
  }
  *made = (svf_column){.name = column->name, .number = days, .date = true};
  source->column = made;
  return SVF_OK;
}

static svf_status match_dates(const svf_table *table, svf_arena *arena, svf_source *source, svf_message *message) {
  const svf_column *column = source->column;
  if (column->code) return text_dates(table, arena, source, message);
  for (size_t i = 0; !column->date && svf_column_numeric(column) && i < table->n; i++)
    if (!isnan(svf_column_number(column, i)))
      return refuse(table, column, "the model needs dates such as 2024-01-31, and these are numbers", message);
  return SVF_OK;
}

static svf_status match_column(const svf_table *table, svf_arena *arena, svf_source *source, svf_message *message) {
  const svf_column *column = source->column;
  const svf_names *levels = &source->feature->levels;
  if (source->feature->left_out) return SVF_OK;
  if (source->feature->date) return match_dates(table, arena, source, message);
  if (column->date)
    return refuse(table, column,
                  levels->count ? "the model needs the categories that it was trained on, and these are dates"
                                : "the model needs numbers, and these are dates",
                  message);
  if (!levels->count && !column->levels.count) return SVF_OK;
  if (!levels->count) return refuse(table, column, "the model needs numbers", message);
  if (svf_column_numeric(column))
    return number_levels(table->n, arena, source) ? SVF_OK : svf_no_memory(message, "categories");
  source->code = column->code;
  source->level = svf_match_names(levels, &column->levels, SVF_LEVEL_UNSEEN, arena);
  return source->level ? SVF_OK : svf_no_memory(message, "categories");
}

/* The position in the table of each feature by name; NULL if memory ran out. */
static int32_t *find_features(const svf_encoding *encoding, const svf_table *table, svf_arena *arena) {
  size_t columns = svf_table_inputs(table);
  svf_names known = {SVF_TAKE(arena, char *, columns), columns};
  svf_names wanted = {SVF_TAKE(arena, char *, encoding->features), encoding->features};
  if (svf_arena_failed(arena)) return NULL;
  for (size_t j = 0; j < columns; j++) known.text[j] = table->column[j].name;
  for (size_t j = 0; j < encoding->features; j++) wanted.text[j] = (char *)encoding->feature[j].name;
  return svf_match_names(&known, &wanted, -1, arena);
}

svf_status svf_match_columns(const svf_encoding *encoding, const svf_table *table, svf_arena *arena,
                             svf_source *source, svf_message *message) {
  bool by_name = encoding->named && table->named;
  size_t columns = svf_table_inputs(table);
  if (!by_name && columns != encoding->features)
    return svf_fail(message, SVF_DATA, "%s has %zu columns; the model needs %zu", place(table), columns,
                    encoding->features);
  int32_t *at = by_name ? find_features(encoding, table, arena) : NULL;
  if (by_name && !at) return svf_no_memory(message, "the names of the columns");
  for (size_t j = 0; j < encoding->features; j++) {
    static const svf_column absent = {0};
    bool there = !at || at[j] >= 0;
    if (!there && !encoding->feature[j].left_out)
      return svf_fail(message, SVF_DATA, "%s: column '%s' that the model needs is missing", place(table),
                      encoding->feature[j].name);
    const svf_column *column = there ? &table->column[at ? (size_t)at[j] : j] : &absent;
    source[j] = (svf_source){&encoding->feature[j], column, NULL, NULL};
    SVF_TRY(match_column(table, arena, &source[j], message));
  }
  return SVF_OK;
}
