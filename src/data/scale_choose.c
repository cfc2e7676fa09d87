/* scale_choose.c - which passes over a column this processor gets. */
#include "data/scale_lanes.h"
#include "la/la.h"

extern const svf_scale_lanes svf_scale_lanes_portable;
#ifdef SVF_X86
extern const svf_scale_lanes svf_scale_lanes_avx2, svf_scale_lanes_avx512;
#endif

const svf_scale_lanes *svf_scale_lanes_at(size_t index) {
#ifdef SVF_X86
  if (index == 1 && svf_la_at(1)) return &svf_scale_lanes_avx2;
  if (index == 2 && svf_la_at(2)) return &svf_scale_lanes_avx512;
#endif
  return index == 0 ? &svf_scale_lanes_portable : NULL;
}

const svf_scale_lanes *svf_scale_lanes_choose(void) {
  size_t index = 2;
  while (!svf_scale_lanes_at(index)) index--;
  return svf_scale_lanes_at(index);
}
