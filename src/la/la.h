/* la.h - small dense kernels, one table per instruction set.
 *
 * Matrices are row-major with a leading dimension `ld` that is a multiple of SVF_LANES; every row is padded
 * with zeros up to it, so kernels never meet a tail. Symmetric matrices keep their upper triangle. Sums run
 * in a fixed order that depends on the table alone. */
#ifndef SVF_LA_LA_H
#define SVF_LA_LA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SVF_LANES = 8, SVF_PANEL = 64, SVF_STRIP = 48, SVF_COLUMNS = 4, SVF_BORDER = 15, SVF_SMALL = 64 };

static inline size_t svf_padded(size_t n) { return (n + SVF_LANES - 1) & ~(size_t)(SVF_LANES - 1); }
/* The same for floats, with room for one number more: a right-hand side stands in column p. */
static inline size_t svf_padded_single(size_t p) { return (p + 16) & ~(size_t)15; }

/* The wish to stop: kernels that take long look at it, and leave undone what is left; NULL: there is none. */
static inline bool svf_la_stopped(const atomic_int *stop) {
  return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* The matrix diag(diagonal) + scale H, of p rows (svf_single.factor). */
typedef struct svf_system {
  size_t p, ld;
  const float *h;
  float scale;
  const float *diagonal;
  const atomic_int *stop;
} svf_system;

/* Where a fit is: what one pass over its rows tells (svf_single.look). */
typedef struct svf_sight {
  const float *w;  /* the point */
  float *s;        /* its scores */
  const float *v;  /* y_i c_i */
  uint64_t *set;   /* the active rows */
  double loss, *u; /* sums over them: c_i slack_i^2, and a_i x_i is added to u */
} svf_sight;

/* Single precision: what decides which rows are active, and the approximate steps towards an exact solution. Matrices
 * have svf_padded(p) rows of ld floats, ld a multiple of 16 and above p; pads are zero.
 *
 * Panels: number j of row i of a panel at x[j * SVF_PANEL + i], panels one after the other. Sets of rows: one bit per row,
 * one word per panel. */
typedef struct svf_single {
  /* y += x; n a multiple of 16 */
  void (*add)(size_t n, const float *x, float *y);
  /* y = x + a (x - last), in single precision; n a multiple of 16 */
  void (*extend)(size_t n, float a, const float *x, const float *last, float *y);
  /* Upper triangle of H += sum_q a[q] x_q x_q', over count rows at x[q]. */
  void (*rank)(size_t p, size_t ld, size_t count, const float *const *x, const float *a, float *h);
  /* SVF_LANES rows of ld doubles: out_ij += sum_q x[q * SVF_LANES + i] z[q * SVF_STRIP + j] over count terms, which are
   * summed in single precision; j < columns, a multiple of SVF_LANES. */
  void (*outer)(size_t columns, size_t count, const float *x, const float *z, double *out, size_t ld);
  /* R'R = the system's matrix and z = R'^-1 z; the diagonal of R is kept inverted, its column p is z. False: not positive
   * definite in this arithmetic, or stopped. */
  bool (*factor)(const svf_system *system, float *r, float *z);
  /* z = (I - V S^-1 V') R'^-1 z, V = R'^-1 (x_0 x_1 ..), S = diag(e) + V'V, for 1..SVF_BORDER rows: then R^-1 z solves
   * with R'R + sum_q x_q x_q' / e_q. Scratch: svf_padded(p) * (SVF_BORDER + 1) floats. False: too inexact; z is spoilt. */
  bool (*correct)(size_t p, size_t ld, const float *r, size_t count, const float *const *x, const float *e, float *z,
                  float *scratch);
  /* Solves R v = z; pads of v become 0. */
  void (*backward)(size_t p, size_t ld, const float *r, const float *z, float *v);
  /* (I + scale H_q) v_q = z_q for 1..SVF_COLUMNS systems of fewer than SVF_SMALL numbers; v: svf_padded(p) numbers, of which
   * p count. Returns a bit per system, 0: not positive definite in this arithmetic. A solution has the same bits whatever
   * stands beside it. Scratch: svf_padded(p) * (p / 4 + 1) * 16 floats. */
  unsigned (*systems)(size_t p, size_t ld, size_t count, const float *const *h, float scale, const float *const *z,
                      float *const *v, float *scratch);
  /* s[q][i] = row_i . w[q] for 1..SVF_COLUMNS vectors w of `width` numbers: one pass over x for all of them. */
  void (*scores)(size_t panels, size_t width, const float *x, size_t columns, const float *const *w, float *const *s);
  /* The same for n rows of ld floats, n a multiple of 4; w: ld numbers. */
  void (*row_scores)(size_t n, size_t ld, const float *x, size_t columns, const float *const *w, float *const *s);
  /* s[q] = x_q . w for count rows of ld floats at x[q]. */
  void (*products)(size_t ld, size_t count, const float *const *x, const float *w, float *s);
  /* u[q][j] += sum_i a[q][i] x_ij for 1..SVF_COLUMNS vectors a; scratch: columns * width * 16 floats. */
  void (*gather)(size_t panels, size_t width, const float *x, size_t columns, const float *const *a, double *const *u,
                 float *scratch);
  /* u[q] += sum a[q][i] x_i over the rows of a set, for 1..SVF_COLUMNS vectors a; rows of ld floats. */
  void (*combine)(size_t panels, size_t ld, const float *x, size_t columns, const float *const *a,
                  const uint64_t *set, double *const *u);
  /* With v_i = y_i c_i and slack_i = max(0, 1 - y_i s_i): a_i = v_i slack_i, the set of rows where that is not 0, and the
   * sum of c_i slack_i^2. */
  double (*slacks)(size_t panels, const float *s, const float *v, float *a, uint64_t *set);
  /* For 1..SVF_COLUMNS fits: scores (score: else they are there), slacks and gather in one pass, with the same bits;
   * scratch NULL: no gather, and u may be NULL. */
  void (*look)(size_t panels, size_t width, const float *x, size_t columns, svf_sight *sight, bool score,
               float *scratch);
  /* square[i] = |row_i|^2. */
  void (*squares)(size_t panels, size_t width, const float *x, float *square);
  /* most[i] = the largest of s[q * rows + i] over q < count; rows a multiple of 16; -FLT_MAX of none. */
  void (*largest)(size_t rows, size_t count, const float *s, float *most);
  /* Rows of ld floats into panels of `width` numbers. */
  void (*panels)(size_t panels, size_t width, size_t ld, const float *x, float *out);
} svf_single;

/* Rows of numbers, ld from one to the next. */
typedef struct svf_dense {
  double *at;
  size_t ld;
} svf_dense;

/* n rows of d floats, ld from one to the next. */
typedef struct svf_asked {
  const float *x;
  size_t n, d, ld;
} svf_asked;

/* Which distance: |x-z|^2, |x-z|, or sum_j |x_j - z_j|. */
typedef enum svf_distance { SVF_DISTANCE_SQUARE, SVF_DISTANCE_EUCLID, SVF_DISTANCE_CITY } svf_distance;

enum { SVF_BAND = 8 }; /* diagonals of a band matrix beside the main one, on each side (band.h) */

/* What band.h, and machines with a kernel of distances, are made of. Columns are multiples of SVF_LANES. */
typedef struct svf_blocked {
  /* out_ij += sum_q x_qi z_qj for i < rows, j < columns, q < count */
  void (*outer)(size_t rows, size_t columns, size_t count, svf_dense x, svf_dense z, svf_dense out);
  /* out_qi += a_i . v_q for i < rows, q < count, vectors of `columns` numbers. A sum has the same bits whatever stands
   * beside it. */
  void (*dots)(size_t rows, size_t columns, size_t count, svf_dense a, svf_dense v, svf_dense out);
  /* square_ci = |z_i|^2 for the columns of L z = q, with each of `count` L as svf_band_factor leaves them. */
  void (*band_squares)(size_t rows, size_t columns, size_t count, svf_dense factor, svf_dense q, svf_dense square);
  /* out_ai = distance of x_a and row_i for rows in panes: number j of row i of a pane at pane[j * SVF_LANES + i]. A distance
   * has the same bits whatever stands beside it. */
  void (*distances)(svf_distance kind, const svf_asked *from, size_t panes, const float *pane, svf_dense out);
  /* out[i] = exp(-factor distance[i]), 0 below exp(-500); n a multiple of SVF_LANES; in place if wished */
  void (*gaussians)(size_t n, double factor, const double *distance, double *out);
  /* out[j] += sum_i a[i] sign(c[j] - x_ji) for j < count, i < n, a multiple of SVF_LANES */
  void (*signs)(size_t n, size_t count, const double *a, const float *c, svf_dense x, double *out);
} svf_blocked;

/* A node of a tree in preorder: the left child follows its parent. */
typedef struct svf_fork {
  uint32_t right;  /* right child, counted from the root; 0: a leaf */
  uint32_t first;  /* column that is looked at; of a leaf, its number */
  uint32_t count;  /* 1: a row that misses the column goes left; 0: right */
  float threshold; /* left if the value is below */
} svf_fork;

/* The same tree for many rows, in eight bytes a node. Numbers are compared as integers in the same order (svf_key). The
 * root is step 1, the children of a cut stand side by side, and a leaf leads to itself. */
typedef struct svf_step {
  uint32_t key;  /* left if the value's is below; of a leaf what it says, below SVF_LEAST_KEY: no value is */
  uint32_t word; /* left child, a bit: a row that misses the column goes left, and `bits` bits: the column */
} svf_step;

/* The least key of a finite number, and the key of a missing one. */
#define SVF_LEAST_KEY   0x00800000u
#define SVF_MISSING_KEY 0xffffffffu

static inline uint32_t svf_key(float x) {
  union {
    float x;
    uint32_t bits;
  } u = {x + 0.0f}; /* -0 is 0 */
  uint32_t flip = (uint32_t)((int32_t)u.bits >> 31) | 0x80000000u;
  return (u.bits ^ flip) | (0u - (uint32_t)(x != x));
}

/* Rows on their way through a tree. */
typedef struct svf_walk {
  const svf_step *step;
  unsigned bits;
  bool missing; /* may rows miss a value? */
  size_t n, stride;
  const uint32_t *x; /* rows of keys */
  uint32_t *live;    /* n: which of them walk; spoilt */
  uint32_t *here;    /* n: scratch */
  uint32_t *said;    /* out: what the leaf of each says, at its place in x */
} svf_walk;

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
  /* H = R'R in place, R upper; false: not positive definite, or stopped (H is spoilt). */
  bool (*cholesky)(size_t p, size_t ld, double *h, const atomic_int *stop);
  /* Solves R'R v = b in place: forward and backward. */
  void (*solve)(size_t p, size_t ld, const double *r, double *b);
  /* Solves R'z = b in place for count vectors; pads become 0. */
  void (*forward)(size_t p, size_t ld, const double *r, size_t count, double *const *b);
  /* Solves R v = z in place for count vectors; pads of z must be 0. */
  void (*backward)(size_t p, size_t ld, const double *r, size_t count, double *const *z);

  /* Of single-precision rows in panels (see above), in double: out[i] = row_i . w, and u[j] += sum_i a[i] x_ij. */
  void (*panel_scores)(size_t panels, size_t width, const float *x, const double *w, double *out);
  void (*panel_combine)(size_t panels, size_t width, const float *x, const double *a, double *u);
  /* Of one such row of n numbers, a multiple of SVF_LANES: row . w, and u += a row. */
  double (*row_score)(size_t n, const float *x, const double *w);
  void (*row_add)(size_t n, double a, const float *x, double *u);

  /* Rows of d numbers from where they lie, as machines see them: a missing value is its column's fill, a 1 for
   * the bias follows, then zeros. n rows of svf_padded(d + 1) floats. */
  void (*gather)(size_t n, size_t d, const float *const *row, const float *fill, float *x);
  /* s[i * m + a] = x_i . w_a for n rows and m machines of ld numbers each. An answer has the same bits whatever
   * rows and machines stand beside its own. */
  void (*answers)(size_t n, size_t ld, const float *x, size_t m, const double *w, double *s);
  /* z becomes 1 / (1 + exp(z)), z taken at most 500 in size; n a multiple of SVF_LANES */
  void (*sigmoids)(size_t n, double *z);
  /* With p_i = 1 / (1 + exp(a s_i + b)), g_i = v_i (t_i - p_i) and h_i = v_i p_i (1 - p_i), adds to the five numbers f the
   * sums of g s, g, h s s, h s and h; n a multiple of SVF_LANES. */
  void (*logistic)(size_t n, double a, double b, const double *s, const double *v, const double *t, double *f);
  /* Leaf numbers of n rows in a tree of fewer than 2^29 nodes. */
  void (*descend)(const svf_fork *root, size_t n, const float *const *row, uint32_t *leaf);
  /* The keys of n numbers; says whether any is missing. */
  bool (*keys)(size_t n, const float *x, uint32_t *key);
  void (*walk)(const svf_walk *walk);

  const svf_single *single;
  const svf_blocked *blocked;
  const struct svf_dual *dual; /* la/dual.h */
} svf_la;

/* The fastest table this processor can run; portable: the one that gives the same bits on every x86-64. */
const svf_la *svf_la_choose(bool portable);

/* The tables, for tests and benches; NULL where the processor cannot run one. index 0 is the portable one. */
const svf_la *svf_la_at(size_t index);

/* The index of the fastest that it can run. */
size_t svf_la_level(void);

/* What is compiled once per instruction set, in the order of the tables: NAME_portable and so on. */
#ifdef SVF_X86
#define SVF_LEVELS(NAME)                                                                                             \
  { NAME##_portable, NAME##_avx2, NAME##_avx512 }
#else
#define SVF_LEVELS(NAME)                                                                                             \
  { NAME##_portable }
#endif

#endif
