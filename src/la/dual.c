/* dual.c - the kernels of dual.h, compiled once per instruction set under the name SVF_LA_DUAL. */
#include "la/dual.h"

#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef float half __attribute__((vector_size(WIDTH * sizeof(float)), may_alias));
typedef int64_t lvec __attribute__((vector_size(WIDTH * sizeof(int64_t)), may_alias));

typedef int32_t ivec __attribute__((vector_size(WIDTH * sizeof(int32_t)), may_alias));

enum { LANES = 8 };

static inline size_t padded(size_t n) { return (n + LANES - 1) & ~(size_t)(LANES - 1); }
static inline vec load(const double *p) { return *(const vec *)p; }
static inline void store(double *p, vec v) { *(vec *)p = v; }
typedef float loose __attribute__((vector_size(WIDTH * sizeof(float)), aligned(4), may_alias));
#if defined(__AVX512F__) /* the plain form takes three times as many instructions */
static inline vec widen(const float *p) { return (vec)_mm512_cvtps_pd(_mm256_load_ps(p)); }
static inline vec widen_loose(const float *p) { return (vec)_mm512_cvtps_pd(_mm256_loadu_ps(p)); }
#else
static inline vec widen(const float *p) { return __builtin_convertvector(*(const half *)p, vec); }
static inline vec widen_loose(const float *p) { return __builtin_convertvector(*(const loose *)p, vec); }
#endif
static inline vec choose(lvec yes, vec a, vec b) { return (vec)(((lvec)a & yes) | ((lvec)b & ~yes)); }
static inline vec all(double x) { return x - (vec){0}; }

static inline lvec numbers(void) {
  lvec v;
  for (int i = 0; i < WIDTH; i++) v[i] = i;
  return v;
}

/* Lane i gets what lane i ^ span had: three, two or one steps bring all lanes together without a branch. */
#if defined(__AVX512F__)
#define SWAP4(v)  __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3)
#define SWAP2(v)  __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5)
#define SWAP1(v)  __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define FOLD(one) one(SWAP4) one(SWAP2) one(SWAP1)
#elif defined(__AVX2__)
#define SWAP2(v)  __builtin_shufflevector(v, v, 2, 3, 0, 1)
#define SWAP1(v)  __builtin_shufflevector(v, v, 1, 0, 3, 2)
#define FOLD(one) one(SWAP2) one(SWAP1)
#else
#define SWAP1(v)  __builtin_shufflevector(v, v, 1, 0)
#define FOLD(one) one(SWAP1)
#endif

/* best and at take over v and index in the lanes where v is larger, or as large and of a smaller index. With masks: the
 * plain form takes three times as many instructions. */
#if defined(__AVX512F__)
static inline void keep_larger(vec *best, lvec *at, vec v, lvec index) {
  __mmask8 yes = _mm512_cmp_pd_mask((__m512d)v, (__m512d)*best, _CMP_GT_OQ);
  *best = (vec)_mm512_max_pd((__m512d)v, (__m512d)*best);
  *at = (lvec)_mm512_mask_mov_epi64((__m512i)*at, yes, (__m512i)index);
}
static inline void keep_first(vec *best, lvec *at, vec v, lvec index) {
  __mmask8 same = _mm512_cmp_pd_mask((__m512d)v, (__m512d)*best, _CMP_EQ_OQ);
  __mmask8 yes = _mm512_cmp_pd_mask((__m512d)v, (__m512d)*best, _CMP_GT_OQ) |
                 _mm512_mask_cmplt_epi64_mask(same, (__m512i)index, (__m512i)*at);
  *best = (vec)_mm512_max_pd((__m512d)v, (__m512d)*best);
  *at = (lvec)_mm512_mask_mov_epi64((__m512i)*at, yes, (__m512i)index);
}
static inline vec smaller(vec a, vec b) { return (vec)_mm512_min_pd((__m512d)a, (__m512d)b); }
#else
static inline void keep_where(lvec yes, vec *best, lvec *at, vec v, lvec index) {
  *best = choose(yes, v, *best);
  *at = (index & yes) | (*at & ~yes);
}
static inline void keep_larger(vec *best, lvec *at, vec v, lvec index) {
  keep_where((lvec)(v > *best), best, at, v, index);
}
static inline void keep_first(vec *best, lvec *at, vec v, lvec index) {
  keep_where((lvec)(v > *best) | ((lvec)(v == *best) & (lvec)(index < *at)), best, at, v, index);
}
static inline vec smaller(vec a, vec b) { return choose((lvec)(a < b), a, b); }
#endif

/* The largest of the lanes, and of equals the one whose index is smallest. */
static inline size_t first_best(vec best, lvec at, double *value) {
#define STEP(swap) keep_first(&best, &at, swap(best), swap(at));
  FOLD(STEP)
#undef STEP
  *value = best[0];
  return (size_t)at[0];
}

static inline double smallest(vec v) {
#define STEP(swap) v = smaller(v, swap(v));
  FOLD(STEP)
#undef STEP
  return v[0];
}

typedef struct race {
  vec best, least;
  lvec at, index;
} race;

static inline race start(void) { return (race){all(-INFINITY), all(INFINITY), {0}, numbers()}; }

static inline void enter(race *r, vec e, vec rise, vec fall) {
  keep_larger(&r->best, &r->at, e + rise, r->index);
  r->least = smaller(e + fall, r->least);
  r->index += WIDTH;
}

static inline svf_lead finish(const race *r) {
  svf_lead lead;
  lead.at = first_best(r->best, r->at, &lead.up);
  lead.low = smallest(r->least);
  return lead;
}

static svf_lead lead(size_t n, const double *e, const double *rise, const double *fall) {
  race r = start();
  for (size_t k = 0; k < padded(n); k += WIDTH) enter(&r, load(e + k), load(rise + k), load(fall + k));
  return finish(&r);
}

/* e -= delta (ki - kj), and the lead of the new e. */
static inline svf_lead move(const svf_climb *c, double delta, const float *ki, const float *kj) {
  race r = start();
  double *e = c->e; /* by itself: stores of vectors might be to *c, for all the compiler knows */
  const double *rise = c->rise, *fall = c->fall;
  for (size_t k = 0, end = padded(c->n); k < end; k += WIDTH) {
    vec now = load(e + k) - delta * (widen(ki + k) - widen(kj + k));
    store(e + k, now);
    enter(&r, now, load(rise + k), load(fall + k));
  }
  return finish(&r);
}

/* The partner of row i, n where there is none. */
#if defined(__AVX512F__)
static inline size_t pair(const svf_climb *c, size_t i, const float *ki) {
  const __m512 own = _mm512_set1_ps(c->diagonal[i]), least = _mm512_set1_ps(c->least);
  const __m512d top = _mm512_set1_pd(c->e[i]), never = _mm512_set1_pd(INFINITY);
  __m512 best = _mm512_setzero_ps();
  __m512i at = _mm512_setzero_si512(), index = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (size_t k = 0, end = padded(c->n); k < end; k += 16) {
    __mmask8 second = k + 8 < end ? 0xff : 0;
    __mmask16 both = (__mmask16)(second << 8 | 0xff);
    __m512d low = _mm512_sub_pd(top, _mm512_add_pd(_mm512_load_pd(c->e + k), _mm512_load_pd(c->fall + k)));
    __m512d high = _mm512_sub_pd(top, _mm512_add_pd(_mm512_maskz_load_pd(second, c->e + k + 8),
                                                    _mm512_mask_load_pd(never, second, c->fall + k + 8)));
    __m512 drop = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
    __m512 row = _mm512_maskz_loadu_ps(both, ki + k), bend = _mm512_maskz_loadu_ps(both, c->diagonal + k);
    bend = _mm512_max_ps(_mm512_sub_ps(_mm512_add_ps(own, bend), _mm512_add_ps(row, row)), least);
    drop = _mm512_max_ps(drop, _mm512_setzero_ps()); /* rows that may not fall have -inf */
    __m512 gain = _mm512_div_ps(_mm512_mul_ps(drop, drop), bend);
    at = _mm512_mask_mov_epi32(at, _mm512_cmp_ps_mask(gain, best, _CMP_GT_OQ), index);
    best = _mm512_max_ps(gain, best);
    index = _mm512_add_epi32(index, _mm512_set1_epi32(16));
  }
  float value = _mm512_reduce_max_ps(best);
  __mmask16 equal = _mm512_cmp_ps_mask(best, _mm512_set1_ps(value), _CMP_EQ_OQ);
  return value > 0 ? _mm512_mask_reduce_min_epu32(equal, at) : c->n;
}
#else
/* drop^2 / bend in single precision, -1 where drop is not above 0. */
static inline vec gains(vec drop, float own, float least, const float *diagonal, const float *k) {
  half d = __builtin_convertvector(drop, half);
  half bend = own + *(const half *)diagonal - 2 * *(const half *)k, floor = least - (half){0};
  ivec above = (ivec)(bend > floor);
  bend = (half)(((ivec)bend & above) | ((ivec)floor & ~above));
  return choose((lvec)(drop > 0), __builtin_convertvector(d * d / bend, vec), all(-1));
}

static inline size_t pair(const svf_climb *c, size_t i, const float *ki) {
  vec best = {0};
  lvec at = {0}, index = numbers();
  double value;
  for (size_t k = 0; k < padded(c->n); k += WIDTH, index += WIDTH) {
    vec drop = c->e[i] - (load(c->e + k) + load(c->fall + k)); /* -inf where it may not fall */
    keep_larger(&best, &at, gains(drop, c->diagonal[i], c->least, c->diagonal + k, ki + k), index);
  }
  size_t found = first_best(best, at, &value);
  return value > 0 ? found : c->n;
}
#endif

/* The pair's best step that its bounds allow. */
static inline double step(const svf_climb *c, size_t i, size_t j, double between) {
  double bend = (double)c->diagonal[i] + (double)c->diagonal[j] - 2 * between, *beta = c->beta;
  double delta = (c->e[i] - c->e[j]) / (bend > c->least ? bend : c->least);
  double up = c->high[i] - beta[i], down = beta[j] - c->low[j];
  if (delta >= up || delta >= down) delta = up < down ? up : down;
  beta[i] = delta == up ? c->high[i] : beta[i] + delta; /* exactly at the bound */
  beta[j] = delta == down ? c->low[j] : beta[j] - delta;
  svf_climb_sides(c, i);
  svf_climb_sides(c, j);
  return delta;
}

static svf_climb_end climb(svf_climb *c, size_t most, size_t *steps) {
  for (;; --most, ++*steps) {
    if (!(c->lead.up - c->lead.low > c->eps)) return SVF_CLIMB_TOP;
    if (!most) return SVF_CLIMB_TIME;
    size_t i = c->lead.at;
    c->want = c->keep = i;
    if (!c->row[i]) return SVF_CLIMB_ROW;
    size_t j = pair(c, i, c->row[i]);
    if (j >= c->n) return SVF_CLIMB_TOP;
    c->want = j;
    if (!c->row[j]) return SVF_CLIMB_ROW;
    c->recent[i] = c->recent[j] = 1;
    c->lead = move(c, step(c, i, j, c->row[i][j]), c->row[i], c->row[j]);
  }
}

static void add(size_t n, double a, const float *x, double *y) {
  for (size_t k = 0; k < padded(n); k += WIDTH) store(y + k, load(y + k) + a * widen(x + k));
}

/* `vecs` vectors of lanes and `count` factors at a time, constants wherever this is called. */
static inline __attribute__((always_inline)) void weigh_some(const int vecs, const int count, const svf_weighing *w,
                                                             size_t q, size_t from, double *out) {
  vec sum[3][2], value[2];
  out += q * w->room + from;
  for (int c = 0; c < count; c++)
    for (int v = 0; v < vecs; v++) sum[c][v] = load(out + (size_t)c * w->room + v * WIDTH);
  for (size_t t = 0; t < w->terms; t++) {
    const float *k = w->k + w->row[t] * w->stride + from;
    const double *a = w->a + t * w->count + q;
    for (int v = 0; v < vecs; v++) value[v] = widen_loose(k + v * WIDTH);
    for (int c = 0; c < count; c++)
      for (int v = 0; v < vecs; v++) sum[c][v] += a[c] * value[v];
  }
  for (int c = 0; c < count; c++)
    for (int v = 0; v < vecs; v++) store(out + (size_t)c * w->room + v * WIDTH, sum[c][v]);
}

static inline __attribute__((always_inline)) void weigh_lanes(const int vecs, const svf_weighing *w, size_t from,
                                                              double *out) {
  size_t q = 0;
  for (; q + 3 <= w->count; q += 3) weigh_some(vecs, 3, w, q, from, out);
  for (; q < w->count; q++) weigh_some(vecs, 1, w, q, from, out);
}

static void weigh(const svf_weighing *w, double *out) {
  size_t from = 0, end = padded(w->n);
  for (; from + 2 * WIDTH <= end; from += 2 * WIDTH) weigh_lanes(2, w, from, out);
  if (from < end) weigh_lanes(1, w, from, out);
}

static void powers(size_t n, double gamma, double coef0, unsigned degree, double *z) {
  for (size_t k = 0; k < padded(n); k += WIDTH) {
    vec base = gamma * load(z + k) + coef0, power = all(1);
    for (unsigned left = degree; left; left >>= 1) {
      if (left & 1) power *= base;
      if (left > 1) base *= base;
    }
    store(z + k, power);
  }
}

/* x = k ln 2 + r; adding 1.5 * 2^52 leaves k in the last bits of the sum, from where it goes to the exponent. */
static inline vec exponential(vec x) {
  static const double inverse_factorial[] = {
      1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
      1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
  const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, whole = 0x1.8p52;
  vec shifted = x * 1.4426950408889634 + whole, k = shifted - whole;
  vec r = (x - k * ln2_high) - k * ln2_low, sum = all(inverse_factorial[13]);
  for (int i = 12; i >= 0; i--) sum = sum * r + inverse_factorial[i];
  return (vec)((lvec)sum + ((lvec)shifted << 52));
}

static void decays(size_t n, double gamma, double *z) {
  for (size_t k = 0; k < padded(n); k += WIDTH) {
    vec x = -gamma * load(z + k), most = all(-500);
    lvec there = (lvec)(x > most);
    x = choose(there, x, most);
    store(z + k, (vec)((lvec)exponential(x) & there));
  }
}

static void chi(size_t n, size_t ld, const float *x, const float *y, double *out) {
  vec none = {0};
  for (size_t i = 0; i < n; i++, x += ld) {
    vec sum = {0};
    for (size_t j = 0; j < ld; j += WIDTH) {
      vec a = widen(x + j), b = widen(y + j);
      a = choose((lvec)(a > none), a, none);
      b = choose((lvec)(b > none), b, none);
      vec off = a - b, both = a + b;
      lvec there = (lvec)(both > none);
      sum += (vec)((lvec)(off * off / choose(there, both, all(1))) & there);
    }
    double total = 0;
    for (int l = 0; l < WIDTH; l++) total += sum[l];
    out[i] = total;
  }
}

extern const svf_dual SVF_LA_DUAL;
const svf_dual SVF_LA_DUAL = {lead, climb, add, weigh, powers, decays, chi};
