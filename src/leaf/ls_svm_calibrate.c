/* ls_svm_calibrate.c - from the scores of least-squares machines to probabilities.
 *
 * A machine's score s of a row that it was not trained with is y - e, e being the left-out error that comes with the machine.
 * To these and the rows' classes is fitted
 *
 *     two classes   Platt's sigmoid p = 1 / (1 + exp(a s + b)), with his smoothing (svm/calibrate.c)
 *     more          p_c = exp(t s_c) / sum_b exp(t s_b),   min over t in [0, STEEPEST]   F = -sum_i v_i log p_{y_i}
 *
 * F is convex in t: Newton's method, by bisection where it leaves the interval that holds the zero of F'. The n rows of the leaf
 * and one more, which belongs to all k classes of the forest alike, then give p := (n p + 1/k) / (n + 1): no class is
 * impossible. Weights of rows are divided by their mean, so that their unit does not matter. */
#include "leaf/ls_svm.h"

#include <math.h>
#include "la/elementary.h"
#include "svm/linear.h"

enum { STEPS = 60 };
#define STEEPEST 40. /* scores 1 apart are then certain */

typedef struct fit {
  const svf_ls_cell *cell;
  size_t n;
  double *weight, *score; /* n; targets x n */
} fit;

/* The mean weight becomes 1. */
static void take_weights(const fit *f) {
  const double *given = f->cell->ground->frame->weight; /* the cell's are bounded for the solver */
  const uint32_t *rows = f->cell->rows;
  double most = 0, sum = 0;
  for (size_t i = 0; i < f->n; i++) most = fmax(most, given ? given[rows[i]] : 1);
  for (size_t i = 0; i < f->n; i++) sum += f->weight[i] = given ? given[rows[i]] / most : 1;
  for (size_t i = 0; i < f->n; i++) f->weight[i] *= (double)f->n / sum;
}

static bool fit_sigmoid(const fit *f, svf_arena *arena) {
  const svf_ls_cell *c = f->cell;
  unsigned char *hit = SVF_TAKE(arena, unsigned char, f->n);
  if (!hit) return false;
  for (size_t i = 0; i < f->n; i++) hit[i] = c->y[i] > 0;
  svf_calibrate(c->ground->la, f->n, f->score, hit, f->weight, &c->curve[0], &c->curve[1]);
  return true;
}

/* First and second derivative of F. */
static void derive(const fit *f, double t, double d[2]) {
  const svf_ls_cell *c = f->cell;
  d[0] = d[1] = 0;
  for (size_t i = 0; i < f->n; i++) {
    double most = -INFINITY, own = 0, sum = 0, mean = 0, square = 0;
    for (size_t q = 0; q < c->targets; q++) {
      most = fmax(most, f->score[q * f->n + i]);
      if (c->y[q * f->n + i] > 0) own = f->score[q * f->n + i];
    }
    for (size_t q = 0; q < c->targets; q++) {
      double s = f->score[q * f->n + i] - most, p = svf_exp(t * s);
      sum += p, mean += p * s, square += p * s * s;
    }
    mean /= sum;
    d[0] += f->weight[i] * (mean - (own - most));
    d[1] += f->weight[i] * (square / sum - mean * mean);
  }
}

static double fit_slope(const fit *f) {
  double low = 0, high = STEEPEST, t = 2;
  for (int step = 0; step < STEPS && high - low > 1e-9 * high; step++) {
    double d[2];
    derive(f, t, d);
    *(d[0] > 0 ? &high : &low) = t;
    double next = d[1] > 0 ? t - d[0] / d[1] : NAN, last = t;
    t = next > low && next < high ? next : (low + high) / 2;
    if (fabs(t - last) <= 1e-9 * last) break;
  }
  return t;
}

bool svf_ls_calibrate(svf_ls_cell *c, const double *left_out) {
  if (!c->curve) return true;
  svf_arena *arena = &c->ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t n = c->site->n;
  fit f = {c, n, SVF_TAKE(arena, double, n), SVF_TAKE(arena, double, c->targets *n)};
  if (svf_arena_failed(arena)) return false;
  take_weights(&f);
  for (size_t i = 0; i < c->targets * n; i++) f.score[i] = c->y[i] - left_out[i];
  bool fine = true;
  if (c->targets == 1) fine = fit_sigmoid(&f, arena);
  else c->curve[0] = fit_slope(&f);
  svf_arena_release(arena, mark);
  return fine;
}

/* Scores estimate 2p - 1. */
static void clip(size_t m, const double *own, double *share) {
  double sum = 0;
  for (size_t c = 0; c < m; c++) sum += fmax(0, own[c] + 1);
  for (size_t c = 0; c < m; c++) share[c] = sum > 0 ? fmax(0, own[c] + 1) / sum : 1 / (double)m;
}

void svf_ls_shares(const svf_ls_view *view, const double *own, double *share) {
  const svf_leaf_view *leaf = view->leaf;
  double most = -INFINITY, sum = 0;
  if (!view->curve) clip(view->m, own, share);
  else if (view->m == 1) share[0] = 1;
  else if (view->m == 2) {
    double z = svf_leaf_number(leaf, view->curve) * own[1] + svf_leaf_number(leaf, view->curve + 1);
    share[1] = 1 / (1 + svf_exp(svf_sigmoid_clip(z)));
    share[0] = 1 - share[1];
  } else {
    double t = svf_leaf_number(leaf, view->curve);
    for (size_t c = 0; c < view->m; c++) most = fmax(most, own[c]);
    for (size_t c = 0; c < view->m; c++) sum += share[c] = svf_exp(t * (own[c] - most));
    for (size_t c = 0; c < view->m; c++) share[c] /= sum;
  }
}
