/* select.h - order statistics. */
#ifndef SVF_BASE_SELECT_H
#define SVF_BASE_SELECT_H

#include <stddef.h>

/* The number that would be at place k of x (n > k numbers, no NaN) if it were sorted; changes the order of x. */
float svf_select(float *x, size_t n, size_t k);
/* The same for k and for n - 1 - k; x stays as it is. scratch: n numbers. */
void svf_select_ends(const float *x, size_t n, size_t k, float *scratch, float ends[2]);

#endif
