/* csv_lanes_choose.c - which reader of short numbers this processor gets. */
#include "data/csv_lanes.h"

#include "la/la.h"

#ifdef SVF_X86
extern void svf_csv_lanes_avx2(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                               unsigned char *fine);
extern void svf_csv_lanes_avx512(const char *text, const uint32_t *stop, size_t width, size_t row,
                                 double *const *value, unsigned char *fine);
#endif

svf_csv_lanes svf_csv_lanes_at(size_t index) {
#ifdef SVF_X86
  if (index == 0 && svf_la_at(1)) return svf_csv_lanes_avx2;
  if (index == 1 && svf_la_at(2)) return svf_csv_lanes_avx512;
#endif
  (void)index;
  return NULL;
}

svf_csv_lanes svf_csv_lanes_choose(void) { return svf_csv_lanes_at(1) ? svf_csv_lanes_at(1) : svf_csv_lanes_at(0); }
