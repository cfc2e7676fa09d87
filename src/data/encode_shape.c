/* encode_shape.c - how many encoded columns each feature of a training table gets; see encode.h. */
#include "data/encode.h"
#include "base/pool.h"
#include "data/dates.h"
#include "data/statistics.h"

#include <math.h>
#include <stdlib.h>

const char *svf_role_name(int32_t role, bool classes) {
  static const char *const dates[] = {"days", "month", "weekday", "hour"};
  if (role <= SVF_ROLE_STATISTIC) return classes ? "share" : "mean";
  if (role <= SVF_ROLE_DAYS && role >= SVF_ROLE_HOUR) return dates[SVF_ROLE_DAYS - role];
  return role == SVF_ROLE_FREQUENCY ? "frequency" : role == SVF_ROLE_MISSING ? "missing" : NULL;
}

/* Two levels need one column, the other level being its 0; one level or none is a constant column. Statistics are followed by one
 * column for the frequency. */
static size_t values_of(const svf_feature *feature, const svf_column *column, size_t n, const svf_coding *coding,
                        size_t statistics) {
  int32_t role[SVF_DATE_ROLES];
  if (column->date) return svf_date_roles(column, n, role);
  if (feature->left_out) return 1;
  if (svf_has_statistics(column, coding)) return statistics + 1;
  return column->code && column->levels.count > 2 && !coding->codes ? column->levels.count : 1;
}

size_t svf_column_missing(const svf_column *column, size_t n) {
  enum { BLOCK = 256 };
  size_t missing = 0;
  double room[BLOCK];
  for (size_t i = 0; column->code && i < n; i++) missing += column->code[i] < 0;
  for (size_t i = 0; svf_column_numeric(column) && i < n; i += BLOCK) {
    size_t some = n - i < BLOCK ? n - i : BLOCK;
    const double *number = svf_column_numbers(column, i, some, room);
    for (size_t r = 0; r < some; r++) missing += isnan(number[r]);
  }
  return missing;
}

/* How many levels of a category any row has; SIZE_MAX: memory ran out. */
static size_t levels_present(const svf_column *column, size_t n) {
  bool *there = calloc(column->levels.count, sizeof *there);
  size_t count = 0;
  if (!there) return SIZE_MAX;
  for (size_t i = 0; i < n; i++) {
    int32_t code = column->code[i];
    if (code < 0 || there[code]) continue;
    there[code] = true;
    count++;
  }
  free(there);
  return count;
}

/* Leaves out text that has a level for nearly every row, as names and ids have. */
static svf_status leave_names_out(const svf_table *table, const svf_coding *coding, svf_encoding *encoding,
                                  svf_message *message) {
  enum { FEWEST = 20 }; /* levels: few rows do not tell names from categories */
  for (size_t j = 0; j < table->d && coding->names > 0 && coding->names < 1; j++) {
    const svf_column *column = &table->column[j];
    if (!column->code || column->levels.count < FEWEST) continue;
    double most = coding->names * (double)(table->n - svf_column_missing(column, table->n));
    if ((double)column->levels.count <= most) continue;
    size_t present = levels_present(column, table->n);
    if (present == SIZE_MAX) return svf_no_memory(message, "the encoding");
    encoding->feature[j].left_out = present >= FEWEST && (double)present > most;
  }
  return SVF_OK;
}

typedef struct shaping {
  const svf_table *table;
  const svf_coding *coding;
  svf_feature *feature;
  size_t statistics; /* of a category that has them */
} shaping;

/* A column that is missing everywhere has nothing to indicate; a column of codes leaves missing values to the cut, and statistics
 * have a level for them. */
static svf_status shape_feature(void *context, size_t j, svf_worker *worker, svf_message *message) {
  (void)worker, (void)message;
  const shaping *s = context;
  const svf_column *column = &s->table->column[j];
  size_t n = s->table->n, values = values_of(&s->feature[j], column, n, s->coding, s->statistics);
  bool wanted = s->coding->indicator > 0 && column->recipe.kind == SVF_RECIPE_NONE && !s->feature[j].left_out &&
                !svf_has_statistics(column, s->coding);
  size_t missing = wanted ? svf_column_missing(column, n) : 0;
  s->feature[j].indicator = missing > 0 && missing < n && (double)missing >= s->coding->indicator * (double)n;
  s->feature[j].width = (uint32_t)(values + s->feature[j].indicator);
  return SVF_OK;
}

svf_status svf_encoding_shape(const svf_table *table, const svf_coding *coding, const svf_run *run,
                              svf_encoding *encoding, svf_message *message) {
  size_t categories = 0;
  SVF_TRY(leave_names_out(table, coding, encoding, message));
  for (size_t j = 0; j < table->d; j++)
    categories += !encoding->feature[j].left_out && svf_has_statistics(&table->column[j], coding);
  shaping s = {table, coding, encoding->feature, svf_statistics_count(table, categories)};
  svf_run here = {.threads = 1};
  SVF_TRY(svf_pool_once(coding->indicator > 0 && !svf_few_numbers(table) ? run : &here, "encode", table->d,
                        shape_feature, &s, message));
  for (size_t j = 0; j < table->d; j++) {
    encoding->feature[j].first = (uint32_t)encoding->columns;
    encoding->statistics |= !encoding->feature[j].left_out && svf_has_statistics(&table->column[j], coding);
    encoding->columns += encoding->feature[j].width;
    if (encoding->columns > INT32_MAX)
      return svf_fail(message, SVF_DATA, "the categories would make more than %d columns", INT32_MAX);
  }
  return SVF_OK;
}
