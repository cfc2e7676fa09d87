/* ls_svm_calibrate.c - from the scores of least-squares machines to probabilities.
 *
 * A machine's score s of a row that it was not trained with is y - e, e being the left-out error that comes with the machine.
 * To these and the rows' classes is fitted
 *
 *     two classes   Platt's sigmoid p = 1 / (1 + exp(a s + b)), with his smoothing (svm/platt.c)
 *     more          p_c = exp(u_c) / sum_b exp(u_b),  u_c = t s_c + r log(q_c),   min over t, r >= 0   F = -sum_i v_i log
 * p_{y_i}
 *
 * with q_c = max(0, (s_c + 1) / 2) + 1 / (n + m), n rows of m classes in the leaf: r = 1 alone takes a score as 2p - 1,
 * which suits classes that overlap, t alone suits those that do not. F is convex: Newton's method with halved steps, kept
 * within bounds, until F falls no more.
 *
 * The n rows of the leaf and one more, which belongs to all k classes of the forest alike, then give p := (n p + 1/k) / (n +
 * 1): no class is impossible. Weights of rows are divided by their mean, so that their unit does not matter. */
#include "leaf/ls_svm.h"

#include <math.h>
#include "la/elementary.h"
#include "svm/solver.h"

enum { STEPS = 40 };
#define RIDGE      1e-9                   /* keeps the 2 x 2 system solvable */
#define SHORTEST   1e-6                   /* part of a step */
#define LEAST_FALL 1e-9                   /* of F per row */
static const double most_of[] = {40, 10}; /* of t: scores 1 apart are then certain; of r */

static double log_q(double score, double least) { return svf_log(fmax(0, score / 2 + .5) + least); }

typedef struct fit {
  const svf_ls_cell *cell;
  size_t n;
  double *weight, *score; /* n; targets x n */
  double *part[2];        /* targets x n each; the first is the scores */
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

/* F at one place, and its derivatives there. */
typedef struct view {
  double loss, slope[2], tt, tr, rr;
} place;

static place look(const fit *f, const double *factor) {
  const svf_ls_cell *c = f->cell;
  size_t all = c->targets * f->n;
  place v = {0};
  for (size_t i = 0; i < f->n; i++) {
    double most = -INFINITY, own = 0, sum = 0, mean[2] = {0}, square[3] = {0}, hit[2] = {0};
    for (size_t q = i; q < all; q += f->n) {
      double u = factor[0] * f->part[0][q] + factor[1] * f->part[1][q];
      most = fmax(most, u);
      if (c->y[q] > 0) own = u, hit[0] = f->part[0][q], hit[1] = f->part[1][q];
    }
    for (size_t q = i; q < all; q += f->n) {
      double s = f->part[0][q] - hit[0], l = f->part[1][q] - hit[1];
      double p = svf_exp(factor[0] * f->part[0][q] + factor[1] * f->part[1][q] - most);
      sum += p, mean[0] += p * s, mean[1] += p * l;
      square[0] += p * s * s, square[1] += p * s * l, square[2] += p * l * l;
    }
    for (int j = 0; j < 2; j++) mean[j] /= sum, v.slope[j] += f->weight[i] * mean[j];
    v.loss += f->weight[i] * (svf_log(sum) + most - own);
    v.tt += f->weight[i] * (square[0] / sum - mean[0] * mean[0]);
    v.tr += f->weight[i] * (square[1] / sum - mean[0] * mean[1]);
    v.rr += f->weight[i] * (square[2] / sum - mean[1] * mean[1]);
  }
  return v;
}

/* Newton's step; a factor that a bound holds stays. */
static void find_step(const place *v, const double *factor, double *step) {
  double tt = v->tt + RIDGE, rr = v->rr + RIDGE, tr = v->tr, slope[2];
  for (int j = 0; j < 2; j++) {
    bool held = v->slope[j] > 0 ? factor[j] <= 0 : factor[j] >= most_of[j];
    slope[j] = held ? 0 : v->slope[j];
    if (held) tr = 0;
  }
  double det = tt * rr - tr * tr;
  step[0] = (tr * slope[1] - rr * slope[0]) / det;
  step[1] = (tr * slope[0] - tt * slope[1]) / det;
}

static void fit_factors(const fit *f) {
  double *factor = f->cell->curve, step[2], next[2];
  factor[0] = 0, factor[1] = 1;
  place v = look(f, factor), there;
  for (int i = 0; i < STEPS; i++) {
    double length = 1, fall;
    find_step(&v, factor, step);
    do {
      for (int j = 0; j < 2; j++) next[j] = fmax(0, fmin(most_of[j], factor[j] + length * step[j]));
      fall = v.slope[0] * (next[0] - factor[0]) + v.slope[1] * (next[1] - factor[1]);
      there = look(f, next);
      length /= 2;
    } while (!(there.loss <= v.loss + .1 * fall) && length > SHORTEST);
    if (!(there.loss < v.loss - LEAST_FALL * (double)f->n)) break;
    factor[0] = next[0], factor[1] = next[1], v = there;
  }
}

bool svf_ls_calibrate(svf_ls_cell *c, const double *left_out) {
  if (!c->curve) return true;
  svf_arena *arena = &c->ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t n = c->site->n;
  fit f = {.cell = c, .n = n, .weight = SVF_TAKE(arena, double, n), .score = SVF_TAKE(arena, double, c->targets *n)};
  f.part[0] = f.score, f.part[1] = SVF_TAKE(arena, double, c->targets *n);
  if (svf_arena_failed(arena)) return false;
  take_weights(&f);
  for (size_t i = 0; i < c->targets * n; i++) f.score[i] = c->y[i] - left_out[i];
  for (size_t i = 0; i < c->targets * n; i++) f.part[1][i] = log_q(f.score[i], 1 / (double)(n + c->m));
  bool fine = true;
  if (c->targets == 1) fine = fit_sigmoid(&f, arena);
  else fit_factors(&f);
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
    double factor[] = {svf_leaf_number(leaf, view->curve), svf_leaf_number(leaf, view->curve + 1)};
    double least = 1 / (svf_leaf_number(leaf, view->curve - 1) + (double)view->m);
    for (size_t c = 0; c < view->m; c++) {
      share[c] = factor[0] * own[c] + factor[1] * log_q(own[c], least);
      most = fmax(most, share[c]);
    }
    for (size_t c = 0; c < view->m; c++) sum += share[c] = svf_exp(share[c] - most);
    for (size_t c = 0; c < view->m; c++) share[c] /= sum;
  }
}
