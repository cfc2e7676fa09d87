/* la.h - small dense kernels, one table per instruction set.
 *
 * Matrices are row-major with a leading dimension `ld` that is a multiple of SVF_LANES; every row is padded
 * with zeros up to it, so kernels never meet a tail. Symmetric matrices keep their upper triangle. Sums run
 * in a fixed order that depends on the table alone. */
#ifndef SVF_LA_LA_H
#define SVF_LA_LA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SVF_LANES = 8, SVF_PANEL = 64, SVF_COLUMNS = 4 };

static inline size_t svf_padded(size_t n) { return (n + SVF_LANES - 1) & ~(size_t)(SVF_LANES - 1); }

/* A node of a tree in preorder: the left child follows its parent. */
typedef struct svf_fork {
  uint32_t right;  /* right child, counted from the root; 0: a leaf */
  uint32_t first;  /* column that is looked at; of a leaf, its number */
  uint32_t count;  /* 1: a row that misses the column goes left; 0: right */
  float threshold; /* left if the value is below */
} svf_fork;

typedef struct svf_la {
  const char *name;
  /* sum x_i y_i; n a multiple of SVF_LANES */
  double (*dot)(size_t n, const double *x, const double *y);
  /* y += a x; n a multiple of SVF_LANES */
  void (*axpy)(size_t n, double a, const double *x, double *y);
  /* out[i] = row_i . w for n rows of ld numbers */
  void (*product)(size_t n, size_t ld, const double *x, const double *w, double *out);
  /* y += sum_q a[q] x_q over count rows of ld numbers at x[q] */
  void (*combine)(size_t ld, size_t count, const double *const *x, const double *a, double *y);
  /* Upper triangle of H (ld x ld, p rows in use) += sum_q a[q] x_q x_q', over count rows at x[q]. */
  void (*rank)(size_t p, size_t ld, size_t count, const double *const *x, const double *a, double *h);
  /* H = R'R in place, R upper; false: not positive definite (H is spoilt). */
  bool (*cholesky)(size_t p, size_t ld, double *h);
  /* Solves R'R v = b in place: forward and backward. */
  void (*solve)(size_t p, size_t ld, const double *r, double *b);
  /* Solves R'z = b in place for count vectors; pads become 0. */
  void (*forward)(size_t p, size_t ld, const double *r, size_t count, double *const *b);
  /* Solves R v = z in place; pads of z must be 0. */
  void (*backward)(size_t p, size_t ld, const double *r, double *z);

  /* Scores in single precision, rows in panels: number j of row i of a panel at x[j * SVF_PANEL + i], panels
   * one after the other. s[q][i] = row_i . u[q] for 1..SVF_COLUMNS vectors u of `width` numbers, one pass
   * over x for all of them. */
  void (*scores)(size_t panels, size_t width, const float *x, size_t columns, const float *const *u, float *const *s);
  /* Which rows have a cost and a margin sign * s below 1: on[i] becomes -1 (yes) or 0. Lists the rows that
   * changed and returns how many; *loss = sum of cost * (1 - margin)^2 over those that are on. n a multiple
   * of SVF_PANEL. */
  size_t (*activity)(size_t n, const float *s, const float *sign, const float *cost, int32_t *on, uint32_t *changed,
                     double *loss);
  /* Lists the places where two sets of n rows differ (n a multiple of SVF_PANEL) and returns how many. */
  size_t (*differ)(size_t n, const int32_t *a, const int32_t *b, uint32_t *changed);

  /* Rows of d numbers from where they lie, as machines see them: a missing value is its column's fill, a 1 for
   * the bias follows, then zeros. n rows of svf_padded(d + 1) floats. */
  void (*gather)(size_t n, size_t d, const float *const *row, const float *fill, float *x);
  /* s[i * m + a] = x_i . w_a for n rows and m machines of ld numbers each. An answer has the same bits whatever
   * rows and machines stand beside its own. */
  void (*answers)(size_t n, size_t ld, const float *x, size_t m, const double *w, double *s);
  /* z becomes 1 / (1 + exp(z)), z taken at most 500 in size; n a multiple of SVF_LANES */
  void (*sigmoids)(size_t n, double *z);
  /* Leaf numbers of n rows in a tree of fewer than 2^29 nodes. */
  void (*descend)(const svf_fork *root, size_t n, const float *const *row, uint32_t *leaf);
} svf_la;

/* The fastest table this processor can run; portable: the one that gives the same bits on every x86-64. */
const svf_la *svf_la_choose(bool portable);

/* The tables, for tests and benches; NULL where the processor cannot run one. index 0 is the portable one. */
const svf_la *svf_la_at(size_t index);

#endif
