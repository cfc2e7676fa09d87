/* kernel_svm_predict.c - the kernel machines of a cell at work: checked, asked, described. */
#include "leaf/kernel_svm.h"

#include <math.h>
#include <string.h>

enum { ROWS = 16 }; /* asked together */

/* Where the parts of the run of numbers begin. */
typedef struct parts {
  size_t m, machines, vectors, each, terms; /* each: coefficients of a vector; terms: weights of a machine */
  svf_scheme scheme;
  bool folded, given;
  svf_kernel kernel;
  size_t code, sigmoid, count, bias, coefficient, row; /* or, folded: weights at `bias` */
} parts;

static double head(const svf_leaf_view *leaf, size_t at) { return svf_leaf_number(leaf, at); }

static parts split(const svf_leaf_view *leaf) {
  parts p = {.m = (size_t)head(leaf, SVF_KL_CLASSES),
             .scheme = (svf_scheme)head(leaf, SVF_KL_SCHEME),
             .folded = head(leaf, SVF_KL_FORM) != SVF_FORM_VECTORS,
             .vectors = (size_t)head(leaf, SVF_KL_VECTORS)};
  p.kernel = (svf_kernel){(svf_kernel_kind)head(leaf, SVF_KL_KERNEL), head(leaf, SVF_KL_GAMMA),
                          head(leaf, SVF_KL_COEF0), (unsigned)head(leaf, SVF_KL_DEGREE)};
  p.given = p.kernel.kind == SVF_KERNEL_PRECOMPUTED;
  p.machines = p.m > 1 ? svf_machine_count(p.scheme, p.m) : 0;
  p.each = p.scheme == SVF_ONE_VS_ONE ? p.m - 1 : p.machines;
  p.code = SVF_KL_HEAD;
  p.sigmoid = p.code + p.m;
  p.count = p.sigmoid + 2 * p.m;
  p.bias = p.folded ? p.count : p.count + p.m;
  p.coefficient = p.bias + p.machines;
  p.row = p.coefficient + p.vectors * p.each;
  return p;
}

static size_t code_of(const svf_leaf_view *leaf, const parts *p, size_t c) {
  return (size_t)svf_leaf_number(leaf, p->code + c);
}

/* ---- is it safe? ---- */

static bool whole_below(double value, double bound) { return value >= 0 && value < bound && value == floor(value); }

static bool valid_head(const svf_leaf_view *leaf) {
  if (leaf->length < SVF_KL_HEAD) return false;
  return whole_below(head(leaf, SVF_KL_CLASSES), (double)leaf->k + 1) && head(leaf, SVF_KL_CLASSES) >= 1 &&
         whole_below(head(leaf, SVF_KL_SCHEME), SVF_CRAMMER_SINGER) &&
         whole_below(head(leaf, SVF_KL_FORM), SVF_FORM_WEIGHTS + 1) &&
         whole_below(head(leaf, SVF_KL_KERNEL), SVF_KERNELS) &&
         whole_below(head(leaf, SVF_KL_DEGREE), SVF_MOST_DEGREE + 1) && head(leaf, SVF_KL_DEGREE) >= 1 &&
         whole_below(head(leaf, SVF_KL_VECTORS), 0x1p53) && head(leaf, SVF_KL_GAMMA) >= 0;
}

static bool valid_codes(const svf_leaf_view *leaf, const parts *p) {
  if (p->m > leaf->length - SVF_KL_HEAD) return false;
  for (size_t c = 0; c < p->m; c++)
    if (!whole_below(svf_leaf_number(leaf, p->code + c), (double)leaf->k) ||
        (c && code_of(leaf, p, c) <= code_of(leaf, p, c - 1)))
      return false;
  return true;
}

/* Sums in double: nothing overflows, and what is too large is not equal to the length. */
static bool valid_length(const svf_leaf_view *leaf, const parts *p) {
  double m = (double)p->m, machines = (double)p->machines, V = (double)p->vectors, d = (double)leaf->d;
  double wanted = SVF_KL_HEAD + m;
  if (p->m > 1 && p->folded) {
    if (p->kernel.kind > SVF_KERNEL_POLY || p->kernel.degree > SVF_MOST_FOLDED) return false;
    wanted += 2 * m + machines * svf_monomial_count(leaf->d, p->kernel.degree);
  } else if (p->m > 1) {
    wanted += 3 * m + machines + V * (double)p->each + V * (p->given ? 1 : d);
  }
  return wanted == (double)leaf->length;
}

static bool valid_vectors(const svf_leaf_view *leaf, const parts *p) {
  double sum = 0;
  for (size_t c = 0; c < p->m; c++) {
    double count = svf_leaf_number(leaf, p->count + c);
    if (!whole_below(count, (double)leaf->length)) return false;
    sum += count;
  }
  for (size_t v = 0; p->given && v < p->vectors; v++)
    if (!whole_below(svf_leaf_number(leaf, p->row + v), (double)leaf->d)) return false;
  return sum == (double)p->vectors;
}

bool svf_kernel_valid(const svf_leaf_view *leaf) {
  if (!valid_head(leaf)) return false;
  parts p = split(leaf);
  if (!valid_codes(leaf, &p) || !valid_length(leaf, &p)) return false;
  return p.m == 1 || p.folded || valid_vectors(leaf, &p);
}

/* ---- asking ---- */

typedef struct bench {
  size_t ld, width; /* numbers of a row; padded number of vectors */
  float *x;         /* ROWS x ld */
  double *number;   /* everything after the sigmoids, in double */
  double *sigmoid;
  svf_monomials monomials;
  double *value;                  /* of the monomials */
  double *vector, *square, *z;    /* width x ld; width; ROWS x width */
  float *narrow;                  /* vectors as floats, for chi2 */
  double *machine, *own, *shares; /* of one row */
} bench;

static void copy_numbers(const svf_leaf_view *leaf, size_t from, size_t count, double *to) {
  for (size_t j = 0; j < count; j++) to[j] = svf_leaf_number(leaf, from + j);
}

static void copy_vectors(const svf_leaf_view *leaf, const parts *p, const bench *b) {
  const double *from = b->number + (p->row - p->count);
  for (size_t v = 0; v < p->vectors; v++, from += leaf->d) {
    double *to = b->vector + v * b->ld, sum = 0;
    for (size_t j = 0; j < leaf->d; j++) to[j] = from[j], sum += from[j] * from[j];
    b->square[v] = sum;
    for (size_t j = 0; b->narrow && j < leaf->d; j++) b->narrow[v * b->ld + j] = (float)from[j];
  }
}

static bool open_bench(bench *b, const svf_leaf_view *leaf, const parts *p, svf_arena *scratch) {
  size_t rest = leaf->length - p->count;
  *b = (bench){.ld = svf_padded(leaf->d + 1), .width = svf_padded(p->vectors)};
  b->x = SVF_TAKE(scratch, float, ROWS * b->ld);
  b->number = SVF_TAKE(scratch, double, rest);
  b->sigmoid = SVF_TAKE(scratch, double, 2 * p->m);
  b->machine = SVF_TAKE(scratch, double, p->machines);
  b->own = SVF_TAKE(scratch, double, p->m);
  b->shares = SVF_TAKE(scratch, double, p->m);
  if (p->folded) {
    if (!svf_monomials_open(&b->monomials, &p->kernel, leaf->d, scratch)) return false;
    b->value = SVF_TAKE(scratch, double, b->monomials.count);
  } else {
    b->z = SVF_ZERO(scratch, double, ROWS * b->width);
    b->vector = p->given ? NULL : SVF_ZERO(scratch, double, b->width * b->ld);
    b->square = SVF_ZERO(scratch, double, b->width);
    b->narrow = p->kernel.kind == SVF_KERNEL_CHI2 ? SVF_ZERO(scratch, float, b->width * b->ld) : NULL;
  }
  if (svf_arena_failed(scratch)) return false;
  copy_numbers(leaf, p->count, rest, b->number);
  copy_numbers(leaf, p->sigmoid, 2 * p->m, b->sigmoid);
  if (!p->folded && !p->given) copy_vectors(leaf, p, b);
  return true;
}

/* Kernel values of some rows with all vectors. */
static void ask_kernel(const svf_leaf_view *leaf, const parts *p, const bench *b, size_t n) {
  svf_kernel_base of = svf_kernel_base_of(p->kernel.kind);
  const double *column = b->number + (p->row - p->count);
  if (of == SVF_BASE_DOT) leaf->la->answers(n, b->ld, b->x, b->width, b->vector, b->z);
  for (size_t i = 0; i < n; i++) {
    const float *x = b->x + i * b->ld;
    double *z = b->z + i * b->width, sum = 0;
    for (size_t j = 0; j < leaf->d; j++) sum += (double)x[j] * x[j];
    if (of == SVF_BASE_CHI) leaf->la->dual->chi(p->vectors, b->ld, b->narrow, x, z);
    for (size_t v = 0; of == SVF_BASE_GIVEN && v < p->vectors; v++) z[v] = x[(size_t)column[v]];
    svf_kernel_values(&p->kernel, leaf->la, p->vectors, sum, b->square, z);
  }
}

/* Machine number a against b, b > a, is one of those that count up from the first of a. */
static size_t first_of(size_t m, size_t a) { return a * (2 * m - a - 1) / 2; }

static void ask_vectors(const parts *p, const bench *b, const double *z, double *machine) {
  const double *coefficient = b->number + (p->coefficient - p->count);
  double *sum = b->shares; /* m numbers, free until shares are made */
  memcpy(machine, b->number + (p->bias - p->count), p->machines * sizeof *machine);
  for (size_t c = 0, v = 0; c < p->m; c++) {
    size_t end = v + (size_t)b->number[c];
    double *to = p->scheme == SVF_ONE_VS_ONE ? sum : machine;
    for (size_t q = 0; to == sum && q < p->each; q++) sum[q] = 0;
    for (; v < end; v++, coefficient += p->each)
      for (size_t q = 0; q < p->each; q++) to[q] += coefficient[q] * z[v];
    for (size_t q = 0; to == sum && q < p->each; q++) {
      size_t other = q + (q >= c), low = other < c ? other : c, high = other < c ? c : other;
      machine[first_of(p->m, low) + high - low - 1] += sum[q];
    }
  }
}

static void ask_weights(const parts *p, const bench *b, const float *x, double *machine) {
  const double *w = b->number;
  svf_monomials_value(&b->monomials, x, b->value);
  for (size_t a = 0; a < p->machines; a++, w += b->monomials.count) {
    double sum = 0;
    for (size_t q = 0; q < b->monomials.count; q++) sum += w[q] * b->value[q];
    machine[a] = sum;
  }
}

/* To the places of the classes among all k. */
static void spread(const svf_leaf_view *leaf, const parts *p, const double *own, double *score) {
  double best = own[svf_largest(p->m, own)], absent = best > -1 ? -1 : best - 1;
  for (size_t c = 0; c < leaf->k; c++) score[c] = absent;
  for (size_t c = 0; c < p->m; c++) score[code_of(leaf, p, c)] = own[c];
}

static void spread_shares(const svf_leaf_view *leaf, const parts *p, const double *own, double *share) {
  for (size_t c = 0; c < leaf->k; c++) share[c] = 0;
  for (size_t c = 0; c < p->m; c++) share[code_of(leaf, p, c)] = own[c];
}

static void answer(const svf_leaf_view *leaf, const parts *p, const bench *b, size_t i, double *score,
                   double *share) {
  if (p->folded) ask_weights(p, b, b->x + i * b->ld, b->machine);
  else ask_vectors(p, b, b->z + i * b->width, b->machine);
  for (size_t a = 0; a < p->machines; a++) b->machine[a] = fmax(-1e300, fmin(1e300, b->machine[a]));
  svf_class_scores(p->scheme, p->m, b->machine, b->own);
  spread(leaf, p, b->own, score);
  if (!share) return;
  svf_class_shares(p->m, b->sigmoid, b->own, b->shares);
  spread_shares(leaf, p, b->shares, share);
}

static void predict_pure(const svf_leaf_view *leaf, const parts *p, size_t n, double *score, double *share) {
  static const double sure = 1;
  for (size_t i = 0; i < n; i++) {
    spread(leaf, p, &sure, score + i * leaf->k);
    if (share) spread_shares(leaf, p, &sure, share + i * leaf->k);
  }
}

bool svf_kernel_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch,
                        double *score, double *share) {
  parts p = split(leaf);
  bench b;
  if (p.m == 1) return predict_pure(leaf, &p, n, score, share), true;
  svf_mark mark = svf_arena_mark(scratch);
  bool fine = open_bench(&b, leaf, &p, scratch);
  for (size_t first = 0; fine && first < n; first += ROWS) {
    size_t some = n - first < ROWS ? n - first : ROWS;
    leaf->la->gather(some, leaf->d, row + first, leaf->fill, b.x);
    for (size_t i = 0; i < some; i++) b.x[i * b.ld + leaf->d] = 0; /* the bias is apart */
    if (!p.folded) ask_kernel(leaf, &p, &b, some);
    for (size_t i = 0; i < some; i++)
      answer(leaf, &p, &b, i, score + (first + i) * leaf->k, share ? share + (first + i) * leaf->k : NULL);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

double svf_kernel_gap(const svf_leaf_view *leaf) {
  double gap = head(leaf, SVF_KL_GAP);
  return leaf->singles ? gap * (1 - 0x1p-23) : gap; /* rounding may have lifted it over the tolerance */
}

double svf_kernel_dimension(const svf_kernel *kernel, size_t d) {
  if (kernel->kind == SVF_KERNEL_LINEAR) return (double)d + 1;
  return kernel->kind == SVF_KERNEL_POLY ? svf_monomial_count(d, kernel->degree) : INFINITY;
}

/* A leaf of one class is a machine of any kind: it counts as the simplest. */
double svf_kernel_capacity(const svf_leaf_view *leaf) {
  parts p = split(leaf);
  return svf_kernel_dimension(&p.kernel, leaf->d);
}

bool svf_kernel_text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  static const char *const names[] = {"linear", "poly", "rbf", "chi2", "precomputed"};
  parts p = split(leaf);
  if (p.m == 1) return svf_buffer_print(out, "only %s", classes->text[code_of(leaf, &p, 0)]);
  svf_buffer_print(out, "%zu %s machine%s", p.machines, names[p.kernel.kind], p.machines == 1 ? "" : "s");
  if (p.kernel.kind == SVF_KERNEL_POLY) svf_buffer_print(out, ", degree %u", p.kernel.degree);
  if (p.kernel.kind != SVF_KERNEL_LINEAR && !p.given) svf_buffer_print(out, ", gamma %.4g", p.kernel.gamma);
  svf_buffer_print(out, ", C %.4g, gap %.1e, %zu support vectors%s, classes", head(leaf, SVF_KL_COST),
                   svf_kernel_gap(leaf), p.vectors, p.folded ? " folded into weights" : "");
  for (size_t c = 0; c < p.m; c++) svf_buffer_print(out, " %s", classes->text[code_of(leaf, &p, c)]);
  return !out->failed;
}
