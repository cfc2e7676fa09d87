/* choice.c - see choice.h; and how class scores and shares come from the scores of machines. */
#include "svm/choice.h"

#include <math.h>
#include <string.h>
#include "la/elementary.h"

enum { BINS = 64 };

size_t svf_largest(size_t m, const double *score) {
  size_t best = 0;
  for (size_t c = 1; c < m; c++)
    if (score[c] > score[best]) best = c;
  return best;
}

void svf_class_scores(svf_scheme scheme, size_t m, const double *machine, double *score) {
  if (scheme == SVF_ONE_VS_REST && m == 2) {
    score[0] = -machine[0], score[1] = machine[0];
    return;
  }
  if (scheme != SVF_ONE_VS_ONE) {
    memcpy(score, machine, m * sizeof(double));
    return;
  }
  memset(score, 0, m * sizeof(double));
  double small = 1 / (2 * (double)m), scale = 1 / ((double)(m - 1) * (1 + small));
  for (size_t a = 0; a < m; a++) {
    double own = score[a];
    for (size_t b = a + 1; b < m; b++) { /* a win counts more than all margins together */
      double s = *machine++, most = s < 1 ? s : 1, margin = most > -1 ? most : -1;
      double part = ((margin >= 0 ? 1 : -1) + small * margin) * scale;
      own += part;
      score[b] -= part;
    }
    score[a] = own;
  }
}

void svf_class_shares(size_t m, const double *sigmoid, const double *score, double *share) {
  double sum = 0;
  for (size_t c = m == 2; c < m; c++) {
    share[c] = 1 / (1 + svf_exp(svf_sigmoid_clip(sigmoid[2 * c] * score[c] + sigmoid[2 * c + 1])));
    sum += share[c];
  }
  if (m == 2) {
    share[0] = 1 - share[1];
    return;
  }
  for (size_t c = 0; c < m; c++) share[c] = sum > 0 ? share[c] / sum : 1 / (double)m;
}

static double weigh(const svf_choice *k, size_t i) { return k->weight ? k->weight[i] : 1; }

/* Class scores of every held-out row at one C. */
static void score_rows(const svf_choice *k, size_t C, double *machine, double *scores) {
  size_t n = k->n, m = k->m;
  for (size_t i = 0; i < n; i++) {
    for (size_t a = 0; a < k->machines; a++) machine[a] = k->held[(a * k->C_count + C) * n + i];
    svf_class_scores(k->scheme, m, machine, scores + i * m);
  }
}

static double right_weight(const svf_choice *k, const double *scores) {
  size_t m = k->m;
  double right = 0;
  for (size_t i = 0; i < k->n; i++)
    if (svf_largest(m, scores + i * m) == (size_t)k->label[i]) right += weigh(k, i);
  return right;
}

/* One-vs-rest of two classes, whose one machine is for the second: the same without class scores. */
static double right_weight_of_two(const svf_choice *k, size_t C) {
  const float *s = k->held + C * k->n;
  double right = 0;
  if (!k->weight) {
    uint32_t rows = 0;
    for (size_t i = 0; i < k->n; i++) rows += (s[i] > 0) == k->label[i];
    return rows;
  }
  for (size_t i = 0; i < k->n; i++) right += (s[i] > 0) == k->label[i] ? weigh(k, i) : 0;
  return right;
}

/* The sigmoid of one class. Scores are first brought together in bins, hits and others apart, each at its
 * mean score: the fit then costs the same for any number of rows. */
static void calibrate(const svf_choice *k, const double *scores, size_t c, double *sigmoid) {
  size_t n = k->n, m = k->m, used = 0;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    double s = scores[i * m + c];
    if (s < low) low = s;
    if (s > high) high = s;
  }
  double sum[2 * BINS] = {0}, weight[2 * BINS] = {0}, scale = high > low ? BINS / (high - low) : 0;
  unsigned char hit[2 * BINS];
  for (size_t i = 0; i < n; i++) {
    double s = scores[i * m + c], place = (s - low) * scale;
    size_t bin = 2 * (place < BINS - 1 ? (size_t)place : BINS - 1) + (k->label[i] == (int32_t)c);
    sum[bin] += weigh(k, i) * s;
    weight[bin] += weigh(k, i);
  }
  for (size_t b = 0; b < 2 * BINS; b++) {
    if (!(weight[b] > 0)) continue;
    hit[used] = b & 1;
    sum[used] = sum[b] / weight[b];
    weight[used++] = weight[b];
  }
  svf_calibrate(k->la, used, sum, hit, weight, &sigmoid[0], &sigmoid[1]);
}

bool svf_choice_make(const svf_choice *k, size_t *best, double *share, double *sigmoid) {
  size_t n = k->n, m = k->m;
  double *machine = SVF_TAKE(k->arena, double, k->machines), *scores = SVF_TAKE(k->arena, double, n *m);
  if (svf_arena_failed(k->arena)) return false;
  double most = -1, all = 0;
  bool two = k->scheme == SVF_ONE_VS_REST && m == 2;
  for (size_t i = 0; i < n; i++) all += weigh(k, i);
  for (size_t c = 0; c < k->C_count; c++) {
    if (!two) score_rows(k, c, machine, scores);
    double right = two ? right_weight_of_two(k, c) : right_weight(k, scores);
    if (right > most) most = right, *best = c;
  }
  *share = most / all;
  score_rows(k, *best, machine, scores);
  for (size_t c = m == 2; c < m; c++) calibrate(k, scores, c, sigmoid + 2 * c);
  return true;
}
