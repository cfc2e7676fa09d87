/* csv_track.c - see csv_track.h. */
#include "data/csv_track.h"

#include <string.h>

#define TO(state) SVF_CSV_##state
/* For each state: where a plain byte, a quote, a blank, a separator, a newline, the end lead to. */
const unsigned char svf_csv_moves[SVF_CSV_BROKEN + 1][SVF_CSV_END + 1] = {
    {TO(BARE), TO(QUOTED), TO(LINE), TO(CELL), TO(LINE), TO(LINE)},
    {TO(BARE), TO(QUOTED), TO(CELL), TO(CELL), TO(LINE), TO(LINE)},
    {TO(BARE), TO(BARE), TO(BARE), TO(CELL), TO(LINE), TO(LINE)},
    {TO(QUOTED), TO(CLOSED), TO(QUOTED), TO(QUOTED), TO(QUOTED), TO(BROKEN)},
    {TO(BROKEN), TO(QUOTED), TO(AFTER), TO(CELL), TO(LINE), TO(LINE)},
    {TO(BROKEN), TO(BROKEN), TO(AFTER), TO(CELL), TO(LINE), TO(LINE)},
    {TO(BROKEN), TO(BROKEN), TO(BROKEN), TO(BROKEN), TO(BROKEN), TO(BROKEN)},
};

static inline void start_record(svf_csv_track *track, const char *at) {
  if (track->records++) return;
  track->first = at;
  track->first_lines = track->lines;
}

static inline void step(const svf_csv *csv, const char *at, svf_csv_track *track) {
  unsigned char kind = csv->kind[(unsigned char)*at];
  svf_csv_state next = svf_csv_moves[track->state][kind];
  if (track->state == SVF_CSV_LINE && next != SVF_CSV_LINE) start_record(track, at);
  track->lines += kind == SVF_CSV_NEWLINE;
  track->state = next;
}

/* A line without quotes, from its first byte to its newline. */
static inline void take_line(const svf_csv *csv, const char *from, const char *newline, svf_csv_track *track) {
  while (svf_csv_blank(csv, from)) from++;
  if (from < newline) start_record(track, from);
  track->lines++;
}

void svf_csv_follow(const svf_csv *csv, const char *from, const char *to, svf_csv_track *track) {
  while (from < to && track->state != SVF_CSV_BROKEN) {
    const char *newline = memchr(from, csv->text.newline, (size_t)(to - from));
    const char *end = newline ? newline + 1 : to;
    bool quotes = csv->quotes && memchr(from, '"', (size_t)(end - from));
    if (track->state == SVF_CSV_LINE && newline && !quotes) take_line(csv, from, newline, track);
    else
      for (; from < end; from++) step(csv, from, track);
    from = end;
  }
}

static void append(svf_csv_track *track, const svf_csv_track *rest) {
  if (!track->records && rest->records) {
    track->first = rest->first;
    track->first_lines = track->lines + rest->first_lines;
  }
  track->records += rest->records;
  track->lines += rest->lines;
  track->state = rest->state;
}

void svf_csv_follow_both(const svf_csv *csv, const char *from, const char *to, svf_csv_track *outside,
                         svf_csv_track *inside) {
  *outside = (svf_csv_track){.state = SVF_CSV_LINE};
  *inside = (svf_csv_track){.state = SVF_CSV_QUOTED};
  const char *quote = csv->quotes ? memchr(from, '"', (size_t)(to - from)) : NULL;
  const char *at = quote ? quote : to;
  svf_csv_follow(csv, from, at, outside); /* nothing changes inside up to the first quote */
  inside->lines = outside->lines;
  while (at < to && outside->state != inside->state && inside->state != SVF_CSV_BROKEN &&
         outside->state != SVF_CSV_BROKEN) {
    step(csv, at, outside);
    step(csv, at++, inside);
  }
  if (outside->state == inside->state) {
    svf_csv_track rest = {.state = inside->state};
    svf_csv_follow(csv, at, to, &rest);
    append(outside, &rest);
    append(inside, &rest);
  } else {
    svf_csv_follow(csv, at, to, outside);
    svf_csv_follow(csv, at, to, inside);
  }
}
