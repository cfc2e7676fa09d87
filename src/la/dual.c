/* dual.c - the kernels of dual.h, compiled once per instruction set under the name SVF_LA_DUAL. */
#include "la/dual.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef float half __attribute__((vector_size(WIDTH * sizeof(float)), may_alias));
typedef int64_t lvec __attribute__((vector_size(WIDTH * sizeof(int64_t)), may_alias));

enum { LANES = 8 };

static inline size_t padded(size_t n) { return (n + LANES - 1) & ~(size_t)(LANES - 1); }
static inline vec load(const double *p) { return *(const vec *)p; }
static inline void store(double *p, vec v) { *(vec *)p = v; }
static inline vec widen(const float *p) { return __builtin_convertvector(*(const half *)p, vec); }
static inline vec choose(lvec yes, vec a, vec b) { return (vec)(((lvec)a & yes) | ((lvec)b & ~yes)); }
static inline vec all(double x) { return x - (vec){0}; }

static inline lvec numbers(void) {
  lvec v;
  for (int i = 0; i < WIDTH; i++) v[i] = i;
  return v;
}

/* The largest of the lanes, and of equals the one whose index is smallest. */
static inline size_t first_best(vec best, lvec at, double *value) {
  int lane = 0;
  for (int i = 1; i < WIDTH; i++)
    if (best[i] > best[lane] || (best[i] == best[lane] && at[i] < at[lane])) lane = i;
  *value = best[lane];
  return (size_t)at[lane];
}

typedef struct race {
  vec best, least;
  lvec at, index;
} race;

static inline race start(void) { return (race){all(-INFINITY), all(INFINITY), {0}, numbers()}; }

static inline void enter(race *r, vec e, vec rise, vec fall) {
  vec up = e + rise, low = e + fall;
  lvec better = (lvec)(up > r->best);
  r->best = choose(better, up, r->best);
  r->at = (r->index & better) | (r->at & ~better);
  r->least = choose((lvec)(low < r->least), low, r->least);
  r->index += WIDTH;
}

static inline svf_lead finish(const race *r) {
  svf_lead lead;
  lead.at = first_best(r->best, r->at, &lead.up);
  lead.low = r->least[0];
  for (int i = 1; i < WIDTH; i++)
    if (r->least[i] < lead.low) lead.low = r->least[i];
  return lead;
}

static svf_lead lead(size_t n, const double *e, const double *rise, const double *fall) {
  race r = start();
  for (size_t k = 0; k < padded(n); k += WIDTH) enter(&r, load(e + k), load(rise + k), load(fall + k));
  return finish(&r);
}

static svf_lead move(size_t n, double delta, const float *ki, const float *kj, const double *rise, const double *fall,
                     double *e) {
  race r = start();
  for (size_t k = 0; k < padded(n); k += WIDTH) {
    vec now = load(e + k) - delta * (widen(ki + k) - widen(kj + k));
    store(e + k, now);
    enter(&r, now, load(rise + k), load(fall + k));
  }
  return finish(&r);
}

static size_t pair(size_t n, const svf_seeker *seeker, const double *e, const double *fall, const double *diagonal) {
  vec best = all(0), least = all(seeker->least);
  lvec at = {0}, index = numbers();
  for (size_t k = 0; k < padded(n); k += WIDTH, index += WIDTH) {
    vec drop = seeker->e - (load(e + k) + load(fall + k)); /* -inf where it may not fall */
    vec bend = seeker->own + load(diagonal + k) - 2 * widen(seeker->k + k);
    bend = choose((lvec)(bend > least), bend, least);
    vec gain = drop * drop / bend;
    lvec better = (lvec)(drop > 0) & (lvec)(gain > best);
    best = choose(better, gain, best);
    at = (index & better) | (at & ~better);
  }
  double value;
  size_t found = first_best(best, at, &value);
  return value > 0 ? found : n;
}

static void add(size_t n, double a, const float *x, double *y) {
  for (size_t k = 0; k < padded(n); k += WIDTH) store(y + k, load(y + k) + a * widen(x + k));
}

typedef double loose_vec __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));
typedef float loose_half __attribute__((vector_size(WIDTH * sizeof(float)), aligned(4), may_alias));

static double blend(size_t n, const double *a, const float *x) {
  vec even = {0}, odd = {0};
  size_t k = 0;
  for (; k + 2 * WIDTH <= n; k += 2 * WIDTH) {
    even += *(const loose_vec *)(a + k) * __builtin_convertvector(*(const loose_half *)(x + k), vec);
    odd += *(const loose_vec *)(a + k + WIDTH) * __builtin_convertvector(*(const loose_half *)(x + k + WIDTH), vec);
  }
  double sum = 0;
  even += odd;
  for (int i = 0; i < WIDTH; i++) sum += even[i];
  for (; k < n; k++) sum += a[k] * (double)x[k];
  return sum;
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
const svf_dual SVF_LA_DUAL = {lead, move, pair, add, blend, powers, decays, chi};
