/* kernel_svm_model.c - from trained kernel machines to a leaf's numbers: support vectors once for all machines, or, where
 * that is smaller and faster, the weights of the monomials that a polynomial kernel stands for. */
#include "leaf/kernel_svm.h"

#include <float.h>
#include <math.h>
#include <string.h>

double svf_monomial_count(size_t d, unsigned degree) {
  double count = 1;
  for (unsigned k = 1; k <= degree; k++) {
    count = count * ((double)d + k) / k;
    if (!(count < 0x1p53)) return INFINITY;
  }
  return nearbyint(count);
}

static unsigned degree_of(const svf_kernel *kernel) { return kernel->kind == SVF_KERNEL_POLY ? kernel->degree : 1; }

/* (gamma x.z + c)^D = sum_k binomial(D, k) c^(D-k) gamma^k (x.z)^k, and (x.z)^k has k! / prod(multiplicity!) of each
 * monomial of degree k. `run`: how often the last variable stands in it. */
static void grow(svf_monomials *m, const svf_kernel *kernel, size_t d, uint32_t *run) {
  bool poly = kernel->kind == SVF_KERNEL_POLY;
  unsigned degree = degree_of(kernel);
  double gamma = poly ? kernel->gamma : 1, coef0 = poly ? kernel->coef0 : 0, binomial = 1;
  size_t start[SVF_MOST_FOLDED + 2] = {0, 1}, at = 1; /* of the monomials of each degree */
  m->scale[0] = 1;
  for (unsigned k = 1; k <= degree; start[++k] = at)
    for (size_t q = start[k - 1]; q < start[k]; q++)
      for (size_t j = k > 1 ? m->variable[q] : 0; j < d; j++, at++) {
        m->parent[at] = (uint32_t)q;
        m->variable[at] = (uint32_t)j;
        run[at] = k > 1 && j == m->variable[q] ? run[q] + 1 : 1;
        m->scale[at] = m->scale[q] * k / run[at];
      }
  for (unsigned k = 0; k <= degree; binomial = binomial * (degree - k) / (k + 1), k++) {
    double factor = binomial * pow(coef0, degree - k) * pow(gamma, k);
    for (size_t q = start[k]; q < start[k + 1]; q++) m->scale[q] *= factor;
  }
}

bool svf_monomials_open(svf_monomials *m, const svf_kernel *kernel, size_t d, svf_arena *arena) {
  m->count = (size_t)svf_monomial_count(d, degree_of(kernel));
  m->parent = SVF_ZERO(arena, uint32_t, m->count);
  m->variable = SVF_ZERO(arena, uint32_t, m->count);
  m->scale = SVF_TAKE(arena, double, m->count);
  uint32_t *run = SVF_ZERO(arena, uint32_t, m->count);
  if (svf_arena_failed(arena)) return false;
  grow(m, kernel, d, run);
  return true;
}

void svf_monomials_value(const svf_monomials *m, const float *x, double *value) {
  value[0] = 1;
  for (size_t q = 1; q < m->count; q++) value[q] = value[m->parent[q]] * (double)x[m->variable[q]];
}

/* ---- writing ---- */

/* Finite whatever came out. */
static void append(svf_buffer *numbers, double value) {
  value = value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value == value ? value : 0;
  svf_buffer_add(numbers, &value, sizeof value);
}

typedef struct writer {
  const svf_kernel_result *r;
  const svf_kernel_set *set;
  svf_buffer *numbers;
  unsigned char *used;  /* n: is it a support vector? */
  size_t vectors, each; /* each: coefficients of one */
} writer;

/* beta of row i in machine a; 0 where the row is none of the machine's. */
static double beta_of(const writer *w, size_t a, size_t i) {
  svf_sides_of sides = svf_kernel_sides(w->set, a);
  const double *beta = w->r->machines->beta + w->set->place[a];
  for (int r = 0; r < 2; beta += svf_padded(sides.count[r++]))
    if (i >= sides.from[r] && i < sides.from[r] + sides.count[r]) return beta[i - sides.from[r]];
  return 0;
}

static void find_vectors(writer *w) {
  for (size_t a = 0; a < w->set->machines; a++) {
    svf_sides_of sides = svf_kernel_sides(w->set, a);
    const double *beta = w->r->machines->beta + w->set->place[a];
    for (int r = 0; r < 2; beta += svf_padded(sides.count[r++]))
      for (size_t i = 0; i < sides.count[r]; i++) w->used[sides.from[r] + i] |= beta[i] != 0;
  }
  for (size_t i = 0; i < w->set->n; i++) w->vectors += w->used[i];
}

/* Number of the machine of two classes. */
static size_t machine_of(size_t m, size_t a, size_t b) {
  if (a > b) return machine_of(m, b, a);
  return a * (2 * m - a - 1) / 2 + (b - a - 1);
}

static void write_row(const writer *w, size_t i) {
  size_t d = w->set->problem->d;
  const float *from = w->set->x + i * w->set->ld;
  double *to = svf_buffer_grow(w->numbers, d * sizeof *to);
  for (size_t j = 0; to && j < d; j++) to[j] = from[j];
}

static void write_vectors(const writer *w) {
  const svf_kernel_set *set = w->set;
  bool pairs = set->problem->scheme == SVF_ONE_VS_ONE, given = set->kernel.kind == SVF_KERNEL_PRECOMPUTED;
  for (size_t c = 0; c < set->m; c++) {
    size_t count = 0;
    for (size_t i = set->start[c]; i < set->start[c + 1]; i++) count += w->used[i];
    append(w->numbers, (double)count);
  }
  for (size_t a = 0; a < set->machines; a++) append(w->numbers, w->r->machines->bias[a]);
  for (size_t i = 0; i < set->n; i++)
    for (size_t q = 0; w->used[i] && q < w->each; q++) {
      size_t own = (size_t)set->label[i], other = q + (q >= own);
      append(w->numbers, beta_of(w, pairs ? machine_of(set->m, own, other) : q, i));
    }
  for (size_t i = 0; i < set->n; i++) {
    if (w->used[i] && given) append(w->numbers, set->id[i]);
    if (w->used[i] && !given) write_row(w, i);
  }
}

/* w_q = scale_q sum_i beta_i m_q(x_i). */
static bool write_weights(const writer *w, svf_arena *arena) {
  const svf_kernel_set *set = w->set;
  svf_monomials m;
  if (!svf_monomials_open(&m, &set->kernel, set->problem->d, arena)) return false;
  double *value = SVF_TAKE(arena, double, m.count), *sum = SVF_ZERO(arena, double, set->machines *m.count);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < set->n; i++) {
    if (!w->used[i]) continue;
    svf_monomials_value(&m, set->x + i * set->ld, value);
    for (size_t a = 0; a < set->machines; a++) {
      double beta = beta_of(w, a, i);
      for (size_t q = 0; beta != 0 && q < m.count; q++) sum[a * m.count + q] += beta * value[q];
    }
  }
  for (size_t a = 0; a < set->machines; a++)
    for (size_t q = 0; q < m.count; q++)
      append(w->numbers, sum[a * m.count + q] * m.scale[q] + (q ? 0 : w->r->machines->bias[a]));
  return true;
}

/* Weights take fewer numbers, and fewer multiplications for a row. */
static bool folds(const writer *w) {
  svf_kernel_kind kind = w->set->kernel.kind;
  if ((kind != SVF_KERNEL_LINEAR && kind != SVF_KERNEL_POLY) || degree_of(&w->set->kernel) > SVF_MOST_FOLDED)
    return false;
  double P = svf_monomial_count(w->set->problem->d, degree_of(&w->set->kernel));
  return P * (double)(w->set->machines + 1) <= (double)w->vectors * (double)(w->each + w->set->problem->d);
}

static void write_head(const writer *w, bool folded) {
  const svf_kernel_set *set = w->set;
  append(w->numbers, (double)set->m);
  append(w->numbers, set->problem->scheme);
  append(w->numbers, folded ? SVF_FORM_WEIGHTS : SVF_FORM_VECTORS);
  append(w->numbers, set->kernel.kind);
  append(w->numbers, degree_of(&set->kernel));
  append(w->numbers, set->kernel.gamma);
  append(w->numbers, set->kernel.coef0);
  append(w->numbers, w->r->machines->C);
  append(w->numbers, w->r->machines->gap);
  append(w->numbers, w->r->held_out);
  append(w->numbers, (double)w->vectors);
  for (size_t c = 0; c < set->m; c++) append(w->numbers, w->r->present[c]);
  for (size_t c = 0; c < 2 * set->m; c++) append(w->numbers, w->r->sigmoid[c]);
}

bool svf_kernel_write(const svf_kernel_result *result, svf_buffer *numbers) {
  const svf_kernel_set *set = result->set;
  svf_arena *arena = set->problem->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  writer w = {.r = result, .set = set, .numbers = numbers};
  w.each = set->problem->scheme == SVF_ONE_VS_ONE ? set->m - 1 : set->machines;
  w.used = SVF_ZERO(arena, unsigned char, set->n);
  bool fine = w.used != NULL;
  if (fine) {
    find_vectors(&w);
    bool folded = folds(&w);
    write_head(&w, folded);
    if (folded) fine = write_weights(&w, arena);
    else write_vectors(&w);
  }
  svf_arena_release(arena, mark);
  return fine && !numbers->failed;
}

bool svf_kernel_write_pure(int32_t code, svf_buffer *numbers) {
  double head[SVF_KL_HEAD + 1] = {[SVF_KL_CLASSES] = 1, [SVF_KL_DEGREE] = 1, [SVF_KL_HELD_OUT] = -1};
  head[SVF_KL_HEAD] = code;
  return svf_buffer_add(numbers, head, sizeof head);
}
