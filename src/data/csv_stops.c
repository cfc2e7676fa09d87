/* csv_stops.c - see csv_stops.h. */
#include "data/csv_stops.h"

bool svf_csv_find_stops(const svf_csv *csv, svf_buffer *room, svf_csv_stops *found) {
  size_t most =
      (size_t)(csv->text.end - csv->text.begin) + 2; /* of either, one in front of the stops, one at their end */
  room->size = 0;
  uint32_t *list = svf_buffer_grow(room, (csv->quotes ? 3 : 2) * most * sizeof *list);
  if (!list) return false;
  list[0] = UINT32_MAX;
  *found = (svf_csv_stops){.stop = list + 1, .line = list + most, .inner = list + 2 * most};
  svf_csv_marks_choose()(csv, found);
  return true;
}
