/* scale_lanes.c - see scale_lanes.h; compiled once per instruction set, without contracted products: results are the same. */
#include "data/scale_lanes.h"

#include <math.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double)), may_alias, aligned(8)));
typedef int64_t lvec __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef int32_t ivec __attribute__((vector_size(WIDTH * sizeof(int32_t)), may_alias));
typedef float fvec __attribute__((vector_size(WIDTH * sizeof(float)), may_alias, aligned(4)));
enum { STEP = 4 * WIDTH }; /* numbers at a time: what is made of them need not wait */

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const double *p) { return *(const vec *)p; }

/* The lesser, and the larger; b where one is NaN. */
#if defined(__AVX512F__)
INLINE vec lesser(vec a, vec b) { return (vec)_mm512_min_pd((__m512d)a, (__m512d)b); }
INLINE vec larger(vec a, vec b) { return (vec)_mm512_max_pd((__m512d)a, (__m512d)b); }
#elif defined(__AVX2__)
INLINE vec lesser(vec a, vec b) { return (vec)_mm256_min_pd((__m256d)a, (__m256d)b); }
INLINE vec larger(vec a, vec b) { return (vec)_mm256_max_pd((__m256d)a, (__m256d)b); }
#else
INLINE vec choose(lvec yes, vec a, vec b) { return (vec)(((lvec)a & yes) | ((lvec)b & ~yes)); }
INLINE vec lesser(vec a, vec b) { return choose(a < b, a, b); }
INLINE vec larger(vec a, vec b) { return choose(a > b, a, b); }
#endif

/* Is there a lane that is not 0? */
INLINE bool any(lvec v) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)v, (__m512i)v);
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined(__SSE2__)
  return _mm_movemask_epi8((__m128i)v); /* lanes are 0 or -1 */
#else
  int64_t sum = 0;
  for (int l = 0; l < WIDTH; l++) sum |= v[l];
  return sum;
#endif
}

static size_t range(size_t n, const double *x, double *low, double *high) {
  vec least[4], most[4];
  lvec absent[4];
  size_t i = 0, missing = 0;
  *low = INFINITY, *high = -INFINITY;
  for (int q = 0; q < 4; q++) least[q] = *low + (vec){0}, most[q] = *high + (vec){0}, absent[q] = (lvec){0};
  for (; i + STEP <= n; i += STEP)
    for (int q = 0; q < 4; q++) {
      vec here = load(x + i + (size_t)(q * WIDTH));
      least[q] = lesser(here, least[q]);
      most[q] = larger(here, most[q]);
      absent[q] += here != here;
    }
  for (int q = 0; q < 4; q++)
    for (int l = 0; l < WIDTH; l++) {
      if (least[q][l] < *low) *low = least[q][l];
      if (most[q][l] > *high) *high = most[q][l];
      missing += (size_t)-absent[q][l];
    }
  for (; i < n; i++) {
    if (x[i] < *low) *low = x[i];
    if (x[i] > *high) *high = x[i];
    missing += x[i] != x[i];
  }
  *low += 0., *high += 0.; /* no -0, which would come and go with the order */
  return missing;
}

static void tally(size_t n, const double *x, const svf_bins *bins, uint32_t *count) {
  size_t i = 0;
  for (; i + STEP <= n; i += STEP) {
    int32_t bin[STEP] __attribute__((aligned(64)));
    for (size_t l = 0; l < STEP; l += WIDTH)
      *(ivec *)&bin[l] = __builtin_convertvector((load(x + i + l) - bins->low) * bins->scale, ivec);
    for (size_t l = 0; l < STEP; l++) count[bin[l]]++;
  }
  for (; i < n; i++) count[svf_bin_of(bins, x[i])]++;
}

static size_t keep(size_t n, const double *x, const svf_bins *bins, int bin, double *out) {
  size_t kept = 0, i = 0;
  for (; i + STEP <= n; i += STEP) {
    lvec found = {0};
    for (int q = 0; q < 4; q++) {
      vec at = (load(x + i + (size_t)(q * WIDTH)) - bins->low) * bins->scale;
      found |= (at >= bin) & (at < bin + 1);
    }
    for (size_t l = i; any(found) && l < i + STEP; l++)
      if (svf_bin_of(bins, x[l]) == bin) out[kept++] = x[l];
  }
  for (; i < n; i++)
    if (svf_bin_of(bins, x[i]) == bin) out[kept++] = x[i];
  return kept;
}

/* The compiler makes vectors of this one by itself. */
static bool encode_clipped(size_t n, const double *x, const svf_affine *map, float *out) {
  int missing = 0;
  for (size_t i = 0; i < n; i++) {
    double z = (x[i] / 2 - map->half_shift) * map->twice_scale;
    z = z > map->limit ? map->limit : z < -map->limit ? -map->limit : z;
    missing |= z != z;
    out[i] = (float)svf_clip(z);
  }
  return missing;
}

static bool encode(size_t n, const double *x, const svf_affine *map, float *out) {
  vec most = map->limit + (vec){0};
  lvec absent = {0};
  size_t i = 0;
  bool missing = false;
  if (map->clipped) return encode_clipped(n, x, map, out);
  for (; i + WIDTH <= n; i += WIDTH) {
    vec encoded = (load(x + i) / 2 - map->half_shift) * map->twice_scale;
    absent |= encoded != encoded;
    encoded = larger(-most, lesser(most, encoded));
    *(fvec *)(out + i) = __builtin_convertvector(encoded, fvec);
  }
  for (; i < n; i++) {
    out[i] = (float)svf_affine_of(map, x[i]);
    missing |= out[i] != out[i];
  }
  return any(absent) || missing;
}

extern const svf_scale_lanes SVF_SCALE_LANES;
const svf_scale_lanes SVF_SCALE_LANES = {range, tally, keep, encode};
