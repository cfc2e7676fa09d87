/* committee_weights.c - the weights of a committee, by greedy selection with repeats (Caruana, Niculescu-Mizil, Crew and
 * Ksikes, Ensemble selection from libraries of models, ICML 2004):
 *
 *   begin with the best few members; then again and again take the member m that makes the loss of
 *   (sum of those taken + m) / (number taken + 1) least, and stop after some steps without a gain.
 *
 * A member's weight is how often it was taken. To keep small tables from being overfitted this is done on several bags,
 * each of them half of the rows, and the weights are averaged. Small weights are then dropped: the best few have one in every
 * bag just because it begins with them, and each member costs time at every prediction. */
#include "forest/auto/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"

enum { BAGS = 20, STEPS = 40, PATIENCE = 5, BEGIN = 5 };
#define LEAST .1 /* of the largest weight: smaller ones are dropped */

/* A selection under way. */
typedef struct choosing {
  const svf_bench *bench;
  const double *const *answer;
  size_t count;
  uint32_t *row; /* of the bag */
  size_t rows;
  double *sum, *trial; /* n x k: of those taken, with one more */
  svf_ranked *scratch;
  size_t *taken; /* how often each was, at the best step */
  double *alone; /* loss of each member */
} choosing;

/* Loss with one more of member m; the answers of the bag's rows alone are looked at. */
static double loss_with(const choosing *c, size_t m, double taken) {
  size_t k = c->bench->k;
  for (size_t i = 0; i < c->rows; i++) {
    const double *sum = c->sum + c->row[i] * k, *more = c->answer[m] + c->row[i] * k;
    double *out = c->trial + c->row[i] * k;
    for (size_t j = 0; j < k; j++) out[j] = (sum[j] + more[j]) / (taken + 1);
  }
  return svf_bench_loss(c->bench, c->trial, c->row, c->rows, c->scratch);
}

static void take(const choosing *c, size_t m, size_t *tally) {
  size_t k = c->bench->k;
  for (size_t i = 0; i < c->rows; i++)
    for (size_t j = 0; j < k; j++) c->sum[c->row[i] * k + j] += c->answer[m][c->row[i] * k + j];
  tally[m]++;
}

/* The best few, each once. Returns how many. */
static size_t begin(const choosing *c, size_t *tally) {
  size_t most = c->count < BEGIN ? 1 : BEGIN, taken = 0;
  for (size_t m = 0; m < c->count; m++) c->alone[m] = loss_with(c, m, 0);
  for (; taken < most; taken++) {
    size_t best = c->count;
    for (size_t m = 0; m < c->count; m++)
      if (!tally[m] && (best == c->count || c->alone[m] < c->alone[best])) best = m;
    take(c, best, tally);
  }
  return taken;
}

/* One bag: c->taken becomes the tally of its best step. */
static void choose(const choosing *c, size_t *tally) {
  double least = INFINITY;
  memset(tally, 0, c->count * sizeof *tally);
  memset(c->sum, 0, c->bench->n * c->bench->k * sizeof *c->sum);
  size_t taken = begin(c, tally);
  for (int idle = 0; taken < STEPS && idle < PATIENCE; taken++, idle++) {
    size_t best = 0;
    double loss = INFINITY;
    for (size_t m = 0; m < c->count; m++) {
      double with = loss_with(c, m, (double)taken);
      if (with < loss) loss = with, best = m;
    }
    take(c, best, tally);
    if (loss < least) {
      least = loss;
      memcpy(c->taken, tally, c->count * sizeof *tally);
      idle = -1;
    }
  }
}

/* About half of the rows, drawn by the seed and the number of the bag. All where they are few. */
static void draw_bag(choosing *c, const uint32_t *rows, size_t count, uint64_t seed, size_t bag) {
  enum { FEW = 20 };
  svf_random random = svf_random_at((svf_place){seed, SVF_USE_COMMITTEE, (uint32_t)bag, 0, 0});
  c->rows = 0;
  for (size_t i = 0; i < count; i++)
    if (svf_random_below(&random, 2) || count < FEW) c->row[c->rows++] = rows[i];
}

/* Small weights go, and the others add up to 1. */
static void settle(double *weight, size_t count) {
  double most = 0, kept = 0;
  for (size_t m = 0; m < count; m++) most = fmax(most, weight[m]);
  for (size_t m = 0; m < count; m++) kept += weight[m] = weight[m] < LEAST * most ? 0 : weight[m];
  for (size_t m = 0; m < count; m++) weight[m] /= kept;
}

bool svf_committee_weigh(const svf_bench *bench, const double *const *answer, size_t count, const uint32_t *rows,
                         size_t row_count, uint64_t seed, double *weight) {
  svf_arena arena = {0};
  size_t cells = bench->n * bench->k;
  choosing c = {.bench = bench, .answer = answer, .count = count};
  c.row = SVF_TAKE(&arena, uint32_t, row_count);
  c.sum = SVF_TAKE(&arena, double, cells);
  c.trial = SVF_TAKE(&arena, double, cells);
  c.scratch = SVF_TAKE(&arena, svf_ranked, row_count);
  c.taken = SVF_TAKE(&arena, size_t, count);
  c.alone = SVF_TAKE(&arena, double, count);
  size_t *tally = SVF_TAKE(&arena, size_t, count);
  bool fine = !svf_arena_failed(&arena);
  for (size_t m = 0; m < count; m++) weight[m] = 0;
  for (size_t bag = 0; fine && bag < BAGS; bag++) {
    double all = 0;
    draw_bag(&c, rows, row_count, seed, bag);
    memset(c.taken, 0, count * sizeof *c.taken);
    choose(&c, tally);
    for (size_t m = 0; m < count; m++) all += (double)c.taken[m];
    if (!(all > 0)) c.taken[0] = 1, all = 1; /* no step had a finite loss */
    for (size_t m = 0; m < count; m++) weight[m] += (double)c.taken[m] / all / BAGS;
  }
  svf_arena_free(&arena);
  if (fine) settle(weight, count);
  return fine;
}
