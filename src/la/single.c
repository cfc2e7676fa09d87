/* single.c - the single-precision kernels of la.h, compiled once per instruction set under the name SVF_LA_SINGLE.
 *
 * One pattern carries both the Gram matrix and the factorisation: a tile of TALL rows by up to WIDE vectors of a symmetric
 * matrix stays in registers while outer products are added to it, so that WIDE loads and TALL broadcasts feed WIDE * TALL
 * multiply-adds. */
#include "la/la.h"

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

INLINE float total(vec v) {
  quad sum;
#if defined(__AVX512F__)
  __m256 half = _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1));
  sum = (quad)_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined(__AVX2__)
  sum = (quad)_mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
#else
  sum = v;
#endif
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
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

static bool factor(size_t p, size_t ld, const float *h, float scale, const float *diagonal, float *r, float *z) {
  for (size_t k = 0; k < p; k += TALL) {
    size_t rows = p - k < TALL ? p - k : TALL, start = k & ~(size_t)(WIDTH - 1);
    for (size_t j = start; j < ld; j += WIDE * WIDTH) {
      size_t wide = (ld - j) / WIDTH;
      if (wide >= WIDE) factor_tile(WIDE, k, j, ld, h, scale, r);
      else if (wide == 2) factor_tile(2, k, j, ld, h, scale, r);
      else factor_tile(1, k, j, ld, h, scale, r);
    }
    for (size_t a = 0; a < rows; a++) r[(k + a) * ld + p] += z[k + a], r[(k + a) * ld + k + a] += diagonal[k + a];
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

/* R'z = b within one block. */
INLINE void solve_small(const float *corner, size_t ld, const float *b, float *z) {
  memcpy(z, b, TALL * sizeof *z);
  UNROLL for (size_t a = 0; a < TALL; a++) {
    z[a] *= corner[a * ld + a];
    UNROLL for (size_t c = a + 1; c < TALL; c++) z[c] -= corner[a * ld + c] * z[a];
  }
}

/* `count` vectors at a time, a constant wherever this is called. */
INLINE void forward_some(const int count, size_t p, size_t ld, const float *r, float *const *b) {
  for (size_t k = 0; k < p; k += TALL) {
    float z[4][TALL];
    for (int q = 0; q < count; q++) solve_small(r + k * ld + k, ld, b[q] + k, z[q]);
    for (size_t j = (k + TALL) & ~(size_t)(WIDTH - 1); j < ld; j += WIDTH) {
      vec sum[4];
      for (int q = 0; q < count; q++) sum[q] = load(b[q] + j);
      for (size_t a = 0; a < TALL; a++) {
        vec row = load(r + (k + a) * ld + j);
        for (int q = 0; q < count; q++) sum[q] -= z[q][a] * row;
      }
      for (int q = 0; q < count; q++) store(b[q] + j, sum[q]);
    }
    for (int q = 0; q < count; q++) memcpy(b[q] + k, z[q], sizeof z[q]);
  }
  for (int q = 0; q < count; q++)
    for (size_t j = p; j < ld; j++) b[q][j] = 0;
}

static void forward(size_t p, size_t ld, const float *r, size_t count, float *const *b) {
  size_t q = 0;
  for (; q + 4 <= count; q += 4) forward_some(4, p, ld, r, b + q);
  for (; q < count; q++) forward_some(1, p, ld, r, b + q);
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

/* CHUNK vectors of rows by `columns` vectors; columns is a constant wherever this is called. */
INLINE void score_chunk(const int columns, size_t width, const float *x, const float *const *w, float *const *s,
                        size_t at) {
  vec sum[SVF_COLUMNS][CHUNK];
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) sum[q][r] = (vec){0};
  for (size_t j = 0; j < width; j++, x += SVF_PANEL) {
    vec row[CHUNK];
    for (int r = 0; r < CHUNK; r++) row[r] = load(x + r * WIDTH);
    for (int q = 0; q < columns; q++)
      for (int r = 0; r < CHUNK; r++) sum[q][r] += w[q][j] * row[r];
  }
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) store(s[q] + at + (size_t)(r * WIDTH), sum[q][r]);
}

static void scores(size_t panels, size_t width, const float *x, size_t columns, const float *const *w,
                   float *const *s) {
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL)
    for (size_t r = 0; r < SVF_PANEL; r += CHUNK * WIDTH) {
      size_t at = b * SVF_PANEL + r;
      if (columns == 1) score_chunk(1, width, x + r, w, s, at);
      else if (columns == 2) score_chunk(2, width, x + r, w, s, at);
      else if (columns == 3) score_chunk(3, width, x + r, w, s, at);
      else score_chunk(4, width, x + r, w, s, at);
    }
}

/* The sums of one chunk of rows, for all numbers of the rows; they stay lane by lane in `sums`. */
INLINE void gather_chunk(const int columns, size_t width, const float *x, const float *const *a, size_t at,
                         float *sums) {
  vec weight[SVF_COLUMNS][CHUNK];
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) weight[q][r] = load(a[q] + at + (size_t)(r * WIDTH));
  for (size_t j = 0; j < width; j++, x += SVF_PANEL) {
    vec row[CHUNK];
    for (int r = 0; r < CHUNK; r++) row[r] = load(x + r * WIDTH);
    for (int q = 0; q < columns; q++, sums += WIDTH) {
      vec sum = load(sums);
      for (int r = 0; r < CHUNK; r++) sum += weight[q][r] * row[r];
      store(sums, sum);
    }
  }
}

static void gather(size_t panels, size_t width, const float *x, size_t columns, const float *const *a,
                   double *const *u, float *scratch) {
  for (size_t first = 0; first < panels; first += FLUSH) {
    size_t end = panels - first < FLUSH ? panels : first + FLUSH;
    memset(scratch, 0, columns * width * WIDTH * sizeof *scratch);
    for (size_t b = first; b < end; b++, x += width * SVF_PANEL)
      for (size_t r = 0; r < SVF_PANEL; r += CHUNK * WIDTH) {
        size_t at = b * SVF_PANEL + r;
        if (columns == 1) gather_chunk(1, width, x + r, a, at, scratch);
        else if (columns == 2) gather_chunk(2, width, x + r, a, at, scratch);
        else if (columns == 3) gather_chunk(3, width, x + r, a, at, scratch);
        else gather_chunk(4, width, x + r, a, at, scratch);
      }
    for (size_t j = 0; j < width; j++)
      for (size_t q = 0; q < columns; q++) u[q][j] += total(load(scratch + (j * columns + q) * WIDTH));
  }
}

/* `count` vectors of every row in the set; count is a constant wherever this is called. */
INLINE void combine_some(const int count, size_t panels, size_t ld, const float *x, const float *a,
                         const uint64_t *set, double *u) {
  vec sum[PULL];
  for (int v = 0; v < count; v++) sum[v] = (vec){0};
  for (size_t b = 0; b < panels; b++)
    for (uint64_t left = set[b]; left; left &= left - 1) {
      size_t i = b * SVF_PANEL + (size_t)__builtin_ctzll(left);
      for (int v = 0; v < count; v++) sum[v] += a[i] * load(x + i * ld + (size_t)(v * WIDTH));
    }
  for (int v = 0; v < count; v++)
    for (int l = 0; l < WIDTH; l++) u[v * WIDTH + l] += sum[v][l];
}

static void combine(size_t panels, size_t ld, const float *x, const float *a, const uint64_t *set, double *u) {
  for (size_t b = 0; b < panels; b += FLUSH_ROWS) {
    size_t some = panels - b < FLUSH_ROWS ? panels - b : FLUSH_ROWS;
    const float *from = x + b * SVF_PANEL * ld;
    for (size_t j = 0; j < ld;) {
      size_t left = (ld - j) / WIDTH;
      if (left >= PULL) combine_some(PULL, some, ld, from + j, a + b * SVF_PANEL, set + b, u + j), j += PULL * WIDTH;
      else if (left >= 4) combine_some(4, some, ld, from + j, a + b * SVF_PANEL, set + b, u + j), j += 4 * WIDTH;
      else combine_some(1, some, ld, from + j, a + b * SVF_PANEL, set + b, u + j), j += WIDTH;
    }
  }
}

static double slacks(size_t panels, const float *s, const float *v, float *a, uint64_t *set) {
  double sum = 0;
  for (size_t b = 0; b < panels; b++) {
    vec part = {0};
    uint64_t bits = 0;
    for (size_t r = 0; r < SVF_PANEL; r += WIDTH) {
      vec value = load(v + b * SVF_PANEL + r), score = load(s + b * SVF_PANEL + r);
      ivec sign = (ivec)value & INT32_MIN;
      vec slack = 1 - (vec)((ivec)score ^ sign);
      slack = (vec)((ivec)slack & (ivec)(slack > 0));
      vec pull = value * slack;
      part += (vec)((ivec)pull ^ sign) * slack;
      store(a + b * SVF_PANEL + r, pull);
      bits |= lanes(pull) << r;
    }
    set[b] = bits;
    sum += total(part);
  }
  return sum;
}

static void squares(size_t panels, size_t width, const float *x, float *square) {
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL) {
    vec sum[VECS];
    for (int r = 0; r < VECS; r++) sum[r] = (vec){0};
    for (size_t j = 0; j < width; j++)
      for (int r = 0; r < VECS; r++) {
        vec row = load(x + j * SVF_PANEL + (size_t)(r * WIDTH));
        sum[r] += row * row;
      }
    for (int r = 0; r < VECS; r++) store(square + b * SVF_PANEL + (size_t)(r * WIDTH), sum[r]);
  }
}

/* Four numbers of four rows. */
INLINE void turn(const float *x, size_t ld, float *out) {
  quad a = *(const quad *)x, b = *(const quad *)(x + ld), c = *(const quad *)(x + 2 * ld),
       d = *(const quad *)(x + 3 * ld);
  quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  quad ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(quad *)out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(quad *)(out + SVF_PANEL) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(quad *)(out + 2 * SVF_PANEL) = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
  *(quad *)(out + 3 * SVF_PANEL) = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
}

static void panels(size_t count, size_t width, size_t ld, const float *x, float *out) {
  for (size_t b = 0; b < count; b++, x += SVF_PANEL * ld, out += SVF_PANEL * width) {
    size_t j = 0;
    for (; j + 4 <= width; j += 4)
      for (size_t i = 0; i < SVF_PANEL; i += 4) turn(x + i * ld + j, ld, out + j * SVF_PANEL + i);
    for (; j < width; j++)
      for (size_t i = 0; i < SVF_PANEL; i++) out[j * SVF_PANEL + i] = x[i * ld + j];
  }
}

extern const svf_single SVF_LA_SINGLE;
const svf_single SVF_LA_SINGLE = {add,    extend, rank,    factor, forward, backward,
                                  scores, gather, combine, slacks, squares, panels};
