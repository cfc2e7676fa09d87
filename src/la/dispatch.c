/* dispatch.c - which table of kernels this processor gets. */
#include "la/la.h"

extern const svf_la svf_la_portable;
#ifdef SVF_X86
extern const svf_la svf_la_avx2, svf_la_avx512;

static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

const svf_la *svf_la_at(size_t index) {
  if (index == 0) return &svf_la_portable;
#ifdef SVF_X86
  if (index == 1) return has_avx2() ? &svf_la_avx2 : NULL;
  if (index == 2) return has_avx512() ? &svf_la_avx512 : NULL;
#endif
  return NULL;
}

const svf_la *svf_la_choose(bool portable) {
  const svf_la *best = svf_la_at(0);
  for (size_t i = 1; i < 3 && !portable; i++)
    if (svf_la_at(i)) best = svf_la_at(i);
  return best;
}
