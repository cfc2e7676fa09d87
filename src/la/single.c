/* single.c - the single-precision kernels of la.h, compiled once per instruction set under the name SVF_LA_SINGLE.
 *
 * One pattern carries both the Gram matrix and the factorisation: a tile of TALL rows by up to WIDE vectors of a symmetric
 * matrix stays in registers while outer products are added to it, so that WIDE loads and TALL broadcasts feed WIDE * TALL
 * multiply-adds. */
#include "la/la.h"
#include "base/turn.h"

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 16, TALL = 8, WIDE = 3, PULL = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 8, TALL = 4, WIDE = 3, PULL = 4 };
#else
enum { WIDTH = 4, TALL = 4, WIDE = 2, PULL = 4 };
#endif
enum { VECS = SVF_PANEL / WIDTH };       /* vectors of a panel's rows */
enum { CHUNK = WIDTH == 16 ? 4 : 2 };    /* of which that many stay in registers */
enum { FLUSH = 64, FLUSH_ROWS = 8 };     /* panels whose sums are single precision before they join doubles */
enum { CACHE = 196608 / sizeof(float) }; /* numbers of rows that a tile is made from at a time: the second cache */

typedef float vec __attribute__((vector_size(WIDTH * sizeof(float)), may_alias));
typedef int32_t ivec __attribute__((vector_size(WIDTH * sizeof(int32_t)), may_alias));
typedef float corner_row __attribute__((vector_size(TALL * sizeof(float)), may_alias));
typedef float quad __attribute__((vector_size(16), may_alias));

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p) { return *(const vec *)p; }
INLINE void store(float *p, vec v) { *(vec *)p = v; }

/* The sum of each fourth lane. */
INLINE quad quarter(vec v) {
#if defined(__AVX512F__)
  __m256 half = _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1));
  return (quad)_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined(__AVX2__)
  return (quad)_mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
#else
  return v;
#endif
}

INLINE float total(vec v) {
  quad sum = quarter(v);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* The same of four vectors. */
INLINE quad totals_of(vec a, vec b, vec c, vec d) {
  quad e = quarter(a), f = quarter(b), g = quarter(c), h = quarter(d);
  quad ef = __builtin_shufflevector(e, f, 0, 4, 1, 5) + __builtin_shufflevector(e, f, 2, 6, 3, 7);
  quad gh = __builtin_shufflevector(g, h, 0, 4, 1, 5) + __builtin_shufflevector(g, h, 2, 6, 3, 7);
  return __builtin_shufflevector(ef, gh, 0, 1, 4, 5) + __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

/* One bit per lane: is it not 0? */
INLINE uint64_t lanes(vec v) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_NEQ_OQ);
#elif defined(__AVX2__)
  return (uint64_t)_mm256_movemask_ps((__m256)(v != 0));
#elif defined(__SSE2__)
  return (uint64_t)_mm_movemask_ps((__m128)(v != 0));
#else
  uint64_t bits = 0;
  for (int i = 0; i < WIDTH; i++) bits |= (uint64_t)(v[i] != 0) << i;
  return bits;
#endif
}

static void add(size_t n, const float *x, float *y) {
  for (size_t i = 0; i < n; i += WIDTH) store(y + i, load(y + i) + load(x + i));
}

static void extend(size_t n, float a, const float *x, const float *last, float *y) {
  for (size_t i = 0; i < n; i += WIDTH) store(y + i, load(x + i) + a * (load(x + i) - load(last + i)));
}

/* H at (i, j) += sum_q a[q] x_q x_q'; `wide` is a constant wherever this is called. */
INLINE void rank_tile(const int wide, size_t i, size_t j, size_t ld, size_t count, const float *const *x,
                      const float *a, float *h) {
  vec sum[TALL][WIDE];
  for (int r = 0; r < TALL; r++)
    for (int v = 0; v < wide; v++) sum[r][v] = load(h + (i + (size_t)r) * ld + j + (size_t)(v * WIDTH));
  for (size_t q = 0; q < count; q++) {
    const float *row = x[q];
    vec t[WIDE];
    for (int v = 0; v < wide; v++) t[v] = a[q] * load(row + j + (size_t)(v * WIDTH));
    for (int r = 0; r < TALL; r++)
      for (int v = 0; v < wide; v++) sum[r][v] += row[i + (size_t)r] * t[v];
  }
  for (int r = 0; r < TALL; r++)
    for (int v = 0; v < wide; v++) store(h + (i + (size_t)r) * ld + j + (size_t)(v * WIDTH), sum[r][v]);
}

static void rank(size_t p, size_t ld, size_t count, const float *const *x, const float *a, float *h) {
  size_t most = CACHE / ld > 16 ? CACHE / ld : 16;
  for (size_t q = 0; q < count; q += most) {
    size_t some = count - q < most ? count - q : most;
    for (size_t i = 0; i < p; i += TALL)
      for (size_t j = i & ~(size_t)(WIDTH - 1); j < ld; j += WIDE * WIDTH) {
        size_t wide = (ld - j) / WIDTH;
        if (wide >= WIDE) rank_tile(WIDE, i, j, ld, some, x + q, a + q, h);
        else if (wide == 2) rank_tile(2, i, j, ld, some, x + q, a + q, h);
        else rank_tile(1, i, j, ld, some, x + q, a + q, h);
      }
  }
}

/* out += sum, as many numbers at a time as a vector of doubles has at most; `wide` is a constant wherever this is called. */
INLINE void outer_join(const int wide, vec sum[TALL][WIDE], size_t columns, double *out, size_t ld) {
  enum { EACH = WIDTH < 8 ? WIDTH : 8 };
  typedef float some __attribute__((vector_size(EACH * sizeof(float)), may_alias));
  typedef double wider __attribute__((vector_size(EACH * sizeof(double)), may_alias, aligned(8)));
  for (int r = 0; r < TALL; r++)
    for (int v = 0; v < wide; v++)
      for (size_t l = 0; l < WIDTH && (size_t)(v * WIDTH) + l < columns; l += EACH)
        *(wider *)(out + (size_t)r * ld + (size_t)(v * WIDTH) + l) +=
            __builtin_convertvector(((const some *)&sum[r][v])[l / EACH], wider);
}

INLINE void outer_tile(const int wide, size_t columns, size_t count, const float *x, const float *z, double *out,
                       size_t ld) {
  vec sum[TALL][WIDE];
  for (int r = 0; r < TALL; r++)
    for (int v = 0; v < wide; v++) sum[r][v] = (vec){0};
  for (size_t q = 0; q < count; q++, x += SVF_LANES, z += SVF_STRIP) {
    vec t[WIDE];
    for (int v = 0; v < wide; v++) t[v] = load(z + v * WIDTH);
    for (int r = 0; r < TALL; r++)
      for (int v = 0; v < wide; v++) sum[r][v] += x[r] * t[v];
  }
  outer_join(wide, sum, columns, out, ld);
}

static void outer(size_t columns, size_t count, const float *x, const float *z, double *out, size_t ld) {
  for (size_t i = 0; i < SVF_LANES; i += TALL)
    for (size_t j = 0; j < columns; j += WIDE * WIDTH) {
      size_t left = columns - j;
      double *to = out + i * ld + j;
      if (left > 2 * WIDTH) outer_tile(WIDE, left, count, x + i, z + j, to, ld);
      else if (left > WIDTH) outer_tile(2, left, count, x + i, z + j, to, ld);
      else outer_tile(1, left, count, x + i, z + j, to, ld);
    }
}

/* Rows k.. of R, columns j..: scale H - sum over the rows of R above. */
INLINE void factor_tile(const int wide, size_t k, size_t j, size_t ld, const float *h, float scale, float *r) {
  vec sum[TALL][WIDE];
  for (int a = 0; a < TALL; a++)
    for (int v = 0; v < wide; v++) sum[a][v] = scale * load(h + (k + (size_t)a) * ld + j + (size_t)(v * WIDTH));
  const float *row = r;
  for (size_t q = 0; q < k; q++, row += ld) {
    vec t[WIDE];
    for (int v = 0; v < wide; v++) t[v] = load(row + j + (size_t)(v * WIDTH));
    for (int a = 0; a < TALL; a++)
      for (int v = 0; v < wide; v++) sum[a][v] -= row[k + (size_t)a] * t[v];
  }
  for (int a = 0; a < TALL; a++)
    for (int v = 0; v < wide; v++) store(r + (k + (size_t)a) * ld + j + (size_t)(v * WIDTH), sum[a][v]);
}

/* The factor of the block on the diagonal, upper; inverse: 1 / its diagonal, 0 for rows beyond the last. What stands left
 * of the diagonal is of no use. Everything stays in registers; roots are taken at the end, where nothing waits for them. */
INLINE bool factor_corner(size_t rows, size_t ld, const float *corner, corner_row f[TALL], float inverse[TALL]) {
  float pivot[TALL];
  bool fine = true;
  UNROLL for (int a = 0; a < TALL; a++) f[a] = *(const corner_row *)(corner + (size_t)a * ld);
  UNROLL for (int a = 0; a < TALL; a++) {
    pivot[a] = f[a][a];
    corner_row scaled = f[a] / pivot[a];
    UNROLL for (int b = a + 1; b < TALL; b++) f[b] -= f[a][b] * scaled;
  }
  UNROLL for (int a = 0; a < TALL; a++) {
    bool there = (size_t)a < rows;
    fine = fine && (!there || (pivot[a] > 0 && pivot[a] < HUGE_VALF));
    inverse[a] = there ? 1 / sqrtf(pivot[a]) : 0;
    f[a] *= inverse[a];
    if (!there) f[a] = (corner_row){0};
  }
  return fine;
}

/* R'^-1 of the corner, applied to one vector of each of its rows. */
INLINE void solve_corner(const float f[TALL][TALL], const float inverse[TALL], size_t ld, float *r) {
  vec row[TALL];
  UNROLL for (int a = 0; a < TALL; a++) row[a] = load(r + (size_t)a * ld);
  UNROLL for (int a = 0; a < TALL; a++) {
    row[a] *= inverse[a];
    UNROLL for (int b = a + 1; b < TALL; b++) row[b] -= f[a][b] * row[a];
    store(r + (size_t)a * ld, row[a]);
  }
}

static bool factor(const svf_system *system, float *r, float *z) {
  size_t p = system->p, ld = system->ld;
  const float *h = system->h;
  float scale = system->scale;
  for (size_t k = 0; k < p; k += TALL) {
    if (svf_la_stopped(system->stop)) return false;
    size_t rows = p - k < TALL ? p - k : TALL, start = k & ~(size_t)(WIDTH - 1);
    for (size_t j = start; j < ld; j += WIDE * WIDTH) {
      size_t wide = (ld - j) / WIDTH;
      if (wide >= WIDE) factor_tile(WIDE, k, j, ld, h, scale, r);
      else if (wide == 2) factor_tile(2, k, j, ld, h, scale, r);
      else factor_tile(1, k, j, ld, h, scale, r);
    }
    for (size_t a = 0; a < rows; a++)
      r[(k + a) * ld + p] += z[k + a], r[(k + a) * ld + k + a] += system->diagonal[k + a];
    corner_row corner[TALL];
    float f[TALL][TALL], inverse[TALL];
    if (!factor_corner(rows, ld, r + k * ld + k, corner, inverse)) return false;
    memcpy(f, corner, sizeof f);
    for (size_t j = start; j < ld; j += WIDTH) solve_corner(f, inverse, ld, r + k * ld + j);
    for (size_t a = 0; a < TALL; a++) r[(k + a) * ld + k + a] = inverse[a];
    for (size_t a = 0; a < rows; a++) z[k + a] = r[(k + a) * ld + p];
  }
  return true;
}

static void backward(size_t p, size_t ld, const float *r, const float *z, float *v) {
  memset(v, 0, ld * sizeof *v);
  for (size_t k = (p - 1) & ~(size_t)(TALL - 1);; k -= TALL) {
    const float *row = r + k * ld;
    vec sum[TALL];
    for (int a = 0; a < TALL; a++) sum[a] = (vec){0};
    for (size_t j = (k + TALL) & ~(size_t)(WIDTH - 1); j < ld; j += WIDTH)
      for (int a = 0; a < TALL; a++) sum[a] += load(row + (size_t)a * ld + j) * load(v + j);
    float found[TALL];
    for (int a = 0; a < TALL; a++) found[a] = z[k + (size_t)a] - total(sum[a]);
    UNROLL for (size_t c = TALL; c-- > 0;) {
      found[c] *= row[c * ld + k + c];
      UNROLL for (size_t a = 0; a < c; a++) found[a] -= row[a * ld + k + c] * found[c];
    }
    for (size_t a = 0; a < TALL && k + a < p; a++) v[k + a] = found[a];
    if (k == 0) return;
  }
}

#include "la/panels.h"

#include "la/border.h"

#include "la/systems.h"

extern const svf_single SVF_LA_SINGLE;
const svf_single SVF_LA_SINGLE = {add,      extend,        rank,   outer,      factor,   correct,
                                  backward, solve_systems, scores, row_scores, products, gather,
                                  combine,  slacks,        look,   squares,    largest,  panels};
