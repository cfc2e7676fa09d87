/* band.c - see band.h. Blocks of vectors are kept as long rows: row q of `v` is column q of V. */
#include "la/band.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 }; /* rows of A that are worked on together */

typedef struct work {
  const svf_la *la;
  size_t n, ld;
  double *a, *band, *basis;
  double *left, *right; /* 2 SVF_BAND rows of ld: V and Z; -Z and -V */
  double *across;       /* n x SVF_BAND: V by rows */
  double *x;            /* SVF_BAND rows of ld */
  double *tile;         /* BLOCK x BLOCK */
  double *t;            /* a SVF_BAND x SVF_BAND matrix for each step */
} work;

static svf_dense block(double *at, size_t ld) { return (svf_dense){at, ld}; }

/* The reflection I - v v' that leaves of a[q..m-1] its first number only; |v|^2 = 2, or v = 0 where nothing is to be done. */
static void reflection(size_t m, size_t q, double *a, double *v) {
  double sum = 0, first = q < m ? a[q] : 0;
  for (size_t j = q + 1; j < m; j++) sum += a[j] * a[j];
  if (sum == 0) return;
  double length = sqrt(first * first + sum), head = first > 0 ? first + length : first - length;
  double scale = sqrt(2 / (head * head + sum));
  v[q] = head * scale;
  for (size_t j = q + 1; j < m; j++) v[j] = a[j] * scale;
  a[q] = first > 0 ? -length : length;
  memset(a + q + 1, 0, (m - q - 1) * sizeof *a);
}

/* Rows k..k+SVF_BAND-1 right of the band become 0 but for its last entries; the reflections go to `left`. */
static void clear_rows(work *w, size_t k, size_t start, size_t span) {
  size_t m = w->n - start;
  memset(w->left, 0, SVF_BAND * span * sizeof *w->left);
  for (size_t q = 0; q < SVF_BAND; q++) {
    double *row = w->a + (k + q) * w->ld + start, *v = w->left + q * span;
    reflection(m, q, row, v);
    for (size_t r = q + 1; r < SVF_BAND; r++) {
      double *next = w->a + (k + r) * w->ld + start;
      w->la->axpy(span, -w->la->dot(span, next, v), v, next);
    }
  }
}

/* The product of the reflections is I - V T V'. */
static void find_t(work *w, size_t span, double *t) {
  _Alignas(64) double g[SVF_BAND * SVF_BAND] = {0};
  w->la->blocked->dots(SVF_BAND, span, SVF_BAND, block(w->left, span), block(w->left, span), block(g, SVF_BAND));
  for (size_t q = 0; q < SVF_BAND; q++) {
    t[q * SVF_BAND + q] = 1;
    for (size_t p = 0; p < q; p++)
      for (size_t r = p; r < q; r++) t[p * SVF_BAND + q] -= t[p * SVF_BAND + r] * g[r * SVF_BAND + q];
  }
}

/* x := (A V)' for the symmetric A whose upper triangle starts at a. */
static void multiply(work *w, double *a, size_t m, size_t span) {
  const svf_blocked *blocked = w->la->blocked;
  for (size_t i = 0; i < m; i++)
    for (size_t q = 0; q < SVF_BAND; q++) w->across[i * SVF_BAND + q] = w->left[q * span + i];
  memset(w->x, 0, SVF_BAND * span * sizeof *w->x);
  for (size_t i = 0; i < m; i += BLOCK) {
    size_t rows = m - i < BLOCK ? m - i : BLOCK, next = i + BLOCK;
    svf_dense across = block(w->across + i * SVF_BAND, SVF_BAND);
    memset(w->tile, 0, BLOCK * BLOCK * sizeof *w->tile);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = r; c < rows; c++) w->tile[r * BLOCK + c] = w->tile[c * BLOCK + r] = a[(i + r) * w->ld + i + c];
    blocked->outer(SVF_BAND, svf_padded(rows), rows, across, block(w->tile, BLOCK), block(w->x + i, span));
    if (next >= m) break;
    svf_dense right = block(a + i * w->ld + next, w->ld);
    blocked->outer(SVF_BAND, span - next, BLOCK, across, right, block(w->x + next, span));
    blocked->dots(BLOCK, span - next, SVF_BAND, right, block(w->left + next, span), block(w->x + i, span));
  }
}

/* Z = X - V M / 2 with X = A V T and M = T'V'X, so that (I - V T V')' A (I - V T V') = A - V Z' - Z V'. */
static void find_z(work *w, size_t span, double *t) {
  const svf_blocked *blocked = w->la->blocked;
  double *z = w->left + SVF_BAND * span;
  _Alignas(64) double s[SVF_BAND * SVF_BAND] = {0}, half[SVF_BAND * SVF_BAND] = {0};
  memset(z, 0, SVF_BAND * span * sizeof *z);
  blocked->outer(SVF_BAND, span, SVF_BAND, block(t, SVF_BAND), block(w->x, span), block(z, span));
  blocked->dots(SVF_BAND, span, SVF_BAND, block(z, span), block(w->left, span), block(s, SVF_BAND));
  blocked->outer(SVF_BAND, SVF_BAND, SVF_BAND, block(t, SVF_BAND), block(s, SVF_BAND), block(half, SVF_BAND));
  for (size_t i = 0; i < SVF_BAND * SVF_BAND; i++) half[i] *= -.5;
  blocked->outer(SVF_BAND, span, SVF_BAND, block(half, SVF_BAND), block(w->left, span), block(z, span));
  for (size_t i = 0; i < SVF_BAND * span; i++) {
    w->right[i] = -z[i];
    w->right[SVF_BAND * span + i] = -w->left[i];
  }
}

static void copy_band(work *w, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    for (size_t j = i; j < w->n && j <= i + SVF_BAND; j++) w->band[i * SVF_BAND_ROW + j - i] = w->a[i * w->ld + j];
}

/* Each step clears SVF_BAND rows, and keeps its reflections where they were. */
static void make_band(work *w) {
  size_t k = 0;
  for (; k + SVF_BAND < w->n; k += SVF_BAND) {
    size_t start = k + SVF_BAND, m = w->n - start, span = w->ld - start;
    double *a = w->a + start * w->ld + start, *t = w->t + k * SVF_BAND;
    clear_rows(w, k, start, span);
    find_t(w, span, t);
    multiply(w, a, m, span);
    find_z(w, span, t);
    for (size_t i = 0; i < m; i += BLOCK)
      w->la->blocked->outer(m - i < BLOCK ? m - i : BLOCK, span - i, 2 * SVF_BAND, block(w->left + i, span),
                            block(w->right + i, span), block(a + i * w->ld + i, w->ld));
    copy_band(w, k, start);
    for (size_t q = 0; q < SVF_BAND; q++)
      memcpy(w->a + (k + q) * w->ld + start, w->left + q * span, span * sizeof *w->a);
  }
  copy_band(w, k, w->n);
}

/* basis := the transposed product of all steps, the last one first: I - V T V' changes rows and columns from `start` on. */
static void make_basis(work *w) {
  const svf_blocked *blocked = w->la->blocked;
  memset(w->basis, 0, w->n * w->ld * sizeof *w->basis);
  for (size_t i = 0; i < w->n; i++) w->basis[i * w->ld + i] = 1;
  for (size_t k = (w->n - 1) / SVF_BAND * SVF_BAND; k > 0;) {
    size_t start = k, m = w->n - start, span = w->ld - start;
    k -= SVF_BAND;
    double *t = w->t + k * SVF_BAND, *s = w->left, *u = w->right, minus[SVF_BAND * SVF_BAND];
    svf_dense v = block(w->a + k * w->ld + start, w->ld), corner = block(w->basis + start * w->ld + start, w->ld);
    for (size_t p = 0; p < SVF_BAND; p++)
      for (size_t q = 0; q < SVF_BAND; q++) minus[q * SVF_BAND + p] = -t[p * SVF_BAND + q];
    memset(s, 0, SVF_BAND * span * sizeof *s);
    memset(u, 0, SVF_BAND * span * sizeof *u);
    blocked->dots(m, span, SVF_BAND, corner, v, block(s, span));
    blocked->outer(SVF_BAND, span, SVF_BAND, block(minus, SVF_BAND), block(s, span), block(u, span));
    blocked->outer(m, span, SVF_BAND, block(u, span), v, corner);
  }
}

bool svf_band_reduce(const svf_la *la, size_t n, size_t ld, double *a, double *band, double *basis,
                     svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  work w = {.la = la, .n = n, .ld = ld, .a = a, .band = band, .basis = basis};
  w.left = SVF_TAKE(scratch, double, 2 * SVF_BAND * ld);
  w.right = SVF_TAKE(scratch, double, 2 * SVF_BAND * ld);
  w.across = SVF_TAKE(scratch, double, n *SVF_BAND);
  w.x = SVF_TAKE(scratch, double, SVF_BAND *ld);
  w.tile = SVF_TAKE(scratch, double, BLOCK *BLOCK);
  w.t = SVF_ZERO(scratch, double, svf_padded(n) * SVF_BAND + SVF_BAND * SVF_BAND);
  bool fine = !svf_arena_failed(scratch);
  if (fine && n > 0) {
    memset(band, 0, n * SVF_BAND_ROW * sizeof *band);
    make_band(&w);
    make_basis(&w);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

bool svf_band_factor(size_t n, const double *band, double shift, double *factor) {
  for (size_t e = 0; e < n; e++) {
    double *row = factor + e * SVF_BAND_ROW;
    for (size_t b = e < SVF_BAND ? e : SVF_BAND; b > 0; b--) {
      const double *other = row - b * SVF_BAND_ROW;
      double sum = band[(e - b) * SVF_BAND_ROW + b];
      for (size_t c = 1; b + c <= SVF_BAND && b + c <= e; c++) sum -= row[b + c] * other[c];
      row[b] = sum * other[0];
    }
    double pivot = band[e * SVF_BAND_ROW] + shift;
    for (size_t b = 1; b <= SVF_BAND; b++) {
      if (b > e) row[b] = 0;
      pivot -= row[b] * row[b];
    }
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    row[0] = 1 / sqrt(pivot);
  }
  return true;
}

void svf_band_solve(size_t n, const double *factor, double *b) {
  for (size_t e = 0; e < n; e++) {
    const double *row = factor + e * SVF_BAND_ROW;
    for (size_t t = 1; t <= SVF_BAND && t <= e; t++) b[e] -= row[t] * b[e - t];
    b[e] *= row[0];
  }
  for (size_t e = n; e-- > 0;) {
    const double *row = factor + e * SVF_BAND_ROW;
    b[e] *= row[0];
    for (size_t t = 1; t <= SVF_BAND && t <= e; t++) b[e - t] -= row[t] * b[e];
  }
}
