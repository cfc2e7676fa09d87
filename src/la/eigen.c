/* eigen.c - symmetric eigenvalues in two steps: reflections make the matrix tridiagonal, rotations make that diagonal
 * (Golub and Van Loan, Matrix Computations, sections 8.3.1 and 8.3.3: implicit shifts after Wilkinson). */
#include "la/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The matrix is scaled so that its largest entry is between 1 and 2. An entry below this limit is only a rounding error,
 * as in a matrix of low rank, and its square would underflow. */
#define NOTHING 1e-140

enum { TURNS = 60 }; /* most sweeps per eigenvalue; about 2 are needed: only numbers that are not finite need more */

typedef struct work {
  const svf_la *la;
  size_t n, ld;
  double *a;                 /* n x ld */
  double *diagonal, *beside; /* of the tridiagonal matrix: n, n - 1 */
  double *q;                 /* ld: what a reflection does to the matrix */
  double *z;                 /* n x ld: rows that become the eigenvectors */
  double *reflect;           /* n x ld: row k is the reflection of step k */
  const atomic_int *stop;
} work;

static size_t aligned(size_t j) { return j & ~(size_t)(SVF_LANES - 1); }

/* The reflection I - vv' that turns the part of row k right of the diagonal into (r, 0, ..., 0). Writes v, with
 * |v|^2 = 2, or 0 if there is nothing to do. Returns r. */
static double reflection(const work *w, size_t k, double *v) {
  const double *row = w->a + k * w->ld;
  double sum = 0, first = row[k + 1];
  memset(v, 0, w->ld * sizeof *v);
  for (size_t j = k + 2; j < w->n; j++) sum += row[j] * row[j];
  if (sum < NOTHING * NOTHING) return first;
  double length = sqrt(first * first + sum), head = first > 0 ? first + length : first - length;
  double scale = sqrt(2 / (head * head + sum));
  v[k + 1] = head * scale;
  for (size_t j = k + 2; j < w->n; j++) v[j] = row[j] * scale;
  return first > 0 ? -length : length;
}

/* A := H A H with H = I - v v' on the rows below k. */
static void reflect_both(const work *w, size_t k, const double *v) {
  size_t start = aligned(k + 1), span = w->ld - start;
  double half = 0, *q = w->q;
  memset(q, 0, w->ld * sizeof *q);
  for (size_t i = k + 1; i < w->n; i++) q[i] = w->la->dot(span, w->a + i * w->ld + start, v + start);
  for (size_t i = k + 1; i < w->n; i++) half += q[i] * v[i];
  for (size_t i = k + 1; i < w->n; i++) q[i] -= .5 * half * v[i];
  for (size_t i = k + 1; i < w->n; i++) {
    double *row = w->a + i * w->ld + start;
    w->la->axpy(span, -v[i], q + start, row);
    w->la->axpy(span, -q[i], v + start, row);
  }
}

static void make_tridiagonal(const work *w) {
  for (size_t k = 0; k < w->n && !svf_la_stopped(w->stop); k++) {
    w->diagonal[k] = w->a[k * w->ld + k];
    if (k + 1 == w->n) break;
    double *v = w->reflect + k * w->ld;
    w->beside[k] = reflection(w, k, v);
    if (v[k + 1] != 0) reflect_both(w, k, v);
  }
}

/* z := the product of all reflections, last first, so that z A z' is tridiagonal. */
static void gather_reflections(const work *w) {
  memset(w->z, 0, w->n * w->ld * sizeof *w->z);
  for (size_t i = 0; i < w->n; i++) w->z[i * w->ld + i] = 1;
  for (size_t k = w->n; k-- > 0 && !svf_la_stopped(w->stop);) {
    const double *v = w->reflect + k * w->ld;
    if (k + 1 == w->n || v[k + 1] == 0) continue;
    size_t start = aligned(k + 1), span = w->ld - start;
    for (size_t i = k + 1; i < w->n; i++) {
      double *row = w->z + i * w->ld + start;
      w->la->axpy(span, -w->la->dot(span, row, v + start), v + start, row);
    }
  }
}

static void rotate_rows(const work *w, size_t k, double c, double s) {
  double *restrict x = w->z + k * w->ld, *restrict y = x + w->ld;
  for (size_t j = 0; j < w->ld; j++) {
    double t = x[j];
    x[j] = c * t + s * y[j];
    y[j] = c * y[j] - s * t;
  }
}

/* One sweep over rows low..high, which no zero divides: the shift is the eigenvalue of the last two rows that is nearer to
 * the last one. */
static void sweep(const work *w, size_t low, size_t high) {
  double *d = w->diagonal, *e = w->beside;
  double half = .5 * (d[high - 1] - d[high]), off = e[high - 1], root = sqrt(half * half + off * off);
  double shift = d[high] - off * (off / (half + (half < 0 ? -root : root)));
  double x = d[low] - shift, z = e[low];
  for (size_t k = low; k < high; k++) {
    double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    if (k > low) e[k - 1] = r;
    double a = d[k], b = d[k + 1], o = e[k], both = 2 * c * s * o;
    d[k] = c * c * a + s * s * b + both;
    d[k + 1] = s * s * a + c * c * b - both;
    e[k] = c * s * (b - a) + (c * c - s * s) * o;
    rotate_rows(w, k, c, s);
    if (k + 1 == high) break;
    x = e[k];
    z = s * e[k + 1];
    e[k + 1] *= c;
  }
}

/* Entries beside the diagonal that are nothing next to it become 0; what is left falls apart into blocks. */
static void make_diagonal(const work *w) {
  double *d = w->diagonal, *e = w->beside;
  size_t high = w->n - 1, turns = 0;
  while (high > 0 && !svf_la_stopped(w->stop)) {
    size_t low = high;
    while (low > 0 && fabs(e[low - 1]) > fmax(NOTHING, DBL_EPSILON * (fabs(d[low - 1]) + fabs(d[low])))) low--;
    if (low > 0) e[low - 1] = 0;
    if (low == high || ++turns > TURNS) {
      if (low != high) e[high - 1] = 0;
      high--;
      turns = 0;
    } else {
      sweep(w, low, high);
    }
  }
}

/* The results in descending order, the first of equals first. */
static void put_in_order(const work *w, double scale, double *a, double *value) {
  for (size_t k = 0; k < w->n; k++) {
    size_t best = w->n;
    for (size_t j = 0; j < w->n; j++)
      if (w->beside[j] == 0 && (best == w->n || w->diagonal[j] > w->diagonal[best])) best = j;
    w->beside[best] = 1;
    value[k] = w->diagonal[best] * scale;
    memcpy(a + k * w->ld, w->z + best * w->ld, w->ld * sizeof *a);
  }
}

bool svf_eigen(const svf_la *la, size_t n, svf_dense a, double *value, const atomic_int *stop, svf_arena *scratch) {
  size_t ld = a.ld;
  svf_mark mark = svf_arena_mark(scratch);
  work w = {.la = la, .n = n, .ld = ld, .a = a.at, .stop = stop};
  w.diagonal = SVF_TAKE(scratch, double, n);
  w.beside = SVF_ZERO(scratch, double, n);
  w.q = SVF_TAKE(scratch, double, ld);
  w.z = SVF_TAKE(scratch, double, n *ld);
  w.reflect = SVF_ZERO(scratch, double, n *ld);
  bool fine = !svf_arena_failed(scratch);
  if (fine && n > 0) {
    double largest = 0, scale = 1;
    for (size_t i = 0; i < n * ld; i++) largest = fmax(largest, fabs(a.at[i]));
    if (largest > 0) scale = ldexp(1, ilogb(largest)); /* a power of two: squares below cannot overflow */
    for (size_t i = 0; i < n * ld; i++) a.at[i] /= scale;
    make_tridiagonal(&w);
    gather_reflections(&w);
    make_diagonal(&w);
    memset(w.beside, 0, n * sizeof *w.beside);
    put_in_order(&w, scale, a.at, value);
  }
  svf_arena_release(scratch, mark);
  return fine;
}
