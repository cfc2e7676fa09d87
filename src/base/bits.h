/* bits.h - words as sets of 64. */
#ifndef SVF_BASE_BITS_H
#define SVF_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

/* How many bits of a word are set. (Processors have an instruction for it, but not all that this runs on.) */
static inline size_t svf_bits(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return (size_t)(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

#endif
