/* csv_chunks.c - cuts a CSV file into chunks of whole records.
 *
 * All threads look at stretches of even size, each by itself: what follows its first newline is tracked from
 * outside and from inside of quotes. One thread then goes through the stretches in order, follows the bytes up
 * to each first newline, and so knows which of the two it was. */
#include <stdlib.h>
#include <string.h>
#include "data/csv_track.h"

typedef struct stretch {
  size_t head; /* bytes up to its first newline and with it; all of them if it has none */
  size_t size, lines;
  size_t zero; /* line of the first 0 byte, counted from 1 in the stretch; 0: none */
  bool quotes;
  svf_csv_state end[2];            /* of what follows the head, from outside and from inside of quotes: the state, */
  size_t records[2];               /* the records that start in it, */
  size_t first[2], first_lines[2]; /* and of the first of them the place in the stretch and the newlines before */
} stretch;

typedef struct survey {
  svf_csv_file *file;
  size_t size, count;
  stretch *stretch;
} survey;

static void keep(stretch *s, int from, const svf_csv_track *track, const char *begin) {
  s->end[from] = track->state;
  s->records[from] = track->records;
  s->first[from] = track->records ? (size_t)(track->first - begin) : 0;
  s->first_lines[from] = track->first_lines + 1; /* that of the head */
}

static void look(const svf_csv_file *file, svf_excerpt piece, stretch *s) {
  svf_csv csv = file->csv;
  const char *zero = memchr(piece.begin, 0, s->size), *newline = memchr(piece.begin, csv.text.newline, s->size);
  s->quotes = csv.quotes = memchr(piece.begin, '"', s->size);
  s->zero = zero ? svf_text_lines(&csv.text, piece.begin, zero) + 1 : 0;
  s->head = newline ? (size_t)(newline + 1 - piece.begin) : s->size;
  if (newline) {
    svf_csv_track outside, inside;
    svf_csv_follow_both(&csv, newline + 1, piece.end, &outside, &inside);
    keep(s, 0, &outside, piece.begin);
    keep(s, 1, &inside, piece.begin);
    s->lines = outside.lines + 1;
  }
  if (s->quotes || s->zero) s->lines = svf_text_lines(&csv.text, piece.begin, piece.end);
}

static svf_status look_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  survey *all = context;
  const svf_csv_file *file = all->file;
  stretch *s = &all->stretch[index];
  svf_excerpt piece;
  size_t at = file->begin + index * all->size, left = file->input->size - at;
  s->size = left < all->size ? left : all->size;
  svf_buffer *room = &file->room[worker - file->pool->worker];
  SVF_TRY(svf_input_piece(file->input, at, s->size, room, &piece, message));
  look(file, piece, s);
  return SVF_OK;
}

static svf_status refuse_zero(const survey *all, svf_message *message) {
  size_t line = 0;
  for (size_t i = 0; i < all->count; line += all->stretch[i++].lines)
    if (all->stretch[i].zero)
      return svf_fail(message, SVF_DATA, "%s:%zu: a byte 0, so this is not text in UTF-8 or ASCII",
                      all->file->input->path, line + all->stretch[i].zero);
  return SVF_OK;
}

/* Says where the quote is that is not closed as it should be: follows the file byte by byte. */
static svf_status broken_quotes(const survey *all, svf_message *message) {
  const svf_csv_file *file = all->file;
  svf_csv_state state = SVF_CSV_LINE;
  size_t line = 1, opened = 1, at = file->begin;
  for (size_t i = 0; i < all->count && state != SVF_CSV_BROKEN; at += all->stretch[i++].size) {
    svf_excerpt piece;
    SVF_TRY(svf_input_piece(file->input, at, all->stretch[i].size, &file->room[0], &piece, message));
    for (const char *p = piece.begin; p < piece.end && state != SVF_CSV_BROKEN; p++) {
      unsigned char kind = file->csv.kind[(unsigned char)*p];
      svf_csv_state next = svf_csv_moves[state][kind];
      if (next == SVF_CSV_QUOTED && state <= SVF_CSV_CELL) opened = line;
      line += kind == SVF_CSV_NEWLINE;
      state = next;
    }
  }
  return svf_fail(message, SVF_DATA,
                  "%s:%zu: a quote that opens a cell here is not closed before a separator or the end of a line",
                  file->input->path, opened);
}

typedef struct seam { /* how far the stretches are joined */
  svf_csv_state state;
  size_t at, line;
} seam;

static void add_chunk(svf_csv_file *file, svf_csv_chunk chunk) {
  if (file->chunks) file->chunk[file->chunks - 1].end = chunk.begin;
  file->chunk[file->chunks++] = chunk;
  file->records += chunk.rows;
}

/* Joins one stretch to those before it: its records are one chunk. */
static svf_status join(const survey *all, const stretch *s, seam *to, svf_message *message) {
  svf_csv_file *file = all->file;
  svf_csv csv = file->csv;
  svf_csv_track head = {.state = to->state};
  svf_excerpt piece;
  csv.quotes = s->quotes;
  SVF_TRY(svf_input_piece(file->input, to->at, s->head, &file->room[0], &piece, message));
  svf_csv_follow(&csv, piece.begin, piece.end, &head);
  bool rest = s->lines > 0, inside = head.state == SVF_CSV_QUOTED;
  svf_csv_chunk chunk = {.begin = to->at + (head.records ? (size_t)(head.first - piece.begin) : s->first[inside]),
                         .row = file->records,
                         .rows = head.records + (rest ? s->records[inside] : 0),
                         .line = to->line + (head.records ? head.first_lines : s->first_lines[inside])};
  if (chunk.rows) add_chunk(file, chunk);
  to->state = rest && head.state != SVF_CSV_BROKEN ? s->end[inside] : head.state;
  to->at += s->size;
  to->line += s->lines;
  return SVF_OK;
}

static svf_status join_all(survey *all, svf_message *message) {
  svf_csv_file *file = all->file;
  seam to = {SVF_CSV_LINE, file->begin, 1};
  SVF_TRY(refuse_zero(all, message));
  for (size_t i = 0; i < all->count && to.state != SVF_CSV_BROKEN; i++) {
    SVF_TRY(join(all, &all->stretch[i], &to, message));
    file->csv.quotes |= all->stretch[i].quotes;
  }
  if (to.state == SVF_CSV_BROKEN || to.state == SVF_CSV_QUOTED) return broken_quotes(all, message);
  if (!file->chunks) return svf_input_changed(file->input, message);
  file->chunk[file->chunks - 1].end = file->input->size;
  return SVF_OK;
}

svf_status svf_csv_cut(svf_csv_file *file, size_t size, svf_message *message) {
  static const svf_stage stage = {.phase = "read", .to = 1};
  size_t count = (file->input->size - file->begin + size - 1) / size;
  survey all = {file, size, count, calloc(count, sizeof *all.stretch)};
  file->chunk = calloc(count, sizeof *file->chunk);
  svf_status status = all.stretch && file->chunk ? SVF_OK : svf_no_memory(message, file->input->path);
  if (!status) status = svf_pool_run(file->pool, &stage, count, look_job, &all, message);
  if (!status) status = join_all(&all, message);
  free(all.stretch);
  return status;
}

svf_status svf_csv_load(const svf_csv_file *file, size_t first, size_t last, svf_buffer *room, svf_csv *csv,
                        svf_message *message) {
  size_t begin = file->chunk[first].begin, size = file->chunk[last].end - begin;
  svf_excerpt piece;
  SVF_TRY(svf_input_piece(file->input, begin, size, room, &piece, message));
  *csv = file->csv;
  csv->text.begin = piece.begin;
  csv->text.end = piece.end;
  csv->limit = piece.limit;
  csv->quotes = file->csv.quotes && memchr(piece.begin, '"', size);
  return SVF_OK;
}

size_t svf_csv_line(const svf_csv_file *file, size_t record) {
  size_t c = file->chunks;
  while (file->chunk[--c].row > record) continue;
  svf_csv csv;
  if (svf_csv_load(file, c, c, &file->room[0], &csv, NULL)) return 0;
  svf_csv_place place = {csv.text.begin, file->chunk[c].line};
  for (size_t row = file->chunk[c].row; svf_csv_next(&csv, &place) && row < record; row++) {
    const char *end;
    svf_csv_width(&csv, place.at, &end);
    if (!end) return 0;
    place = svf_csv_after(&csv, place, end);
  }
  return place.line;
}
