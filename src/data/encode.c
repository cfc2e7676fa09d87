/* encode.c - from a table to the matrix of encoded columns; see encode.h. */
#include "data/encode.h"
#include "base/pool.h"
#include "base/turn.h"
#include "data/dates.h"
#include "data/match.h"
#include "data/names.h"
#include "data/scale.h"
#include "data/statistics.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* rows encoded together: columns are read, rows are written, both from the cache */

void svf_frame_free(svf_frame *frame) {
  svf_arena_free(&frame->memory);
  *frame = (svf_frame){0};
}

static size_t stride_of(size_t d) { return (d + 3) & ~(size_t)3; }

/* Rows first..first+n-1 of a table on their way to x. */
typedef struct passage {
  size_t first, n, stride;
  float *x;
  svf_findings found;
} passage;

/* Numbers of one column: in one row after the other of `out`. */
static void scale_numbers(const svf_encoder *encoder, const svf_source *source, const svf_encoded *column, passage *p,
                          float out[BLOCK]) {
  double room[BLOCK];
  if (svf_column_numeric(source->column)) {
    svf_affine map = svf_scale_map(column);
    const double *number = svf_column_numbers(source->column, p->first, p->n, room);
    p->found.missing |= encoder->lanes->encode(p->n, number, &map, out);
    return;
  }
  for (size_t i = 0; i < p->n; i++) out[i] = NAN;
  p->found.missing = true;
}

/* How many features from j on are one number each, at most ABREAST, whose columns stand side by side. */
enum { ABREAST = 16, EARLY = 3 };
static size_t numbers_from(const svf_encoder *encoder, size_t j) {
  const svf_feature *feature = encoder->encoding->feature + j;
  size_t count = 0, most = encoder->encoding->features - j < ABREAST ? encoder->encoding->features - j : ABREAST;
  while (count < most && !encoder->source[j + count].code && !feature[count].date && !feature[count].left_out &&
         feature[count].first == feature->first + count)
    count++;
  return count;
}

/* Asks for the numbers of a block of a column that is not far from its turn: columns lie anywhere. */
static void ask_early(const svf_source *source, const passage *p) {
  enum { LINE = 8 }; /* numbers */
  if (!source->column->number) return;
  for (size_t i = 0; i < p->n; i += LINE) __builtin_prefetch(source->column->number + p->first + i);
}

/* Four rows, or those that are left, of some columns side by side. */
static void turn_rows(const float scaled[ABREAST][BLOCK], size_t i, size_t rows, size_t columns, float *x,
                      size_t stride) {
  size_t c = 0;
  for (; rows >= 4 && c + 4 <= columns; c += 4) {
    const float *from[] = {scaled[c] + i, scaled[c + 1] + i, scaled[c + 2] + i, scaled[c + 3] + i};
    svf_turn(from, x + c, stride);
  }
  for (; c < columns; c++)
    for (size_t r = 0; r < 4 && r < rows; r++) x[r * stride + c] = scaled[c][i + r];
}

/* Column by column into the nearest cache, from there row by row. */
static void encode_numbers(const svf_encoder *encoder, size_t j, size_t count, passage *p) {
  const svf_encoding *encoding = encoder->encoding;
  float scaled[ABREAST][BLOCK];
  float *x = p->x + encoding->feature[j].first;
  for (size_t c = 0; c < count; c++) {
    if (j + c + EARLY < encoding->features) ask_early(&encoder->source[j + c + EARLY], p);
    scale_numbers(encoder, &encoder->source[j + c], &encoding->column[encoding->feature[j + c].first], p, scaled[c]);
  }
  for (size_t i = 0; i < p->n; i += 4, x += 4 * p->stride) turn_rows(scaled, i, p->n - i, count, x, p->stride);
}

/* A made feature of a row of a table, source being those of all columns. */
static double make(const svf_recipe *recipe, const svf_source *source, size_t row) {
  double value = svf_recipe_begin(recipe);
  for (size_t p = 0; p < recipe->count; p++) {
    const svf_column *column = source[recipe->part[p].column].column;
    value = svf_recipe_step(recipe, p, value, svf_column_numeric(column) ? svf_column_number(column, row) : NAN);
  }
  return svf_recipe_end(recipe, value);
}

static void encode_made(const svf_source *source, const svf_feature *feature, const svf_encoded *column, passage *p) {
  for (size_t i = 0; i < p->n; i++) {
    double encoded = svf_scale_apply(column, make(&feature->recipe, source, p->first + i));
    if (isnan(encoded)) p->found.missing = true;
    p->x[i * p->stride + feature->first] = (float)encoded;
  }
}

/* The columns of one category; level < 0: missing, or unseen. */
static void encode_level(const svf_feature *feature, const svf_encoded *column, int32_t level, float *x) {
  if (column->level == SVF_ROLE_CODE) {
    *x = level < 0 ? NAN : (float)level;
    return;
  }
  if (feature->statistic) {
    memcpy(x, feature->statistic + (size_t)(level - SVF_LEVEL_UNSEEN) * feature->width, feature->width * sizeof *x);
    return;
  }
  for (uint32_t c = 0; c < feature->width - feature->indicator; c++)
    x[c] = level < 0 ? NAN : (float)svf_scale_apply(&column[c], level == column[c].level);
}

static void encode_levels(const svf_source *source, const svf_encoded *column, passage *p) {
  for (size_t i = 0; i < p->n; i++) {
    int32_t level = svf_source_level(source, p->first + i);
    if (level < 0 && !source->feature->statistic) p->found.missing = true;
    if (level == SVF_LEVEL_UNSEEN) p->found.unseen++;
    encode_level(source->feature, column, level, p->x + i * p->stride + source->feature->first);
  }
}

static void encode_dates(const svf_source *source, const svf_encoded *column, passage *p) {
  const svf_feature *feature = source->feature;
  for (size_t i = 0; i < p->n; i++) {
    double days = svf_column_numeric(source->column) ? svf_column_number(source->column, p->first + i) : NAN;
    if (isnan(days)) p->found.missing = true;
    svf_date_encode(column, feature->width - feature->indicator, days, p->x + i * p->stride + feature->first);
  }
}

/* The indicator of a feature in a row whose other columns are there: a category is missing in all of them at once. */
static void indicate(const svf_feature *feature, const svf_encoded *column, float *x) {
  x[feature->width - 1] = (float)svf_scale_apply(&column[feature->width - 1], isnan(x[0]));
}

static void encode_indicators(const svf_encoding *encoding, passage *p) {
  for (size_t j = 0; j < encoding->features; j++) {
    const svf_feature *feature = &encoding->feature[j];
    for (size_t i = 0; feature->indicator && i < p->n; i++)
      indicate(feature, &encoding->column[feature->first], p->x + i * p->stride + feature->first);
  }
}

static void encode_block(const svf_encoder *encoder, passage *p) {
  const svf_encoding *encoding = encoder->encoding;
  for (size_t j = 0, count; j < encoding->features; j += count) {
    const svf_encoded *column = &encoding->column[encoding->feature[j].first];
    count = numbers_from(encoder, j);
    if (count > 0) {
      encode_numbers(encoder, j, count, p);
      continue;
    }
    count = 1;
    if (encoding->feature[j].left_out)
      for (size_t i = 0; i < p->n; i++) p->x[i * p->stride + encoding->feature[j].first] = 0;
    else if (encoding->feature[j].date) encode_dates(&encoder->source[j], column, p);
    else encode_levels(&encoder->source[j], column, p);
  }
  encode_indicators(encoding, p);
  for (size_t j = encoding->features; j < svf_encoding_all(encoding); j++) {
    const svf_feature *feature = &encoding->feature[j];
    encode_made(encoder->source, feature, &encoding->column[feature->first], p);
  }
  for (size_t i = 0; i < p->n; i++)
    memset(p->x + i * p->stride + encoding->columns, 0, (p->stride - encoding->columns) * sizeof *p->x);
}

svf_findings svf_encoder_rows(const svf_encoder *encoder, size_t first, size_t n, float *x) {
  passage p = {.first = first, .stride = encoder->stride, .x = x};
  for (size_t end = first + n; p.first < end; p.first += p.n, p.x += p.n * p.stride) {
    p.n = end - p.first < BLOCK ? end - p.first : BLOCK;
    encode_block(encoder, &p);
  }
  return p.found;
}

/* A cell of one row; is it a category that the encoding does not know? */
static bool encode_cell(const svf_feature *feature, const svf_encoded *column, double cell, float *x) {
  size_t levels = feature->levels.count;
  if (feature->left_out) {
    *x = 0;
    return false;
  }
  bool known = cell >= 0 && cell < (double)levels && cell == floor(cell);
  if (feature->date) svf_date_encode(column, feature->width - feature->indicator, cell, x);
  else if (!levels) *x = (float)svf_scale_apply(column, cell);
  else encode_level(feature, column, known ? (int32_t)cell : isnan(cell) ? SVF_LEVEL_MISSING : SVF_LEVEL_UNSEEN, x);
  if (feature->indicator) indicate(feature, column, x);
  return levels && !known && !isnan(cell);
}

size_t svf_encode_row(const svf_encoding *encoding, const double *row, float *x) {
  size_t unseen = 0;
  for (size_t j = 0; j < encoding->features; j++) {
    const svf_feature *feature = &encoding->feature[j];
    unseen += encode_cell(feature, &encoding->column[feature->first], row[j], x + feature->first);
  }
  for (size_t j = encoding->features; j < svf_encoding_all(encoding); j++) {
    const svf_feature *feature = &encoding->feature[j];
    const svf_recipe *recipe = &feature->recipe;
    double value = svf_recipe_begin(recipe);
    for (size_t p = 0; p < recipe->count; p++) value = svf_recipe_step(recipe, p, value, row[recipe->part[p].column]);
    x[feature->first] = (float)svf_scale_apply(&encoding->column[feature->first], svf_recipe_end(recipe, value));
  }
  return unseen;
}

svf_status svf_encoder_open(const svf_encoding *encoding, const svf_table *table, svf_arena *arena,
                            svf_encoder *encoder, svf_message *message) {
  svf_source *source = SVF_TAKE(arena, svf_source, encoding->features);
  *encoder = (svf_encoder){encoding, source, svf_scale_lanes_choose(), stride_of(encoding->columns)};
  if (!source) return svf_no_memory(message, "the names of the columns");
  return svf_match_columns(encoding, table, arena, source, message);
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

bool svf_frame_columns(const svf_encoding *encoding, svf_arena *arena, svf_frame *frame) {
  frame->d = encoding->columns;
  frame->stride = stride_of(encoding->columns);
  frame->k = encoding->task == SVF_TASK_CLASS ? encoding->classes.count : 1;
  frame->class_weight = encoding->class_weight;
  float *fill = SVF_TAKE(arena, float, frame->d);
  uint32_t *origin = SVF_TAKE(arena, uint32_t, frame->d);
  uint32_t *levels = SVF_TAKE(arena, uint32_t, frame->d);
  int32_t *role = SVF_TAKE(arena, int32_t, frame->d);
  if (svf_arena_failed(arena)) return false;
  for (size_t c = 0; c < frame->d; c++) {
    fill[c] = (float)encoding->column[c].fill;
    origin[c] = encoding->column[c].feature;
    role[c] = encoding->column[c].level;
    levels[c] = role[c] == SVF_ROLE_CODE ? (uint32_t)encoding->feature[origin[c]].levels.count : 0;
  }
  frame->fill = fill;
  frame->origin = origin;
  frame->role = role;
  frame->levels = levels;
  return true;
}

/* The large matrix comes last: an arena grows by doubling. */
static bool take_frame(const svf_encoding *encoding, const svf_table *table, svf_frame *frame) {
  frame->value = encoding->task == SVF_TASK_REGRESS ? table->value : NULL;
  frame->weight = frame->judged = frame->measure = table->weight;
  if (!svf_frame_columns(encoding, &frame->memory, frame) || !match_labels(encoding, table, frame)) return false;
  frame->x = SVF_TAKE(&frame->memory, float, frame->n * frame->stride);
  return !svf_arena_failed(&frame->memory);
}

/* A table on its way into a frame, in parts of many blocks. */
typedef struct crossing {
  const svf_encoder *encoder;
  svf_frame *frame;
  svf_findings *found; /* of each part */
} crossing;
static size_t part_rows(const svf_frame *frame) {
  enum { WIDE = 1 << 12 }; /* columns: a part of more blocks would keep a wish to stop waiting */
  return frame->d < WIDE ? 4 * BLOCK : BLOCK;
}

static svf_status encode_part(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)worker, (void)message;
  const crossing *c = context;
  size_t part = part_rows(c->frame), first = index * part;
  size_t n = c->frame->n - first < part ? c->frame->n - first : part;
  c->found[index] = svf_encoder_rows(c->encoder, first, n, c->frame->x + first * c->frame->stride);
  return SVF_OK;
}

static svf_status encode_all(const svf_encoder *encoder, const svf_run *run, svf_arena *scratch, svf_frame *frame,
                             svf_message *message) {
  size_t parts = (frame->n + part_rows(frame) - 1) / part_rows(frame);
  crossing c = {encoder, frame, SVF_TAKE(scratch, svf_findings, parts)};
  if (!c.found) return svf_no_memory(message, "the encoded table");
  SVF_TRY(svf_pool_once(run, "encode", parts, encode_part, &c, message));
  for (size_t i = 0; i < parts; i++) {
    frame->missing |= c.found[i].missing;
    frame->unseen += c.found[i].unseen;
  }
  return SVF_OK;
}

/* coding: the table is the training table; NULL: any other. */
static svf_status encode(const svf_encoding *encoding, const svf_table *table, const svf_coding *coding,
                         const svf_run *run, svf_frame *frame, svf_message *message) {
  *frame = (svf_frame){0};
  svf_frame made = {.n = table->n, .d = encoding->columns, .stride = stride_of(encoding->columns)};
  SVF_TRY(svf_check_memory(message, (double)made.n * (double)made.stride * sizeof(float), run ? run->memory_limit : 0,
                           "the encoded table"));
  svf_arena scratch = {0};
  svf_encoder encoder;
  svf_status status = svf_encoder_open(encoding, table, &scratch, &encoder, message);
  if (!status && !take_frame(encoding, table, &made)) status = svf_no_memory(message, "the encoded table");
  if (!status) status = encode_all(&encoder, run, &scratch, &made, message);
  if (!status && coding) status = svf_statistics_encode(&encoder, table, coding, run, &made, message);
  svf_arena_free(&scratch);
  if (status) svf_frame_free(&made);
  else *frame = made;
  return status;
}

svf_status svf_encode(const svf_encoding *encoding, const svf_table *table, const svf_run *run, svf_frame *frame,
                      svf_message *message) {
  return encode(encoding, table, NULL, run, frame, message);
}

svf_status svf_encode_training(const svf_encoding *encoding, const svf_table *table, const svf_coding *coding,
                               const svf_run *run, svf_frame *frame, svf_message *message) {
  return encode(encoding, table, coding, run, frame, message);
}
