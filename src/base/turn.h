/* turn.h - four numbers of four rows become four of one each. */
#ifndef SVF_BASE_TURN_H
#define SVF_BASE_TURN_H

#include <stddef.h>

typedef float svf_quad __attribute__((vector_size(16), may_alias, aligned(4)));

/* out[k * step + i] = x[i][k], i and k below 4. */
static inline __attribute__((always_inline)) void svf_turn(const float *const x[4], float *out, size_t step) {
  svf_quad a = *(const svf_quad *)x[0], b = *(const svf_quad *)x[1], c = *(const svf_quad *)x[2],
           d = *(const svf_quad *)x[3];
  svf_quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  svf_quad ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(svf_quad *)out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(svf_quad *)(out + step) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(svf_quad *)(out + 2 * step) = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
  *(svf_quad *)(out + 3 * step) = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

#endif
