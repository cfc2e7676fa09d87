/* encode.c - from a table to the matrix of encoded columns; see encode.h. */
#include "data/encode.h"
#include "data/match.h"
#include "data/names.h"
#include "data/scale.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* rows encoded together: columns are read, rows are written, both from the cache */

void svf_frame_free(svf_frame *frame) {
  svf_arena_free(&frame->memory);
  *frame = (svf_frame){0};
}

static size_t stride_of(size_t d) {
  size_t step = d >= 16 ? 16 : 4;
  return (d + step - 1) / step * step;
}

typedef struct rows {
  size_t from, to;
} rows;

static void encode_numbers(const svf_source *source, const svf_encoded *column, rows block, svf_frame *frame) {
  const double *number = source->column->number;
  float *x = frame->x + source->feature->first;
  for (size_t i = block.from; i < block.to; i++) {
    double encoded = number ? svf_scale_apply(column, number[i]) : NAN;
    if (isnan(encoded)) frame->missing = true;
    x[i * frame->stride] = (float)encoded;
  }
}

static double make(const svf_recipe *recipe, const svf_source *source, size_t row) {
  double value = svf_recipe_begin(recipe);
  for (size_t p = 0; p < recipe->count; p++) {
    const double *number = source[recipe->part[p].column].column->number;
    value = svf_recipe_step(recipe, p, value, number ? number[row] : NAN);
  }
  return svf_recipe_end(recipe, value);
}

/* source: of all features; feature: a made one. */
static void encode_made(const svf_source *source, const svf_feature *feature, const svf_encoded *column, rows block,
                        svf_frame *frame) {
  for (size_t i = block.from; i < block.to; i++) {
    double encoded = svf_scale_apply(column, make(&feature->recipe, source, i));
    if (isnan(encoded)) frame->missing = true;
    frame->x[i * frame->stride + feature->first] = (float)encoded;
  }
}

static void encode_levels(const svf_source *source, const svf_encoded *column, rows block, svf_frame *frame) {
  const svf_feature *feature = source->feature;
  for (size_t i = block.from; i < block.to; i++) {
    float *x = frame->x + i * frame->stride + feature->first;
    int32_t level = svf_source_level(source, i);
    if (level < 0) frame->missing = true;
    if (level == SVF_LEVEL_UNSEEN) frame->unseen++;
    for (uint32_t c = 0; c < feature->width; c++)
      x[c] = level < 0 ? NAN : (float)svf_scale_apply(&column[c], level == column[c].level);
  }
}

static void encode_rows(const svf_encoding *encoding, const svf_source *source, svf_frame *frame) {
  for (size_t from = 0; from < frame->n; from += BLOCK) {
    rows block = {from, frame->n - from < BLOCK ? frame->n : from + BLOCK};
    for (size_t j = 0; j < encoding->features; j++) {
      const svf_encoded *column = &encoding->column[encoding->feature[j].first];
      if (source[j].code) encode_levels(&source[j], column, block, frame);
      else encode_numbers(&source[j], column, block, frame);
    }
    for (size_t j = encoding->features; j < svf_encoding_all(encoding); j++) {
      const svf_feature *feature = &encoding->feature[j];
      encode_made(source, feature, &encoding->column[feature->first], block, frame);
    }
    for (size_t i = block.from; i < block.to; i++)
      memset(frame->x + i * frame->stride + frame->d, 0, (frame->stride - frame->d) * sizeof *frame->x);
  }
}

/* The labels in the encoding's codes: the table's own where the classes are the same, else translated. */
static bool match_labels(const svf_encoding *encoding, const svf_table *table, svf_frame *frame) {
  if (encoding->task != SVF_TASK_CLASS || !table->label) return true;
  frame->label = table->label;
  if (svf_names_equal(&encoding->classes, &table->classes)) return true;
  int32_t *label = SVF_TAKE(&frame->memory, int32_t, table->n);
  int32_t *code = svf_match_names(&encoding->classes, &table->classes, -1, &frame->memory);
  if (!label || !code) return false;
  for (size_t i = 0; i < table->n; i++) label[i] = table->label[i] < 0 ? -1 : code[table->label[i]];
  frame->label = label;
  return true;
}

/* The large matrix comes last: an arena grows by doubling. */
static bool take_frame(const svf_encoding *encoding, const svf_table *table, svf_frame *frame) {
  frame->k = encoding->task == SVF_TASK_CLASS ? encoding->classes.count : 1;
  frame->value = encoding->task == SVF_TASK_REGRESS ? table->value : NULL;
  frame->weight = frame->measure = table->weight;
  frame->class_weight = encoding->class_weight;
  float *fill = SVF_TAKE(&frame->memory, float, frame->d);
  uint32_t *origin = SVF_TAKE(&frame->memory, uint32_t, frame->d);
  if (!match_labels(encoding, table, frame)) return false;
  frame->x = SVF_TAKE(&frame->memory, float, frame->n * frame->stride);
  if (svf_arena_failed(&frame->memory)) return false;
  for (size_t c = 0; c < frame->d; c++) {
    fill[c] = (float)encoding->column[c].fill;
    origin[c] = encoding->column[c].feature;
  }
  frame->fill = fill;
  frame->origin = origin;
  return true;
}

svf_status svf_encode(const svf_encoding *encoding, const svf_table *table, size_t memory_limit, svf_frame *frame,
                      svf_message *message) {
  *frame = (svf_frame){0};
  svf_frame made = {.n = table->n, .d = encoding->columns, .stride = stride_of(encoding->columns)};
  SVF_TRY(svf_check_memory(message, (double)made.n * (double)made.stride * sizeof(float), memory_limit,
                           "the encoded table"));
  svf_arena scratch = {0};
  svf_source *source = SVF_TAKE(&scratch, svf_source, encoding->features);
  svf_status status = source ? svf_match_columns(encoding, table, &scratch, source, message)
                             : svf_no_memory(message, "the names of the columns");
  if (!status && !take_frame(encoding, table, &made)) status = svf_no_memory(message, "the encoded table");
  if (!status) encode_rows(encoding, source, &made);
  svf_arena_free(&scratch);
  if (status) svf_frame_free(&made);
  else *frame = made;
  return status;
}
