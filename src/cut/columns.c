/* columns.c - see columns.h. */
#include "cut/columns.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "la/elementary.h"

enum { MOST_NARROW = 65535, DIGIT = 11 };

/* What making one column needs. */
typedef struct maker {
  const svf_frame *frame;
  svf_arena *arena;
  uint64_t *key, *spare; /* n */
  uint32_t *rank;        /* n */
  bool copy;             /* numbers as they are */
  const atomic_int *stop;
} maker;

/* The bits of a number, so that unsigned order is the order of numbers. Both zeros are one. */
static uint32_t ordered(float x) {
  uint32_t bits;
  x += 0.f;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Sorts by the upper half; equal ones keep their order. */
static void sort_by_value(maker *m, size_t n) {
  size_t start[1 << DIGIT];
  for (int shift = 32; shift < 64; shift += DIGIT) {
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < n; i++) start[m->key[i] >> shift & ((1 << DIGIT) - 1)]++;
    for (size_t b = 0, sum = 0; b < 1 << DIGIT; b++) {
      size_t count = start[b];
      start[b] = sum;
      sum += count;
    }
    for (size_t i = 0; i < n; i++) m->spare[start[m->key[i] >> shift & ((1 << DIGIT) - 1)]++] = m->key[i];
    uint64_t *swap = m->key;
    m->key = m->spare;
    m->spare = swap;
  }
}

/* Stores the ranks in as few bytes as they need. */
static void store(maker *m, svf_column_copy *column) {
  size_t n = m->frame->n;
  uint16_t *narrow = NULL;
  uint32_t *wide = NULL;
  if (column->ranks <= MOST_NARROW) column->narrow = narrow = SVF_TAKE(m->arena, uint16_t, n);
  else column->wide = wide = SVF_TAKE(m->arena, uint32_t, n);
  for (size_t i = 0; i < n && narrow; i++) narrow[i] = (uint16_t)m->rank[i];
  if (wide) memcpy(wide, m->rank, n * sizeof *wide);
}

static void copy_numbers(maker *m, uint32_t encoded, svf_column_copy *column) {
  const svf_frame *frame = m->frame;
  float *number = SVF_TAKE(m->arena, float, frame->n);
  for (size_t i = 0; i < frame->n && number; i++) number[i] = frame->x[i * frame->stride + encoded];
  *column = (svf_column_copy){.number = number, .first = encoded};
}

static void rank_numbers(maker *m, uint32_t encoded, svf_column_copy *column) {
  const svf_frame *frame = m->frame;
  size_t present = 0;
  for (size_t i = 0; i < frame->n; i++) {
    float x = frame->x[i * frame->stride + encoded];
    m->rank[i] = UINT32_MAX;
    if (x == x) m->key[present++] = (uint64_t)ordered(x) << 32 | i;
  }
  sort_by_value(m, present);
  *column = (svf_column_copy){.first = encoded};
  for (size_t i = 0; i < present; i++) {
    column->ranks += i == 0 || m->key[i] >> 32 != m->key[i - 1] >> 32;
    m->rank[(uint32_t)m->key[i]] = column->ranks - 1;
  }
  float *value = SVF_TAKE(m->arena, float, column->ranks);
  if (!value) return;
  for (size_t i = 0; i < frame->n; i++) {
    if (m->rank[i] == UINT32_MAX) m->rank[i] = column->ranks;
    else value[m->rank[i]] = frame->x[i * frame->stride + encoded];
  }
  column->value = value;
  store(m, column);
}

/* Least and greatest number of some encoded columns. */
static void find_ends(const svf_frame *frame, uint32_t first, uint32_t width, float *low, float *high) {
  for (uint32_t j = 0; j < width; j++) low[j] = INFINITY, high[j] = -INFINITY;
  for (size_t i = 0; i < frame->n; i++)
    for (uint32_t j = 0; j < width; j++) {
      float x = frame->x[i * frame->stride + first + j];
      if (x < low[j]) low[j] = x;
      if (x > high[j]) high[j] = x;
    }
}

/* Levels of a category from its 0/1 columns; false: they are not the columns of one category. */
static bool find_levels(maker *m, uint32_t first, uint32_t width, const float *low, const float *high) {
  const svf_frame *frame = m->frame;
  for (size_t i = 0; i < frame->n; i++) {
    const float *x = frame->x + i * frame->stride + first;
    uint32_t ones = 0, missing = 0;
    for (uint32_t j = 0; j < width; j++) {
      if (x[j] != x[j]) missing++;
      else if (x[j] == high[j] && low[j] < high[j]) ones++, m->rank[i] = j;
      else if (x[j] != low[j]) return false;
    }
    if (missing == width) m->rank[i] = width;
    else if (missing || ones != 1) return false;
  }
  return true;
}

static bool make_category(maker *m, uint32_t first, uint32_t width, svf_column_copy *column) {
  float *low = SVF_TAKE(m->arena, float, width), *high = SVF_TAKE(m->arena, float, width);
  if (!low || !high) return false;
  find_ends(m->frame, first, width, low, high);
  if (!find_levels(m, first, width, low, high)) return false;
  *column =
      (svf_column_copy){.ranks = width, .first = first, .category = true, .one_hot = true, .low = low, .high = high};
  store(m, column);
  return true;
}

static void copy_codes(maker *m, uint32_t encoded, svf_column_copy *column) {
  const svf_frame *frame = m->frame;
  *column = (svf_column_copy){.ranks = frame->levels[encoded], .first = encoded, .category = true};
  for (size_t i = 0; i < frame->n; i++) {
    float code = frame->x[i * frame->stride + encoded];
    m->rank[i] = code == code ? (uint32_t)code : column->ranks;
  }
  store(m, column);
}

/* The 0/1 columns of one category from `first` on, or a column by itself. */
static uint32_t together(const svf_frame *frame, uint32_t first) {
  uint32_t next = first + 1;
  if (frame->role && frame->role[first] < 0) return 1;
  while (next < frame->d && frame->origin[next] == frame->origin[first] && (!frame->role || frame->role[next] >= 0))
    next++;
  return next - first;
}

static void make_columns(maker *m, svf_columns *columns, uint32_t *home) {
  const svf_frame *frame = m->frame;
  for (uint32_t first = 0, width; first < frame->d && !m->arena->failed; first += width) {
    width = together(frame, first);
    svf_column_copy *next = columns->column + columns->count;
    bool category = width > 1 && make_category(m, first, width, next);
    for (uint32_t j = 0; j < width; j++) {
      home[first + j] = (uint32_t)(columns->count + (category ? 0 : j));
      if (category) continue;
      if (svf_la_stopped(m->stop)) return;
      bool codes = frame->levels && frame->levels[first + j];
      (codes ? copy_codes : m->copy ? copy_numbers : rank_numbers)(m, first + j, next + j);
    }
    columns->count += category ? 1 : width;
    for (; next < columns->column + columns->count; next++)
      if (next->category && next->ranks > columns->most_levels) columns->most_levels = next->ranks;
  }
}

/* Variance is the same for moved numbers, and squares of these do not overflow. */
static void make_target(const svf_frame *frame, svf_columns *columns, double *target) {
  double low = frame->value[0], high = low;
  for (size_t i = 0; i < frame->n; i++) low = fmin(low, frame->value[i]), high = fmax(high, frame->value[i]);
  double middle = low / 2 + high / 2, half = high / 2 - low / 2;
  for (size_t i = 0; i < frame->n; i++) target[i] = half > 0 ? (frame->value[i] - middle) / half : 0;
  columns->unit = fmin(half * half, DBL_MAX);
  columns->target = target;
}

static double find_lift(const svf_frame *frame) {
  double most = 0;
  for (size_t i = 0; frame->weight && i < frame->n; i++) most = fmax(most, frame->weight[i]);
  return most > 0 ? ldexp(1, -ilogb(most)) : 1;
}

static void make_entropy(size_t n, svf_columns *columns, double *entropy) {
  entropy[0] = 0;
  for (size_t x = 1; x <= n; x++) entropy[x] = (double)x * (svf_log((double)x) / SVF_LN2);
  columns->entropy = entropy;
  columns->entropies = n + 1;
}

static svf_columns *make(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                         bool copy) {
  svf_arena *scratch = &pool->worker[0].arena;
  svf_mark mark = svf_arena_mark(scratch);
  maker m = {.frame = frame,
             .arena = arena,
             .copy = copy,
             .rank = SVF_TAKE(scratch, uint32_t, frame->n),
             .stop = pool->worker[0].stop};
  m.key = SVF_TAKE(scratch, uint64_t, copy ? 0 : frame->n);
  m.spare = SVF_TAKE(scratch, uint64_t, copy ? 0 : frame->n);
  svf_columns *columns = SVF_ZERO(arena, svf_columns, 1);
  svf_column_copy *column = SVF_TAKE(arena, svf_column_copy, frame->d);
  uint32_t *home = SVF_TAKE(arena, uint32_t, frame->d), *start = SVF_TAKE(arena, uint32_t, frame->d);
  double *target = frame->label ? NULL : SVF_TAKE(arena, double, frame->n);
  bool table = frame->label && settings->criterion == SVF_CRITERION_ENTROPY && !frame->weight;
  double *entropy = table ? SVF_TAKE(arena, double, frame->n + 1) : NULL;
  if (svf_arena_failed(scratch)) arena->failed = true;
  if (!arena->failed) {
    *columns = (svf_columns){.column = column, .home = home, .start = start, .unit = 1, .lift = find_lift(frame)};
    for (uint32_t j = 0; j < frame->d; j++) start[j] = j;
    make_columns(&m, columns, home);
    if (target) make_target(frame, columns, target);
    if (entropy) make_entropy(frame->n, columns, entropy);
  }
  svf_arena_release(scratch, mark);
  return arena->failed ? NULL : columns;
}

/* bytes: of one cell of the table, at most. */
static svf_status check_size(const svf_frame *frame, const svf_pool *pool, double bytes, svf_message *message) {
  bytes = bytes * (double)frame->n * (double)frame->d + 16. * (double)frame->n;
  return svf_check_memory(message, bytes, pool->run ? pool->run->memory_limit : 0, "the features by columns");
}

svf_status svf_columns_rank(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                            const void **prepared, svf_message *message) {
  SVF_TRY(check_size(frame, pool, frame->n > MOST_NARROW ? 8 : 6, message));
  *prepared = make(frame, settings, pool, arena, false);
  return *prepared ? SVF_OK : svf_no_memory(message, "the features by columns");
}

svf_status svf_columns_copy(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                            const void **prepared, svf_message *message) {
  SVF_TRY(check_size(frame, pool, 4, message));
  *prepared = make(frame, settings, pool, arena, true);
  return *prepared ? SVF_OK : svf_no_memory(message, "the features by columns");
}

/* First rank of a column of numbers that a threshold leaves on the right. */
static uint32_t rank_of(const svf_column_copy *column, float threshold) {
  uint32_t low = 0, high = column->ranks;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (column->value[middle] < threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The same by ranks: those in a range go right. */
static void sides_by_rank(const svf_column_copy *column, const svf_plane *plane, const uint32_t *rows, size_t n,
                          unsigned char *right) {
  uint32_t first = rank_of(column, plane->threshold), span = column->ranks - first;
  if (!plane->missing_left) span++; /* the missing rank is the one above */
  if (column->narrow)
    for (size_t i = 0; i < n; i++) right[i] = column->narrow[rows[i]] - first < span;
  else
    for (size_t i = 0; i < n; i++) right[i] = column->wide[rows[i]] - first < span;
}

static void sides_by_levels(const svf_column_copy *column, const svf_plane *plane, const uint32_t *rows, size_t n,
                            unsigned char *right) {
  for (size_t i = 0; i < n; i++) {
    uint32_t code = svf_rank_at(column, rows[i]);
    right[i] = code == column->ranks ? !plane->missing_left : svf_levels_have(plane->term, plane->count, code);
  }
}

void svf_columns_sides(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                       unsigned char *right) {
  const svf_columns *columns = ground->prepared;
  const svf_column_copy *column = &columns->column[columns->home[plane->term[0].feature]];
  const float *x = column->number;
  if (column->one_hot) svf_plane_sides(ground->frame, plane, rows, n, right);
  else if (column->category) sides_by_levels(column, plane, rows, n, right);
  else if (!x) sides_by_rank(column, plane, rows, n, right);
  else
    for (size_t i = 0; i < n; i++) right[i] = x[rows[i]] >= plane->threshold;
  if (x && !plane->missing_left && ground->frame->missing)
    for (size_t i = 0; i < n; i++) right[i] |= x[rows[i]] != x[rows[i]];
}
