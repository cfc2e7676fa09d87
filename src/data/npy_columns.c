/* npy_columns.c - the columns of an array file, piece by piece, by all threads.
 *
 * A piece is some whole rows, or in Fortran order a part of one column: few enough bytes to stay in a core's own cache
 * while they are moved to the columns. */
#include <math.h>
#include <stdlib.h>
#include "base/large.h"
#include "base/pool.h"
#include "data/npy.h"

/* So many rows of so many columns are moved before the next ones: the cache's lines that they share are then read once. */
enum { ROWS = 64, COLUMNS = 8, LINE = 8 /* numbers of a line */, PIECE = 1 << 18 /* bytes */ };

typedef struct filler {
  const svf_input *input;
  const svf_npy_array *array;
  svf_raw *raw;
  size_t rows, pieces; /* rows of a piece, the last has fewer; pieces of all rows, or of each column */
  svf_pool pool;
  svf_buffer *room;     /* of each thread */
  atomic_bool infinite; /* is there an infinite value, be it in a column that the table has not? */
} filler;

static svf_status make_columns(svf_raw *raw, svf_message *message) {
  for (size_t j = 0; j < raw->width; j++) {
    if (svf_part_unread(raw->role[j].part) && !svf_raw_is_kept(raw, j)) continue;
    raw->column[j].number = svf_large_alloc(raw->n * sizeof(double));
    if (!raw->column[j].number) return svf_no_memory(message, raw->path);
  }
  return SVF_OK;
}

static size_t at_most(size_t count, size_t most) { return count < most ? count : most; }

typedef struct part { /* of the rows of a piece */
  const char *at;     /* the first number of the first row */
  size_t step, first, count;
} part;

/* Moves column j and, where that is faster, also the next one if it is before `end`; returns how many. */
static size_t move(const filler *f, const part *rows, size_t j, size_t end, bool *infinite) {
  const svf_npy_type *type = f->array->type;
  double *number = f->raw->column[j].number, *next = j + 1 < end ? f->raw->column[j + 1].number : NULL;
  const char *at = rows->at + (f->array->fortran ? 0 : j * type->size);
  if (number && next && type->move_two) {
    *infinite |=
        type->move_two(at, rows->step, rows->count, (double *const[]){number + rows->first, next + rows->first});
    return 2;
  }
  if (number) *infinite |= type->move(at, rows->step, rows->count, number + rows->first);
  return 1;
}

static bool move_rows(const filler *f, const part *all) {
  bool infinite = false;
  for (size_t left = 0; left < f->raw->width; left += COLUMNS)
    for (size_t i = 0; i < all->count; i += ROWS) {
      part rows = {all->at + i * all->step, all->step, all->first + i, at_most(all->count - i, ROWS)};
      size_t end = at_most(f->raw->width, left + COLUMNS);
      for (size_t j = left; j < end;) j += move(f, &rows, j, end, &infinite);
    }
  return infinite;
}

static svf_status piece_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  filler *f = context;
  const svf_npy_array *array = f->array;
  size_t size = array->type->size, n = f->raw->n, width = array->fortran ? 1 : f->raw->width;
  size_t column = array->fortran ? index / f->pieces : 0, first = index % f->pieces * f->rows;
  part all = {.step = size * width, .first = first, .count = at_most(n - first, f->rows)};
  svf_excerpt piece;
  if (array->fortran && !f->raw->column[column].number) return SVF_OK;
  SVF_TRY(svf_input_piece(f->input, array->begin + size * (column * array->rows + first * width),
                          all.step * all.count, &f->room[worker - f->pool.worker], &piece, message));
  all.at = piece.begin;
  bool infinite = false;
  if (array->fortran) move(f, &all, column, column + 1, &infinite);
  else infinite = move_rows(f, &all);
  if (infinite) atomic_store(&f->infinite, true);
  return SVF_OK;
}

static svf_status refuse_infinite(const svf_raw *raw, svf_message *message) {
  for (size_t j = 0; j < raw->width; j++) {
    const double *number = svf_part_unread(raw->role[j].part) ? NULL : raw->column[j].number;
    for (size_t i = 0; number && i < raw->n; i++)
      if (isinf(number[i])) return svf_raw_refuse(raw, i, j, "the value is infinite", message);
  }
  return SVF_OK;
}

static svf_status fill(filler *f, svf_message *message) {
  static const svf_stage stage = {.phase = "read", .to = 1};
  f->room = calloc(f->pool.threads, sizeof *f->room);
  svf_status status = f->room ? make_columns(f->raw, message) : svf_no_memory(message, f->raw->path);
  size_t count = f->pieces * (f->array->fortran ? f->raw->width : 1);
  if (!status) status = svf_pool_run(&f->pool, &stage, count, piece_job, f, message);
  for (size_t i = 0; f->room && i < f->pool.threads; i++) svf_buffer_free(&f->room[i]);
  free(f->room);
  return !status && atomic_load(&f->infinite) ? refuse_infinite(f->raw, message) : status;
}

svf_status svf_npy_columns(const svf_input *input, const svf_npy_array *array, svf_raw *raw, svf_message *message) {
  svf_run run = {.threads = raw->options.threads};
  size_t width = array->fortran ? 1 : raw->width, rows = PIECE / (array->type->size * width) / LINE * LINE;
  filler f = {.input = input, .array = array, .raw = raw, .rows = rows ? rows : LINE};
  f.pieces = (raw->n + f.rows - 1) / f.rows;
  SVF_TRY(svf_pool_open(&f.pool, &run, message));
  svf_status status = fill(&f, message);
  svf_pool_close(&f.pool);
  return status;
}
