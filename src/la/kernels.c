/* kernels.c - the kernels of la.h, compiled once per instruction set under the name SVF_LA.
 *
 * One pattern carries both the Gram matrix and the Cholesky factorisation: eight outer products are added to
 * four rows of an upper triangle at a time, so that 32 multiply-adds follow each 12 loads and 4 stores. */
#include "la/la.h"

#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));

enum { GROUP = 8 }; /* outer products per pass */

static inline vec load(const double *p) { return *(const vec *)p; }

static inline double total(vec v) {
  double sum = 0;
  for (int i = 0; i < WIDTH; i++) sum += v[i];
  return sum;
}

static double dot(size_t n, const double *x, const double *y) {
  vec a = {0}, b = {0};
  size_t i = 0;
  for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
    a += load(x + i) * load(y + i);
    b += load(x + i + WIDTH) * load(y + i + WIDTH);
  }
  for (; i < n; i += WIDTH) a += load(x + i) * load(y + i);
  return total(a + b);
}

static void axpy(size_t n, double a, const double *x, double *y) {
  for (size_t i = 0; i < n; i += WIDTH) *(vec *)(y + i) = load(y + i) + a * load(x + i);
}

static void product(size_t n, size_t ld, const double *x, const double *w, double *out) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const double *r = x + i * ld;
    vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (size_t j = 0; j < ld; j += WIDTH) {
      vec v = load(w + j);
      s0 += v * load(r + j);
      s1 += v * load(r + ld + j);
      s2 += v * load(r + 2 * ld + j);
      s3 += v * load(r + 3 * ld + j);
    }
    out[i] = total(s0), out[i + 1] = total(s1), out[i + 2] = total(s2), out[i + 3] = total(s3);
  }
  for (; i < n; i++) {
    vec s = {0};
    for (size_t j = 0; j < ld; j += WIDTH) s += load(w + j) * load(x + i * ld + j);
    out[i] = total(s);
  }
}

static void combine(size_t ld, size_t count, const double *const *x, const double *a, double *y) {
  size_t q = 0;
  for (; q + 4 <= count; q += 4)
    for (size_t j = 0; j < ld; j += WIDTH)
      *(vec *)(y + j) = load(y + j) + (a[q] * load(x[q] + j) + a[q + 1] * load(x[q + 1] + j)) +
                        (a[q + 2] * load(x[q + 2] + j) + a[q + 3] * load(x[q + 3] + j));
  for (; q < count; q++) axpy(ld, a[q], x[q], y);
}

/* Rows first..ld-1 of the upper triangle += sum_q a[q] x[q] x[q]' over a full group. Entries left of the
 * diagonal inside a row's first vector are written too; nobody reads them. */
static void add_group(size_t first, size_t ld, const double *const x[GROUP], const double a[GROUP], double *h) {
  for (size_t i = first; i < ld; i += 4) {
    double c[4][GROUP];
    for (int r = 0; r < 4; r++)
      for (int q = 0; q < GROUP; q++) c[r][q] = a[q] * x[q][i + (size_t)r];
    double *h0 = h + i * ld, *h1 = h0 + ld, *h2 = h1 + ld, *h3 = h2 + ld;
    for (size_t j = i & ~(size_t)(WIDTH - 1); j < ld; j += WIDTH) {
      vec s0 = load(h0 + j), s1 = load(h1 + j), s2 = load(h2 + j), s3 = load(h3 + j);
      for (int q = 0; q < GROUP; q++) {
        vec t = load(x[q] + j);
        s0 += c[0][q] * t;
        s1 += c[1][q] * t;
        s2 += c[2][q] * t;
        s3 += c[3][q] * t;
      }
      *(vec *)(h0 + j) = s0, *(vec *)(h1 + j) = s1, *(vec *)(h2 + j) = s2, *(vec *)(h3 + j) = s3;
    }
  }
}

static void rank(size_t p, size_t ld, size_t count, const double *const *x, const double *a, double *h) {
  (void)p;
  for (size_t q = 0; q < count; q += GROUP) {
    const double *row[GROUP];
    double weight[GROUP];
    for (size_t g = 0; g < GROUP; g++) {
      bool there = q + g < count;
      row[g] = x[there ? q + g : q];
      weight[g] = there ? a[q + g] : 0;
    }
    add_group(0, ld, row, weight, h);
  }
}

/* Factors rows k0..k1-1, which earlier groups have been taken off already. */
static bool factor_rows(size_t k0, size_t k1, size_t ld, double *h) {
  for (size_t k = k0; k < k1; k++) {
    double *row = h + k * ld;
    size_t start = k & ~(size_t)(WIDTH - 1);
    for (size_t q = k0; q < k; q++) {
      const double *above = h + q * ld;
      double f = -above[k];
      for (size_t j = start; j < ld; j += WIDTH) *(vec *)(row + j) = load(row + j) + f * load(above + j);
    }
    double pivot = row[k];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    double scale = 1 / sqrt(pivot);
    for (size_t j = start; j < ld; j += WIDTH) *(vec *)(row + j) = load(row + j) * scale;
  }
  return true;
}

static bool cholesky(size_t p, size_t ld, double *h, const atomic_int *stop) {
  static const double minus[GROUP] = {-1, -1, -1, -1, -1, -1, -1, -1};
  for (size_t k = 0; k < p; k += GROUP) {
    size_t end = k + GROUP < p ? k + GROUP : p;
    if (svf_la_stopped(stop) || !factor_rows(k, end, ld, h)) return false;
    if (end == p) break;
    const double *row[GROUP];
    for (size_t g = 0; g < GROUP; g++) row[g] = h + (k + g) * ld;
    add_group(end, ld, row, minus, h);
  }
  return true;
}

/* `count` vectors at a time, a constant wherever this is called. */
static inline __attribute__((always_inline)) void forward_some(size_t p, size_t ld, const double *r, const int count,
                                                               double *const *b) {
  for (size_t k = 0; k < p; k++) {
    const double *row = r + k * ld;
    double z[4], scale = 1 / row[k];
    for (int q = 0; q < count; q++) b[q][k] = z[q] = b[q][k] * scale;
    size_t j = k + 1;
    for (; j < ld && j % WIDTH; j++)
      for (int q = 0; q < count; q++) b[q][j] -= z[q] * row[j];
    for (; j < ld; j += WIDTH) {
      vec v = load(row + j);
      for (int q = 0; q < count; q++) *(vec *)(b[q] + j) = load(b[q] + j) - z[q] * v;
    }
  }
  for (int q = 0; q < count; q++)
    for (size_t j = p; j < ld; j++) b[q][j] = 0;
}

static void forward(size_t p, size_t ld, const double *r, size_t count, double *const *b) {
  size_t q = 0;
  for (; q + 4 <= count; q += 4) forward_some(p, ld, r, 4, b + q);
  for (; q < count; q++) forward_some(p, ld, r, 1, b + q);
}

static inline __attribute__((always_inline)) void backward_some(size_t p, size_t ld, const double *r, const int count,
                                                                double *const *z) {
  for (size_t k = p; k-- > 0;) {
    const double *row = r + k * ld;
    double sum[4] = {0};
    vec s[4] = {{0}};
    size_t j = k + 1;
    for (; j < ld && j % WIDTH; j++)
      for (int q = 0; q < count; q++) sum[q] += row[j] * z[q][j];
    for (; j < ld; j += WIDTH) {
      vec v = load(row + j);
      for (int q = 0; q < count; q++) s[q] += v * load(z[q] + j);
    }
    for (int q = 0; q < count; q++) z[q][k] = (z[q][k] - sum[q] - total(s[q])) / row[k];
  }
}

static void backward(size_t p, size_t ld, const double *r, size_t count, double *const *z) {
  size_t q = 0;
  for (; q + 4 <= count; q += 4) backward_some(p, ld, r, 4, z + q);
  for (; q < count; q++) backward_some(p, ld, r, 1, z + q);
}

static void solve(size_t p, size_t ld, const double *r, double *b) {
  forward(p, ld, r, 1, &b);
  backward(p, ld, r, 1, &b);
}

typedef float half __attribute__((vector_size(WIDTH * sizeof(float)), may_alias, aligned(4)));
enum { PANEL_VECS = SVF_PANEL / WIDTH < 8 ? SVF_PANEL / WIDTH : 8 }; /* vectors of rows at a time */

static inline vec widen(const float *p) { return __builtin_convertvector(*(const half *)p, vec); }

static void panel_scores(size_t panels, size_t width, const float *x, const double *w, double *out) {
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL)
    for (size_t i = 0; i < SVF_PANEL; i += PANEL_VECS * WIDTH) {
      vec sum[PANEL_VECS] = {{0}};
      for (size_t j = 0; j < width; j++)
        for (int v = 0; v < PANEL_VECS; v++) sum[v] += w[j] * widen(x + j * SVF_PANEL + i + (size_t)(v * WIDTH));
      for (int v = 0; v < PANEL_VECS; v++) *(vec *)(out + b * SVF_PANEL + i + (size_t)(v * WIDTH)) = sum[v];
    }
}

static void panel_combine(size_t panels, size_t width, const float *x, const double *a, double *u) {
  for (size_t j = 0; j < width; j++) {
    vec even = {0}, odd = {0};
    for (size_t b = 0; b < panels; b++) {
      const float *column = x + (b * width + j) * SVF_PANEL;
      for (size_t i = 0; i < SVF_PANEL; i += 2 * WIDTH) {
        even += load(a + b * SVF_PANEL + i) * widen(column + i);
        odd += load(a + b * SVF_PANEL + i + WIDTH) * widen(column + i + WIDTH);
      }
    }
    u[j] += total(even + odd);
  }
}

static double row_score(size_t n, const float *x, const double *w) {
  vec even = {0}, odd = {0};
  size_t j = 0;
  for (; j + 2 * WIDTH <= n; j += 2 * WIDTH) {
    even += load(w + j) * widen(x + j);
    odd += load(w + j + WIDTH) * widen(x + j + WIDTH);
  }
  for (; j < n; j += WIDTH) even += load(w + j) * widen(x + j);
  return total(even + odd);
}

static void row_add(size_t n, double a, const float *x, double *u) {
  for (size_t j = 0; j < n; j += WIDTH) *(vec *)(u + j) = load(u + j) + a * widen(x + j);
}

#include "la/answers.h"
#include "la/blocked.h"
#include "la/descend.h"
#include "la/walk.h"

extern const svf_single SVF_LA_SINGLE;
extern const struct svf_dual SVF_LA_DUAL;
extern const svf_la SVF_LA;
const svf_la SVF_LA = {SVF_LA_NAME, dot,     axpy,    product,        combine,      rank,
                       cholesky,    solve,   forward, backward,       panel_scores, panel_combine,
                       row_score,   row_add, gather,  answers,        sigmoids,     logistic,
                       descend,     keys,    walk,    &SVF_LA_SINGLE, &blocked,     &SVF_LA_DUAL};
