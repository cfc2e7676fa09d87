/* csv_stops.h - where the cells of a text without quotes end. */
#ifndef SVF_DATA_CSV_STOPS_H
#define SVF_DATA_CSV_STOPS_H

#include "data/csv.h"

typedef struct svf_csv_stops {
  uint32_t *stop; /* places of the separators and newlines, then that of the end of the text; stop[-1] + 1 is 0 */
  uint32_t *line; /* which of them are newlines, in ascending order; the last ones may be left out */
  size_t count, lines;
} svf_csv_stops;

/* In the room, until it is used again; false: no memory. */
bool svf_csv_find_stops(const svf_csv *csv, svf_buffer *room, svf_csv_stops *found);

#endif
