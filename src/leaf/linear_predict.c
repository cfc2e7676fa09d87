/* linear_predict.c - the linear machines of a cell at work: checked, asked, described. */
#include "leaf/linear.h"

#include <math.h>

/* Parts of the run of numbers. */
typedef struct parts {
  size_t m, machines;
  svf_scheme scheme;
  const double *class_code, *sigmoid, *w;
} parts;

static parts split(const svf_leaf_view *leaf) {
  parts p = {.m = (size_t)leaf->numbers[SVF_LINEAR_CLASSES], .scheme = (svf_scheme)leaf->numbers[SVF_LINEAR_SCHEME]};
  p.machines = p.m > 1 ? svf_machine_count(p.scheme, p.m) : 0;
  p.class_code = leaf->numbers + SVF_LINEAR_HEAD;
  p.sigmoid = p.class_code + p.m;
  p.w = p.sigmoid + 2 * p.m;
  return p;
}

static bool whole_below(double value, size_t bound) {
  return value >= 0 && value < (double)bound && value == floor(value);
}

bool svf_linear_valid(const svf_leaf_view *leaf) {
  if (leaf->length < SVF_LINEAR_HEAD || !whole_below(leaf->numbers[SVF_LINEAR_CLASSES], leaf->k + 1) ||
      leaf->numbers[SVF_LINEAR_CLASSES] < 1 || !whole_below(leaf->numbers[SVF_LINEAR_SCHEME], SVF_CRAMMER_SINGER + 1))
    return false;
  parts p = split(leaf);
  if (p.machines > leaf->length) return false; /* and the product below cannot overflow */
  size_t body = p.m > 1 ? 2 * p.m + p.machines * (leaf->d + 1) : 0;
  if (leaf->length != SVF_LINEAR_HEAD + p.m + body) return false;
  for (size_t c = 0; c < p.m; c++)
    if (!whole_below(p.class_code[c], leaf->k) || (c && p.class_code[c] <= p.class_code[c - 1])) return false;
  return true;
}

static double score_row(const svf_leaf_view *leaf, const double *w, const float *row) {
  double sum = w[leaf->d];
  for (size_t j = 0; j < leaf->d; j++) {
    float x = row[j];
    sum += w[j] * (x == x ? x : leaf->fill[j]);
  }
  return sum;
}

/* Scores and shares of the present classes go to their places among all k. An absent class scores -1, or still less
 * where the best present one does: no row is given to a class that the leaf has not seen. */
static void spread(const parts *p, size_t k, const double *from_score, const double *from_share, double *score,
                   double *share) {
  double best = from_score[svf_largest(p->m, from_score)], absent = best > -1 ? -1 : best - 1;
  for (size_t c = 0; c < k; c++) score[c] = absent, share[c] = 0;
  for (size_t c = 0; c < p->m; c++) {
    size_t code = (size_t)p->class_code[c];
    score[code] = from_score[c];
    share[code] = from_share[c];
  }
}

static void predict_row(const svf_leaf_view *leaf, const parts *p, const float *row, double *machine, double *score,
                        double *share) {
  double *own_score = machine + p->machines, *own_share = own_score + p->m;
  for (size_t a = 0; a < p->machines; a++) machine[a] = score_row(leaf, p->w + a * (leaf->d + 1), row);
  svf_class_scores(p->scheme, p->m, machine, own_score);
  svf_class_shares(p->m, p->sigmoid, own_score, own_share);
  spread(p, leaf->k, own_score, own_share, score, share);
}

bool svf_linear_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch,
                        double *score, double *share) {
  static const double sure = 1;
  parts p = split(leaf);
  svf_mark mark = svf_arena_mark(scratch);
  double *machine = SVF_TAKE(scratch, double, p.machines + 2 * p.m);
  bool fine = machine != NULL;
  for (size_t i = 0; fine && i < n; i++, score += leaf->k, share += leaf->k) {
    if (p.m == 1) spread(&p, leaf->k, &sure, &sure, score, share);
    else predict_row(leaf, &p, row[i], machine, score, share);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

void svf_linear_weights(const svf_leaf_view *leaf, double *sum) {
  parts p = split(leaf);
  for (size_t a = 0; a < p.machines; a++)
    for (size_t j = 0; j < leaf->d; j++) sum[j] += fabs(p.w[a * (leaf->d + 1) + j]) / (double)p.machines;
}

double svf_linear_gap(const svf_leaf_view *leaf) { return leaf->numbers[SVF_LINEAR_GAP]; }

bool svf_linear_text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  parts p = split(leaf);
  if (p.m == 1) return svf_buffer_print(out, "only %s", classes->text[(size_t)p.class_code[0]]);
  svf_buffer_print(out, "%zu machine%s, C %.4g, gap %.1e, classes", p.machines, p.machines == 1 ? "" : "s",
                   leaf->numbers[SVF_LINEAR_COST], leaf->numbers[SVF_LINEAR_GAP]);
  for (size_t c = 0; c < p.m; c++) svf_buffer_print(out, " %s", classes->text[(size_t)p.class_code[c]]);
  return !out->failed;
}
