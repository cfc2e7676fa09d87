/* dispatch.c - which table of kernels this processor gets. */
#include "la/la.h"

extern const svf_la svf_la_portable;
#ifdef SVF_X86
#include <cpuid.h>

extern const svf_la svf_la_avx2, svf_la_avx512;

/* 0, 1 or 2: the best of the tables that processor and system run. Set once, when the library is loaded, as
 * __builtin_cpu_supports would; that needs a library of gcc, which other compilers do not bring. */
static size_t level;

enum { OSXSAVE = 1 << 27, FMA = 1 << 12, AVX2 = 1 << 5 };
#define AVX512 (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) /* F, DQ, CD, BW, VL */

/* Registers that the system saves. */
static unsigned saved(void) {
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  (void)high;
  return low;
}

__attribute__((constructor)) static void find_level(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) || !(c & FMA) || (saved() & 0x6) != 0x6) return;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & AVX2)) return;
  level = (b & AVX512) == AVX512 && (saved() & 0xe6) == 0xe6 ? 2 : 1;
}
#endif

const svf_la *svf_la_at(size_t index) {
  if (index == 0) return &svf_la_portable;
#ifdef SVF_X86
  if (index == 1) return level >= 1 ? &svf_la_avx2 : NULL;
  if (index == 2) return level >= 2 ? &svf_la_avx512 : NULL;
#endif
  return NULL;
}

const svf_la *svf_la_choose(bool portable) {
  const svf_la *best = svf_la_at(0);
  for (size_t i = 1; i < 3 && !portable; i++)
    if (svf_la_at(i)) best = svf_la_at(i);
  return best;
}
