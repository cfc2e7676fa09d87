/* large.c - see large.h. */
#define _DEFAULT_SOURCE /* madvise, posix_memalign */
#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21 };

void svf_large_pages(void *block, size_t size) {
#ifdef MADV_HUGEPAGE
  size_t skip = -(uintptr_t)block % PAGE;
  if (size < skip + PAGE) return;
  madvise((char *)block + skip, (size - skip) / PAGE * PAGE, MADV_HUGEPAGE); /* a wish: a refusal changes nothing */
#else
  (void)block, (void)size;
#endif
}

void *svf_large_alloc(size_t size) {
#ifdef MADV_HUGEPAGE
  void *block;
  size_t rest = size % PAGE,
         all = rest >= PAGE / 2 ? size - rest + PAGE : size; /* the last page is large, too, or many small */
  if (size < PAGE) return malloc(size);
  if (posix_memalign(&block, PAGE, all)) return NULL;
  svf_large_pages(block, all);
  return block;
#else
  return malloc(size);
#endif
}
