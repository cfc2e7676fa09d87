/* encode_learn.c - the recipe of an encoding, learned from a training table; see encode.h. */
#include "data/encode.h"
#include "base/pool.h"
#include "data/dates.h"
#include "data/scale.h"
#include "data/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void svf_encoding_free(svf_encoding *encoding) {
  for (size_t j = 0; encoding->feature && j < svf_encoding_all(encoding); j++) {
    free((char *)encoding->feature[j].name);
    svf_recipe_free(&encoding->feature[j].recipe);
    svf_names_free(&encoding->feature[j].levels);
    free(encoding->feature[j].statistic);
  }
  free(encoding->feature);
  free(encoding->column);
  free(encoding->target_name);
  svf_names_free(&encoding->classes);
  free(encoding->class_weight);
  svf_names_free(&encoding->ids);
  *encoding = (svf_encoding){0};
}

static bool copy_feature(const svf_column *column, svf_feature *feature) {
  feature->date = column->date;
  feature->name = strdup(column->name);
  return feature->name && (feature->left_out || svf_names_copy(&column->levels, &feature->levels)) &&
         svf_recipe_copy(&column->recipe, &feature->recipe);
}

static bool copy_weights(const svf_table *table, svf_encoding *encoding) {
  size_t bytes = table->classes.count * sizeof *encoding->class_weight;
  if (!table->class_weight) return true;
  if ((encoding->class_weight = malloc(bytes))) memcpy(encoding->class_weight, table->class_weight, bytes);
  return encoding->class_weight;
}

static bool copy_names(const svf_table *table, svf_encoding *encoding) {
  encoding->column = calloc(encoding->columns ? encoding->columns : 1, sizeof *encoding->column);
  encoding->target_name = table->target_name ? strdup(table->target_name) : NULL;
  if (!encoding->column || (table->target_name && !encoding->target_name)) return false;
  for (size_t j = 0; j < table->d; j++)
    if (!copy_feature(&table->column[j], &encoding->feature[j])) return false;
  return svf_names_copy(&table->ids, &encoding->ids) && svf_names_copy(&table->classes, &encoding->classes) &&
         copy_weights(table, encoding);
}

typedef struct learning {
  const svf_table *table;
  const svf_coding *coding;
  svf_encoding *encoding;
  svf_finding *finding; /* of each column */
  svf_targets targets;  /* where there are statistics */
} learning;

static svf_status learn_date(const learning *l, size_t j, svf_arena *scratch, svf_encoded *encoded,
                             svf_message *message) {
  size_t n = l->table->n;
  const svf_column *column = &l->table->column[j];
  double *part = SVF_TAKE(scratch, double, n), *room = SVF_TAKE(scratch, double, n);
  int32_t role[SVF_DATE_ROLES];
  uint32_t width = svf_date_roles(column, n, role);
  if (svf_arena_failed(scratch)) return svf_no_memory(message, "the encoding");
  for (uint32_t c = 0; c < width; c++) {
    for (size_t i = 0; i < n; i++) part[i] = svf_date_part(role[c], svf_column_number(column, i));
    svf_spread spread = svf_spread_of(part, n, l->coding->scale, room);
    encoded[c].level = role[c];
    svf_scale_learn(&spread, l->coding->scale, &encoded[c]);
  }
  return SVF_OK;
}

static svf_status learn_number(const learning *l, size_t j, svf_arena *scratch, svf_encoded *encoded,
                               svf_message *message) {
  const svf_table *table = l->table;
  const svf_column *column = &table->column[j];
  svf_spread spread = {0};
  const double *values = NULL;
  double *copy = SVF_TAKE(scratch, double, table->n), *room = SVF_TAKE(scratch, double, table->n);
  if (svf_arena_failed(scratch)) return svf_no_memory(message, "the encoding");
  if (svf_column_numeric(column)) values = svf_column_numbers(column, 0, table->n, copy);
  if (values) spread = svf_spread_of(values, table->n, l->coding->scale, room);
  if (l->coding->scale == SVF_SCALE_NONE && fmax(fabs(spread.low), fabs(spread.high)) > SVF_UNSCALED_LIMIT)
    return svf_fail(message, SVF_DATA, "%s%scolumn '%s': values beyond 1e15 need scale=unit",
                    table->path ? table->path : "", table->path ? ": " : "", column->name);
  svf_scale_learn(&spread, l->coding->scale, encoded);
  if (values) l->finding[j] = svf_scale_finding(&spread, encoded, values, table->n);
  return SVF_OK;
}

static svf_status learn_levels(const learning *l, size_t j, svf_arena *scratch, svf_encoded *encoded,
                               svf_message *message) {
  const svf_column *column = &l->table->column[j];
  const svf_feature *feature = &l->encoding->feature[j];
  if (l->coding->codes && column->levels.count > 2) {
    encoded->level = SVF_ROLE_CODE;
    return SVF_OK;
  }
  size_t present = 0, width = feature->width - feature->indicator,
         *tally = SVF_ZERO(scratch, size_t, column->levels.count);
  if (!tally) return svf_no_memory(message, "the encoding");
  for (size_t i = 0; i < l->table->n; i++)
    if (column->code[i] >= 0) tally[column->code[i]]++, present++;
  for (size_t c = 0; c < width; c++) {
    size_t level = column->levels.count == 2 ? 1 : c;
    encoded[c].level = (int32_t)level;
    svf_spread spread = svf_spread_of_binary(present - tally[level], tally[level]);
    svf_scale_learn(&spread, l->coding->scale, &encoded[c]);
  }
  return SVF_OK;
}

static void learn_indicator(const learning *l, size_t j, svf_encoded *encoded) {
  size_t n = l->table->n, missing = svf_column_missing(&l->table->column[j], n);
  svf_spread spread = svf_spread_of_binary(n - missing, missing);
  encoded->level = SVF_ROLE_MISSING;
  svf_scale_learn(&spread, l->coding->scale, encoded);
}

static svf_status learn_column(void *context, size_t j, svf_worker *worker, svf_message *message) {
  const learning *l = context;
  const svf_feature *feature = &l->encoding->feature[j];
  svf_encoded *first = &l->encoding->column[feature->first];
  svf_mark mark = svf_arena_mark(&worker->arena);
  for (uint32_t c = 0; c < feature->width; c++) first[c] = (svf_encoded){.feature = (uint32_t)j, .level = -1};
  if (feature->left_out) {
    first->level = SVF_ROLE_LEFT_OUT;
    l->finding[j] = SVF_FOUND_NAMES;
    return SVF_OK;
  }
  bool statistics = svf_has_statistics(&l->table->column[j], l->coding);
  svf_status status = statistics ? svf_statistics_learn(&l->targets, l->table, j, l->coding->scale, &worker->arena,
                                                        l->encoding, message)
                      : feature->date         ? learn_date(l, j, &worker->arena, first, message)
                      : feature->levels.count ? learn_levels(l, j, &worker->arena, first, message)
                                              : learn_number(l, j, &worker->arena, first, message);
  if (feature->indicator) learn_indicator(l, j, &first[feature->width - 1]);
  svf_arena_release(&worker->arena, mark);
  return status;
}

static svf_status learn_columns(const svf_table *table, const svf_coding *coding, const svf_run *run,
                                svf_encoding *encoding, svf_message *message) {
  learning l = {table, coding, encoding, calloc(table->d + 1, sizeof *l.finding), {0}};
  svf_arena arena = {0};
  svf_run here = {.threads = 1};
  if (!l.finding) return svf_no_memory(message, "the encoding");
  bool fine = !encoding->statistics || svf_targets_open(&l.targets, table, table->label, coding, &arena);
  svf_status status = fine ? SVF_OK : svf_no_memory(message, "the encoding");
  if (fine)
    status = svf_pool_once(svf_few_numbers(table) ? &here : run, "encode", table->d, learn_column, &l, message);
  if (status == SVF_OK && run && run->remark) svf_remark_findings(table, l.finding, run);
  free(l.finding);
  svf_arena_free(&arena);
  return status;
}

svf_status svf_encoding_learn(const svf_table *table, const svf_coding *coding, const svf_run *run,
                              svf_encoding *encoding, svf_message *message) {
  *encoding = (svf_encoding){0};
  if (table->task == SVF_TASK_AUTO) return svf_fail(message, SVF_USAGE, "the table has no target");
  svf_encoding made = {.features = svf_table_inputs(table), .named = table->named, .task = table->task};
  made.made = table->d - made.features;
  made.feature = calloc(table->d ? table->d : 1, sizeof *made.feature);
  if (!made.feature) return svf_no_memory(message, "the encoding");
  svf_status status = svf_encoding_shape(table, coding, run, &made, message);
  if (!status && !copy_names(table, &made)) status = svf_no_memory(message, "the encoding");
  if (!status) status = learn_columns(table, coding, run, &made, message);
  if (status) svf_encoding_free(&made);
  else *encoding = made;
  return status;
}
