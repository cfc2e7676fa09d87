/* linear_choice.c - see linear_choice.h; and how class scores and shares come from the scores of machines. */
#include "svm/linear_choice.h"

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

/* What comes of a piece of the rows: sums are made piece by piece, so that any thread may make them. */
typedef struct piece {
  double low, high;                       /* scores of one class */
  double sum[2 * BINS], weight[2 * BINS]; /* of the scores in a bin, hits and others apart */
} piece;

typedef struct judging {
  const svf_choice *k;
  double *right;   /* [piece][C]: weight of the rows classified right */
  double *scratch; /* [piece][machines + m]: of one row */
  size_t C;        /* number of the one chosen */
  size_t kept;     /* class scores that a row keeps: of two classes the second's, which says all */
  double *scores;  /* n x kept, at the C chosen */
  size_t class;    /* at work on */
  double low, scale;
  piece *piece;
} judging;

/* The class scores of a held-out row at one C; in the scratch of its piece. */
static const double *score_row(const judging *j, size_t C, size_t i) {
  const svf_choice *k = j->k;
  double *machine = j->scratch + i / SVF_PIECE * (k->machines + k->m), *score = machine + k->machines;
  for (size_t a = 0; a < k->machines; a++) machine[a] = k->held[(a * k->C_count + C) * k->n + i];
  svf_class_scores(k->scheme, k->m, machine, score);
  return score;
}

static double right_weight(const judging *j, size_t C, size_t first, size_t end) {
  const svf_choice *k = j->k;
  double right = 0;
  for (size_t i = first; i < end; i++)
    if (svf_largest(k->m, score_row(j, C, i)) == (size_t)k->label[i]) right += weigh(k, i);
  return right;
}

/* One-vs-rest of two classes, whose one machine is for the second: the same without class scores. */
static double right_weight_of_two(const svf_choice *k, size_t C, size_t first, size_t end) {
  const float *s = k->held + C * k->n;
  double right = 0;
  if (!k->weight) {
    uint32_t rows = 0;
    for (size_t i = first; i < end; i++) rows += (s[i] > 0) == k->label[i];
    return rows;
  }
  for (size_t i = first; i < end; i++) right += (s[i] > 0) == k->label[i] ? weigh(k, i) : 0;
  return right;
}

static bool one_machine(const svf_choice *k) { return k->scheme == SVF_ONE_VS_REST && k->m == 2; }

static void count_right(void *context, size_t first, size_t end) {
  const judging *j = context;
  const svf_choice *k = j->k;
  double *right = j->right + first / SVF_PIECE * k->C_count;
  for (size_t c = 0; c < k->C_count; c++)
    right[c] = one_machine(k) ? right_weight_of_two(k, c, first, end) : right_weight(j, c, first, end);
}

/* At the C chosen. */
static void keep_scores(void *context, size_t first, size_t end) {
  const judging *j = context;
  for (size_t i = first; i < end && one_machine(j->k); i++) j->scores[i] = j->k->held[j->C * j->k->n + i];
  for (size_t i = first; i < end && !one_machine(j->k); i++)
    memcpy(j->scores + i * j->kept, score_row(j, j->C, i) + j->k->m - j->kept, j->kept * sizeof(double));
}

/* The place of a class among the scores of the first row. */
static const double *scores_of(const judging *j) { return j->scores + j->class - (j->k->m - j->kept); }

static void find_range(void *context, size_t first, size_t end) {
  const judging *j = context;
  piece *p = &j->piece[first / SVF_PIECE];
  *p = (piece){.low = INFINITY, .high = -INFINITY};
  for (size_t i = first; i < end; i++) {
    double s = scores_of(j)[i * j->kept];
    if (s < p->low) p->low = s;
    if (s > p->high) p->high = s;
  }
}

static void fill_bins(void *context, size_t first, size_t end) {
  const judging *j = context;
  piece *p = &j->piece[first / SVF_PIECE];
  for (size_t i = first; i < end; i++) {
    double s = scores_of(j)[i * j->kept], place = (s - j->low) * j->scale;
    size_t bin = 2 * (place < BINS - 1 ? (size_t)place : BINS - 1) + (j->k->label[i] == (int32_t)j->class);
    p->sum[bin] += weigh(j->k, i) * s;
    p->weight[bin] += weigh(j->k, i);
  }
}

/* The sigmoid of one class. Scores are first brought together in bins, hits and others apart, each at its
 * mean score: the fit then costs the same for any number of rows. */
static void calibrate(judging *j, double *sigmoid) {
  const svf_choice *k = j->k;
  size_t used = 0, pieces = svf_pieces(k->n);
  double low = INFINITY, high = -INFINITY, sum[2 * BINS] = {0}, weight[2 * BINS] = {0};
  unsigned char hit[2 * BINS];
  svf_solver_rows(k->solver, k->n, find_range, j);
  for (size_t p = 0; p < pieces; p++) low = fmin(low, j->piece[p].low), high = fmax(high, j->piece[p].high);
  j->low = low, j->scale = high > low ? BINS / (high - low) : 0;
  svf_solver_rows(k->solver, k->n, fill_bins, j);
  for (size_t p = 0; p < pieces; p++)
    for (size_t b = 0; b < 2 * BINS; b++) sum[b] += j->piece[p].sum[b], weight[b] += j->piece[p].weight[b];
  for (size_t b = 0; b < 2 * BINS; b++) {
    if (!(weight[b] > 0)) continue;
    hit[used] = b & 1;
    sum[used] = sum[b] / weight[b];
    weight[used++] = weight[b];
  }
  svf_calibrate(k->solver->la, used, sum, hit, weight, &sigmoid[0], &sigmoid[1]);
}

bool svf_choice_make(const svf_choice *k, size_t *best, double *share, double *sigmoid) {
  svf_arena *arena = k->solver->arena;
  size_t m = k->m, pieces = svf_pieces(k->n);
  judging j = {.k = k, .kept = m == 2 ? 1 : m};
  j.right = SVF_TAKE(arena, double, pieces * k->C_count);
  j.scratch = SVF_TAKE(arena, double, pieces *(k->machines + m));
  j.scores = SVF_TAKE(arena, double, k->n *j.kept);
  j.piece = SVF_TAKE(arena, piece, pieces);
  if (svf_arena_failed(arena)) return false;
  double most = -1, all = 0;
  for (size_t i = 0; i < k->n; i++) all += weigh(k, i);
  svf_solver_rows(k->solver, k->n, count_right, &j);
  for (size_t c = 0; c < k->C_count; c++) {
    double right = 0;
    for (size_t p = 0; p < pieces; p++) right += j.right[p * k->C_count + c];
    if (right > most) most = right, j.C = c;
  }
  *best = j.C;
  *share = most / all;
  svf_solver_rows(k->solver, k->n, keep_scores, &j);
  for (j.class = m - j.kept; j.class < m; j.class ++) calibrate(&j, sigmoid + 2 * j.class);
  return true;
}
