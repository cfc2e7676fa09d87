/* csv_once.c - a large file without zeros, blank lines or quotes inside of bare cells in one walk: where a stretch of it begins
 * among the rows, and whether it begins inside of quotes, is what the stretches before it have counted, and threads are handed
 * them in order, so that none waits for long. Room for
 * the columns is made for as many rows as the first ones let expect. Where anything is otherwise the walk counts for nothing:
 * csv.c begins again, with the file cut first. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "data/csv_fill.h"

/* Of what is before a stretch: not counted yet; cannot be. */
#define UNKNOWN SIZE_MAX
#define ODD     (SIZE_MAX - 1)

typedef struct counted { /* before a stretch */
  atomic_size_t lines;   /* outside of quotes: records */
  size_t inner;          /* newlines inside of quotes; to be read after `lines` */
  atomic_size_t inside;  /* 1: it begins inside of quotes */
} counted;

struct svf_csv_once {
  svf_csv_file *file;
  size_t size, count; /* bytes from one stretch to the next; stretches */
  size_t end;         /* of the last line: after its last byte that is not blank */
  size_t length;      /* of a line, about */
  size_t rows;        /* lines that there is room for: as many as the first ones let expect, and some more */
  bool quotes;        /* there are some in the first lines; else there must be none */
  counted *before;
};

/* What is counted before a stretch; the stretches before it are in the hands of threads that count them first of all, unless
 * they were told to stop. */
static size_t await(const atomic_size_t *count, const svf_worker *worker) {
  enum { TRIES = 100 };
  const struct timespec moment = {.tv_nsec = 50000};
  size_t found;
  for (int i = 0; (found = atomic_load_explicit(count, memory_order_acquire)) == UNKNOWN; i++) {
    if (atomic_load(worker->stop)) return ODD;
    if (i < TRIES) sched_yield();
    else nanosleep(&moment, NULL); /* threads may be more than processors: let the one work that counts */
  }
  return found;
}

static bool odd_quotes(const char *at, const char *end) {
  typedef char bytes __attribute__((vector_size(16), aligned(1), may_alias));
  bytes all = {0};
  bool odd = false;
  for (; end - at >= 16; at += 16) all ^= (bytes)(*(const bytes *)at == '"');
  for (int i = 0; i < 16; i++) odd ^= all[i] & 1;
  for (; at < end; at++) odd ^= *at == '"';
  return odd;
}

/* Does the stretch begin inside of quotes? Tells it the one after it first of all. ODD: cannot be known. */
static size_t begins_inside(const svf_csv_once *o, size_t index, bool odd, const svf_worker *worker) {
  size_t inside = await(&o->before[index].inside, worker);
  atomic_store_explicit(&o->before[index + 1].inside, inside == ODD ? ODD : inside ^ odd, memory_order_release);
  return inside;
}

/* After the first newline outside of quotes; NULL: there is none. */
static const char *line_after(const svf_csv_once *o, const char *at, const char *end, bool inside) {
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
    inside ^= o->quotes && odd_quotes(at, stop);
    if (newline && !inside) return newline + 1;
    at = newline ? newline + 1 : end;
  }
  return NULL;
}

/* The text of the lines that begin in a stretch; false: they are too long, or the file cannot be read. */
static bool find_text(const svf_csv_once *o, size_t index, svf_worker *worker, svf_csv *csv, svf_csv_chunk *chunk) {
  enum { LONGEST = 1 << 20 };
  const svf_csv_file *file = o->file;
  svf_buffer *room = &file->room[worker - file->pool->worker];
  size_t begin = file->begin + index * o->size, from = begin - (index > 0), inside = UNKNOWN;
  size_t to = o->end - begin < o->size ? o->end : begin + o->size;
  const char *stop = NULL, *first;
  bool odd = false; /* is the number of quotes in the stretch? */
  svf_excerpt piece;
  for (size_t more = 2 * o->length; !stop; more *= 2) {
    size_t all = o->end - to < more ? o->end : to + more;
    if (more > LONGEST || svf_input_piece(file->input, from, all - from, room, &piece, NULL)) return false;
    const char *own = piece.begin + (begin - from), *end = piece.begin + (to - from);
    if (inside == UNKNOWN) {
      odd = o->quotes && odd_quotes(own, end);
      inside = o->quotes ? begins_inside(o, index, odd, worker) : 0;
    }
    if (inside == ODD) return false;
    /* A line begins after the newline that is not before the last byte of the stretch before. */
    first = index == 0 ? own : line_after(o, piece.begin, end - 1, inside ^ (o->quotes && *piece.begin == '"'));
    stop = line_after(o, end - 1, piece.end, inside ^ odd ^ (o->quotes && end[-1] == '"'));
    if (!stop && all == o->end) stop = piece.end;
  }
  if (!first) first = stop;
  *chunk = (svf_csv_chunk){.begin = from + (size_t)(first - piece.begin), .end = from + (size_t)(stop - piece.begin)};
  *csv = file->csv;
  csv->text.begin = first, csv->text.end = stop, csv->limit = piece.limit;
  csv->quotes = o->quotes;
  return true;
}

/* How many they are; ODD: they are not plain. The last line of all has no newline. */
static size_t count_lines(const svf_csv_once *o, const svf_csv *csv, const svf_csv_chunk *chunk, svf_buffer *room,
                          svf_csv_stops *stops) {
  if (!svf_csv_find_stops(csv, room, stops) || stops->odd) return ODD;
  return stops->lines + (chunk->begin < chunk->end && chunk->end == o->end);
}

static svf_status stretch_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const svf_csv_filler *f = context;
  const svf_csv_once *o = f->once;
  size_t number = (size_t)(worker - o->file->pool->worker), lines = ODD;
  svf_csv_hand *hand = &f->hand[number];
  svf_csv csv;
  svf_csv_stops stops;
  svf_csv_chunk chunk;
  if (find_text(o, index, worker, &csv, &chunk)) lines = count_lines(o, &csv, &chunk, &hand->stops, &stops);
  size_t before = await(&o->before[index].lines, worker), inner = o->before[index].inner;
  bool plain = lines != ODD && before != ODD && o->rows - before >= lines;
  if (plain) o->before[index + 1].inner = inner + stops.inners;
  atomic_store_explicit(&o->before[index + 1].lines, plain ? before + lines : ODD, memory_order_release);
  if (!plain) {
    atomic_store(&o->before[index + 1].inside, ODD); /* there may be no other word of it */
    return svf_input_changed(o->file->input, message);
  }
  chunk.row = before, chunk.rows = lines, chunk.line = before + inner + 1;
  o->file->chunk[index] = chunk;
  f->owner[index] = (uint16_t)number;
  return lines ? svf_csv_bare_rows(f, hand, &csv, &stops, &chunk, message) : SVF_OK;
}

/* With no more threads than processors: of more, those that count would wait for those that do not. */
static svf_status run_stretches(svf_csv_filler *f, svf_message *message) {
  static const svf_stage stage = {.phase = "read", .to = 1};
  svf_pool *pool = f->once->file->pool;
  size_t threads = pool->threads, most = svf_processors();
  pool->threads = threads < most ? threads : most;
  svf_status status = svf_pool_run(pool, &stage, f->once->count, stretch_job, f, message);
  pool->threads = threads;
  return status;
}

svf_status svf_csv_walk_once(svf_csv_filler *f, svf_message *message) {
  svf_csv_once *o = f->once;
  o->before = malloc((o->count + 1) * sizeof *o->before);
  if (!o->before) return svf_no_memory(message, f->raw->path);
  for (size_t i = 0; i <= o->count; i++) {
    o->before[i].inner = 0;
    atomic_init(&o->before[i].lines, i ? UNKNOWN : 0);
    atomic_init(&o->before[i].inside, i ? UNKNOWN : 0);
  }
  svf_status status = run_stretches(f, message);
  if (!status) {
    o->file->records = atomic_load(&o->before[o->count].lines);
    f->raw->n = o->file->records - f->head->header;
    f->once = NULL; /* from now on the file is cut */
  }
  free(o->before);
  return status;
}

/* Names, kinds and parts of the columns, and how long and how many lines are, from the first ones: at least as many as tell
 * them in a file that is cut. */
static bool read_start(svf_csv_once *o, svf_raw *raw, svf_csv_head *head) {
  enum { SPARE = 32 }; /* of so many lines, one more than expected */
  o->quotes = true;    /* there may be some */
  for (size_t bytes = 4 * o->size; bytes <= o->end / 2; bytes *= 2) {
    svf_input first = *o->file->input;
    svf_csv_file start = *o->file;
    svf_excerpt piece;
    if (svf_input_piece(o->file->input, 0, bytes, &o->file->room[0], &piece, NULL)) return false;
    first.size = 0;
    for (const char *at = piece.begin; (at = line_after(o, at, piece.end, false));)
      first.size = (size_t)(at - piece.begin);
    start.input = &first;
    if (first.size <= start.begin) continue;
    /* A quote in a bare cell may make it end inside of quotes; a longer one may not. */
    bool fine = !svf_csv_cut(&start, o->size, NULL), enough = fine && start.records > o->file->sample + 1;
    if (enough) {
      o->quotes = o->file->csv.quotes = start.csv.quotes;
      double expected = (double)start.records * ((double)o->end / (double)first.size);
      o->length = first.size / start.records + 1;
      o->rows = (size_t)(expected * (1 + 1. / SPARE)) + o->file->sample;
      fine = !svf_csv_read_head(&start, raw, head, NULL) && !head->trails && !svf_raw_roles(raw, NULL);
    }
    free(start.chunk);
    if (enough) return fine;
  }
  return false;
}

/* Where the last line ends. */
static bool find_end(svf_csv_once *o) {
  enum { TAIL = 256 };
  svf_excerpt piece;
  size_t at = o->file->input->size - TAIL;
  if (o->file->input->size < TAIL || svf_input_piece(o->file->input, at, TAIL, &o->file->room[0], &piece, NULL))
    return false;
  while (piece.end > piece.begin && (piece.end[-1] == '\n' || svf_csv_blank(&o->file->csv, piece.end - 1)))
    piece.end--;
  o->end = at + (size_t)(piece.end - piece.begin);
  return piece.end > piece.begin;
}

bool svf_csv_read_once(svf_csv_file *file, size_t size, svf_raw *raw, svf_csv_head *head) {
  enum { STRETCHES = 16 };
  svf_csv_once o = {.file = file, .size = size};
  if (file->csv.text.newline != '\n' || size > INT32_MAX / 2 || file->input->size / STRETCHES < size) return false;
  if (!find_end(&o) || !read_start(&o, raw, head)) return false;
  o.count = (o.end - file->begin + size - 1) / size;
  file->chunks = o.count;
  file->chunk = calloc(o.count, sizeof *file->chunk);
  raw->n = o.rows;
  return file->chunk && !svf_csv_fill(file, head, raw, &o, NULL);
}
