/* csv_track.h - where records start in a stretch of CSV, whatever was before it.
 *
 * Quotes make this depend on all that came before: a newline ends a record only outside of them. But after a
 * newline there are just two cases, outside and inside, and a stretch can be followed from both; on real text
 * the wrong one soon meets the right one, or breaks. */
#ifndef SVF_DATA_CSV_TRACK_H
#define SVF_DATA_CSV_TRACK_H

#include "data/csv.h"

typedef enum svf_csv_state {
  SVF_CSV_LINE,   /* on a line with nothing but blanks so far */
  SVF_CSV_CELL,   /* in a cell with nothing but blanks so far */
  SVF_CSV_BARE,   /* in a cell without quotes */
  SVF_CSV_QUOTED, /* inside of quotes */
  SVF_CSV_CLOSED, /* after a quote inside of quotes: the end of them, or the first of two */
  SVF_CSV_AFTER,  /* after the quotes and a blank */
  SVF_CSV_BROKEN  /* something else stood there */
} svf_csv_state;

typedef struct svf_csv_track { /* what was seen from a given state on */
  svf_csv_state state;         /* now */
  size_t lines;                /* newlines */
  size_t records;              /* that started */
  const char *first;           /* where the first of them did, and the newlines before it */
  size_t first_lines;
} svf_csv_track;

extern const unsigned char svf_csv_moves[SVF_CSV_BROKEN + 1][SVF_CSV_END + 1];

/* Follows the bytes from..to; `lines` is not counted on after BROKEN. */
void svf_csv_follow(const svf_csv *csv, const char *from, const char *to, svf_csv_track *track);
/* The same for a line that starts outside of quotes and one that starts inside, both at `from`. */
void svf_csv_follow_both(const svf_csv *csv, const char *from, const char *to, svf_csv_track *outside,
                         svf_csv_track *inside);

#endif
