/* platt.c - from scores to probabilities by Platt's sigmoid.
 *
 *   min over a <= 0, b   F = sum_i v_i (log(1 + exp(z_i)) - (1 - t_i) z_i),    z_i = a s_i + b,  p_i = 1 / (1 + exp(z_i))
 *
 * with weights v and targets t = (N+ + 1) / (N+ + 2) for hits, 1 / (N- + 2) for misses, N the sums of their
 * weights (Platt 1999). F is convex; Newton's method with halved steps, written so that nothing overflows and
 * no difference of near-equal numbers is taken (Lin, Lin and Weng 2007). Scores are centred and scaled first,
 * so that their unit does not matter. */
#include "svm/solver.h"

#include <math.h>
#include "la/la.h"

enum { MOST_STEPS = 100, BLOCK = 128 };
static const double RIDGE = 1e-12; /* keeps the 2 x 2 system solvable */

typedef struct task {
  const svf_la *la;
  size_t n;
  const double *score, *weight; /* weight: NULL for 1 */
  const unsigned char *hit;
  double centre, unit; /* s_i -> (s_i - centre) / unit */
  double target[2];    /* of a miss, of a hit */
  double total;        /* of the weights */
} task;

static double weigh(const task *t, size_t i) { return t->weight ? t->weight[i] : 1; }

/* The derivatives of F / total at one place. */
typedef struct view {
  double a, b, aa, ab, bb;
} view;

static view look(const task *t, double a, double b) {
  double place[BLOCK] __attribute__((aligned(64))), share[BLOCK] __attribute__((aligned(64)));
  double target[BLOCK] __attribute__((aligned(64))), f[5] = {0}, scale = 1 / t->unit, each = 1 / t->total;
  for (size_t first = 0; first < t->n; first += BLOCK) {
    size_t some = t->n - first < BLOCK ? t->n - first : BLOCK, i = 0;
    for (; i < some; i++) {
      place[i] = (t->score[first + i] - t->centre) * scale;
      share[i] = weigh(t, first + i) * each;
      target[i] = t->target[t->hit[first + i] != 0];
    }
    for (; i < svf_padded(some); i++) place[i] = share[i] = target[i] = 0;
    t->la->logistic(i, a, b, place, share, target, f);
  }
  return (view){f[0], f[1], f[2], f[3], f[4]};
}

/* Newton's method in b, and in a too unless it is held. F is convex: a step is short enough when F does not rise at its
 * end, or hardly. */
static void descend(const task *t, bool hold, double *a, double *b) {
  view f = look(t, *a, *b);
  for (int step = 0; step < MOST_STEPS; step++) {
    if (hold) f.a = 0, f.ab = 0;
    double aa = f.aa + RIDGE, bb = f.bb + RIDGE, det = aa * bb - f.ab * f.ab, length = 1;
    double da = (f.ab * f.b - bb * f.a) / det, db = (f.ab * f.a - aa * f.b) / det, fall = da * f.a + db * f.b;
    bool last = fall > -1e-12;
    if (!last) {
      view next = look(t, *a + da, *b + db);
      while (!(da * next.a + db * next.b <= -.1 * fall)) {
        length /= 2;
        if (length < 1e-10) return;
        next = look(t, *a + length * da, *b + length * db);
      }
      f = next;
    }
    *a += length * da, *b += length * db;
    if (last) return;
  }
}

/* Sums of weights, targets, centre and unit; false: only one outcome, or scores beyond all numbers. */
static bool prepare(task *t) {
  double count[2] = {0}, sum = 0, square = 0;
  for (size_t i = 0; i < t->n; i++) {
    count[t->hit[i] != 0] += weigh(t, i);
    sum += weigh(t, i) * t->score[i];
  }
  if (!(count[0] > 0 && count[1] > 0)) return false;
  t->total = count[0] + count[1];
  t->target[0] = 1 / (count[0] + 2);
  t->target[1] = (count[1] + 1) / (count[1] + 2);
  t->centre = sum / t->total;
  for (size_t i = 0; i < t->n; i++) {
    double off = t->score[i] - t->centre;
    square += weigh(t, i) * off * off;
  }
  t->unit = sqrt(square / t->total);
  return isfinite(t->unit);
}

void svf_calibrate(const svf_la *la, size_t n, const double *score, const unsigned char *hit, const double *weight,
                   double *a, double *b) {
  task t = {.la = la, .n = n, .score = score, .weight = weight, .hit = hit};
  *a = -2, *b = 0;
  if (!prepare(&t)) return;
  bool flat = !(t.unit > 1e-12 * fabs(t.centre)) || !(t.unit > 0);
  if (flat) t.unit = 1;
  *a = 0;
  if (!flat) descend(&t, false, a, b);
  if (flat || !(*a <= 0)) *a = 0, descend(&t, true, a, b); /* the best flat curve */
  *a /= t.unit;
  *b -= *a * t.centre;
}
