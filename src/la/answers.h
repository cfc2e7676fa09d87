/* answers.h - the kernels of prediction: a part of kernels.c, which includes it and nobody else does. */
#ifndef SVF_LA_ANSWERS_H
#define SVF_LA_ANSWERS_H

static void gather(size_t n, size_t d, const float *const *row, const float *fill, float *x) {
  size_t ld = svf_padded(d + 1);
  for (size_t i = 0; i < n; i++, x += ld) {
    const float *from = row[i];
    for (size_t j = 0; j < d; j++) x[j] = from[j] == from[j] ? from[j] : fill[j];
    x[d] = 1;
    for (size_t j = d + 1; j < ld; j++) x[j] = 0;
  }
}

/* The sum of a vector's numbers, halves folded onto each other: fewer steps than one after the other. */
static inline double folded(vec v) {
  union {
    vec v;
    double at[WIDTH];
  } u = {v};
  for (int span = WIDTH / 2; span; span /= 2)
    for (int i = 0; i < span; i++) u.at[i] += u.at[i + span];
  return u.at[0];
}

enum { TILE_ROWS = 4, TILE_MACHINES = WIDTH == 8 ? 4 : 2 }; /* sums that fit into the registers */

/* rows x machines answers; both are constants wherever this is called. */
static inline __attribute__((always_inline)) void answer_tile(size_t ld, const float *x, const int rows, size_t m,
                                                              const double *w, const int machines, double *s) {
  vec sum[TILE_ROWS][TILE_MACHINES];
  for (int i = 0; i < rows; i++)
    for (int a = 0; a < machines; a++) sum[i][a] = (vec){0};
  for (size_t j = 0; j < ld; j += WIDTH)
    for (int i = 0; i < rows; i++) {
      vec value = widen(x + (size_t)i * ld + j);
      for (int a = 0; a < machines; a++) sum[i][a] += value * load(w + (size_t)a * ld + j);
    }
  for (int i = 0; i < rows; i++)
    for (int a = 0; a < machines; a++) s[(size_t)i * m + (size_t)a] = folded(sum[i][a]);
}

static inline __attribute__((always_inline)) void answer_some(size_t n, size_t ld, const float *x, size_t m,
                                                              const double *w, const int machines, double *s) {
  size_t i = 0;
  for (; i + TILE_ROWS <= n; i += TILE_ROWS) answer_tile(ld, x + i * ld, TILE_ROWS, m, w, machines, s + i * m);
  for (; i < n; i++) answer_tile(ld, x + i * ld, 1, m, w, machines, s + i * m);
}

static void answers(size_t n, size_t ld, const float *x, size_t m, const double *w, double *s) {
  size_t a = 0;
  for (; a + TILE_MACHINES <= m; a += TILE_MACHINES) answer_some(n, ld, x, m, w + a * ld, TILE_MACHINES, s + a);
  for (; a < m; a++) answer_some(n, ld, x, m, w + a * ld, 1, s + a);
}

typedef int64_t lvec __attribute__((vector_size(WIDTH * sizeof(int64_t)), may_alias));

static inline vec choose(lvec yes, vec a, vec b) { return (vec)(((lvec)a & yes) | ((lvec)b & ~yes)); }

/* As svf_exp, for |x| <= 500: x = k ln 2 + r. Adding 1.5 * 2^52 leaves k in the last bits of the sum, from where it goes
 * to the exponent. */
static inline vec exponential(vec x) {
  static const double inverse_factorial[] = {
      1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
      1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
  const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, whole = 0x1.8p52;
  vec shifted = x * 1.4426950408889634 + whole, k = shifted - whole;
  vec r = (x - k * ln2_high) - k * ln2_low, sum = inverse_factorial[13] - (vec){0};
  for (int i = 12; i >= 0; i--) sum = sum * r + inverse_factorial[i];
  return (vec)((lvec)sum + ((lvec)shifted << 52));
}

static inline vec sigmoid(vec z) {
  vec most = 500 - (vec){0}, least = -most;
  z = choose((lvec)(z > most), most, z);
  z = choose((lvec)(z < least), least, z);
  return 1 / (1 + exponential(z));
}

static void sigmoids(size_t n, double *z) {
  for (size_t i = 0; i < n; i += WIDTH) *(vec *)(z + i) = sigmoid(load(z + i));
}

static void logistic(size_t n, double a, double b, const double *s, const double *v, const double *t, double *f) {
  vec sum[5] = {{0}};
  for (size_t i = 0; i < n; i += WIDTH) {
    vec x = load(s + i), p = sigmoid(x * a + b), g = load(v + i) * (load(t + i) - p), h = load(v + i) * (p * (1 - p));
    sum[0] += g * x, sum[1] += g;
    sum[2] += h * x * x, sum[3] += h * x, sum[4] += h;
  }
  for (int q = 0; q < 5; q++) f[q] += folded(sum[q]);
}

#endif
