/* select.c - Hoare's selection: partition, and go on in the part that has place k. */
#include "base/select.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A place in first..last; numbers that would make partitions bad would have to know which. */
static ptrdiff_t pivot_in(ptrdiff_t first, ptrdiff_t last, uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return first + (ptrdiff_t)((*state >> 33) % (uint64_t)(last - first + 1));
}

float svf_select(float *x, size_t n, size_t k) {
  ptrdiff_t first = 0, last = (ptrdiff_t)n - 1, place = (ptrdiff_t)k;
  uint64_t state = n;
  while (first < last) {
    float pivot = x[pivot_in(first, last, &state)];
    ptrdiff_t i = first, j = last;
    do {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i > j) break;
      float t = x[i]; /* equal numbers change places too: they are then shared out to both sides */
      x[i++] = x[j];
      x[j--] = t;
    } while (i <= j);
    /* up to j nothing is above the pivot, from i on nothing below it, and what is between is the pivot */
    if (j < place) first = i;
    if (place < i) last = j;
  }
  return x[k];
}

enum { BINS = 256 };

/* Of bins with `count` numbers each the one that has place k, which then is counted from its first number. */
static size_t bin_of(const uint32_t *count, size_t *k) {
  size_t bin = 0;
  while (*k >= count[bin]) *k -= count[bin++];
  return bin;
}

/* Numbers go to bins in the order of their size: what is looked for is in one that is known from the counts. */
void svf_select_ends(const float *x, size_t n, size_t k, float *scratch, float ends[2]) {
  uint32_t count[BINS] = {0};
  float low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n; i++) low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
  float width = high - low, scale = (BINS - 1) / width;
  bool binned = width < INFINITY && scale < INFINITY;
  for (size_t i = 0; binned && i < n; i++) count[(int)((x[i] - low) * scale)]++;
  for (int side = 0; side < 2; side++) {
    size_t place = side ? n - 1 - k : k, some = 0;
    int bin = binned ? (int)bin_of(count, &place) : 0;
    for (size_t i = 0; i < n; i++) {
      scratch[some] = x[i];
      some += !binned || (int)((x[i] - low) * scale) == bin;
    }
    ends[side] = svf_select(scratch, some, place);
  }
}
