/* npy_types.c - from the numbers of an array file, of any type that is known, to doubles. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "data/npy.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE(size, k) ((size)-1 - (k))
#else
#define BYTE(size, k) (k)
#endif

typedef double pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef int64_t pair_flags __attribute__((vector_size(16)));

static inline pair_flags infinite(pair x) {
  const pair_flags size = {INT64_MAX, INT64_MAX}; /* all bits but the sign */
  return (pair)((pair_flags)x & size) > (pair){DBL_MAX, DBL_MAX};
}

static bool any_infinite(const double *value, size_t count) {
  pair_flags found = {0};
  size_t i = 0;
  for (; i + 2 <= count; i += 2) found |= infinite(*(const pair *)(value + i));
  return found[0] || found[1] || (i < count && isinf(value[i]));
}

#define MOVE(name, type)                                                                                             \
  static bool name(const char *at, size_t step, size_t count, double *out) {                                         \
    for (size_t i = 0; i < count; i++, at += step) {                                                                 \
      type value;                                                                                                    \
      char byte[sizeof value];                                                                                       \
      for (size_t k = 0; k < sizeof value; k++) byte[BYTE(sizeof value, k)] = at[k];                                 \
      memcpy(&value, byte, sizeof value);                                                                            \
      out[i] = (double)value;                                                                                        \
    }                                                                                                                \
    return (type).5 > 0 && any_infinite(out, count); /* of integers none is */                                       \
  }

MOVE(real8, double)
MOVE(real4, float)
MOVE(signed1, int8_t)
MOVE(signed2, int16_t)
MOVE(signed4, int32_t)
MOVE(signed8, int64_t)
MOVE(unsigned1, uint8_t)
MOVE(unsigned2, uint16_t)
MOVE(unsigned4, uint32_t)

static bool boolean(const char *at, size_t step, size_t count, double *out) {
  for (size_t i = 0; i < count; i++, at += step) out[i] = *at != 0;
  return false;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TWO_REAL8 NULL
#else
#define TWO_REAL8 two_real8
/* Transposes blocks of 2 x 2. */
static bool two_real8(const char *at, size_t step, size_t count, double *const out[2]) {
  double *left = out[0], *right = out[1];
  pair_flags found = {0};
  size_t i = 0;
  for (; i + 2 <= count; i += 2, at += 2 * step) {
    pair a, b;
    memcpy(&a, at, sizeof a);
    memcpy(&b, at + step, sizeof b);
    *(pair *)(left + i) = __builtin_shufflevector(a, b, 0, 2);
    *(pair *)(right + i) = __builtin_shufflevector(a, b, 1, 3);
    found |= infinite(a) | infinite(b);
  }
  bool first = i < count && real8(at, step, 1, left + i);
  bool second = i < count && real8(at + sizeof *left, step, 1, right + i);
  return found[0] || found[1] || first || second;
}
#endif

const svf_npy_type *svf_npy_type_of(const char *descr) {
  static const svf_npy_type types[] = {{"<f8", 8, real8, TWO_REAL8}, {"<f4", 4, real4, NULL},
                                       {"|i1", 1, signed1, NULL},    {"<i2", 2, signed2, NULL},
                                       {"<i4", 4, signed4, NULL},    {"<i8", 8, signed8, NULL},
                                       {"|u1", 1, unsigned1, NULL},  {"<u2", 2, unsigned2, NULL},
                                       {"<u4", 4, unsigned4, NULL},  {"|b1", 1, boolean, NULL}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].descr, descr) == 0) return &types[i];
  return NULL;
}
