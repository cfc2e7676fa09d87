/* fuzz_table.h - what the fuzz targets of the readers share: parse, look at all that came out, free. */
#ifndef SVF_FUZZ_TABLE_H
#define SVF_FUZZ_TABLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/date.h"
#include "data/foreign.h"
#include "data/read.h"
#include "fuzz_input.h"

typedef svf_status (*fuzz_parser)(const svf_bytes *, const svf_read *, svf_table **, svf_message *);

static inline void fuzz_look(const svf_table *table) {
  for (size_t j = 0; j < table->d; j++) {
    const svf_column *column = &table->column[j];
    fuzz_demand(column->name && !column->number != !column->code);
    for (size_t i = 0; i < table->n; i++) {
      if (column->number) fuzz_demand(!isinf(column->number[i]));
      else fuzz_demand(column->code[i] >= -1 && column->code[i] < (int32_t)column->levels.count);
      double days = column->date ? column->number[i] : NAN;
      fuzz_demand(isnan(days) || (days >= SVF_DATE_FIRST && days < SVF_DATE_END));
    }
    for (size_t i = 1; i < column->levels.count; i++)
      fuzz_demand(strcmp(column->levels.text[i - 1], column->levels.text[i]) < 0);
  }
  for (size_t i = 0; table->label && i < table->n; i++)
    fuzz_demand(table->label[i] >= -1 && table->label[i] < (int32_t)table->classes.count);
  for (size_t k = 0; k < table->kept_count; k++)
    for (size_t i = 0; i < table->n; i++) fuzz_demand(strlen(svf_table_kept_text(table, i, k)) < SIZE_MAX);
}

static inline void fuzz_once(fuzz_parser parse, const svf_bytes *bytes, svf_read_options options,
                             const svf_encoding *like) {
  svf_read read = {.path = "fuzz", .options = &options, .like = like};
  svf_message message = {.text = ""};
  svf_table *table;
  svf_status status = parse(bytes, &read, &table, &message);
  fuzz_demand((status == SVF_OK) == (table != NULL) && (status == SVF_OK) == (message.text[0] == 0));
  if (table) fuzz_look(table);
  svf_table_free(table);
}

/* Is it another format? Either way the parsers take what there is. */
static inline void fuzz_foreign(const svf_bytes *bytes) {
  svf_message message = {.text = ""};
  svf_status status = svf_foreign_refuse("fuzz", bytes->data, bytes->size, &message);
  if (!status) status = svf_foreign_refuse_json("fuzz", bytes->data, bytes->size, &message);
  fuzz_demand((status == SVF_OK) == (message.text[0] == 0));
}

/* As it is; with a target, weights, a forced task and columns kept; for a model with a number and categories,
 * and for one with dates. */
static inline int fuzz_table(fuzz_parser parse, const uint8_t *data, size_t size) {
  static char level[] = "x", yes[] = "1", no[] = "no", target[] = "y";
  char *levels[] = {yes, level}, *classes[] = {yes, no};
  svf_feature features[] = {{.name = "a"}, {.name = "b", .levels = {levels, 2}}};
  svf_encoding like = {.features = 2,
                       .feature = features,
                       .named = true,
                       .task = SVF_TASK_CLASS,
                       .target_name = target,
                       .classes = {classes, 2}},
               later = like;
  svf_feature dates[] = {{.name = "a", .date = true}, {.name = "b", .date = true}};
  later.feature = dates;
  char *copy = malloc(size + 1); /* of just this size, so that a step too far is seen */
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = 0;
  svf_bytes bytes = {copy, size};
  svf_read_options options = {.memory_limit = 1 << 22, .threads = 1};
  fuzz_foreign(&bytes);
  fuzz_once(parse, &bytes, options, NULL);
  fuzz_once(parse, &bytes, options, &like);
  fuzz_once(parse, &bytes, options, &later);
  options.target = "1";
  options.weight = "2";
  options.task = SVF_TASK_CLASS;
  options.keep = (const char *const[]){"2", "b", "2"};
  options.keep_count = 3;
  fuzz_once(parse, &bytes, options, NULL);
  free(copy);
  return 0;
}

#endif
