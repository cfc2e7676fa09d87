/* cells_choose.c - which reader of short numbers this processor gets. */
#include "data/cells.h"

#include "la/la.h"

#ifdef SVF_X86
extern void svf_cells_avx2(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                           unsigned char *fine);
extern void svf_cells_avx512(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                             unsigned char *fine);
#endif

svf_cells svf_cells_at(size_t index) {
#ifdef SVF_X86
  if (index == 0 && svf_la_at(1)) return svf_cells_avx2;
  if (index == 1 && svf_la_at(2)) return svf_cells_avx512;
#endif
  (void)index;
  return NULL;
}

svf_cells svf_cells_choose(void) { return svf_cells_at(1) ? svf_cells_at(1) : svf_cells_at(0); }
