/* train_table.h - the fuzzer's bytes as a small table to learn from: numbers of any size, categories, dates, missing values,
 * constants, repeated rows, weights; classes or numbers as the target. */
#ifndef SVF_FUZZ_TRAIN_TABLE_H
#define SVF_FUZZ_TRAIN_TABLE_H

#include <float.h>
#include <math.h>
#include "fuzz_input.h"
#include "svforest_inspect.h"

enum { ROWS = 60, COLUMNS = 6, LEVELS = 5, CLASSES = 4 };

typedef struct sample {
  size_t n, d;
  size_t levels[COLUMNS];   /* categories of a column; 0: numbers */
  double x[ROWS * COLUMNS]; /* row by row as svf_predictor_row takes them: numbers and codes, NaN missing */
  size_t classes;           /* 0: the target is a number */
  int32_t label[ROWS];
  double value[ROWS];
  double weight[ROWS];
  svf_table *table;
  bool weighted, class_weighted, made; /* has weights, class weights, a feature made of the first column */
} sample;

static const char *const names[] = {"a", "b", "c", "d", "e"};

/* How the numbers of a column come about: offset + scale * shape(byte). */
typedef enum shape { BYTES, FEW, BINARY, SAME, LAST_DIGIT, OUTLIER, ANY, SHAPES } shape;
typedef struct series {
  shape shape;
  double scale, offset;
} series;

static inline series take_series(fuzz_input *in) {
  static const double scales[] = {1,    1,     1,     1e-3,   1e6,   1e15,  1e16,
                                  1e38, 1e-38, 1e-45, 1e-300, 1e300, 1e305, DBL_TRUE_MIN};
  static const double offsets[] = {0, 0, 0, 0, 0, 1, -1, 1e6, 1e15, -1e300};
  series s = {.shape = (shape)fuzz_choice(in, SHAPES)};
  s.scale = scales[fuzz_choice(in, sizeof scales / sizeof *scales)];
  s.offset = offsets[fuzz_choice(in, sizeof offsets / sizeof *offsets)];
  return s;
}

/* NaN: the number would be infinite. */
static inline double number_of(fuzz_input *in, const series *s, unsigned byte) {
  double x = 1;
  switch (s->shape) {
  case BYTES:
    x = (double)byte - 128;
    break;
  case FEW:
    x = byte % 4;
    break;
  case BINARY:
    x = byte % 2;
    break;
  case LAST_DIGIT:
    x = 1 + byte % 3 * DBL_EPSILON;
    break;
  case OUTLIER:
    x = byte == 255 ? 1e6 : byte / 255.;
    break;
  case ANY:
    x = fuzz_double(in);
    break;
  default:
    break;
  }
  if (s->shape != ANY) x = s->offset + s->scale * x;
  return isfinite(x) ? x : NAN;
}

/* One column; the bytes of its cells go to `byte`. */
static inline void take_column(fuzz_input *in, sample *s, size_t j, unsigned char *byte) {
  static const unsigned missing[] = {0, 0, 0, 0, 20, 128, 250, 256}; /* bytes in 256 */
  bool category = fuzz_rarely(in, 4);
  series numbers = take_series(in);
  unsigned few = missing[fuzz_choice(in, sizeof missing / sizeof *missing)];
  s->levels[j] = category ? 1 + fuzz_choice(in, LEVELS) : 0;
  for (size_t i = 0; i < s->n; i++) {
    double *x = &s->x[i * s->d + j];
    byte[i] = (unsigned char)fuzz_byte(in);
    *x = category ? (double)(byte[i] % s->levels[j]) : number_of(in, &numbers, byte[i]);
    if (few && fuzz_byte(in) < few) *x = NAN;
  }
}

/* The target follows the bytes of the first column in seven rows of eight, or has bytes of its own. */
static inline void take_target(fuzz_input *in, sample *s, const unsigned char *byte) {
  bool follows = fuzz_rarely(in, 2);
  series numbers = take_series(in);
  s->classes = fuzz_choice(in, CLASSES + 2);
  if (s->classes > CLASSES) s->classes = 0;
  for (size_t i = 0; i < s->n; i++) {
    unsigned other = fuzz_byte(in), from = follows && other % 8 ? byte[i] : other;
    if (s->classes) s->label[i] = (int32_t)(from * s->classes / 256);
    else s->value[i] = number_of(in, &numbers, from);
    if (isnan(s->value[i])) s->value[i] = 0;
  }
}

static inline void take_weights(fuzz_input *in, sample *s) {
  static const double odd[] = {0, 1, 1e-300, 1e300, DBL_TRUE_MIN, 1e-9};
  size_t how = fuzz_choice(in, 6);
  s->weighted = how > 3;
  for (size_t i = 0; s->weighted && i < s->n; i++) {
    unsigned byte = fuzz_byte(in);
    s->weight[i] = how == 4 ? byte % 4 : odd[byte % (sizeof odd / sizeof *odd)];
  }
}

/* From some row on all rows are there a second time, with the target or without it. */
static inline void repeat_rows(fuzz_input *in, sample *s) {
  if (!fuzz_rarely(in, 4)) return;
  bool targets = fuzz_rarely(in, 2);
  for (size_t distinct = 1 + fuzz_choice(in, s->n), i = distinct; i < s->n; i++) {
    memcpy(&s->x[i * s->d], &s->x[(i - distinct) * s->d], s->d * sizeof *s->x);
    if (targets) s->label[i] = s->label[i - distinct], s->value[i] = s->value[i - distinct];
  }
}

static inline void set_categories(sample *s, size_t j) {
  int32_t code[ROWS];
  for (size_t i = 0; i < s->n; i++) {
    double x = s->x[i * s->d + j];
    code[i] = isnan(x) ? -1 : (int32_t)x;
  }
  fuzz_demand(svf_table_set_categories(s->table, j, code, names, s->levels[j], NULL) == SVF_OK);
}

/* Weights are refused if and only if their sum says nothing. */
static inline void set_weights(sample *s) {
  double sum = 0;
  for (size_t i = 0; i < s->n; i++) sum += s->weight[i];
  bool fine = sum > 0 && isfinite(sum);
  svf_message message;
  svf_status status = svf_table_set_weights(s->table, s->weight, &message);
  fuzz_demand(status == (fine ? SVF_OK : SVF_DATA));
  if (!fine) fuzz_demand(strstr(message.text, sum > 0 ? "too large to be summed" : "all 0"));
  s->weighted = fine;
}

/* "m=x1*x1" and the like, from a column of numbers. */
static inline void add_feature(fuzz_input *in, sample *s) {
  char text[32];
  if (s->levels[0] || !fuzz_rarely(in, 6)) return;
  fuzz_word(in, "m=x1^2|m=x1^9|m=distance(x1=1.5)|m=x1*x1", text, sizeof text);
  fuzz_demand(svf_table_add_feature(s->table, text, NULL) == SVF_OK);
  s->made = true;
}

/* Columns of numbers become dates if all of them are within the calendar. */
static inline void set_dates(fuzz_input *in, sample *s) {
  for (size_t j = 0; j < s->d; j++) {
    if (s->levels[j] || !fuzz_rarely(in, 8)) continue;
    bool fine = true;
    for (size_t i = 0; i < s->n; i++) {
      double days = s->x[i * s->d + j];
      fine &= isnan(days) || (days >= -719162 && days < 2932897);
    }
    fuzz_demand(svf_table_set_dates(s->table, j, NULL) == (fine ? SVF_OK : SVF_DATA));
  }
}

static inline void take_sample(fuzz_input *in, sample *s) {
  static const double class_weight[] = {.5, 2, 1e300, 1e-300};
  unsigned char byte[COLUMNS][ROWS];
  *s = (sample){.n = 2 + fuzz_choice(in, ROWS - 1), .d = 1 + fuzz_choice(in, COLUMNS)};
  for (size_t j = 0; j < s->d; j++) take_column(in, s, j, byte[j]);
  take_target(in, s, byte[0]);
  take_weights(in, s);
  repeat_rows(in, s);
  svf_matrix matrix = {
      .values = s->x, .rows = s->n, .columns = s->d, .row_stride = (ptrdiff_t)s->d, .column_stride = 1};
  fuzz_demand(svf_table_new(&matrix, NULL, &s->table, NULL) == SVF_OK);
  for (size_t j = 0; j < s->d; j++)
    if (s->levels[j]) set_categories(s, j);
  if (s->classes) fuzz_demand(svf_table_set_classes(s->table, s->label, names, s->classes, NULL) == SVF_OK);
  else fuzz_demand(svf_table_set_values(s->table, s->value, NULL) == SVF_OK);
  if (s->weighted) set_weights(s);
  add_feature(in, s);
  s->class_weighted = s->classes && fuzz_rarely(in, 16);
  if (s->class_weighted) fuzz_demand(svf_table_set_class_weights(s->table, class_weight, NULL) == SVF_OK);
  set_dates(in, s);
}

#endif
