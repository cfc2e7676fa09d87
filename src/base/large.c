/* large.c - see large.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

void *svf_large_alloc(size_t size) {
  char *block = malloc(size);
#ifdef MADV_HUGEPAGE
  if (!block || size < 2 * PAGE) return block;
  size_t skip = -(uintptr_t)block % PAGE, pages = (size - skip) / PAGE;
  madvise(block + skip, pages * PAGE, MADV_HUGEPAGE); /* a wish: a refusal changes nothing */
#endif
  return block;
}
