/* csv_stops.c - see csv_stops.h. */
#include "data/csv_stops.h"
#include "la/la.h"

/* csv_marks.c, compiled once per instruction set. */
extern void svf_csv_marks_portable(const svf_csv *csv, svf_csv_stops *found);
extern void svf_csv_marks_avx2(const svf_csv *csv, svf_csv_stops *found);
extern void svf_csv_marks_avx512(const svf_csv *csv, svf_csv_stops *found);
static const svf_csv_marks marks[] = SVF_LEVELS(svf_csv_marks);

svf_csv_marks svf_csv_marks_at(size_t index) { return index <= svf_la_level() ? marks[index] : NULL; }

bool svf_csv_find_stops(const svf_csv *csv, svf_buffer *room, svf_csv_stops *found) {
  size_t most =
      (size_t)(csv->text.end - csv->text.begin) + 2; /* of either, one in front of the stops, one at their end */
  room->size = 0;
  uint32_t *list = svf_buffer_grow(room, (csv->quotes ? 3 : 2) * most * sizeof *list);
  if (!list) return false;
  list[0] = UINT32_MAX;
  *found = (svf_csv_stops){.stop = list + 1, .line = list + most, .inner = list + 2 * most};
  marks[svf_la_level()](csv, found);
  return true;
}
