/* bins.c - see bins.h. */
#include "cut/bins.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* What making the bins of one column needs. */
typedef struct maker {
  const svf_frame *frame;
  const svf_column_copy *from;
  uint32_t most;  /* bins */
  size_t *rows;   /* of each rank */
  uint32_t *home; /* bin of each rank, and of a missing value */
  svf_arena *arena;
} maker;

static void count_rows(const maker *m) {
  memset(m->rows, 0, (m->from->ranks + (size_t)1) * sizeof *m->rows);
  for (size_t i = 0; i < m->frame->n; i++) m->rows[svf_rank_at(m->from, (uint32_t)i)]++;
}

/* Every bin takes its share of the rows that are left; a value that has such a share alone has a bin alone. Returns how many
 * bins there are. */
static uint32_t divide_numbers(const maker *m) {
  uint32_t ranks = m->from->ranks, bin = 0, left = m->most;
  size_t rest = m->frame->n - m->rows[ranks], here = 0;
  for (uint32_t r = 0; r < ranks; r++) {
    bool alone = (double)m->rows[r] * left >= (double)rest, full = (double)here * left >= (double)rest;
    if (here && left > 1 && (ranks <= m->most || full || alone)) bin++, left--, rest -= here, here = 0;
    m->home[r] = bin;
    here += m->rows[r];
  }
  return ranks ? bin + 1 : 0;
}

typedef struct frequency {
  size_t rows;
  uint32_t level;
} frequency;

static int more_rows(const void *a, const void *b) {
  const frequency *x = a, *y = b;
  if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
  return (x->level > y->level) - (x->level < y->level);
}

/* Levels in the order of their codes; with more than there are bins, the most frequent first and the others in the last. */
static uint32_t divide_levels(const maker *m, svf_arena *scratch) {
  uint32_t levels = m->from->ranks;
  frequency *of = SVF_TAKE(scratch, frequency, levels);
  if (!of) return 0;
  for (uint32_t l = 0; l < levels; l++) of[l] = (frequency){m->rows[l], l};
  if (levels > m->most) qsort(of, levels, sizeof *of, more_rows);
  for (uint32_t i = 0; i < levels; i++) m->home[of[i].level] = i < m->most ? i : m->most - 1;
  return levels < m->most ? levels : m->most;
}

static void take_ends(const maker *m, svf_bin_column *to) {
  float *low = SVF_TAKE(m->arena, float, to->bins), *high = SVF_TAKE(m->arena, float, to->bins);
  if (!low || !high) return;
  for (uint32_t r = m->from->ranks; r-- > 0;) low[m->home[r]] = m->from->value[r];
  for (uint32_t r = 0; r < m->from->ranks; r++) high[m->home[r]] = m->from->value[r];
  to->low = low;
  to->high = high;
}

static void take_levels(const maker *m, svf_bin_column *to) {
  const svf_column_copy *from = m->from;
  uint32_t width = from->one_hot ? from->ranks : 0;
  uint8_t *home = SVF_TAKE(m->arena, uint8_t, from->ranks);
  float *ends = SVF_TAKE(m->arena, float, 2 * (size_t)width);
  if (!home || !ends) return;
  for (uint32_t l = 0; l < from->ranks; l++) home[l] = (uint8_t)m->home[l];
  for (uint32_t l = 0; l < width; l++) ends[l] = from->low[l], ends[width + l] = from->high[l];
  to->home = home;
  to->levels = *from;
  to->levels.narrow = NULL;
  to->levels.wide = NULL;
  to->levels.low = ends;
  to->levels.high = ends + width;
}

static bool make_column(maker *m, svf_bin_column *to, svf_arena *scratch) {
  uint8_t *bin = SVF_TAKE(m->arena, uint8_t, m->frame->n);
  svf_mark mark = svf_arena_mark(scratch);
  size_t room = m->from->ranks + (size_t)1;
  m->rows = SVF_TAKE(scratch, size_t, room);
  m->home = SVF_TAKE(scratch, uint32_t, room);
  bool fine = bin && !svf_arena_failed(scratch);
  if (fine) {
    count_rows(m);
    to->bins = m->from->category ? divide_levels(m, scratch) : divide_numbers(m);
    fine = !svf_arena_failed(scratch);
  }
  if (fine) {
    m->home[m->from->ranks] = to->bins;
    (m->from->category ? take_levels : take_ends)(m, to);
    for (size_t i = 0; i < m->frame->n; i++) bin[i] = (uint8_t)m->home[svf_rank_at(m->from, (uint32_t)i)];
    to->bin = bin;
    to->first = m->from->first;
  }
  svf_arena_release(scratch, mark);
  return fine && !m->arena->failed;
}

static const svf_bins *make_bins(const svf_frame *frame, const svf_columns *columns, uint32_t most, svf_arena *arena,
                                 svf_worker *worker) {
  svf_bins *bins = SVF_ZERO(arena, svf_bins, 1);
  uint32_t *home = SVF_TAKE(arena, uint32_t, frame->d);
  if (!bins || !home) return NULL;
  bins->column = SVF_ZERO(arena, svf_bin_column, columns->count);
  bins->home = memcpy(home, columns->home, frame->d * sizeof *home);
  if (!bins->column) return NULL;
  for (; bins->count < columns->count; bins->count++) {
    svf_bin_column *to = &bins->column[bins->count];
    maker m = {.frame = frame, .from = &columns->column[bins->count], .most = most, .arena = arena};
    if (svf_worker_stopped(worker) || !make_column(&m, to, &worker->arena)) return NULL;
    to->at = bins->total;
    bins->total += to->bins + 1;
    bins->categories |= to->levels.category;
  }
  return bins;
}

svf_status svf_bins_make(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                         const void **prepared, svf_message *message) {
  svf_arena ranks = {0};
  svf_status status = svf_columns_rank(frame, settings, pool, &ranks, prepared, message);
  if (status == SVF_OK) {
    *prepared = make_bins(frame, *prepared, (uint32_t)settings->bins, arena, &pool->worker[0]);
    if (!*prepared && svf_worker_stopped(&pool->worker[0])) status = svf_fail(message, SVF_STOPPED, "stopped");
    else if (!*prepared) status = svf_no_memory(message, "the features in bins");
  }
  svf_arena_free(&ranks);
  return status;
}

/* Does this level go right? Planes of codes list levels; those of 0/1 columns name a column for each. */
static bool level_right(const svf_bin_column *column, const svf_plane *plane, uint32_t level) {
  if (svf_by_levels(plane->threshold)) return svf_levels_have(plane->term, plane->count, level);
  if (plane->threshold == FLT_MAX) return false;
  for (size_t t = 0; t < plane->count; t++)
    if (plane->term[t].feature == column->first + level) return true;
  return false;
}

void svf_bins_sides(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                    unsigned char *right) {
  const svf_bins *bins = ground->prepared;
  const svf_bin_column *column = &bins->column[bins->home[plane->term[0].feature]];
  unsigned char side[SVF_MOST_BINS + 1] = {0};
  for (uint32_t l = 0; column->levels.category && l < column->levels.ranks; l++)
    if (level_right(column, plane, l)) side[column->home[l]] = 1;
  for (uint32_t b = 0; !column->levels.category && b < column->bins; b++)
    side[b] = column->low[b] >= plane->threshold;
  side[column->bins] = !plane->missing_left;
  for (size_t i = 0; i < n; i++) right[i] = side[column->bin[rows[i]]];
}
