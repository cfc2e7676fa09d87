/* linear_svm_predict.c - the linear machines of a cell at work: checked, asked, described. */
#include "leaf/linear_svm.h"

#include <math.h>
#include <string.h>

/* Where the parts of the run of numbers begin. */
typedef struct parts {
  size_t m, machines;
  svf_scheme scheme;
  size_t class_code, sigmoid, w;
} parts;

static parts split(const svf_leaf_view *leaf) {
  parts p = {.m = (size_t)svf_leaf_number(leaf, SVF_LINEAR_CLASSES),
             .scheme = (svf_scheme)svf_leaf_number(leaf, SVF_LINEAR_SCHEME)};
  p.machines = p.m > 1 ? svf_machine_count(p.scheme, p.m) : 0;
  p.class_code = SVF_LINEAR_HEAD;
  p.sigmoid = p.class_code + p.m;
  p.w = p.sigmoid + 2 * p.m;
  return p;
}

static size_t code_of(const svf_leaf_view *leaf, const parts *p, size_t c) {
  return (size_t)svf_leaf_number(leaf, p->class_code + c);
}

static bool whole_below(double value, size_t bound) {
  return value >= 0 && value < (double)bound && value == floor(value);
}

bool svf_linear_valid(const svf_leaf_view *leaf) {
  if (leaf->length < SVF_LINEAR_HEAD) return false;
  double m = svf_leaf_number(leaf, SVF_LINEAR_CLASSES);
  if (!whole_below(m, leaf->k + 1) || m < 1 ||
      !whole_below(svf_leaf_number(leaf, SVF_LINEAR_SCHEME), SVF_CRAMMER_SINGER + 1))
    return false;
  parts p = split(leaf);
  if (p.machines > leaf->length) return false; /* and the product below cannot overflow */
  size_t body = p.m > 1 ? 2 * p.m + p.machines * (leaf->d + 1) : 0;
  if (leaf->length != SVF_LINEAR_HEAD + p.m + body) return false;
  for (size_t c = 0; c < p.m; c++)
    if (!whole_below(svf_leaf_number(leaf, p.class_code + c), leaf->k) ||
        (c && code_of(leaf, &p, c) <= code_of(leaf, &p, c - 1)))
      return false;
  return true;
}

/* Rows and weights as the kernels want them, and what comes out. */
typedef struct bench {
  float *x;        /* n x ld */
  double *w;       /* machines x ld */
  double *sigmoid; /* m x 2 */
  double *machine; /* n x machines */
  double *score;   /* n x m */
  double *share;   /* n x m, and room up to whole vectors */
} bench;

static bool own_machines(const parts *p) { return p->scheme != SVF_ONE_VS_ONE && p->machines == p->m; }

/* score: n x k, which takes the scores of the leaf's classes at once where it has all. Where each class has a machine,
 * what the machines say are those scores. */
static bool open_bench(bench *b, const svf_leaf_view *leaf, const parts *p, size_t n, double *score,
                       svf_arena *scratch) {
  size_t ld = svf_padded(leaf->d + 1), all = n * p->m;
  b->x = SVF_TAKE(scratch, float, n *ld);
  b->w = SVF_TAKE(scratch, double, p->machines *ld);
  b->sigmoid = SVF_TAKE(scratch, double, 2 * p->m);
  b->score = p->m == leaf->k ? score : SVF_TAKE(scratch, double, all);
  b->machine = own_machines(p) ? b->score : SVF_TAKE(scratch, double, n * p->machines);
  b->share = SVF_TAKE(scratch, double, svf_padded(all));
  return !svf_arena_failed(scratch);
}

static void copy_numbers(const svf_leaf_view *leaf, size_t from, size_t count, double *to) {
  if (leaf->singles)
    for (size_t j = 0; j < count; j++) to[j] = leaf->singles[from + j];
  else memcpy(to, leaf->numbers + from, count * sizeof *to);
}

static void copy_weights(const svf_leaf_view *leaf, const parts *p, double *w) {
  size_t count = leaf->d + 1, ld = svf_padded(count);
  for (size_t a = 0; a < p->machines; a++, w += ld) {
    copy_numbers(leaf, p->w + a * count, count, w);
    for (size_t j = count; j < ld; j++) w[j] = 0;
  }
}

static void ask_machines(const svf_leaf_view *leaf, const parts *p, const float *const *row, size_t n,
                         const bench *b) {
  leaf->la->gather(n, leaf->d, row, leaf->fill, b->x);
  copy_weights(leaf, p, b->w);
  leaf->la->answers(n, svf_padded(leaf->d + 1), b->x, p->machines, b->w, b->machine);
  if (own_machines(p)) return;
  bool two = p->scheme == SVF_ONE_VS_REST;
  for (size_t i = 0; i < n; i++)
    if (two) b->score[2 * i] = -b->machine[i], b->score[2 * i + 1] = b->machine[i];
    else svf_class_scores(p->scheme, p->m, b->machine + i * p->machines, b->score + i * p->m);
}

/* As svf_class_shares, for n rows: of two classes only the second has a sigmoid. */
static void share_two(const svf_la *la, size_t n, const bench *b) {
  double *share = b->share;
  for (size_t i = 0; i < svf_padded(n); i++)
    share[i] = i < n ? b->sigmoid[2] * b->score[2 * i + 1] + b->sigmoid[3] : 0;
  la->sigmoids(svf_padded(n), share);
  for (size_t i = n; i-- > 0;) {
    share[2 * i + 1] = share[i];
    share[2 * i] = 1 - share[2 * i + 1];
  }
}

static void share_many(const svf_la *la, size_t m, size_t n, const bench *b) {
  size_t all = n * m;
  double *share = b->share;
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < m; c++) share[i * m + c] = b->sigmoid[2 * c] * b->score[i * m + c] + b->sigmoid[2 * c + 1];
  for (size_t i = all; i < svf_padded(all); i++) share[i] = 0;
  la->sigmoids(svf_padded(all), share);
  for (size_t i = 0; i < n; i++, share += m) {
    double sum = 0;
    for (size_t c = 0; c < m; c++) sum += share[c];
    for (size_t c = 0; c < m; c++) share[c] = sum > 0 ? share[c] / sum : 1 / (double)m;
  }
}

/* Scores and shares of the present classes go to their places among all k. An absent class scores -1, or still less
 * where the best present one does: no row is given to a class that the leaf has not seen. */
static void spread_scores(const svf_leaf_view *leaf, const parts *p, const double *own, double *score) {
  double best = own[svf_largest(p->m, own)], absent = best > -1 ? -1 : best - 1;
  for (size_t c = 0; c < leaf->k; c++) score[c] = absent;
  for (size_t c = 0; c < p->m; c++) score[code_of(leaf, p, c)] = own[c];
}

static void spread_shares(const svf_leaf_view *leaf, const parts *p, const double *own, double *share) {
  if (p->m < leaf->k) memset(share, 0, leaf->k * sizeof *share);
  for (size_t c = 0; c < p->m; c++) share[code_of(leaf, p, c)] = own[c];
}

static void predict_pure(const svf_leaf_view *leaf, const parts *p, size_t n, double *score, double *share) {
  static const double sure = 1;
  for (size_t i = 0; i < n; i++) {
    spread_scores(leaf, p, &sure, score + i * leaf->k);
    if (share) spread_shares(leaf, p, &sure, share + i * leaf->k);
  }
}

static void predict_shares(const svf_leaf_view *leaf, const parts *p, size_t n, const bench *b, double *share) {
  copy_numbers(leaf, p->sigmoid, 2 * p->m, b->sigmoid);
  if (p->m == 2) share_two(leaf->la, n, b);
  else share_many(leaf->la, p->m, n, b);
  for (size_t i = 0; i < n; i++) spread_shares(leaf, p, b->share + i * p->m, share + i * leaf->k);
}

bool svf_linear_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch,
                        double *score, double *share) {
  parts p = split(leaf);
  bench b;
  if (p.m == 1) return predict_pure(leaf, &p, n, score, share), true;
  svf_mark mark = svf_arena_mark(scratch);
  bool fine = open_bench(&b, leaf, &p, n, score, scratch);
  if (fine) {
    ask_machines(leaf, &p, row, n, &b);
    if (share) predict_shares(leaf, &p, n, &b, share);
    for (size_t i = 0; p.m < leaf->k && i < n; i++) spread_scores(leaf, &p, b.score + i * p.m, score + i * leaf->k);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

void svf_linear_weights(const svf_leaf_view *leaf, double *scratch, double *sum) {
  (void)scratch;
  parts p = split(leaf);
  for (size_t a = 0; a < p.machines; a++)
    for (size_t j = 0; j < leaf->d; j++)
      sum[j] += fabs(svf_leaf_number(leaf, p.w + a * (leaf->d + 1) + j)) / (double)p.machines;
}

double svf_linear_gap(const svf_leaf_view *leaf) {
  double gap = svf_leaf_number(leaf, SVF_LINEAR_GAP);
  return leaf->singles ? gap * (1 - 0x1p-23) : gap; /* rounding may have lifted it over the tolerance */
}

bool svf_linear_text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  parts p = split(leaf);
  if (p.m == 1) return svf_buffer_print(out, "only %s", classes->text[code_of(leaf, &p, 0)]);
  svf_buffer_print(out, "%zu machine%s, C %.4g, gap %.1e, classes", p.machines, p.machines == 1 ? "" : "s",
                   svf_leaf_number(leaf, SVF_LINEAR_COST), svf_linear_gap(leaf));
  for (size_t c = 0; c < p.m; c++) svf_buffer_print(out, " %s", classes->text[code_of(leaf, &p, c)]);
  return !out->failed;
}
