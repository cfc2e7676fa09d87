/* csv_stops.h - where the cells of a text end. */
#ifndef SVF_DATA_CSV_STOPS_H
#define SVF_DATA_CSV_STOPS_H

#include "data/csv.h"

/* Separators and newlines inside of quotes do not count. The text starts outside of quotes. */
typedef struct svf_csv_stops {
  uint32_t *stop;  /* places of the separators and newlines, then that of the end of the text; stop[-1] + 1 is 0 */
  uint32_t *line;  /* which of them are newlines, in ascending order */
  uint32_t *inner; /* places of the newlines inside of quotes */
  size_t count, lines, inners;
  bool odd; /* the lists have no meaning: there is a 0 in the text; a quote, though csv->quotes is false; or one that
               neither begins nor ends a cell, nor is one of two inside of quotes */
} svf_csv_stops;

/* Fills the lists, which have room for one more number than the text has bytes, and the counts. */
typedef void (*svf_csv_marks)(const svf_csv *csv, svf_csv_stops *found);
/* They are numbered like the tables of la.h; NULL: this processor cannot run that one. */
svf_csv_marks svf_csv_marks_at(size_t index);

/* In the room, until it is used again; false: no memory. */
bool svf_csv_find_stops(const svf_csv *csv, svf_buffer *room, svf_csv_stops *found);

#endif
