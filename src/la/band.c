/* band.c - see band.h. Blocks of vectors are kept as long rows: row q of `v` is column q of V. */
#include "la/band.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };   /* rows of A that are worked on together */
#define NOTHING 1e-280 /* squared length that counts as 0, the largest entry of A being around 1 */

/* A becomes A - V Z' - Z V' from row and column `start` on. */
typedef struct step {
  size_t start, span;
  double *left, *right; /* 2 SVF_BAND rows of span: V and Z; -Z and -V */
} step;

typedef struct work {
  const svf_la *la;
  size_t n, ld;
  double *a, *band, *basis;
  step *now, *last; /* the step that is made; the one before, which A lacks yet */
  double *across;   /* n x SVF_BAND: V by rows */
  double *x;        /* SVF_BAND rows of ld */
  double *tile;     /* BLOCK x BLOCK */
  double *t;        /* a SVF_BAND x SVF_BAND matrix for each step */
  const atomic_int *stop;
} work;

static svf_dense block(double *at, size_t ld) { return (svf_dense){at, ld}; }

/* The reflection I - v v' that clears a[q+1..m-1]; |v|^2 = 2, or v = 0 if there is nothing to clear. In a matrix of low rank
 * each step leaves only the rounding of the step before it, so entries soon fall to 1e-160, where their squares and 1 / sum
 * leave the range of a double. Such entries are rounding: they become 0. */
static void reflection(size_t m, size_t q, double *a, double *v) {
  double sum = 0, first = q < m ? a[q] : 0;
  for (size_t j = q + 1; j < m; j++) sum += a[j] * a[j];
  if (sum < NOTHING) {
    for (size_t j = q + 1; j < m; j++) a[j] = 0;
    return;
  }
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
  memset(w->now->left, 0, SVF_BAND * span * sizeof *w->now->left);
  for (size_t q = 0; q < SVF_BAND; q++) {
    double *row = w->a + (k + q) * w->ld + start, *v = w->now->left + q * span;
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
  w->la->blocked->dots(SVF_BAND, span, SVF_BAND, block(w->now->left, span), block(w->now->left, span),
                       block(g, SVF_BAND));
  for (size_t q = 0; q < SVF_BAND; q++) {
    t[q * SVF_BAND + q] = 1;
    for (size_t p = 0; p < q; p++)
      for (size_t r = p; r < q; r++) t[p * SVF_BAND + q] -= t[p * SVF_BAND + r] * g[r * SVF_BAND + q];
  }
}

/* Rows i..i+rows-1 of A, whose upper triangle starts at a, take part in x += (A V)': right of the diagonal both as they
 * stand and as the columns that they mirror. */
static void multiply(work *w, const double *a, size_t i, size_t rows, size_t span) {
  const svf_blocked *blocked = w->la->blocked;
  svf_dense across = block(w->across + i * SVF_BAND, SVF_BAND);
  size_t next = i + rows;
  memset(w->tile, 0, BLOCK * BLOCK * sizeof *w->tile);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = r; c < rows; c++) w->tile[r * BLOCK + c] = w->tile[c * BLOCK + r] = a[(i + r) * w->ld + i + c];
  blocked->outer(SVF_BAND, svf_padded(rows), rows, across, block(w->tile, BLOCK), block(w->x + i, span));
  if (rows < BLOCK || next >= span) return;
  svf_dense right = block((double *)a + i * w->ld + next, w->ld);
  blocked->outer(SVF_BAND, span - next, rows, across, right, block(w->x + next, span));
  blocked->dots(rows, span - next, SVF_BAND, right, block(w->now->left + next, span), block(w->x + i, span));
}

/* Z = X - V M / 2 with X = A V T and M = T'V'X, so that (I - V T V')' A (I - V T V') = A - V Z' - Z V'. */
static void find_z(work *w, size_t span, double *t) {
  const svf_blocked *blocked = w->la->blocked;
  double *z = w->now->left + SVF_BAND * span;
  _Alignas(64) double s[SVF_BAND * SVF_BAND] = {0}, half[SVF_BAND * SVF_BAND] = {0};
  memset(z, 0, SVF_BAND * span * sizeof *z);
  blocked->outer(SVF_BAND, span, SVF_BAND, block(t, SVF_BAND), block(w->x, span), block(z, span));
  blocked->dots(SVF_BAND, span, SVF_BAND, block(z, span), block(w->now->left, span), block(s, SVF_BAND));
  blocked->outer(SVF_BAND, SVF_BAND, SVF_BAND, block(t, SVF_BAND), block(s, SVF_BAND), block(half, SVF_BAND));
  for (size_t i = 0; i < SVF_BAND * SVF_BAND; i++) half[i] *= -.5;
  blocked->outer(SVF_BAND, span, SVF_BAND, block(half, SVF_BAND), block(w->now->left, span), block(z, span));
  for (size_t i = 0; i < SVF_BAND * span; i++) {
    w->now->right[i] = -z[i];
    w->now->right[SVF_BAND * span + i] = -w->now->left[i];
  }
}

static void copy_band(work *w, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    for (size_t j = i; j < w->n && j <= i + SVF_BAND; j++) w->band[i * SVF_BAND_ROW + j - i] = w->a[i * w->ld + j];
}

/* What the last step does to rows from..from+rows-1 of A, upper triangle. */
static void catch_up(work *w, size_t from, size_t rows) {
  const step *last = w->last;
  if (last->span == 0) return;
  size_t at = from - last->start;
  w->la->blocked->outer(rows, last->span - at, 2 * SVF_BAND, block(last->left + at, last->span),
                        block(last->right + at, last->span), block(w->a + from * w->ld + from, w->ld));
}

static bool stopped(const work *w) { return svf_la_stopped(w->stop); }

/* Each step clears SVF_BAND rows, and keeps its reflections where they were. A block of rows is brought up to date only
 * when the next step multiplies by it, so that it passes through the cache once for both. */
static void make_band(work *w) {
  size_t k = 0;
  for (; k + SVF_BAND < w->n; k += SVF_BAND) {
    if (stopped(w)) return;
    size_t start = k + SVF_BAND, m = w->n - start, span = w->ld - start;
    double *a = w->a + start * w->ld + start, *t = w->t + k * SVF_BAND;
    w->now->start = start, w->now->span = span;
    catch_up(w, k, SVF_BAND);
    clear_rows(w, k, start, span);
    find_t(w, span, t);
    for (size_t i = 0; i < m; i++)
      for (size_t q = 0; q < SVF_BAND; q++) w->across[i * SVF_BAND + q] = w->now->left[q * span + i];
    memset(w->x, 0, SVF_BAND * span * sizeof *w->x);
    for (size_t i = 0; i < m; i += BLOCK) {
      size_t rows = m - i < BLOCK ? m - i : BLOCK;
      catch_up(w, start + i, rows);
      multiply(w, a, i, rows, span);
    }
    find_z(w, span, t);
    copy_band(w, k, start);
    for (size_t q = 0; q < SVF_BAND; q++)
      memcpy(w->a + (k + q) * w->ld + start, w->now->left + q * span, span * sizeof *w->a);
    step *swap = w->now;
    w->now = w->last, w->last = swap;
  }
  catch_up(w, k, w->n - k);
  copy_band(w, k, w->n);
}

/* Rows from..from+rows-1 of the basis, the transposed product of all steps, the last one first: I - V T V' changes columns
 * from its start on. Each row goes its own way, so a few of them stay in the cache for all steps. */
static void make_basis(work *w, size_t from, size_t rows) {
  const svf_blocked *blocked = w->la->blocked;
  double *s = w->now->left, *u = w->now->right;
  memset(w->basis + from * w->ld, 0, rows * w->ld * sizeof *w->basis);
  for (size_t i = from; i < from + rows; i++) w->basis[i * w->ld + i] = 1;
  for (size_t k = (from + rows - 1) / SVF_BAND * SVF_BAND; k > 0 && !stopped(w);) {
    size_t start = k, span = w->ld - start;
    k -= SVF_BAND;
    double *t = w->t + k * SVF_BAND, minus[SVF_BAND * SVF_BAND];
    svf_dense v = block(w->a + k * w->ld + start, w->ld), own = block(w->basis + from * w->ld + start, w->ld);
    for (size_t p = 0; p < SVF_BAND; p++)
      for (size_t q = 0; q < SVF_BAND; q++) minus[q * SVF_BAND + p] = -t[p * SVF_BAND + q];
    memset(s, 0, SVF_BAND * BLOCK * sizeof *s);
    memset(u, 0, SVF_BAND * BLOCK * sizeof *u);
    blocked->dots(rows, span, SVF_BAND, own, v, block(s, BLOCK));
    blocked->outer(SVF_BAND, BLOCK, SVF_BAND, block(minus, SVF_BAND), block(s, BLOCK), block(u, BLOCK));
    blocked->outer(rows, span, SVF_BAND, block(u, BLOCK), v, own);
  }
}

bool svf_band_reduce(const svf_la *la, size_t n, size_t ld, double *a, double *band, double *basis,
                     const atomic_int *stop, svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  work w = {.la = la, .n = n, .ld = ld, .a = a, .band = band, .basis = basis, .stop = stop};
  step steps[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    steps[i].left = SVF_TAKE(scratch, double, 2 * SVF_BAND * (ld + BLOCK));
    steps[i].right = SVF_TAKE(scratch, double, 2 * SVF_BAND * (ld + BLOCK));
  }
  w.now = &steps[0], w.last = &steps[1];
  w.across = SVF_TAKE(scratch, double, n *SVF_BAND);
  w.x = SVF_TAKE(scratch, double, SVF_BAND *ld);
  w.tile = SVF_TAKE(scratch, double, BLOCK *BLOCK);
  w.t = SVF_ZERO(scratch, double, svf_padded(n) * SVF_BAND + SVF_BAND * SVF_BAND);
  bool fine = !svf_arena_failed(scratch);
  if (fine && n > 0) {
    memset(band, 0, n * SVF_BAND_ROW * sizeof *band);
    make_band(&w);
    for (size_t i = 0; i < n && !stopped(&w); i += BLOCK) make_basis(&w, i, n - i < BLOCK ? n - i : BLOCK);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

/* Row by row of L', whose outer product is then taken off the rows below: `rest` holds what is left of the next ones. */
bool svf_band_factor(size_t n, const double *band, double shift, double *factor) {
  double rest[SVF_BAND_ROW][SVF_BAND_ROW] = {{0}};
  for (size_t e = 0; e < n + SVF_BAND; e++) {
    if (e >= SVF_BAND) { /* row e - SVF_BAND is next */
      size_t k = e - SVF_BAND;
      double *row = rest[k % SVF_BAND_ROW], pivot = row[0] + shift;
      if (e < n) memcpy(rest[e % SVF_BAND_ROW], band + e * SVF_BAND_ROW, sizeof *rest);
      if (!(pivot > 0) || !isfinite(pivot)) return false;
      double scale = factor[k * SVF_BAND_ROW] = 1 / sqrt(pivot);
      for (size_t t = 1; t <= SVF_BAND; t++) row[t] *= scale;
      for (size_t t = 1; t <= SVF_BAND && k + t < n; t++) {
        double *below = rest[(k + t) % SVF_BAND_ROW], f = row[t];
        factor[(k + t) * SVF_BAND_ROW + t] = f;
        for (size_t c = 0; c + t <= SVF_BAND; c++) below[c] -= f * row[t + c];
      }
    } else if (e < n) {
      memcpy(rest[e % SVF_BAND_ROW], band + e * SVF_BAND_ROW, sizeof *rest);
      for (size_t t = e + 1; t <= SVF_BAND; t++) factor[e * SVF_BAND_ROW + t] = 0;
    }
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
