/* csv_choose.c - which readers of CSV this processor gets. */
#include "data/csv_lanes.h"
#include "data/csv_stops.h"
#include "la/la.h"

extern void svf_csv_marks_portable(const svf_csv *csv, svf_csv_stops *found);
#ifdef SVF_X86
extern void svf_csv_marks_avx2(const svf_csv *csv, svf_csv_stops *found);
extern void svf_csv_marks_avx512(const svf_csv *csv, svf_csv_stops *found);
extern void svf_csv_lanes_avx2(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                               unsigned char *fine);
extern void svf_csv_lanes_avx512(const char *text, const uint32_t *stop, size_t width, size_t row,
                                 double *const *value, unsigned char *fine);
#endif

svf_csv_marks svf_csv_marks_at(size_t index) {
#ifdef SVF_X86
  if (index == 1 && svf_la_at(1)) return svf_csv_marks_avx2;
  if (index == 2 && svf_la_at(2)) return svf_csv_marks_avx512;
#endif
  return index == 0 ? svf_csv_marks_portable : NULL;
}

svf_csv_marks svf_csv_marks_choose(void) {
  size_t index = 2;
  while (!svf_csv_marks_at(index)) index--;
  return svf_csv_marks_at(index);
}

svf_csv_lanes svf_csv_lanes_at(size_t index) {
#ifdef SVF_X86
  if (index == 1 && svf_la_at(1)) return svf_csv_lanes_avx2;
  if (index == 2 && svf_la_at(2)) return svf_csv_lanes_avx512;
#endif
  (void)index;
  return NULL;
}

svf_csv_lanes svf_csv_lanes_choose(void) { return svf_csv_lanes_at(2) ? svf_csv_lanes_at(2) : svf_csv_lanes_at(1); }
