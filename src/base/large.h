/* large.h - memory for large arrays. */
#ifndef SVF_BASE_LARGE_H
#define SVF_BASE_LARGE_H

#include <stddef.h>

/* malloc, in large pages where the system has them: an array of many megabytes is then there sooner. For free. */
void *svf_large_alloc(size_t size);
/* The same wish for memory that is there but not used yet. */
void svf_large_pages(void *block, size_t size);

#endif
