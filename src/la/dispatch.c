/* dispatch.c - which table of kernels this processor gets. */
#include "la/la.h"

#ifdef SVF_X86
#include <cpuid.h>
#endif

extern const svf_la svf_la_portable, svf_la_avx2, svf_la_avx512;

/* The best of the tables that processor and system run. Set once, when the library is loaded, as __builtin_cpu_supports would;
 * that needs a library of gcc, which other compilers do not bring. */
static size_t level;

#ifdef SVF_X86
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

static const svf_la *const tables[] = SVF_LEVELS(&svf_la);

size_t svf_la_level(void) { return level; }

const svf_la *svf_la_at(size_t index) { return index <= level ? tables[index] : NULL; }

const svf_la *svf_la_choose(bool portable) { return tables[portable ? 0 : level]; }
